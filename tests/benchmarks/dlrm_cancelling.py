"""Why `outer_3` fails the case that it does: one output of it, summed on a CPU in other orders.

    python tests/benchmarks/dlrm_cancelling.py -o tests/benchmarks/results/dlrm/cancelling.json        some seconds

The case is drawn again as `verify` draws it; the exact output of verify_outer_3.json tells that it is the same. The first top layer has a product of each two
features and a weight for each.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from circumstances import write
from numpy.typing import NDArray

from inductor_lab.errors import LabError
from inductor_lab.judge.inputs.cases import DRAWN
from inductor_lab.judge.inputs.families import drawn

RESULTS = Path(__file__).parent / "results" / "dlrm"
BATCH, FEATURES, HIDDEN = 128, 432, 512
ARGUMENTS = {
    "cat": ((BATCH, FEATURES), (FEATURES, 1), torch.float32, "normal"),
    "arg37": ((HIDDEN, FEATURES**2), (FEATURES**2, 1), torch.float32, "normal"),
    "bias": ((HIDDEN,), (1,), torch.float32, "normal"),
    "mm": ((BATCH, HIDDEN), (HIDDEN, 1), torch.float32, "out"),
}
"""Of the ejected file."""
ORDERS = 20
Array = NDArray[np.floating]


def folded(weight: Array) -> Array:
    """The weights of each pair, added; half of them are 0."""
    return np.triu(weight) + np.tril(weight, -1).T


def by_feature(x: Array, weight: Array) -> float:
    """The sum over i of x_i times the sum over j, each one after the other in float32."""
    inner = np.add.accumulate(x[None, :] * weight, axis=1, dtype=np.float32)[:, -1]
    return float(np.add.accumulate(x * inner, dtype=np.float32)[-1])


def measured() -> dict[str, object]:
    cases = json.loads((RESULTS / "verify_outer_3.json").read_text(encoding="utf-8"))["cases"]
    failed = next((one for one in cases if not one["passed"]), None)
    if failed is None:
        raise LabError("verify has nothing against outer_3")
    name, _, seed = failed["name"].rpartition(", seed ")
    family, layout = next(rest for case, *rest in DRAWN if case == name)
    given = drawn(ARGUMENTS, family, int(seed), layout)
    row, column = failed["where"]["index"]
    x, weight = given["cat"][row].numpy(), given["arg37"][column].view(FEATURES, FEATURES).numpy()
    bias = float(given["bias"][column])
    wide, wide_weight = x.astype(np.float64), weight.astype(np.float64)
    terms = wide[:, None] * wide[None, :] * wide_weight
    exact = float(terms.sum())
    if abs(exact + bias - failed["where"]["exact"]) > 1e-6 * abs(exact):
        raise LabError(f"the case is drawn otherwise here: {exact + bias} and not {failed['where']['exact']}")

    def off(value: float) -> float:
        return abs(value - exact) / abs(exact)

    stored = (x[:, None] * x[None, :] * weight).ravel()
    random = np.random.default_rng(0)
    orders = [float(np.add.accumulate(random.permutation(stored), dtype=np.float32)[-1]) for _ in range(ORDERS)]
    rounded = folded(weight)
    return {
        "case": failed["name"],
        "index": [row, column],
        "exact": exact,
        "sizes_by_sum": float(np.abs(terms).sum() / abs(exact)),
        "off": {
            "outer_3": off(failed["where"]["value"] - bias),
            "eager": off(failed["where"]["eager"] - bias),
            "folded in float32, summed in float64": off(float((wide[:, None] * wide[None, :] * rounded).sum())),
            "folded in float32, summed in float32": off(by_feature(x, rounded)),
            "random orders in float32": sorted(map(off, orders)),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    found = {"what": (__doc__ or "").partition("\n")[0], "torch": torch.__version__, "rows": [measured()]}
    print(json.dumps(found, indent=1))
    if asked.output:
        write(asked.output, found)


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
