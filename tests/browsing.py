"""A browser for tests of the pages, a capture whose page has everything in it, and two whose page has."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

from kernels_as_text import (
    ADD_RELU,
    ADD_RELU_TENSORS,
    EMBEDDING,
    EMBEDDING_TENSORS,
    LOOPED_SUM,
    LOOPED_SUM_TENSORS,
    capture,
    kernel,
    tensor,
)

from inductor_lab.annotate import annotate
from inductor_lab.compare import compare
from inductor_lab.measure.why.texts import every, programs
from inductor_lab.records import (
    Capture,
    CompiledCode,
    ExternCall,
    Graph,
    Kernel,
    MachineCode,
    Node,
    PerfDiff,
    Problem,
    Provenance,
    SourceLine,
    Timing,
    Traffic,
)
from inductor_lab.report import comparison, html
from inductor_lab.report.history import Profile, Seen

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


def two() -> tuple[Capture, Capture]:
    """A capture and an edit of it: a kernel changed, one moved, two stayed, one came and a hostile one went."""
    relu = _numbered(kernel(ADD_RELU, ADD_RELU_TENSORS, source=(RELU,)), 0)
    halved = _numbered(kernel(ADD_RELU.replace("0.5", "0.25"), ADD_RELU_TENSORS, source=(RELU,)), 0)
    scaled = kernel(LOOPED_SUM.replace("<=", ">"), LOOPED_SUM_TENSORS, category="reduction")
    hostile = replace(_numbered(scaled, 1), name=HOSTILE, graph="1_backward", category=HOSTILE)
    sums = [
        _numbered(kernel(LOOPED_SUM.replace("0.0, tl", f"{n}.0, tl"), LOOPED_SUM_TENSORS, category="reduction"), n)
        for n in (2, 3, 4)
    ]
    came = _numbered(kernel(EMBEDDING, EMBEDDING_TENSORS), 5)
    old, new = (annotate(capture(*several, nodes=NODES)) for several in ((relu, hostile, *sums), (halved, *sums, came)))
    moved = replace(new.kernels[1], launches=(replace(new.kernels[1].launches[0], line=60),))
    kernels = (new.kernels[0], new.kernels[2], moved, *new.kernels[3:])
    backward = Graph("1_backward", "0/0", "backward", "", ())
    return replace(old, graphs=(*old.graphs, backward)), replace(new, name=HOSTILE, torch="2.14.0", kernels=kernels)


def _numbered(found: Kernel, number: int) -> Kernel:
    (launch,) = found.launches
    return replace(found, id=f"test:{number}", launches=(replace(launch, line=10 * number),))


def compared_page() -> str:
    """The page of `two`, with machine code of the kernel that changed."""
    old, new = two()
    found = compare(old, new)
    ptx = ".visible .entry k(\n)\n{\n" + "\n".join(f"    add.f32 %f{n}, %f1, %f2;" for n in range(60)) + "\n}"
    codes = [
        {"test:0": (CompiledCode("ptx", "h200", text),)} for text in (ptx, ptx.replace("add.f32 %f9,", "mul.f32 %f9,"))
    ]
    machine = [{"test:0": MachineCode("k", "h200", "sm_90", registers, 0, 0, 4)} for registers in (32, 28)]
    return comparison.page(found, every(found, codes), programs(old, new), machine)


class Page:
    """A tab on the page: what it draws, and what its console said."""

    def __init__(self, browser: Any, address: str, width: int, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.tab = self.context.new_page()
        self.said: list[str] = []
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.tab.on("request", lambda request: self.said.extend([request.url] * (not request.url.startswith("file:"))))
        self.address = address

    def open(self, route: str = "") -> Page:
        self.tab.goto(f"{self.address}#{route}")
        self.tab.wait_for_selector("main h1")
        return self

    def text(self, selector: str = "main") -> str:
        return str(self.tab.inner_text(selector))

    def titles(self) -> list[str]:
        """Of the rows of the table of costs, in order."""
        return list(self.tab.locator(".costs tbody .what a").all_inner_texts())

    def key(self, *keys: str) -> None:
        for key in keys:
            self.tab.keyboard.press(key)

    @property
    def heading(self) -> str:
        return self.text("main h1")

    @property
    def route(self) -> str:
        return str(self.tab.evaluate("location.hash"))

    def overflow(self) -> int:
        """Pixels that the page is wider than the window."""
        return int(self.tab.evaluate("document.documentElement.scrollWidth - innerWidth"))


CONTRAST = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa")


def hindrances(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds against WCAG 2.1 AA, contrast among it: rule and element."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page.tab, options={"runOnly": {"type": "tag", "values": list(CONTRAST)}})
    return [(rule["id"], node["html"][:120]) for rule in found.response["violations"] for node in rule["nodes"][:2]]
