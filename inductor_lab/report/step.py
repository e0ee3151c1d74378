"""What an edit is worth in the step of a captured model, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inductor_lab.quantity import size

CAUSE = "what a launch leaves in the cache, and the time between launches, count in the step alone"


def step_told(found: Mapping[str, Any]) -> Iterator[str]:
    """From the dict of a StepEffect."""
    count = int(found.get("launches") or 0)
    if found.get("verdict") == "untimed" or not found.get("step"):
        yield from _estimate(found, f"{count:,} of {_launches(int(found.get('all_launches') or 0))}")
    else:
        yield from _measured(found, _launches(count))
    yield from map(str, found.get("notes") or ())


def _estimate(found: Mapping[str, Any], of: str) -> Iterator[str]:
    where, share = found.get("capture", ""), found.get("share")
    head = f"In {where}, an estimate, no step was timed: {of} of generated kernels"
    if share is None:
        yield f"{head}; what they move can not be counted."
        return
    rest = int(found.get("uncounted") or 0)
    without = f" ({_launches(rest)} could not be counted)" if rest else ""
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
    end = f"the step {_saves(saved)} {abs(saved):,.2f} us ({_span(found['saved_interval'])}), {part}"
    if found.get("verdict") == "same":
        end = f"the step does not show a difference: {saved:+,.2f} us ({_span(found['saved_interval'])}) is not beyond {_limit(found)}"
    expected = found.get("expected")
    if expected is None:
        yield f"{end[0].upper()}{end[1:]}."
        return
    begin = f"Its launches {_save(expected)} {abs(expected):,.2f} us ({_span(found['expected_interval'])}); {end}."
    agreement = str(found.get("agreement", ""))
    yield f"{begin} The two agree." if agreement == "agrees" and found.get("verdict") != "same" else begin
    if agreement in ("more", "less"):
        yield f"The two disagree beyond the noise of {noise:.2f} us, the step saves {agreement}: {CAUSE}."


def _limit(found: Mapping[str, Any]) -> str:
    """What a saving must exceed; of an earlier result the noise."""
    noise, margin = found["noise"], found.get("margin") or 0.0
    return f"the {margin:.2f} us that can not be told apart here" if margin > noise else f"its noise of {noise:.2f} us"


def _launches(count: int) -> str:
    return f"{count:,} launch{'es' if count != 1 else ''}"


def _saves(microseconds: float) -> str:
    return "saves" if microseconds >= 0 else "costs"


def _save(microseconds: float) -> str:
    return "save" if microseconds >= 0 else "cost"


def _span(interval: Any) -> str:
    low, high = interval
    return f"95 %: {low:,.2f} to {high:,.2f}"


def _percent(part: float) -> str:
    return f"{100 * part:.1f} %" if part >= 0.0005 else "under 0.1 %"
