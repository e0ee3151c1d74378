"""Blocks ways around the watch: values on the host, raw memory, threads and processes, and replaced functions.

`Escapes` stands in them while a launcher runs, and asks who calls. `Snapshot` says which functions of torch, Triton, numpy or the judge itself are
others than before the file was imported.
"""

from __future__ import annotations

import functools
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
import triton

from inductor_lab.paths import templates_folder

TORCH, TRITON = (str(Path(module.__file__).parent) for module in (torch, triton))
PRINTER = str(Path(TORCH) / "_tensor_str.py")
JUDGE = str(Path(__file__).parents[1])
WATCH = {str(Path(__file__).with_name(name)) for name in ("escapes.py", "launcher.py")}
Tell = Callable[..., None]
"""Told "fault" or "note", a sentence, and the tensor that it is about, if it is about one."""
TO_THE_HOST = ("numpy", "__array__", "tolist", "__dlpack__", "untyped_storage", "storage")
"""Methods of a tensor that hand out its values, or its memory."""
FAULTS = (
    "torch:compile", "torch.utils.dlpack:to_dlpack", "torch._C:_DisableTorchDispatch", "torch._C:_DisableTorchDispatchMode",
    "torch._C:_ExcludeDispatchKeyGuard", "torch._C:_pop_torch_dispatch_stack", "torch._C:_len_torch_dispatch_stack",
    "torch.utils._python_dispatch:_disable_current_modes", "torch.utils._python_dispatch:_pop_mode",
    "torch.utils._python_dispatch:_pop_mode_temporarily",
)  # fmt: skip
THREADS = ("threading:Thread.start", "_thread:start_new_thread")
STREAMS = ("torch.cuda:stream", "torch.cuda:set_stream", "torch.cuda:graph")
EVENTS = {
    "ctypes.": "reaches memory through ctypes", "subprocess.Popen": "starts a process",
    "os.fork": "starts a process", "os.posix_spawn": "starts a process", "os.system": "starts a process", "os.exec": "starts a process",
    "sys.setprofile": "sets a profiler", "sys.settrace": "sets a tracer",
}  # fmt: skip
"""The first letters of what Python itself reports (`sys.addaudithook`) -> what it says about a launcher."""
WATCHED = (
    "builtins", "math", "numpy", "functools", "contextlib", "contextlib:ExitStack",
    "torch", "torch.nn.functional", "torch.special", "torch.cuda", "torch.library", "torch.utils._python_dispatch",
    "torch:Tensor", "torch.utils._python_dispatch:TorchDispatchMode",
    "triton", "triton.language", "triton.language.math", "triton.language.standard", "triton.language.semantic:TritonSemantic",
    "triton.language:tensor", "triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice",
    "triton.runtime", "triton.runtime.driver", "triton.runtime.jit", "triton.runtime.jit:JITFunction", "triton.runtime.jit:KernelInterface",
    "triton.runtime.autotuner:Autotuner", "triton.runtime.autotuner:Heuristics",
    "triton.runtime.interpreter", "triton.runtime.interpreter:InterpreterBuilder", "triton.runtime.interpreter:interpreter_builder",
    "triton.runtime.interpreter:GridExecutor", "triton.runtime.interpreter:InterpretedFunction",
    "triton.runtime.interpreter:ReduceOps", "triton.runtime.interpreter:ScanOps",
)  # fmt: skip
"""Modules, and behind a colon a class or an object in one. `triton.language.core` is none: the interpreter leaves its own functions there."""
IMPORTS = "import numpy as np\nimport torch\nimport triton\nimport triton.language as tl\n"
"""What an ejected file has above our texts: Python compiles a call otherwise where it sees that a name is a module's."""
_open: list[Escapes] = []


