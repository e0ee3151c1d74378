"""The eager reference of flex attention's forward kernel, read from its template.

    scores = query @ key.mT * 0.125 + (n - m)
    counted = visits(full_counts, full_places, ...) + visits(counts, places, ...) * (m >= n)

It is held to the tables of blocks that the launch passes, whatever they list: a full block's scores are not masked, and what stands in both
tables counts twice, as in the kernel.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from inductor_lab.computation import computation
from inductor_lab.computation.evaluation import Evaluation
from inductor_lab.computation.nodes import NOWHERE
from inductor_lab.computation.tree import Cast, Constant, Expression, Unknown, index_of, walk
from inductor_lab.eject.binding.tensors import Tensor, strides
from inductor_lab.eject.eager import Eager, text_of
from inductor_lab.eject.refusal import NoReference
from inductor_lab.eject.rendering import names_in
from inductor_lab.records import Kernel, TensorType

INNER = "forward_block_mn"
"""The template's function that has the score and the mask."""
MASKED = "not IS_FULL_BLOCKS"
"""What its mask depends on."""
HELD, FULL = ("Q", "K", "V", "LSE", "KV_NUM_BLKS", "KV_IDX"), ("FULL_KV_NUM_BLKS", "FULL_KV_IDX")
"""Names that it has for its tensors; the second ones only where some blocks are full."""
AXES = ("idx_zq", "idx_hq", "idx_m", "idx_d")
"""The template's places in its result: batch, head, query, channel."""
LOCAL = frozenset({"b", "h", "m", "n", "scores", "counted", "lse", "weights", "attended"})
"""Variables of the reference."""
MOST = 1 << 29
"""Scores that the reference may hold at once: 4 GiB in float64, and as much for each of a few values made of them."""


@dataclass(frozen=True)
class _Template:
    """What the body states, and the statements themselves."""

    kernel: Kernel
    statements: Sequence[ast.stmt]
    inner: ast.FunctionDef
    names: Mapping[str, Expression]
    """What each name of the body stands for in the end."""

    def stated(self, name: str) -> int | float | None:
        """The number that a name is; None where it is none."""
        value = self.names.get(name)
        return value.value if isinstance(value, Constant) else None

    def number(self, name: str) -> int:
        value = self.stated(name)
        if not isinstance(value, int):
            raise NoReference(f"its text does not state {name} as a number")
        return value

    def pointer(self, name: str) -> str:
        """The parameter to whose tensor a name points; empty where there is none."""
        parameters = {argument.name for argument in self.kernel.arguments if argument.pointer}
        nodes = walk(self.names[name]) if name in self.names else ()
        return next((node.text for node in nodes if isinstance(node, Unknown) and node.text in parameters), "")


def is_flex(kernel: Kernel) -> bool:
    """Whether a kernel is one of flex attention's templates, forward or backward."""
    return kernel.category == "template" and any("flex_attention" in node.target for node in kernel.claim.fragment)


def idle(kernel: Kernel) -> frozenset[str]:
    """The parameters that flex attention's forward takes for results that it was not asked for: it leaves them as they are."""
    if not is_flex(kernel):
        return frozenset()
    try:
        template = _template(kernel)
    except NoReference:
        return frozenset()
    options = {"LSE": "OUTPUT_LOGSUMEXP", "MAX": "OUTPUT_MAX"}
    unasked = {template.pointer(name) for name, option in options.items() if template.stated(option) is False}
    return frozenset(unasked - {""})


def attention(kernel: Kernel, tensors: Mapping[str, Tensor]) -> Eager:
    """The reference over the tensors by their names.

    Raises:
        NoReference: it is none of flex attention's forward, or a part of it is not read.
    """
    template = _template(kernel)
    held = {name: tensors[pointer] for name in (*HELD, *FULL) if (pointer := template.pointer(name)) in tensors}
    if not {*HELD} <= held.keys():
        raise NoReference("its body does not state which tensors are queries, keys, values and blocks")
    if any(tensor.symbolic for tensor in tensors.values()):
        raise NoReference("its sizes are symbolic, and its body states those of one run")
    if template.stated("OUTPUT_MAX") or template.stated("ROWS_GUARANTEED_SAFE"):
        raise NoReference("it stores its largest scores, or is told that no row is masked out as a whole")
    if (count := prod(template.number(name) for name in ("ZQ", "HQ", "Q_LEN", "KV_LEN"))) > MOST:
        raise NoReference(f"its {count:,} scores are too many to be held at once")
    if taken := LOCAL & {tensor.name for tensor in tensors.values()}:
        raise NoReference(f"a tensor is called {min(taken)}, as a value of attention is")
    scores, mask = _score_and_mask(template)
    tables = ["", "FULL_"] if template.stated("HAS_FULL_BLOCKS") else [""]
    lines = [*_places(template, held, scores, mask), *_scores(template, held, scores)]
    lines += [_counted(template, held, tables, mask), *_weights(template, held)]
    results = _stored(template, held, tensors)
    named = names_in(*lines, *results.values())
    takes = tuple(parameter for parameter, tensor in tensors.items() if tensor.name in named)
    written = tuple(parameter for parameter, tensor in tensors.items() if tensor.role != "in")
    if lost := [parameter for parameter in written if parameter not in results]:
        raise NoReference(f"its body does not tell what it writes to {lost[0]}")
    return Eager(tuple(lines), tuple(results[parameter] for parameter in written), written, takes, ("visits",))


