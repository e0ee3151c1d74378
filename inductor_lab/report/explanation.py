"""What explains a comparison, as cells and sentences: occupancy, instructions by kind, the place under the ceilings.

Of a span each of its kernels has a row; of an edit, what it is worth in the step of the captured model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from inductor_lab.gpus import warp_size
from inductor_lab.quantity import operations, plural, size
from inductor_lab.records import Ceiling, KernelSide, MachineCode, PerfDiff, Residency, StepEffect
from inductor_lab.report.words import counted_launches, interval

Interval = tuple[float, float]
CAUSE = "what a launch leaves in the cache, and the time between launches, count in the step alone"


def step_told(found: StepEffect) -> Iterator[str]:
    """What an edit is worth in a model's step."""
    if found.saved is None or found.saved_interval is None or found.noise is None:
        yield _estimate(found)
    else:
        yield from _measured(found, found.saved, found.saved_interval, found.noise)
    yield from found.notes


def _estimate(found: StepEffect) -> str:
    of = f"{found.launches:,} of {counted_launches(found.all_launches)}"
    head = f"In {found.capture}, an estimate, no step was timed: {of} of generated kernels"
    if found.share is None:
        return f"{head}; what they move can not be counted."
    without = f" ({counted_launches(found.uncounted)} could not be counted)" if found.uncounted else ""
    return (
        f"{head} move {size(found.bytes)} of {size(found.all_bytes)}, {_percent(found.share)} of what these kernels move{without}. Library calls "
        "are not in it."
    )


def _measured(found: StepEffect, saved: float, ends: Interval, noise: float) -> Iterator[str]:
    took, launches = found.step["generated"], counted_launches(found.launches)
    whole = f"the step of {found.capture}, {took:,.1f} us as a CUDA graph"
    if found.share is None:
        yield f"In {whole}: {launches}, whose times the profiler did not tell apart."
    else:
        yield f"In {whole}, this kernel is {_percent(found.share)}: {found.microseconds['generated']:,.1f} us in {launches}."
    end = f"the step {_saves(saved)} {abs(saved):,.2f} us ({interval(ends, 2)}), {_percent(abs(saved) / took)}"
    if found.verdict == "same":
        limit = _limit(noise, found.margin or 0.0)
        end = f"the step does not show a difference: {saved:+,.2f} us ({interval(ends, 2)}) is not beyond {limit}"
    if found.expected is None or found.expected_interval is None:
        yield f"{end[0].upper()}{end[1:]}."
        return
    expected = f"{abs(found.expected):,.2f} us ({interval(found.expected_interval, 2)})"
    begin = f"Its launches {_save(found.expected)} {expected}; {end}."
    yield f"{begin} The two agree." if found.agreement == "agrees" and found.verdict != "same" else begin
    if found.agreement in ("more", "less"):
        yield f"The two disagree beyond the noise of {noise:.2f} us, the step saves {found.agreement}: {CAUSE}."


def _limit(noise: float, margin: float) -> str:
    """What a saving must exceed; of an earlier result, which has no margin, the noise."""
    return f"the {margin:.2f} us that can not be told apart here" if margin > noise else f"its noise of {noise:.2f} us"


def _saves(microseconds: float) -> str:
    return "saves" if microseconds >= 0 else "costs"


def _save(microseconds: float) -> str:
    return "save" if microseconds >= 0 else "cost"


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %" if part >= 0.0005 else "under 0.1 %"


LONGEST = 40
"""A library's kernel is called by its template's arguments."""


def is_several(side: KernelSide) -> bool:
    """Whether one side of a comparison, or of `inspect`, launches more than once. Of a `.cu` file's several instances one is launched."""
    names = {code.kernel for code in side.get("machine", ())}
    return any(len(told) > 1 for told in (names, side.get("residency", ()), side.get("launches", ())))


