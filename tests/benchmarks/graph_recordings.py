"""Does a CUDA graph's time tell of its kernels alone? The same launches recorded again and again, and against themselves. Needs a GPU.

    python tests/benchmarks/graph_recordings.py FILE... -o tests/benchmarks/results/graph_recordings.json
    python tests/benchmarks/graph_recordings.py --simulate 4         without a GPU: two speeds 4 % apart, by chance for each recording

Of each ejected file, a span's or a kernel's, twelve recordings of `launch_generated` are timed in the same rounds: their medians. Then it is compared
with itself under six seeds, with one recording of each contestant and with as many as the instrument makes.
"""

from __future__ import annotations

import argparse
import random
import statistics
from pathlib import Path
from typing import Any

from circumstances import Results

from inductor_lab.ejected import load
from inductor_lab.measure.timing import samples
from inductor_lab.measure.timing.kernels import prepared
from inductor_lab.measure.timing.samples import Method, measure, recorded
from inductor_lab.measure.timing.significance import compared

COPIES, SEEDS = 12, 6
EACH = (1, samples.RECORDINGS)


def measured(path: Path) -> dict[str, Any]:
    """What a row says of a file."""
    module = load(path).module
    kernels = prepared(module, {"generated": module.launch_generated})
    run = kernels.functions["generated"]
    copies = {f"{n}": recorded(f"{n}", run, kernels.restore) for n in range(COPIES)}
    times = measure(copies, kernels.restore, Method(rounds=200)).times  # replayed: what is bare is not recorded again
    row: dict[str, Any] = {"recordings_us": sorted(round(statistics.median(own), 3) for own in times.values())}
    del copies
    for each in EACH:
        samples.RECORDINGS, ratios, verdicts = each, [], []
        for seed in range(SEEDS):
            found = measure(
                dict.fromkeys(("ours", "theirs", "again"), run), kernels.restore, Method("graph", seed=seed)
            )
            ratio = compared(*(found.times[name] for name in ("ours", "theirs", "again")))
            ratios.append(round(ratio.ratio, 4))
            verdicts.append(ratio.verdict)
        row[f"against_itself_{each}"] = {"ratios": sorted(ratios), "verdicts": verdicts}
    return row


def simulated(apart: float, recordings: int, comparisons: int = 400, rounds: int = 300) -> float:
    """The share of comparisons of a kernel with itself that say `faster` or `slower`, where each recording has one of two speeds with equal chances.

    Args:
        apart: Of the speeds, in percent; samples scatter by 0.4 % besides.
    """
    wrong = 0
    for seed in range(comparisons):
        draw = random.Random(seed)
        speeds = [[1 + apart / 100 * draw.randint(0, 1) for _ in range(3)] for _ in range(recordings)]
        ours, theirs, again = zip(*(
            [speed * (1 + draw.gauss(0, 0.004)) * 100 for speed in own] for own in speeds for _ in range(rounds // recordings)
        ), strict=True)  # fmt: skip
        wrong += compared(ours, theirs, again).verdict in ("faster", "slower")
    return wrong / comparisons


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--simulate", type=float, metavar="PERCENT")
    asked = parser.parse_args()
    if asked.simulate is not None:
        for recordings in (1, 8, samples.RECORDINGS):
            print(f"{recordings} recordings: {simulated(asked.simulate, recordings):.2%} of comparisons are wrong")
        return
    results = Results(asked.output, (__doc__ or "").partition("\n")[0])
    results.begin("graph_recordings.py", seeds=SEEDS, copies=COPIES)
    for path in asked.files:
        results.add({"file": path.stem, **measured(path)})


if __name__ == "__main__":
    main()