def _template(kernel: Kernel) -> _Template:
    functions = {node.name: node for node in ast.parse(kernel.text).body if isinstance(node, ast.FunctionDef)}
    if any(name.startswith("bwd_") for name in functions):
        raise NoReference(
            "it is flex attention's backward, whose score has a gradient that is one more graph inside of the graph"
        )
    if INNER not in functions or kernel.name not in functions:
        raise NoReference("its own loop is not read as a tree")
    return _Template(kernel, functions[kernel.name].body, functions[INNER], computation(kernel).names)


def _score_and_mask(template: _Template) -> tuple[str, str]:
    """What becomes of the scores, and which of them a block that is not full keeps."""
    places = {"m": "m", "n": "n", "off_z": "b", "off_h": "h"}
    names = {"qk": ("float32", "scores"), **{name: ("int64", told) for name, told in places.items()}}
    reading = _Reading(template.kernel, names)
    reading.assign(template.inner.body)
    masked = next((s.body for s in template.inner.body if isinstance(s, ast.If) and ast.unparse(s.test) == MASKED), [])
    reading.assign(masked)
    told = _set(template.inner.body, "post_mod_scores"), _set(masked, "mask_mod_output")
    scores, mask = (reading.text(reading.of(value)) for value in told)
    return scores, mask


def _set(statements: Sequence[ast.stmt], name: str) -> ast.expr:
    """What a variable is set to first."""
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return value
    raise NoReference(f"its text sets no {name}")


def _places(template: _Template, held: Mapping[str, Tensor], *texts: str) -> list[str]:
    """The places of scores, as far as they are named: queries go down, keys across."""
    on = f"device={held['Q'].name}.device"
    lines = {
        "b": f"b = torch.arange({template.number('ZQ')}, {on})[:, None, None, None]  # the batch",
        "h": f"h = torch.arange({template.number('HQ')}, {on})[:, None, None]  # the head",
    }
    return [line for name, line in lines.items() if name in names_in(*texts)] + [
        f"m = torch.arange({template.number('Q_LEN')}, {on})[:, None]  # the query",
        f"n = torch.arange({template.number('KV_LEN')}, {on})  # the key",
    ]


