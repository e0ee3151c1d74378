"""What a template places, as Python: numbers, names and tuples, and the statements that find the sizes of tensors."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.file.header import quoted


def literal(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in values.items()) + "}"


def in_quotes(text: str) -> str:
    """The same between two quotation marks."""
    return quoted(text).replace('"', "'")


def keywords(values: Mapping[str, object]) -> list[str]:
    """Parameters that are passed by name, after a star."""
    return ["*", *(f"{name}={value}" for name, value in values.items())] if values else []


def tuple_of(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# ------------------------------------------------------------ where sizes are from


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
