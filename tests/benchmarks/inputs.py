"""Of how many graph inputs the program's name is known.

    python tests/benchmarks/inputs.py CAPTURE... -o tests/benchmarks/results/inputs.json

`program`: a parameter's path, a buffer, an argument, an optimizer's state; `node`: what the forward pass saved, called as the node that computed it;
`numbered`: Inductor's primals_7 or arg3_1 alone. Besides all inputs it counts so many that are drawn with a seed, and prints these, to be read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from pathlib import Path

from inductor_lab import store

NUMBERED = re.compile(r"(primals|arg|tangents)_?\d+(_\d+)?")
Input = tuple[str, str, str, str]
"""Capture, graph and node, how it is known, and the name."""


def inputs(path: Path) -> list[Input]:
    """Those of all graphs of one capture."""
    found = []
    for graph in store.load(path).graphs:
        for node in (node for node in graph.nodes if node.target == "placeholder"):
            called = graph.called.get(node.name)
            how = "program" if called else "numbered" if NUMBERED.fullmatch(node.name) else "node"
            found.append(
                (f"{path.name} {graph.id}", node.name, how, f"{called.kind} {called.name}" if called else node.name)
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", type=Path, nargs="+")
    parser.add_argument("--draw", type=int, default=200)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    every = [each for path in sorted(options.captures) for each in inputs(path)]
    drawn = random.Random(options.seed).sample(every, min(options.draw, len(every)))
    for where, node, how, name in drawn:
        print(f"{how:9} {name:60} {where} {node}")
    document = {name: dict(Counter(how for _, _, how, _ in of)) for name, of in (("all", every), ("drawn", drawn))}
    print(document)
    if options.output:
        options.output.write_text(
            json.dumps({"captures": len(options.captures), "seed": options.seed, **document}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
