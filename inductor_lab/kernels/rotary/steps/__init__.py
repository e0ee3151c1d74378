"""How the kernel came to be, in the place of what Inductor writes for 32 heads of a query and 8 of a key: two kernels.

    python -m inductor_lab.kernels rotary step_4 --capture tests/kernels/captured/rotary_gqa_bf16_h200 -o rope.py
    inductor-lab verify rope.py
    inductor-lab diff rope.py --in tests/kernels/captured/rotary_gqa_bf16_h200

The last step is also put where heads are equal and Inductor writes one kernel: alone (`alone_1`), as the gradient (`backward_1`), and on slices of an
attention's projection (`attention_1`).
"""

from __future__ import annotations

from inductor_lab.kernels.steps import Step

GQA = Step("rotary_gqa_bf16_h200", "0_inference:0-1")
STEPS: dict[str, Step] = {
    "step_1": GQA,
    "step_2": GQA,
    "step_3": GQA,
    "step_4": GQA,
    "alone_1": Step("rotary_h200", "0"),
    "backward_1": Step("rotary_train_h200", "1"),
    "attention_1": Step("rotary_attention_bf16_h200", "0"),
}
