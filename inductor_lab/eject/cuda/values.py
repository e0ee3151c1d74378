"""Prints values of the tree as C++ expressions and statements, with the tree's order of operations and casts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import reduce

from inductor_lab.computation.folds import Partial
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.operators import TABLE
from inductor_lab.computation.schedule import Access, Assert, Define, Effect
from inductor_lab.computation.tree import (
    Carried,
    Cast,
    Constant,
    Expression,
    Inside,
    Load,
    Operation,
    Position,
    Random,
    Reduction,
    Scan,
    Size,
    joined,
)
from inductor_lab.eject.cuda.code import (
    CHOICE,
    LOGICAL,
    NARROW,
    OF_NAME,
    PREFIX,
    PRODUCT,
    SUM,
    TRUE,
    WIDENED,
    Code,
    binary,
    call,
    choice,
    guarded,
    is_float,
    negative,
    opposite,
    translated,
    unequal,
)
from inductor_lab.eject.cuda.page import Page, library, place_of
from inductor_lab.eject.cuda.threads import held_dtype, under
from inductor_lab.eject.printing.layout import Factor
from inductor_lab.eject.printing.operands import INLINE, parts, used_elsewhere
from inductor_lab.eject.refusal import UnprintableError

Wanted = Callable[[Expression], bool]
PLAIN = (Constant, Size, Position, Inside, Carried, Partial, Reduction)
"""What gets no statement of its own here."""


RANDOM = {
    "rand": "rand_uniform", "randn": "rand_normal", "randint": "rand_bits", "randint64": "rand_between",
    "rand4x": "rand_uniform_4x", "randn4x": "rand_normal_4x",
}  # fmt: skip
"""What the tree calls random numbers -> the function of templates/cuda/helpers/."""


FAST = {"tl_math.exp": "__expf", "tl.exp": "__expf", "libdevice.fast_expf": "__expf"}
"""Functions that Triton computes with the card's own approximation -> CUDA's name for it."""
PREDICATES = frozenset(row.c for row in TABLE.values() if row.predicate and row.c)
"""Functions of <math.h> that have one name for all floats."""


class Statements:
    """What is computed for one element, or for one row: a value behind a name is that name in what is printed next."""

    def __init__(self, page: Page) -> None:
        self.page, self.numbers = page, page.numbers
        self.elsewhere = used_elsewhere(page.found.schedule)
        self.scans: Callable[[Scan], None] | None = None
        """What prints a scan; none where no threads share a row."""
        self.held: dict[Expression, str] = {}
        """What a thread loads once for several sweeps -> the array that keeps it."""
        self.kept: set[Expression] = set()
        """Those of them that were loaded."""

    def of(self, value: Expression, beside: str = "") -> Code:
        """A value's text.

        Args:
            beside: The dtype that a bare number beside another operand takes.

        Raises:
            UnprintableError: a node has no form here.
        """
        if value in self.page.bound:
            return self.page.bound[value]
        match value:
            case Constant():
                return self.numbers.literal(value, beside)
            case Size(name=name):
                return translated(self.page.layout.scalar(name))
            case Position(index=index, dtype=dtype):
                return self._position(index, dtype)
            case Inside():
                return TRUE
            case Load():
                return self.load(value)
            case Cast(operand=operand, dtype=dtype):
                return self._cast(operand, dtype)
            case Operation():
                return self._operation(value, beside)
            case Random():
                return self._random(value)
        raise UnprintableError(f"{_said(value)} is not printed in CUDA C++ yet")

    def _cast(self, operand: Expression, dtype: str) -> Code:
        if isinstance(operand, Constant) and is_float(dtype) and dtype not in WIDENED:
            return self.numbers.literal(operand, dtype)
        return self.numbers.cast(self.of(operand), operand.dtype, dtype)

    def helper(self, name: str, *arguments: Code) -> Code:
        """A call of one of our functions, which then stands above the kernel."""
        self.page.calls(name)
        return call(name, *arguments)

    # ------------------------------------------------------------ operations

    def _operation(self, value: Operation, beside: str) -> Code:
        made = self._by_name(value, value.dtype if value.dtype not in {"int", "float"} else beside or value.dtype)
        if value.dtype in WIDENED and not (value.name in TABLE and TABLE[value.name].picks):
            return self.numbers.cast(made, "float32", value.dtype)
        return call(self.numbers.held(value.dtype), made) if value.dtype in NARROW else made

    def _by_name(self, value: Operation, dtype: str) -> Code:
        name, inputs = value.name, value.inputs
        match name, inputs:
            case "neg", (x,):
                return negative(self.of(x, dtype))
            case "not", (x,):
                return opposite(self.of(x)) if x.dtype == "bool" else Code(f"~{self.of(x).at(PREFIX)}", PREFIX)
            case (("and" | "or" | "xor"), (a, b)) if a.dtype == b.dtype == "bool":
                return LOGICAL[name](self.of(a), self.of(b))
            case "where", (condition, a, b):
                return choice(self._truth(condition), self._typed(a, dtype), self._typed(b, dtype))
            case "bitcast", (x,):
                return self._bitcast(x, dtype)
            case "abs", (x,) if not is_float(x.dtype):
                return call("abs", self.of(x))
        row = TABLE.get(name)
        operands = joined(*inputs) if row is not None and row.predicate else dtype
        if name == "mod" and is_float(operands):
            return self._function("fmod", value, operands)
        if name == "div" and value.spelling.endswith("div_rn") and self.numbers.held(operands) == "float":
            return call("__fdiv_rn", *(self._typed(x, operands) for x in inputs))
        if len(inputs) == 2 and name in OF_NAME and name not in {"pow"}:
            left, right = (self._operand(value, place, operands) for place in range(2))
            return binary(left, OF_NAME[name], right)
        if row is None or not row.c:
            raise UnprintableError(f"the operation {name} is not printed in CUDA C++ yet")
        return self._function(row.c, value, operands)

    def _operand(self, of: Operation, place: int, dtype: str) -> Code:
        """An operand of C++'s own operators; a number by the name of the size that it is."""
        name = self.page.layout.bounds.numbers.get((of, place))
        if name is None:
            return self._typed(of.inputs[place], dtype, loose=True)
        over = name.removeprefix("1 / ")
        if over == name:
            return translated(name)
        return call(self.numbers.held(dtype), binary(Code("1.0"), ("/", PRODUCT), translated(over)))

    def _function(self, name: str, value: Operation, dtype: str) -> Code:
        if name == "1 / {0}":
            one = self.numbers.literal(Constant(dtype, frozenset(), 1.0))
            return binary(one, ("/", PRODUCT), self._typed(value.inputs[0], dtype))
        if name == "{0}":
            return self.of(value.inputs[0], dtype)
        arguments = [self._typed(part, dtype) for part in value.inputs]
        if name in library():
            held = self.numbers.held(dtype)
            return self.helper(name if held in {"float", "double"} else f"{name}<{held}>", *arguments)
        if not is_float(dtype) and name not in PREDICATES and not any(is_float(part.dtype) for part in value.inputs):
            raise UnprintableError(f"{value.name} of whole numbers is not printed in CUDA C++ yet")
        if value.spelling in FAST and self.numbers.held(dtype) == "float":
            return call(FAST[value.spelling], *arguments)
        if name in {"ilogb", "nearbyint"} and not is_float(dtype):
            arguments, dtype = [self.of(part) for part in value.inputs], value.inputs[0].dtype
            return call(self.numbers.held(value.dtype), call(self.numbers.function(name, dtype), *arguments))
        return call(name if name in PREDICATES else self.numbers.function(name, dtype), *arguments)

    def _typed(self, value: Expression, dtype: str, *, loose: bool = False) -> Code:
        """An operand in the dtype of its operation.

        Args:
            loose: True where C++ itself makes both operands of an operator one type, a float beside a whole number.
        """
        text = self.of(value, dtype)
        if isinstance(value, Constant) or dtype in {"", "int", "float"} or value.dtype in {"int", "float", ""}:
            return text
        same = self.numbers.held(value.dtype) == self.numbers.held(dtype)
        if same or (loose and is_float(value.dtype) == is_float(dtype) and value.dtype != "bool"):
            return text
        return self.numbers.cast(text, value.dtype, dtype if dtype not in WIDENED else "float32")

    def _truth(self, condition: Expression) -> Code:
        text = self.of(condition)
        return text if condition.dtype == "bool" else unequal(text, Code("0"))

    def _bitcast(self, operand: Expression, dtype: str) -> Code:
        if operand.dtype in WIDENED or dtype in WIDENED:
            raise UnprintableError("the bits of a half as a whole number are not printed in CUDA C++ yet")
        if is_float(operand.dtype) == is_float(dtype):
            return self.numbers.cast(self.of(operand), operand.dtype, dtype)
        if self.numbers.double:
            raise UnprintableError("bits of a float have no exact form")
        return self.helper(f"bits_as<{self.numbers.held(dtype)}>", self.of(operand))

    def _random(self, value: Random) -> Code:
        """A random number as a call: Triton's Philox, bit for bit."""
        if value.name not in RANDOM:
            raise UnprintableError(f"random numbers by {value.name} are not printed in CUDA C++ yet")
        seed, position, *bounds = value.inputs
        at = self.of(position)
        if value.name.endswith("4x") or position.dtype != "int64":
            at = call("uint32_t", at)
        return self.helper(RANDOM[value.name], self.of(seed), at, *(self.of(bound, "int64") for bound in bounds))

    # ------------------------------------------------------------ memory

    def pointer(self, parameter: str) -> str:
        return f"{self.page.tensors[parameter].name}_ptr"

    def load(self, value: Load) -> Code:
        if value.index is None:
            raise UnprintableError("an address that is no sum of positions")
        dtype = self.page.tensors[value.pointer].type.dtype
        pack = self.page.pack(value)
        place = Code(f"{pack}[k]") if pack else self.place(value.pointer, value.index)
        if pack:
            self.page.packs_read.add(place_of(value))
        read = self.numbers.read(place, dtype)
        if is_float(dtype) and value.dtype != dtype:
            read = self.numbers.cast(read, dtype, value.dtype)
        mask = self.mask(value.mask)
        if mask == TRUE:
            return read
        other = value.other if value.other is not None else Constant(value.dtype, frozenset(), 0)
        if pack and isinstance(other, Constant) and not other.value:
            return read  # nothing was loaded, which is zeros
        return choice(mask, read, self._typed(other, value.dtype))

    def mask(self, mask: Expression | None) -> Code:
        """What must hold beside that the element exists."""
        return TRUE if mask is None else self._truth(mask)

    def place(self, parameter: str, index: Index) -> Code:
        """An element of a tensor."""
        at = self.page.layout.seed(parameter, index) or self.sum(index, parameter).text
        return Code(f"{self.pointer(parameter)}[{at}]")

    def _position(self, index: Index, dtype: str) -> Code:
        made = self.sum(index, "")
        narrow = dtype in {"int", "int32"} or dtype == self.page.layout.position_dtype(index)
        return made if narrow else call(self.numbers.held(dtype), made)

    def sum(self, index: Index, pointer: str) -> Code:
        """An address or a position: what is added first, then what is taken off."""
        parts = [(off, self._product(factors)) for off, factors in self.page.layout.summands(index, pointer)]
        parts.sort(key=lambda part: part[0])
        off, total = parts[0]
        total = negative(total) if off else total
        for taken_off, part in parts[1:]:
            total = binary(total, ("-" if taken_off else "+", SUM), part)
        return total

    def _product(self, factors: Iterable[Factor]) -> Code:
        return reduce(lambda one, other: binary(one, ("*", PRODUCT), other), map(self._factor, factors))

    def _factor(self, factor: Factor) -> Code:
        match factor:
            case Coordinate():
                name = translated(self.page.layout.coordinates.name(factor))
                return self.page.moved.get(factor, name)
            case Expression():
                return self.of(factor)
        return translated(factor)

    def store(self, access: Access, when: str = "") -> None:
        """A store or an atomic addition.

        Args:
            when: What must hold besides; a pack asks where all of it is stored.
        """
        if access.value is None:
            raise UnprintableError(f"{access.kind} of nothing")
        dtype = self.page.tensors[access.pointer].type.dtype
        pack = self.page.pack(access)
        place = Code(f"{pack}[k]") if pack else self.place(access.pointer, access.index)
        value = self.of(access.value, dtype)
        kind = access.value.dtype if access.value.dtype not in {"int", "float"} else dtype
        written = self.numbers.written(value, kind, dtype)
        statement = f"{place.text} = {written.text};"
        if pack:
            self.page.packs_written.add(place_of(access))
            self.page.emit(statement)
            return
        if access.kind != "store":
            statement = self._atomic(access.kind, place, written, dtype)
        self.page.emit(guarded(statement, when, self.mask(access.mask)))

    def _atomic(self, kind: str, place: Code, value: Code, dtype: str) -> str:
        if self.numbers.double and kind == "atomic_add":
            return f"{place.text} += {value.text};"
        if kind != "atomic_add" or dtype in {"bool", *NARROW}:
            raise UnprintableError(f"{kind} of {dtype} is not printed in CUDA C++ yet")
        if dtype in {"int64", "uint64"}:
            word = "unsigned long long"
            return f"atomicAdd(reinterpret_cast<{word}*>(&{place.text}), static_cast<{word}>({value.text}));"
        return f"atomicAdd(&{place.text}, {value.text});"

    # ------------------------------------------------------------ statements

    def element(self, checked: Container[int] = (), wanted: Wanted = lambda _: True) -> list[str]:
        """What is computed for one element.

        Args:
            checked: Lines whose checks were printed before.
            wanted: Whether a value is computed here.
        """
        for step in self.page.found.schedule.steps:
            match step:
                case Define():
                    self.define(step, wanted)
                case Effect(access=access):
                    self.store(access)
                case Assert(check=check):
                    if check.line not in checked:
                        self.check(step)
                case _:
                    raise UnprintableError(f"a {type(step).__name__.lower()} in a kernel that folds nothing")
        return self.page.lines

    def define_all(self, wanted: Wanted) -> None:
        """The values of the whole text that are used and wanted."""
        for step in self.page.found.schedule.steps:
            if isinstance(step, Define):
                self.define(step, wanted)

    def define(self, step: Define, wanted: Wanted = lambda _: True) -> None:
        """The values of a step that are used and wanted."""
        for value in step.values:
            if value in self.page.bound or not self.page.uses[value] or isinstance(value, PLAIN) or not wanted(value):
                continue
            if isinstance(value, Scan):
                if self.scans is None:
                    raise UnprintableError(f"a scan ({value.name}) outside of a row is not printed in CUDA C++ yet")
                self.scans(value)
            elif not self._inlined(value):
                self.bind(value)

    def bind(self, value: Expression) -> str:
        """Give a value a name."""
        code, array = self.of(value), self.held.get(value, "")
        if value in self.kept:
            code = Code(f"HOLDS ? {array}[k] : {code.at(CHOICE)}", CHOICE)
        name = self.page.fresh(self.page.layout.word(value), value)
        self.page.emit(f"const {self.page.numbers.held(held_dtype(value))} {name} = {code.text};")
        self.page.bound[value] = Code(name)
        if array and value not in self.kept:
            self.page.emit(f"if (HOLDS) {array}[k] = {name};")
            self.kept.add(value)
        return name

    def _inlined(self, value: Expression) -> bool:
        """True for what is written where it is used: used once, here, read from no memory, and short."""
        if self.page.uses[value] != 1 or value in self.elsewhere or isinstance(value, (Load, Random)):
            return False
        unnamed = (node for node in under(*parts(value), stop=self.page.bound) if node not in self.page.bound)
        if any(isinstance(node, (Load, Random)) for node in unnamed):
            return False
        return len(self.of(value).text) <= INLINE

    def check(self, step: Assert) -> None:
        """A condition at which the kernel stops where it does not hold."""
        test = self.mask(step.check.condition)
        if test != TRUE and not self.page.numbers.double:
            self.page.emit(f"assert({test.text});")


def _said(value: Expression) -> str:
    name = getattr(value, "name", "") or getattr(value, "text", "")
    kind = type(value).__name__.lower()
    return {"scan": f"a scan ({name})", "unknown": f"`{name[:60]}`"}.get(kind, f"a {kind} ({name})")
