"""Library calls beside the kernels: what each is given and makes, the least that it moves and computes, and the floor on a card.

Bytes are each operand and each result once. Operations are two for each pair of numbers that meet, as `torch.utils.flop_counter` has it;
an attention that looks back only (`is_causal`) counts the pairs that it needs. What has no formula keeps its bytes alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import prod

from inductor_lab.aten import operator
from inductor_lab.bind.elements import nbytes, total
from inductor_lab.costs.hints import Hints, hinted_call
from inductor_lab.costs.roofline import Bound, bound, told
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.gpus import Card
from inductor_lab.quantity import operations, shape, size
from inductor_lab.records import ExternCall, LaunchArgument, TensorType, Traffic

Counter = Callable[["Given"], int]
"""Operations of a call; ValueError or IndexError where its shapes do not tell."""


@dataclass(frozen=True)
class Library:
    """One library call, ready to be shown."""

    call: ExternCall
    name: str
    """`mm`, `convolution_backward`, `flash attention`."""
    signature: str
    """`f32[4096, 1024], f32[1024, 3072] -> f32[4096, 3072]`."""
    bound: Bound | None
    """None where its bytes are not known."""
    words: str
    """The floor in a sentence, or why there is none."""


def library(call: ExternCall, on: Card) -> Library:
    """What there is to say of a library call."""
    given = Given(call)
    inputs = [_plain(given.typed(argument)) for argument in given.tensors]
    made = [_plain(given.typed(output)) for output in call.outputs if output.type is not None]
    signature = ", ".join(inputs) + (f" -> {', '.join(made)}" if made else "")
    peak = _rate(given, on)
    found = bound(call.traffic if peak else replace(call.traffic, flops=None), on, peak[0] if peak else None)
    return Library(call, name(call.target), signature, found, _words(call.traffic, found, peak, on))


def arithmetic(call: ExternCall, on: Card) -> float:
    """Seconds that its operations take at the library's rate; 0 where there are none, or the rate is not known."""
    peak = _rate(Given(call), on)
    return (call.traffic.flops or 0) / peak[0] if peak else 0.0


def _plain(type_: TensorType | None) -> str:
    """Dtype and sizes; how an operand lies in memory is the library's to know."""
    return shape(type_).partition(" strides ")[0]


def name(target: str) -> str:
    """`mm` of `extern_kernels.mm`; what people call it where the operator's name is long."""
    return NAMES.get(operator(target), operator(target))


def moved(call: ExternCall, hints: Hints | None = None) -> Traffic:
    """The least that a call moves and computes; None for what is not known."""
    found = _moved(call)
    if found.moved is not None or not hints:
        return found
    concrete = _moved(hinted_call(call, hints))
    return replace(concrete, hinted=True) if concrete.read is not None else found


def _moved(call: ExternCall) -> Traffic:
    given = Given(call)
    if not call.outputs:
        return Traffic()
    read = total(given.bytes(argument) for argument in given.tensors if given.reads(argument))
    written = total(given.bytes(output) for output in call.outputs if not given.is_seed(output))
    try:
        flops = FLOPS[given.operator](given) if given.operator in FLOPS else None
    except (ValueError, IndexError):  # a shape that is not told
        flops = None
    return Traffic(read, written, flops, least=True)