def kernels(sides: Mapping[str, KernelSide]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The columns, and a row for each kernel that ran, in order: of a library's its time alone."""
    told = [(name, cells) for name, side in sides.items() for cells in _each(side)]
    titles = dict.fromkeys(title for _, cells in told for title in cells)
    return ("", *titles), tuple((name, *(cells.get(title, "") for title in titles)) for name, cells in told)


def _each(side: KernelSide) -> Iterator[dict[str, str]]:
    compiled = list(zip_longest(side.get("machine", ()), side.get("residency", ())))
    for ran in side.get("launches", ()):
        cells = {"kernel": _short(ran.kernel), "time": f"{ran.microseconds:.2f} us"}
        known = bool(compiled) and compiled[0][0].kernel == ran.kernel
        yield cells | (_compiled(*compiled.pop(0)) if known else {})
    for code, filled in compiled:
        yield {"kernel": _short(code.kernel), **_compiled(code, filled)}


def _compiled(code: MachineCode, filled: Residency | None) -> dict[str, str]:
    return ({"programs": f"{filled.programs:,}"} if filled else {}) | code_cells(code)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def code_cells(code: MachineCode) -> dict[str, str]:
    """What the compiler made of one kernel, by what is said of it."""
    spills, threads = code.spills, warp_size(code.arch)
    found = {
        "registers": "" if code.registers is None else f"{code.registers} a thread",
        "spills": "" if spills is None else "none" if spills == 0 else f"{spills} bytes a thread",
        "shared memory": f"{code.shared_memory} B",
        "warps": f"{code.num_warps}" + (f" of {threads}" if threads != 32 else ""),
        "constants": ", ".join(f"{name} {value}" for name, value in code.constants.items()),
        "loads": ", ".join(f"{count} {name}" for name, count in code.loads.items()),
        "stores": ", ".join(f"{count} {name}" for name, count in code.stores.items()),
    }
    return {title: cell for title, cell in found.items() if cell}


def filled(side: KernelSide) -> dict[str, str]:
    """How the one launch of a side fills the card."""
    launches = side.get("residency", ())
    if not launches:
        return {}
    first = launches[0]
    waves = f"{first.waves:.2f} waves" if first.waves >= 0.01 else "under 0.01 waves"
    return {
        "programs": f"{first.programs:,} ({waves})",
        "occupancy": f"{_share(first.occupancy)}, {first.held} a multiprocessor by {first.limit}",
    }


def _share(part: float) -> str:
    return f"{part:.0%}" if part >= 0.01 or not part else "under 1%"


def placed(side: KernelSide) -> dict[str, str]:
    """Rates as parts of the ceilings."""
    place, cells = side.get("roofline"), {}
    if place and place.bytes_share is not None:
        cells["of the copy"] = f"{place.bytes_share:.0%}"
    if place and place.flops_per_second:
        share = f" ({place.flops_share:.1%} of {place.precision})" if place.flops_share is not None else ""
        cells["operations"] = f"{place.flops_per_second / 1e12:.2f} TFLOP/s{share}"
    return cells


def counted(sides: Sequence[KernelSide]) -> dict[str, list[str]]:
    """Instructions of both kernels' code: how many, and each kind of which they have different numbers."""
    found = [next((code.instructions for code in side.get("machine", ())), {}) for side in sides]
    if not any(found):
        return {}
    kinds = dict.fromkeys(kind for one in found for kind in one)
    differing = [kind for kind in kinds if len({one.get(kind, 0) for one in found}) > 1]
    rows = {"instructions": [str(sum(one.values())) if one else "" for one in found]}
    return rows | {f"  {kind}": [str(one.get(kind, 0)) for one in found] for kind in differing}


def sentences(found: PerfDiff) -> Iterator[str]:
    """Why, then what was counted and what it was held against."""
    yield from found.because
    if place := found.generated.get("roofline"):
        work = "" if place.flops is None else f" and {_operations(place.flops)}"
        wall = (
            f", {place.intensity:.2g} FLOP/byte: the nearer wall is {place.wall}" if place.wall and place.flops else ""
        )
        who = "All launches together" if is_several(found.generated) else "One launch"
        yield f"{who} must move {size(place.bytes)}{work}{wall}."
    if found.ceilings:
        yield f"Measured in the same run: {'; '.join(map(_ceiling, found.ceilings))}."


def _operations(count: int) -> str:
    if not count:
        return "do no arithmetic"
    return f"do {operations(count) if count >= 1000 else plural(count, 'operation')}"


def _ceiling(one: Ceiling) -> str:
    unit = "TB/s" if one.name == "copy" else "TFLOP/s"
    return f"{one.what}, {one.per_second / 1e12:.2f} {unit}"
