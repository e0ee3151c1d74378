"""Is what Inductor generates for a card that is not there what it generates on the card? Every workload and probe, captured both ways.

    python tests/benchmarks/real_against_virtual.py DIR                      on the card: captures, aligns, writes DIR/real_against_virtual.json
    python tests/benchmarks/real_against_virtual.py DIR --virtual-only       without one: does everything generate?
    python tests/benchmarks/real_against_virtual.py DIR --no-capture         aligns again what is in DIR/captures
    python tests/benchmarks/real_against_virtual.py --table                  docs/virtual_gpu.md from results/real_against_virtual.json

Each combination is one `inductor-lab capture` with `--gpu real` and one with `--gpu CARD`, several at once, in processes and caches of
their own. Exits with 1 when a capture failed, or when a difference has no cause in `virtual_gpu_page.CAUSES`.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import gzip
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import unified_diff
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import virtual_gpu_page

from inductor_lab import store
from inductor_lab.compare import compare, normalised
from inductor_lab.errors import LabError
from inductor_lab.models import WORKLOADS
from inductor_lab.records import Capture, Comparison, Graph, Kernel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

PROBES = tuple(
    node.name
    for node in ast.parse((HERE / "probes.py").read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) == "Program"
)
"""The functions of probes.py that return a program, read and not imported: torch is imported in the captures alone."""

UNTRAINED = {"adamw_step"}
"""Probes whose outputs have no gradient."""

KEPT = {
    name: name
    for name in (
        "dlrm", "dlrm_dynamic", "dlrm_train", "lora_mlp", "lora_mlp_bf16", "lora_mlp_train", "lora_mlp_train_bf16",
        "lora_mlp_train_dynamic", "rotary_attention", "rotary_attention_bf16", "rotary_attention_train",
        "rotary_attention_train_bf16", "sparse_ffn", "sparse_ffn_train",
    )
} | {"rotary": "rotary_bf16", "rotary_train": "rotary_train_bf16"}  # fmt: skip
"""Name under captured/ -> the combination that `--keep` copies there."""

LIMIT = 180
"""Seconds that one capture may take."""

DIFF_LINES = 24
"""A diff is cut after so many lines in the results; the captures themselves have all of it."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Combination:
    """One program in one of its variants."""

    target: str
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """`dlrm_train_bf16_dynamic`; a probe's begins with `probe_`."""
        module, _, function = self.target.rpartition(":")
        half = "bf16" in self.options or function.startswith("bf16.")
        flags = [flag.removeprefix("--") for flag in self.options if flag in ("--train", "--dynamic")]
        flags.insert(flags.count("train"), "bf16" if half else "")
        return "_".join(filter(None, ("probe" if module else "", function.removeprefix("bf16."), *flags)))


def combinations() -> list[Combination]:
    """Every workload x forward, training x fp32, bf16 x static, dynamic; and the probes."""
    found = []
    for workload in WORKLOADS.values():
        for train in ((), ("--train",)):
            for dtype in workload.dtypes:
                for dynamic in ((), ("--dynamic",)):
                    cast = () if dtype == workload.dtypes[0] else ("--dtype", dtype)
                    found.append(Combination(workload.name, (*train, *cast, *dynamic)))
    for probe in PROBES:
        train = () if probe in UNTRAINED else ("--train",)
        found.append(Combination(f"probes:{probe}"))
        found.append(Combination(f"probes:bf16.{probe}", train))
        found.append(Combination(f"probes:{probe}", (*train, "--dynamic")))
        if train:
            found.append(Combination(f"probes:{probe}", train))
    return found


# Capturing


@dataclass(frozen=True)
class Run:
    """One capture to be made: of a combination, for `real` or for a card, in a folder."""

    combination: Combination
    gpu: str
    folder: Path

    @property
    def command(self) -> list[str]:
        words = ["capture", self.combination.target, *self.combination.options]
        return [sys.executable, "-m", "inductor_lab", *words, "--gpu", self.gpu, "-o", str(self.folder)]


