"""Small spans as ejected files: several launches and library calls in turn, with buffers between them.

A span is written once, by its hand kernels: the baseline is the same under other names. `KIND` is the dtype of its tensors.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace

KINDS = {"float32": "torch.float32", "bfloat16": "torch.bfloat16"}


@dataclass(frozen=True)
class Spanned:
    """One span: its hand part, its reference, and what it is given."""

    hand: str
    reference: str
    arguments: str
    takes: str
    written: str
    blocks: dict[str, int]
    """Of `launch` -> for the interpreter."""
    calls: tuple[str, ...] = ()
    unread: str = "()"


HEAD = '''"""A small span."""

import sys

import torch
import triton
import triton.language as tl

# ---------------------------------------------------------------- the span: edit this

'''
JUDGE = "# ---------------------------------------------------------------- what it must equal, and on what\n"
CHECK = "# ---------------------------------------------------------------- check and time (the same in every ejected file)\n"

DOUBLE = """
@triton.jit
def double(x_ptr, out_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offset, offset < NUMEL).to(tl.float32)
    tl.store(out_ptr + offset, x * 2.5, offset < NUMEL)


def launch_double(x, scaled, *, BLOCK=256, num_warps=4):
    double[(triton.cdiv(2048, BLOCK),)](x, scaled, 2048, BLOCK=BLOCK, num_warps=num_warps)
"""

SPANS = {
    # scaled = x * 2.5; y = relu(scaled @ weight.t() + bias), and scratch, which nobody reads
    "product": Spanned(
        '''
def launch(x, weight, bias, y, scratch, *, double_BLOCK=256, double_num_warps=4, bias_relu_BLOCK=256, bias_relu_num_warps=4):
    """Run the span: `y` and `scratch` are written and returned; nobody behind the span reads `scratch`."""
    scaled = torch.empty_strided((64, 32), (32, 1), dtype=KIND, device=x.device)
    launch_double(x, scaled, BLOCK=double_BLOCK, num_warps=double_num_warps)
    torch.mm(scaled, weight.t(), out=y)
    launch_bias_relu(y, bias, scratch, BLOCK=bias_relu_BLOCK, num_warps=bias_relu_num_warps)
    return y, scratch

'''
        + DOUBLE
        + '''

@triton.jit
def bias_relu(y_ptr, bias_ptr, scratch_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < NUMEL
    total = tl.load(y_ptr + offset, inside).to(tl.float32) + tl.load(bias_ptr + offset % 16, inside).to(tl.float32)
    tl.store(y_ptr + offset, tl.where(total < 0, 0.0, total), inside)
    tl.store(scratch_ptr + offset, total * 3.0, inside)


def launch_bias_relu(y, bias, scratch, *, BLOCK=256, num_warps=4):
    bias_relu[(triton.cdiv(1024, BLOCK),)](y, bias, scratch, 1024, BLOCK=BLOCK, num_warps=num_warps)
''',
        '''
def reference(x, weight, bias):
    scaled = torch.empty_strided((64, 32), (32, 1), dtype=KIND, device=x.device)
    y = torch.empty_strided((64, 16), (16, 1), dtype=KIND, device=x.device)
    scaled.copy_(x.to(torch.float32) * 2.5)
    torch.mm(scaled, weight.t(), out=y)
    total = y.to(torch.float32) + bias.to(torch.float32)
    return torch.relu(total).to(KIND), (total * 3.0).to(KIND)
''',
        """
    "x": ((64, 32), (32, 1), KIND, "normal"),
    "weight": ((16, 32), (32, 1), KIND, "normal"),
    "bias": ((16,), (1,), KIND, "normal"),
    "y": ((64, 16), (16, 1), KIND, "out"),
    "scratch": ((64, 16), (16, 1), KIND, "out"),
