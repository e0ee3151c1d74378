"""What the comment above a kernel claims, against what the body does: operators without a trace in it, operations without a cause.

Inductor's comment over-attributes: it names every node that had a part in any of the kernel's buffers, also where the part was done by
another kernel, by the wrapper, or not at all. And a body may hold what no named operator explains, in text that was edited by hand.
An operator is known by what its lowering leaves in a body (torch/_inductor/{lowering,decomposition}.py, codegen/triton.py, 2.1 to 2.15).
Operators that are not in the tables claim nothing: silence is better than a false alarm.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inductor_lab import fragment
from inductor_lab.aten import CONSTANTS, COPIES, PRODUCTS, REARRANGED, VIEWS
from inductor_lab.computation.operators import TABLE
from inductor_lab.records import Claim, Kernel, Node

SILENT = VIEWS | COPIES | CONSTANTS | REARRANGED | {
    "_assert_scalar", "_assert_async", "sym_size", "inductor_lookup_seed", "inductor_seeds", "placeholder",
}  # fmt: skip
"""Views, copies and constants: what is left of them is in the addresses, the masks and the values, and is no operation."""

_COMPARED = {"lt", "le", "gt", "ge", "eq", "ne"}
_ADDED = {"add", "sub", "fma", "atomic_add", "associative_scan"}
_SCALED = {"mul", "div", "fma", "shift_left", "shift_right"}
_EXP = {"exp", "exp2", "expm1"}
_LOG = {"log", "log2", "log1p", "log10"}
_SUMMED = {"sum", "reduce", "add", "any", "welford", "welford_reduce", "welford_combine", "dot"}
_LARGEST = {
    "max2",
    "fmax2",
    "maximum",
    "max",
    "max_with_index",
    "max_with_first_index",
    "argmax",
    "reduce",
    "where",
    "online_softmax_combine",
    "any",
}
_SMALLEST = {"min2", "minimum", "min", "min_with_index", "min_with_first_index", "argmin", "reduce", "where"}
_SCANNED = {
    "associative_scan",
    "exclusive_scan_decoupled_lookback",
    "exclusive_scan_decoupled_lookback_64",
    "cumsum",
    "cumprod",
    "add",
    "mul",
}
_SCATTERED = {"atomic_add", "store.scatter", "store", "atomic_max", "atomic_min", "atomic_xchg"}
_GATHERED = {"load.gather"}
_READ = {"load.gather", "load"}  # an index that is known beforehand becomes an address
_RANDOM = {"rand", "randn", "rand4x", "randn4x", "randint4x", "randint64", "randint"}

PLAIN = {
    "rev", "tril", "triu", "bitwise_not", "sgn", "leaky_relu_backward", "hardsigmoid", "hardsigmoid_backward", "hardtanh_backward",
    "hardswish", "hardswish_backward", "mse_loss", "mse_loss_backward", "smooth_l1_loss", "smooth_l1_loss_backward", "nll_loss_backward",
    "native_dropout_backward", "max_pool2d_with_indices", "_low_memory_max_pool_with_offsets", "avg_pool2d", "nan_to_num", "lerp", "addcmul",
    "addcdiv", "fma", "ldexp", "_scaled_dot_product_flash_attention", "_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention",
}  # fmt: skip
"""They leave arithmetic and comparisons, or a library's call: nothing by which they are told from others."""

