"""What Triton's interpreter lacks and a right kernel may use is there: each is a small kernel of `kernels_of_stand_ins.py`, run in one process."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from forking import interpreted

pytest.importorskip("torch")
pytest.importorskip("triton")

PROGRAM = Path(__file__).with_name("kernels_of_stand_ins.py")


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What was tried -> what went wrong."""
    made: dict[str, str] = json.loads(interpreted(PROGRAM).splitlines()[-1])
    return made


KINDS = ("bfloat16", "float16", "torch.", "atomic", "libdevice", "")


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_interpreter_lacks_is_there(said: dict[str, str], kind: str) -> None:
    mine = {name: error for name, error in said.items() if next(one for one in KINDS if name.startswith(one)) == kind}
    assert len(mine) > 1
    assert {name: error for name, error in mine.items() if error} == {}


def test_all_that_is_written_there_is_tried(said: dict[str, str]) -> None:
    written = re.findall(r'@tried\("([^"]+)"\)', PROGRAM.read_text())
    assert len(written) > 5 and set(written) <= set(said)