def captured(runs: Sequence[Run], jobs: int, seconds: float) -> dict[Path, str]:
    """Make the captures, `jobs` at once; folder -> what went wrong. Those not begun after `seconds` are not made."""
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    # The probes are beside this file; the threads keep captures at once from waiting for each other.
    paths = [str(HERE), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": threads}
    environment["TORCHINDUCTOR_COMPILE_THREADS"] = threads
    begun = time.monotonic()

    def one(run: Run) -> str:
        start = time.monotonic()
        if start - begun > seconds:
            return f"not begun after {seconds:.0f} s"
        # What is made for a card that is not there must not meet the one that is.
        hidden = {} if run.gpu == "real" else {"CUDA_VISIBLE_DEVICES": ""}
        child = subprocess.Popen(
            run.command, cwd=ROOT, env=environment | hidden, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            said = child.communicate(timeout=LIMIT)[1]
            error = " ".join(said.split())[-600:] or f"exit {child.returncode}" if child.returncode else ""
        except subprocess.TimeoutExpired:
            child.terminate()  # not kill: it must end the program that it captures
            child.communicate()
            error = f"not done in {LIMIT} s"
        now = time.monotonic()
        print(f"{now - begun:5.0f} s  {run.folder.name} in {now - start:.0f} s", "FAILED" if error else "", flush=True)
        return error

    with ThreadPoolExecutor(jobs) as pool:
        errors = pool.map(one, runs)
        return {run.folder: error for run, error in zip(runs, errors, strict=True) if error}


# Aligning


def side(capture: Capture | None, error: str | None) -> Row | None:
    """What is counted of one capture."""
    if capture is None:
        return {"error": error} if error else None
    return {
        "graphs": len(capture.graphs),
        "kernels": len(capture.kernels),
        "launches": sum(len(kernel.launches) for kernel in capture.kernels),
        "extern_calls": len(capture.extern_calls),
        "problems": [problem.message for problem in capture.problems],
    }


def aligned(real: Capture, virtual: Capture) -> Row:
    """How far two captures are the same, and each difference."""
    found = compare(real, virtual)
    pairs = {graph.id: graph for graph in virtual.graphs}
    return {
        "identical": len(found.same),
        "same_launches": not found.relaunched and not (found.changed or found.added or found.removed),
        "same_extern_calls": not found.extern_calls,
        "same_modules": sum(graph.module == pairs[graph.id].module for graph in real.graphs if graph.id in pairs),
        "differences": list(differences(found)),
    }


def differences(found: Comparison) -> Iterator[Row]:
    """Kernels, launches and library calls that differ; and wrappers, where nothing else in their graph does."""
    for pair in found.changed:
        yield difference("changed", pair.a, pair.b, diff=pair.diff)
    for kernel in found.removed:
        yield difference("only real", kernel, None, diff=normalised(kernel))
    for kernel in found.added:
        yield difference("only virtual", None, kernel, diff=normalised(kernel))
    for pair in found.relaunched:
        counts = f"{len(pair.a.launches)} launches, {len(pair.b.launches)} for the virtual card"
        yield difference("launches", pair.a, pair.b, diff=(counts,))
    for call in found.extern_calls:
        counts = f"{call.a} calls, {call.b} for the virtual card"
        yield {"kind": "extern calls", "real": call.target, "virtual": call.target, "category": "", "diff": [counts]}
    told = [*found.removed, *found.added, *(kernel for pair in found.changed for kernel in (pair.a, pair.b))]
    yield from wrappers(found.a.graphs, found.b.graphs, {kernel.graph for kernel in told})


def difference(kind: str, real: Kernel | None, virtual: Kernel | None, diff: Sequence[str]) -> Row:
    names = {"real": real.name if real else "", "virtual": virtual.name if virtual else ""}
    category = next((kernel.category for kernel in (real, virtual) if kernel), "")
    return {"kind": kind, **names, "category": category, "diff": list(diff[:DIFF_LINES])}


def wrappers(real: Sequence[Graph], virtual: Sequence[Graph], told: set[str]) -> Iterator[Row]:
    """Modules that differ although their kernels are the same, and graphs that one side lacks."""
    texts = [{graph.id: graph.module for graph in graphs} for graphs in (real, virtual)]
    for name in dict.fromkeys(graph.id for graph in (*real, *virtual)):
        old, new = (text.get(name, "") for text in texts)
        if old != new and name not in told:
            diff = list(unified_diff(old.splitlines(), new.splitlines(), "real", "virtual", n=0, lineterm=""))
            names = {"real": name if old else "", "virtual": name if new else ""}
            yield {"kind": "wrapper", **names, "category": "", "diff": [line[:200] for line in diff[:DIFF_LINES]]}


def loaded(folder: Path) -> tuple[Capture | None, str | None]:
    try:
        return store.load(folder), None
    except LabError as error:
        return None, str(error)


def row(combination: Combination, real: Path | None, virtual: Path, errors: dict[Path, str]) -> Row:
    """One line of the results."""
    words = ["capture", combination.target, *combination.options]
    found: Row = {"combination": combination.name, "command": shlex.join(words)}
    sides: dict[str, Capture | None] = {}
    for name, folder in (("real", real), ("virtual", virtual)):
        # An error counts before what an earlier run may have left in the folder.
        error = errors.get(folder) if folder else None
        sides[name], error = (None, error) if error or not folder else loaded(folder)
        found[name] = side(sides[name], error)
    if sides["real"] and sides["virtual"]:
        found |= aligned(sides["real"], sides["virtual"])
    return found


def keep(source: Path, into: Path, card: str) -> None:
    """Copy the pairs that belong under captured/, under the names that they have there."""
    for name, combination in KEPT.items():
        for end in (card, f"{card}_virtual"):
            folder = source / f"{combination}_{end}"
            capture, error = loaded(folder)
            if capture is None:
                print(f"not kept: {error}")
                continue
            with gzip.open(folder / "log.txt.gz", "rt", encoding="utf-8", newline="") as log:
                store.save(renamed(capture, f"{name}_{end}"), into / f"{name}_{end}", log=log.read())


def renamed(capture: Capture, name: str) -> Capture:
    """The same capture under another name, which its kernels' ids begin with."""
    ids = (f"{name}:{kernel.id.rpartition(':')[2]}" for kernel in capture.kernels)
    kernels = (dataclasses.replace(kernel, id=each) for kernel, each in zip(capture.kernels, ids, strict=True))
    return dataclasses.replace(capture, name=name, kernels=tuple(kernels))


# The edges


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="where captures and results go")
    parser.add_argument("--jobs", type=int, default=6, help="captures at once")
    parser.add_argument("--cards", default="h200", help="comma-separated; the first is the card that is here")
    parser.add_argument(
        "--only", nargs="+", default=["*"], metavar="GLOB", help="names of combinations: 'dlrm*' 'probe_*'"
    )
    parser.add_argument("--seconds", type=float, default=400, help="no capture is begun after so long")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="copy there what belongs under captured/")
    parser.add_argument("--virtual-only", action="store_true", help="there is no card here")
    parser.add_argument("--no-capture", action="store_true", help="only align and count")
    parser.add_argument("--table", action="store_true", help="only write the page")
    asked = parser.parse_args()
    if asked.table:
        return virtual_gpu_page.write()
    if asked.folder is None:
        parser.error("name a folder, or --table")
    return measure(asked)