_LEAVES: dict[str, set[str]] = {
    "add": _ADDED, "sub": _ADDED | {"neg"}, "rsub": _ADDED | {"neg"}, "mul": _SCALED | {"mul", "neg", "pow"}, "neg": {"neg", "sub", "mul"},
    "div": _SCALED | {"floordiv", "div_floor_integer", "truediv"}, "reciprocal": {"div", "reciprocal", "pow"},
    "floor_divide": {"floordiv", "div_floor_integer", "floor"}, "pow": {"pow", "mul", "sqrt", "rsqrt", "div"}, "square": {"mul"},
    "sqrt": {"rsqrt"}, "rsqrt": {"sqrt"}, "sign": {"sign", "lt", "gt"}, "round": {"round"},
    "exp": _EXP, "exp2": _EXP, "expm1": _EXP, "log": _LOG, "log2": _LOG, "log10": _LOG, "log1p": _LOG,
    "tanh": _EXP, "sinh": _EXP, "cosh": _EXP, "asinh": _LOG, "acosh": _LOG, "atanh": _LOG, "atan": {"inline_asm_elementwise"},
    "erfc": {"erf"}, "hypot": {"sqrt"},
    "sigmoid": {"sigmoid"} | _EXP, "silu": {"sigmoid"} | _EXP, "gelu": {"erf", "tanh"} | _EXP, "softplus": _LOG, "mish": {"tanh"} | _EXP,
    "relu": {"maximum", "gt", "le", "where", "clamp"}, "leaky_relu": {"where", "maximum", "gt"}, "elu": _EXP, "hardtanh": {"maximum", "minimum", "clamp"},
    "clamp": {"maximum", "minimum", "clamp"}, "clamp_min": {"maximum", "clamp"}, "clamp_max": {"minimum", "clamp"},
    "maximum": {"where"}, "minimum": {"where"},
    "where": {"where", "and", "or"}, "masked_fill": {"where"}, "threshold_backward": {"where"} | _COMPARED,
    "lt": _COMPARED, "le": _COMPARED, "gt": _COMPARED, "ge": _COMPARED, "eq": _COMPARED | {"not", "xor"}, "ne": _COMPARED | {"xor"},
    "isnan": {"isnan", "ne"}, "isinf": {"isinf"},
    "bitwise_and": {"and"}, "logical_and": {"and"}, "bitwise_or": {"or"}, "logical_or": {"or"}, "bitwise_xor": {"xor"}, "logical_not": {"not", "eq", "xor"},
    "sum": _SUMMED, "mean": _SUMMED | _SCALED, "var": _SUMMED, "var_mean": _SUMMED, "std": _SUMMED, "prod": {"prod", "reduce", "mul"},
    "native_layer_norm": _SUMMED, "_fused_rms_norm": _SUMMED, "native_group_norm": _SUMMED,
    "amax": _LARGEST, "max": _LARGEST, "argmax": _LARGEST, "amin": _SMALLEST, "min": _SMALLEST, "argmin": _SMALLEST,
    "any": {"any", "or", "max2", "maximum", "reduce", "ne"}, "all": {"any", "all", "min2", "and", "not", "reduce"},
    "prepare_softmax_online": {"online_softmax_combine", "online_softmax_reduce"} | _LARGEST | _EXP,
    "_softmax": _EXP, "_log_softmax": _LOG | _EXP, "logsumexp": _LOG | _EXP,
    "cumsum": _SCANNED, "cumprod": _SCANNED, "logcumsumexp": _SCANNED, "cummax": _SCANNED | {"maximum"}, "sort": {"sort_with_index", "sort"},
    "embedding": _GATHERED, "index": _READ, "gather": _READ, "index_select": _READ, "_unsafe_index": _READ, "_unsafe_masked_index": _READ,
    "index_put": _SCATTERED - {"store"}, "_unsafe_index_put": _SCATTERED - {"store"}, "_unsafe_masked_index_put_accumulate": _SCATTERED - {"store"},
    "index_add": _SCATTERED - {"store"}, "scatter_add": _SCATTERED - {"store"}, "scatter": _SCATTERED | {"where"}, "scatter_reduce": _SCATTERED,
    "embedding_dense_backward": _SCATTERED - {"store"},
    "rand": _RANDOM, "rand_like": _RANDOM, "randn": _RANDOM, "randn_like": _RANDOM, "inductor_random": _RANDOM, "randint": _RANDOM,
    "inductor_randint": _RANDOM, "native_dropout": _RANDOM | {"where", "mul"}, "bernoulli": _RANDOM,
}  # fmt: skip
"""What else than an operation that may stand for it the lowering of an operator may leave; every spelling of it counts."""


def _spelled(words: Iterable[str]) -> set[str]:
    """Operations with the other names by which a text calls them: `fast_expf` for `exp`."""
    return {name for word in words for name in (word, *(TABLE[word].spellings if word in TABLE else ()))}


_TABLED = {row.name for row in TABLE.values() if row.name in row.aten} | {row.aten_name for row in TABLE.values()} - {
    ""
}
"""ATen operators of which a row of the table says what they are in a body."""
LEAVES: dict[str, set[str]] = {
    operator: _spelled(
        {*_LEAVES.get(operator, ()), *(row.name for row in TABLE.values() if operator in (*row.aten, row.aten_name))}
    )
    for operator in sorted((_LEAVES.keys() | _TABLED) - PLAIN)
}
"""Operator -> words of `Kernel.ops`, of which its lowering leaves one at least."""

