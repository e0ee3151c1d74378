"""Kernels of every kind that a person does not write by hand: foreach, combo, template, split scan, cooperative, and symbolic sizes.

Each is ejected in both styles, and all files are judged in one process, in Triton's interpreter.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")


pytestmark = pytest.mark.skipif(
    os.environ.get("CUDA_VISIBLE_DEVICES") != "" and Path("/dev/nvidiactl").exists(), reason="these are judged in the interpreter"
)  # fmt: skip

GENERATIONS = Path(__file__).parent / "generations"
STYLES = ("readable", "verbatim")
KERNELS = {
    "foreach": ("g7_torch_2.13_foreach", "triton_for_fused_0"),
    "combo": ("g7_torch_2.13_combo", "triton_poi_fused_0"),
    "after the combo": ("g7_torch_2.13_combo", "triton_per_fused_1"),
    "symbolic reduction": ("g7_torch_2.13_dynamic", "triton_red_fused_add_relu_sum_0"),
    "symbolic pointwise": ("g7_torch_2.13_dynamic", "triton_poi_fused_relu_1"),
    "online softmax": ("g7_torch_2.13_multi_kernel", "triton_red_fused__softmax_prepare_softmax_online_0"),
    "index and sum": ("g7_torch_2.13_mixed", "triton_per_fused_index_relu_sum_0"),
    "random": ("g7_torch_2.13_mixed", "triton_poi_fused_add_rand_like_1"),
    "template": ("g7_torch_2.13_template", "triton_tem_fused_add_mm_relu_0"),
    "split scan": ("g7_torch_2.13_scan", "triton_spl_fused_cumsum_0"),
    "cooperative": ("g7_torch_2.13_cooperative", "triton_unk_fused_sum_0"),
}
