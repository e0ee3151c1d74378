"""Which norm a kernel's comment names: where the arithmetic is that of several, the claim says which."""

from __future__ import annotations

from inductor_lab.computation.naming.match import Asked

BATCH = ("_native_batch_norm_legit_functional", "_native_batch_norm_legit_no_training", "_native_batch_norm_legit", "native_batch_norm",
         "native_batch_norm_backward", "batch_norm")  # fmt: skip
GROUP = ("native_group_norm", "native_group_norm_backward", "group_norm")
LAYER = ("native_layer_norm", "native_layer_norm_backward", "layer_norm")


def claimed(asked: Asked) -> str:
    """The norm that the comment names; empty where it names none."""
    for name, operators in (("batch_norm", BATCH), ("group_norm", GROUP), ("layer_norm", LAYER)):
        if asked.claims(*operators):
            return name
    return ""
