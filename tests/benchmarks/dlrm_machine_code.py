"""What the loop of DLRM's outer product is as machine code of sm_90, whether it scales the sums or x_j before it multiplies; without a card.

    python tests/benchmarks/dlrm_machine_code.py -o tests/benchmarks/results/dlrm/machine_code.json        half a minute

A row is a kernel: registers, and the instructions of its innermost loop that multiplies matrices, one turn of which is one tile of the weight.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from circumstances import write
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile

from inductor_lab.errors import LabError
from inductor_lab.kernels.dlrm.outer import TILES, Tiles, partial_products
from inductor_lab.machine.triton_private import disassembled

Row = dict[str, Any]
FEATURES = 432
SHOWN = {
    precision: (
        own,
        replace(own, products=True),
        replace(own, products=True, block_h=256, block_j=columns, num_stages=stages),
    )
    for precision, own, columns, stages in (("tf32", TILES["tf32"], 32, 5), ("bf16", TILES["half"], 64, 4))
}
"""Precision of the products -> tiles; the last are the fastest of those that scale x_j at a batch of 2,048."""
OPCODE = re.compile(r"/\*[0-9a-f]+\*/\s+(?:@!?U?P\d+\s+)?([A-Z0-9]+)")
LABEL = re.compile(r"^(\.L_x_\d+):")
BACK = re.compile(r"BRA\w*.*`\((\.L_x_\d+)\)")


def compiled(precision: str, tiles: Tiles) -> bytes:
    """partial_products for an H200, of a weight that is not folded."""
    names = partial_products.arg_names
    pointer = "*bf16" if precision == "bf16" else "*fp32"
    given = {"x_ptr": pointer, "weight_ptr": pointer, "partial_ptr": "*fp32", "batch": "i32", "hidden": "i32"}
    constants = {
        "F": FEATURES,
        "FOLDED": False,
        "PRECISION": "ieee" if precision == "bf16" else precision,
        "BLOCK_B": tiles.block_b,
        "BLOCK_H": tiles.block_h,
        "BLOCK_J": tiles.block_j,
        "PRODUCTS": tiles.products,
    }
    source = ASTSource(
        fn=partial_products,
        signature={name: given.get(name, "constexpr") for name in names},
        constexprs=constants,
        attrs={(names.index(name),): [["tt.divisibility", 16]] for name in given},
    )
    options = {"num_warps": tiles.num_warps, "num_stages": tiles.num_stages}
    made = compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    return made.asm["cubin"]  # type: ignore[no-any-return]


def innermost(sass: str) -> Counter[str]:
    """The instructions of the shortest loop that multiplies matrices."""
    lines = sass.splitlines()
    labels = {found[1]: number for number, line in enumerate(lines) if (found := LABEL.match(line.strip()))}
    loops = []
    for number, line in enumerate(lines):
        if (back := BACK.search(line)) and labels.get(back[1], number) < number:
            body = lines[labels[back[1]] : number + 1]
            loops.append(Counter(found[1] for one in body if (found := OPCODE.search(one))))
    return min((one for one in loops if one["HGMMA"]), key=Counter.total)


def row(precision: str, tiles: Tiles) -> Row:
    told = disassembled(compiled(precision, tiles))
    if told is None:
        raise LabError("nvdisasm and cuobjdump, which Triton's wheel for Linux carries, are missing here")
    resources, sass = told
    registers, stack = (int(re.search(rf"{name}:(\d+)", resources)[1]) for name in ("REG", "STACK"))  # type: ignore[index]
    found = innermost(sass)
    return {
        "precision": precision,
        **asdict(tiles),
        "registers": registers,
        "spilled_bytes": stack,
        "instructions": found.total(),
        "opcodes": dict(found.most_common()),
        "flop": 2 * tiles.block_b * tiles.block_h * tiles.block_j,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    rows = [row(precision, tiles) for precision, own in SHOWN.items() for tiles in own]
    for one in rows:
        print(one)
    if asked.output:
        what = (__doc__ or "").partition("\n")[0]
        write(asked.output, {"what": what, "triton": version("triton"), "target": "sm_90", "rows": rows})


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"error: {error}")
