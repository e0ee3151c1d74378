"""What a kernel is called: in the field's own words where the comment names a composition, a softmax, a norm, and the body confirms it.

The comment above a kernel names the operators that the user's program called, before they were taken apart; the body holds what is left
of them. A composition is believed where the body does what it can not do without, and never for what the wrapper or another kernel
computes (`annotate.claims`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from inductor_lab.annotate.claims import LEAVES, SILENT, differences
from inductor_lab.aten import EXTERN, PRODUCTS
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.tree import Reduction, walk
from inductor_lab.eject.compositions import averaged, clamps_at_zero, computed, decays, with_gelu
from inductor_lab.records import Graph, Kernel, Launch, LaunchArgument

_EXP = {"exp", "exp2", "online_softmax_combine", "online_softmax_reduce"}
_FOLDED = {"sum", "welford", "welford_reduce", "welford_combine", "reduce"}
_NORMALIZED = _FOLDED | {"rsqrt", "sqrt", "sub"}
_BACK = {"sum", "sub", "rsqrt"}
_CHOSEN = {"where", "maximum", "minimum"}
_DRAWN = {"rand", "rand4x", "mul"}
COMPOSED: dict[str, tuple[str, set[str]]] = {
    "_softmax": ("softmax", _EXP),
    "_log_softmax": ("log_softmax", _EXP | {"log"}),
    "prepare_softmax_online": ("softmax", _EXP),
    "logsumexp": ("logsumexp", {"log"}),
    "_softmax_backward_data": ("softmax_backward", _BACK | {"fma"}),
    "_log_softmax_backward_data": ("log_softmax_backward", _EXP),
    "native_layer_norm": ("layer_norm", _NORMALIZED),
    "native_layer_norm_backward": ("layer_norm_backward", _BACK),
    "native_group_norm": ("group_norm", _NORMALIZED),
    "native_group_norm_backward": ("group_norm_backward", _BACK),
    "_fused_rms_norm": ("rms_norm", {"rsqrt"}),
    "_fused_rms_norm_backward": ("rms_norm_backward", _BACK),
    "_native_batch_norm_legit_functional": ("batch_norm", _NORMALIZED),
    "_native_batch_norm_legit_no_training": ("batch_norm", {"rsqrt", "sqrt"}),
    "_native_batch_norm_legit": ("batch_norm", _NORMALIZED),
    "native_batch_norm": ("batch_norm", _NORMALIZED),
    "native_batch_norm_backward": ("batch_norm_backward", _BACK),
    "gelu": ("gelu", {"erf", "tanh", "exp"}),
    "gelu_backward": ("gelu_backward", {"erf", "tanh", "exp"}),
    "silu": ("silu", {"sigmoid", "exp"}),
    "silu_backward": ("silu_backward", {"sigmoid", "exp"}),
    "sigmoid": ("sigmoid", {"sigmoid", "exp"}),
    "sigmoid_backward": ("sigmoid_backward", {"sub"}),
    "tanh_backward": ("tanh_backward", {"sub", "fma"}),
    "softplus": ("softplus", {"log1p", "log"}),
    "mish": ("mish", {"tanh", "exp"}),
    "elu": ("elu", {"expm1", "exp"}),
    "relu": ("relu", {"maximum"}),
    "threshold_backward": ("relu_backward", {"where"}),
    "leaky_relu": ("leaky_relu", {"where"}),
    "leaky_relu_backward": ("leaky_relu_backward", {"where"}),
    "hardswish": ("hardswish", _CHOSEN),
    "hardswish_backward": ("hardswish_backward", _CHOSEN),
    "hardsigmoid": ("hardsigmoid", _CHOSEN),
    "hardsigmoid_backward": ("hardsigmoid_backward", _CHOSEN),
    "hardtanh": ("hardtanh", _CHOSEN),
    "hardtanh_backward": ("hardtanh_backward", _CHOSEN),
    "native_dropout": ("dropout", _DRAWN),
    "native_dropout_backward": ("dropout_backward", {"mul"}),
    "nll_loss_forward": ("nll_loss", {"load.gather"}),
    "nll_loss2d_forward": ("nll_loss", {"load.gather"}),
    "nll_loss_backward": ("nll_loss_backward", {"where"}),
    "nll_loss2d_backward": ("nll_loss_backward", {"where"}),
    "mse_loss": ("mse_loss", {"sub"}),
    "mse_loss_backward": ("mse_loss_backward", {"sub"}),
    "embedding_dense_backward": ("embedding_backward", {"atomic_add", "where"}),
    "max_pool2d_with_indices": ("max_pool2d", {"maximum"}),
    "_low_memory_max_pool_with_offsets": ("max_pool2d", {"maximum"}),
    "max_pool2d_with_indices_backward": ("max_pool2d_backward", {"where", "atomic_add"}),
    "linalg_vector_norm": ("vector_norm", {"sqrt"}),
    "avg_pool2d": ("avg_pool2d", {"add"}),
    "avg_pool2d_backward": ("avg_pool2d_backward", {"add", "where"}),
    "_adaptive_avg_pool2d": ("adaptive_avg_pool2d", {"add"}),
}  # fmt: skip
"""Operator that is taken apart before lowering -> its name in the field, and what its body has one of at least."""
STATISTICS = {"softmax", "log_softmax", "layer_norm", "group_norm", "batch_norm"}
WHOLE = {"cross_entropy", "cross_entropy_backward", "rms_norm", "rms_norm_backward", "rotary"}
"""Compositions that are several operators of the comment."""
_KNOWN = {word for word, _ in COMPOSED.values()} | WHOLE
_CALLED = {
    "max2": "max", "min2": "min", "fmax2": "max", "sort_with_index": "sort", "max_with_index": "argmax", "min_with_index": "argmin",
    "max_with_first_index": "argmax", "min_with_first_index": "argmin",
    "maximum_with_index": "max", "minimum_with_index": "min", "rand4x": "rand",
    "randn4x": "randn", "randint64": "randint", "welford": "var_mean", "welford_reduce": "var_mean", "welford_combine": "var_mean",
    "online_softmax_combine": "softmax", "online_softmax_reduce": "softmax",
    "online_softmax_combine_with_sum": "softmax", "associative_scan": "scan", "rev": "flip",
    "exclusive_scan_decoupled_lookback": "scan", "exclusive_scan_decoupled_lookback_64": "scan", "mod": "remainder", "fmod": "remainder",
    "floordiv": "floor_divide", "clamp_min": "clamp", "clamp_max": "clamp", "index_put_": "index_put", "unsafe_index": "index",
    "unsafe_index_put": "index_put", "_unsafe_index": "index", "_unsafe_index_put": "index_put",
}  # fmt: skip
"""What Inductor and Triton call an operation -> what a person does."""
PLUMBING = {
    "broadcast_to", "where", "and", "or", "not", "xor", "lt", "le", "gt", "ge", "eq", "ne", "unequal", "promote_to_tensor", "float", "int",
    "assume", "static_assert", "device_assert", "static_print", "broadcast", "cast", "pointer_type", "x_grid_barrier", "select_one",
    "bitwise_and", "bitwise_or", "bitwise_not", "logical_and", "logical_or", "logical_not", "scalar_tensor", "floor_to_int",
    "expand_dims", "reshape", "trans", "debug_barrier", "multiple_of", "max_contiguous", "convert_element_type", "lift_fresh",
}  # fmt: skip
"""Operations that most kernels have, and that are no kernel's point."""


