"""What came of a captured program: its log and what its process said of itself, made a Capture."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inductor_lab.annotate import annotate
from inductor_lab.capture import autotuned, explain
from inductor_lab.document import from_dict
from inductor_lab.errors import LabError
from inductor_lab.gpus import find_gpu
from inductor_lab.read import read
from inductor_lab.records import Capture, Gpu, Graph, Input, Observed, Problem, SizeLike


def tidy(log: Path, temporary: Path) -> None:
    """Take this machine's folders out of the log, so that the same program gives the same text anywhere; and what is no UTF-8.

    Source files keep their path from the working directory, or from where inductor_lab is installed.
    """
    here = {f"{Path.cwd()}/", f"{Path(__file__).resolve().parents[2]}/"} - {"/"}
    folder = re.compile(
        "|".join(
            [re.escape(str(temporary)) + r"/(?:cache/(?:tmp\w+/)?)?", *map(re.escape, sorted(here, key=len)[::-1])]
        )
    )
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


def read_log(log: Path, name: str, status: int, fingerprint: Mapping[str, Any], *, virtual: bool) -> Capture:
    with log.open("rb") as lines:
        wrote = any(b"async_compile.triton(" in line for line in lines)
    found = annotate(with_names(read([log], name), fingerprint.get("called", {}))) if wrote else None
    if found is not None:
        problems = (replace(problem, where=problem.where.replace(str(log), log.name)) for problem in found.problems)
        found = replace(found, problems=tuple(problems))
    if found is None or not found.kernels:
        raise LabError(explain.why_nothing(log, status, fingerprint, virtual=virtual))
    found = autotuned.with_configurations(found, fingerprint.get("autotuned", {}), fingerprint.get("candidates", {}))
    if status != 0:
        how, error = explain.how_it_ended(status), explain.last_error(log)
        ended = Problem("program", f"the program {how}{': ' if error else ''}{error}")
        found = replace(found, problems=(*found.problems, ended))
    return found


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


def with_observed(found: Capture, folder: Path) -> Capture:
    """The capture with what `observe` told of its graphs in a folder."""
    graphs = tuple(_observed(graph, folder) for graph in found.graphs)
    return replace(found, graphs=graphs)


def _observed(graph: Graph, folder: Path) -> Graph:
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


def facts(found: Capture, fingerprint: Mapping[str, Any], card: str | None) -> dict[str, Any]:
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
