"""Makes a Capture of a finished program's log, or says in one sentence why there is none."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inductor_lab.annotate import annotate
from inductor_lab.capture import configurations
from inductor_lab.capture.problems import ERROR, PROBLEM
from inductor_lab.document import from_dict
from inductor_lab.errors import LabError
from inductor_lab.gpus import find_gpu
from inductor_lab.read import artifacts, read
from inductor_lab.records import Capture, Gpu, Graph, Input, Observed, Problem, SizeLike


def captured(
    log: Path,
    name: str,
    command: str,
    card: str | None,
    fingerprint: Mapping[str, Any],
    values: Path | None,
    status: int = 0,
) -> tuple[Capture, str]:
    """The capture that a log tells of, and the log as it is kept.

    Args:
        card: The virtual card's key.
        fingerprint: What the process said of itself, `inside.fingerprint`.
        values: The folder in which `observe` kept what each graph was given; None where nobody looked.
        status: With which the program ended, negative for a signal.

    Raises:
        LabError: Inductor wrote no kernel; it says why.
    """
    _tidy(log)
    found = None
    with suppress(LabError):  # there is no module in it
        found = read([log], name)
    if found is None or not found.kernels:
        raise LabError(why_nothing(log, status, fingerprint, virtual=card is not None))
    found = annotate(with_names(found, fingerprint.get("called", {})))
    problems = [replace(problem, where=problem.where.replace(str(log), log.name)) for problem in found.problems]
    if status != 0:
        how, error = how_it_ended(status), _scan(log).last
        problems.append(Problem("program", f"the program {how}{': ' if error else ''}{error}"))
    found = replace(found, command=command, problems=tuple(problems), **_facts(found, fingerprint, card))
    found = configurations.with_configurations(
        found, fingerprint.get("autotuned", {}), fingerprint.get("candidates", {})
    )
    if values:
        found = replace(found, graphs=tuple(_observed(graph, values) for graph in found.graphs))
    return found, log.read_text(encoding="utf-8")


def _tidy(log: Path) -> None:
    """Take this machine's folders out of the log, so that the same program gives the same text anywhere; and what is no UTF-8.

    Source files keep their path from the working directory, or from where inductor_lab is installed.
    """
    here = {f"{Path.cwd()}/", f"{Path(__file__).resolve().parents[2]}/"} - {"/"}
    temporary = re.escape(str(log.parent.resolve())) + r"/(?:cache/(?:tmp\w+/)?)?"
    folder = re.compile("|".join([temporary, *map(re.escape, sorted(here, key=len)[::-1])]))
    tidy = log.with_suffix(".tidy")
    with log.open(encoding="utf-8", errors="replace", newline="") as lines, tidy.open("w", encoding="utf-8") as out:
        for line in lines:
            out.write(folder.sub("", line))
    tidy.replace(log)


def read_fingerprint(path: Path) -> dict[str, Any]:
    """What the child said about itself; empty when it could not."""
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def with_names(found: Capture, told: Mapping[str, Any]) -> Capture:
    """The capture with what `program_names` told of its graphs' inputs."""
    return replace(found, graphs=tuple(_called(graph, told.get(graph.id, {})) for graph in found.graphs))


def _called(graph: Graph, told: Mapping[str, Any]) -> Graph:
    shapes = {node.name: node.type.shape if node.type else None for node in graph.nodes if node.target == "placeholder"}
    if any(name not in shapes or not _fits(one["shape"], shapes[name]) for name, one in told.items()):
        return graph  # of another process's graph that has this number too
    return replace(graph, called={name: from_dict(Input, one) for name, one in told.items()})


def _fits(shape: Sequence[int] | None, printed: Sequence[SizeLike] | None) -> bool:
    return shape is None or printed is None or tuple(shape) == tuple(printed)


def _observed(graph: Graph, folder: Path) -> Graph:
    """The graph with what `observe` told of it in a folder."""
    try:
        told = json.loads((folder / f"{graph.id}.json").read_text(encoding="utf-8"))
        given, returned = (tuple(from_dict(Observed, one) for one in told[word]) for word in ("given", "returned"))
    except (OSError, ValueError, KeyError):
        return graph
    names = [node.name for node in graph.nodes if node.target == "placeholder"]
    if len(names) != len(given) or (returned and len(returned) != len(graph.outputs)):
        return graph  # of another process's graph that has this number too
    values = f"values/{graph.id}.npz" if (folder / f"{graph.id}.npz").is_file() else ""
    return replace(graph, given=_named(given, names), returned=_named(returned, graph.outputs), values=values)


def _named(observed: Sequence[Observed], names: Sequence[str]) -> tuple[Observed, ...]:
    return tuple(replace(one, name=name) for one, name in zip(observed, names, strict=False))


