"""Compares the comment above a kernel with its body: operators without a trace, and operations that nothing explains.

Inductor's comment over-attributes: it names every node that had a part in any of the kernel's buffers, also where the part was done by
another kernel, by the wrapper, or not at all. And a body may hold what no named operator explains, in text that was edited by hand.
An operator is known by what its lowering leaves in a body (torch/_inductor/{lowering,decomposition}.py, codegen/triton.py, 2.1 to 2.15).
Operators that are not in the tables claim nothing: silence is better than a false alarm.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inductor_lab import fragment
from inductor_lab.aten import CONSTANTS, COPIES, MULTIPLIED, PRODUCTS, REARRANGED, VIEWS
from inductor_lab.aten import operator as operator_of
from inductor_lab.computation.operators import TABLE
from inductor_lab.records import Claim, Kernel, Node

SILENT = VIEWS | COPIES | CONSTANTS | REARRANGED | {
    "_assert_scalar", "_assert_async", "sym_size", "inductor_lookup_seed", "inductor_seeds", "placeholder",
}  # fmt: skip
"""Views, copies and constants: what is left of them is in the addresses, the masks and the values, and is no operation."""

_COMPARED = "lt le gt ge eq ne"
_ADDED = "add sub fma atomic_add associative_scan"
_SCALED = "mul div fma shift_left shift_right"
_EXP = "exp exp2 expm1"
_LOG = "log log2 log1p log10"
_ROOT = "sqrt rsqrt"
_SUMMED = "sum reduce add any welford welford_reduce welford_combine dot"
_LARGEST = "max2 fmax2 maximum max max_with_index max_with_first_index argmax reduce where online_softmax_combine any"
_SCATTERED = "atomic_add store.scatter atomic_max atomic_min atomic_xchg"
_RANDOM = "rand randn rand4x randn4x randint4x randint64 randint"

_LEAVES: dict[str, str] = {
    "add": _ADDED, "sub rsub": f"{_ADDED} neg", "mul": f"{_SCALED} neg pow", "neg": "neg sub mul", "square": "mul", "reciprocal": "div reciprocal pow",
    "div": f"{_SCALED} floordiv div_floor_integer truediv", "floor_divide": "floordiv div_floor_integer floor", "sign": "sign lt gt", "round": "round",
    "pow": f"pow mul div {_ROOT} {_EXP} {_LOG}", "ldexp": "mul pow", "sqrt rsqrt hypot": _ROOT,
    "exp exp2 expm1 tanh sinh cosh elu _softmax": _EXP, "log log2 log10 log1p atanh": _LOG, "asinh acosh": f"{_LOG} {_ROOT}",
    "softplus _log_softmax logsumexp": f"{_LOG} {_EXP}", "sigmoid silu": f"sigmoid tanh {_EXP}", "gelu": f"erf tanh sigmoid {_EXP}",
    "mish": f"tanh sigmoid {_EXP}", "atan": "inline_asm_elementwise", "erfc": "erf", "special_erfcx": "erfcx", "i0": "cyl_bessel_i0",
    "special_i1": "cyl_bessel_i1",
    "relu": "maximum gt le where clamp", "leaky_relu": "where maximum gt", "hardtanh clamp": "maximum minimum clamp", "clamp_min": "maximum clamp",
    "clamp_max": "minimum clamp", "maximum minimum masked_fill": "where", "where": "where and or", "threshold_backward": f"where {_COMPARED}",
    "lt le gt ge": _COMPARED, "eq": f"{_COMPARED} not xor", "ne": f"{_COMPARED} xor", "isnan": "isnan ne", "isinf": "isinf",
    "bitwise_and logical_and": "and", "bitwise_or logical_or": "or", "bitwise_xor": "xor", "logical_not": "not eq xor",
    "sum": f"{_SUMMED} atomic_add", "mean": f"{_SUMMED} {_SCALED}", "prod": "prod reduce mul",
    "var var_mean std native_layer_norm _fused_rms_norm native_group_norm": f"{_SUMMED} {_ROOT}",
    "amax max argmax": _LARGEST, "amin min argmin": "min2 minimum min min_with_index min_with_first_index argmin reduce where",
    "any": "any or max2 maximum reduce ne atomic_add", "all": "any all min2 and not reduce",
    "prepare_softmax_online": f"online_softmax_combine online_softmax_reduce {_LARGEST} {_EXP}", "sort": "sort_with_index sort",
    "cumsum cumprod cummax logcumsumexp":
        f"associative_scan exclusive_scan_decoupled_lookback exclusive_scan_decoupled_lookback_64 cumsum cumprod add mul maximum {_EXP} {_LOG}",
    "embedding": "load.gather atomic_add",
    "index gather index_select _unsafe_index _unsafe_masked_index": "load.gather load atomic_add",  # an index that is known beforehand is an address
    "index_put _unsafe_index_put _unsafe_masked_index_put_accumulate index_add scatter_add embedding_dense_backward": _SCATTERED,
    "scatter scatter_reduce": f"{_SCATTERED} store where",
    "rand rand_like randn randn_like inductor_random randint inductor_randint bernoulli": _RANDOM, "native_dropout": f"{_RANDOM} where mul",
}  # fmt: skip
"""Operators -> what else than an operation that may stand for them their lowering may leave; every spelling of it counts."""


def _spelled(words: Iterable[str]) -> set[str]:
    """Operations with the other names by which a text calls them: `fast_expf` for `exp`."""
    return {name for word in words for name in (word, *(TABLE[word].spellings if word in TABLE else ()))}


_WORDS = {operator: words.split() for operators, words in _LEAVES.items() for operator in operators.split()}
_TABLED = {name for row in TABLE.values() for name in (row.aten_name, *{row.name}.intersection(row.aten)) if name}
"""ATen operators of which a row of the table says what they are in a body."""
LEAVES: dict[str, set[str]] = {
    operator: _spelled([*_WORDS.get(operator, ()), *(row.name for row in TABLE.values() if operator in (*row.aten, row.aten_name))])
    for operator in sorted(_WORDS.keys() | _TABLED)
}  # fmt: skip
"""Operator -> words of `Kernel.ops`, of which its lowering leaves one at least."""
TELLING = _spelled(
    f"{_EXP} {_LOG} {_RANDOM} {_ROOT} sigmoid sin cos tanh erf tan atan asin acos atomic_add sort_with_index".split()
)
"""Words of `Kernel.ops` that come from an operator which leaves them. Arithmetic, comparisons and loads come from addresses and masks too."""


def explained(word: str, operators: Iterable[str]) -> bool:
    """Whether what a body does may come from one of some operators: of one that is not in the tables it is not known."""
    return word not in TELLING or any(
        word in LEAVES[name] if name in LEAVES else name not in SILENT | PRODUCTS for name in operators
    )


def computed(claim: Claim) -> list[str]:
    """What the comment names, without what only leads to what the kernel reads: `aten.convolution` of a relu and a convolution."""
    idle = fragment.idle(claim)
    read = _lowered(node for node in claim.fragment if node.name in idle).keys()
    own = _lowered(node for node in claim.fragment if node.name not in idle).keys()
    return [name for name in claim.aten if operator_of(name) not in read - own]


PLACED = {"index", "_unsafe_index", "gather", "index_select"}
"""Operators that take elements of their first argument at the places that the others say."""
_LOSS = {"gather", "neg", "ne"}
DECOMPOSED = {"nll_loss_forward": _LOSS, "nll_loss2d_forward": _LOSS}
"""Operators of the program of which simpler nodes are left -> those by which their work is known, one at least, or a sum where nothing goes
backward, which has sums of its own: a constant that the graph shares, such as a loss's 0, is nobody's."""
_LOOKBACK = "exclusive_scan_decoupled_lookback"
SCANNED = {*f"associative_scan {_LOOKBACK} {_LOOKBACK}_64 cumsum cumprod".split()}
"""What a body must do of an operator that goes on from place to place: a pass makes the `cumsum` of ones a number of the place itself."""
BY_A_PASS = re.compile(rf"({'|'.join(sorted(PRODUCTS))})_default(_\d+)?")
"""Nodes of the graph for which a pass took a product of the program's: `bmm` of a batch of one becomes `mm` (fx_passes/joint_graph.py, 2.11)."""


