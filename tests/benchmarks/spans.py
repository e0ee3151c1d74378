"""The most promising spans of captures: does each eject, verify unedited, replay grafted, and take as long as Inductor's own sequence?

    python tests/benchmarks/spans.py CAPTURE... --files FOLDER -o spans.json                    ejected: files and refusals
    python tests/benchmarks/spans.py --of spans.json --files FOLDER --verify -o spans.json      in Triton's interpreter, or on the card
    python tests/benchmarks/spans.py --of spans.json --files FOLDER --replay CAPTURE... -o spans.json
    python tests/benchmarks/spans.py --of spans.json --files FOLDER --diff -o spans.json        on the card, as CUDA graphs
    python tests/benchmarks/spans.py --of spans.json --write docs/spans.md [--mark spans]       and a line for each capture beside the results
    python tests/benchmarks/spans_on_cards.py CAPTURE... -o FOLDER             all of it beside each other, on several cards
    python tests/benchmarks/spans_live.py MODEL... -o FOLDER                   grafted into the compiled models

What a run has said of a span is kept, and only what it has not is done; `--stop` ends a run in time.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from card import CARD
from circumstances import LEFT

from inductor_lab.errors import LabError
from inductor_lab.records import Capture

Row = dict[str, Any]
TOP = 20
RESULTS = Path(__file__).parent / "results"
EACH = {
    "spans": RESULTS / "spans.md",
    "interpreted": RESULTS / "spans_interpreted.md",
    "live": RESULTS / "spans_live.md",
}
"""Mark of a table on the page -> the table with a line for each capture."""


def ejected(capture: Path, folder: Path, top: int) -> list[Row]:
    """The spans of a capture that save most, each as a file or with why not."""
    from inductor_lab import store

    return ejected_of(store.load(capture), folder, top)


def ejected_of(found: Capture, folder: Path, top: int) -> list[Row]:
    """The same of one that was made here."""
    from inductor_lab.eject.span import eject_span
    from inductor_lab.spans import span
    from inductor_lab.spans.find import spans

    begun, rows = time.perf_counter(), list[Row]()
    listed, _ = spans(found)
    seconds = round(time.perf_counter() - begun, 2)
    for one in listed[:top]:
        row: Row = {"capture": found.name, "span": one.name, "launches": one.launches, "calls": one.calls}
        row |= {
            "saves_us": round(1e6 * one.saves, 2),
            "alike": len(one.alike),
            "found_in_s": seconds,
            "body": one.sha256,
        }
        graph, _, steps = one.name.removeprefix(f"{found.name}:").rpartition(":")
        first, _, last = steps.partition("-")
        file = f"{found.name}_{graph}_{first}_{last}.py".replace(".", "_", graph.count("."))
        try:
            text = eject_span(found, span(found, graph, int(first), int(last)), file=file)
            (folder / file).write_text(text, encoding="utf-8")
            row |= {"eject": "pass", "file": file, "lines": text.count("\n")}
        except LabError as error:
            row |= {"eject": str(error)}
        rows.append(row)
    return rows


def verified(files: list[Path], effort: str) -> list[Row]:
    from inductor_lab.verify import verify_all

    begun, told = time.perf_counter(), list[Row]()
    for found in verify_all(files, effort=effort):
        if isinstance(found, LabError):
            told.append({"verify": "error", "verify_says": str(found)})
        else:
            wrong = next((case.message for case in found.cases if not case.passed), "")
            row = {"verify": found.verdict, "by": found.device, "cases": len(found.cases)}
            told.append(row | ({"verify_says": wrong} if wrong else {}))
    print(f"{len(files)} verified in {time.perf_counter() - begun:.0f} s", flush=True)
    return told


def timed(file: Path) -> Row:
    """Both sequences as CUDA graphs in the same rounds, each kernel under the one configuration that the file states for both."""
    import torch

    from inductor_lab.ejected import load
    from inductor_lab.measure.timing.kernels import prepared
    from inductor_lab.measure.timing.samples import RECORDINGS, Method, measure
    from inductor_lab.measure.timing.significance import compared

    begun = time.perf_counter()
    try:
        module, again = load(file).module, load(file).module
        launchers = {"hand": module.launch, "generated": module.launch_generated, "again": again.launch_generated}
        kernels = prepared(module, launchers)
        times = measure(
            kernels.functions, kernels.restore, Method(rounds=None, seconds=1.0, launch="graph"), lambda step: None
        ).times
        found = compared(times["hand"], times["generated"], times["again"])
        told: Row = {
            "diff": found.verdict, "ratio": found.ratio, "interval": found.interval, "noise": found.noise,
            "generated_us": sorted(times["generated"])[len(times["generated"]) // 2], "gpu": torch.cuda.get_device_name(),
            "recordings": RECORDINGS, "capture_torch": module.ORIGIN["torch"],  # `+cpu`: the file is of a capture without a card
        }  # fmt: skip
    except LabError as error:
        told = {"diff": "error", "diff_says": str(error)}
    torch.cuda.empty_cache()
    return told | {"diff_s": round(time.perf_counter() - begun, 1)}


def replayed(capture: Path, rows: list[Row], folder: Path) -> Row:
    """What a capture's replay says with the own files of these spans grafted at once."""
    from inductor_lab.replay.run import replay

    begun, wanted = time.perf_counter(), {row["span"] for row in rows}
    try:
        result = replay(capture, grafts={row["span"]: folder / row["file"] for row in rows})
        held = [one for one in result.launches if one.kernel in wanted]
        unknown = [f"{one.kernel} {one.message}" for one in held if one.verdict == "unknown"]
        verdict = "unknown" if unknown and result.verdict == "pass" else result.verdict
        outputs = ((graph, *one) for graph in result.graphs for one in graph.outputs.items())
        wrong = next(
            (f"{name} of {graph.graph} {message}" for graph, name, message in outputs if message != "pass"), ""
        )
        message = next((one.message for one in held if one.message), "")
        said: Row = {
            "replay": verdict,
            "replay_says": "; ".join(unknown) or f"{result.first} {message or wrong}".strip(),
        }
        said |= {"replay_against": sorted({graph.against for graph in result.graphs})}
    except LabError as error:
        said = {"replay": "error", "replay_says": str(error)}
    return said | {"replay_s": round(time.perf_counter() - begun, 1), "replayed_with": len(rows)}


