"""Mutation by machine: of the changes of one operator, constant, index term or mask of a kernel, how many does the judge find?

    python tests/benchmarks/mutants.py -o tests/benchmarks/results/mutants.json
    python tests/benchmarks/mutants.py --kernels 10 --mutants 5 --kernel 'softmax*'

The kernels are those of `tests/faults/` and, up to `--kernels`, small ones of `captured/`. Of each so many mutants are drawn by a seed. One
that does not run says nothing of the judge and is counted apart; one that a rule of `tests/faults/equivalence.py` proves to compute the
same is not judged; every other one that passes is a survivor, and is listed.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults import kernels as catalogue
from faults.equivalence import why_equivalent
from faults.judging import told, verdicts
from faults.mutation import Mutant, mutants

from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.records import Kernel
from inductor_lab.store import load

ROOT = Path(__file__).resolve().parents[2]
BATCH = 20
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


def judged(batch: Sequence[Mutant], folder: Path, seeds: int) -> list[tuple[Mutant, str, str]]:
    results, _ = verdicts([(mutant.name, mutant.text) for mutant in batch], folder, seeds)
    return [(mutant, *told(result)) for mutant, result in zip(batch, results, strict=True)]


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
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--stop", type=float, default=float("inf"), help="seconds after which no more are begun")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    files = texts(arguments.kernels, arguments.kernel, arguments.largest)
    made = [mutant for name, text in files.items() for mutant in drawn(name, text, arguments.mutants, arguments.seed)]
    proofs = [(mutant, why_equivalent(mutant)) for mutant in made]
    waiting = [mutant for mutant, why in proofs if not why]
    random.Random(arguments.seed).shuffle(waiting)  # all kernels have their share, whenever it ends
    batches = [waiting[start : start + BATCH] for start in range(0, len(waiting), BATCH)]
    with (
        tempfile.TemporaryDirectory(prefix="inductor-lab-mutants-") as folder,
        ThreadPoolExecutor(arguments.jobs) as pool,
    ):

        def one(batch: Sequence[Mutant]) -> list[tuple[Mutant, str, str]]:
            late = time.perf_counter() - begun > arguments.stop
            return [] if late else judged(batch, Path(folder), arguments.seeds)

        several = pool.map(one, batches)
        found = [(mutant, outcome(said, message), message) for batch in several for mutant, said, message in batch]
    report = document(files, proofs, found, time.perf_counter() - begun, arguments)
    print(shown(report))
    if arguments.output:
        arguments.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def document(
    files: dict[str, str],
    proofs: Sequence[tuple[Mutant, str]],
    found: Sequence[tuple[Mutant, str, str]],
    seconds: float,
    arguments: argparse.Namespace,
) -> dict[str, object]:
    counts = Counter(how for _, how, _ in found)
    judged_at_all = counts["killed"] + counts["survived"]
    kinds: dict[str, Counter[str]] = {}
    for mutant, how, _ in found:
        kinds.setdefault(mutant.kind, Counter())[how] += 1
    return {
        "kernels": len(files), "seed": arguments.seed, "mutants": len(proofs), "seconds": round(seconds, 1),
        "not_judged": len(proofs) - sum(bool(why) for _, why in proofs) - len(found),
        "equivalent": dict(Counter(why for _, why in proofs if why)), **dict(counts),
        "killed_of_judged": round(counts["killed"] / judged_at_all, 4) if judged_at_all else None,
        "by_kind": {kind: dict(row) for kind, row in sorted(kinds.items())},
        "survivors": [mutant.name for mutant, how, _ in found if how == "survived"],
        "proven_equivalent": [f"{mutant.name} ({why})" for mutant, why in proofs if why],
    }  # fmt: skip


def shown(report: dict[str, object]) -> str:
    lines = [f"{kind:20} {row}" for kind, row in report["by_kind"].items()]  # type: ignore[attr-defined]
    lines += [f"survived: {name}" for name in report["survivors"]]  # type: ignore[attr-defined]
    figures = {name: value for name, value in report.items() if not isinstance(value, list) and name != "by_kind"}
    return "\n".join([*lines, str(figures)])


if __name__ == "__main__":
    main()