def _facts(found: Capture, fingerprint: Mapping[str, Any], card: str | None) -> dict[str, Any]:
    """The fields of a Capture that the log does not tell."""
    virtual = find_gpu(card) if card else None
    told = Gpu(fingerprint.get("gpu", ""), fingerprint.get("arch", ""), False) if fingerprint.get("gpu") else found.gpu
    settings: Mapping[str, str] = fingerprint.get("settings", {})
    return {
        "torch": fingerprint.get("torch") or found.torch,
        "triton": fingerprint.get("triton") or found.triton,
        "gpu": Gpu(virtual.name, virtual.arch, True) if virtual else told,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "environment": {
            **found.environment,
            "python": fingerprint.get("python", ""),
            "platform": fingerprint.get("platform") or f"{platform.system()} {platform.machine()}",
            **{f"torch._inductor.config.{key}": value for key, value in settings.items()},
        },
    }


# Why a run wrote no kernel: the log and the fingerprint read for one sentence


WRITTEN = tuple(heading.strip() for heading in artifacts.LOGGED["output_code"].starts)
"""What the line before a module ends with, in Python and in C++."""

FAILED = "could not be generated"
"""What a problem says that leaves kernels out; the others are of a program that was captured."""


def why_nothing(log: Path, status: int, fingerprint: Mapping[str, Any], *, virtual: bool) -> str:
    """One sentence that says why, with the way out."""
    found = _scan(log)
    if found.ours:
        return found.ours
    if status != 0:
        # A killed process was writing about something else; what left with a status may have said why in any words.
        said = found.last or (found.said if status > 0 else "") or "it said nothing"
        return f"The program {how_it_ended(status)} before Inductor wrote a kernel: {said}{_hint(said, virtual)}"
    if found.failure:
        return f"Inductor wrote no kernel: {found.failure}"
    if found.cpp:
        return (
            f"Inductor compiled {found.cpp} kernels for the CPU only; move the model to the GPU, "
            "or capture for a virtual one with --gpu h200."
        )
    if found.graphs:
        return f"Inductor compiled {found.graphs} graph(s) and wrote no kernel: every operation went to a library."
    if not fingerprint:
        return "The program never imported torch; capture runs Python programs that call torch.compile."
    if not fingerprint.get("frames"):
        return (
            "The program never ran anything under torch.compile; wrap the model, model = torch.compile(model), "
            "and call it (TORCH_COMPILE_DISABLE must not be set)."
        )
    if not fingerprint.get("inductor"):
        return "torch.compile was used with a backend other than inductor; leave out backend=."
    if breaks := fingerprint.get("graph_breaks"):
        reason = breaks[0].splitlines()[0]
        return f"Graph breaks left nothing to compile ({reason}); TORCH_LOGS=graph_breaks shows each."
    return "torch.compile ran, yet no output code reached the log; does the program set torch._logging or TORCH_LOGS?"


def how_it_ended(status: int) -> str:
    """Of a process's status that is not 0."""
    return f"was killed by signal {-status}" if status < 0 else f"ended with exit status {status}"


class _Found:
    ours = ""
    failure = ""
    last = ""
    said = ""
    cpp = 0
    graphs = 0


_LOGGED = re.compile(r"^[VIWEC]\d{4} \d\d:\d\d:\d\d")
_NOISE = ("Set TORCHDYNAMO_VERBOSE=1", "For even more developer context")
_NAMED = re.compile(
    r"^(\[rank\d+\]: )?(\w+\.)*\w*(Error|Exception|Interrupt|Exit|Failed|Unsupported)\b|^Fatal Python error"
)


def _scan(log: Path) -> _Found:
    found = _Found()
    with log.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            text = line.strip()
            found.cpp += "async_compile.cpp" in text and " = async_compile.cpp" in text
            found.graphs += text.endswith(WRITTEN)
            if text.startswith(ERROR):
                found.ours = text.removeprefix(ERROR)
            elif text.startswith(PROBLEM):
                if FAILED in text:
                    found.failure = text.removeprefix(PROBLEM)
            elif text and not _LOGGED.match(text) and not text.startswith(_NOISE):
                found.said = text[:300]
                if _NAMED.match(text):
                    found.last = text[:300]
    return found


def _hint(error: str, virtual: bool) -> str:
    missing = re.search(r"No module named '(torch|triton)'", error)
    if missing:
        return f"; install it where the program runs: pip install {missing[1]}."
    if virtual and ("c10d" in error or "ProcessGroup" in error):
        return "; torch.distributed has no collectives on a virtual GPU: capture one process without them."
    if virtual and re.search("CUDA|NVIDIA driver|libcuda|nvidia-smi", error):
        return "; the virtual GPU has no answer for this: leave it out of the program, or capture where a card is."
    return ""