def side_by_side(rows: list[Row]) -> list[list[Row]]:
    """Groups whose spans share no step."""
    groups: list[tuple[list[Row], set[tuple[str, int]]]] = []
    for row in rows:
        graph, _, steps = row["span"].rpartition(":")
        first, _, last = steps.partition("-")
        own = {(graph, step) for step in range(int(first), int(last) + 1)}
        for group, taken in groups:
            if not own & taken:
                group.append(row)
                taken |= own
                break
        else:
            groups.append(([row], own))
    return [group for group, _ in groups]


def group(row: Row) -> str:
    """What kind of program a span is of."""
    if row["capture"].startswith("real_"):
        return "public models at their own sizes"
    return "workloads" if row["capture"].endswith("_h200") else "public models in training, small"


def table(rows: list[Row], of: Callable[[Row], str] = group) -> str:
    """What there is to read of it, a line for each `of`: a kind of program, or a capture."""
    by: dict[str, list[Row]] = {}
    for row in rows:
        by.setdefault(of(row), []).append(row)
    told = [[name, str(len(own)), *_counts(own)] for name, own in (*by.items(), ("all", rows))]
    head = ["spans of", "spans", "ejected", "verified", "replayed", "grafted live", "timed", "unedited / generated"]
    kept = [n for n in range(len(head)) if any(line[n] for line in told)]
    lines = [f"| {' | '.join(line[n] for n in kept)} |" for line in (head, *told)]
    lines.insert(1, f"|{'---|' * len(kept)}")
    refused = [row["eject"].partition(": ")[2] or row["eject"] for row in rows if row["eject"] != "pass"]
    wrong = [f"{row['span']}: {row['live_says']}" for row in rows if row.get("live", "pass") != "pass"]
    for head, whys in (("refused, because", refused), ("not grafted, because", wrong)):
        lines += ["", f"| {head} | spans |", "|---|---|"] if whys else []
        lines += [f"| {why.replace('|', ' ')} | {count} |" for why, count in Counter(whys).most_common()]
    return "\n".join(lines)


def by_capture(rows: list[Row]) -> str:
    """The same with a line for each capture."""
    return table(rows, lambda row: str(row["capture"])) + "\n"