def computed_words(
    kernel: Kernel, operators: Sequence[str], found: Computation | None = None, graph: Graph | None = None
) -> tuple[str, ...]:
    """What the kernel computes, a word an operation: compositions where the comment names some, else the graph's form, else the body.

    Args:
        operators: Of the graph's form, where there is one.
        found: Tells a kernel that only folds, the statistics of a norm.
        graph: Tells forward from backward, and an optimizer's step.
    """
    if kernel.category == "user_autotune":
        return (re.sub(r"_\d+$", "", kernel.name),)
    if kernel.category == "template":
        return _template(kernel) or _plain(kernel.ops)
    if step := _step(kernel, graph, found):
        return (step,)
    claimed = _composed(kernel, graph.kind if graph else "unknown")
    if found and "relu" in claimed and not clamps_at_zero(found):  # the maximum is a pooling's
        claimed = tuple(word for word in claimed if word != "relu")
    if (_KNOWN & set(claimed)) - set(operators):  # else the graph's form has them all, in its own order
        return with_gelu(_folded(claimed, kernel, found), found)
    return with_gelu(_plain(operators), found) or _compared(operators) or _done(kernel, found) or _claimed(kernel)


def _done(kernel: Kernel, found: Computation | None) -> tuple[str, ...]:
    """What the body does to what it stores."""
    words = _plain(computed(kernel.ops, found))
    return with_gelu(averaged(words, found) if "aten.mean" in kernel.claim.aten else words, found)


