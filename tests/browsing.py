"""A browser for tests of the page, and a capture whose page has everything in it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

from kernels_as_text import ADD_RELU, ADD_RELU_TENSORS, LOOPED_SUM, LOOPED_SUM_TENSORS, capture, kernel, tensor

from inductor_lab.annotate import annotate
from inductor_lab.records import (
    Capture,
    CompiledCode,
    ExternCall,
    Graph,
    Kernel,
    Node,
    PerfDiff,
    Problem,
    Provenance,
    SourceLine,
    Timing,
    Traffic,
)
from inductor_lab.report import html
from inductor_lab.report.profile import Profile, Seen

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = "no Chromium here: apt-get install chromium, which `make test` does where it may"
HOSTILE = "</script><img src=x onerror=alert(1)> \"'`${1} \N{RIGHT-TO-LEFT OVERRIDE}esrever " + "very_long_name_" * 20
RELU = SourceLine("/home/me/model.py", 12, "x = torch.relu(x + y * 0.5)")
PRODUCT = Provenance("graph", (), source=(SourceLine("/home/me/model.py", 20, "return x @ self.weight"),))
NODES = (
    Node("arg0_1", "placeholder", "", (), tensor("float32[4096,1024]"), None),
    Node("mul", "aten.mul.Tensor", "torch.ops.aten.mul.Tensor(arg0_1, 0.5)", ("arg0_1",), tensor("float32[4096,1024]"), RELU),
    Node("add", "aten.add.Tensor", "torch.ops.aten.add.Tensor(arg1_1, mul)", ("mul",), tensor("float32[4096,1024]"), RELU),
    Node("relu", "aten.relu.default", "torch.ops.aten.relu.default(add)", ("add",), tensor("float32[4096,1024]"), RELU),
)  # fmt: skip


def launch() -> Any:
    """A Chromium; the caller closes it."""
    from playwright.sync_api import sync_playwright

    driver = sync_playwright().start()
    return driver, driver.chromium.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--in-process-gpu"]
    )


def sample(count: int = 300) -> Capture:
    """Many kernels: one of the user's line, a hostile one, and reductions that differ by their names."""
    provenance = Provenance("graph", tuple(node.name for node in NODES[1:]), source=(RELU,))
    first = kernel(ADD_RELU, ADD_RELU_TENSORS, source=(RELU,))
    first = replace(
        first, title="relu of a sum", provenance=provenance, claim=replace(first.claim, nodes=("mul", "add", "relu"))
    )
    line = SourceLine(f"/{HOSTILE}.py", 3, HOSTILE)
    hostile = replace(
        kernel(ADD_RELU, ADD_RELU_TENSORS, source=(line,)),
        id=f"{HOSTILE}:1",
        name=HOSTILE,
        title=HOSTILE,
        category=HOSTILE,
    )
    sums = [_sum(number) for number in range(2, count)]
    found = annotate(capture(first, hostile, *sums, nodes=NODES))
    product = Traffic(10**8, 10**8, 10**10, least=True)
    calls = tuple(
        ExternCall("extern_kernels.mm", "0_inference", at, traffic=product, provenance=PRODUCT) for at in (5, 6)
    )
    backward = Graph("1_backward", "0/0", "backward", "", ())
    titles = {kernel.id: kernel.title for kernel in (first, hostile, *sums)}
    kernels = tuple(replace(kernel, title=titles[kernel.id]) for kernel in found.kernels)
    return replace(
        found,
        name="page",
        kernels=kernels,
        graphs=(*found.graphs, backward),
        extern_calls=calls,
        problems=(Problem(HOSTILE, HOSTILE),),
    )


def _sum(number: int) -> Kernel:
    found = kernel(LOOPED_SUM, LOOPED_SUM_TENSORS, category="reduction", name=f"triton_red_fused_sum_{number}")
    (launch,) = found.launches
    return replace(found, id=f"test:{number}", title=f"sum {number}", launches=(replace(launch, line=10 * number),))


def page(count: int = 300) -> str:
    """The page of `sample`, with machine code, results and a profile."""
    timing = Timing(14.0, (13.9, 14.1), 100, 3.6e12)
    diff = PerfDiff(
        "faster", 1.2, (1.1, 1.3), 0.01, {"timing": timing}, {"timing": replace(timing, median=16.8)}, "NVIDIA H200"
    )
    code = (
        CompiledCode("ttir", "h200", "module {\n  %0 = tt.load %a\n}", (0, 7, 0)),
        CompiledCode("ptx", "h200", "\n".join(f"    add.f32 %f{n}, %f1, %f2;" for n in range(160)), tuple(1 + n // 10 for n in range(160))),
        CompiledCode("sass", "h200", "", missing="SASS is printed by nvdisasm, which is missing here."),
    )  # fmt: skip
    profile = Profile("trace.json", {"triton_red_fused_sum_2": Seen(3, 6e-5)})
    return html.page(sample(count), {"test:0": {"diff": diff}}, code={"test:0": code}, profile=profile)
