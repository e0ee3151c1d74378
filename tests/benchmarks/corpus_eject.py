"""Every distinct kernel of captures and logs, ejected in both styles: is it ejected, does it compile for four GPUs, does it verify?

    python tests/benchmarks/corpus_eject.py DIR captured tests/generations -o WORK
    python tests/benchmarks/corpus_eject.py DIR -o WORK --compile 200 --verify 0       compile 200 kernels of them, verify nothing
    python tests/benchmarks/corpus_eject.py ... -o WORK --page docs/corpus.md          and write the page
    python tests/benchmarks/corpus_eject.py ... -o WORK --elsewhere                    and run each reference on another device than DEVICE
    python tests/benchmarks/corpus_eject.py -o WORK --jobs 16 --verify 300             compile and verify the files that are in WORK

A source is a capture's folder, a folder of captures, a log, or a folder of logs. A kernel is its body's hash: where it occurs twice, the
first one is taken. No GPU is needed: files are compiled for GPUs that are not there, and a sample is verified in Triton's interpreter (on the
GPU where there is one). WORK gets `files/`, `rows.jsonl` and `results.json.gz`; what WORK knows already is not done again, unless inductor_lab
changed in between. Without a source, the files in WORK are compiled and verified: WORK may be taken to a machine with more cores, and its
`rows.jsonl` back. Exits with 1 when a file did not compile or did not verify; a refusal is no failure.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import hashlib
import json
import random
import re
import shlex
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inductor_lab import store
from inductor_lab.annotate import annotate
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.read import read
from inductor_lab.records import Capture

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "tests"))
STYLES = ("readable", "verbatim")
TARGETS = ("sm_80", "sm_90", "sm_100", "gfx942")
CHUNK = 240
"""Files that one process writes; a quarter of it, that one process compiles."""

Row = dict[str, Any]


# Sources


@dataclass(frozen=True)
class Source:
    """One capture or log, and where it was found."""

    path: Path
    group: str
    """The name of the argument that it was found in."""

    def capture(self) -> Capture:
        """It, read; LabError where it can not be."""
        if (self.path / store.DOCUMENT).is_file():
            return store.load(self.path)
        return annotate(read([self.path], self.path.name.partition(".")[0]))


def sources(arguments: Iterable[Path]) -> Iterator[Source]:
    """The captures and logs in the arguments."""
    for argument in arguments:
        group = argument.resolve().name
        if not argument.is_dir() or (argument / store.DOCUMENT).is_file():
            yield Source(argument, group)
            continue
        for path in sorted(argument.iterdir()):
            if (path / store.DOCUMENT).is_file():
                yield Source(path, group)
            elif path.is_dir() and not path.name.startswith((".", "__")):
                yield from (Source(found.path, group) for found in sources([path]))
            elif path.is_file() and LOGS.search(path.name):
                yield Source(path, group)


LOGS = re.compile(r"\.(txt|log|tgz|tar\.gz)(\.gz|\.zst)?$|_wrapper\.py\.gz$")
"""What is taken for a log in a folder."""


def kernels(found: Iterable[Source]) -> tuple[list[Row], list[Row]]:
    """One row a distinct kernel, and one row a source."""
    rows: dict[str, Row] = {}
    told = []
    for source in found:
        try:
            capture = source.capture()
        except LabError as error:
            told.append(
                {"source": source.path.name, "group": source.group, "kernels": 0, "new": 0, "error": str(error)}
            )
            continue
        before = len(rows)
        for index, kernel in enumerate(capture.kernels):
            row = {
                "sha256": kernel.body_sha256, "category": kernel.category or "unknown", "name": kernel.name,
                "group": source.group, "source": source.path.name, "path": str(source.path.resolve()), "index": index,
                "captured_by": f"torch {capture.torch}" if capture.torch else "",
            }  # fmt: skip
            rows.setdefault(kernel.body_sha256, row)
        told.append(
            {
                "source": source.path.name, "group": source.group, "kernels": len(capture.kernels),
                "new": len(rows) - before, "torch": capture.torch, "gpu": capture.gpu.name, "virtual": capture.gpu.virtual,
            }
        )  # fmt: skip
    return list(rows.values()), told


OWN = "Inductor's own kernel does not compile either: "
"""How the reason begins where nothing that eject could write would help."""


# One kernel: in a process of its own kind, since a compiler may end it


def compiled(path: Path, target: str) -> str | None:
    """Compile the `launch` kernel of an ejected file for a target that need not be here; None when it compiles, else why not."""
    from inductor_lab.machine import inspect

    try:
        inspect(path, target)
    except LabError as error:
        try:
            inspect(path, target, "generated")
        except LabError:
            return OWN + str(error)
        return str(error)
    return None


def ejected(capture: Capture, row: Row, style: str, folder: Path) -> Row:
    """What became of one kernel in one style."""
    path = folder / f"{row['sha256'][:16]}_{style}.py"
    done: Row = {"sha256": row["sha256"], "style": style, "status": "ejected", "reason": "", "compile": {}}
    start = time.perf_counter()
    try:
        path.write_text(eject(capture, capture.kernels[row["index"]], style=style, file=path.name), encoding="utf-8")
    except LabError as error:
        return done | {"status": "refused", "reason": str(error)}
    except Exception as error:
        return done | {"status": "broken", "reason": f"{type(error).__name__}: {error}"}
    done["seconds"] = round(time.perf_counter() - start, 3)
    text = path.read_text(encoding="utf-8")
    return done | {"lines": text.count("\n"), "compiled_from": compiled_from(text)}


def compiled_from(text: str) -> str:
    """A hash of what a compiler sees of an ejected file: both kernels, their launchers and helpers, the shapes. No comment, no reference."""
    head, kernel, equals, baseline, _ = re.split(r"^# -{20,} .*$", text, maxsplit=4, flags=re.MULTILINE)
    shapes = re.findall(r"^    \"\w+\": (\(\(.*\), \(.*\), torch\.\w+), ", equals, re.MULTILINE)
    imports = [ast.unparse(node) for node in ast.parse(head).body[1:]]
    parts = [*imports, *(ast.unparse(ast.parse(part)) for part in (kernel, baseline)), *(shapes or [equals])]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def compiled_for(path: Path, targets: Sequence[str]) -> Row:
    """Target -> why the file does not compile for it, or nothing; and the compiler's version."""
    found = {}
    for target in targets:
        try:
            found[target] = compiled(path, target) or ""
        except Exception as error:
            found[target] = f"{type(error).__name__}: {error}"
    return {"compile": found, "compiled_by": _versions()}


