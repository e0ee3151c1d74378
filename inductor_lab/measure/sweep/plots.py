"""A sweep's rows as pictures: the rate against size below the copy ceiling, the time above the floor, and the ratio over two sizes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib import cm, colors
from matplotlib.figure import Figure

from inductor_lab.measure.sweep.results import Row, contestants, copy_ceiling, devices

STYLES: Mapping[str, Mapping[str, Any]] = {
    "hand": {"color": "#1f6f6b", "marker": "o", "linewidth": 2.2, "zorder": 5},
    "generated": {"color": "#2f5f8f", "marker": "D", "linestyle": "none", "zorder": 6},
    "inductor": {"color": "#c46a1b", "marker": "s"},
    "eager": {"color": "#a03328", "marker": "^"},
    "torchscript": {"color": "#7a4b86", "marker": "v"},
    "copy": {"color": "#8a867b", "linestyle": "--", "linewidth": 1.2},
}
LABELS = {"copy": "copy of as many bytes", "generated": "generated, captured sizes"}
COLUMNS = 3
"""Panels beside each other."""
MOST_PANELS = 12
MOST_CELLS = 400
"""Cells of a heat map that still have room for a number."""


@dataclass(frozen=True)
class Panel:
    """Rows that differ in one size."""

    title: str
    axis: str
    symbol: str
    rows: Sequence[Row]


def draw(folder: Path, rows: Sequence[Row], axes: Mapping[str, str], title: str) -> list[Path]:
    """Write what the rows allow: rate.png where bytes are known, time.png, ratio.png for two sizes."""
    timed = [row for row in rows if row.times]
    panels = list(_panels(timed, axes))[:MOST_PANELS]
    made = []
    if panels and any(row.bytes for row in timed):
        made.append(_saved(_lines(panels, title, rate=True), folder / "rate.png"))
    if panels:
        made.append(_saved(_lines(panels, title, rate=False), folder / "time.png"))
    if figure := heat_map(rows, axes, title):
        made.append(_saved(figure, folder / "ratio.png"))
    return made


def _saved(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=150, bbox_inches="tight")
    return path


def _panels(rows: Sequence[Row], axes: Mapping[str, str]) -> Iterator[Panel]:
    """A panel for each dtype and each combination of the other sizes; along the size with the most values."""
    counts = {name: len({row.sizes[symbol] for row in rows}) for name, symbol in axes.items()}
    if not counts or max(counts.values()) < 2:
        return
    along = max(counts, key=lambda name: counts[name])
    groups: dict[tuple[object, ...], list[Row]] = {}
    others = {name: symbol for name, symbol in axes.items() if name != along}
    for row in rows:
        groups.setdefault((row.dtype, *(row.sizes[symbol] for symbol in others.values())), []).append(row)
    linked = all(len(group) == 1 for group in groups.values())  # sizes that grow together, as the talk's nine
    if linked:
        groups = {}
        for row in rows:
            groups.setdefault((row.dtype,), []).append(row)
    for (dtype, *sizes), group in groups.items():
        told = [] if linked else [f"{name} = {size:,}" for name, size in zip(others, sizes, strict=True)]
        ordered = sorted(group, key=lambda row: row.sizes[axes[along]])
        label = f"{along}, and {', '.join(others)} with it" if linked and others else along
        yield Panel(", ".join([*told, *filter(None, [str(dtype)])]), label, axes[along], ordered)


def _lines(panels: Sequence[Panel], title: str, *, rate: bool) -> Figure:
    """Every contestant's line in each panel, with the ceiling, or the floor."""
    columns = min(COLUMNS, len(panels))
    lines = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(1.2 + 4.6 * columns, 1.1 + 3.4 * lines), layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False, sharey=True)
    places = list(grid.flat)
    for place, panel in zip(places, panels, strict=False):
        _panel(place, panel, rate)
    for place in places[len(panels) :]:
        place.set_visible(False)
    for line in grid:
        line[0].set_ylabel("GB/s" if rate else "us")
    known = {
        label: handle for place in places for handle, label in zip(*place.get_legend_handles_labels(), strict=True)
    }
    figure.legend(known.values(), known, loc="outside lower center", ncols=min(len(known), 3 * columns), frameon=False)
    figure.suptitle(f"{title}, {devices(row for panel in panels for row in panel.rows)}", fontsize=11)
    return figure