@dataclass(frozen=True)
class Difference:
    """One thing in which claim and body differ."""

    kind: str
    """`product`: computed elsewhere; `decomposed`: nobody does; `read`: another kernel computes it, this one reads it; `absent`: claimed, and nowhere in the
    body; `unexplained`: in the body, and by nothing claimed."""
    what: tuple[str, ...]
    """Operators as the comment names them, or words of `Kernel.ops`."""
    text: str


def differences(kernel: Kernel) -> list[Difference]:
    """How the body differs from the comment's claim: nothing of a kernel without a comment or a user's, of a template only what it reads, and lacks."""
    claim = kernel.claim
    if not kernel.ops or kernel.category == "user_autotune" or not (claim.aten or claim.fragment):
        return []
    told = [Difference(kind, what, text.format(_quoted(what, claim))) for kind, what, text in _told(kernel) if what]
    return [one for one in told if one.kind in ("read", "absent") or kernel.category != "template"]


def _told(kernel: Kernel) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Each kind of difference, in what, and the sentence on it, `{}` for the comment's words."""
    claim = kernel.claim
    lowered, idle = _lowered(claim.fragment), fragment.idle(claim)
    multiplied = {operator: name for operator, name in _named(claim).items() if operator in PRODUCTS}
    if "dot" not in kernel.ops:
        # A fragment names them as such wherever the wrapper calls them (torch/_inductor/decomposition.py), a batch of one as `mm_default`.
        replaced = any(BY_A_PASS.fullmatch(name) for node in claim.fragment for name in (node.name, *node.arguments))
        apart = multiplied.keys() & MULTIPLIED - lowered.keys() if "mul" in lowered and not replaced else set()
        called = [name for operator, name in multiplied.items() if operator not in apart]
        gradients = _named(claim).get("convolution_backward")
        if gradients and ("convolution_backward" in lowered or _spelled(_SUMMED.split()).isdisjoint(kernel.ops)):
            called.append(gradients)  # what else it may stand for is a bias' gradient, a sum
        yield "product", tuple(sorted(called)), "{}: the product is computed elsewhere, not in this body"
        decomposed = "{}: taken apart, its elements are multiplied where they are needed; no product is called"
        yield "decomposed", tuple(sorted(multiplied[operator] for operator in apart)), decomposed
    computed = _lowered(node for node in claim.fragment if node.name not in idle | _indices(claim))
    absent = {operator for operator, words in LEAVES.items() if words.isdisjoint(kernel.ops)}
    elsewhere = _lowered(node for node in claim.fragment if node.name in idle)
    by = f"another kernel computes {', '.join(fragment.read(claim))}, and this one reads it"
    if fragment.overwrites(claim):
        by = "another kernel has done it, in the memory that this one writes into"
    yield "read", tuple(elsewhere[o] for o in elsewhere if o in absent - computed.keys()), f"{{}}: {by}"
    claimed = computed if claim.fragment else _named(claim)
    wider = "{}, of which the body holds nothing: the claim is wider than the kernel, by this at least"
    named = _named(claim)
    backward = any(operator.endswith("_backward") for operator in named)
    gone = {
        one
        for one, of in DECOMPOSED.items()
        if claim.fragment and computed.keys().isdisjoint(of if backward else {*of, "sum"})
    }
    gone |= {"cumsum", "cumprod"} if SCANNED.isdisjoint(kernel.ops) else set()
    lacking = [claimed[operator] for operator in claimed if operator in absent]
    lacking += [named[operator] for operator in named if operator in gone]
    yield "absent", tuple(dict.fromkeys(lacking)), wider
    operators = {*_named(claim), *lowered}
    unexplained = tuple(word for word in kernel.ops if not explained(word, operators))
    yield (
        "unexplained",
        unexplained,
        f"the body does {', '.join(unexplained)}, which nothing that the comment names explains",
    )