def verified(path: Path, limit: float, seeds: int) -> Row:
    """The verdict on one file: `pass`, `fail`, or `error` where there is none."""
    from inductor_lab import verify

    verify.TIMEOUT = limit
    start = time.perf_counter()
    (found,) = verify.verify_all([path], seeds=seeds)
    seconds = round(time.perf_counter() - start, 1)
    by = f"{_versions()}, {_device()}"
    if isinstance(found, LabError):
        return {"verify": "error", "wrong": str(found), "verify_seconds": seconds, "verified_by": by}
    wrong = "; ".join(f"{case.name}: {case.message}" for case in found.cases if not case.passed)
    told = {"verify": found.verdict, "wrong": wrong, "notes": list(found.notes), "verify_seconds": seconds}
    return told | {"verified_by": by}


def work() -> None:
    """The child: one job on stdin, as JSON; a line on stdout as each item begins, and one with what is new of its row."""
    job = json.load(sys.stdin)
    files, capture = Path(job["files"]), None
    for item in job["items"]:
        key = {"sha256": item["sha256"], "style": item["style"]}
        print(json.dumps({"begin": key, "targets": item.get("targets", [])}), flush=True)
        if "targets" in item:
            done = compiled_for(files / f"{item['sha256'][:16]}_{item['style']}.py", item["targets"])
        else:
            capture = capture or Source(Path(item["path"]), "").capture()
            done = ejected(capture, item, item["style"], files)
        print(json.dumps({"row": key | done}), flush=True)


