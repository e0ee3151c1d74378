"""What most likely explains a difference in time, in sentences: what the rules found, told so that it does not say more than the times do. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inductor_lab.gpus import Card
from inductor_lab.why.rules import RULES, Rule
from inductor_lab.why.side import Side


def because(
    verdict: str, timed: bool, hand: Side, generated: Side, card: Card, rules: Sequence[Rule] = RULES
) -> tuple[str, ...]:
    """The strongest reason first. Only what makes the slower kernel slower is told where the times say which that is."""
    found = list(_findings(hand, generated, card, rules))
    if not timed:
        return tuple(f"The {which} kernel {what}." for which, what in found) or _nothing(
            hand, generated, "Nothing that was looked at differs enough to matter"
        )
    if verdict not in ("faster", "slower"):
        seen = (
            "and no difference in time is seen" if verdict == "same" else "and the times do not tell whether it matters"
        )
        return tuple(f"The {which} kernel {what}; {seen}." for which, what in found)
    slower = "generated" if verdict == "faster" else "hand"
    reasons = [what for which, what in found if which == slower]
    if not reasons:
        return _nothing(hand, generated, "Nothing that was looked at explains it")
    first, *others = reasons
    return (
        f"Most likely {verdict} because the {slower} kernel {first}.",
        *(f"Also, the {slower} kernel {what}." for what in others),
    )


def _nothing(hand: Side, generated: Side, said: str) -> tuple[str, ...]:
    """With what was looked at: what both sides tell. Nothing where that is nothing."""
    both = (hand, generated)
    looked = {
        "spills": all(side.spills is not None for side in both),
        "width of loads and stores": all(side.width("loads") or side.width("stores") for side in both),
        "bytes asked for": all(side.asked is not None for side in both),
        "launches, programs, occupancy": all(side.residency for side in both),
        "instructions by kind": all(side.instructions() for side in both),
    }
    known = [name for name, told in looked.items() if told]
    return (f"{said}: {', '.join(known)}.",) if known else ()


def _findings(hand: Side, generated: Side, card: Card, rules: Sequence[Rule]) -> Iterator[tuple[str, str]]:
    """(which kernel, what it does worse than the other)."""
    if not hand.codes or not generated.codes:
        return
    for rule in rules:
        if what := rule(hand, generated, card):
            yield "hand", what
        elif what := rule(generated, hand, card):
            yield "generated", what
