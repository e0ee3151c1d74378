"""Where a hand kernel's time goes, by experiment: a part alone, nothing to do, loads that wait for each other, caches that have what they had not.

    python tests/benchmarks/where_time_goes.py            into results/where_time_goes.json, on a card; goes on where an earlier run stopped
    python tests/benchmarks/where_time_goes.py rotary --again          one subject anew
    TRITON_INTERPRET=1 python tests/benchmarks/where_time_goes.py --smoke      without a card: each part runs once at a small size

Each part is timed in a CUDA graph in three states. `cold`, as everywhere. `code`: cold but for the machine code, as the same launches ran just before on
other data. `warm`: on the data that it had just before. `hand_pages.py` shows the rows beside a kernel's goals.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import triton
import triton.language as tl
from circumstances import Results, circumstances
from contests import Function, add_mul_activation, lora_linear, rms_norm, rotary, sparse_ffn, swiglu, wanted

from inductor_lab.kernels.lora_linear import kernel as of_lora
from inductor_lab.kernels.rotary import kernel as of_rotary
from inductor_lab.kernels.sparse_ffn import kernel as of_ffn
from inductor_lab.kernels.sparse_ffn import one_token as of_token
from inductor_lab.measure.timing import samples
from inductor_lab.measure.timing.significance import median_interval

Row = dict[str, Any]
Parts = Mapping[str, Callable[[], Function]]
"""What is timed -> what makes a function of it, on tensors of its own each time."""
KEPT = Path(__file__).resolve().parent / "results" / "where_time_goes.json"
STATES = ("cold", "code", "warm")
RECORDINGS = 6
"""Of a CUDA graph; enough for parts of microseconds."""


def timed(parts: Parts, seconds: float) -> dict[str, Row]:
    """Each part's microseconds in each state, a median with its interval."""
    functions, twins = ({name: make() for name, make in parts.items()} for _ in range(2))
    found: dict[str, Row] = {name: {} for name in parts}
    for state in STATES:
        method = samples.Method("graph", "warm" if state == "warm" else "cold", rounds=None, seconds=seconds)
        with mock.patch.object(samples, "RECORDINGS", RECORDINGS), run_before(twins if state == "code" else {}):
            measured = samples.measure(functions, method=method)
        for name, times in measured.times.items():
            found[name][state] = median_interval(times)
    return found


@contextmanager
def run_before(twins: Mapping[str, Function]) -> Iterator[None]:
    """Inside, a function's twin runs behind the flush of the cache, just before the function is timed."""
    recorded, prepared = samples.recorded, samples._prepared_cache

    def with_twin(name: str, function: Function, *more: Any, **how: Any) -> Function:
        replay = recorded(name, function, *more, **how)
        if name in twins:
            replay.twin = recorded(name, twins[name])  # type: ignore[attr-defined]
        return replay

    def then_the_twin(restore: Function, cache: str) -> Callable[[Function, int], None]:
        flush = prepared(restore, cache)

        def run(function: Function, times: int) -> None:
            flush(function, times)
            getattr(function, "twin", lambda: None)()

        return run

    with mock.patch.multiple(samples, recorded=with_twin, _prepared_cache=then_the_twin):
        yield


# ---------------------------------------------------------------- launches, and loads that wait for each other


@triton.jit
def chain(table_ptr, out_ptr, LOADS: tl.constexpr):
    at = tl.program_id(0) * 1024
    for _ in tl.static_range(LOADS):
        at = tl.load(table_ptr + at)
    tl.store(out_ptr + tl.program_id(0), at)


@triton.jit
def first_of_two(out_ptr, LINKED: tl.constexpr):
    if LINKED:
        tl.extra.cuda.gdc_launch_dependents()
    tl.store(out_ptr + tl.program_id(0), 1)


@triton.jit
def second_of_two(given_ptr, out_ptr, LINKED: tl.constexpr):
    if LINKED:
        tl.extra.cuda.gdc_wait()
    tl.store(out_ptr + tl.program_id(0), tl.load(given_ptr + tl.program_id(0)) + 1)