def _plain(operations: Sequence[str]) -> tuple[str, ...]:
    """Operations by the names that people use, each once, less the plumbing."""
    named = (re.sub(r"_rn$", "", name).strip("_") for name in operations)
    kept = (
        name for name in named if name not in PLUMBING and not name.startswith(("cast.", "load", "store", "assume_"))
    )
    return tuple(dict.fromkeys(_CALLED.get(name, name) for name in kept))


def _compared(operations: Sequence[str]) -> tuple[str, ...]:
    """The selections and comparisons of a graph's form that has nothing else: a mask is what the kernel is for."""
    called = {"lt", "le", "gt", "ge", "eq", "ne", "where", "logical_not", "bitwise_not", "bitwise_and", "logical_and"}
    return tuple(name for name in operations if name in called)


def _claimed(kernel: Kernel) -> tuple[str, ...]:
    """The claimed operators of a kernel that only moves and chooses: a scatter into zeros."""
    words = (_confirmed(name.rpartition(".")[2], kernel.ops) for name in kernel.claim.aten)
    return tuple(dict.fromkeys(filter(None, words)))


def _template(kernel: Kernel) -> tuple[str, ...]:
    """A template's operation, and then what is done to its result."""
    names = [name.rpartition(".")[2] for name in kernel.claim.aten]
    products = [name for name in names if name in PRODUCTS or "attention" in name]
    rest = [word for name in names if name not in products and (word := _confirmed(name, set(kernel.ops)))]
    return tuple(dict.fromkeys([*products, *rest]))


def _confirmed(operator: str, body: Collection[str]) -> str:
    """The word for a claimed operator that the body has a trace of; empty for others, and for what computes nothing."""
    if operator in SILENT | EXTERN | PLUMBING or "dot_product" in operator:
        return ""
    if operator in COMPOSED:
        word, traces = COMPOSED[operator]
        return word if traces.intersection(name.removesuffix("_rn") for name in body) else ""
    if operator in LEAVES and not LEAVES[operator].intersection(body):
        return ""
    return _CALLED.get(operator, operator.strip("_"))


def _composed(kernel: Kernel, kind: str) -> tuple[str, ...]:
    """The claimed operators that the body has a trace of, compositions by their names."""
    elsewhere = {name.rpartition(".")[2] for found in differences(kernel) for name in found.what}
    claimed = [name.rpartition(".")[2].rstrip("_") for name in kernel.claim.aten]
    words = [
        word
        for name in claimed
        if (name not in elsewhere or name in COMPOSED) and (word := _confirmed(name, kernel.ops))
    ]
    words = _gathered(words, kernel, kind)
    backward = {word for word in words if word.endswith("_backward")}
    if kind in {"forward", "inference"} and set(words) - backward:  # what the backward pass needs is only kept here
        words = [word for word in words if word not in backward]
    elif backward:
        words = [word for word in words if f"{word}_backward" not in backward]
    return tuple(dict.fromkeys(words))


