"""What the tests of a module share: made for those alone that run in this session, or of each only once it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

K = TypeVar("K")
V = TypeVar("V")


class OnDemand(dict[K, V]):
    """What is made of each key when it is first asked for: the session's processes share the work however their tests are dealt out."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, key: K) -> V:
        self[key] = made = self.make(key)
        return made


def asked(request: pytest.FixtureRequest, *names: str) -> list[Any]:
    """The values of these parameters, each once, in their order: those of `make test`, or one alone with `-k`."""
    found = {}
    for item in request.session.items:
        call = getattr(item, "callspec", None)
        if call and item.path == request.path and all(name in call.params for name in names):
            values = tuple(call.params[name] for name in names)
            found[values if len(names) > 1 else values[0]] = None
    return list(found)


def some(values: Any, chosen: Any) -> list[Any]:
    """The parameters of a test: those that are chosen run in `make test`, all in `make test-all`."""
    lost = [one for one in chosen if one not in values]
    assert not lost, f"no such cases: {lost}"
    return [one if one in chosen else _slow(one) for one in values]


def _slow(one: Any) -> Any:
    values = one if isinstance(one, tuple) else (one,)
    return pytest.param(*values, marks=pytest.mark.slow)
