"""Mutation by machine: of the changes of one operator, constant, index term or mask of a kernel, how many does the judge find?

    python tests/benchmarks/mutants.py -o tests/benchmarks/results/mutants.json
    python tests/benchmarks/mutants.py --kernels 10 --mutants 5 --kernel 'softmax*'

The kernels are those of `tests/faults/` and, up to `--kernels`, small ones of `captured/`. Of each so many mutants are drawn by a seed. One
that does not run says nothing of the judge and is counted apart; one that a rule of `tests/faults/equivalence.py` proves to compute the
same is not judged. One that passes is tried with the rules of `tests/faults/proving.py`; what none of them proves is a survivor. All are listed.
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

from faults import kernels as catalogue
from faults.equivalence import why_equivalent
from faults.judging import judged_text, on_all_cores
from faults.mutation import Mutant, mutants
from faults.proving import VARIANT, proofs

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


def drawn(name: str, text: str, count: int, seed: int) -> list[Mutant]:
    """So many of a kernel's mutants, as many of each kind as there are."""
    made = mutants(name, text)
    random.Random(f"{seed} {name}").shuffle(made)
    places: Counter[str] = Counter()
    order = []
    for mutant in made:
        places[mutant.kind] += 1
        order.append((places[mutant.kind], mutant))
    return [mutant for _, mutant in sorted(order, key=lambda one: one[0])][:count]


def judged(waiting: Sequence[Mutant], seeds: int, stop: float) -> list[tuple[Mutant, str]]:
    """What became of each mutant; those that are not begun by `stop` are left out."""
    with tempfile.TemporaryDirectory(prefix="inductor-lab-mutants-") as folder:

        def one(judges: Judges, mutant: Mutant) -> tuple[Mutant, str] | None:
            if time.perf_counter() > stop:
                return None
            said, message, _ = judged_text(judges, mutant.name, mutant.text, Path(folder), seeds)
            return mutant, outcome(said, message)

        return [found for found in on_all_cores(one, waiting) if found]


def outcome(said: str, message: str) -> str:
    if said == "pass":
        return "survived"
    return "does not run" if NOT_RUN in message else "killed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--kernel", default="*", help="only kernels of this name; a pattern")
    parser.add_argument("--mutants", type=int, default=20, help="of each kernel")
    parser.add_argument("--largest", type=int, default=4_000_000, help="bytes that a kernel moves at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=2, help="of the judge")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes that prove; judging takes all cores"
    )
    parser.add_argument("--stop", type=float, default=float("inf"), help="seconds after which no more are begun")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    files = texts(arguments.kernels, arguments.kernel, arguments.largest)
    made = [mutant for name, text in files.items() for mutant in drawn(name, text, arguments.mutants, arguments.seed)]
    claims = {mutant.name: why for mutant in made if (why := why_equivalent(mutant))}
    waiting = [mutant for mutant in made if mutant.name not in claims]
    random.Random(arguments.seed).shuffle(waiting)  # all kernels have their share, whenever it ends
    found = judged(waiting, arguments.seeds, begun + arguments.stop)
    passed = [mutant for mutant, how in found if how == "survived"]
    print(f"{len(found)} judged in {time.perf_counter() - begun:.0f} s; {len(passed)} passed", file=sys.stderr)
    proven = proofs(passed, arguments.jobs)
    found = [(mutant, "proven" if mutant.name in proven else how) for mutant, how in found]
    report = document(files, made, claims, proven, found, time.perf_counter() - begun, arguments)
    print(shown(report))
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def document(
    files: dict[str, str],
    made: Sequence[Mutant],
    claims: dict[str, str],
    proven: dict[str, str],
    found: Sequence[tuple[Mutant, str]],
    seconds: float,
    arguments: argparse.Namespace,
) -> dict[str, object]:
    """What is printed and kept. A right variant is a mutant that may pass, though it does not compute the same to the bit."""
    names = [(mutant.name, VARIANT if proven.get(mutant.name) == VARIANT else how) for mutant, how in found]
    counts = Counter(how for _, how in names)
    judged_at_all = counts["killed"] + counts["survived"]
    kinds: dict[str, Counter[str]] = {}
    for mutant, how in found:
        kinds.setdefault(mutant.kind, Counter())[how] += 1
    return {
        "kernels": len(files), "seed": arguments.seed, "mutants": len(made), "seconds": round(seconds, 1),
        "not_judged": len(made) - len(claims) - len(found),
        "equivalent": dict(Counter(claims.values())),
        "equivalent_survivors": dict(Counter(why for why in proven.values() if why != VARIANT)),
        **dict(counts),
        "killed_of_judged": round(counts["killed"] / judged_at_all, 4) if judged_at_all else None,
        "by_kind": {kind: dict(row) for kind, row in sorted(kinds.items())},
        "survivors": [name for name, how in names if how == "survived"],
        "right_variants": [name for name, how in names if how == VARIANT],
        "proven_equivalent": [f"{name} ({why})" for name, why in {**claims, **proven}.items() if why != VARIANT],
    }  # fmt: skip


def shown(report: dict[str, object]) -> str:
    lines = [f"{kind:20} {row}" for kind, row in report["by_kind"].items()]  # type: ignore[attr-defined]
    lines += [f"survived: {name}" for name in report["survivors"]]  # type: ignore[attr-defined]
    figures = {name: value for name, value in report.items() if not isinstance(value, list) and name != "by_kind"}
    return "\n".join([*lines, str(figures)])


if __name__ == "__main__":
    main()
