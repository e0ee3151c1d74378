"""A generated body, rewritten as a person would have written it, computing the same to the bit.

What changes: names; numbers that are sizes become parameters; constants stand where they are used; values used once are written where they
are used; a mask that Inductor dropped because its block happened to divide the size is back, because the block may now change. What does
not change: the arithmetic, its order, every cast.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from inductor_lab.computation import computation
from inductor_lab.eject.dtypes import COORDINATE, Dtypes
from inductor_lab.eject.simplify import TEMPORARY, simplify
from inductor_lab.records import Argument, Kernel

WIDTH = 92
NOUNS = {
    "add": "total", "sub": "difference", "mul": "product", "div": "quotient", "where": "chosen", "maximum": "largest", "minimum": "smallest",
    "sum": "sum_", "max2": "largest", "min2": "smallest", "compare": "test", "to": "rounded", "neg": "negated", "any": "some",
}  # fmt: skip


@dataclass(frozen=True)
class Size:
    """A size that became a parameter."""

    name: str
    value: int


@dataclass
class Readable:
    """The rewritten kernel: its body and what the signature and the launcher must know."""

    lines: list[str]
    sizes: list[Size] = field(default_factory=list)
    """Compile-time sizes, `COLUMNS`."""
    numels: dict[str, str] = field(default_factory=dict)
    """`xnumel` -> the run-time parameter that replaces it, `numel`."""
    blocks: dict[str, str] = field(default_factory=dict)
    """`XBLOCK` -> `BLOCK`."""
    fixed: dict[str, str] = field(default_factory=dict)
    """Blocks that Inductor fixed inside the body, `R0_BLOCK` -> `BLOCK_R`: the size must stay what it is."""
    evens: dict[str, str] = field(default_factory=dict)
    """`EVEN` -> the test that the launcher makes, `numel % BLOCK == 0`: then no mask is needed, and none is compiled."""


def rewrite(kernel: Kernel, pointers: Mapping[str, str], sizes: Mapping[str, int]) -> Readable:
    """Rewrite a pointwise, reduction or persistent reduction body.

    Args:
        pointers: Parameter -> the tensor's name, `in_ptr0` -> `bias`.
        sizes: The launch's `xnumel`, `r0_numel` ...
    """
    return _Rewriter(kernel, pointers, sizes).run()


class _Rewriter:
    def __init__(self, kernel: Kernel, pointers: Mapping[str, str], sizes: Mapping[str, int]) -> None:
        self.kernel = kernel
        self.sizes = sizes
        self.computed = computation(kernel)
        self.statements = ast.parse(kernel.body).body
        self.parameters: dict[str, Argument] = {argument.name: argument for argument in kernel.arguments}
        self.names: dict[str, str] = {parameter: f"{name}_ptr" for parameter, name in pointers.items()}
        self.tensor = dict(pointers)
        helpers = set(re.findall(r"triton_helpers\.(\w+)", kernel.body))
        self.taken: set[str] = set(self.names.values()) | {"tl", "triton", "libdevice"} | helpers
        self.dtypes = Dtypes({name: argument.dtype for name, argument in self.parameters.items() if argument.pointer})
        self.uses: Counter[str] = Counter()
        self.inline: dict[str, ast.expr] = {}
        self.dropped: dict[str, str] = {}
        """Masks that were constant: `xmask` -> the test that replaces it."""
        self.carried: set[str] = set()
        self.out = Readable([])

    # ------------------------------------------------------------ the passes

    def run(self) -> Readable:
        self.name_index_space()
        self.dtypes.read(self.statements)
        self.statements = simplify(self.statements, self.dtypes)
        self.uses.update(
            n.id
            for n in ast.walk(ast.Module(self.statements, []))
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        )
        self.name_coordinates()
        self.block(self.statements, "")
        self.out.lines = _without_unused(
            self.out.lines, [self.names[f"{name.removesuffix('numel')}mask"] for name in self.sizes]
        )
        return self.out

    def fresh(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name)
        return name

    def name_index_space(self) -> None:
        """Names of programs' offsets, masks, sizes and blocks, by prefix: x, y, r0_."""
        prefixes = [name.removesuffix("numel") for name in self.sizes]
        reduced = [p for p in prefixes if p.startswith("r")]
        free = [p for p in prefixes if not p.startswith("r")]
        for prefix in prefixes:
            if prefix in reduced:
                index, numel, block, inside = "r", "R", "BLOCK_R", "inside_r"
            elif len(free) == 1:
                index, numel = ("offset", "numel") if not reduced else ("row", "rows")
                block, inside = "BLOCK", "inside"
            else:
                index, numel, block, inside = prefix, f"{prefix}_size", f"BLOCK_{prefix.upper()}", f"inside_{prefix}"
            if len(reduced) > 1 and prefix in reduced:
                index, numel, block, inside = (f"{word}{prefix[1:-1]}" for word in (index, numel, block, inside))
            self.names |= {f"{prefix}index": index, f"{prefix}numel": numel, f"{prefix}mask": inside, f"{prefix}base": f"{index}_base",
                           f"{prefix}offset": f"{index}_start", f"{prefix.upper()}BLOCK": block}  # fmt: skip
            self.taken |= {index, numel, block, inside, f"{index}_base", f"{index}_start"}
            (self.out.blocks if f"{prefix.upper()}BLOCK" in self.parameters else self.out.fixed)[
                f"{prefix.upper()}BLOCK"
            ] = block
            if prefix in reduced:
                self.out.sizes.append(Size(numel, self.sizes[f"{prefix}numel"]))
            else:
                self.out.numels[f"{prefix}numel"] = numel
        self.names |= {"rindex": "r", "rbase": "r_base", "roffset": "r_start"} if reduced else {}

    def name_coordinates(self) -> None:
        """`x0 = xindex % 1024` and its like: row and column where there are two, d0, d1, d2 where there are more."""
        for prefix in (name.removesuffix("numel") for name in self.sizes):
            found: list[tuple[str, int, int | None]] = []
            for statement in ast.walk(ast.Module(self.statements, [])):
                match statement:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                        COORDINATE.match(name) and name.startswith(prefix) and self.uses[name]
                    ):
                        found.append((name, *_division(value)))
            base = self.names[f"{prefix}index"]
            for name, divisor, modulus in found:
                if divisor == 1 and modulus is None:
                    self.names[name] = base
            found = [item for item in found if item[1:] != (1, None)]
            moduli = {modulus for _, divisor, modulus in found if divisor == 1 and modulus}
            divisors = {divisor for _, divisor, _ in found if divisor > 1}
            if found and len(moduli | divisors) == 1 and prefix == "x" and base == "offset":
                columns = (moduli | divisors).pop()
                self.names["__COLUMNS"] = self.fresh("COLUMNS")
                self.out.sizes.append(Size(self.names["__COLUMNS"], columns))
                for name, divisor, _ in found:
                    self.names[name] = self.fresh("column" if divisor == 1 else "row")
            else:
                for position, (name, _, _) in enumerate(sorted(found, key=lambda item: (-item[1], item[2] is None))):
                    self.names[name] = self.fresh(f"{'d' if base == 'offset' else base + '_d'}{position}")

    # ------------------------------------------------------------ writing

    def block(self, statements: list[ast.stmt], indent: str) -> None:
        for statement in statements:
            match statement:
                case ast.AnnAssign() | ast.Pass():
                    continue  # R0_BLOCK: tl.constexpr = 128
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.assign(name, value, indent)
                case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value):
                    names = [element.id for element in elements if isinstance(element, ast.Name)]
                    text = self.text(self.expression(value))
                    parts = ", ".join(self.variable(name, "part") for name in names)
                    self.emit(indent, f"{parts}{',' if len(names) == 1 else ''} = {text}")
                case ast.For(target=ast.Name(id=name), iter=iterator, body=body):
                    self.carried = {
                        n
                        for n in self.assigned(body)
                        if (n in self.dtypes.names and n.startswith("_tmp")) or re.match(r"tmp\d+_", n)
                    }
                    self.emit(indent, f"for {self.names.get(name, name)} in {self.text(iterator)}:")
                    self.block(body, indent + "    ")
                    self.carried = set()
                case ast.Expr(value=ast.Call() as call):
                    self.emit(indent, self.call_text(call))
                case _:
                    self.emit(indent, self.text(statement))

    @staticmethod
    def assigned(statements: list[ast.stmt]) -> set[str]:
        return {t.id for s in statements if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)}

    def emit(self, indent: str, line: str) -> None:
        self.out.lines.append(indent + line)

    def assign(self, name: str, value: ast.expr, indent: str) -> None:
        if (
            name.endswith("numel")
            or name in {"RBLOCK", "rindex", "roffset", "rbase"}
            or (COORDINATE.match(name) and not self.uses[name])
        ):
            return
        if name.endswith("mask"):
            self.mask(name, value, indent)
            return
        if COORDINATE.match(name):
            if self.names[name] not in {self.names[f"{p}index"] for p in (n.removesuffix("numel") for n in self.sizes)}:
                self.emit(indent, f"{self.names[name]} = {self.coordinate(value)}")
            return
        prefix = name.removesuffix("index").removesuffix("offset").removesuffix("base")
        if f"{prefix}numel" in self.sizes and not TEMPORARY.match(name):
            self.index(name, prefix, value, indent)
            return
        if name in self.dtypes.constants and self.all_uses_fold(name):
            return
        if self.folds(name, value):
            self.inline[name] = self.expression(value)
            return
        if name in self.carried:
            value = self.guard(name, value)
        text = self.text(self.expression(value))
        self.emit(indent, f"{self.variable(name, self.noun(value))} = {text}")

    def index(self, name: str, prefix: str, value: ast.expr, indent: str) -> None:
        """xoffset, xindex, r0_base: one line each where the original has two."""
        if name.endswith("offset"):
            if isinstance(value, ast.Constant):
                return  # r0_offset = 0
            self.inline[name] = self.expression(value)
            return
        text = self.text(self.expression(value))
        self.emit(indent, f"{self.names[name]} = {text.replace(')[:]', ')')}")

    def mask(self, name: str, value: ast.expr, indent: str) -> None:
        prefix = name.removesuffix("mask")
        constant = "tl.full" in ast.unparse(value)
        if prefix.startswith("r") and constant and f"{prefix.upper()}BLOCK" in self.out.fixed:
            self.dropped[name] = ""  # the block is the whole dimension
            return
        if constant:
            self.dropped[name] = self.names[name]
        if not constant and not self.uses[name]:
            return
        numel, block = self.names[f"{prefix}numel"], self.names[f"{prefix.upper()}BLOCK"]
        test = f"{self.names[f'{prefix}index']} < {numel}"
        if constant and f"{prefix.upper()}BLOCK" in self.parameters:
            even = f"{numel} % {block} == 0"
            if not prefix.startswith("r"):  # R is a compile-time size, the others are not
                name_of_it = "EVEN" if len(self.out.numels) == 1 else f"EVEN_{prefix.upper()}"
                self.out.evens[name_of_it], even = even, name_of_it
            whole = self.text(value).removesuffix("[:]")
            test = f"{whole} if {even} else {test}"
        self.emit(indent, f"{self.names[name]} = {test}")

    def coordinate(self, value: ast.expr) -> str:
        """`(xindex // 64) % 1024` with sizes by their names where they have one."""
        text = self.text(self.expression(value))
        columns = next((size for size in self.out.sizes if size.name == self.names.get("__COLUMNS")), None)
        if columns:
            text = re.sub(rf"\b{columns.value}\b", columns.name, text)
        return text

    def variable(self, name: str, noun: str) -> str:
        if name not in self.names:
            self.names[name] = self.fresh(noun)
        return self.names[name]

    def noun(self, value: ast.expr) -> str:
        match value:
            case ast.Call(func=ast.Attribute(attr="to", value=inner)) if not isinstance(inner, ast.Name):
                return self.noun(inner)
            case ast.Call(func=function, args=arguments):
                name = ast.unparse(function).rpartition(".")[2]
                if name == "load":
                    return next(
                        (
                            self.tensor[n.id]
                            for n in ast.walk(arguments[0])
                            if isinstance(n, ast.Name) and n.id in self.tensor
                        ),
                        "value",
                    )
                if name == "maximum" and self.dtypes.is_zero(arguments[0]):
                    return "relu"
                if name == "full":
                    return "accumulator" if "BLOCK" in ast.unparse(arguments[0]) else "constant"
                if name == "broadcast_to":
                    return "tile"
                return NOUNS.get(name, name if name.isidentifier() else "value")
            case ast.Subscript(value=base):
                return self.noun(base)
            case ast.BinOp(op=op):
                return NOUNS.get(
                    {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}.get(type(op), ""), "value"
                )
            case ast.UnaryOp(op=ast.USub()):
                return "negated"
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Lt() | ast.GtE() as op], comparators=[bound]) if (
                COORDINATE.match(name)
            ):
                number = (
                    self.dtypes.constants[bound.id].args[1]
                    if isinstance(bound, ast.Name) and bound.id in self.dtypes.constants
                    else bound
                )
                word = "below" if isinstance(op, ast.Lt) else "from"
                return f"{word}_{ast.unparse(number)}" if isinstance(number, ast.Constant) else "test"
            case ast.Compare():
                return "test"
        return "value"

    def guard(self, name: str, value: ast.expr) -> ast.expr:
        """Give an accumulator's update the mask back that was dropped in a loop over blocks."""
        lost = [mask for mask, test in self.dropped.items() if mask.startswith("r") and test]
        if not lost:
            return value
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "tl.where":
            condition = ast.BinOp(_name(lost[0]), ast.BitAnd(), value.args[0])
            return ast.Call(value.func, [condition, *value.args[1:]], [])
        return ast.Call(ast.Attribute(_name("tl"), "where"), [_name(lost[0]), value, _name(name)], [])

    # ------------------------------------------------------------ expressions

    def folds(self, name: str, value: ast.expr) -> bool:
        """A temporary that is used once, is no load and no reduction, and keeps its line short."""
        if not TEMPORARY.match(name) or self.uses[name] != 1 or name in self.dtypes.constants or self.feeds_relu(name):
            return False
        calls = {ast.unparse(n.func) for n in ast.walk(value) if isinstance(n, ast.Call)}
        if any(
            call in {"tl.load", "tl.sum", "tl.reduce", "tl.full"}
            or (call.startswith("triton_helpers.") and self.noun(value) != "relu")
            for call in calls
        ):
            return False
        return len(self.text(self.expression(value))) <= WIDTH // 2

    def feeds_relu(self, name: str) -> bool:
        """True when the value is compared with 0 and chosen: it is needed twice."""
        return any(
            isinstance(p, ast.Call)
            and ast.unparse(p.func) == "triton_helpers.maximum"
            and self.dtypes.is_zero(p.args[0])
            for p in self.parents(name)
        )

    def all_uses_fold(self, name: str) -> bool:
        """True when every use of a constant can be the bare number: the other operand already has its dtype, or a wider one."""
        return all(self.dtypes.foldable(name, parent) for parent in self.parents(name))

    def parents(self, name: str) -> list[ast.AST]:
        tree = ast.Module(self.statements, [])
        return [
            n
            for n in ast.walk(tree)
            if any(
                isinstance(c, ast.Name) and c.id == name and isinstance(c.ctx, ast.Load)
                for c in ast.iter_child_nodes(n)
            )
        ]

    def expression(self, value: ast.expr) -> ast.expr:
        """The expression with folded constants and inlined temporaries; names are replaced when it is printed."""
        return _Substitute(self).visit(ast.parse(ast.unparse(value), mode="eval").body)  # type: ignore[no-any-return]

    def text(self, node: ast.AST) -> str:
        printed = ast.unparse(_Rename(self.names).visit(ast.parse(ast.unparse(node))))
        return printed.replace("'", '"') if '"' not in printed else printed

    def call_text(self, call: ast.Call) -> str:
        return self.text(self.expression(call))


