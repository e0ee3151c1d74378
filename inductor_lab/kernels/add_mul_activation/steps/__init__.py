"""Which kernels of the LoRA MLP the steps replace: what is behind the products of a hidden layer, with a bias in float32, without one in bfloat16."""

from __future__ import annotations

from inductor_lab.kernels.steps import Step

STEPS = {
    "step_1": Step("lora_mlp_h200", "0"),
    "step_2": Step("lora_mlp_h200", "0"),
    "step_3": Step("lora_mlp_h200", "0"),
    "step_4": Step("lora_mlp_h200", "0"),
    "bfloat16": Step("lora_mlp_bf16_h200", "0"),
}
