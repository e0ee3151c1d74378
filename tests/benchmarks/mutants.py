"""Mutation by machine: of the changes of one operator, constant, index term or mask of a kernel, how many does the judge find?

    python tests/benchmarks/mutants.py -o tests/benchmarks/results/mutants.json
    python tests/benchmarks/mutants.py --kernels 10 --mutants 5 --kernel 'softmax*'
    python tests/benchmarks/mutants.py --blind-spots --mutants 12 -o tests/benchmarks/results/blind_spots.json
    python tests/benchmarks/mutants.py --blind-spots --mutants 12 --stop 420 --judged JUDGED --only-judge       on a machine with a GPU
    python tests/benchmarks/mutants.py --blind-spots --mutants 12 --judged JUDGED -o tests/benchmarks/results/blind_spots_gpu.json

The kernels are those of `tests/faults/` and, up to `--kernels`, small ones of `captured/`. Of each so many mutants are drawn by a seed. One
that does not run says nothing of the judge and is counted apart; one that a rule of `tests/faults/equivalence.py` proves to compute the
same is not judged. One that passes is tried with the rules of `tests/faults/proving.py`; what none of them proves, and nobody has read to compute the same
(`tests/faults/reasons.py`), is a survivor. All are listed.

With `--blind-spots` the kernels are the sixty of `tests/faults/corpus.py`, and the mutants those of `tests/faults/blind_spots.py`: the kinds that
`verify` once let pass. Right variants of `tests/faults/other_ways.py` are judged too, `--right` of each kernel. What a file `--judged` holds
is not judged again: proofs take long, and need no GPU.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from circumstances import circumstances
from faults import corpus
from faults import kernels as catalogue
from faults.blind_spots import blind_spots
from faults.equivalence import why_equivalent
from faults.judging import judged_text, on_all_cores
from faults.mutation import Changes, Mutant, mutants
from faults.other_ways import other_ways
from faults.proving import VARIANT, proofs
from faults.reasons import is_same, reason

from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.records import Kernel
from inductor_lab.store import load
from inductor_lab.verify import Judges

ROOT = Path(__file__).resolve().parents[2]
NOT_RUN = "it does not run:"


def texts(count: int, pattern: str, largest: int) -> dict[str, str]:
    """The readable files of so many kernels: the catalogue's, then each body once of what was captured, where it moves few bytes."""
    found = {name: catalogue.ejected(name) for name in catalogue.kernels() if fnmatch.fnmatch(name, pattern)}
    bodies = set()
    for folder in sorted((ROOT / "captured").iterdir()):
        capture = load(folder)
        for number, kernel in enumerate(capture.kernels):
            name = f"{folder.name}:{number}"
            small = moved(kernel) <= largest
            if len(found) >= count or kernel.body_sha256 in bodies or not small or not fnmatch.fnmatch(name, pattern):
                continue
            bodies.add(kernel.body_sha256)
            try:
                found[name] = eject(capture, kernel, file="kernel.py")
            except LabError as error:
                print(f"{name}: {error}", file=sys.stderr)
    return dict(list(found.items())[:count])


def moved(kernel: Kernel) -> float:
    """Bytes; as good as infinitely many where they can not be counted."""
    read, written = kernel.traffic.read, kernel.traffic.written
    return float("inf") if read is None or written is None else read + written


def drawn(name: str, text: str, count: int, seed: int, made_by: Changes | None = None) -> list[Mutant]:
    """So many of a kernel's mutants, as many of each kind as there are."""
    made = mutants(name, text, made_by)
    random.Random(f"{seed} {name}").shuffle(made)
    places: Counter[str] = Counter()
    order = []
    for mutant in made:
        places[mutant.kind] += 1
        order.append((places[mutant.kind], mutant))
    return [mutant for _, mutant in sorted(order, key=lambda one: one[0])][:count]


def judged(waiting: Sequence[Mutant], seeds: int, stop: float, jobs: int) -> list[tuple[Mutant, str]]:
    """What became of each mutant; those that are not begun by `stop` are left out."""
    with tempfile.TemporaryDirectory(prefix="inductor-lab-mutants-") as folder:

        def one(judges: Judges, mutant: Mutant) -> tuple[Mutant, str] | None:
            if time.perf_counter() > stop:
                return None
            said, message, _ = judged_text(judges, mutant.name, mutant.text, Path(folder), seeds)
            return mutant, outcome(said, message)

        return [found for found in on_all_cores(one, waiting, jobs) if found]


def rejected(files: dict[str, str], count: int, seed: int, seeds: int, stop: float, jobs: int) -> dict[str, object]:
    """How many right variants there are, and which do not pass; those that are not begun by `stop` are left out."""
    several: list[tuple[str, str]] = []
    for name, file in files.items():
        ways = [(f"{name}: {what}", text) for what, text in other_ways(name, file)]
        several += random.Random(f"{seed} {name}").sample(ways, min(count, len(ways)))
    random.Random(seed).shuffle(several)
    with tempfile.TemporaryDirectory(prefix="inductor-lab-right-") as folder:

        def one(judges: Judges, variant: tuple[str, str]) -> tuple[str, str] | None:
            if time.perf_counter() > stop:
                return None
            said, message, _ = judged_text(judges, *variant, Path(folder), seeds)
            return said, f"{variant[0]}: {message}"

        found = [said for said in on_all_cores(one, several, jobs) if said is not None]
    return {
        "count": len(found),
        "passed": sum(said == "pass" for said, _ in found),
        "rejected": sorted(message for said, message in found if said == "fail"),
        "not_judged": sorted(message for said, message in found if said == "error"),
    }


