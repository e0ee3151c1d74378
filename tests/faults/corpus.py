"""Sixty kernels of public programs, ejected: what `verify` has let pass is sought in them by mutation.

They are of the corpus of `tests/benchmarks/corpus.py`, captured for an H200 with torch 2.13. Between them they have loops that carry a maximum,
an index, a running sum and a variance; sums of whole numbers; reductions over several axes, over groups, in parts; masks and ignored labels;
losses, optimizers, activations; bfloat16 and float16, foreach, sizes that are not known.

`corpus/` holds the modules of these kernels, cut out of the corpus' logs by `python tests/benchmarks/cut_corpus.py CORPUS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from inductor_lab.annotate import annotate
from inductor_lab.eject import eject
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel

FOLDER = Path(__file__).with_name("corpus")

CHOSEN: Mapping[str, Mapping[str, str]] = {
    "ops_looped": {
        "softmax_parts": "a4bd82c6", "logsumexp_parts": "6fe9d094", "softmax_looped": "7ef9a9da", "dot_looped": "77cd9e72",
        "product_looped": "63a4d0a5", "largest_looped": "8044a8ee", "any_nan": "2009e236", "all_less": "a6c02cc6",
        "spread_parts": "aeae8854", "mean_and_variance": "f4ccd186", "batch_statistics": "2ae18811", "group_norm": "0ad41bc6",
        "layer_norm_long": "dc0b0153", "log_softmax_backward": "891d89eb", "integer_product": "6dd17516", "integer_largest": "69c06d27",
        "integer_sum": "979674a8", "integer_dot": "2f866fc7", "integer_mean": "7b1d32d2", "layer_norm_backward": "ab8483c4",
        "batch_norm_backward": "f4aded81", "embedding_backward_sum": "a5cc8c4d", "label_smoothing": "05da6cd7",
    },
    "ops_dynamic": {"argmax_any_size": "55a60711", "argmin_any_size": "40e63265", "integer_cumsum": "93add08e", "cumprod": "b152baae"},
    "ops_fp32": {
        "cummax": "b58f2f0f", "softmax_backward": "cd74c36c", "hash": "8a17ab23", "bits": "41499a2f",
        "group_norm_backward": "9720f153", "instance_norm_backward": "1bfe09b8", "masked_scatter": "8dfe597b", "embedding_bag": "e743ee4b",
        "picture_loss": "cb25e781", "many_losses": "f8027788", "losses_backward": "40ca1917", "contrastive": "d89ba91f",
        "contrastive_backward": "140bd235", "activations": "3ea29a40", "activations_backward": "c00e03c5", "clamps": "100323bc",
        "rms_and_softmax_fp16": "17066541", "rms_and_softmax_backward_fp16": "1cfa3531", "softplus_sum": "4e2456d8", "foreach": "f97d56a0",
    },
    "ops_bf16": {
        "argmax_bf16": "61c523fe", "softmax_backward_bf16": "7c41296c", "sigmoid_bf16": "3df7cfb9", "batch_norm_silu_bf16": "13d9a3c7",
        "silu_gate_bf16": "689514ef", "gated_backward_bf16": "89640caf", "layer_norm_bf16": "e5129e50", "softplus_bf16": "ba3495c7",
    },
    "optim_rmsprop": {"rmsprop": "35507d00"},
    "optim_training_step": {"cross_entropy_loss": "303608d6", "cross_entropy_backward": "4b7eb59a"},
    "t5_bf16": {"relative_attention": "6248e351"},
    "gpt2": {"sequence_numbers": "ee2e9cee"},
}  # fmt: skip
"""Program -> name -> how the hash of the kernel's body begins."""


@cache
def kernels() -> dict[str, tuple[Capture, Kernel]]:
    """Every chosen kernel by its name."""
    found = {}
    for program, names in CHOSEN.items():
        capture = annotate(read([FOLDER / f"{program}.log.gz"], program))
        for name, begins in names.items():
            found[name] = capture, next(one for one in capture.kernels if one.body_sha256.startswith(begins))
    return found


@cache
def ejected(name: str) -> str:
    """The readable file of one kernel."""
    return eject(*kernels()[name], file=f"{name}.py")
