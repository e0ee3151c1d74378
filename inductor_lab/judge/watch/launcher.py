"""What a launcher may not do: compute with torch, write what its kernels did not, run the baseline, go round the watch.

A kernel is judged by what its Triton code writes. A launcher may allocate, fill with a number, look through views, copy into tensors of its
own, make constants, and run kernels. A span's may also copy anywhere, and call the library as the captured steps do:

    {"call": "extern_kernels.addmm"} in ORIGIN["span"]      its launcher may call aten.addmm, and aten.mm, a part of that
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dis import get_instructions
from types import FunctionType, ModuleType, TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from triton.runtime.interpreter import InterpretedFunction
from triton.runtime.jit import JITFunction

from inductor_lab.ejected import demanded, is_span
from inductor_lab.judge.watch.escapes import (
    Escapes,
    asked_by,
    callers,
    is_ours,
    of_the_judge,
    of_torch,
    of_triton,
    prints,
)
from inductor_lab.judge.watch.watched_memory import bits, count_unwritten, fill_unwritten, span_of, storage

JUDGED_BY = "a kernel is judged by what its Triton code writes"
FRESH = {
    "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "zeros", "zeros_like", "new_zeros",
    "ones", "ones_like", "new_ones", "full", "full_like", "new_full",
}  # fmt: skip
"""Operators that take a tensor for its shape and its dtype alone."""
UNFILLED = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"}
FILLS = {"fill_", "zero_"}
COPIES = {"clone", "copy_", "_to_copy", "lift_fresh", "lift_fresh_copy"}
VIEWS = {"_unsafe_view", "_reshape_alias", "detach", "alias", "lift"}
READS = {"_local_scalar_dense"}
FEW = 16  # numbers that a launcher may ask of its tensors
NOBODY_WROTE = "which nothing has written"
ABSOLUTE = (
    "the offset of as_strided counts from where the storage begins, `x.storage_offset() + 416`; None keeps x's own"
)
SEVERAL = "its launches read what the ones before them wrote"
"""Why some programs of a span say nothing."""
PARTS = {
    "addmm": ("mm",),
    "bias_addmm": ("addmm", "mm"),
    "baddbmm": ("bmm",),
    "_mm_plus_mm": ("addmm", "mm"),
}
"""What a library call is made of: an edit may do the rest in a kernel of its own."""
WRAPPERS = re.compile(r"^(torch\.ops\.)?(aten|extern_kernels)\.")


class Launcher(TorchDispatchMode):
    """Watches one call of a file's `launch`: `faults` are what it may not do, `notes` what a reader should know.

    Args:
        file: The module, for its `reference`, `aten`, `launch_generated` and the kernels that this runs.
        given: The tensors that `launch` is given, by name.
        library: Operators that it may call, of a span; None of a kernel.
    """

    def __init__(
        self, file: ModuleType, given: Mapping[str, torch.Tensor], library: Collection[str] | None = None
    ) -> None:
        super().__init__()
        self._library, self._why = library, JUDGED_BY
        if library is not None:
            called = ", ".join(f"aten.{name}" if ":" not in name else name for name in library)
            self._why = f"of the library the steps of this span call {called or 'nothing'}"
        self.called: set[str] = set()
        """The tensors, of those given, that the library wrote."""
        self.unwritten_reads: list[str] = []
        """What a library call read that nobody has written."""
        self._given, self._file = dict(given), file
        self._baseline = list(_kernels_of(getattr(file, "launch_generated", None)))
        self._names = {_place(tensor): name for name, tensor in given.items()}
        self._touched = {_place(tensor): tensor for tensor in given.values()}
        self._said: dict[str, list[str]] = {"fault": [], "note": []}
        self._inside = self._launched = self._read = 0
        self._looking = False
        self._bits: dict[str, torch.Tensor] = {}
        self._escapes = Escapes(self._told_escape)

    @property
    def faults(self) -> list[str]:
        return list(self._said["fault"])

    @property
    def notes(self) -> list[str]:
        return list(self._said["note"])

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch would import its compiler to leave this out of what it compiles: two seconds, and nothing is compiled here."""
        return False

    # -------------------------------------------------------- the call's beginning and end

    def __enter__(self) -> Launcher:
        self._keep(self._given)
        built = getattr(self._file, "CudaKernel", None)  # what a file with a kernel in CUDA C++ launches it by
        kinds = (InterpretedFunction, JITFunction, *([built] if isinstance(built, type) else []))
        self._runs = [(kind, kind.run) for kind in kinds]
        for kind, run in self._runs:
            kind.run = self._watched(run)
        self._escapes.open()
        super().__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._escapes.close()
        super().__exit__(kind, error, trace)
        for owner, run in self._runs:
            owner.run = run
        self._compare()
        if kind is None and not self._launched and any(self._given[name].numel() for name in demanded(self._file)):
            self._tell("fault", f"the launcher runs no Triton kernel: {JUDGED_BY}")

    def _tell(self, kind: str, sentence: str) -> None:
        if sentence not in self._said[kind]:
            self._said[kind].append(sentence)

    # -------------------------------------------------------- kernels

    def _watched(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """A kernel's `run` that tells of its beginning and its end."""

        def watched(kernel: Any, /, *args: Any, **kwargs: Any) -> Any:
            if self._inside or kwargs.get("warmup"):
                return run(kernel, *args, **kwargs)
            with self._looks():
                self._begins(kernel, (*args, *kwargs.values()))
            self._inside += 1
            try:
                return run(kernel, *args, **kwargs)
            finally:
                self._inside -= 1
                with self._looks():
                    self._keep(self._given)

        return watched

    @contextmanager
    def _looks(self) -> Iterator[None]:
        """What torch is asked meanwhile is asked by the watch."""
        self._looking = True
        try:
            yield
        finally:
            self._looking = False

    def _begins(self, kernel: Any, arguments: tuple[Any, ...]) -> None:
        self._launched += 1
        self._compare()
        if any(kernel is one for one in self._baseline):
            self._tell("fault", f"the launcher runs the generated kernel itself (`{kernel.fn.__name__}`)")
        for each in tree_leaves(arguments):
            tensor = getattr(each, "base", each)  # of a tensor descriptor
            if isinstance(tensor, torch.Tensor):
                self._touched[_place(tensor)] = tensor

    # -------------------------------------------------------- memory

    def _keep(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """What the tensors hold now is accounted for."""
        for name, tensor in tensors.items():
            if name in self._bits:
                self._bits[name].copy_(bits(tensor))
            else:
                self._bits[name] = bits(tensor).clone()

    def _compare(self) -> None:
        """Nothing but kernels and fills may have changed what was given."""
        for name, tensor in self._given.items():
            if not torch.equal(bits(tensor), self._bits[name]):
                self._tell("fault", f"the launcher itself changes {name}, outside of any kernel: {JUDGED_BY}")
                self._keep({name: tensor})

    # -------------------------------------------------------- torch's operators

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = function(*args, **(kwargs or {}))
        if not self._looking and not self._by_the_way():
            self._operator(function, args, kwargs or {}, made)
        return made

    def _by_the_way(self) -> bool:
        """Whether Triton, the judge or a printed tensor asks for it, and not the launcher."""
        frame = asked_by()
        if frame and (of_triton(frame) or of_the_judge(frame) or (self._inside and is_ours(frame.f_code))):
            return True
        return prints()

    def _operator(self, function: Any, args: Any, kwargs: Any, made: Any) -> None:
        name = function._schema.name.removeprefix("aten::")
        tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        touched = [each for each in tensors if _place(each) in self._touched]
        written = [each for each in _written(function, args, kwargs) if _place(each) in self._names]
        if name in UNFILLED:
            fill_unwritten(made)
        if name in FILLS and len(tensors) == 1:
            self._keep({key: tensor for key, tensor in self._given.items() if _place(tensor) == _place(tensors[0])})
        elif self._library is not None and (name in COPIES or in_place_too(name) in self._library):
            self._calls(function, tensors, written, made)
        elif written:
            self._keep(self._given)
            what = self._names[_place(written[0])]
            self._tell("fault", self._who(f"the launcher writes {what} with torch ({_word(function)}): {self._why}"))
        elif name in READS:
            self._reads(len(touched))
        elif not touched or name in FRESH or name in VIEWS or function.is_view:
            return
        elif name in COPIES:
            self._copies(function, touched, (made, *args[:1]) if name == "copy_" else (made,))
        else:
            self._tell("fault", self._who(f"the launcher computes with torch ({_word(function)}): {self._why}"))

    def _calls(self, function: Any, tensors: list[torch.Tensor], written: list[torch.Tensor], made: Any) -> None:
        """A library call or a copy of a span: it may write what is given, and reads what was written."""
        self._launched += function._schema.name.removeprefix("aten::") not in COPIES
        self._keep(self._given)
        self.called |= {self._names[_place(each)] for each in written}
        for each in tensors:
            given = {name: one for name, one in self._given.items() if _place(one) == _place(each)}
            if given and not any(_lies_in(each, one) for one in given.values()):
                self._tell("fault", f"{_word(function)} is passed memory outside of {' and '.join(given)}: {ABSOLUTE}")
            elif not given and (count := count_unwritten(each)):
                self.unwritten_reads.append(
                    f"{_word(function)} reads {count:,} elements of {self._local(each)}, {NOBODY_WROTE}"
                )
        self._touched |= {
            _place(each): each for each in (*tensors, *tree_leaves(made)) if isinstance(each, torch.Tensor)
        }

    def _local(self, tensor: torch.Tensor) -> str:
        """What the launcher calls a tensor of its own."""
        for frame in callers():
            for name, value in frame.f_locals.items() if not of_torch(frame) else ():
                if isinstance(value, torch.Tensor) and _place(value) == _place(tensor):
                    return name
        return f"a tensor of shape {list(tensor.shape)}"

    def _copies(self, function: Any, touched: list[torch.Tensor], made: tuple[Any, ...]) -> None:
        self._touched |= {_place(each): each for each in made}
        for name in {self._names[_place(each)] for each in touched if _place(each) in self._names}:
            self._tell("note", f"the launcher copies {name} with torch ({_word(function)}) before a kernel reads it")

    def _reads(self, count: int) -> None:
        self._read += count
        if count:
            self._tell("note", "the launcher reads numbers of its tensors on the host (Tensor.item)")
        if self._read > FEW:
            self._tell("fault", f"the launcher reads more than {FEW} numbers of its tensors on the host (Tensor.item)")

    def _who(self, sentence: str) -> str:
        """The same, or that it is the file's own reference which does it."""
        for name in ("reference", "aten"):
            code = getattr(getattr(self._file, name, None), "__code__", None)
            if code and any(frame.f_code is code for frame in callers()):
                return f"the launcher calls `{name}`: {JUDGED_BY}"
        return sentence

    # -------------------------------------------------------- ways round it

    def _told_escape(self, kind: str, sentence: str, tensor: Any = None) -> None:
        """Somebody used a way round the operators; of a tensor only where it holds what was given or a kernel made."""
        if self._inside or (isinstance(tensor, torch.Tensor) and _place(tensor) not in self._touched):
            return
        self._tell(kind, sentence)


def _kernels_of(launch: Any) -> Iterator[Any]:
    """The kernels that a launcher runs, by the names that it says, itself or through other launchers of its file."""
    said = get_instructions(launch) if launch else ()
    names = (one.argval for one in said if one.opname == "LOAD_GLOBAL")  # a method's name is no kernel's
    for name in dict.fromkeys(names):
        found = launch.__globals__.get(name)
        if isinstance(found, (InterpretedFunction, JITFunction)):
            yield found
        elif isinstance(found, FunctionType) and found.__globals__ is launch.__globals__ and found is not launch:
            yield from _kernels_of(found)


def _place(tensor: torch.Tensor) -> int:
    """Where a tensor's storage lies; views share it."""
    return storage(tensor).data_ptr()


def _lies_in(view: torch.Tensor, tensor: torch.Tensor) -> bool:
    """Whether all of a view is memory of this tensor, its gaps included."""
    first, begins = view.data_ptr(), tensor.data_ptr()
    end, ends = (at + span_of(x) * x.itemsize for at, x in ((first, view), (begins, tensor)))
    return not view.numel() or (begins <= first and end <= ends)


def _written(function: Any, args: Any, kwargs: Any) -> Iterator[torch.Tensor]:
    """The tensors that an operator writes into."""
    for number, argument in enumerate(function._schema.arguments):
        value = args[number] if number < len(args) else kwargs.get(argument.name)
        if argument.alias_info is not None and argument.alias_info.is_write:
            yield from (each for each in tree_leaves(value) if isinstance(each, torch.Tensor))


def _word(function: Any) -> str:
    """`aten.relu`."""
    return str(function._schema.name).replace("::", ".")


# ------------------------------------------------------------ what a span's steps call


def library(file: Any) -> list[str] | None:
    """Operators that a span's launcher may call, as their schemas name them; None of a kernel's, which computes by itself."""
    if not is_span(file):
        return None
    named = [operator(step["call"]) for step in file.ORIGIN["span"] if "call" in step]
    return sorted({name for call in named for name in (call, *PARTS.get(call, ()))})


def operator(call: str) -> str:
    """`extern_kernels.mm` -> `mm`, `torch.ops.aten.sort.stable` -> `sort`, `torch.ops.mine.op.default` -> `mine::op`."""
    own = WRAPPERS.sub("", call)
    space, name, *_ = own.removeprefix("torch.ops.").split(".") if own.startswith("torch.ops.") else ("", own)
    return in_place_too(f"{space}::{name}" if space else name.partition(".")[0])


def in_place_too(name: str) -> str:
    """`addmm_` -> `addmm`: what an operator computes, wherever it leaves it."""
    return name.rstrip("_")