class _Substitute(ast.NodeTransformer):
    """Put constants and single-use temporaries where they are used, and masks where they belong."""

    def __init__(self, rewriter: _Rewriter) -> None:
        self.rewriter = rewriter

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self.rewriter.inline:
            return self.rewriter.inline[node.id]
        constant = self.rewriter.dtypes.constants.get(node.id)
        if constant is not None and self.rewriter.all_uses_fold(node.id):
            return constant.args[1]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        rewriter = self.rewriter
        if (
            name == "triton_helpers.maximum"
            and rewriter.dtypes.is_zero(node.args[0])
            and rewriter.dtypes.foldable(getattr(node.args[0], "id", ""), node)
        ):
            value = self.visit(node.args[1])
            zero = "0.0" if rewriter.dtypes.of(node.args[1]).startswith(("float", "bfloat")) else "0"
            if isinstance(value, ast.Name):  # the helper's own rule, 0 > x: NaN and -0.0 come through
                return ast.parse(f"tl.where({ast.unparse(value)} < 0, {zero}, {ast.unparse(value)})", mode="eval").body
            node.args = [ast.Constant(0), value]
            return ast.Call(_name("maximum"), [ast.parse("tl.full([1], 0, tl.int32)", mode="eval").body, value], [])
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="triton_helpers"), attr=helper):
                node.func = _name(helper)
        if name in {"tl.load", "tl.store"} or name.startswith("tl.atomic"):
            self.restore_mask(node, 1 if name == "tl.load" else 2)
        if name == "tl.device_assert":  # what a masked load leaves outside is anything
            for mask in self.lost(node.args[0]):
                node.args[0] = ast.BinOp(node.args[0], ast.BitOr(), ast.UnaryOp(ast.Invert(), _name(mask)))
        return node

    def lost(self, moving: ast.expr) -> list[str]:
        """The masks that were dropped and that an address, or what is said of one, needs back."""
        names = {n.id for n in ast.walk(moving) if isinstance(n, ast.Name)}
        computed = self.rewriter.computed.names
        axes = {axis for name in names if name in computed for axis in computed[name].axes}
        axes |= {
            name.removesuffix("BLOCK").lower() for name in names if name.endswith("BLOCK")
        }  # broadcast_to(r, [XBLOCK])
        return [
            mask
            for mask, test in self.rewriter.dropped.items()
            if test and mask not in names and mask.removesuffix("mask") in axes
        ]

    def restore_mask(self, node: ast.Call, position: int) -> None:
        """None becomes the masks that were dropped, as far as the address moves with their index."""
        rewriter = self.rewriter
        mask = node.args[position] if len(node.args) > position else ast.Constant(None)
        written = None if isinstance(mask, ast.Constant) and mask.value is None else mask
        present = {n.id for n in ast.walk(written) if isinstance(n, ast.Name)} if written is not None else set()
        for name in self.lost(node.args[0]):
            if name not in present:
                written = _name(name) if written is None else ast.BinOp(written, ast.BitAnd(), _name(name))
        if written is not None:
            written = _drop_true(written, {name for name, test in rewriter.dropped.items() if not test})
        if written is not None:
            node.args[position:] = [written]
        elif len(node.args) > position:
            node.args = node.args[:position]
            node.keywords = [keyword for keyword in node.keywords if keyword.arg != "other"]


