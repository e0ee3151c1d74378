"""Addresses counted by running a kernel's own text, and nothing of its tree: one program that holds the whole launch.

    tmp0 = tl.load(in_ptr0 + (x0 % 64), xmask, other=0.0)   ->   Touched(9, "in_ptr0", "load", 0 1 2 ... 63 0 1 2 ..., all, "0.0")

Every block is as long as its axis, every loop has one turn, each arm of `if pid < ...` is run. What the words of Triton mean for whole
numbers is said here once more, in numpy; floats that are loaded have a shape and no value, integers are drawn from their address.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inductor_lab.costs.hints import hinted
from inductor_lab.records import Kernel

MOST = 1 << 15
"""Elements of a launch that is run whole; a larger one is cut."""
WIDTHS = {
    "fp16": 2, "bf16": 2, "fp32": 4, "fp64": 8, "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8,
    "fp8e4nv": 1, "fp8e5": 1, "fp8e4b8": 1, "fp8e5b16": 1,
}  # fmt: skip
DRAWN = 1000
"""Integers that are loaded are below this."""


class UncountedError(Exception):
    """Why a kernel is not run."""


# Values


class Tile:
    """A value of every lane: its numbers, or only its shape where they are not known."""

    def __init__(self, data: Any, shape: tuple[int, ...] | None = None, of: frozenset[Touched] = frozenset()) -> None:
        self.data = None if data is None else np.asarray(data)
        self.shape = self.data.shape if self.data is not None else shape or ()
        self.of = of
        """The loads that it is made of, each lane of one lane: until it meets a larger tile."""

    def meets(self, shape: tuple[int, ...]) -> None:
        """It is used in a tile of this shape."""
        for load in self.of:
            try:
                load.met = None if load.met is None else np.broadcast_shapes(load.met, shape)
            except ValueError:  # it was reshaped
                load.met = None

    def changed(self, change: Callable[[np.ndarray], np.ndarray]) -> Tile:
        """Its lanes in another shape, those of what a descriptor has brought as well."""
        shape = change(np.broadcast_to(np.int8(0), self.shape)).shape
        for load in self.of:
            if load.shape == load.met == self.shape:
                load.shape = load.met = shape
                load.addresses, load.mask = (
                    None if held is None else change(held) for held in (load.addresses, load.mask)
                )
            elif shape != self.shape:
                load.met = None
        return Tile(None if self.data is None else change(self.data), shape, self.of)

    def __getitem__(self, place: Any) -> Tile:
        return self.changed(lambda held: held[place])

    @property
    def dtype(self) -> str:
        return "float32" if self.data is None or self.data.dtype.kind == "f" else "int64"

    def to(self, dtype: Any, *_: Any, bitcast: bool = False, **__: Any) -> Tile:
        if bitcast:
            return Tile(None, self.shape, self.of)
        if self.data is None or not isinstance(dtype, str):
            return self
        kind = np.bool_ if dtype == "int1" else np.int64 if "int" in dtype else np.float32
        with np.errstate(all="ignore"):
            return Tile(self.data.astype(kind), of=self.of)

    def broadcast_to(self, *shape: Any) -> Tile:
        return repeated(self, *shape)

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        if self.data is None or self.data.size != 1:
            raise UncountedError("a condition that the data decides")
        return bool(self.data)

    def __index__(self) -> int:
        return int(bool(self) and self.data)  # type: ignore[arg-type]


def lanes(function: Callable[..., Any] | None, *given: Any) -> Tile:
    """An operation element by element."""
    tiles = [
        one if isinstance(one, Tile) else Tile(one if isinstance(one, (bool, int, float)) else None) for one in given
    ]
    shape = np.broadcast_shapes(*(tile.shape for tile in tiles))
    for tile in tiles:
        tile.meets(shape)
    of = frozenset(load for tile in tiles for load in tile.of)
    if function is None or any(tile.data is None for tile in tiles):
        return Tile(None, shape, of)
    with np.errstate(all="ignore"):
        return Tile(function(*(tile.data for tile in tiles)), of=of)


def quotient(left: Any, right: Any) -> Any:
    """Of whole numbers as C has it: towards 0."""
    whole = np.abs(left) // np.maximum(np.abs(right), 1)
    return np.where((left < 0) ^ (right < 0), -whole, whole)


for _name, _function in {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "floordiv": quotient, "mod": np.fmod,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "lshift": operator.lshift, "rshift": operator.rshift, "pow": np.power,
}.items():  # fmt: skip
    setattr(Tile, f"__{_name}__", lambda self, other, by=_function: lanes(by, self, other))
    setattr(Tile, f"__r{_name}__", lambda self, other, by=_function: lanes(by, other, self))
for _function in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    setattr(Tile, f"__{_function.__name__}__", lambda self, other, by=_function: lanes(by, self, other))
for _name, _function in {"neg": operator.neg, "invert": operator.invert}.items():
    setattr(Tile, f"__{_name}__", lambda self, by=_function: lanes(by, self))


@dataclass(frozen=True)
class Pointer:
    """An argument, and how far behind its beginning."""

    name: str
    offset: Tile = field(default_factory=lambda: Tile(0))

    def __add__(self, offset: Any) -> Pointer:
        return Pointer(self.name, lanes(operator.add, self.offset, offset))

    def to(self, *_: Any, **__: Any) -> Pointer:
        return replace(self, name=f"{self.name} as another type")


@dataclass(frozen=True)
class Block:
    """A block pointer or a descriptor."""

    base: Pointer
    shape: list[Any]
    strides: list[Any]
    block: list[int]
    offsets: list[Any]
    run: Run

    def at(self, offsets: list[Any]) -> tuple[Pointer, Tile]:
        """Where its lanes are, and which of them are inside the tensor."""
        address, inside, rank = self.base, Tile(True), len(self.block)
        for place, (size, stride, length, first) in enumerate(
            zip(self.shape, self.strides, self.block, offsets, strict=True)
        ):
            along = lanes(
                operator.add, Tile(np.arange(length).reshape([-1 if p == place else 1 for p in range(rank)])), first
            )
            address, inside = address + along * stride, inside & (along < size)
        return address, inside

    def load(self, offsets: list[Any]) -> Tile:
        return self.run.touch("load", *self.at(offsets), "0")

    def store(self, offsets: list[Any], value: Any) -> None:
        self.run.touch("store", *self.at(offsets), None, value)


@dataclass(eq=False)
class Touched:
    """One access of a whole launch."""

    line: int
    pointer: str
    kind: str
    addresses: np.ndarray | None
    """In elements, one for each lane; None where floats decide them."""
    mask: np.ndarray | None
    """None where data decides it."""
    shape: tuple[int, ...]
    other: str | None
    """What the text gives for masked lanes."""
    dims: Mapping[str, int]
    """The dimension of the tile that each axis has."""
    tile: tuple[int, ...]
    """All of the launch, or of the job."""
    drawn: bool = False
    """Whether integers that were loaded decide the address."""
    looped: bool = False
    """Whether it stands in a loop."""
    met: tuple[int, ...] | None = None
    """The shape of the tile that uses what was loaded; None where that is not known."""

    def __post_init__(self) -> None:
        self.met = self.shape


# Words of Triton


class Word:
    """`tl.maximum`, `libdevice.floor`, `tl.int32`: by its last part, whatever it is looked up in."""

    def __init__(self, run: Run, name: str) -> None:
        self.run, self.name = run, name

    def __getattr__(self, name: str) -> Word | str:
        return sys.intern(name) if re.fullmatch(r"(u?int|b?float)\d+\w*", name) else Word(self.run, name)

    def __call__(self, *given: Any, **named: Any) -> Any:
        if self.name in {"load", "store"} or self.name.startswith("atomic_"):
            return self.run.access(self.name, *given, **named)
        if self.name in self.run.words:
            return self.run.words[self.name](self.run, *given, **named)
        if self.name in CALLS:
            return CALLS[self.name](*given, **named)
        if self.name in ELEMENTWISE:
            return lanes(ELEMENTWISE[self.name], *given)
        if self.name in {"make_block_ptr", "make_tensor_descriptor"}:
            base, shape, strides = (*given, *(named[k] for k in ("base", "shape", "strides")[len(given) :]))
            return Block(base, shape, strides, named["block_shape"], named.get("offsets", []), self.run)
        tiles = [one for one in given if isinstance(one, Tile)]
        if self.name == "bucketize_binary_search":
            return self.run.touch("load", given[1] + Tile(None, given[0].shape), None, None)
        folds = re.search(
            r"reduce|sum|prod|any|max2|min2|argm|(max|min)_with_(first_)?index|welford|combine", self.name
        )
        dimension = next((one for one in reversed(given) if type(one) is int), None)
        if folds and tiles and dimension is not None and dimension < len(tiles[0].shape) - self.run.scalar_rows:
            return folded(tiles[0], dimension + self.run.scalar_rows, keep=self.run.scalar_rows > 0)
        return lanes(None, *tiles) if tiles else Tile(None)


def folded(tile: Tile, dimension: int, *, keep: bool) -> Tile:
    shape = [1 if place == dimension else size for place, size in enumerate(tile.shape) if keep or place != dimension]
    return Tile(None, tuple(shape))


def repeated(tile: Any, *shape: Any) -> Tile:
    sizes = numbers(shape)
    return lanes(
        lambda value, like: np.broadcast_to(value, np.broadcast_shapes(value.shape, like.shape)),
        tile,
        Tile(np.zeros(sizes, np.int8)),
    )


def once(address: Tile, shape: tuple[int, ...]) -> Tile:
    """An address without the dimensions that it is repeated over, and nothing else has: a block of lanes that store one element."""
    data = address.data
    for place, size in enumerate(shape if data is not None and data.ndim == len(shape) else ()):
        if size == 1 and (data == data.take([0], place)).all():  # type: ignore[union-attr]
            data = data.take([0], place)  # type: ignore[union-attr]
    return address if data is None else Tile(data, of=address.of)


def numbers(given: tuple[Any, ...]) -> tuple[int, ...]:
    """`[8, 64]` or `8, 64`."""
    return tuple(given[0]) if given and isinstance(given[0], (list, tuple)) else given


def reshaped(tile: Tile, *shape: Any) -> Tile:
    return tile.changed(lambda held: held.reshape(numbers(shape)))


def turned(tile: Tile, *order: Any) -> Tile:
    return tile.changed(lambda held: held.transpose(numbers(order) or None))


def selected(condition: Any, one: Any, other: Any) -> Tile:
    return lanes(np.where, condition, one, other)


CALLS: dict[str, Callable[..., Any]] = {
    "program_id": lambda axis: 0,
    "num_programs": lambda axis: 1,
    "arange": lambda low, high: Tile(np.arange(low, high)),
    "full": lambda shape, value, dtype=None: repeated(value, shape),
    "zeros": lambda shape, dtype=None: Tile(np.zeros(shape, np.int64)),
    "broadcast_to": repeated,
    "reshape": reshaped,
    "view": reshaped,
    "trans": turned,
    "permute": turned,
    "where": selected,
    "to": lambda *given, **named: cast(*given, **named),
    "cdiv": lambda number, by: -(-number // by) if isinstance(by, int) else 0,  # of jobs: each has its own block
    "constexpr_next_power_of_2": lambda number: 1 << (number - 1).bit_length(),
    "if_mask": lambda mask, value: value,
    "min": min,
    "float": float,
    **dict.fromkeys(("device_assert", "static_assert", "debug_barrier", "assume", "x_grid_barrier"), lambda *_: None),
    **dict.fromkeys(("max_contiguous", "multiple_of"), lambda tile, *_: tile),
    "div_floor_integer": lambda a, b: lanes(lambda a, b: a // np.where(b == 0, 1, b), a, b),
    "remainder_integer": lambda a, b: lanes(lambda a, b: a % np.where(b == 0, 1, b), a, b),
    "promote_to_tensor": lambda tile: tile,
}  # fmt: skip
ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "maximum": np.maximum, "minimum": np.minimum, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "nearbyint": np.rint, "rint": np.rint,
}  # fmt: skip


# A run


class Names(dict[str, Any]):
    """What the names of a body hold. Blocks are as long as their axes; a name that nobody has set is a word of Triton."""

    run: Run

    def __missing__(self, name: str) -> Any:
        if block := re.fullmatch(r"([XYZ]|R\d?_?)BLOCK\w*", name):
            return self[f"{block[1].lower()}numel"]
        if name in {"RSPLIT", "NUM_STAGES"}:
            return 1
        if name == "RSPLIT_SIZE":
            return self["xnumel"]
        return Word(self.run, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if not re.fullmatch(r"([XYZ]|R\d?_?)BLOCK\w*", name):
            super().__setitem__(name, value)


class Run:
    """Statements in order, for all lanes of a launch at once."""

    words: Mapping[str, Callable[..., Any]] = {}
    """What more words mean, for those who want more than addresses."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.touched: list[Touched] = []
        self.names = Names()
        self.names.run = self
        self.looped = False
        self.scalar_rows = 0
        """1 where a program has a row, and the tile no dimension for it: rows are then in front."""
        passed = {argument.name: argument.value for argument in kernel.launches[0].arguments}
        for argument in kernel.arguments:
            if argument.pointer:
                self.names[argument.name] = Pointer(argument.name)
            elif argument.role == "size":
                text = passed.get(argument.name, "")
                self.names[argument.name] = int(text) if re.fullmatch(r"-?\d+", text) else Tile(None)

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            match statement:
                case ast.If(test=test, body=body, orelse=orelse) if re.search(r"\bx?pid\b", ast.unparse(test)):
                    self.job(body)
                    self.job(orelse)
                case ast.If(test=test, body=body, orelse=orelse):
                    self.statements(body if self.value(test) else orelse)
                case ast.For(target=ast.Name(id=name), body=body):
                    self.names[name], self.looped = 0, True
                    self.statements(body)
                    self.looped = False
                case ast.Assign(targets=[ast.Name(id=name)]) if re.fullmatch(r"([xyz]|r\d?_?)offset", name):
                    self.names[name] = self.offset(name)
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=value):
                    found = self.value(value)
                    several = found if isinstance(found, tuple) else (found,) * len(names)
                    self.names.update({ast.unparse(name): one for name, one in zip(names, several, strict=True)})
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self.names[name] = self.value(value)
                case ast.While():
                    raise UncountedError("a loop whose turns the data decides")
                case _:
                    code = compile(ast.Module([Casts().visit(statement)], []), "<kernel>", "exec")
                    exec(code, {"__builtins__": {}}, self.names)

    def job(self, body: list[ast.stmt]) -> None:
        """One of several kernels side by side: an arm with sizes of its own."""
        outer = self.names
        self.names = Names(outer)
        self.names.run = self
        bound = re.search(r"\bxindex < (\w+)", "\n".join(map(ast.unparse, body)))
        if bound and bound[1] in self.names:
            self.names["xnumel"] = self.names[bound[1]]
        self.statements(body)
        self.names = outer

    def offset(self, name: str) -> Any:
        """Where the only block begins; of a program a row, all rows in front of the tile."""
        prefix = name.removesuffix("offset")
        if not re.search(rf"^\s*{prefix}index = tl\.full\(\[1\], {name}", self.kernel.body, re.MULTILINE):
            return 0
        self.scalar_rows = 1
        return Tile(np.arange(self.names[f"{prefix}numel"])[:, None])

    def value(self, node: ast.expr) -> Any:
        code = compile(ast.Expression(Casts().visit(node)), "<kernel>", "eval")
        return eval(code, {"__builtins__": {}}, self.names)

    def access(self, kind: str, pointer: Any, *given: Any, **named: Any) -> Any:
        value, given = (None, given) if kind == "load" else (given[0], given[1:])
        mask = named.get("mask", given[0] if given else None)
        if isinstance(pointer, Block):
            address, inside = pointer.at(pointer.offsets)
            return self.touch(kind, address, inside, "0" if kind == "load" else None, value)
        if not isinstance(pointer, Pointer):
            raise UncountedError("an access through what is no pointer of the launch")
        other = named.get("other")
        return self.touch(kind, pointer, mask, None if other is None else str(float(other)), value)

    def touch(self, kind: str, pointer: Pointer, mask: Any, other: str | None, value: Any = None) -> Any:
        masked = mask if isinstance(mask, Tile) else Tile(True)
        held = [one for one in (value,) if isinstance(one, Tile)]
        if kind == "store" and held:
            pointer = replace(pointer, offset=once(pointer.offset, np.broadcast_shapes(masked.shape, held[0].shape)))
        whole = lanes(None, pointer.offset, masked, *held)
        seen = pointer.offset.data
        inside = masked.data
        frame = sys._getframe(1)
        while frame.f_code.co_filename != "<kernel>" and frame.f_back:
            frame = frame.f_back
        found = Touched(
            frame.f_lineno, pointer.name, kind,
            None if seen is None else np.broadcast_to(seen, whole.shape),
            None if inside is None else np.broadcast_to(inside, whole.shape),
            whole.shape, other, self.dims(), self.tile(), self.drawn(pointer.offset), self.looped,
        )  # fmt: skip
        self.touched.append(found)
        if kind == "store":
            return None
        loaded = None
        if seen is not None and self.integer(pointer.name):
            loaded = ((found.addresses + 11) * 2654435761 >> 9) % DRAWN  # type: ignore[operator]
        return Tile(loaded, whole.shape, frozenset({found}) | pointer.offset.of)

    def drawn(self, offset: Tile) -> bool:
        return bool(offset.of)

    def integer(self, pointer: str) -> bool:
        return letters(self.kernel, pointer)[:1] in {"i", "u"} and letters(self.kernel, pointer) != "i1"

    def dims(self) -> dict[str, int]:
        """The dimension of each axis that is longer than one."""
        found = {}
        for name, held in self.names.items():
            if (axis := re.fullmatch(r"([xyz]|r\d?_?)(index|base)", name)) and isinstance(held, Tile):
                long = [place for place, size in enumerate(held.shape) if size > 1]
                if len(long) == 1:
                    found[axis[1]] = long[0] - len(held.shape)
        return {
            axis: place for axis, place in found.items() if axis != "r" or not any(a in found for a in ("r0_", "r1_"))
        }

    def tile(self) -> tuple[int, ...]:
        held = [
            v
            for n, v in self.names.items()
            if re.fullmatch(r"([xyz]|r\d_)(index|base)|rindex", n) and isinstance(v, Tile)
        ]
        return np.broadcast_shapes(*(tile.shape for tile in held)) if held else ()