_SOFTMAX = {
    "exp",
    "_softmax",
    "_log_softmax",
    "prepare_softmax_online",
    "logsumexp",
    "_softmax_backward_data",
    "_log_softmax_backward_data",
}
_EXPONENTIAL = _SOFTMAX | {
    "exp2", "expm1", "sigmoid", "silu", "sigmoid_backward", "silu_backward", "elu", "elu_backward", "selu", "celu", "softplus", "mish",
    "softplus_backward", "mish_backward", "tanh", "gelu", "gelu_backward", "sinh", "cosh", "logaddexp", "log_sigmoid_forward",
    "log_sigmoid_backward", "logcumsumexp", "pow", "normal", "glu", "glu_backward",
}  # fmt: skip
_ROOTS = {
    "sqrt", "rsqrt", "pow", "std", "norm", "linalg_vector_norm", "native_layer_norm", "native_group_norm", "native_batch_norm", "hypot",
    "_native_batch_norm_legit", "_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training", "_fused_rms_norm", "var",
    "var_mean", "_foreach_sqrt", "_foreach_pow", "_fused_adam", "_fused_adamw", "batch_norm_with_update", "dist", "native_layer_norm_backward",
    "native_group_norm_backward", "_weight_norm_interface", "cudnn_batch_norm", "convolution_backward", "randn", "normal", "frexp", "acosh", "asinh",
    "native_batch_norm_backward", "rms_norm", "linalg_norm", "_fused_rms_norm_backward",
}  # fmt: skip
_SCATTERS = {
    "index_put", "index_put_", "_unsafe_index_put", "_unsafe_masked_index_put_accumulate", "embedding_dense_backward", "index_add", "scatter_add",
    "scatter", "scatter_reduce", "_unsafe_masked_index", "upsample_bilinear2d_backward", "_upsample_bilinear2d_aa_backward", "select_scatter",
    "max_pool2d_with_indices_backward", "_adaptive_avg_pool2d_backward", "grid_sampler_2d_backward", "index_copy", "put", "select_backward",
    "gather", "index_select", "_low_memory_max_pool_offsets_to_indices", "avg_pool2d_backward", "index", "sum", "any",
    "embedding", "unfold_backward", "reflection_pad2d_backward", "reflection_pad1d_backward", "replication_pad2d_backward", "embedding_bag_backward",
}  # fmt: skip
_GATED = {
    "sigmoid", "silu", "silu_backward", "sigmoid_backward", "glu", "glu_backward", "log_sigmoid_forward", "log_sigmoid_backward",
    "binary_cross_entropy_with_logits", "mish", "mish_backward", "hardswish", "gelu",
}  # fmt: skip
_LOGARITHMIC = _EXPONENTIAL | {
    "log", "log2", "log10", "log1p", "xlogy", "acosh", "asinh", "atanh", "logit", "rand", "randn", "inductor_random", "randn_like",
    "exponential", "kl_div", "binary_cross_entropy", "binary_cross_entropy_with_logits", "nll_loss_forward", "logit_backward",
}  # fmt: skip
_DRAWN = {
    "rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "randperm", "inductor_random", "inductor_randint", "bernoulli",
    "normal", "uniform", "exponential", "native_dropout", "dropout", "multinomial", "rrelu_with_noise", "random",
}  # fmt: skip
_TURNED = {"randn", "randn_like", "inductor_random", "polar", "view_as_complex", "sinc"}
_CAUSED: tuple[tuple[set[str], set[str]], ...] = (
    ({"exp", "exp2", "expm1"}, _EXPONENTIAL),
    ({"log", "log2", "log1p", "log10"}, _LOGARITHMIC),
    ({"sigmoid"}, _GATED),
    ({"sin"}, _TURNED | {"sin"}),
    ({"cos"}, _TURNED | {"cos"}),
    ({"tanh"}, {"tanh", "tanh_backward", "gelu", "gelu_backward", "mish", "mish_backward", "sigmoid"}),
    ({"erf"}, {"erf", "erfc", "gelu", "gelu_backward", "special_ndtr", "ndtr"}),
    ({"tan"}, {"tan"}),
    ({"atan"}, {"atan"}),
    ({"asin"}, {"asin"}),
    ({"acos"}, {"acos"}),
    ({"sqrt", "rsqrt"}, _ROOTS),
    ({"atomic_add"}, _SCATTERS),
    ({"sort_with_index"}, {"sort", "topk", "argsort", "median", "msort"}),
    (_RANDOM, _DRAWN),
)
CAUSES: dict[str, set[str]] = {word: operators for words, operators in _CAUSED for word in _spelled(words)}
"""Word of `Kernel.ops` -> the operators that it can come from. Arithmetic, comparisons and loads come from addresses and masks too."""