# Many


class Results:
    """The rows so far, one for each kernel and style, in a file that grows.

    Args:
        known: Results of other code; what a compiler would see alike is not compiled again.
    """

    def __init__(self, folder: Path, code: str, known: Path | None = None) -> None:
        self.path, self.lock, self.code = folder / "rows.jsonl", threading.Lock(), code
        rows = json.loads(gzip.decompress(known.read_bytes()))["rows"] if known else []
        self.known = {(row["sha256"], row["style"]): row for row in rows if "compile" in row}
        self.rows: dict[tuple[str, str], Row] = {}
        if self.path.is_file():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if row["code"] == code:
                    self.rows[row["sha256"], row["style"]] = row
        self.wanted = set(self.rows)
        """The kernels and styles that are asked for."""

    def ejected(self) -> list[tuple[str, str]]:
        """The kernels and styles of which there is a file."""
        return sorted(key for key in self.wanted if self.rows.get(key, {}).get("status") == "ejected")

    def add(self, row: Row) -> None:
        """Keep a row, or what is new of one."""
        with self.lock:
            key = row["sha256"], row["style"]
            known = self.rows.get(key, {})
            earlier = self.known.get((row["sha256"][:16], row["style"]), {})
            if "compiled_from" in row and earlier.get("compiled_from") == row["compiled_from"]:
                row = row | {name: earlier[name] for name in ("compile", "compiled_by") if name in earlier}
            compiled = {"compile": known.get("compile", {}) | row["compile"]} if "compile" in row else {}
            self.rows[key] = {**known, **row, **compiled, "code": self.code}
            with self.path.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(self.rows[key]) + "\n")


def code() -> str:
    """What the results depend on beside the sources: the package's own text."""
    found = hashlib.sha256()
    for path in sorted([*(ROOT / "inductor_lab").rglob("*.py"), *(ROOT / "templates").rglob("*")]):
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]


def eject_all(rows: Sequence[Row], asked: argparse.Namespace, results: Results, files: Path) -> None:
    """Eject what has no row yet; a process's items are of one source, which it reads once."""
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        for style in asked.styles:
            if (row["sha256"], style) not in results.rows:
                by_source.setdefault(row["path"], []).append(row | {"style": style})
    lost = {"status": "broken", "compile": {}}
    in_processes(
        "ejected", [part for found in by_source.values() for part in _chunks(found)], asked.jobs, lost, results, files
    )


def compile_some(asked: argparse.Namespace, results: Results, files: Path) -> None:
    """Compile the files of all kernels, or of so many that are drawn, for the targets that they were not compiled for."""
    names = sorted({name for name, _ in results.wanted})
    if 0 <= asked.compile < len(names):
        names = random.Random(asked.seed).sample(names, asked.compile)
    items = []
    for name, style in results.ejected():
        left = [target for target in asked.targets if target not in results.rows[name, style]["compile"]]
        if name in names:  # one target an item: it may end the process
            items += [{"sha256": name, "style": style, "targets": [target]} for target in left]
    in_processes("compiled", _chunks(items, CHUNK), asked.jobs, {}, results, files)


def _chunks(items: Sequence[Row], size: int = CHUNK) -> list[Sequence[Row]]:
    return [items[first : first + size] for first in range(0, len(items), size)]


def in_processes(
    word: str, chunks: Sequence[Sequence[Row]], jobs: int, lost: Row, results: Results, files: Path
) -> None:
    """Give each chunk to a process, several at once; `lost` becomes of an item that ends its process."""
    total, begun, done = sum(map(len, chunks)), time.monotonic(), Counter[str]()

    def one(chunk: Sequence[Row]) -> None:
        left = chunk
        while left:
            left = left[_child(left, lost, results, files) :]
        done["files"] += len(chunk)
        print(f"{word} {done['files']:5}/{total}  {time.monotonic() - begun:5.0f} s", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, chunks))