def _panel(place: Any, panel: Panel, rate: bool) -> None:
    ceiling = copy_ceiling(panel.rows)
    for name in contestants(panel.rows):
        found = [(row.sizes[panel.symbol], row.times[name]) for row in panel.rows if name in row.times]
        points = [
            (size, timing.bytes_per_second / 1e9 if rate and timing.bytes_per_second else timing.median)
            for size, timing in found
            if timing.bytes_per_second or not rate
        ]
        if points:
            style = {"markersize": 4, "linewidth": 1.5, **STYLES.get(name, {})}
            place.plot(*zip(*points, strict=True), label=LABELS.get(name, name), **style)
    if ceiling and rate:
        place.axhline(ceiling / 1e9, color="#24231f", linewidth=1, linestyle=":", label="copy ceiling, measured")
    moved = [(row.sizes[panel.symbol], 1e6 * row.bytes / ceiling) for row in panel.rows if row.bytes and ceiling]
    if moved and not rate:
        label = "floor: bytes at the copy ceiling"
        place.plot(*zip(*moved, strict=True), color="#24231f", linewidth=1, linestyle=":", label=label)
    if rate:
        place.set_ylim(bottom=0)
    else:
        place.set_yscale("log")
        place.set_ylim(bottom=0.5 * min(timing.median for row in panel.rows for timing in row.times.values()))
    place.set_xscale("log", base=2)
    place.set_xlabel(panel.axis)
    place.set_title(panel.title, fontsize=10)
    place.grid(color="#e4e0d6", linewidth=0.6)
    place.spines[["top", "right"]].set_visible(False)


def heat_map(rows: Sequence[Row], axes: Mapping[str, str], title: str) -> Figure | None:
    """The ratio over two sizes, a panel for each dtype; None where the sweep has no two sizes, or the ratios are not all against one."""
    wide = [(name, symbol) for name, symbol in axes.items() if len({row.sizes[symbol] for row in rows}) > 1]
    dtypes = list(dict.fromkeys(row.dtype for row in rows))
    opponents = {row.against for row in rows if row.against}
    if len(wide) != 2 or len(opponents) != 1:
        return None
    (against,) = opponents
    (down, down_symbol), (across, across_symbol) = wide
    downs = sorted({row.sizes[down_symbol] for row in rows})
    acrosses = sorted({row.sizes[across_symbol] for row in rows})
    if len(rows) * 2 < len(downs) * len(acrosses) * len(dtypes):  # sizes that grow together: a diagonal is no map
        return None
    most = max(1.02, *(max(row.ratio, 1 / row.ratio) for row in rows if row.ratio))
    size = (1.8 + len(dtypes) * max(3.0, 0.75 * len(acrosses)), 1.6 + max(2.0, 0.42 * len(downs)))
    figure = Figure(figsize=size, layout="constrained")
    shown = cm.ScalarMappable(colors.LogNorm(1 / most, most), _map())
    for place, dtype in zip(figure.subplots(1, len(dtypes), squeeze=False)[0], dtypes, strict=True):
        cells = {(row.sizes[down_symbol], row.sizes[across_symbol]): row for row in rows if row.dtype == dtype}
        ratios = [[_ratio(cells.get((d, a))) for a in acrosses] for d in downs]
        place.imshow(ratios, norm=shown.norm, cmap=shown.cmap, aspect="auto", origin="lower")
        _numbers(place, [[cells.get((d, a)) for a in acrosses] for d in downs])
        place.set_xticks(range(len(acrosses)), [f"{a:,}" for a in acrosses], rotation=45, ha="right", fontsize=8)
        place.set_yticks(range(len(downs)), [f"{d:,}" for d in downs], fontsize=8)
        place.set_xlabel(across)
        place.set_ylabel(down)
        place.set_title(dtype, fontsize=10)
    bar = figure.colorbar(shown, ax=figure.axes, label=f"{against} / hand: above 1 the hand kernel is faster")
    ticks = [1 / most, 1, most]
    bar.ax.minorticks_off()
    bar.set_ticks(ticks, labels=[f"{tick:.2f}" for tick in ticks])
    figure.suptitle(f"{title}, {devices(rows)}", fontsize=11)
    return figure


def _ratio(row: Row | None) -> float:
    return row.ratio if row and row.ratio else math.nan


def _map() -> colors.Colormap:
    """Red where the hand kernel is slower, white at 1, green where it is faster; grey where nothing was measured."""
    made = colors.LinearSegmentedColormap.from_list("ratio", ["#a03328", "#fbfaf7", "#1f6f6b"])
    return made.with_extremes(bad="#d8d4ca")


def _numbers(place: Any, cells: Sequence[Sequence[Row | None]]) -> None:
    """Each ratio, bold where it is a difference; the outcome where there is none."""
    if sum(map(len, cells)) > MOST_CELLS:
        return
    for y, line in enumerate(cells):
        for x, row in enumerate(line):
            if row is not None:
                bold = "bold" if row.verdict in ("faster", "slower") else "normal"
                said = f"{row.ratio:.2f}" if row.ratio else row.outcome.replace("does not fit", "no room")
                place.text(x, y, said, ha="center", va="center", fontsize=7, fontweight=bold, color="#24231f")