class Escapes:
    """Between `open` and `close` each way round the operators is told."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._replaced: list[tuple[Any, str, Any, bool]] = []

    def open(self) -> None:
        for name in TO_THE_HOST:
            self._watch(
                *_owner(f"torch:Tensor.{name}"),
                "fault",
                f"the launcher takes values or memory of its tensors to the host (Tensor.{name})",
            )
        for path in FAULTS:
            self._watch(*_owner(path), "fault", f"the launcher calls {path.replace(':', '.')}")
        for path in THREADS:
            self._watch(*_owner(path), "fault", "the launcher starts a thread, which nobody watches")
        for path in STREAMS:
            self._watch(*_owner(path), "note", f"the launcher works on a stream of its own ({path.replace(':', '.')})")
        _hook()
        _open.append(self)

    def close(self) -> None:
        _open.remove(self)
        for owner, name, before, own in reversed(self._replaced):
            if own:
                setattr(owner, name, before)
            else:
                delattr(owner, name)
        self._replaced = []

    def heard(self, event: str) -> None:
        """Python reports something that it does."""
        what = next((said for start, said in EVENTS.items() if event.startswith(start)), "")
        if what and not _for_triton():
            self._tell("fault", f"the launcher {what} ({event})")

    def _watch(self, owner: Any, name: str, kind: str, sentence: str) -> None:
        before = getattr(owner, name, None)
        if before is None:
            return

        @functools.wraps(before)
        def watched(*args: Any, **kwargs: Any) -> Any:
            frame = asked_by()
            if frame is None or not (of_triton(frame) or of_the_judge(frame) or prints()):
                self._tell(kind, sentence, args[0] if args else None)
            return before(*args, **kwargs)

        self._replaced.append((owner, name, before, name in vars(owner)))
        setattr(owner, name, watched)


def _owner(path: str) -> tuple[Any, str]:
    """Where a function stands, and its name there."""
    owner, _, name = path.rpartition("." if "." in path.partition(":")[2] else ":")
    return pkgutil.resolve_name(owner), name


def _for_triton() -> bool:
    """Whether Triton or torch does it on the way, as where a kernel is compiled."""
    for frame in callers():
        if of_triton(frame) or of_torch(frame):
            return True
        if of_the_judge(frame):
            return False
    return False


@functools.cache
def _hook() -> None:
    """Python never lets go of such a hook: there is one, and it is deaf where nobody listens."""

    def hear(event: str, _: Any) -> None:
        if _open and "." in event:
            for escapes in list(_open):
                escapes.heard(event)

    sys.addaudithook(hear)


# ------------------------------------------------------------ who asks


def asked_by() -> FrameType | None:
    """The nearest caller that is neither torch's nor of the watch itself."""
    return next((frame for frame in callers() if not of_torch(frame)), None)


def callers() -> Iterator[FrameType]:
    """The callers, the nearest first, from outside of the watch (`launcher.py` and this file)."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename not in WATCH:
            yield frame
        frame = frame.f_back


def of_torch(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(TORCH)


def of_triton(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(TRITON)


def of_the_judge(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(JUDGE)


def prints() -> bool:
    """Whether a tensor is being shown as text."""
    return any(frame.f_code.co_filename == PRINTER for frame in callers())


# ------------------------------------------------------------ what a file replaces


class Snapshot:
    """What stood where before a file was imported: to be taken once the judge itself stands."""

    def __init__(self) -> None:
        judges = [name for name in sorted(sys.modules) if name.startswith("inductor_lab.judge")]
        judges += [
            f"{name}:{one.__name__}"
            for name in judges
            for one in vars(sys.modules[name]).values()
            if _is_its_own(one, name)
        ]
        self._held = {name: _attributes(pkgutil.resolve_name(name)) for name in (*WATCHED, *judges)}

    def changed(self) -> list[str]:
        """One sentence for each attribute that is another one now. Not while a kernel runs: the interpreter itself replaces some for as long."""
        return [f"it replaces {name}" for name in self._names()]

    def _names(self) -> Iterator[str]:
        for place, before in self._held.items():
            after = _found(pkgutil.resolve_name(place))
            for name, (value, code) in before.items():
                now = after.get(name)
                if (code and now.__code__ is not code) if now is value else not _harmless(value, now):
                    yield f"{place.replace(':', '.')}.{name}"


def _is_its_own(thing: Any, module: str) -> bool:
    return inspect.isclass(thing) and thing.__module__ == module


def _attributes(thing: Any) -> dict[str, tuple[Any, CodeType | None]]:
    """Every function, class and property of a module, class or object, with its code, which can be exchanged too."""
    return {
        name: (value, getattr(value, "__code__", None))
        for name, value in _found(thing).items()
        if callable(value) or hasattr(type(value), "__get__")
    }


def _found(thing: Any) -> Mapping[str, Any]:
    """Everything that a module, class or object has by name."""
    if inspect.ismodule(thing):
        return vars(thing)
    classes = reversed((thing if inspect.isclass(thing) else type(thing)).__mro__[:-1])
    found = {name: value for one in classes for name, value in vars(one).items()}  # a subclass's stand for its bases'
    return found if inspect.isclass(thing) else found | getattr(thing, "__dict__", {})


def _harmless(before: Any, after: Any) -> bool:
    """Whether torch only wraps what was there, or the text is one that stands in every ejected file."""
    code = getattr(after, "__code__", None)
    if code is None:
        return False
    wrapped = code.co_filename.startswith(TORCH) and inspect.unwrap(after) is inspect.unwrap(before)
    return wrapped or is_ours(code)


def is_ours(code: CodeType) -> bool:
    """Whether a function's text is the toolkit's own, of the judge or a helper in an ejected file."""
    return _key(code) in _ours()


@cache
def _ours() -> frozenset[Any]:
    """The functions of all texts that an ejected file has from us and that mend the interpreter."""
    texts = sorted((templates_folder() / "helpers").glob("_*.py"))
    return frozenset(
        _key(code)
        for path in texts
        for code in _inside(compile(IMPORTS + path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True))
    )


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


def _key(code: CodeType) -> Any:
    """A function's text, wherever it stands."""
    constants = tuple(_key(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts)
    return code.co_name, code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars
