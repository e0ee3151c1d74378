"""Make the pictures that the README shows: `make pictures`, which needs Chromium.

docs/pictures/terminal-list.png   a capture's kernels, in a terminal
docs/pictures/terminal-show.png   one of them, explained
docs/pictures/report-costs.png    what costs most
docs/pictures/report-kernel.png   one kernel, its lines lit with the SASS that they became
docs/pictures/report-map.png      the graph, and the buffers between its kernels
docs/pictures/report-dark.png     the roofline, in dark
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from inductor_lab import load

ROOT = Path(__file__).parents[1]
CAPTURE = ROOT / "captured" / "rotary_attention_train_h200"
PICTURES = ROOT / "docs" / "pictures"
VIEWS = (
    ("costs", "costs", "light"),
    ("kernel", "kernel/2/sass", "light"),
    ("map", "map/0", "light"),
    ("dark", "roofline", "dark"),
)
"""Name of the picture, address on the page, theme."""
COLUMNS = 132
"""Width of the terminal."""
LIT = "tl.load("
"""The line of the kernel that is lit is the first with this."""


def main() -> None:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Pictures are taken with Chromium, which is not here: apt-get install chromium")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(folder) / "report.html"
        command = [sys.executable, "-m", "inductor_lab", "report", str(CAPTURE), "--code", "-o", str(page)]
        subprocess.run(command, check=True, cwd=ROOT)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, address, theme in VIEWS:
            _take(browser, f"{page.as_uri()}#{address}", theme, PICTURES / f"report-{name}.png")
        for title, shown in _printed():
            _print(browser, title, shown, PICTURES / f"terminal-{title.split()[1]}.png")
        browser.close()


def _take(browser: Any, address: str, theme: str, picture: Path) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    tab = context.new_page()
    tab.goto(address)
    tab.wait_for_selector("main h1")
    if tab.locator("table.code").count():
        tab.locator("table.code tr", has_text=LIT).first.hover()
    tab.wait_for_timeout(300)
    tab.screenshot(path=picture)
    context.close()
    print(picture.relative_to(ROOT))


def _printed() -> Iterator[tuple[str, Any]]:
    """Commands, and what they show."""
    capture = load(ROOT / "captured" / "lora_mlp_train_h200")
    yield f"inductor-lab list {capture.name}", capture
    kernel = load(ROOT / "captured" / "lora_mlp_h200").kernels[0]
    yield f"inductor-lab show {kernel.id}", kernel


def _print(browser: Any, title: str, shown: Any, picture: Path) -> None:
    """What the terminal shows, by rich's own drawing of a terminal."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    console.print(shown)
    tab = browser.new_page(viewport={"width": 1280, "height": 800})
    tab.set_content(console.export_svg(title=title))
    tab.locator("svg").first.screenshot(path=picture)
    tab.close()
    print(picture.relative_to(ROOT))


if __name__ == "__main__":
    main()
