"""The wrapper of one module, asked for spans: which memory each step reads and writes, and what of it lives on behind the last one.

A capture's module and one of a model that runs are read alike, so that a span of the one is found in the other by its hash.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from inductor_lab.aten import VIEWS
from inductor_lab.computation import launched
from inductor_lab.costs.library import ODD
from inductor_lab.errors import LabError
from inductor_lab.read.kernel import parameters
from inductor_lab.read.module import Module
from inductor_lab.read.types import sizes
from inductor_lab.read.wrapper import IN_PLACE, SCRATCH, Function, Passed, View, WrapperStep
from inductor_lab.records import Argument, Kernel, SizeLike, TensorType
from inductor_lab.records.size import Size, product
from inductor_lab.records.span import Span, SpanArgument, SpanStep, SpanTensor

LIBRARY = re.compile(r"extern_kernels\.\w+|(torch\.ops\.)?(aten|prims|inductor_prims)\.\w+(\.\w+)?|torch\._scaled_mm")
"""Functions of which is known what they write: `out=`, or their first argument where the name ends in `_`."""
DRAWS = re.compile(r"\b(native_dropout|rand|seed|bernoulli|multinomial|normal|uniform|dropout)")
DROPS = re.compile(r"0\.\d*[1-9]\d*|1\.0")
"""What a fused attention is passed that drops some of its weights."""
COLLECTIVE = re.compile(r"_c10d|all_reduce|all_gather|reduce_scatter|wait_tensor|all_to_all|broadcast_")
SYMBOL = re.compile(r"(s|u|ks|ps|zf|zuf)\d+|(arg|primals_)\d+(_1)?")
"""A size that is no number: the compiler's symbol, or the graph's input that holds it."""
AS_FIRST = re.compile(
    r"\.(convolution|convolution_backward|mm|bmm|addmm|max_pool\w*|avg_pool\w*|_adaptive_avg_pool\w*|_scaled_dot_product_\w+|_thnn_fused_\w+)(\.|$)"
)
"""Functions whose results have the dtype of their first argument, but for those that `costs.library` knows to be odd."""


@dataclass(frozen=True)
class Access:
    """A step's use of a memory."""

    base: str
    view: View
    reads: bool
    writes: bool
    by: WrapperStep
    parameter: str = ""
    """The kernel's, of a launch."""


class SpanWrapper:
    """A module's functions, asked by the lines of their steps."""

    def __init__(self, module: Module, kernels: Mapping[str, Kernel]) -> None:
        """Args:
            kernels: By the module's names for them.

        Raises:
            LabError: the module's text is no Python.
        """
        if module.broken:
            raise LabError(f"its module is no Python wrapper: {module.broken}")
        self.functions = [SpanFunction(function, kernels) for function in module.functions if function.steps]

    def span(self, lines: tuple[int, int]) -> Span:
        """The span from one line to another, both those of steps; its names are left empty.

        Raises:
            LabError: it is none, in a sentence that names the barrier.
        """
        for function in self.functions:
            inside = [n for n, step in enumerate(function.steps) if lines[0] <= step.line <= lines[1]]
            if inside and (function.steps[inside[0]].line, function.steps[inside[-1]].line) == lines:
                return function.span(inside[0], inside[-1])
        if any(step.line in lines for function in self.functions for step in function.steps):
            raise LabError(
                "it begins in one partition of the graph and ends in another, which may be a CUDA graph of its own"
            )
        raise LabError(f"lines {lines[0]} to {lines[1]} of its module are no steps of the wrapper's")

    def unread(self, line: int) -> frozenset[str]:
        """The parameters of a launch that it writes, and of which nobody behind it reads what it wrote; what is in doubt is none.

        Args:
            line: Of the launch.
        """
        places = ((one, at) for one in self.functions for at, step in enumerate(one.steps) if step.line == line)
        function, place = next(places, (None, 0))
        return function.unread(place) if function else frozenset()


