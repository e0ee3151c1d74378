"""A CUDA kernel of a matrix product: a block makes a tile of it, and goes along the sum by tiles of both factors in shared memory.

    for (int start = 0; start < R; start += Product::DEPTH) {
        ... left and right: what the tree loads for this part of the sum, and computes before it is multiplied; zero beyond the ends
        __syncthreads();
        product.add(left, right);
        __syncthreads();
    }
    for (int k = 0; k < Product::COUNT; ++k) ... what the tree makes of each sum, for the elements that exist

It is told by its tree, whoever wrote it: a sum of products, of which one factor has no columns and the other has no rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index
from inductor_lab.computation.schedule import Assert, Axis, Define, Effect
from inductor_lab.computation.tree import Expression, Load, Operation, Reduction
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject.cuda.axes import coordinates
from inductor_lab.eject.cuda.code import PRODUCT, Code, translated
from inductor_lab.eject.cuda.numbers import stored
from inductor_lab.eject.cuda.packs import WIDEST
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.shapes import Varying, of_access, seen, under
from inductor_lab.eject.cuda.signature import index_type
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.refusal import UnprintableError

REMARK = "A block makes a tile of Product::ROWS x Product::COLUMNS elements, and sums Product::DEPTH products of each at a time."
KINDS = {"float32": ("FloatProduct", 256), "float16": ("TensorProduct", 128), "bfloat16": ("TensorProduct", 128)}
"""The dtype of both factors -> the helper that multiplies their tiles and sums in float, and its threads."""


@dataclass(frozen=True)
class Product:
    """A sum of products in a tree."""

    total: Reduction
    factors: tuple[Expression, Expression]
    """The one that has the rows, and the one that has the columns."""
    dtype: str
    rows: Axis
    columns: Axis
    batches: Axis | None
    along: Axis


def product_of(page: Page) -> Product | None:
    """The product that a kernel is; None where it is none that a tile's threads make."""
    axes = {axis.name: axis for axis in page.found.schedule.axes}
    if not {"x", "y"} <= axes.keys() or len([axis for axis in axes.values() if axis.reduced]) != 1:
        return None
    roots = [
        value for step in page.found.schedule.every() if isinstance(step, Effect) for value in of_access(step.access)
    ]
    match [node for node in under(*roots) if isinstance(node, Reduction)]:
        case [Reduction(name="sum", inputs=(value,)) as total]:
            match seen(value):
                case Operation(name="mul", inputs=(left, right)):
                    pass
                case _:
                    return None
        case _:
            return None
    one, other = seen(left), seen(right)
    apart = not Varying(frozenset({"x"})).along(one) and not Varying(frozenset({"y"})).along(other)
    if not apart or one.dtype != other.dtype or one.dtype not in KINDS:
        return None
    along = next(axis for axis in axes.values() if axis.reduced)
    if not all(_behind(step, Varying(frozenset({along.name}))) for step in page.found.schedule.steps):
        return None
    return Product(total, (one, other), one.dtype, axes["y"], axes["x"], axes.get("z"), along)


def _behind(step: object, varying: Varying) -> bool:
    """Whether a step is done once for each sum: loops, and what is stored or checked along it, are a kernel of rows."""
    match step:
        case Define():
            return True
        case Effect(access=access):
            return not varying.stored(access)
        case Assert(check=check):
            return not varying.along(check.condition)
    return False


