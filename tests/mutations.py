"""Ways in which a log goes wrong on its way, and ways in which someone wants it to: a table of seeded changes to a text."""

from __future__ import annotations

import random
from collections.abc import Callable


def truncated(lines: list[str], chance: random.Random) -> list[str]:
    kept = lines[: chance.randrange(len(lines))]
    return [*kept[:-1], kept[-1][: chance.randrange(len(kept[-1]) + 1)]] if kept else kept


def lines_lost(lines: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(lines))
    return lines[:start] + lines[start + chance.randrange(1, 50) :]


def lines_doubled(lines: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(lines))
    return lines[: start + chance.randrange(1, 50)] + lines[start:]


def lines_shuffled(lines: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(lines))
    part = lines[start : start + 30]
    chance.shuffle(part)
    return lines[:start] + part + lines[start + 30 :]


def characters_changed(lines: list[str], chance: random.Random) -> list[str]:
    changed = list(lines)
    for _ in range(chance.randrange(1, 20)):
        at = chance.randrange(len(changed))
        line = changed[at]
        column = chance.randrange(len(line) + 1)
        letter = chance.choice("\0\x1b\ufffd\ud800()[]{}'\"\\#%:=,\t\n\r \u202e0aZ_")
        changed[at] = line[:column] + letter + line[column + chance.randrange(2) :]
    return changed


def lines_joined(lines: list[str], chance: random.Random) -> list[str]:
    at = chance.randrange(len(lines))
    return [*lines[:at], "".join(lines[at : at + chance.randrange(2, 5)]), *lines[at + 4 :]]


def prefix_lost(lines: list[str], chance: random.Random) -> list[str]:
    start = chance.randrange(len(lines))
    end = start + chance.randrange(1, 200)
    return [line.partition("] ")[2] if start <= n < end else line for n, line in enumerate(lines)]


def stuffed(lines: list[str], chance: random.Random) -> list[str]:
    """A line of a message replaced by something hostile."""
    at = chance.randrange(len(lines))
    head, mark, _ = lines[at].rpartition("_code] ")
    return [*lines[:at], head + mark + chance.choice(HOSTILE), *lines[at + 1 :]]


def words_replaced(lines: list[str], chance: random.Random) -> list[str]:
    """One word everywhere: names, numbers, operators that parsers look for."""
    word = chance.choice(WORDS)
    other = chance.choice(
        [*WORDS, "", "../../../../tmp/x", "None", "-1", "1e999", "9" * 5000, "*", "lambda: 0", "f'{x}'"]
    )
    return [line.replace(word, other) for line in lines]


WORDS = [
    "tl.load", "tl.store", "xindex", "XBLOCK", "tmp0", "in_ptr0", "triton_meta", "'signature'", "size_hints", "async_compile.triton", "'''",
    "def ", "call_function", "torch.ops.aten.", "reinterpret_tensor", "empty_strided_cuda", ".run(", "args", "None", "0", "1", "(", ")", "=",
    "# Graph fragment:", "# AOT ID: ['0_inference']", "Output code:", "@triton.jit", "import", "numel", "i32", "*fp32", "f32[", "return ",
]  # fmt: skip
HOSTILE = [
    "(" * 50_000, "[" * 150 + "]" * 150, "x = " + "-" * 100_000 + "1", "x = " + "+".join(["1"] * 20_000), "x" + ".y" * 20_000,
    "x = " + "(" * 90 + "1" + ")" * 90, "x = " + "not " * 50_000 + "1", "x = '" + "a" * 2_000_000, "#" * 1_000_000, " " * 100_000 + "x",
    "[" * 100_000, "V" * 100_000, "[__output_code] " * 5_000, "V1120 09:28:41.455000 463 " * 5_000, "# Topologically Sorted Source Nodes: [" + "a, " * 50_000,
    "#   %x : [num_users=1] = call_function[target=a](args = (" + "(%x, " * 20_000, "\x00\x01\x02", "\ud800", "if x:\n" * 10,
    "if 1:" * 1_000, "x = " + "lambda: " * 5_000 + "1", "x = " + "f(" * 150 + ")" * 150, "x = 1" + "\u0660" * 1000, "x = 10 ** 10 ** 10", "x = " + "9" * 10_000,
    "open('/tmp/inductor_lab_was_run', 'w')", "# AOT ID: ['../../../../tmp/x']", "triton_ = async_compile.triton('../../x', '''def f(): pass''')",
]  # fmt: skip

MUTATIONS: tuple[Callable[[list[str], random.Random], list[str]], ...] = (
    truncated, lines_lost, lines_doubled, lines_shuffled, characters_changed, lines_joined, prefix_lost, stuffed, words_replaced,
)  # fmt: skip


def mutated(text: str, seed: int) -> str:
    """One to three changes of a text, the same for the same seed."""
    chance = random.Random(seed)
    lines = text.split("\n")
    for _ in range(chance.randrange(1, 4)):
        lines = chance.choice(MUTATIONS)(lines, chance) or [""]
    return "\n".join(lines)
