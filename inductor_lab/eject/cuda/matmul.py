"""Prints a matrix product in CUDA C++: a block computes one tile, and both factors go through shared memory.

    for (int start = 0; start < R; start += Product::DEPTH) {
        ... left and right: what the tree loads for this part of the sum, and computes before it is multiplied; zero beyond the ends
        __syncthreads();
        product.add(left, right);
        __syncthreads();
    }
    for (int k = 0; k < Product::COUNT; ++k) ... what the tree makes of each sum, for the elements that exist

It is known by its tree, whoever wrote it: a sum of products, of which one factor has no columns and the other has no rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inductor_lab.computation.folds import masks
from inductor_lab.computation.index import Coordinate, Index, Term
from inductor_lab.computation.schedule import Assert, Axis, Define, Effect
from inductor_lab.computation.tree import Expression, Load, Operation, Reduction
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject.cuda.code import PRODUCT, Code, block, stored, translated
from inductor_lab.eject.cuda.launch import along_grid, packed_or_not
from inductor_lab.eject.cuda.packs import WIDEST
from inductor_lab.eject.cuda.page import Page
from inductor_lab.eject.cuda.threads import Varying, under
from inductor_lab.eject.cuda.values import Statements
from inductor_lab.eject.printing.operands import of_access

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
    axes = {axis.name: axis for axis in page.axes}
    if not {"x", "y"} <= axes.keys() or len([axis for axis in axes.values() if axis.reduced]) != 1:
        return None
    roots = [
        value for step in page.found.schedule.every() if isinstance(step, Effect) for value in of_access(step.access)
    ]
    match [node for node in under(*roots) if isinstance(node, Reduction)]:
        case [Reduction(name="sum", inputs=(Operation(name="mul", inputs=(one, other)),)) as total]:
            pass
        case _:
            return None
    separate = not Varying(frozenset({"x"})).along(one) and not Varying(frozenset({"y"})).along(other)
    if not separate or one.dtype != other.dtype or one.dtype not in KINDS:
        return None
    along = next(axis for axis in axes.values() if axis.reduced)
    if not all(_once_per_sum(step, Varying(frozenset({along.name}))) for step in page.found.schedule.steps):
        return None
    return Product(total, (one, other), one.dtype, axes["y"], axes["x"], axes.get("z"), along)


def _once_per_sum(step: object, varying: Varying) -> bool:
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
        self.kind = page.index_type
        self.statements = Statements(page)
        self.vectors: list[str] = []
        """What must hold where several elements are loaded at once, for each factor of which they can be."""
        helper, self.threads = KINDS[product.dtype]
        page.calls("cdiv", "Tile", helper)
        made = f"{helper}<{stored(product.dtype)}>" if helper == "TensorProduct" else helper
        page.own["Product"] = ((), f"using Product = {made};")

    @property
    def many(self) -> int:
        """Elements that one instruction loads."""
        return WIDEST // ITEMSIZE[self.product.dtype] if self.vectors else 1

    def lines(self) -> list[str]:
        """The statements."""
        product, names = self.product, self.page.names
        rows, columns, along = names(product.rows), names(product.columns), names(product.along)
        left, left_lines = self._tile("left", product.factors[0], (product.rows, product.along))
        right, right_lines = self._tile("right", product.factors[1], (product.along, product.columns))
        size = self.page.length(product.along)
        turn = [*left_lines, *right_lines, "__syncthreads();", "product.add(left, right);", "__syncthreads();"]
        element = [
            f"const {self.kind} {rows.index} = {rows.start} + Product::row(k), {columns.index} = {columns.start} + Product::column(k);",
            f"if ({rows.index} >= {rows.numel} || {columns.index} >= {columns.numel}) continue;",
            *self._element(),
        ]
        made = [
            "Product product;",
            *block(
                f"for ({self.kind} {along.start} = 0; {along.start} < {size}; {along.start} += Product::DEPTH)", turn
            ),
            "product.finish();",
            "#pragma unroll",
            *block("for (int k = 0; k < Product::COUNT; ++k)", element),
        ]
        return [*self._place(), left, right, *self._batches(made)]

    def _batches(self, lines: list[str]) -> list[str]:
        """What is done for each batch; the grid's y holds 65,535 blocks, and a block goes on from there."""
        if self.product.batches is None:
            return lines
        names = self.page.names(self.product.batches)
        return block(
            f"for ({self.kind} {names.index} = blockIdx.y; {names.index} < {names.numel}; {names.index} += gridDim.y)",
            lines,
        )

    def _place(self) -> list[str]:
        """Which tile a block makes: those of neighbouring columns one after the other."""
        rows, columns = self.page.names(self.product.rows), self.page.names(self.product.columns)
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
            names = self.page.names(axis)
            places.append(f"{names.index} = {names.start} + {name}.{way}(k)")
            ends.append(f"{names.index} < {self.page.length(axis)}")
        pack = f"Pack<{stored(self.product.dtype)}, {'VEC' if tests else '1'}>"
        many = " * VEC" if tests else ""
        head = f"for (int k = threadIdx.x{many}; k < {name}.COUNT; k += Product::THREADS{many})"
        inside = [
            f"const {self.kind} {', '.join(places)};",
            f"{pack} pack = {{}};",
            *self._loaded(factor, axes, " && ".join(ends), wide=bool(tests)),
            f"{name}.put(k, pack);",
        ]
        return declared, block(head, inside)

    def _side(self, axis: Axis) -> str:
        return {self.product.rows.name: "ROWS", self.product.columns.name: "COLUMNS"}.get(axis.name, "DEPTH")

    def _loaded(self, factor: Expression, axes: Sequence[Axis], inside: str, *, wide: bool) -> list[str]:
        """What fills a pack where the elements exist."""
        page, plain, wanted = self.page, _plain(factor), under(factor)
        every = (*filter(None, [self.product.batches]), *axes)
        with page.scope() as lines:
            if plain is not None:
                place = self.statements.place(*plain).text
                text = f"load<VEC>(&{place})" if wide else place
            else:
                self.statements.define_all(lambda value: value in wanted and value is not factor)
                text = page.numbers.written(self.statements.of(factor), "float32", self.product.dtype).text
            page.emit(f"{'pack' if wide else 'pack[0]'} = {text};")
            lines = page.placed(every, lines)
        return [f"if ({inside}) {lines[0]}"] if len(lines) == 1 else block(f"if ({inside})", lines)

    def _side_by_side(self, factor: Expression, axis: Axis) -> bool:
        """Whether what is loaded for neighbours along an axis lies side by side."""
        read = (node.index for node in under(factor) if isinstance(node, Load) and node.index is not None)
        return any(_unit(term, axis) for index in read for term in index.terms)

    def _vector(self, factor: Expression, fast: Axis) -> list[str]:
        """What must hold where VEC elements along an axis are loaded at once; nothing where they never are."""
        plain = _plain(factor)
        if plain is None or plain[1].constant or not all(map(_whole, plain[1].terms)):
            return []
        (parameter, index), layout = plain, self.page.layout
        if not any(_unit(term, fast) for term in index.terms):
            return []
        steps = [self.page.length(fast)]
        for term in index.terms:
            if not _unit(term, fast):
                sizes, step = [layout.scalar(name) for name in term.sizes], abs(term.factor)
                number = [layout.strides.step(step, index, parameter)] if step != 1 or not sizes else []
                steps.append(" * ".join([*number, *sizes]))
        many = WIDEST // ITEMSIZE[self.product.dtype]
        pointer = self.statements.pointer(parameter)
        return [f"aligned<{many}>({pointer})", *(f"{translated(step).at(PRODUCT)} % {many} == 0" for step in steps)]

    # ------------------------------------------------------------ after the sum

    def _element(self) -> list[str]:
        """What is made of one sum."""
        page, varying = self.page, Varying(frozenset({self.product.along.name}))
        with page.scope() as lines:
            name = page.fresh("dot")
            page.bound[self.product.total] = Code(name)
            page.emit(f"const float {name} = product.sums[k];")
            self.statements.element(wanted=lambda value: not varying.along(value))
        axes = [axis for axis in (self.product.batches, self.product.rows, self.product.columns) if axis is not None]
        return page.placed(axes, lines)

    def launched(self, name: str, arguments: str) -> list[str]:
        """The statements that launch a block for each tile."""
        product, names, threads = self.product, self.page.names, "Product::THREADS"
        rows, columns = names(product.rows).numel, names(product.columns).numel
        made = [f"const unsigned tiles = unsigned(cdiv({rows}, Product::ROWS) * cdiv({columns}, Product::COLUMNS));"]
        grid = "tiles"
        if product.batches is not None:
            made.append(f"const dim3 grid(tiles, unsigned({along_grid(names(product.batches).numel)}));")
            grid = "grid"
        if self.many == 1:
            return [*made, f"{name}<<<{grid}, {threads}, 0, stream>>>({arguments});"]
        self.page.calls("aligned")
        test = " && ".join(dict.fromkeys(self.vectors))
        return [*made, *packed_or_not(name, self.many, test, (grid, grid), threads, arguments)]


def _plain(factor: Expression) -> tuple[str, Index] | None:
    """Where a factor is read that is multiplied as it is, wherever it exists."""
    match factor:
        case Load(pointer=pointer, index=Index() as index, mask=mask) if mask is None or masks(mask):
            return pointer, index
    return None


def _whole(term: Term) -> bool:
    """Whether a term of an address goes along a whole axis."""
    return isinstance(term.of, Coordinate) and term.of.stride == 1 and term.of.size is None


def _unit(term: Term, axis: Axis) -> bool:
    """Whether a term of an address goes along an axis by ones."""
    if not isinstance(term.of, Coordinate) or term.sizes:
        return False
    return term.of.axis == axis.name and term.of.stride == 1 and term.factor == 1
