"""Which kernels of `model.py`'s capture the steps replace."""

from __future__ import annotations

from inductor_lab.kernels.steps import Step

STEPS = {
    "forward_1": Step("swiglu", "0"),
    "backward_1": Step("swiglu", "1"),
}
