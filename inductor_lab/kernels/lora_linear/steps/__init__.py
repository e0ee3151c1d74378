"""The second layer of `lora_mlp`, [4096, 1024] x [1024, 1024] of rank 8 with ReLU: three library calls and a kernel, then ever fewer launches.

python -m inductor_lab.kernels lora_linear step_1 -o step_1.py
"""

from inductor_lab.kernels.steps import Step

SPAN = Step("lora_mlp_bf16_h200", "0_inference:4-7")
STEPS = {"step_1": SPAN, "step_2": SPAN, "step_3": SPAN, "step_4": SPAN}
