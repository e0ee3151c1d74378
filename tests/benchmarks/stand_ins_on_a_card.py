"""Every stand-in of the interpreter held to a card over its whole domain: which operations disagree, and where.

    python tests/benchmarks/stand_ins_on_a_card.py -o tests/benchmarks/results/stand_ins.json
    python tests/benchmarks/stand_ins_on_a_card.py --only "libdevice.sin*"

The same kernels run in two processes, one on the card, one in the interpreter as the judge has it: on every bfloat16 and float16, on 65,552
float32 and as many float64 with equal distances between their bits, on special values, on whole numbers at their boundaries. NaN,
infinities, zeros and their signs are to be equal, other values within CUDA's bound in units of the last place. Exits with 1 where something
disagrees, with 2 where there is no card.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
from operations_of_a_card import SPECIAL, WHOLE_KERNELS, Operation, as_floats, given, operations

# ------------------------------------------------------------ running them

STORED = {"uint32": "int32", "uint64": "int64", "float8e4nv": "uint8", "float8e5": "uint8"}
"""Types that are passed and stored as the bits of another."""
AT_ONCE = 8
"""Operations of one kernel."""


def source(group: Sequence[Operation]) -> str:
    """A kernel that works out several operations on the same types."""
    takes = group[0].takes
    outs = [f"out{k}" for k in range(len(group))]
    inputs = [f"{x}{k}_ptr" for k in range(len(group)) for x in "abcd"[: len(takes)]]
    lines = [
        "@triton.jit",
        f"def kernel({', '.join([*inputs, *(f'{out}_ptr' for out in outs)])}, n, BLOCK: tl.constexpr):",
    ]
    lines += ["    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)"]
    for k, (one, out) in enumerate(zip(group, outs, strict=True)):
        for x, dtype in zip("abcd", takes, strict=False):
            bits = f".to(tl.{dtype}, bitcast=True)" if dtype in STORED else ""
            lines += [f"    {x} = tl.load({x}{k}_ptr + i, i < n, other=0){bits}"]
        bits = f".to(tl.{STORED[one.gives]}, bitcast=True)" if one.gives in STORED else ""
        lines += [f"    tl.store({out}_ptr + i, ({one.text}){bits}, i < n)"]
    return "\n".join(lines) + "\n"


HEAD = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n"


def computed(file: Path, pattern: str) -> None:
    """Run all kernels here, and keep in a file what they stored: name -> numbers, or why there are none."""
    import torch
    import triton

    device, chosen = "cuda", operations(pattern)
    if triton.knobs.runtime.interpret:
        from inductor_lab.judge import stand_ins

        stand_ins.install()
        torch.set_num_threads(1)
        device = "cpu"
    made: dict[str, np.ndarray] = {}
    for group in groups(chosen):
        try:
            made |= run(group, device, file.parent)
        except Exception:  # one that does not compile takes none with it
            for one in group:
                try:
                    made |= run([one], device, file.parent)
                except Exception as error:
                    made[one.name] = np.array(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")
    for name, (body, size) in WHOLE_KERNELS.items():
        if fnmatch.fnmatch(name, pattern):
            made[name] = whole(name, body, size, device, file.parent)
    np.savez(file, **made)


def groups(chosen: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Operations on the same arguments, so many at once."""

    def arguments(one: Operation) -> tuple[Any, ...]:
        return one.takes, one.domain

    for _, alike in groupby(sorted(chosen, key=arguments), key=arguments):
        while group := list(islice(alike, AT_ONCE)):
            yield group