class Given:
    """The arguments of one call, by position or keyword."""

    def __init__(self, call: ExternCall) -> None:
        self.call = call
        self.operator = operator(call.target)
        self.named = {argument.name: argument for argument in call.arguments}
        once = {a.value: a for a in call.arguments if a.type is not None and a.name != "out"}
        self.tensors = list(once.values())
        """What it reads, each once."""

    @property
    def dtype(self) -> str:
        """That of the call: the first that the wrapper tells."""
        typed = (*self.tensors, *self.call.outputs)
        return next((a.type.dtype for a in typed if a.type and a.type.dtype in ITEMSIZE), "")

    def typed(self, argument: LaunchArgument) -> TensorType | None:
        """The type of an operand or result, by the call's own dtype where the wrapper tells the shape alone."""
        if argument.type is None or argument.type.dtype:
            return argument.type
        odd = argument in self.call.outputs and ODD.get((self.operator, argument.name))
        return replace(argument.type, dtype=odd or self.dtype)

    def is_seed(self, output: LaunchArgument) -> bool:
        """Whether it is a number or two of which the wrapper tells no type."""
        return output.type is None and ODD.get((self.operator, output.name)) == "int64"

    def bytes(self, argument: LaunchArgument) -> int | None:
        return nbytes(self.typed(argument))

    def shape(self, position: int) -> tuple[int, ...]:
        """Of one operand; ValueError where it is no tensor or its sizes are symbolic."""
        return _shape(self.named.get(str(position)))

    def literal(self, key: str, position: int) -> object:
        """The value of an argument that is written out; None where it is not there, or is no literal."""
        argument = self.named.get(key) or self.named.get(str(position))
        try:
            return ast.literal_eval(argument.value) if argument else None
        except (ValueError, SyntaxError):
            return None

    def reads(self, argument: LaunchArgument) -> bool:
        """Whether what is asked of it needs an operand."""
        if self.operator != "convolution_backward" or not argument.name.isdigit():
            return True
        wanted = _mask(self)
        return {1: wanted[1], 2: wanted[0]}.get(int(argument.name), True)


def _shape(argument: LaunchArgument | None) -> tuple[int, ...]:
    sizes = argument.type.shape if argument and argument.type else ("?",)
    if not all(isinstance(extent, int) for extent in sizes):
        raise ValueError("a symbolic size")
    return tuple(extent for extent in sizes if isinstance(extent, int))


# ---------------------------------------------------------------- operations, a row an operator


def _product(first: int, second: int) -> Counter:
    """Rows by columns of a matrix product, in batches or not, whose operands stand at two positions."""

    def count(given: Given) -> int:
        left, right = given.shape(first), given.shape(second)
        return 2 * prod(left) * right[-1] if len(left) > 1 and len(right) > 1 else 2 * prod(left)

    return count


def _convolution(given: Given) -> int:
    """Each element of the result takes a window of the weight's size; of a transposed one, each of the input gives it."""
    weight = given.shape(1)
    transposed = given.literal("transposed", 6) is True
    across = given.shape(0) if transposed else _shape(given.call.outputs[0])
    return 2 * prod(across) * prod(weight[1:])


def _mask(given: Given) -> list[bool]:
    """Which gradients a backward is asked for: input, weight, bias."""
    wanted = given.literal("output_mask", 10)
    return [bool(flag) for flag in wanted] if isinstance(wanted, list) and len(wanted) == 3 else [True] * 3


def _convolution_backward(given: Given) -> int:
    """The gradients of input and weight are a convolution's work each; the bias' is a sum."""
    transposed = given.literal("transposed", 7) is True
    across = given.shape(1) if transposed else given.shape(0)
    one = 2 * prod(across) * prod(given.shape(2)[1:])
    wanted = _mask(given)
    return one * (wanted[0] + wanted[1]) + (prod(given.shape(0)) if wanted[2] else 0)


def _attention(causal: int, products: tuple[int, int], first: int = 0) -> Counter:
    """Pairs of query and key that meet, times the products over the head's width and over the value's.

    Args:
        causal: The position of `is_causal`.
        products: How many products are as wide as a key, and how many as a value.
        first: The position of the query; keys and values follow it.
    """

    def count(given: Given) -> int:
        *heads, queries, width = given.shape(first)
        keys, values = given.shape(first + 1)[-2], given.shape(first + 2)[-1]
        pairs = queries * keys
        if given.literal("is_causal", causal) is True:
            pairs = sum(min(row + 1, keys) for row in range(queries))
        return 2 * prod(heads) * pairs * (products[0] * width + products[1] * values)

    return count