""",
        '("x", "weight", "bias")', '("y", "scratch")', {"double_BLOCK": 2048, "bias_relu_BLOCK": 1024}, ("extern_kernels.mm",), '("scratch",)',
    ),
    # scaled = x * 2.5; y = scaled * scaled - x
    "square": Spanned(
        '''
def launch(x, y, *, double_BLOCK=256, double_num_warps=4, square_BLOCK=256, square_num_warps=4):
    """Run the span: `y` is written and returned."""
    scaled = torch.empty_strided((64, 32), (32, 1), dtype=KIND, device=x.device)
    launch_double(x, scaled, BLOCK=double_BLOCK, num_warps=double_num_warps)
    launch_square(scaled, x, y, BLOCK=square_BLOCK, num_warps=square_num_warps)
    return (y,)

'''
        + DOUBLE
        + '''

@triton.jit
def square(scaled_ptr, x_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 2048
    scaled = tl.load(scaled_ptr + offset, inside).to(tl.float32)
    tl.store(y_ptr + offset, scaled * scaled - tl.load(x_ptr + offset, inside).to(tl.float32), inside)


def launch_square(scaled, x, y, *, BLOCK=256, num_warps=4):
    square[(triton.cdiv(2048, BLOCK),)](scaled, x, y, BLOCK=BLOCK, num_warps=num_warps)
''',
        '''
def reference(x):
    scaled = torch.empty_strided((64, 32), (32, 1), dtype=KIND, device=x.device)
    scaled.copy_(x.to(torch.float32) * 2.5)
    wide = scaled.to(torch.float32)
    return ((wide * wide - x.to(torch.float32)).to(KIND),)
''',
        """
    "x": ((64, 32), (32, 1), KIND, "normal"),
    "y": ((64, 32), (32, 1), KIND, "out"),
""",
        '("x",)', '("y",)', {"double_BLOCK": 2048, "square_BLOCK": 2048},
    ),
    # total = x.sum(1); y = x / (1 + total * total)
    "rows": Spanned(
        '''
def launch(x, y, *, total_BLOCK=8, total_num_warps=4, divide_BLOCK=256, divide_num_warps=4):
    """Run the span: `y` is written and returned."""
    total = torch.empty_strided((50,), (1,), dtype=KIND, device=x.device)
    launch_total(x, total, BLOCK=total_BLOCK, num_warps=total_num_warps)
    launch_divide(x, total, y, BLOCK=divide_BLOCK, num_warps=divide_num_warps)
    return (y,)


@triton.jit
def total(x_ptr, total_ptr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    column = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + row * 60 + column, (row < 50) & (column < 60), 0.0).to(tl.float32)
    tl.store(total_ptr + row, tl.sum(x, 1)[:, None], row < 50)


def launch_total(x, sums, *, BLOCK=8, num_warps=4):
    total[(triton.cdiv(50, BLOCK),)](x, sums, BLOCK=BLOCK, num_warps=num_warps)


@triton.jit
def divide(x_ptr, total_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 3000
    x = tl.load(x_ptr + offset, inside).to(tl.float32)
    total = tl.load(total_ptr + offset // 60, inside).to(tl.float32)
    tl.store(y_ptr + offset, x / (1.0 + total * total), inside)


def launch_divide(x, total, y, *, BLOCK=256, num_warps=4):
    divide[(triton.cdiv(3000, BLOCK),)](x, total, y, BLOCK=BLOCK, num_warps=num_warps)
''',
        '''
def reference(x):
    total = torch.empty_strided((50,), (1,), dtype=KIND, device=x.device)
    total.copy_(x.to(torch.float32).sum(1))
    wide = total.to(torch.float32)[:, None]
    return ((x.to(torch.float32) / (1.0 + wide * wide)).to(KIND),)
''',
        """
    "x": ((50, 60), (60, 1), KIND, "normal"),
    "y": ((50, 60), (60, 1), KIND, "out"),
