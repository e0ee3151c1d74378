"""What explains a comparison, as cells and sentences: occupancy, instructions by kind, the place under the ceilings.

Of a span each of its kernels has a row; of an edit, what it is worth in the step of the captured model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from inductor_lab.gpus import warp_size
from inductor_lab.quantity import plural, size
from inductor_lab.report.words import counted_launches, interval

CAUSE = "what a launch leaves in the cache, and the time between launches, count in the step alone"


def step_told(found: Mapping[str, Any]) -> Iterator[str]:
    """From the dict of a StepEffect."""
    count = int(found.get("launches") or 0)
    if found.get("verdict") == "untimed" or not found.get("step"):
        yield from _estimate(found, f"{count:,} of {counted_launches(int(found.get('all_launches') or 0))}")
    else:
        yield from _measured(found, counted_launches(count))
    yield from map(str, found.get("notes") or ())


def _estimate(found: Mapping[str, Any], of: str) -> Iterator[str]:
    where, share = found.get("capture", ""), found.get("share")
    head = f"In {where}, an estimate, no step was timed: {of} of generated kernels"
    if share is None:
        yield f"{head}; what they move can not be counted."
        return
    rest = int(found.get("uncounted") or 0)
    without = f" ({counted_launches(rest)} could not be counted)" if rest else ""
    yield (
        f"{head} move {size(found['bytes'])} of {size(found['all_bytes'])}, {_percent(share)} of what these kernels move{without}. Library calls "
        "are not in it."
    )


def _measured(found: Mapping[str, Any], launches: str) -> Iterator[str]:
    step, took = found["step"], found.get("microseconds") or {}
    whole = f"the step of {found.get('capture', '')}, {step['generated']:,.1f} us as a CUDA graph"
    if found.get("share") is None:
        yield f"In {whole}: {launches}, whose times the profiler did not tell apart."
    else:
        yield f"In {whole}, this kernel is {_percent(found['share'])}: {took['generated']:,.1f} us in {launches}."
    saved, noise = found["saved"], found["noise"]
    part = _percent(abs(saved) / step["generated"])
    end = f"the step {_saves(saved)} {abs(saved):,.2f} us ({interval(found['saved_interval'], 2)}), {part}"
    if found.get("verdict") == "same":
        end = f"the step does not show a difference: {saved:+,.2f} us ({interval(found['saved_interval'], 2)}) is not beyond {_limit(found)}"
    expected = found.get("expected")
    if expected is None:
        yield f"{end[0].upper()}{end[1:]}."
        return
    begin = (
        f"Its launches {_save(expected)} {abs(expected):,.2f} us ({interval(found['expected_interval'], 2)}); {end}."
    )
    agreement = str(found.get("agreement", ""))
    yield f"{begin} The two agree." if agreement == "agrees" and found.get("verdict") != "same" else begin
    if agreement in ("more", "less"):
        yield f"The two disagree beyond the noise of {noise:.2f} us, the step saves {agreement}: {CAUSE}."


def _limit(found: Mapping[str, Any]) -> str:
    """What a saving must exceed; of an earlier result the noise."""
    noise, margin = found["noise"], found.get("margin") or 0.0
    return f"the {margin:.2f} us that can not be told apart here" if margin > noise else f"its noise of {noise:.2f} us"


def _saves(microseconds: float) -> str:
    return "saves" if microseconds >= 0 else "costs"


def _save(microseconds: float) -> str:
    return "save" if microseconds >= 0 else "cost"


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %" if part >= 0.0005 else "under 0.1 %"


LONGEST = 40
"""A library's kernel is called by its template's arguments."""


def is_several(side: Mapping[str, Any]) -> bool:
    """Whether one side of a comparison, or of `inspect`, launches more than once. Of a `.cu` file's several instances one is launched."""
    names = {code.get("kernel") for code in codes(side)}
    return any(len(told or ()) > 1 for told in (names, side.get("residency"), side.get("launches")))


