"""How many files are judged side by side: by what their texts say that they take, and by what is free."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_kernels import ejected
from spans_as_text import spanned

from inductor_lab.judge.process import free_memory
from inductor_lab.judge.process.free_memory import (
    COPIES,
    INNER,
    START,
    elements,
    fitting,
    free_of_machine,
    inner,
    need,
    side_by_side,
)

GB = 10**9

BY_SIZES = """
# ---------------------------------------------------------------- what it must equal, and on what
def reference(x, y):
    return {"no": "table"}

SIZES = {"s0": 3, "s1": 1000}

def arguments(s0, s1):
    \"\"\"Shape, strides, dtype and values of every argument, for any sizes.\"\"\"
    return {  # "normal": normal numbers
        "x": ((s0, 2 * s1), (2 * s1, 1), torch.bfloat16, "normal"),
        "y": ((), (), torch.int64, "out"),
    }

ARGUMENTS = arguments(**SIZES)
"""


def test_what_a_file_takes_is_read_from_its_text() -> None:
    assert elements(BY_SIZES) == 6001
    assert elements(BY_SIZES.replace("2 * s1)", "s1 ** 2)")) == 3_000_001
    assert elements(BY_SIZES.replace("2 * s1)", "len(s1))")) == elements("x = 1") == elements("(") == 0
    text = ejected("affine")
    assert elements(text) == 2 * 40 * 75 + 75 and need(text) == START + COPIES * 8 * elements(text)
    text = spanned("product")
    assert inner(text) == 64 * 32 + 64 * 16 and need(text) == START + 8 * (
        COPIES * elements(text) + INNER * inner(text)
    )


@pytest.mark.parametrize(
    ("free", "count"), [(40, 4), (31, 4), (30, 3), (29.9, 2), (21, 2), (11, 1), (3, 1)]
)  # the largest of them may come together, and one is judged whatever there is
def test_so_many_fit_as_the_largest_leave_room_for(free: float, count: int) -> None:
    assert fitting([1 * GB, 10 * GB, 10 * GB, 10 * GB], int(free * GB)) == count


@pytest.mark.parametrize(
    ("machine", "card", "told"),
    [
        (100 * GB, None, (4, "")),
        (None, None, (4, "")),
        (int(2.5 * START), 100 * GB, (2, "2 at a time: the machine has 2.7 GB of memory free")),
        (int(3.5 * START), START, (1, "1 at a time: the card has 1.1 GB of memory free")),
    ],
)
def test_memory_bounds_the_judges_and_says_so(
    machine: int | None, card: int | None, told: tuple[int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_memory, "free_of_machine", lambda: machine)
    monkeypatch.setattr(free_memory, "free_of_card", lambda: card)
    paths = [tmp_path / f"{number}.py" for number in range(6)]
    for path in paths[:-1]:  # the last is not there
        path.write_text(BY_SIZES)
    assert side_by_side(paths, 4) == told
    assert side_by_side(paths[:1], 4) == (1, "")


MEMINFO = "MemTotal: 64000000 kB\nMemFree: 1000 kB\nMemAvailable: 32000000 kB\n"


def test_the_machine_has_what_its_groups_leave(tmp_path: Path) -> None:
    def write(**files: str) -> None:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    assert free_of_machine(tmp_path) is None
    write(proc__meminfo=MEMINFO, proc__self__cgroup="1:cpu:/\n0::/box/inner\n")
    assert free_of_machine(tmp_path) == 32_000_000 << 10
    inner, box = "sys__fs__cgroup__box__inner__memory_dot_", "sys__fs__cgroup__box__memory_dot_"
    write(**{f"{inner}max": "max\n", f"{inner}current": "7\n", f"{inner}stat": "inactive_file 0\n"})
    write(**{f"{box}max": "10000000\n", f"{box}current": "7000000\n", f"{box}stat": "anon 5\ninactive_file 2000000\n"})
    assert free_of_machine(tmp_path) == 5_000_000
    write(proc__self__cgroup="4:cpu,memory:/box\n")
    old = "sys__fs__cgroup__memory__box__memory_dot_"
    write(**{f"{old}limit_in_bytes": "900", f"{old}usage_in_bytes": "800", f"{old}stat": "total_inactive_file 30"})
    assert free_of_machine(tmp_path) == 130


def test_beside_a_card_half_of_it_lies_on_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.py"
    path.write_text(BY_SIZES.replace('"s0": 3', '"s0": 300_000'))
    takes = 8 * COPIES * elements(path.read_text())
    monkeypatch.setattr(free_memory, "free_of_machine", lambda: int(1.5 * takes))
    for card, count in ((None, 1), (10 * takes, 2), (int(0.8 * takes), 1)):
        monkeypatch.setattr(free_memory, "free_of_card", lambda: card)  # noqa: B023
        assert side_by_side([path] * 2, 2)[0] == count