def outcome(said: str, message: str) -> str:
    if said == "pass":
        return "survived"
    return "does not run" if NOT_RUN in message else "killed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blind-spots", action="store_true")
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--kernel", default="*", help="only kernels of this name; a pattern")
    parser.add_argument("--mutants", type=int, default=20, help="of each kernel")
    parser.add_argument("--right", type=int, default=3, help="right variants of each kernel, with --blind-spots")
    parser.add_argument("--largest", type=int, default=4_000_000, help="bytes that a kernel moves at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=2, help="of the judge")
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="processes that prove; files that are judged at a time, at most one for two cores",
    )
    parser.add_argument("--stop", type=float, default=float("inf"), help="seconds after which no more are begun")
    parser.add_argument("--judged", type=Path, help="what became of each mutant: read, or else written")
    parser.add_argument("--only-judge", action="store_true", help="nothing is proven and reported")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    if arguments.blind_spots:
        files = {name: corpus.ejected(name) for name in corpus.kernels() if fnmatch.fnmatch(name, arguments.kernel)}
    else:
        files = texts(arguments.kernels, arguments.kernel, arguments.largest)
    made = [
        mutant
        for name, text in files.items()
        for mutant in drawn(
            name, text, arguments.mutants, arguments.seed, blind_spots(text) if arguments.blind_spots else None
        )
    ]
    claims = {mutant.name: why for mutant in made if (why := why_equivalent(mutant))}
    waiting = [mutant for mutant in made if mutant.name not in claims]
    random.Random(arguments.seed).shuffle(waiting)  # all kernels have their share, whenever it ends
    if arguments.judged and arguments.judged.exists():
        kept = json.loads(arguments.judged.read_text(encoding="utf-8"))
    else:
        kept = {**circumstances(), **all_judged(files, waiting, begun, arguments)}
        if arguments.judged:
            arguments.judged.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    how = kept.pop("outcomes")
    found = [(mutant, how[mutant.name]) for mutant in waiting if mutant.name in how]
    passed = [mutant for mutant, how in found if how == "survived"]
    print(f"{len(found)} judged in {kept['seconds']} s; {len(passed)} passed", file=sys.stderr)
    if arguments.only_judge:
        return
    proven = proofs(passed, arguments.jobs)
    found = [(mutant, "proven" if mutant.name in proven else how) for mutant, how in found]
    report = {**kept, **document(files, made, claims, proven, found, arguments)}
    print(shown(report))
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def all_judged(
    files: dict[str, str], waiting: Sequence[Mutant], begun: float, arguments: argparse.Namespace
) -> dict[str, object]:
    """What became of each mutant, and with --blind-spots of right variants; they have a quarter of the time."""
    stop, part = begun + arguments.stop, 0.75 if arguments.blind_spots else 1.0
    found = judged(waiting, arguments.seeds, begun + part * arguments.stop, arguments.jobs)
    kept: dict[str, object] = {"outcomes": {mutant.name: how for mutant, how in found}}
    if arguments.blind_spots:
        kept["right"] = rejected(files, arguments.right, arguments.seed, arguments.seeds, stop, arguments.jobs)
    return {**kept, "seconds": round(time.perf_counter() - begun, 1)}


def document(
    files: dict[str, str],
    made: Sequence[Mutant],
    claims: dict[str, str],
    proven: dict[str, str],
    found: Sequence[tuple[Mutant, str]],
    arguments: argparse.Namespace,
) -> dict[str, object]:
    """What is printed and kept. A right variant is a mutant that may pass, though it does not compute the same to the bit."""
    names = [(mutant.name, VARIANT if proven.get(mutant.name) == VARIANT else how) for mutant, how in found]
    names = [(name, "same" if how == "survived" and is_same(name) else how) for name, how in names]
    counts = Counter(how for _, how in names)
    judged_at_all = counts["killed"] + counts["survived"]
    kinds: dict[str, Counter[str]] = {}
    for mutant, how in found:
        kinds.setdefault(mutant.kind, Counter())[how] += 1
    return {
        "kernels": len(files), "seed": arguments.seed, "mutants": len(made),
        "not_judged": len(made) - len(claims) - len(found),
        "equivalent": dict(Counter(claims.values())),
        "equivalent_survivors": dict(Counter(why for why in proven.values() if why != VARIANT)),
        **dict(counts),
        "killed_of_judged": round(counts["killed"] / judged_at_all, 4) if judged_at_all else None,
        "by_kind": {kind: dict(row) for kind, row in sorted(kinds.items())},
        "survivors": {name: reason(name) for name, how in names if how == "survived"},
        "same_as_read_by_hand": {name: reason(name) for name, how in names if how == "same"},
        "right_variants": [name for name, how in names if how == VARIANT],
        "proven_equivalent": [f"{name} ({why})" for name, why in {**claims, **proven}.items() if why != VARIANT],
    }  # fmt: skip


def shown(report: dict[str, object]) -> str:
    lines = [f"{kind:20} {row}" for kind, row in report["by_kind"].items()]  # type: ignore[attr-defined]
    lines += [f"survived: {name}: {why or 'why?'}" for name, why in report["survivors"].items()]  # type: ignore[attr-defined]
    figures = {
        name: value
        for name, value in report.items()
        if not isinstance(value, list) and name not in ("by_kind", "survivors")
    }
    return "\n".join([*lines, str(figures)])


if __name__ == "__main__":
    main()
