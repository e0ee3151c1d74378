"""A capture, or two, as one HTML file that fetches nothing: kernels are data, packed, and scripts draw the one that is open.

`templates/report/` holds the page. What a log said reaches it as base64 alone, and the scripts set it as text, never as markup.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inductor_lab.document import to_dict
from inductor_lab.paths import templates_folder
from inductor_lab.records import Capture, CompiledCode, Kept
from inductor_lab.report.contents import Beside, contents
from inductor_lab.report.history import Profile

TEMPLATE = "page.html.jinja"
SCRIPTS = ("dom", "words", "code", "data", "table", "roofline", "map", "spans", "kernel", "report", "app")
"""In the order in which one builds on another; the last but one says which views there are."""


def page(
    capture: Capture,
    results: Mapping[str, Mapping[str, Any]] | None = None,
    kept: Mapping[str, Sequence[Kept]] | None = None,
    code: Mapping[str, Sequence[CompiledCode]] | None = None,
    profile: Profile | None = None,
) -> str:
    """The page of a capture.

    Args:
        results: By kernel id, what was measured: `verdict`, a Verdict; `machine`, as `results.Machine`; `diff`, a PerfDiff.
        kept: By the body's hash, what was kept of ejected files, the oldest first.
        code: By kernel id, what the compiler made of it.
        profile: What a profile saw.
    """
    held = contents(capture, Beside(results or {}, kept or {}, code or {}, profile))
    return filled(capture.name, f"{capture.name}: {len(capture.kernels)} kernels", held, SCRIPTS)


def filled(name: str, title: str, held: Any, scripts: Sequence[str]) -> str:
    """The page that these scripts draw of a record."""
    import jinja2

    folder = templates_folder() / "report"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
    )
    return environment.get_template(TEMPLATE).render(
        name=name,
        title=title,
        style=_inlined(folder / "style.css"),
        scripts=[_inlined(folder / f"{script}.js") for script in scripts],
        data=packed(to_dict(held)),
    )


def packed(data: Any) -> str:
    """JSON, deflated, as base64: a tenth of its size, and no text of a log can end the script that holds it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 9)).decode("ascii")


def unpacked(page: str) -> Any:
    """What a page holds: for whoever reads it without a browser."""
    start = page.index(">", page.index('id="data"')) + 1
    return json.loads(zlib.decompress(base64.b64decode(page[start : page.index("<", start)])))


def _inlined(file: Path) -> Any:
    """One of the page's own files, as markup."""
    from markupsafe import Markup

    return Markup(file.read_text(encoding="utf-8"))
