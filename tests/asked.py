"""What the tests of a module are asked for that run in this session: what they share is made for no others."""

from __future__ import annotations

from typing import Any

import pytest


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
