"""How much of the catalogue of planted faults the judge catches, and how many right variants it rejects; and in what time.

    python tests/benchmarks/faults.py -o tests/benchmarks/results/faults.json
    python tests/benchmarks/faults.py --kind "negative indices" --kernel gather

Faults that only a GPU can show count on a GPU only, those that only the interpreter can show there only.
What is caught or rejected against expectation is listed by name.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from circumstances import circumstances
from faults.catalogue import FAULTS, INTERPRETER_ALONE, RIGHT, WITHIN_ROUNDING
from faults.judging import Judged, judged
from faults.records import Variant


def chosen(variants: Sequence[Variant], arguments: argparse.Namespace) -> list[Variant]:
    import torch

    return [
        variant
        for variant in variants
        if fnmatch.fnmatch(variant.kind, arguments.kind)
        and fnmatch.fnmatch(variant.kernel, arguments.kernel)
        and (variant.name not in INTERPRETER_ALONE if torch.cuda.is_available() else not variant.gpu)
    ]


def tell(one: Judged) -> None:
    print(f"{one.outcome:5} {one.seconds:6.1f} s  {one.variant.name}: {one.message[:150]}", file=sys.stderr, flush=True)


def by_kind(found: Sequence[Judged]) -> dict[str, dict[str, float]]:
    """Of each kind: how many there are, how many of them are rejected, and the seconds that the judge took."""
    kinds: dict[str, dict[str, float]] = {}
    for one in found:
        row = kinds.setdefault(one.variant.kind, {"count": 0, "rejected": 0, "seconds": 0.0})
        row["count"] += 1
        row["rejected"] += one.rejected
        row["seconds"] = round(row["seconds"] + one.seconds, 2)
    return kinds


def listed(found: Sequence[Judged]) -> list[dict[str, str]]:
    return [{"name": one.variant.name, "kind": one.variant.kind, "outcome": one.outcome, "message": one.message} for one in found]  # fmt: skip


def document(faults: Sequence[Judged], right: Sequence[Judged], seconds: float, seeds: int) -> dict[str, object]:
    survived = [one for one in faults if not one.rejected and one.variant.name not in WITHIN_ROUNDING]
    other_words = [one for one in faults if one.rejected and one.variant.says not in one.message]
    rejected = [one for one in right if one.rejected]
    return {
        **circumstances(),
        "seeds": seeds,
        "seconds": round(seconds, 1),
        "faults": {"count": len(faults), "caught": sum(one.rejected for one in faults)},
        "right": {"count": len(right), "passed": len(right) - len(rejected)},
        "faults_by_kind": by_kind(faults),
        "right_by_kind": by_kind(right),
        "survived": listed(survived),
        "within_rounding": WITHIN_ROUNDING,
        "caught_with_other_words": listed(other_words),
        "rejected": listed(rejected),
        "does_not_run": listed([one for one in faults if one.does_not_run]),
        "caught": listed([one for one in faults if one.rejected]),
    }


def shown(made: dict[str, object]) -> str:
    """One line a kind, then what is not as it must be."""
    lines = []
    for table in ("faults_by_kind", "right_by_kind"):
        for kind, row in made[table].items():  # type: ignore[attr-defined]
            lines.append(
                f"{table[:6].rstrip('_'):7} {kind:40} {row['rejected']:4} of {row['count']:4} rejected {row['seconds']:8.1f} s"
            )
    lines += [f"survived: {row['name']}" for row in made["survived"]]  # type: ignore[attr-defined]
    lines += [f"rejected: {row['name']}: {row['message'][:200]}" for row in made["rejected"]]  # type: ignore[attr-defined]
    return "\n".join([*lines, f"faults {made['faults']}, right variants {made['right']}, {made['seconds']} s"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", default="*", help="only of these kinds; a pattern")
    parser.add_argument("--kernel", default="*", help="only of these kernels; a pattern")
    parser.add_argument("--only", choices=["faults", "right"], help="only one of both tables")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="inductor-lab-faults-") as folder:
        found = [
            judged(chosen(variants, arguments), Path(folder), seeds=arguments.seeds, tell=tell)
            for variants in (FAULTS if arguments.only != "right" else (), RIGHT if arguments.only != "faults" else ())
        ]
    made = document(*found, seconds=time.perf_counter() - begun, seeds=arguments.seeds)
    print(shown(made))
    if arguments.output:
        arguments.output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