def codes(side: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The machine code of one side, of whose one kernel it may be."""
    machine = side.get("machine") or ()
    return [machine] if isinstance(machine, Mapping) else list(machine)


def kernels(sides: Mapping[str, Mapping[str, Any]]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The columns, and a row for each kernel that ran, in order: of a library's its time alone."""
    told = [(name, cells) for name, side in sides.items() for cells in _each(side)]
    titles = dict.fromkeys(title for _, cells in told for title in cells)
    return ("", *titles), tuple((name, *(cells.get(title, "") for title in titles)) for name, cells in told)


def _each(side: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    compiled = list(zip_longest(codes(side), side.get("residency") or ()))
    for ran in side.get("launches") or ():
        cells = {"kernel": _short(ran["kernel"]), "time": f"{ran['microseconds']:.2f} us"}
        known = bool(compiled) and compiled[0][0]["kernel"] == ran["kernel"]
        yield cells | (_compiled(*compiled.pop(0)) if known else {})
    for code, filled in compiled:
        yield {"kernel": _short(code["kernel"]), **_compiled(code, filled)}


def _compiled(code: Mapping[str, Any], filled: Mapping[str, Any] | None) -> dict[str, str]:
    return ({"programs": f"{filled['programs']:,}"} if filled else {}) | code_cells(code)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def code_cells(machine: Mapping[str, Any]) -> dict[str, str]:
    """What the compiler made of one kernel, by what is said of it."""

    def counted(name: str) -> str:
        return ", ".join(f"{count} {key}" for key, count in (machine.get(name) or {}).items())

    spills = machine.get("spills")
    threads = warp_size(str(machine.get("arch", "")))
    found = {
        "registers": "" if machine.get("registers") is None else f"{machine['registers']} a thread",
        "spills": "" if spills is None else "none" if spills == 0 else f"{spills} bytes a thread",
        "shared memory": f"{machine.get('shared_memory', 0)} B",
        "warps": str(machine.get("num_warps", "")) + (f" of {threads}" if threads != 32 else ""),
        "constants": ", ".join(f"{name} {value}" for name, value in (machine.get("constants") or {}).items()),
        "loads": counted("loads"),
        "stores": counted("stores"),
    }
    return {title: cell for title, cell in found.items() if cell}


def filled(side: Mapping[str, Any]) -> dict[str, str]:
    """How the first launch of one side fills the card."""
    launches = side.get("residency") or ()
    if not launches:
        return {}
    first = launches[0]
    several = {"launches": str(len(launches))} if len(launches) > 1 else {}
    waves = f"{first['waves']:.2f} waves" if first["waves"] >= 0.01 else "under 0.01 waves"
    return several | {
        "programs": f"{first['programs']:,} ({waves})",
        "occupancy": f"{_share(first['occupancy'])}, {first['held']} a multiprocessor by {first['limit']}",
    }


def _share(part: float) -> str:
    return f"{part:.0%}" if part >= 0.01 or not part else "under 1%"


def placed(side: Mapping[str, Any]) -> dict[str, str]:
    """Rates as parts of the ceilings."""
    place = side.get("roofline") or {}
    cells = {}
    if place.get("bytes_share") is not None:
        cells["of the copy"] = f"{place['bytes_share']:.0%}"
    if place.get("flops_per_second"):
        share = f" ({place['flops_share']:.1%} of {place['precision']})" if place.get("flops_share") is not None else ""
        cells["operations"] = f"{place['flops_per_second'] / 1e12:.2f} TFLOP/s{share}"
    return cells


def counted(sides: list[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Instructions of both kernels' code: how many, and each kind of which they have different numbers."""
    found = [_instructions(side) for side in sides]
    if not any(found):
        return {}
    kinds = dict.fromkeys(kind for one in found for kind in one)
    differing = [kind for kind in kinds if len({one.get(kind, 0) for one in found}) > 1]
    rows = {"instructions": [str(sum(one.values())) if one else "" for one in found]}
    return rows | {f"  {kind}": [str(one.get(kind, 0)) for one in found] for kind in differing}


def _instructions(side: Mapping[str, Any]) -> Mapping[str, int]:
    machine = side.get("machine") or ()
    first = machine if isinstance(machine, Mapping) else machine[0] if machine else {}
    return first.get("instructions") or {}


def sentences(found: Mapping[str, Any]) -> Iterator[str]:
    """Why, then what was counted and what it was held against."""
    yield from (str(reason) for reason in found.get("because") or ())
    generated = found.get("generated") or {}
    place = generated.get("roofline") or {}
    if place:
        work = "" if place.get("flops") is None else f" and {_operations(place['flops'])}"
        wall = (
            f", {place['intensity']:.2g} FLOP/byte: the nearer wall is {place['wall']}"
            if place.get("wall") and place["flops"]
            else ""
        )
        who = "All launches together" if is_several(generated) else "One launch"
        yield f"{who} must move {size(place['bytes'])}{work}{wall}."
    if ceilings := found.get("ceilings"):
        yield f"Measured in the same run: {'; '.join(map(_ceiling, ceilings))}."


def _operations(count: int) -> str:
    if not count:
        return "do no arithmetic"
    for unit, scale in (("TFLOP", 10**12), ("GFLOP", 10**9), ("MFLOP", 10**6), ("KFLOP", 10**3)):
        if count >= scale:
            return f"do {count / scale:.1f} {unit}"
    return f"do {plural(count, 'operation')}"


def _ceiling(one: Mapping[str, Any]) -> str:
    unit = "TB/s" if one["name"] == "copy" else "TFLOP/s"
    return f"{one['what']}, {one['per_second'] / 1e12:.2f} {unit}"