""",
        '("x",)', '("y",)', {"total_BLOCK": 64, "divide_BLOCK": 4096},
    ),
    # pairs[i] = x[i] + x[i + 1]; x[i] = pairs[i] * pairs[i + 700], in a ring: in place
    "ring": Spanned(
        '''
def launch(x, *, pair_BLOCK=256, pair_num_warps=4, meet_BLOCK=256, meet_num_warps=4):
    """Run the span: `x` is written and returned."""
    pairs = torch.empty_strided((3000,), (1,), dtype=KIND, device=x.device)
    launch_pair(x, pairs, BLOCK=pair_BLOCK, num_warps=pair_num_warps)
    launch_meet(pairs, x, BLOCK=meet_BLOCK, num_warps=meet_num_warps)
    return (x,)


@triton.jit
def pair(x_ptr, pairs_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 3000
    x = tl.load(x_ptr + offset, inside).to(tl.float32) + tl.load(x_ptr + (offset + 1) % 3000, inside).to(tl.float32)
    tl.store(pairs_ptr + offset, x, inside)


def launch_pair(x, pairs, *, BLOCK=256, num_warps=4):
    pair[(triton.cdiv(3000, BLOCK),)](x, pairs, BLOCK=BLOCK, num_warps=num_warps)


@triton.jit
def meet(pairs_ptr, x_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 3000
    one = tl.load(pairs_ptr + offset, inside).to(tl.float32)
    tl.store(x_ptr + offset, one * tl.load(pairs_ptr + (offset + 700) % 3000, inside).to(tl.float32), inside)


def launch_meet(pairs, x, *, BLOCK=256, num_warps=4):
    meet[(triton.cdiv(3000, BLOCK),)](pairs, x, BLOCK=BLOCK, num_warps=num_warps)
''',
        '''
def reference(x):
    pairs = torch.empty_strided((3000,), (1,), dtype=KIND, device=x.device)
    wide = x.to(torch.float32)
    pairs.copy_(wide + wide.roll(-1))
    wide = pairs.to(torch.float32)
    return ((wide * wide.roll(-700)).to(KIND),)
''',
        """
    "x": ((3000,), (1,), KIND, "normal"),
""",
        '("x",)', '("x",)', {"pair_BLOCK": 4096, "meet_BLOCK": 4096},
    ),
    # y[:, :16] = users[user]; y[:, 16:] = goods[good]
    "lookups": Spanned(
        '''
def launch(user, users, good, goods, y, *, users_BLOCK=256, users_num_warps=4, goods_BLOCK=256, goods_num_warps=4):
    """Run the span: `y` is written and returned."""
    launch_users(user, users, y[:, :16], BLOCK=users_BLOCK, num_warps=users_num_warps)
    launch_goods(good, goods, y[:, 16:], BLOCK=goods_BLOCK, num_warps=goods_num_warps)
    return (y,)


@triton.jit
def look_up_users(index_ptr, table_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 640
    index = tl.load(index_ptr + offset // 16, inside)
    tl.store(y_ptr + offset // 16 * 32 + offset % 16, tl.load(table_ptr + index * 16 + offset % 16, inside), inside)


def launch_users(index, table, y, *, BLOCK=256, num_warps=4):
    look_up_users[(triton.cdiv(640, BLOCK),)](index, table, y, BLOCK=BLOCK, num_warps=num_warps)


@triton.jit
def look_up_goods(index_ptr, table_ptr, y_ptr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < 640
    index = tl.load(index_ptr + offset // 16, inside)
    tl.store(y_ptr + offset // 16 * 32 + offset % 16, tl.load(table_ptr + index * 16 + offset % 16, inside), inside)


def launch_goods(index, table, y, *, BLOCK=256, num_warps=4):
    look_up_goods[(triton.cdiv(640, BLOCK),)](index, table, y, BLOCK=BLOCK, num_warps=num_warps)
''',
        '''
def reference(user, users, good, goods):
    return (torch.cat([users[user], goods[good]], 1),)
''',
        """
    "user": ((40,), (1,), torch.int64, (0, 30)),
    "users": ((30, 16), (16, 1), KIND, "normal"),
    "good": ((40,), (1,), torch.int64, (0, 50)),
    "goods": ((50, 16), (16, 1), KIND, "normal"),
    "y": ((40, 32), (32, 1), KIND, "out"),