def run(group: Sequence[Operation], device: str, folder: Path) -> dict[str, np.ndarray]:
    import torch

    kernel = imported(source(group), folder)
    values = given(group[0])
    size = len(values[0])
    inputs = [as_tensor(x, dtype).to(device) for _ in group for x, dtype in zip(values, group[0].takes, strict=True)]
    outs = [torch.zeros(size, dtype=getattr(torch, STORED.get(one.gives, one.gives)), device=device) for one in group]
    block = 1024 if device == "cuda" else 1 << 17
    kernel[(-(-size // block),)](*inputs, *outs, size, BLOCK=block)
    return {one.name: as_array(out, one.gives) for one, out in zip(group, outs, strict=True)}


def whole(name: str, body: str, size: int, device: str, folder: Path) -> np.ndarray:
    import torch

    kernel = imported(f"@triton.jit\ndef kernel(a_ptr, b_ptr, out_ptr):{body}", folder)
    draw = np.random.default_rng(3)
    if name == "product of ten bits":
        a, b = 1 + draw.integers(0, 4096, (64, 64)) * 2.0**-12, 2.0 ** draw.integers(-2, 3, (64, 64))
    else:
        a = b = draw.choice(np.array([*SPECIAL, 0.0, -0.0, 1.0, 1.0, -1e3]), (64, 256))
    tensors = [torch.from_numpy(np.ascontiguousarray(x.astype(np.float32))).to(device) for x in (a, b)]
    out = torch.zeros(size, device=device)
    kernel[(1,)](*tensors, out)
    return out.cpu().numpy()


def imported(text: str, folder: Path) -> Any:
    """A kernel from its text: Triton reads it from its file."""
    name = f"kernel_{len(list(folder.iterdir()))}"
    path = folder / f"{name}.py"
    path.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def as_tensor(x: np.ndarray, dtype: str) -> Any:
    import torch

    if dtype == "bfloat16":
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(x.view(STORED.get(dtype, x.dtype)))


def as_array(x: Any, dtype: str) -> np.ndarray:
    """What was stored: bfloat16 as float32, fp8 in bits."""
    import torch

    x = x.cpu()
    if dtype == "bfloat16":
        return x.float().numpy()
    made: np.ndarray = x.to(torch.float32).numpy() if dtype == "float16" else x.numpy()
    return made


# ------------------------------------------------------------ comparing


@dataclass
class Row:
    """How an operation compares."""

    name: str
    lanes: int
    special: int = 0
    """Lanes in which one is NaN, infinite or zero, or of another sign, and the other is not."""
    ulp: float = 0.0
    """The largest distance of the others, where the bound holds."""
    bound: float = 0.0
    over: int = 0
    """Lanes over the bound."""
    examples: list[str] = field(default_factory=list)
    wrong: str = ""

    @property
    def agrees(self) -> bool:
        return not (self.special or self.over or self.wrong)


DIGITS = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}


def compared(one: Operation, card: np.ndarray, ours: np.ndarray) -> Row:
    """A row of the table, of one operation."""
    if card.ndim == 0 or ours.ndim == 0:
        return Row(one.name, 0, wrong=str(card if card.ndim == 0 else ours))
    row, values = Row(one.name, card.size, bound=one.ulp), given(one)
    if card.dtype.kind != "f":
        differ = card != ours
        if one.takes[0] in ("float32", "float64") and not one.subnormal:
            differ &= ~is_subnormal(values)
        row.special = int(differ.sum())
        row.examples = examples(values, card, ours, differ)
        return row
    unit = last_place(card, DIGITS[one.gives])
    with np.errstate(all="ignore"):
        off = np.abs(card.astype(np.longdouble) - ours.astype(np.longdouble))
        distance = (off / unit).astype(np.float64)
    alike = (card == ours) | (np.isnan(card) & np.isnan(ours))
    edge = (
        np.isnan(card)
        | np.isnan(ours)
        | (card == 0)
        | (ours == 0)
        | np.isinf(card)
        | np.isinf(ours)
        | (np.signbit(card) != np.signbit(ours))
    )
    same = alike & (np.isnan(card) | (np.signbit(card) == np.signbit(ours)))
    larger = np.maximum(np.abs(card), np.abs(ours))
    tiny = (larger <= one.absolute) & (larger > 0)
    largest = float(np.finfo(card.dtype if one.gives != "float16" else np.float16).max)
    over_the_top = (
        (np.isinf(card) != np.isinf(ours))
        & (np.minimum(np.abs(card), np.abs(ours)) > largest * (1 - 2.0**-14))
        & (one.ulp > 0)
    )
    special = edge & ~same & ~tiny & ~over_the_top
    bound = (~edge) & (one.where(*map(as_floats, values, one.takes)) if one.where else True)
    over = bound & (distance > one.ulp) & (off > one.absolute)
    if one.where:
        special &= np.isnan(card) | np.isnan(ours) | one.where(*map(as_floats, values, one.takes))
    if not one.subnormal:
        left = ~is_subnormal([*values, card, ours])
        left &= ~(
            edge & (np.minimum(np.abs(card), np.abs(ours)) == 0) & (np.maximum(np.abs(card), np.abs(ours)) < 1e-37)
        )
        special, over, bound = special & left, over & left, bound & left
    row.special, row.over = int(special.sum()), int(over.sum())
    counted = distance[bound & (off > one.absolute)]
    row.ulp = float(counted.max()) if counted.size else 0.0
    row.examples = examples(values, card, ours, special | over)
    return row


def last_place(x: np.ndarray, digits: int) -> np.ndarray:
    """The unit of the last place of each number, of a normal one at least."""
    least = {10: -14, 7: -126, 23: -126, 52: -1022}[digits]
    exponent = np.maximum(np.frexp(np.where(np.isfinite(x), x, 1))[1] - 1, least)
    return np.ldexp(np.longdouble(1), exponent - digits)


def is_subnormal(values: Sequence[np.ndarray]) -> np.ndarray:
    made = np.zeros(len(values[0]), bool)
    for x in values:
        if x.dtype.kind == "f":
            made |= (np.abs(x) < np.finfo(x.dtype).tiny) & (x != 0)
    return made


def examples(values: Sequence[np.ndarray], card: np.ndarray, ours: np.ndarray, differ: np.ndarray) -> list[str]:
    places = np.flatnonzero(differ)
    chosen = places[np.unique(np.linspace(0, len(places) - 1, 4).astype(int))] if len(places) else places
    return [f"{', '.join(str(x[at]) for x in values)}: {card[at]} there, {ours[at]} here" for at in chosen]


def table(card: dict[str, np.ndarray], ours: dict[str, np.ndarray], pattern: str) -> list[Row]:
    """Every operation, as it compares."""
    rows = [compared(one, card[one.name], ours[one.name]) for one in operations(pattern)]
    for name in WHOLE_KERNELS:
        if name in card:
            same = (card[name] == ours[name]) | (np.isnan(card[name]) & np.isnan(ours[name]))
            row = Row(name, card[name].size, special=int((~same).sum()))
            row.examples = examples([np.arange(card[name].size)], card[name], ours[name], ~same)
            rows.append(row)
    return rows


def run_in(file: Path, pattern: str, interpreted: bool) -> dict[str, np.ndarray]:
    """All kernels in a process of their own."""
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    if interpreted:
        environment |= {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    subprocess.run([sys.executable, __file__, "--compute", str(file), "--only", pattern], env=environment, check=True)
    with np.load(file) as kept:
        return {name: kept[name] for name in kept.files}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", help="only these operations; a pattern")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--compute", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.compute:
        computed(arguments.compute, arguments.only)
        return 0
    import torch

    if not torch.cuda.is_available():
        print("there is no GPU here to hold the stand-ins to", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="on_a_card_") as folder:
        card = run_in(Path(folder, "card.npz"), arguments.only, interpreted=False)
        ours = run_in(Path(folder, "ours.npz"), arguments.only, interpreted=True)
    rows = table(card, ours, arguments.only)
    show(rows)
    if arguments.output:
        from circumstances import circumstances

        said = {
            "operations": len(rows),
            "disagree": [vars(row) for row in rows if not row.agrees],
            "largest_ulp": {row.name: row.ulp for row in rows if row.ulp},
        }
        arguments.output.write_text(json.dumps({**circumstances(), **said}, indent=1) + "\n")
    return int(not all(row.agrees for row in rows))


def show(rows: Sequence[Row]) -> None:
    for row in rows:
        if not row.agrees:
            print(
                f"{row.name:60} {row.lanes:7} lanes, special {row.special:6}, over the bound {row.over:6}, ulp {row.ulp:10.1f} of {row.bound:g}  {row.wrong}"
            )
            for example in row.examples:
                print(f"        {example}")
    print(f"{sum(row.agrees for row in rows)} of {len(rows)} operations agree")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.exit(main())