class SpanFunction:
    """One function of a module: what each of its steps does to memories."""

    def __init__(self, function: Function, kernels: Mapping[str, Kernel]) -> None:
        """Args:
        kernels: By the module's names for them.
        """
        self.function, self.kernels = function, kernels
        self.steps = function.steps
        self._filled: dict[tuple[str, str, tuple[tuple[str, str], ...]], int | str | None] = {}

    def unread(self, place: int) -> frozenset[str]:
        """As of `SpanWrapper.unread`, of the launch at a place among the steps."""
        behind = self.accesses[place + 1 :]
        own = [a for a in self.accesses[place] if a.parameter and not a.base.startswith(SCRATCH)]
        read = {one.base for one in own if one.writes and self._live(one.base, behind)}
        return frozenset(one.parameter for one in own if one.writes and one.base not in read)

    @cached_property
    def returned(self) -> set[str]:
        """The memories that it returns."""
        return {self._root(View(name)).base for name in self.function.returned}

    # ---- what each step does

    def span(self, first: int, last: int) -> Span:
        """The span from one step to another, both by their places.

        Raises:
            LabError: it is none.
        """
        inside = self.steps[first : last + 1]
        for step in inside:
            if why := self.refused(step):
                raise LabError(f"line {step.line} is a barrier: {why}")
        if not any(step.launch for step in inside):
            raise LabError("it holds library calls alone, and no generated kernel")
        tensors = list(self._tensors(first, last))
        if not any(tensor.role in ("out", "inout") and not tensor.unread for tensor in tensors):
            raise LabError("nobody behind it reads anything that it writes")
        steps = tuple(self._step(step) for step in inside)
        return Span("", "", "", first, last, steps, tuple(tensors), self._hash(inside, steps, tensors))

    def refused(self, step: WrapperStep) -> str:
        """Why a step can be in no span; empty where it can."""
        if step.barrier:
            return step.barrier
        if step.launch and (shared := {passed.text for passed in step.arguments} & self.function.folded):
            return f"it leaves parts of sums in {min(shared)}, which is folded behind it"
        if step.launch:
            return "" if step.function in self.kernels else f"`{step.function}` is launched, whose text is not known"
        if COLLECTIVE.search(step.function):
            return f"`{step.function}` waits for other ranks"
        if not LIBRARY.fullmatch(step.function):
            return f"nobody knows what `{step.function}` writes"
        if "_scaled_dot_product" in step.function and any(
            DROPS.fullmatch(one.text) and one.name != "scale" for one in step.arguments
        ):
            return f"`{step.function}` drops by random numbers that only a card draws"
        if DRAWS.search(step.function) and "backward" not in step.function:
            return f"`{step.function}` draws random numbers; begin behind it"
        words = step.function.removeprefix("torch.ops.").split(".")
        if step.target and len(words) > 1 and words[1] in VIEWS:
            return f"`{step.function}` gives a view of its argument"
        return ""

    @cached_property
    def accesses(self) -> list[list[Access]]:
        """What each step accesses."""
        found = self._as_named
        return [[replace(a, base=(v := self._root(a.view)).base, view=v) for a in of] for of in found]

    @cached_property
    def _as_named(self) -> list[list[Access]]:
        """The same by the variables that are passed."""
        return [list(self._accessed(step)) for step in self.steps]

    def _accessed(self, step: WrapperStep) -> Iterator[Access]:
        if step.launch and step.function in self.kernels:
            for passed, parameter in self._parameters(step):
                if passed.view and parameter and parameter.pointer:
                    reads = parameter.role != "out" or parameter.untouched
                    writes = parameter.role in ("out", "inout")
                    yield Access(passed.view.base, passed.view, reads, writes, step, parameter.name)
            return
        changes = bool(IN_PLACE.match(step.function)) or not LIBRARY.fullmatch(step.function)
        for place, passed in enumerate(step.arguments):
            for view in [passed.view] if passed.view else map(View, _variables(passed.text)):
                out = passed.name == "out"
                yield Access(view.base, view, not out, out or (changes and (place == 0 or bool(step.barrier))), step)
        made = list(step.parts.values()) or ([step.target] if step.target else [])
        for name in made:
            yield Access(name, View(name), False, True, step)

    def _parameters(self, step: WrapperStep) -> list[tuple[Passed, Argument | None]]:
        found = parameters(self.kernels[step.function], [passed.name for passed in step.arguments])
        return list(zip(step.arguments, found, strict=True))

    @cached_property
    def _same(self) -> dict[str, View]:
        """Variables that have the memory of a used one, and what is in it: what is read first was there before."""
        found: dict[str, View] = {}
        begun: dict[str, bool] = {}
        for of in self._as_named:
            for one in of:
                begun[one.base] = begun.get(one.base, False) or (one.reads and one.base not in begun)
        for name, view in self.function.renewed.items():
            if begun.get(name, True):  # nobody looks into it before it goes on, or it is returned
                found[name] = view
        return found

    def _root(self, view: View) -> View:
        """A view of the memory that it lies in first, through variables that took it over with what was in it."""
        while view.base in self._same:
            under = self._same[view.base]
            if not view.shape:
                view = under
            else:
                offset = view.offset if under.offset == "0" else f"{under.offset} + {view.offset}"
                view = View(under.base, view.shape, view.stride, str(_summed(offset)))
        return view

    # ---- the memory of a span

    def _tensors(self, first: int, last: int) -> Iterator[SpanTensor]:
        function, accesses, inside = self.function, self.accesses, self.steps[first : last + 1]
        seen: dict[str, list[Access]] = {}
        for of in accesses[first : last + 1]:
            for one in of:
                seen.setdefault(one.base, []).append(one)
        before = {one.base for of in accesses[:first] for one in of}
        for base, used in seen.items():
            type_ = self.type_of(base)
            given = base in function.given
            fresh = not given and base not in before
            size = _elements(type_.shape)
            whole, parts, needed = False, set[View](), False
            for one in used:
                needed = needed or (one.reads and not whole)
                if one.writes and self._fills(one, size):
                    parts.add(one.view)
                    whole = whole or _covered(parts, size)
            written = any(one.writes for one in used)
            live = written and self._live(base, accesses[last + 1 :])
            made = any(base in (step.target, *step.parts.values()) for step in inside)
            state = any(base == one and _is_state(step, part) for step in inside for part, one in step.parts.items())
            if not written:
                role = "in"
            elif fresh and not live:
                role = "inner"
            else:
                role = "out" if whole and (fresh or not needed) else "inout"
            unread = role in ("out", "inout") and (state or not live)
            storage = self._root(function.renewed[base]).base if base in function.renewed else ""
            yield SpanTensor(base, type_, role, unread, storage if storage in seen else "", made)

    def _live(self, base: str, behind: Sequence[Sequence[Access]]) -> bool:
        """Whether what is in a memory goes out of a function, or a later step reads it before something else is in it."""
        function = self.function
        given_up = {view.base for view in function.renewed.values()}  # by the caller: of a backward's saved tensors
        if base in self.returned or (base in function.given and base not in given_up):
            return True
        type_ = function.types.get(base)
        size = _elements(type_.shape) if type_ else Size(0)
        for of in behind:
            here = [one for one in of if one.base == base]
            if any(one.reads for one in here):
                return True
            if any(one.writes and _covered({one.view}, size) and self._fills(one, size) for one in here):
                return False
        return False

    def _fills(self, write: Access, size: Size) -> bool:
        """Whether a step writes all of the view that it is passed of a memory: no diagonal of it, and not where data points."""
        kernel = self.kernels.get(write.by.function) if write.by.launch else None
        if kernel is None or kernel.category == "template":
            return True
        passed = tuple((parameter.name, told.text) for told, parameter in self._parameters(write.by) if parameter)
        key = write.by.function, write.parameter, passed
        if key not in self._filled:  # of a cooperative reduction what its program would store if it were alone
            try:
                self._filled[key] = launched(kernel, passed, alone=True).filled(write.parameter)
            except ValueError:
                self._filled[key] = None
        found = self._filled[key]
        return found is not None and Size.of(found) == (
            _elements(sizes(write.view.shape[1:-1])) if write.view.shape else size
        )

    def type_of(self, base: str) -> TensorType:
        """A memory as it was made; a dtype that the wrapper does not tell is that of a kernel's pointer to it.

        Raises:
            LabError: it is not told.
        """
        type_ = self.function.types.get(base)
        if type_ is None:
            raise LabError(f"the module does not tell the shape of {base}")
        if type_.dtype and re.fullmatch(r"[a-z]\w*", type_.dtype):
            return type_
        if base in self._dtypes:
            return replace(type_, dtype=self._dtypes[base])
        if base in (renewed := self.function.renewed):  # memory is used again for the same dtype
            return replace(type_, dtype=self.type_of(renewed[base].base).dtype)
        raise LabError(f"the module does not tell the dtype of {base}")

    @cached_property
    def _dtypes(self) -> dict[str, str]:
        return dict(self._pointed())

    def _pointed(self) -> Iterator[tuple[str, str]]:
        """Memories, and what kernels take them for, or the library call that makes them has."""
        found: dict[str, str] = {}
        for step in reversed(self.steps):
            for passed, parameter in self._parameters(step) if step.launch and step.function in self.kernels else ():
                if passed.view and parameter and parameter.pointer:
                    found[self._root(passed.view).base] = parameter.dtype
        yield from found.items()
        for step in self.steps:
            if AS_FIRST.search(step.function):
                first = next(self._root(passed.view).base for passed in step.arguments if passed.view)
                told = self.function.types.get(first)
                dtype = found.get(first) or (told.dtype if told else "")
                odd = {one: ODD.get((step.function.split(".")[-2], str(part))) for part, one in step.parts.items()}
                made = {one: odd.get(one) or dtype for one in (step.target, *step.parts.values()) if one not in found}
                found |= made
                yield from ((one, dtype) for one, dtype in made.items() if one and dtype)

    # ---- how it is told

    def _step(self, step: WrapperStep) -> SpanStep:
        if step.launch:
            pairs = [(parameter.name, passed) for passed, parameter in self._parameters(step) if parameter]
        else:
            pairs = [(passed.name, passed) for passed in step.arguments]
        arguments = tuple(
            SpanArgument(name, self._root(passed.view).text if passed.view else passed.text)
            for name, passed in pairs
            if not passed.text.startswith(SCRATCH)
        )
        last = max(step.parts, default=-1)
        results = tuple(step.parts.get(part, "") for part in range(last + 1)) or ((step.target,) if step.target else ())
        id_ = (self.kernels[step.function].id or step.function) if step.launch else ""
        return SpanStep(step.line, id_, "" if step.launch else step.function, arguments, results, bool(step.parts))

    def _hash(self, inside: Sequence[WrapperStep], steps: Sequence[SpanStep], tensors: Sequence[SpanTensor]) -> str:
        numbers = {tensor.name: f"t{number}" for number, tensor in enumerate(tensors)}
        symbols: dict[str, str] = {}

        def named(name: str) -> str:
            if name in numbers:  # whether the graph is given it or has made it
                return numbers[name]
            if SYMBOL.fullmatch(name):  # another process, or another graph, may count them otherwise
                return symbols.setdefault(name, f"z{len(symbols)}")
            return name

        def told(text: str) -> str:
            return re.sub(r"\b[A-Za-z_]\w*\b", lambda found: named(found[0]), text)

        document = [
            [
                self.kernels[step.function].body_sha256 if step.launch else step.function,
                [[argument.name, told(argument.value)] for argument in said.arguments],
                [numbers.get(name, "") for name in said.results],
            ]
            for step, said in zip(inside, steps, strict=True)
        ]
        types = [
            [t.role, t.unread, t.type.dtype, *([told(str(n)) for n in one] for one in (t.type.shape, t.type.stride))]
            for t in tensors
        ]
        return hashlib.sha256(json.dumps([document, types]).encode()).hexdigest()