def _scores(template: _Template, held: Mapping[str, Tensor], score: str) -> list[str]:
    shared = template.number("GQA_SHARED_HEADS")
    for letter, heads, rows, channels, axes in (
        ("q", ("ZQ", template.number("HQ")), "Q_LEN", "QK_HEAD_DIM", "zhmk"),
        ("k", ("ZKV", template.number("HQ") // shared), "KV_LEN", "QK_HEAD_DIM", "zhnk"),
        ("v", ("ZKV", template.number("HQ") // shared), "KV_LEN", "V_HEAD_DIM", "zhnk"),
    ):
        tensor = held[letter.upper()]
        shape = (template.number(heads[0]), heads[1], template.number(rows), template.number(channels))
        steps = [template.number(f"stride_{letter}{axis}") for axis in axes]
        if not has_layout(tensor.type, shape, steps):
            raise NoReference(f"it takes {tensor.parameter} for another view of its memory")
    again = f".repeat_interleave({shared}, 1)" if shared > 1 else ""
    key = f"{_wide(held['K'])}{again}.mT"
    if (scale := template.stated("SM_SCALE")) is None:
        raise NoReference("its text does not state SM_SCALE as a number")
    lines = [f"scores = {_wide(held['Q'])} @ {key} * {scale}"]
    return lines if score == "scores" else [*lines, f"scores = {score}"]


def _wide(tensor: Tensor) -> str:
    return tensor.name if tensor.type.dtype == "float32" else f"{tensor.name}.float()"


def _counted(template: _Template, held: Mapping[str, Tensor], tables: Sequence[str], mask: str) -> str:
    """How often each query counts each key: by the blocks that the tables list, those that are not full by the mask too."""
    rows, columns = template.number("SPARSE_Q_BLOCK_SIZE"), template.number("SPARSE_KV_BLOCK_SIZE")
    blocks = -(-template.number("KV_LEN") // columns)
    along = (("SPARSE_Z", "ZQ"), ("SPARSE_HQ", "HQ"))
    if any(template.number(said) not in {1, template.number(whole)} for said, whole in along):
        raise NoReference("its blocks are shared by some of its heads")
    parts = []
    for table in tables:
        counts, places = held.get(f"{table}KV_NUM_BLKS"), held.get(f"{table}KV_IDX")
        if counts is None or places is None:
            raise NoReference("its body does not state which tensors are its full blocks")
        visited = f"visits({counts.name}, {places.name}, {blocks})"
        if blocks > 1 or template.number("Q_LEN") > rows:
            visited += f"[..., m // {rows}, n // {columns}]"
        parts.append(visited if table or mask == "True" else f"{visited} * ({mask})")
    return f"counted = {' + '.join(parts)}"


def _weights(template: _Template, held: Mapping[str, Tensor]) -> list[str]:
    shared = template.number("GQA_SHARED_HEADS")
    again = f".repeat_interleave({shared}, 1)" if shared > 1 else ""
    return [
        "scores = scores + counted.to(scores.dtype).log()  # the logarithm of 0 leaves a key out",
        "lse = torch.logsumexp(scores, -1)",
        "weights = torch.exp(scores - lse.masked_fill(lse == -math.inf, 0.0)[..., None])  # a row without keys is 0",
        f"attended = weights @ {_wide(held['V'])}{again}",
    ]


def _stored(template: _Template, held: Mapping[str, Tensor], tensors: Mapping[str, Tensor]) -> dict[str, str]:
    """Parameter -> what it holds afterwards."""
    results = {held["LSE"].parameter: "lse / math.log(2)"}
    reading = _Reading(template.kernel, {"acc": ("float32", "attended")})
    reading.assign(template.statements)
    shape = tuple(template.number(name) for name in ("ZQ", "HQ", "Q_LEN", "V_HEAD_DIM"))
    for statement in template.statements:
        match statement:
            case ast.Expr(
                ast.Call(
                    func=ast.Attribute(attr="store"), args=[ast.BinOp(left=ast.Name(id=name), right=address), given, *_]
                )
            ):
                if name not in tensors:
                    raise NoReference(f"its text stores to {name}, which is no tensor of the launch")
                type_, value = tensors[name].type, reading.of(given)
                if isinstance(value, Cast) and value.operand.dtype == type_.dtype:
                    value = value.operand
                text = reading.text(reading.cast(value, type_.dtype))
                results[name] = text + permutation(type_, shape, _moves(address, template.statements))
    return results


def _moves(address: ast.expr, statements: Sequence[ast.stmt]) -> tuple[int, ...]:
    """How far an address moves with each of the template's places.

    Raises:
        NoReference: it is no sum of them.
    """
    reading = Evaluation(names={axis: Unknown("int32", NOWHERE, axis, ()) for axis in AXES})
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=variable)], value=value) if variable not in AXES:
                reading.names[variable] = reading.of(value)
    factors = {term.of: term.factor for term in index_of(reading.of(address)).terms}
    axes = [reading.names[axis] for axis in AXES]
    if not factors.keys() <= {*axes}:
        raise NoReference("its result is stored where no sum of its places tells")
    return tuple(factors.get(axis, 0) for axis in axes)


# ------------------------------------------------------------ what the template's text computes


class _Reading(Evaluation):
    """Reads the template's text as a tree of operations on scores and places alone.

    Args:
        names: A variable of the template -> its dtype, and what the reference calls it.
    """

    def __init__(self, kernel: Kernel, names: Mapping[str, tuple[str, str]]) -> None:
        super().__init__()
        self.kernel, self.dtypes = kernel, {told: dtype for dtype, told in names.values()}
        self.names |= {name: self.make(Unknown, dtype, NOWHERE, told, ()) for name, (dtype, told) in names.items()}

    def unknown(self, node: ast.AST, *inputs: Expression, dtype: str = "") -> Expression:
        raise NoReference(f"`{ast.unparse(node)[:60]}` in its text is no operation on scores and places alone")

    def assign(self, statements: Iterable[ast.stmt]) -> None:
        """Learn what the variables `tmp0` ... of some statements are; others of them are left."""
        for statement in statements:
            match statement:
                case ast.Assign(targets=[ast.Name(id=variable)], value=value) if variable.startswith("tmp"):
                    self.names[variable] = self.of(value)

    def text(self, value: Expression) -> str:
        """A value in PyTorch."""
        return text_of(self.kernel, self.dtypes, value)


# ------------------------------------------------------------ where the result lies


def has_layout(type_: TensorType, shape: Sequence[int], steps: Sequence[int]) -> bool:
    """Whether a tensor is of this shape and lies in memory by these strides; the stride of one element alone is none."""
    if tuple(type_.shape) != tuple(shape) or len(steps) != len(shape):
        return False
    return all(size == 1 or step == found for size, step, found in zip(shape, steps, type_.stride, strict=True))


def permutation(type_: TensorType, shape: Sequence[int], steps: Sequence[int]) -> str:
    """How a value of a shape is turned to lie in a tensor by strides of the value's own: nothing, or `.permute(0, 2, 1, 3)`.

    Raises:
        NoReference: no order of its dimensions fills the tensor.
    """
    if has_layout(type_, shape, steps):
        return ""
    order = sorted(range(len(shape)), key=lambda d: (shape[d] > 1, -steps[d]))  # a dimension of one may stand anywhere
    turned = TensorType(type_.dtype, tuple(shape[d] for d in order), tuple(steps[d] for d in order))
    if strides(turned) or strides(type_):
        raise NoReference("its result is stored as another view of its memory")
    return f".permute({', '.join(map(str, order))})"
