"""One model with both layouts of cpp_wrapper and by AOTInductor. `inductor-lab capture in_cpp.py` runs it; it knows nothing of this project."""

from __future__ import annotations

import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.softmax(torch.relu(x @ y) + 1, -1)


model, x = Model(), torch.ones(64, 64, device="cuda")
with torch.no_grad():
    for first in (False, True):
        torch._dynamo.reset()
        options = {"cpp_wrapper": True, "triton.autotune_at_compile_time": first}
        assert torch.compile(model, options=options)(x, x).shape == (64, 64)
    exported = torch.export.export(model, (x, x))
    package = torch._inductor.aoti_compile_and_package(exported, package_path="model.pt2")
    torch._inductor.aoti_load_package(package)