def _quoted(what: Iterable[str], claim: Claim) -> str:
    """Where the comment names operators: in its list, or only in the fragment below that, of what a decomposition made of them."""
    listed = [name for name in what if name in claim.aten]
    below = [name for name in what if name not in claim.aten]
    if not listed:
        return f"the comment's fragment holds {', '.join(below)}"
    return f"the comment names {', '.join(listed)}" + (f", and in its fragment {', '.join(below)}" if below else "")


def _named(claim: Claim) -> dict[str, str]:
    """Operator -> its name in the comment, of those that the user's program called."""
    return {operator_of(name): name for name in claim.aten}


def _lowered(nodes: Iterable[Node]) -> dict[str, str]:
    """The same of a fragment's nodes: what is left after decomposition, of which each was lowered on its own."""
    called = (node.target for node in nodes if node.target != "placeholder")
    return {operator_of(target): ".".join(target.split(".")[:2]) for target in called}


def _indices(claim: Claim) -> set[str]:
    """Nodes that are made of no tensor: an address or a constant is what is left of them.

    A fragment leaves out what is done to symbolic sizes: whole numbers that lead to the place of an index are made of these where no tensor is listed.
    """
    listed, found = {node.name for node in claim.fragment}, set[str]()
    places = fragment.leading(
        claim,
        (one for node in claim.fragment if operator_of(node.target) in PLACED for one in node.arguments[1:]),
    )
    for node in claim.fragment:
        whole = node.name in places and node.type and node.type.dtype.startswith("int")
        of = listed.intersection(node.arguments) if whole else {*node.arguments}
        if node.target != "placeholder" and of <= found:
            found.add(node.name)
    return found