def _nothing(given: Given) -> int:
    return 0


ATTENTIONS = {
    "flash": ("flash attention", 4, 11, ("6", "7")),
    "efficient": ("memory-efficient attention", 6, 11, ("2", "3")),
    "cudnn": ("cuDNN attention", 6, 14, ("6", "7")),
}
"""Kind -> what people call it, the position of `is_causal`, that of its backward, the results that are seeds.

Positions here and below are those of aten/src/ATen/native/native_functions.yaml (torch 2.13).
"""
CALLED = {f"_scaled_dot_product_{kind}_attention": row for kind, row in ATTENTIONS.items()}

FORWARD, BACKWARD = (1, 1), (3, 2)
"""Products of an attention: q k and p v; backward q k again, gradients of p, v, q and k."""

FLOPS: Mapping[str, Counter] = {
    **dict.fromkeys(("mm", "bmm", "_int_mm", "_scaled_mm", "mv", "dot"), _product(0, 1)),
    **dict.fromkeys(("addmm", "baddbmm", "addmv", "bias_addmm"), _product(1, 2)),
    "convolution": _convolution,
    "convolution_backward": _convolution_backward,
    "_scaled_dot_product_flash_attention_for_cpu": _attention(4, FORWARD),
    **{operator: _attention(causal, FORWARD) for operator, (_, causal, _, _) in CALLED.items()},
    **{f"{operator}_backward": _attention(causal, BACKWARD, first=1) for operator, (_, _, causal, _) in CALLED.items()},
    # comparisons and moves are no arithmetic
    **dict.fromkeys(("topk", "sort", "index_put", "index_select", "embedding", "cat", "copy"), _nothing),
    **dict.fromkeys(("randint", "gather", "nonzero", "unique", "repeat_interleave", "masked_select"), _nothing),
}

NAMES = {
    **{operator: name for operator, (name, *_) in CALLED.items()},
    **{f"{operator}_backward": f"{name}, backward" for operator, (name, *_) in CALLED.items()},
    "convolution_backward": "convolution, backward",
}

ODD = {
    **{(operator, "1"): "float32" for operator in CALLED},
    **{(operator, place): "int64" for operator, (*_, seeds) in CALLED.items() for place in seeds},
    ("topk", "1"): "int64",
    ("sort", "1"): "int64",
}
"""Results of another dtype than the call's: the logarithms of an attention's sums, its seeds, places."""


# ---------------------------------------------------------------- the floor


TENSOR_FLOAT = frozenset({"convolution", "convolution_backward"}) | {key for key in NAMES if "attention" in key}
"""What computes float32 on the matrix units unless it is told not to (`torch.backends.cudnn.allow_tf32`); products do so only if told."""


def _rate(given: Given, on: Card) -> tuple[float, str] | None:
    """Operations a second at most, and in which precision; None where the table of cards does not tell."""
    if given.dtype in ("float16", "bfloat16"):
        return on.half, {"float16": "fp16", "bfloat16": "bf16"}[given.dtype]
    if given.dtype == "float32":
        single = given.operator in TENSOR_FLOAT or on.backend == "hip"
        return (on.single, "TF32" if on.backend == "cuda" else "fp32") if single else (on.flops, "fp32")
    return None


def _words(counted: Traffic, found: Bound | None, peak: tuple[float, str] | None, on: Card) -> str:
    if found is None:
        return "bytes not counted: the wrapper does not tell the types of all that it is given and makes"
    text = f"moves at least {size(found.bytes)}" + (f", {operations(counted.flops)}" if counted.flops else "")
    text += ", by the sizes it was compiled with" if counted.hinted else ""
    return f"{text}; {told(found, counted, on, f'{peak[0] / 1e12:,.0f} TFLOP/s in {peak[1]}' if peak else '')}"
