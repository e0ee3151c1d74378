"""How many files are judged side by side: as many as the memory of the machine, and of its card, has room for.

Where nothing is known of either, memory bounds nothing. Nothing here imports torch: it is asked before any judge begins.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

from inductor_lab.ejected import JUDGE_STARTS
from inductor_lab.quantity import size
from inductor_lab.records.size import Size

START = 1 << 30
"""Bytes of the machine, and of the card, that the two processes of a judge take before any tensor: a CUDA context is half of it."""
COPIES = 24
"""Of all arguments in float64, what judging holds at once: 12 to 28 in the interpreter, half of that on a card and half beside it."""
INNER = 6
"""Of the buffers inside of a span, in float64: eager's and the exact ones, what these are made of, and each kernel's own."""
BASELINE = "# ---------------------------------------------------------------- the baseline"
ALLOCATES = ("torch.empty", "torch.empty_strided")
LIMITS = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Files of a control group, of version 2 and 1: its limit and what is in use; and the line of `memory.stat` of what can be taken back."""


def side_by_side(paths: Sequence[str | Path], most: int) -> tuple[int, str]:
    """How many of some files can be judged at once, `most` of them at most; and why fewer, or nothing."""
    if min(len(paths), most) < 2:
        return min(len(paths), most), ""
    of_machine, of_card = free_of_machine(), free_of_card()
    needs = [need(_text(Path(path)), COPIES if of_card is None else COPIES // 2) for path in paths]
    count, why = min(len(paths), most), ""
    for whose, free in (("the machine", of_machine), ("the card", of_card)):
        if free is not None and (room := fitting(needs, free)) < count:
            count, why = room, f"{room} at a time: {whose} has {size(free)} of memory free"
    return count, why


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # which is for its judge to say
        return ""


def need(text: str, copies: int = COPIES) -> int:
    """Bytes that judging an ejected file takes, by its text."""
    return START + 8 * (copies * elements(text) + INNER * inner(text))


def fitting(needs: Sequence[int], free: int) -> int:
    """How many fit, whichever they are: the largest may come together."""
    return max(sum(total <= free for total in accumulate(sorted(needs, reverse=True))), 1)


def elements(text: str) -> int:
    """Elements of all arguments of an ejected file; 0 where its text does not tell."""
    with suppress(SyntaxError, ValueError, AttributeError, LookupError, TypeError):
        tree = ast.parse(text.partition(JUDGE_STARTS)[2].partition(BASELINE)[0])
        sizes, shapes = dict[str, int](), list[list[ast.expr]]()
        for statement in tree.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id="SIZES")], value=value):
                    sizes = ast.literal_eval(value)
                case (
                    ast.Assign(targets=[ast.Name(id="ARGUMENTS")], value=ast.Dict(values=table))
                    | ast.FunctionDef(name="arguments", body=[*_, ast.Return(value=ast.Dict(values=table))])
                ):
                    shapes = [one.elts[0].elts for one in table]  # type: ignore[attr-defined]
        return _of_jobs(tree) + sum(prod(_number(size, sizes) for size in shape) for shape in shapes)
    return 0


def inner(text: str) -> int:
    """Elements of what the reference of a span's file allocates, as far as its text tells."""
    with suppress(SyntaxError, ValueError, AttributeError, LookupError):
        tree = ast.parse(text.partition(JUDGE_STARTS)[2].partition(BASELINE)[0])
        (reference,) = (one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "reference")
        calls = [one for one in ast.walk(reference) if isinstance(one, ast.Call)]
        shapes = [call.args[0].elts for call in calls if ast.unparse(call.func) in ALLOCATES]  # type: ignore[attr-defined]
        return sum(prod(_number(size, {}) for size in shape) for shape in shapes)
    return 0


def _of_jobs(tree: ast.Module) -> int:
    """Elements of the arguments of a file whose jobs are a table."""
    jobs, kinds = list[Any](), [["reads", "writes"]]
    told = dict[str, tuple[list[str], list[ast.expr]]]()
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="JOBS")], value=value):
                jobs = [*ast.literal_eval(value)]
            case ast.Assign(targets=[ast.Name(id="KINDS")], value=ast.Tuple(elts=rows)):
                kinds = [[ast.unparse(each) for each in row.elts[:2]] for row in rows]  # type: ignore[attr-defined]
            case ast.FunctionDef(name=name, args=given, body=[*_, ast.Return(value=ast.Dict(values=table))]) if (
                name.startswith(("reads", "writes"))
            ):
                told[name] = [argument.arg for argument in given.args][1:], [one.elts[0] for one in table]  # type: ignore[attr-defined]
    total = 0
    for row in jobs:
        kind, lies = (row[0], row[1:]) if len(kinds) > 1 else (0, row)
        for name in kinds[kind]:
            names, shapes = told[name]
            total += sum(prod(_shape(shape, dict(zip(names, lies, strict=True)))) for shape in shapes)
    return total


def _shape(node: ast.expr, row: Mapping[str, Any]) -> Any:
    """The shape of a job's tensor: the table's, or its own."""
    return row[node.id] if isinstance(node, ast.Name) else ast.literal_eval(node)


def _number(node: ast.expr, sizes: Mapping[str, int]) -> int:
    """A size: `4096`, `s0 * s1`."""
    return Size.of(ast.unparse(node)).bound(sizes)


def free_of_machine(root: Path = Path("/")) -> int | None:
    """Bytes that a new process can have: of the machine, and of each control group that this one is in."""
    with suppress(OSError, ValueError, StopIteration):
        lines = (root / "proc/meminfo").read_text().splitlines()
        available = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
        return min([available, *_left_in_groups(root)])
    return None


def _left_in_groups(root: Path) -> Iterator[int]:
    for line in (root / "proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / "sys/fs/cgroup" / ("memory" if controllers else "")
        here = top / path.lstrip("/")
        for folder in [here, *(parent for parent in here.parents if parent.is_relative_to(top))]:
            for limit, usage, unused in LIMITS:
                with suppress(OSError, ValueError):  # not of this version; `max`: no limit
                    most, used = (int((folder / name).read_text()) for name in (limit, usage))
                    stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                    yield most - used + int(stat.get(unused, 0))


def free_of_card() -> int | None:
    """Bytes that are free on the card that kernels would run on; None where there is none, or it can not be asked."""
    if os.environ.get("TRITON_INTERPRET") == "1":
        return None
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").partition(",")[0].strip()
    try:
        nvml: Any = import_module("pynvml")
        nvml.nvmlInit()
        by_name = nvml.nvmlDeviceGetHandleByUUID
        handle = nvml.nvmlDeviceGetHandleByIndex(int(first)) if first.isdecimal() else by_name(first.encode())
        return int(nvml.nvmlDeviceGetMemoryInfo(handle).free)
    except Exception:  # no NVML, a container that hides it, AMD's
        return None