def launches(on: str, small: bool) -> Iterator[tuple[str, Parts]]:
    lines = 2**9 if small else 2**16

    def loads(count: int, programs: int) -> Function:
        """Each load says where the next one is, 8 KB apart at least."""
        table = torch.zeros(lines * 1024, dtype=torch.int64, device=on)
        table[::1024] = torch.randperm(lines, device=on) * 1024
        out = torch.zeros(programs, dtype=torch.int64, device=on)
        return lambda: chain[(programs,)](table, out, LOADS=count)

    def two(linked: bool, programs: int) -> Function:
        first, second = torch.zeros(2, programs, dtype=torch.int64, device=on)

        def run() -> None:
            first_of_two[(programs,)](first, LINKED=linked)
            second_of_two[(programs,)](first, second, LINKED=linked, launch_pdl=linked)

        return run

    several = {0: "a store", 1: "a load, a store", 2: "2 loads, a store", 3: "3 loads, a store"}
    yield "one program", {name: lambda count=count: loads(count, 1) for count, name in several.items()}
    many = {f"a load, a store, {programs:,} programs": lambda programs=programs: loads(1, programs) for programs in (132, 1056)}  # fmt: skip
    linked = on == "cuda"
    yield "programs beside each other", many | {
        "two launches of 132 programs": lambda: two(False, 132), "the second linked to the first": lambda: two(linked, 132),
    }  # fmt: skip


# ---------------------------------------------------------------- kernels


def ffn(on: str, small: bool) -> Iterator[tuple[str, Parts]]:
    for sparsity in (0.9, 0.75, 0.0):
        point = sparse_ffn.Point(1, sparsity, **({"columns": 64, "neurons": 48} if small else {}))

        def whole(point: Any = point, count: int | None = None, beside: bool = False) -> Function:
            x, active, up, down = sparse_ffn.job(point, on).given
            active = torch.arange(len(active), device=on) if beside else active
            told = None if count is None else torch.full((1,), count, dtype=torch.int32, device=on)
            return lambda: of_ffn.sparse_ffn(x, up, down, active, count=told)

        def without(*left_out: str, point: Any = point) -> Function:
            """One launch of the two alone, whichever two there are."""
            run = whole(point)
            changes = dict.fromkeys(left_out, NOT_LAUNCHED) | {"linked": lambda device: False}

            def alone() -> None:
                with mock.patch.multiple(of_token, **changes):
                    run()

            return alone

        yield f"one token, sparsity {sparsity:g}", {
            "whole": whole, "the first launch alone": lambda: without("down_of_one", "sum_of_parts"),
            "the second launch alone": lambda: without("hidden_of_one", "part_of_one"),
            "whole, for no neuron": lambda: whole(count=0), "whole, for neighbouring neurons": lambda: whole(beside=True),
        }  # fmt: skip