def _gathered(words: list[str], kernel: Kernel, kind: str) -> list[str]:
    """The words with those together that are one thing: a cross entropy, an RMS norm, a rotation of queries and keys."""
    words = [word for word in words if word != "softmax" or "log_softmax" not in words]
    for whole, parts in (
        ("cross_entropy", ("log_softmax", "nll_loss")),
        ("cross_entropy_backward", ("log_softmax_backward", "nll_loss_backward")),
    ):
        if set(parts) <= set(words):
            words = [whole if word == parts[0] else word for word in words if word != parts[1]]
    claimed = {name.rpartition(".")[2] for name in kernel.claim.aten}
    if {"pow", "mean", "rsqrt", "mul"} <= set(words):
        words = _instead(words, "rms_norm", {"pow", "mean", "add", "rsqrt", "mul"}, "mean")
    elif kind == "backward" and {"pow", "expand", "div", "mul", "sum"} <= claimed and _cubed(kernel):
        words = _instead(words, "rms_norm_backward", {"pow", "div", "mul", "sum", "mean", "rsqrt"}, "pow")
    said = " ".join([line.code for line in kernel.source] + list(kernel.claim.user_names.values()))
    if {"neg", "mul", "add"} <= set(words) and {"cat", "stack"} & claimed and re.search(r"rot|\bcos\b", said):
        words = [*(word for word in words if word not in {"neg", "mul", "add", "cos", "sin"}), "rotary"]
    return words


def _instead(words: Sequence[str], whole: str, parts: Collection[str], at: str) -> list[str]:
    """The words with one in the place of its parts; an addition before them is not one of them."""
    kept = [
        word for number, word in enumerate(words) if word == at or word not in parts or _before(words, number, parts)
    ]
    return [whole if word == at else word for word in kept]


def _before(words: Sequence[str], number: int, parts: Collection[str]) -> bool:
    """True for an `add` that comes before the first of the parts: what is normalized is a sum."""
    return words[number] == "add" and not set(words[:number]) & (set(parts) - {"add"})


def _cubed(kernel: Kernel) -> bool:
    """Whether the fragment holds the derivative of a reciprocal square root."""
    return any(node.target.startswith("aten.pow") and node.call.endswith(", 3)") for node in kernel.claim.fragment)


def _folded(words: tuple[str, ...], kernel: Kernel, found: Computation | None) -> tuple[str, ...]:
    """`layer_norm_stats` where nothing but a row's statistics is stored, `..._backward_sum` where only sums over rows are."""
    stores = [access for part in found.every() for access in part.stores] if found else []
    if found is None or not stores or not any(axis.startswith("r") for part in found.every() for axis in part.numel):
        return words
    if any(_of_a_row(access) for access in stores):
        return words
    if words[-1] in STATISTICS:
        return (*words[:-1], f"{words[-1]}_stats")
    sums = "sum" in kernel.ops and "sum" not in words and any(word.endswith("norm_backward") for word in words)
    return (*words, "sum") if sums else words


def _of_a_row(access: Access) -> bool:
    """Whether a store goes along the row that a fold went over, and holds something of the fold: more than what was read on the way."""
    along = any(coordinate.axis.startswith("r") for coordinate in access.index.coordinates())
    return along and access.value is not None and any(isinstance(node, Reduction) for node in walk(access.value))


_ARITHMETIC = {"add", "sub", "mul", "div", "fma", "sqrt", "sqrt_rn", "div_rn", "mul_rn", "pow"}


def _step(kernel: Kernel, graph: Graph | None, found: Computation | None) -> str:
    """`adam_step` for what torch/optim/adam.py does to a parameter: told by the copies into the graph's own inputs.

    AdamW has no file of its own: it is Adam whose parameters decay before the step.
    """
    if (
        graph is None
        or not kernel.launches
        or not ("fma" in kernel.ops or len(_ARITHMETIC.intersection(kernel.ops)) > 1)
    ):
        return ""
    copies = _copies(graph)
    written = {argument.name for argument in kernel.arguments if argument.role in {"out", "inout"}}
    files = {copies.get(passed.value, "") for passed in _passed(kernel.launches[0], written)}
    names = {match[1] for file in files if (match := re.search(r"torch/optim/(\w+)\.py$", file))}
    name = names.pop() if len(names) == 1 else ""
    if name == "adam" and decays(found, kernel.launches[0]):
        name = "adamw"
    return f"{name}_step" if name else ""


def _copies(graph: Graph) -> Mapping[str, str]:
    """Input of the graph -> the file whose line overwrites it."""
    overwritten = (node for node in graph.nodes if node.target.startswith("aten.copy_") and node.source is not None)
    return {node.arguments[0]: node.source.file for node in overwritten if node.source and node.arguments}


def _passed(launch: Launch, names: Collection[str]) -> list[LaunchArgument]:
    return [argument for argument in launch.arguments if argument.name in names]