def _is_state(step: WrapperStep, part: int) -> bool:
    """Whether a part of a result is the state of random numbers of an attention that draws none: handed on, and read by nobody."""
    return "attention" in step.function and ODD.get((step.function.split(".")[-2], str(part))) == "int64"


def _summed(text: str) -> str:
    """`16 + 32` is `48`; what holds symbols stays."""
    parts = text.split(" + ")
    return str(sum(map(int, parts))) if all(part.isdecimal() for part in parts) else text


def _variables(text: str) -> list[str]:
    """Tensors among what a library call is passed in a list: `[buf3, buf4]`."""
    return re.findall(r"\b(?:buf|arg|primals_|tangents_)\w*\b", text)


@lru_cache(maxsize=4096)
def _elements(shape: tuple[SizeLike, ...]) -> Size:
    """How many elements there are: 32 times s77 of `(s77, 4, 8)`."""
    return product(map(Size.of, shape))


def _covered(parts: set[View], size: Size) -> bool:
    """Whether parts that do not overlap, as a concatenation's, are all of a memory."""
    if any(not part.shape for part in parts):
        return True
    counts = [_elements(sizes(part.shape[1:-1])) for part in parts]
    if size in counts:
        return True
    return size.is_number and all(one.is_number for one in counts) and sum(one.number for one in counts) == size.number