def _counts(rows: list[Row]) -> list[str]:
    ejected = sum(row["eject"] == "pass" for row in rows)
    found = [f"{ejected}"]
    for verb in ("verify", "replay", "live"):
        tried = [row[verb] for row in rows if verb in row]
        found.append(f"{tried.count('pass')} of {ejected}" if tried else "")
    ratios = [row["ratio"] for row in rows if row.get("ratio")]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 0.0
    return [*found, f"{len(ratios) or ''}", f"{mean:.4f}, {min(ratios):.3f} to {max(ratios):.3f}" if ratios else ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("captures", nargs="*", type=Path)
    parser.add_argument("--files", type=Path, default=Path("spans"), help="where the ejected files are")
    parser.add_argument("--of", type=Path, help="results of an earlier run")
    parser.add_argument("--top", type=int, default=TOP, help="spans of each capture")
    parser.add_argument("--each", type=int, help="verify, or time, so many of each capture at most")
    parser.add_argument("--verify", action="store_true")
    parser.add_argument(
        "--together", type=int, default=16, help="files that are verified at once, on as many cores as there are"
    )
    parser.add_argument("--effort", default="default")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--diff", action="store_true")
    parser.add_argument("--again", action="store_true", help="also what has failed")
    parser.add_argument("--stop", type=float, default=math.inf, help="seconds after which nothing new is begun")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", type=Path, help="a page whose table is written anew")
    parser.add_argument("--mark", default="spans", help="what stands around that table")
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    if not asked.write:
        asked.files.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = json.loads(asked.of.read_text())["rows"] if asked.of else []
    end = time.monotonic() + asked.stop

    def keep() -> None:
        if asked.output:
            asked.output.write_text(json.dumps({"what": __doc__, "rows": rows}, indent=1, default=str) + "\n")

    def wanted(verb: str) -> list[Row]:
        """Rows of which a verb has said nothing, or nothing good, so many of each capture."""
        done = Counter(row["capture"] for row in rows if row.get(verb) not in (None, "fail", "error"))
        found = []
        for row in rows:
            told = row.get(verb)
            if row.get("file") and (told is None or (asked.again and told in ("fail", "error"))):
                done[row["capture"]] += 1
                if asked.each is None or done[row["capture"]] <= asked.each:
                    found.append(row)
        return found

    if not asked.of:
        with ProcessPoolExecutor(asked.jobs) as pool:
            for some in pool.map(
                ejected, asked.captures, [asked.files] * len(asked.captures), [asked.top] * len(asked.captures)
            ):
                rows += some
                print(
                    some[0]["capture"] if some else "nothing",
                    len(some),
                    Counter(row["eject"] == "pass" for row in some),
                    flush=True,
                )
        keep()
    if asked.verify:
        left = wanted("verify")
        for some in (left[n : n + asked.together] for n in range(0, len(left), asked.together)):
            if time.monotonic() < end:
                files = [asked.files / row["file"] for row in some]
                for row, told in zip(some, verified(files, asked.effort), strict=True):
                    row.pop("verify_says", None)
                    row |= told
                    print(row["span"], row["verify"], row.get("verify_says", ""), flush=True)
                keep()
    if asked.diff:
        for row in wanted("diff"):
            if time.monotonic() < end:
                with CARD.held():
                    row |= timed(asked.files / row["file"])
                print(row["span"], row["diff"], row.get("ratio", row.get("diff_says")), row["diff_s"], flush=True)
                keep()
    if asked.replay:
        left = wanted("replay")
        of = {capture: [row for row in left if row["capture"] == capture.name] for capture in asked.captures}
        groups = [(capture, some) for capture, own in of.items() for some in side_by_side(own)]
        with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
            running: dict[Future[Row], tuple[Path, list[Row]]] = {}
            while groups or running:
                running |= {pool.submit(replayed, *one, asked.files): one for one in groups}
                groups = []
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    (capture, some), told = running.pop(done), done.result()
                    print(
                        *(row["span"] for row in some),
                        told["replay"],
                        told["replay_says"],
                        told["replay_s"],
                        flush=True,
                    )
                    if told["replay"] != "pass" and len(some) > 1:  # by halves: which of them is it?
                        middle = len(some) // 2
                        groups += [(capture, some[:middle]), (capture, some[middle:])]
                        continue
                    for row in some:
                        row |= told
                    keep()
    if asked.write:
        text = asked.write.read_text(encoding="utf-8")
        begin, (_, rest) = text.split(f"<!-- {asked.mark} -->\n")[0], text.split(f"<!-- /{asked.mark} -->")
        told = f"{begin}<!-- {asked.mark} -->\n{table(rows)}\n<!-- /{asked.mark} -->{rest}"
        asked.write.write_text(told, encoding="utf-8")
        EACH[asked.mark].write_text(by_capture(rows), encoding="utf-8")
    print(table(rows), file=sys.stderr)
    if (asked.verify and wanted("verify")) or (asked.diff and wanted("diff")):
        sys.exit(LEFT)


if __name__ == "__main__":
    main()