class Casts(ast.NodeTransformer):
    """`ks0.to(tl.float32)`, where `ks0` is a bare number: `to(ks0, tl.float32)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=value, attr="to"):
                function = ast.copy_location(ast.Name("to", ast.Load()), node)
                return ast.copy_location(ast.Call(function, [value, *node.args], node.keywords), node)
        return node


def cast(value: Any, *given: Any, **named: Any) -> Any:
    return (Tile(value) if isinstance(value, (bool, int, float)) else value).to(*given, **named)


def letters(kernel: Kernel, pointer: str) -> str:
    """What the signature says of a pointer, `bf16`."""
    if named := re.search(rf"['\"]{pointer}['\"]: ['\"]\*(\w+)", kernel.text):
        return named[1]
    place = next((place for place, argument in enumerate(kernel.arguments) if argument.name == pointer), -1)
    numbered = re.search(rf"signature['\"]?[:=] ?\{{[^}}]*\b{place}: ['\"]\*(\w+)", kernel.text)
    return numbered[1] if numbered else ""


def run(kernel: Kernel, started: Run | None = None) -> list[Touched]:
    """Every access of the first launch.

    Args:
        started: Who runs it, where that is more than a run.

    Raises:
        UncountedError: it can not be run so; the message says why.
    """
    if kernel.category in {"template", "user_autotune"}:
        raise UncountedError("a template or a user's own kernel, not in Inductor's frame")
    started = started or Run(kernel)
    try:
        started.statements(ast.parse(kernel.body).body)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
        raise UncountedError(f"the stand-in does not run it: {error}") from error
    return started.touched


# Small launches


def small(kernel: Kernel) -> Kernel:
    """The kernel with a launch of few elements: symbols bound, the longest axis cut.

    `xnumel = 33554432` becomes a number that all of its `xindex // 4096` divide, in the text and in the launch.
    """
    if not kernel.launches:
        raise UncountedError("no launch tells its sizes")
    symbols = sorted({name for argument in kernel.launches[0].arguments for name in symbols_of(argument)})
    for least in (6, 34):  # of sizes such as s // 16, that none is 1
        bound = hinted(kernel, kernel.launches[0], {name: least + 2 * place for place, name in enumerate(symbols)})
        if all(
            now.value != "1" or was.value == "1"
            for now, was in zip(bound.launches[0].arguments, kernel.launches[0].arguments, strict=True)
        ):
            break
    body = bound.body
    jobs = re.split(r"(?m)^(?=(?:el)?if x?pid|else:)", body)
    body = "".join(cut(job) for job in jobs)
    numels = dict(re.findall(r"(?m)^(\w+numel) = (\d+)$", body))
    launch = bound.launches[0]
    passed = tuple(replace(a, value=numels.get(a.name, a.value)) for a in launch.arguments)
    return replace(
        bound, body=body, text=bound.text.replace(bound.body, body), launches=(replace(launch, arguments=passed),)
    )


def symbols_of(argument: Any) -> set[str]:
    texts = [*argument.type.shape, *argument.type.stride] if argument.type else [argument.value]
    return {name for text in texts for name in re.findall(r"\b[su]\d+\b", str(text))}


def cut(job: str) -> str:
    """A body, or an arm of one, of at most `MOST` elements: rows go first."""
    sizes = {axis: int(size) for axis, size in re.findall(r"(?m)^\s*(\w+)numel = (\d+)$", job)}
    for axis in sorted(sizes, key=lambda axis: (axis.startswith("r"), -sizes[axis])):
        others = math.prod(size for name, size in sizes.items() if name != axis)
        room = max(MOST // others, 1)
        held = axis.startswith("r") and f"{axis.upper()}BLOCK: tl.constexpr" in job
        if others * sizes[axis] <= MOST or held or sizes[axis] <= room:
            continue
        units = [int(n) for n in re.findall(rf"{axis}index // (\d+)", job)] + [1]
        unit = max((unit for unit in units if unit <= room), default=1)
        sizes[axis] = room // unit * unit
        job = re.sub(rf"(?m)^(\s*{axis}numel) = \d+$", rf"\1 = {sizes[axis]}", job)
    return job