""",
        '("user", "users", "good", "goods")', '("y",)', {"users_BLOCK": 1024, "goods_BLOCK": 1024},
    ),
}  # fmt: skip
CANCELS = "scaled * scaled - 6.25 * tl.load(x_ptr + offset, inside).to(tl.float32) * tl.load(x_ptr + offset, inside).to(tl.float32)"
SPANS["cancels"] = replace(  # y = scaled * scaled - 6.25 * x * x: nothing but what the buffer rounds
    SPANS["square"],
    hand=SPANS["square"].hand.replace("scaled * scaled - tl.load(x_ptr + offset, inside).to(tl.float32)", CANCELS),
    reference=SPANS["square"].reference.replace("wide - x", "wide - 6.25 * x.to(torch.float32) * x"),
)


def spanned(name: str, dtype: str = "float32", hand: str = "") -> str:
    """The file of a span.

    Args:
        hand: What stands in the place of its hand part.
    """
    span = SPANS[name]
    baseline, blocks = _as_baseline(span.hand, span.blocks)
    steps = [
        {"kernel": f"sample:{n}", "name": kernel, "body_sha256": "0" * 64}
        for n, kernel in enumerate(_kernels(span.hand))
    ]
    origin = {
        "schema": 1, "capture": "sample", "graph": "0_inference", "kernel": "sample:0_inference:0-1", "name": name,
        "span": [*steps, *({"call": call} for call in span.calls)], "body_sha256": "2" * 64, "torch": "2.13.0", "triton": "3.7.1",
        "gpu": "NVIDIA H200", "arch": "sm_90", "parameters": {}, "numbers": {}, "sizes": {}, "blocks": {},
    }  # fmt: skip
    doubled = {block: 2 * size for block, size in span.blocks.items()}
    judged = f"""
{span.reference}

aten = None
UNKNOWN = "the sample has no graph"
ARGUMENTS = {{{span.arguments}}}
TAKES = {span.takes}
WRITTEN = {span.written}
UNREAD = {span.unread}
BYTES = {{"read": 1, "written": 1}}
INTERPRETER = {{"launch": {span.blocks}, "launch_generated": {blocks}}}
TAIL = {{"gpu": {{}}, "interpreter": {doubled}}}
ORIGIN = {origin}

# ---------------------------------------------------------------- the baseline: Inductor's own kernels, to the letter

{baseline}
"""
    return (HEAD + (hand or span.hand) + "\n\n" + JUDGE + judged + "\n\n" + CHECK).replace("KIND", KINDS[dtype])


def with_launch(name: str, body: str, *above: str, keywords: str = "BLOCK=256, num_warps=4") -> str:
    """A span's hand part with another `launch`, and what stands above it."""
    hand = SPANS[name].hand
    given = re.search(r"def launch\((.*?), \*", hand)
    assert given
    begin, rest = hand.split("def launch(", 1)
    after = rest[rest.index("\n\n") :]
    lines = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{begin}{''.join(above)}\n\ndef launch({given[1]}, *, {keywords}):\n{lines}\n{after}"


def _kernels(hand: str) -> list[str]:
    return re.findall(r"@triton.jit\ndef (\w+)\(", hand)


def _as_baseline(hand: str, blocks: dict[str, int]) -> tuple[str, dict[str, int]]:
    """The same as Inductor's kernels, with their names and blocks, and what they get in the interpreter."""
    launchers = re.findall(r"def launch_(\w+)\(", hand)
    for number, (launcher, kernel) in enumerate(zip(launchers, _kernels(hand), strict=True)):
        hand = re.sub(rf"\b{kernel}(?=\(|\[)", f"generated_{number}", hand)
        hand = re.sub(rf"\blaunch_{launcher}\b", f"launch_generated_{number}", hand)
        hand = re.sub(rf"\b{launcher}_BLOCK\b", f"XBLOCK_{number}", hand)
        hand = re.sub(rf"\b{launcher}_num_warps\b", f"num_warps_{number}", hand)
    found = {f"XBLOCK_{launchers.index(name.removesuffix('_BLOCK'))}": size for name, size in blocks.items()}
    return hand.replace("def launch(", "def launch_generated("), found