_WHOLE = {"mm", "bmm"}
"""Products that a fragment names as such wherever the wrapper calls them: without a node they were decomposed (torch/_inductor/decomposition.py)."""


@dataclass(frozen=True)
class Difference:
    """One thing in which claim and body differ."""

    kind: str
    """`product`: the wrapper calls it; `decomposed`: nobody does; `read`: another kernel computes it, this one reads it; `absent`: claimed, and nowhere in the
    body; `unexplained`: in the body, and by nothing claimed."""
    what: tuple[str, ...]
    """Operators as the comment names them, or words of `Kernel.ops`."""
    text: str


def differences(kernel: Kernel) -> list[Difference]:
    """How the body differs from the comment's claim. Nothing is said of a kernel without a comment, of templates and of user's kernels."""
    claim = kernel.claim
    if not kernel.ops or kernel.category in {"template", "user_autotune"} or not (claim.aten or claim.fragment):
        return []
    body = set(kernel.ops)
    found: list[Difference] = []
    lowered, idle = _lowered(claim.fragment), fragment.idle(claim)
    named = {operator: name for operator, name in _named(claim).items() if operator in PRODUCTS}
    decomposed = {operator for operator in named if lowered and operator in _WHOLE and operator not in lowered}
    products = sorted(named[operator] for operator in named.keys() - decomposed)
    if products and "dot" not in body:
        text = f"the comment names {', '.join(products)}: the wrapper calls the product, this body does not compute it"
        found.append(Difference("product", tuple(products), text))
    if decomposed and "dot" not in body:
        names = tuple(sorted(named[operator] for operator in decomposed))
        text = f"the comment names {', '.join(names)}: taken apart, its elements are multiplied where they are needed; no product is called"
        found.append(Difference("decomposed", names, text))
    computed = _lowered(node for node in claim.fragment if node.name not in idle | _indices(claim))
    left = {operator for operator, words in LEAVES.items() if words & body}
    elsewhere = _lowered(node for node in claim.fragment if node.name in idle)
    read = tuple(
        elsewhere[operator] for operator in elsewhere if operator in LEAVES and operator not in left | set(computed)
    )
    if read:
        by = ", ".join(fragment.read(claim))
        text = f"the comment names {', '.join(read)}: another kernel computes {by}, and this one reads it"
        if fragment.overwrites(claim):
            text = f"the comment names {', '.join(read)}: another kernel has done it, in the memory that this one writes into"
        found.append(Difference("read", read, text))
    claimed = computed if claim.fragment else _named(claim)
    absent = tuple(claimed[operator] for operator in claimed if operator in LEAVES and operator not in left)
    if absent:
        text = f"the comment names {', '.join(absent)}, of which the body holds nothing: the claim is wider than the kernel"
        found.append(Difference("absent", absent, text))
    operators = set(_named(claim)) | set(lowered)
    unexplained = tuple(word for word in kernel.ops if word in CAUSES and not CAUSES[word] & operators)
    if unexplained and operators <= _KNOWN:
        text = f"the body does {', '.join(unexplained)}, which nothing that the comment names explains"
        found.append(Difference("unexplained", unexplained, text))
    return found


_KNOWN = SILENT | PRODUCTS | PLAIN | set(LEAVES) | {operator for causes in CAUSES.values() for operator in causes}
"""Operators of which it is known what they can leave in a body: beside any other, nothing can be called unexplained."""


def _named(claim: Claim) -> dict[str, str]:
    """Operator -> its name in the comment, of those that the user's program called."""
    return {fragment.operator(name): name for name in claim.aten}


def _lowered(nodes: Iterable[Node]) -> dict[str, str]:
    """The same of a fragment's nodes: what is left after decomposition, of which each was lowered on its own."""
    called = (node.target for node in nodes if node.target != "placeholder")
    return {fragment.operator(target): ".".join(target.split(".")[:2]) for target in called}


def _indices(claim: Claim) -> set[str]:
    """Nodes that are made of no tensor: an address or a constant is what is left of them."""
    found: set[str] = set()
    for node in claim.fragment:
        if node.target != "placeholder" and found.issuperset(node.arguments):
            found.add(node.name)
    return found