class Products:
    """The body of one kernel."""

    def __init__(self, page: Page, product: Product) -> None:
        self.page, self.product = page, product
        self.kind = index_type(page)
        self.statements = Statements(page, page.found.schedule)
        self.names = page.layout.names
        self.vectors: list[str] = []
        """What must hold where several elements are loaded at once, for each factor of which they can be."""
        helper, self.threads = KINDS[product.dtype]
        page.helpers |= {"cdiv": None, "Pack": None, "Tile": None, helper: None}
        made = f"{helper}<{stored(product.dtype)}>" if helper == "TensorProduct" else helper
        page.own["Product"] = ((), f"using Product = {made};")

    @property
    def many(self) -> int:
        """Elements that one instruction loads."""
        return WIDEST // ITEMSIZE[self.product.dtype] if self.vectors else 1

    def lines(self) -> list[str]:
        """The statements."""
        left, right = self.product.factors
        rows, columns, along = (
            self.names[a.name] for a in (self.product.rows, self.product.columns, self.product.along)
        )
        tiles = [
            self._tile("left", left, (self.product.rows, self.product.along)),
            self._tile("right", right, (self.product.along, self.product.columns)),
        ]
        size = self.page.layout.scalar(f"{self.product.along.name}numel")
        made = [
            "Product product;",
            f"for ({self.kind} {along.start} = 0; {along.start} < {size}; {along.start} += Product::DEPTH) {{",
            *("    " + line for _, lines in tiles for line in lines),
            "    __syncthreads();",
            "    product.add(left, right);",
            "    __syncthreads();",
            "}",
            "product.finish();",
            "#pragma unroll",
            "for (int k = 0; k < Product::COUNT; ++k) {",
            f"    const {self.kind} {rows.index} = {rows.start} + Product::row(k), {columns.index} = {columns.start} + Product::column(k);",
            f"    if ({rows.index} >= {rows.numel} || {columns.index} >= {columns.numel}) continue;",
            *("    " + line for line in self._element()),
            "}",
        ]
        return [*self._place(), *(declared for declared, _ in tiles), *self._batches(made)]

    def _batches(self, lines: list[str]) -> list[str]:
        """What is done for each batch; the grid's y holds 65,535 blocks, and a block goes on from there."""
        if self.product.batches is None:
            return lines
        names = self.names[self.product.batches.name]
        head = f"for ({self.kind} {names.index} = blockIdx.y; {names.index} < {names.numel}; {names.index} += gridDim.y) {{"
        return [head, *("    " + line for line in lines), "}"]

    def _place(self) -> list[str]:
        """Which tile a block makes: those of neighbouring columns one after the other."""
        rows, columns = (self.names[axis.name] for axis in (self.product.rows, self.product.columns))
        return [
            f"const int across = int(cdiv({columns.numel}, Product::COLUMNS));",
            f"const {self.kind} {columns.start} = {self.kind}(blockIdx.x % across) * Product::COLUMNS;",
            f"const {self.kind} {rows.start} = {self.kind}(blockIdx.x / across) * Product::ROWS;",
        ]

    # ------------------------------------------------------------ factors

    def _tile(self, name: str, factor: Expression, axes: tuple[Axis, Axis]) -> tuple[str, list[str]]:
        """The declaration of a factor's tile, and how a block loads it."""
        by_rows = not self._side_by_side(factor, axes[0])
        sides = [f"Product::{self._side(axis)}" for axis in axes]
        declared = f"__shared__ Tile<{stored(self.product.dtype)}, {', '.join(sides)}, {'true' if by_rows else 'false'}> {name};"
        fast = axes[1] if by_rows else axes[0]
        tests = self._vector(factor, fast)
        self.vectors += tests
        ends, places = [], []
        for axis, way in zip(axes, ("row", "column"), strict=True):
            names = self.names[axis.name]
            size = self.page.layout.scalar(f"{axis.name}numel") if axis.reduced else names.numel
            places.append(f"{names.index} = {names.start} + {name}.{way}(k)")
            ends.append(f"{names.index} < {size}")
        pack = f"Pack<{stored(self.product.dtype)}, {'VEC' if tests else '1'}>"
        step = ("VEC", " * VEC") if tests else ("1", "")
        return declared, [
            f"for (int k = threadIdx.x{step[1]}; k < {name}.COUNT; k += Product::THREADS{step[1]}) {{",
            f"    const {self.kind} {', '.join(places)};",
            f"    {pack} pack = {{}};",
            *("    " + line for line in self._loaded(factor, axes, " && ".join(ends), wide=bool(tests))),
            f"    {name}.put(k, pack);",
            "}",
        ]

    def _side(self, axis: Axis) -> str:
        return {self.product.rows.name: "ROWS", self.product.columns.name: "COLUMNS"}.get(axis.name, "DEPTH")

    def _loaded(self, factor: Expression, axes: Sequence[Axis], inside: str, *, wide: bool) -> list[str]:
        """What fills a pack where the elements exist."""
        page, before, known = self.page, dict(self.page.bound), set(self.page.layout.taken)
        page.lines = []
        wanted = under(factor)
        plain = _plain(factor)
        for step in page.found.schedule.steps:
            if isinstance(step, Define) and plain is None:
                self.statements.define(step, [value for value in wanted if value is not factor])
        if plain is not None:
            place = self.statements.expressions.place(plain.pointer, _index(plain)).text
            text = f"load<VEC>(&{place})" if wide else place
        else:
            code = self.statements.expressions.of(factor)
            text = page.numbers.written(code, "float32", self.product.dtype).text
        lines = [*page.lines, f"{'pack' if wide else 'pack[0]'} = {text};"]
        every = (*filter(None, [self.product.batches]), *axes)
        lines = [*(line for axis in every for line in coordinates(page, axis, lines)), *lines]
        page.lines, page.bound = [], before
        page.layout.forget(known)
        return (
            [f"if ({inside}) {lines[0]}"]
            if len(lines) == 1
            else [f"if ({inside}) {{", *("    " + line for line in lines), "}"]
        )

    def _side_by_side(self, factor: Expression, axis: Axis) -> bool:
        """Whether what is loaded for neighbours along an axis lies side by side."""
        loads = [node for node in under(factor) if isinstance(node, Load) and node.index is not None]
        return any(_unit(term, axis) for load in loads for term in _index(load).terms)

    def _vector(self, factor: Expression, fast: Axis) -> list[str]:
        """What must hold where VEC elements along an axis are loaded at once; nothing where they never are."""
        load = _plain(factor)
        if load is None:
            return []
        index, layout = _index(load), self.page.layout
        if index.constant or not all(
            isinstance(t.of, Coordinate) and t.of.stride == 1 and t.of.size is None for t in index.terms
        ):
            return []
        if not any(_unit(term, fast) for term in index.terms):
            return []
        size = layout.scalar(f"{fast.name}numel") if fast.reduced else layout.names[fast.name].numel
        steps = [size]
        for term in index.terms:
            if not _unit(term, fast):
                step = (
                    []
                    if abs(term.factor) == 1 and term.sizes
                    else [layout.strides.step(abs(term.factor), index, load.pointer)]
                )
                steps.append(" * ".join([*step, *(layout.scalar(name) for name in term.sizes)]))
        many = WIDEST // ITEMSIZE[self.product.dtype]
        pointer = self.statements.expressions.pointer(load.pointer)
        return [f"aligned<{many}>({pointer})", *(f"{translated(step).at(PRODUCT)} % {many} == 0" for step in steps)]

    # ------------------------------------------------------------ behind the sum

    def _element(self) -> list[str]:
        """What is made of one sum."""
        page, varying = self.page, Varying(frozenset({self.product.along.name}))
        page.lines = []
        name = page.fresh("dot")
        page.bound[self.product.total] = Code(name)
        page.emit(f"const float {name} = product.sums[k];")
        for step in page.found.schedule.steps:
            match step:
                case Define(values=values):
                    self.statements.define(step, [v for v in map(seen, values) if not varying.along(v)])
                case Effect(access=access) if not varying.stored(access):
                    self.statements.store(access)
                case Assert(check=check) if not varying.along(check.condition):
                    self.statements.check(step)
                case _:
                    raise UnprintableError(
                        f"a {type(step).__name__.lower()} along the sum of a product is not printed in CUDA C++ yet"
                    )
        axes = [axis for axis in (self.product.batches, self.product.rows, self.product.columns) if axis is not None]
        lines, page.lines = page.lines, []
        return [*(line for axis in axes for line in coordinates(page, axis, lines)), *lines]


