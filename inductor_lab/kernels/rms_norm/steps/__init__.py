"""Which kernels of `model.py`'s capture the steps replace; those of backward are in the place of three of them."""

from __future__ import annotations

from inductor_lab.kernels.steps import Step

STEPS = {
    "forward_1": Step("rms_norm", "0"),
    "backward_1": Step("rms_norm", "0_backward:0-2"),
    "backward_2": Step("rms_norm", "0_backward:0-2"),
}
