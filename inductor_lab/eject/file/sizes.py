"""Where a file's sizes are from: tensors, callers, and what the log does not tell."""

from __future__ import annotations

from collections.abc import Container, Iterable

from inductor_lab.eject.binding.plan import Plan


def found_sizes(plan: Plan, named: Container[str]) -> list[str]:
    """Where the symbols that are named are found."""
    return [f"{symbol} = {where}" for symbol, where in plan.bindings.items() if symbol in named]


def loose(plan: Plan) -> dict[str, object]:
    """Numbers that no tensor tells: a caller may pass them."""
    symbols = {symbol: value for symbol, value in plan.environment.items() if symbol not in plan.bindings}
    return symbols | {number.name: number.tried for number in plan.unbacked.values()}


def not_told(plan: Plan, numbers: Iterable[str]) -> str:
    """Which of some numbers the log does not tell, and what stands for them."""
    tried = {symbol: str(plan.environment[symbol]) for symbol in sorted(plan.guessed & plan.environment.keys())}
    tried |= {number.name: number.tried for number in plan.unbacked.values()}
    said = [f"`{name}` ({tried[name]} is tried)" for name in numbers if name in tried]
    return f"the log does not tell {', '.join(said)}" if said else ""