def _without_unused(lines: list[str], masks: list[str]) -> list[str]:
    """Without masks that ended up guarding nothing."""
    for mask in masks:
        if sum(len(re.findall(rf"\b{mask}\b", line)) for line in lines) == 1:
            lines = [line for line in lines if not re.match(rf"\s*{mask} = ", line)]
    return lines


class _Rename(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def _drop_true(mask: ast.expr, true: set[str]) -> ast.expr | None:
    """A conjunction without the masks that are always true; None when nothing is left."""
    match mask:
        case ast.Name(id=name):
            return None if name in true else mask
        case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
            a, b = _drop_true(left, true), _drop_true(right, true)
            return ast.BinOp(a, ast.BitAnd(), b) if a is not None and b is not None else a if b is None else b
    return mask


def _division(value: ast.expr) -> tuple[int, int | None]:
    """`(xindex // 64) % 1024` as (64, 1024), `xindex % 16` as (1, 16), `xindex // 16` as (16, None), `xindex` as (1, None)."""
    match value:
        case ast.BinOp(left=left, op=ast.Mod(), right=ast.Constant(value=int(modulus))):
            return _division(left)[0], modulus
        case ast.BinOp(op=ast.FloorDiv(), right=ast.Constant(value=int(divisor))):
            return divisor, None
        case ast.Name():
            return 1, None
    return 0, None