def measure(asked: argparse.Namespace) -> int:
    folder = asked.folder.resolve() / "captures"
    folder.mkdir(parents=True, exist_ok=True)
    here, *others = asked.cards.split(",")
    chosen = [each for each in combinations() if any(fnmatchcase(each.name, glob) for glob in asked.only)]
    real = {each: None if asked.virtual_only else folder / f"{each.name}_{here}" for each in chosen}
    virtual = {(each, card): folder / f"{each.name}_{card}_virtual" for each in chosen for card in (here, *others)}
    runs = [Run(each, "real", path) for each, path in real.items() if path]
    runs += [Run(each, card, path) for (each, card), path in virtual.items()]
    # The largest first: the last one to end should be a small one.
    runs.sort(key=lambda run: ("dlrm" not in run.combination.name, run.gpu != "real", run.combination.target))
    errors = {} if asked.no_capture else captured(runs, asked.jobs, asked.seconds)
    rows = [row(each, real[each], virtual[each, here], errors) for each in chosen]
    for card in others:
        rows += [row(each, None, virtual[each, card], errors) | {"card": card} for each in chosen]
    document = virtual_gpu_page.explained(
        {"what": WHAT, **machine([*filter(None, real.values()), *virtual.values()]), "rows": rows}
    )
    path = asked.folder / virtual_gpu_page.RESULTS.name
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if asked.keep:
        keep(folder, asked.keep, here)
    return told(document, path)


WHAT = "Kernels that Inductor wrote on the card against those that it wrote for it on no card, by the hash of their bodies."


def machine(folders: Sequence[Path]) -> Row:
    """What made the captures: the first that there is tells."""
    capture = next((found for folder in folders if (found := loaded(folder)[0])), None)
    if capture is None:
        return {}
    python = capture.environment.get("python", "")
    return {"gpu": capture.gpu.name, "torch": capture.torch, "triton": capture.triton, "python": python}


def told(document: Row, path: Path) -> int:
    """Print what a person must look at; the exit status."""
    rows = document["rows"]
    said: dict[str, list[str]] = {}
    """What a capture says -> the combinations of which it is said."""
    for each in rows:
        for where in ("real", "virtual"):
            found = each[where] or {}
            for message in [f"FAILED: {found['error']}"] if "error" in found else found.get("problems", []):
                said.setdefault(f"{where} {each.get('card', '')}: {message}", []).append(each["combination"])
    for message, names in said.items():
        print(f"{message}\n    {len(names)}: {' '.join(names)}")
    unexplained = [
        (each["combination"], one) for each in rows for one in each.get("differences", []) if not one["explanation"]
    ]
    for name, one in unexplained:
        print(f"UNEXPLAINED {name}: {one['kind']} {one['category']}, real {one['real']!r}, virtual {one['virtual']!r}")
        print(*(f"    {line}" for line in one["diff"][:12]), sep="\n")
    compared = [each for each in rows if "identical" in each]
    kernels, same = sum(each["real"]["kernels"] for each in compared), sum(each["identical"] for each in compared)
    failed = sum("error" in (each[where] or {}) for each in rows for where in ("real", "virtual"))
    print(f"{path}: {len(rows)} combinations, {len(compared)} compared, {same} of {kernels} kernels identical")
    print(f"{len(unexplained)} unexplained differences, {failed} failed captures")
    return int(bool(failed or unexplained))


if __name__ == "__main__":
    sys.exit(main())