def _child(items: Sequence[Row], lost: Row, results: Results, files: Path) -> int:
    """Let one process work on items; how many it finished, with the one that ended it."""
    job = json.dumps({"items": items, "files": str(files)})
    with subprocess.Popen(
        [sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:  # fmt: skip
        said: list[str] = []
        listener = threading.Thread(target=lambda: said.append(child.stderr.read()))  # type: ignore[union-attr]
        listener.start()
        assert child.stdin and child.stdout
        child.stdin.write(job)
        child.stdin.close()
        finished, open_, ended = 0, None, dict[str, str]()
        for line in child.stdout:
            if not line.startswith("{"):
                continue
            told = json.loads(line)
            if "row" in told:
                results.add(told["row"])
                finished, open_ = finished + 1, None
            else:
                open_ = told["begin"]
                ended = dict.fromkeys(told.get("targets", ()), "the compiler ended the process")
        listener.join()
    if finished == len(items):
        return finished
    last = next(
        (line for line in reversed("".join(said).splitlines()) if line.strip()), f"exit status {child.returncode}"
    )
    if open_ is None:
        raise SystemExit(f"a process that works on {len(items)} files did not begin: {last}")
    results.add(open_ | lost | ({"compile": ended} if ended else {"reason": f"the process ended: {last}"}))
    return finished + 1


def run_elsewhere(asked: argparse.Namespace, results: Results, files: Path) -> None:
    """Run what each kernel must equal where DEVICE is not, without values: what does not run or fit there. Both styles have it alike."""
    from elsewhere import ValueAskedError, misplaced

    for name, style in results.ejected():
        if style == asked.styles[0] and "elsewhere" not in results.rows[name, style]:
            text = (files / f"{name[:16]}_{style}.py").read_text(encoding="utf-8")
            try:
                told: Row = {"elsewhere": list(misplaced(text))}
            except ValueAskedError:
                told = {"elsewhere": [], "values_asked": True}
            results.add({"sha256": name, "style": style, **told})


def verify_some(asked: argparse.Namespace, results: Results, files: Path) -> None:
    """Verify a sample of what was ejected, the same for the same seed; a negative count is all."""
    there, count = results.ejected(), asked.verify
    chosen = there if count < 0 else random.Random(asked.seed).sample(there, min(count, len(there)))
    for key in there:
        results.rows[key]["sampled"] = key in chosen
    left = [key for key in chosen if "verify" not in results.rows[key]]
    begun, done = time.monotonic(), Counter[str]()

    def one(key: tuple[str, str]) -> None:
        found = verified(files / f"{key[0][:16]}_{key[1]}.py", asked.verify_limit, asked.seeds)
        results.add({"sha256": key[0], "style": key[1], **found})
        done["files"] += 1
        wrong = f": {found['wrong'][:150]}" if found["verify"] != "pass" else ""
        when = time.monotonic() - begun
        print(
            f"verified {done['files']}/{len(left)}  {when:5.0f} s  {key[0][:16]}_{key[1]} {found['verify']}{wrong}",
            file=sys.stderr,
            flush=True,
        )

    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(one, left))


# What came of it


def general(reason: str) -> str:
    """A message without what differs from kernel to kernel: names, numbers, shapes."""
    text = " ".join(reason.split())
    text = re.sub(r"^\S+:\d+ \([^)]*\):? ", "", text)
    text = re.sub(r"^\S+\.py: ", "", text)
    text = re.sub(r"(\S*/)?[0-9a-f]{16}_\w+\.py", "FILE", text)
    text = re.sub(r"`[^`]*`|(?<!\w)'[^']*'|\"[^\"]*\"", "`…`", text)
    text = re.sub(r"\b(in_ptr|out_ptr|in_out_ptr|buf|arg|primals_|tangents_|tmp|ks|s|u|r|x|y|z)\d+(_\d+)?\b", "…", text)
    text = re.sub(r"\btriton_\w+", "…", text)
    text = re.sub(r"^.*?: \w+ is (?=off by |\S+ where )", "a result is ", text)
    return re.sub(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?", "N", text)[:200]


def summary(
    rows: Sequence[Row], told: Sequence[Row], results: Results, asked: argparse.Namespace, seconds: float
) -> Row:
    """The one document of results."""
    found = [
        row | results.rows[row["sha256"], style]
        for row in rows
        for style in asked.styles
        if (row["sha256"], style) in results.rows
    ]
    sampled = [row for row in found if row.get("sampled") and "verify" in row]
    return {
        "what": "every distinct kernel ejected in both styles, compiled for GPUs that are not there, and a sample verified",
        "command": shlex.join(["python", "tests/benchmarks/corpus_eject.py", *(_shown(path) for path in asked.sources), *_options(asked)]),
        "code": results.code,
        "versions": _versions(),
        "seconds": round(seconds),
        "sources": list(told),
        "kernels": len(rows),
        "by_category": _counted(found, "category", asked.styles),
        "by_group": _counted(found, "group", asked.styles),
        "refusals": _reasons((row, row["reason"]) for row in found if row["status"] == "refused"),
        "broken": _reasons((row, row["reason"]) for row in found if row["status"] == "broken"),
        "compile": {
            target: dict(Counter(_outcome(row["compile"][target]) for row in found if target in row["compile"]))
            for target in asked.targets
        },
        **{
            key: _reasons(
                (row | {"target": target}, message)
                for row in found
                for target, message in row["compile"].items()
                if _outcome(message) == outcome
            )
            for key, outcome in (("compile_failures", "failed"), ("not_even_inductors", "neither"))
        },
        "compiled_by": sorted({row["compiled_by"] for row in found if "compiled_by" in row}),
        "elsewhere": dict(
            Counter("values asked" if "values_asked" in row else "ran" for row in found if "elsewhere" in row)
        ),
        "elsewhere_failures": _reasons((row, wrong) for row in found for wrong in row.get("elsewhere", ())),
        "verify": {"seed": asked.seed, "where": sorted({row["verified_by"] for row in sampled}), **Counter(row["verify"] for row in sampled)},
        "verify_failures": _reasons((row, row["wrong"].partition(";")[0]) for row in sampled if row["verify"] != "pass"),
        "rows": [_without(row) for row in found],
    }  # fmt: skip


def _outcome(message: str) -> str:
    """Of one file and target: `ok`, `failed`, or `neither`: Inductor's own kernel does not compile for it."""
    return "neither" if message.startswith(OWN) else "failed" if message else "ok"


def _shown(path: Path) -> str:
    """A source as it stands on the page: from the repository's root, or its name."""
    path = path.resolve()
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name.upper()


def _options(asked: argparse.Namespace) -> list[str]:
    changed = [] if asked.styles == list(STYLES) else ["--styles", *asked.styles]
    changed += [] if asked.targets == list(TARGETS) else ["--targets", *asked.targets]
    changed += ["--compile", str(asked.compile)] if asked.compile >= 0 else []
    changed += ["--elsewhere"] if asked.elsewhere else []
    changed += ["--only", asked.only] if asked.only else []
    changed += ["--kernels", str(asked.kernels)] if asked.kernels is not None else []
    return ["-o", "WORK", "--verify", str(asked.verify), "--seed", str(asked.seed), *changed]


def _versions() -> str:
    from importlib.metadata import version

    return ", ".join(f"{name} {version(name)}" for name in ("torch", "triton"))


def _device() -> str:
    from inductor_lab.machine import present_gpu

    return present_gpu() or "Triton's interpreter on the CPU"


def _without(row: Row) -> Row:
    """A row for the document: no path of this machine, no empty field."""
    kept = {key: value for key, value in row.items() if key not in ("path", "code", "reason", "wrong")}
    kept |= {key: _tidy(row[key]) for key in ("reason", "wrong") if row.get(key)}
    kept["compile"] = {target: _tidy(message) for target, message in row["compile"].items()}
    kept["sha256"] = row["sha256"][:16]
    return {key: value for key, value in kept.items() if value not in ("", [], {})}


def _tidy(message: str) -> str:
    return re.sub(r"(?:/[\w.+-]+)+/([\w.+-]+)", r"\1", message)[:600]


def _counted(found: Sequence[Row], key: str, styles: Sequence[str]) -> Row:
    """Value of the key -> kernels, and of each style how many were ejected, tried to compile, and compile for every target."""
    counted: Row = {}
    for value, _ in Counter(row[key] for row in found).most_common():
        of = {style: [row for row in found if row[key] == value and row["style"] == style] for style in styles}
        counted[value] = {"kernels": len(next(iter(of.values())))}
        for style, mine in of.items():
            ok = [row for row in mine if row["status"] == "ejected"]
            tried = [row["compile"] for row in ok if row["compile"]]
            counted[value][style] = {
                "ejected": len(ok), "tried": len(tried), "compiled": sum(not any(each.values()) for each in tried),
            }  # fmt: skip
    return counted


def _reasons(found: Iterable[tuple[Row, str]]) -> list[Row]:
    """Messages that say the same, with their count, what they were said of, and one example."""
    groups: dict[str, list[tuple[Row, str]]] = {}
    for row, message in found:
        groups.setdefault(general(message), []).append((row, message))
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    return [
        {
            "reason": reason, "count": len(members),
            "kernels": len({row["sha256"] for row, _ in members}),
            "of": dict(Counter(row.get("target") or row["style"] for row, _ in members)),
            "categories": dict(Counter(row["category"] for row, _ in members).most_common()),
            "example": {
                **{key: members[0][0][key] for key in ("source", "name", "index", "sha256")},
                "message": _tidy(members[0][1]),
            },
        }
        for reason, members in ordered
    ]  # fmt: skip


# For people

COMMON = re.compile("^Inductor's own kernel does not compile either: FILE: |^FILE can not be judged on [^:]*: ")
"""What the heading of a table says of all of its reasons."""


def shortened(name: str) -> str:
    return name if len(name) <= 60 else f"{name[:59]}…"


def page(document: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    at = f", at commit {document['commit'][:7]}" if "commit" in document else ""
    styles = [style for style in STYLES if any(style in row for row in document["by_category"].values())]
    lines = [
        "# What is ejected of a corpus",
        "",
        f"Each of the {document['kernels']} distinct kernels of {len(document['sources'])} captures and logs was ejected in both styles. The files",
        f"were compiled without a GPU ({'; '.join(document['compiled_by']) or 'none was'}){at}.",
        "",
        f"Made by `{document['command']} --page docs/corpus.md`; `tests/benchmarks/corpus.py capture -o CORPUS` makes the captures. The rows are in",
        "`tests/benchmarks/results/corpus_eject.json.gz`.",
    ]
    counted = document["by_category"]
    lines += ["", "| category | kernels | " + " | ".join(f"{style} | compile for all" for style in styles) + " |"]
    lines += ["|---|---|" + "---|---|" * len(styles)]
    whole = {"kernels": sum(row["kernels"] for row in counted.values())} | {
        style: {what: sum(row[style][what] for row in counted.values()) for what in ("ejected", "tried", "compiled")}
        for style in styles
    }
    for name, row in [*counted.items(), ("all", whole)]:
        cells = [f"{n['ejected']} | {n['compiled']} of {n['tried']}" for n in (row[style] for style in styles)]
        lines.append(f"| {name} | {row['kernels']} | {' | '.join(cells)} |")
    told = (
        f"- {target}: {n.get('ok', 0)} of {sum(n.values())}"
        + (f" ({n['neither']} as Inductor's own does not)" if "neither" in n else "")
        for target, n in document["compile"].items()
    )
    lines += ["", "Files that compile:", "", *told]
    counts = {key: value for key, value in document["verify"].items() if key in ("pass", "fail", "error")}
    if counts:
        said = ", ".join(f"{value} {key}" for key, value in counts.items())
        lines += [
            "",
            f"A sample with seed {document['verify']['seed']}, verified with {'; '.join(document['verify']['where'])}: {said}.",
        ]
    if document.get("elsewhere"):
        said = ", ".join(f"{value:,} {key}" for key, value in document["elsewhere"].items())
        lines += [
            "",
            f"References and what beside them compares, run without values on another device than DEVICE: {said}.",
        ]
    for title, key in (
        ("Refused", "refusals"), ("Broken: an exception that is no refusal", "broken"),
        ("Does not compile", "compile_failures"), ("Does not compile, as Inductor's own kernel does not", "not_even_inductors"),
        ("Does not run on another device than DEVICE", "elsewhere_failures"), ("Does not verify", "verify_failures"),
    ):  # fmt: skip
        if document.get(key):
            lines += ["", f"## {title}", "", "| kernels | files | why | for example |", "|---|---|---|---|"]
            for row in document[key]:
                example = row["example"]
                where = f"{example['source']}:{example['index']}"
                why = COMMON.sub("", row["reason"]).replace("|", "\\|")
                lines.append(f"| {row['kernels']} | {row['count']} | {why} | {where} `{shortened(example['name'])}` |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="WORK")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--styles", nargs="+", default=list(STYLES), choices=STYLES)
    parser.add_argument("--targets", nargs="*", default=list(TARGETS), help="none: compile nothing")
    parser.add_argument("--only", default="", metavar="REGEX", help="kernels whose category or name it matches")
    parser.add_argument("--kernels", type=int, metavar="N", help="only N kernels, drawn with the seed")
    parser.add_argument(
        "--compile", type=int, default=-1, metavar="N", help="kernels to compile, drawn with the seed; -1: all"
    )
    parser.add_argument(
        "--verify", type=int, default=40, metavar="N", help="files to verify, drawn with the seed; -1: all"
    )
    parser.add_argument("--elsewhere", action="store_true", help="run each reference on another device than DEVICE")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=2, help="sets of inputs for each file that is verified")
    parser.add_argument("--verify-limit", type=float, default=120, help="seconds for one file")
    parser.add_argument(
        "--known",
        type=Path,
        metavar="JSON.GZ",
        help="earlier results: what a compiler sees alike is not compiled again",
    )
    parser.add_argument("--page", type=Path, help="write the results as Markdown")
    asked = parser.parse_args()
    files = asked.output.resolve() / "files"
    files.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    results = Results(asked.output, code(), asked.known)
    if not asked.sources:
        compile_some(asked, results, files)
        verify_some(asked, results, files)
        return 0
    rows, told = kernels(sources(asked.sources))
    rows = [row for row in rows if re.search(asked.only, f"{row['category']} {row['name']}")]
    if asked.kernels is not None and asked.kernels < len(rows):
        rows = random.Random(asked.seed).sample(rows, asked.kernels)
    print(
        f"{len(rows)} distinct kernels of {len(told)} sources, read in {time.monotonic() - start:.0f} s",
        file=sys.stderr,
    )
    results.wanted = {(row["sha256"], style) for row in rows for style in asked.styles}
    eject_all(rows, asked, results, files)
    compile_some(asked, results, files)
    if asked.elsewhere:
        run_elsewhere(asked, results, files)
    verify_some(asked, results, files)
    document = summary(rows, told, results, asked, time.monotonic() - start)
    with gzip.GzipFile(asked.output / "results.json.gz", "wb", mtime=0) as packed:
        packed.write(json.dumps(document, indent=1).encode() + b"\n")
    text = page(document)
    print(text, end="")
    if asked.page:
        asked.page.write_text(text, encoding="utf-8")
    return int(any(document[key] for key in ("broken", "compile_failures", "elsewhere_failures", "verify_failures")))


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        raise SystemExit(main())
