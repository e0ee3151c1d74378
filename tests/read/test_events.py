"""Graph breaks and recompiles, from a log and from a trace."""

from __future__ import annotations

from pathlib import Path

from folders import GENERATIONS

from inductor_lab.read import read
from inductor_lab.read.events import graph_break, recompile
from inductor_lab.records import CompileEvent, SourceLine

BREAK = """\
Graph break in user code at /home/me/model.py:6
Graph Break Reason: Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):

Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print`.
  Hint: Avoid calling builtin `print`.
  Hint: Please report an issue to PyTorch.

User code traceback:
  File "/home/me/train.py", line 16, in <module>
    f(torch.randn(n, 3))
  File "/home/me/model.py", line 6, in f
    print("hello")
"""
RECOMPILE = """\
Recompiling function f in /home/me/model.py:3
    triggered by the following guard failure(s):
    - 0/0: tensor 'x' size mismatch at index 0. expected 8, actual 9
"""
MODULE = GENERATIONS / "g7_torch_2.13_foreach.txt"


def test_a_graph_break_says_where_and_why() -> None:
    (event,) = graph_break(BREAK)
    assert (event.kind, event.where) == ("graph_break", "model.py:6")
    assert event.reason == (
        "Failed to trace builtin operator: Dynamo does not know how to trace builtin operator `print`."
    )
    assert event.source == SourceLine("/home/me/model.py", 6, 'print("hello")')
    assert event.hints == ("Avoid calling builtin `print`.", "Please report an issue to PyTorch.")
    assert [frame.line for frame in event.stack] == [16, 6]


def test_a_break_seen_before_has_no_stack_and_older_versions_only_a_reason() -> None:
    (event,) = graph_break(
        "Graph break (user stack suppressed due to duplicate graph break) in user code at /home/me/model.py:7\n"
        "Graph Break Reason: Data-dependent branching\n  Explanation: Detected data-dependent branching.\n"
    )
    assert event.reason == "Data-dependent branching: Detected data-dependent branching."
    assert event.source == SourceLine("/home/me/model.py", 7, "")
    (old,) = graph_break("Graph break in user code at /home/me/model.py:7\nReason: Unsupported: builtin: print\n")
    assert old.reason == "Unsupported: builtin: print"


def test_a_recompile_says_which_guard_failed() -> None:
    (event,) = recompile(RECOMPILE)
    assert (event.kind, event.where) == ("recompile", "f (model.py:3)")
    assert event.reason == "tensor 'x' size mismatch at index 0. expected 8, actual 9"
    assert event.guards == (f"0/0: {event.reason}",)


def test_a_traces_recompile_is_a_line_or_a_list() -> None:
    told = '["3/1: n == 8.0      # return x * n\\nUser stack trace:\\n  File \\"m.py\\", line 13, in g\\n    return x * n", "3/0: y"]'
    (event,) = recompile(told)
    assert event.guards == ("3/1: n == 8.0  # return x * n", "3/0: y")
    assert event.stack == (SourceLine("m.py", 13, "return x * n"),)
    (alone,) = recompile("0/0: tensor 'x' size mismatch")
    assert (alone.where, alone.reason) == ("", "tensor 'x' size mismatch")


def prefixed(text: str, compile_id: str, artifact: str) -> str:
    head = f"V1122 16:54:48.271000 11359 torch/_dynamo/guards.py:5396] [{compile_id}] [__{artifact}] "
    return "".join(head + line + "\n" for line in text.splitlines())


def test_a_log_gives_its_events_in_order_with_their_compile_ids(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(
        prefixed(BREAK, "0/0", "graph_breaks")
        + prefixed(RECOMPILE, "0/1", "recompiles")
        + prefixed(BREAK, "0/1", "graph_breaks")
        + prefixed(BREAK, "0/1", "graph_breaks")  # twice the same: a second rank
        + MODULE.read_text(encoding="utf-8"),
        encoding="utf-8",
    )
    found = read([log], "run")
    told = {(event.kind, event.compile_id) for event in found.events}
    assert told == {("graph_break", "0/0"), ("recompile", "0/1"), ("graph_break", "0/1")}
    assert len(found.events) == 3 and found.problems == ()


def test_a_message_that_is_none_is_a_problem(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text(
        'V1122 16:54:48.266000 11359 torch/_dynamo/guards.py:5400] {"artifact": {"name": "recompile_reasons", '
        '"encoding": "json"}, "frame_id": 0, "frame_compile_id": 1, "has_payload": "a2a4"}\n\tno guard here\n'
        + MODULE.read_text(encoding="utf-8"),
        encoding="utf-8",
    )
    found = read([log], "run")
    assert found.events == () and "names no guard" in found.problems[0].message


def test_events_survive_being_kept() -> None:
    from inductor_lab.document import from_dict, to_dict

    (event,) = graph_break(BREAK)
    assert from_dict(CompileEvent, to_dict(event)) == event


def test_a_log_that_a_graph_break_quotes_is_text(tmp_path: Path) -> None:
    """Dynamo prints the values of what it could not trace: here a string that a program was about to write into its log."""
    inner = prefixed(f"Output code:\n{MODULE.read_text(encoding='utf-8')}", "1/0", "output_code")
    quoting = BREAK.replace("  Hint: Avoid", f"  Developer debug context: call_method write [{inner!r}]\n  Hint: Avoid")
    assert "\\n" in quoting and quoting.count("[__output_code]") > 100
    log = tmp_path / "run.log"
    log.write_text(prefixed(quoting, "0/0", "graph_breaks") + MODULE.read_text(encoding="utf-8"), encoding="utf-8")
    found = read([log], "run")
    alone = read([Path(MODULE)], "run")
    assert found.problems == () and len(found.events) == 1
    assert [kernel.name for kernel in found.kernels] == [kernel.name for kernel in alone.kernels]


def test_two_lines_of_two_processes_in_one_are_two(tmp_path: Path) -> None:
    broken = prefixed("Graph Break Reason: cut ", "0/0", "graph_breaks").rstrip("\n")
    log = tmp_path / "run.log"
    head, *rest = prefixed(f"Output code:\n{MODULE.read_text(encoding='utf-8')}", "1/0", "output_code").splitlines(True)
    log.write_text(
        prefixed("Graph break at x.py:1", "0/0", "graph_breaks") + broken + head + "".join(rest), encoding="utf-8"
    )
    assert [kernel.name for kernel in read([log], "run").kernels]
