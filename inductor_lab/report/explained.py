"""What explains a comparison, as cells and sentences: occupancy, instructions by kind, the place under the ceilings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inductor_lab.quantity import plural, size
from inductor_lab.report.each_kernel import is_several


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
