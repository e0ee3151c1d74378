"""docs/pictures/roofline.svg: each point of a hand kernel under its bound, coloured by how it stands to the best other one; `hand_pages.py` writes it."""

from __future__ import annotations

import math

from timed_rows import Row, stands

TITLE = "Under the roofline: the share of its bound that a hand kernel reaches, against the bound in microseconds"
COLOURS = {"ahead": "#1f6f6b", "level": "#8a867b", "behind": "#c46a1b", "not certain": "#d3b94a", "alone": "#2f5f8f"}
AT_LEAST, AT_MOST, HIGHEST = 0.01, 1000, 1.2
"""Microseconds from left to right, each ten times as far, and the share at the top; what lies beyond stands at the edge."""
PANEL = (300, 150)
STEP, LEFT, TOP = (350, 225), 46, 70


def across(us: float) -> float:
    return PANEL[0] * math.log(min(max(us, AT_LEAST), AT_MOST) / AT_LEAST, AT_MOST / AT_LEAST)


def down(share: float) -> float:
    return PANEL[1] * (1 - min(share, HIGHEST) / HIGHEST)


def panel(kernel: str, timed: list[Row]) -> str:
    """The points of one kernel, drawn from (0, 0), which is the top of its frame."""
    wide, high = PANEL
    parts = [f'<text class="name" x="0" y="-10">{kernel}</text>']
    for share in (0, 0.5, 1):
        y = f"{down(share):.1f}"
        parts.append(f'<path class="{"bound" if share == 1 else "grid"}" d="M0 {y}H{wide}"/>')
        parts.append(f'<text class="tick" x="-6" y="{y}" dy="4" text-anchor="end">{share:.0%}</text>')
    for us in (0.01, 0.1, 1, 10, 100, 1000):
        parts.append(f'<text class="tick" x="{across(us):.1f}" y="{high + 18}" text-anchor="middle">{us:g}</text>')
    for row in timed:
        parts.append(
            f'<circle cx="{across(row["bound_us"]):.1f}" cy="{down(row["share"]):.1f}" r="4" fill="{COLOURS[stands(row)]}"/>'
        )
    return "\n    ".join(parts)


def roofline(timed: dict[str, list[Row]]) -> str:
    """A frame for each kernel that was timed, three beside each other."""
    drawn = {kernel: own for kernel, own in timed.items() if own}
    height = TOP + STEP[1] * math.ceil(len(drawn) / 3)
    used = [word for word in COLOURS if any(stands(row) == word for own in drawn.values() for row in own)]
    key = "".join(
        f'<circle cx="{LEFT + 5 + 96 * place}" cy="22" r="5" fill="{COLOURS[word]}"/><text class="tick" x="{LEFT + 16 + 96 * place}" y="26">{word}</text>'
        for place, word in enumerate(used)
    )
    said = "beside the best other one. Up: share of the bound; right: the bound in us, what is beyond at the edge"
    panels = "\n".join(
        f'  <g transform="translate({LEFT + STEP[0] * (number % 3)} {TOP + STEP[1] * (number // 3)})">\n    {panel(kernel, own)}\n  </g>'
        for number, (kernel, own) in enumerate(drawn.items())
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * STEP[0] + 20} {height}">
  <title>{TITLE}</title>
  <style>
    text {{ font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }}
    .name {{ font-size: 15px; font-weight: 600; fill: #16202e }} .tick {{ font-size: 12px; fill: #3b485a }}
    .grid {{ stroke: #d8dde6 }} .bound {{ stroke: #16202e; stroke-width: 1.5 }} circle {{ fill-opacity: 0.75 }}
  </style>
  <rect width="{3 * STEP[0] + 20}" height="{height}" rx="12" fill="#ffffff"/>
  {key}<text class="tick" x="{LEFT + 96 * len(used)}" y="26">{said}</text>
{panels}
</svg>
"""