def rope(on: str, small: bool) -> Iterator[tuple[str, Parts]]:
    points = [rotary.Point(batch, 1, decoding=True) for batch in (1, 16)]
    points += [rotary.Point(1, tokens, layout="qkv") for tokens in (128, 512, 1024)]
    for point in [replace(point, tokens=min(point.tokens, 3)) for point in points[1:3]] if small else points:

        def whole(point: Any = point, as_liger: bool = False, **how: Any) -> Function:
            query, key, *tables = rotary.job(point, on).given
            if as_liger:
                query, key = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (query, key))
                tables = [t[..., : t.shape[-1] // 2] for t in tables]
            cos, sin, positions = tables[0].reshape(tables[0].shape[-2:]), tables[1].reshape(tables[1].shape[-2:]), None
            positions = tables[2] if point.decoding else None
            return lambda: of_rotary.rotary(query, key, cos, sin, positions=positions, **how)

        def with_parameters(point: Any = point) -> Function:
            """No stride is compiled in."""
            run = whole(point)
            changes = {
                "_strides": lambda shape, strides, axes: tuple(strides[axis] for axis in axes),
                "_table_strides": lambda shape, strides: (0, *strides),
                "_position_strides": lambda shape, strides: strides,
            }

            def alone() -> None:
                with mock.patch.multiple(of_rotary, **changes):
                    run()

            return alone

        told = f"batch {point.batch}, tokens {point.tokens}{', decoding' if point.decoding else ''}"
        liger = {"as Liger: in place, dense, half tables": lambda: whole(as_liger=True, in_place=True)}
        yield told, {
            "whole": whole, "every stride a parameter": with_parameters, "in place": lambda: whole(in_place=True), **({} if point.decoding else liger),
        }  # fmt: skip


def lora(on: str, small: bool) -> Iterator[tuple[str, Parts]]:
    point = lora_linear.Point(19, "32-24") if small else lora_linear.SQUARE
    x, weight, a, b, bias = lora_linear.job(point, on).given
    out, s = x.new_empty(len(x), len(weight)), torch.randn(len(x), len(a), device=on, dtype=x.dtype)

    def product(rank: int | None = None, **how: Any) -> Function:
        return lambda: of_lora.multiply(x, weight, s[:, :rank], b[:, :rank], out, **how)

    yield (
        f"{point.rows} rows, {point.widths}, rank {point.rank}, bf16",
        {
            "the library's product alone": lambda: lambda: x @ weight.T,
            "whole, relu": lambda: lambda: of_lora.lora_linear(x, weight, a, b, bias, scale=0.5, activation="relu"),
            "the low-rank kernel alone": lambda: lambda: of_lora.first_product(x, a.t(), 0.5, "ieee"),
            "the main kernel, of rank 0": lambda: product(0),
            "the main kernel": product,
            "the main kernel, bias and relu": lambda: product(bias=bias, activation="relu"),
            "the main kernel, bias and gelu": lambda: product(bias=bias, activation="gelu"),
        },
    )


def hand(contest: Any, point: Any, on: str) -> Function:
    """What `hand_kernels.py` times of a point."""
    job = contest.job(point, on)

    def run() -> object:
        with torch.set_grad_enabled(job.grad is not None):
            return wanted(job, lambda *given: job.hand(None), job.given, job.grad)

    return run


def one_row(on: str, small: bool) -> Iterator[tuple[str, Parts]]:
    points = {f"{what}, {rows} row{'s' * (rows > 1)}": rms_norm.Point(what, rows, 64 if small else 4096, "bfloat16", False)
              for what in rms_norm.WHAT for rows in (1, 128)}  # fmt: skip
    yield "bfloat16, 4096 columns", {name: lambda point=point: hand(rms_norm, point, on) for name, point in points.items()}  # fmt: skip


def one_token(on: str, small: bool) -> Iterator[tuple[str, Parts]]:
    points = {f"{what}, {tokens} token{'s' * (tokens > 1)}": swiglu.Point(what, tokens, 33 if small else 11_008, False)
              for what in swiglu.WHAT for tokens in (1, 128)}  # fmt: skip
    yield "bfloat16, 11008 columns", {name: lambda point=point: hand(swiglu, point, on) for name, point in points.items()}  # fmt: skip


def add_mul(on: str, small: bool) -> Iterator[tuple[str, Parts]]:
    for dtype in ("float32", "bfloat16"):
        forward, both = (
            add_mul_activation.Point(70 if small else 16_384, 256, dtype, "relu", backward)
            for backward in (False, True)
        )
        yield f"16384 x 256, {dtype}, relu", {
            "forward and backward": lambda both=both: hand(add_mul_activation, both, on),
            "forward alone": lambda forward=forward: hand(add_mul_activation, forward, on),
        }  # fmt: skip


class _NotLaunched:
    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return lambda *arguments, **keywords: None


NOT_LAUNCHED = _NotLaunched()
SUBJECTS = {
    "launches": launches, "sparse_ffn": ffn, "rotary": rope, "lora_linear": lora, "rms_norm": one_row, "swiglu": one_token, "add_mul_activation": add_mul,
}  # fmt: skip
"""Kernel, or what several are explained by -> its points, with the parts of each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    parser.add_argument("-o", "--output", type=Path, default=KEPT)
    parser.add_argument("--seconds", type=float, default=0.1, help="of samples, for each part in each state")
    parser.add_argument("--again", action="store_true", help="leave out nothing that is there already")
    parser.add_argument("--smoke", action="store_true", help="small sizes, run and not timed, on the CPU too")
    asked = parser.parse_args()
    on = "cuda" if torch.cuda.is_available() else "cpu"
    if on == "cpu":
        from inductor_lab.judge import stand_ins

        stand_ins.install()  # Triton's own interpreter multiplies bfloat16 as whole numbers
    results = Results(None if asked.smoke else asked.output, (__doc__ or "").partition("\n")[0])
    origin = {} if asked.smoke else {"code": circumstances()["code"]}
    begun = False
    for subject in asked.subjects or SUBJECTS:
        if asked.again:
            results.remove("subject", subject)
        done = [row["point"] for row in results.rows() if row["subject"] == subject]
        torch.manual_seed(0)
        for point, parts in SUBJECTS[subject](on, asked.smoke):
            if point in done:
                continue
            with torch.no_grad():
                if asked.smoke:
                    print(subject, point, [type(make()()).__name__ for make in parts.values()], flush=True)
                    continue
                row = {"subject": subject, "point": point, "parts": timed(parts, asked.seconds)}
            if not begun:
                results.begin("where_time_goes.py")
                begun = True
            results.add(row | origin)


if __name__ == "__main__":
    main()