def launched(page: Page, name: str, products: Products, arguments: str) -> list[str]:
    """A block for each tile."""
    product, many = products.product, products.many
    rows, columns = (page.layout.names[axis.name].numel for axis in (product.rows, product.columns))
    made = [f"const unsigned tiles = unsigned(cdiv({rows}, Product::ROWS) * cdiv({columns}, Product::COLUMNS));"]
    grid = "tiles"
    if product.batches is not None:
        made.append(
            f"const dim3 grid(tiles, unsigned(min(int64_t({page.layout.names[product.batches.name].numel}), int64_t(65535))));"
        )
        grid = "grid"
    if many == 1:
        return [*made, f"{name}<<<{grid}, Product::THREADS, 0, stream>>>({arguments});"]
    page.helpers["aligned"] = None
    return [
        *made,
        f"if ({' && '.join(dict.fromkeys(products.vectors))}) {{",
        f"    {name}<{many}><<<{grid}, Product::THREADS, 0, stream>>>({arguments});",
        "} else {",
        f"    {name}<1><<<{grid}, Product::THREADS, 0, stream>>>({arguments});",
        "}",
    ]


def _plain(factor: Expression) -> Load | None:
    """The factor, where it is read as it is multiplied, wherever it exists."""
    return (
        factor
        if isinstance(factor, Load) and factor.index is not None and (factor.mask is None or masks(factor.mask))
        else None
    )


def _index(load: Load) -> Index:
    if load.index is None:
        raise UnprintableError("an address that is no sum of positions")
    return load.index


def _unit(term: object, axis: Axis) -> bool:
    """Whether a term of an address goes along an axis by ones."""
    of, factor, sizes = getattr(term, "of", None), getattr(term, "factor", 0), getattr(term, "sizes", ())
    return isinstance(of, Coordinate) and of.axis == axis.name and of.stride == 1 and factor == 1 and not sizes
