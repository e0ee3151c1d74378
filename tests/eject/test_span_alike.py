"""Functions that differ by names and numbers alone, as one: what is taken for the same, and what stands where the numbers were."""

from __future__ import annotations

import pytest

from inductor_lab.eject.span.antiunification import KernelTexts, differences, numbers


def one_of(*texts: str, own: str = "x y") -> str:
    """Texts as the first of them says them all, and each one's numbers."""
    first, *others = [KernelTexts([text], own.split()) for text in texts]
    told = [differences(first, other, zero=True) for other in (first, *others)]
    assert all(one is not None for one in told), "they are the same but for names and numbers"
    found = numbers(first, [one or {} for one in told])
    return f"{found.placed(0, texts[0], upper=False)}  # {', '.join(map(str, found.values))}"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["f(x + 1, 2)", "f(y + 3, 2)"], "f(x + start, 2)  # {'start': 1}, {'start': 3}"),
        (["f(x + 1)", "f(x)"], "f(x + start)  # {'start': 1}, {'start': 0}"),
        (["x[16:32]", "x[32:48]"], "x[number:number + 16]  # {'number': 16}, {'number': 32}"),
        (["g(2, 3) * 4", "g(4, 5) * 6"], "g(number, (number + 1)) * (number + 2)  # {'number': 2}, {'number': 4}"),
        (["f(x, 2, 3)", "f(x, 3, 5)"], "f(x, number, number_2)  # {'number': 2, 'number_2': 3}, {'number': 3, 'number_2': 5}"),
        (['says(x, "x < 5", 5)', 'says(y, "y < 7", 7)'], "says(x, f\"x < {number}\", number)  # {'number': 5}, {'number': 7}"),
    ],
)  # fmt: skip
def test_numbers_become_parameters(texts: list[str], said: str) -> None:
    assert one_of(*texts) == said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tl.exp(x)", "tl.log(x)"),
        ("f(x)", "g(x)"),
        ("f(x, y)", "f(x, x)"),
        ("f(x + 1)", "f(x - 1)"),
        ("f(x, 1)", "f(x, 1.5)"),
        ("f(x, 1)", "f(x, True)"),
        ("f(x)  # of row 1", "f(x)  # of row 2"),
        ("f(x, 'row')", "f(x, 'column')"),
        ("f(x, 'tmp1 < 3')", "f(x, 'tmp2 < 3')"),
        ("f(x)", "f(x, 1)"),
    ],
)
def test_what_is_another_computation_stays_apart(one: str, other: str) -> None:
    assert differences(KernelTexts([one], ["x", "y"]), KernelTexts([other], ["x", "y"]), zero=True) is None


def test_nothing_is_added_to_what_is_inductors() -> None:
    assert differences(KernelTexts(["f(x + 1)"], ["x"]), KernelTexts(["f(x)"], ["x"])) is None
