"""The engine for several processes: answers in order, a process that is lost, none that is left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inductor_lab import workers

ROOT = Path(__file__).parents[1]
TASK = '''
import os, sys, time

def making():
    """What the tests' processes do: they count, sleep, or die."""
    done = []
    shared = ("a text that every answer holds",)

    def make(request):
        if request == "die":
            os._exit(9)
        time.sleep(request / 1000)
        done.append(request)
        return request, len(done), os.getpid(), shared, "torch" in sys.modules

    return make
'''


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "tasks_of_tests.py").write_text(TASK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    return "tasks_of_tests:making"


@pytest.mark.parametrize("remember", [False, True])
def test_answers_come_in_the_order_of_the_requests(task: str, remember: bool) -> None:
    requests = [30, 0, 20, 0, 0, 10]
    with workers.Workers(task, remember=remember) as pool:
        answers = list(pool.answers(requests))
    assert [answer[0] for answer in answers] == requests
    assert len({answer[2] for answer in answers}) == 2 and max(answer[1] for answer in answers) >= 3
    one = [answer[3] for answer in answers if answer[2] == answers[0][2]]
    assert all(shared is one[0] for shared in one) == remember, "an object that was sent before is the same object"
    assert not any(answer[4] for answer in answers)


def test_a_lost_process_costs_its_request_alone(task: str) -> None:
    with workers.Workers(task) as pool:
        kinds = [type(answer) for answer in pool.answers([0, "die", 0, 0])]
    assert kinds == [tuple, workers.WorkerLostError, tuple, tuple]


def test_requests_are_taken_as_they_are_needed(task: str) -> None:
    taken: list[int] = []
    with workers.Workers(task) as pool:
        answers = pool.answers(taken.append(number) or 0 for number in range(100))
        next(answers)
    assert len(taken) <= 4


def gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_no_process_outlives_the_context_or_a_killed_parent(task: str, tmp_path: Path) -> None:
    with workers.Workers(task) as pool:
        mine = {answer[2] for answer in pool.answers([0, 0])}
    assert all(map(gone, mine))
    code = (
        "import os, signal\nfrom inductor_lab.workers import Workers\n"
        f"pool = Workers({task!r})\nprint(next(pool.answers([0]))[2], flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    path = os.pathsep.join((str(ROOT), str(tmp_path)))
    parent = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    )
    waited = [time.sleep(0.1) for _ in range(100) if not gone(int(parent.stdout))]
    assert len(waited) < 100


@pytest.mark.parametrize(
    ("sizes", "cores", "found"),
    [
        ([1, 1, 1], 2, []),
        ([9 << 20, 9 << 20], 2, [[0], [1]]),
        ([9 << 20, 9 << 20], 1, []),
        ([1, 9 << 20, 1, 1], 2, [[0], [1], [2, 3]]),
    ],
)
def test_work_is_shared_in_parts(
    sizes: list[int], cores: int, found: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert workers.parts(dict(enumerate(sizes))) == found


def test_a_lost_process_is_noticed_while_what_it_started_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what either prints is no reply."""
    (tmp_path / "starting.py").write_text(
        "import os, subprocess\n\ndef making():\n    def make(request):\n        os.system('echo printed')\n"
        "        print('printed')\n        if request:\n            subprocess.Popen(['sleep', '5'])\n            os._exit(1)\n"
        "        return request\n    return make\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with workers.Workers("starting:making", environments=[{}]) as pool:
        first, lost, last = pool.answers([0, 1, 0])
    assert (first, last) == (0, 0) and isinstance(lost, workers.WorkerLostError)


def test_a_process_for_each_environment_answers_as_it_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "naming.py").write_text(
        "import os, time\n\ndef making():\n    def make(request):\n        time.sleep(request)\n"
        "        return os.environ['NAME']\n    return make\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with workers.Workers("naming:making", environments=[{"NAME": "one"}, {"NAME": "other"}]) as pool:
        found = list(pool.as_answered([1.0, 0.0, 0.0]))
    assert found[-1][0] == 0 and dict(found)[1] == dict(found)[2] != dict(found)[0]
    assert set(dict(found).values()) == {"one", "other"}
