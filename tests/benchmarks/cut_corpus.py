"""Cut the modules of the kernels in `tests/faults/corpus.py` out of the corpus' logs: the graph before each and its output code, nothing else.

python tests/benchmarks/cut_corpus.py CORPUS          a folder of captures as tests/benchmarks/corpus.py makes it
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.corpus import CHOSEN, FOLDER

from inductor_lab.store import load

STARTS, ENDS = "[__post_grad_graphs] TRACED GRAPH", "[__output_code] Output code written to:"
AOT_ID = re.compile(r"# AOT ID: \['(\w+)'\]")
LIBRARIES = re.compile(r"/[\w./-]*/(?=site-packages/)")


def modules(lines: Iterator[str], graphs: Collection[str]) -> Iterator[str]:
    """The lines of these graphs: each from its traced graph to the end of its output code."""
    held: list[str] = []
    for line in lines:
        if STARTS in line:
            held = []
        held.append(LIBRARIES.sub("", line))
        if ENDS in line:
            told = AOT_ID.search("".join(held))
            yield from held if told and told[1] in graphs else ()
            held = []


def main() -> None:
    corpus = Path(sys.argv[1])
    FOLDER.mkdir(exist_ok=True)
    for program, names in CHOSEN.items():
        kernels = load(corpus / program).kernels
        graphs = {one.graph for one in kernels if one.body_sha256.startswith(tuple(names.values()))}
        with gzip.open(corpus / program / "log.txt.gz", "rt", encoding="utf-8") as log:
            text = "".join(modules(log, graphs))
        (FOLDER / f"{program}.log.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
