"""Was an ejected file edited, where, and what was it before? Hashes in its header tell, and what stands at its end.

The last lines keep the file as it was ejected, packed, for a merge with what a later capture makes. They are in neither hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

RENDERED = "@RENDERED@"
"""What stands in a header until the hash is known."""
JUDGE_STARTS = "# ---------------------------------------------------------------- what it must equal, and on what"
CHECK_STARTS = "# ---------------------------------------------------------------- check and time"
"""From here on files are alike: it is not packed."""
KEPT = "\n# As it was ejected, packed: what `inductor-lab eject --update` merges with. "
WIDTH = 112
"""Characters of a packed line."""
BLOCK = re.compile(re.escape(KEPT) + r"(.*)((?:\n#   \S+)*)\n?")


@dataclass(frozen=True)
class Made:
    """How a file was ejected."""

    style: str = "readable"
    generalize: bool = False
    language: str = "triton"
    template: str = ""
    real: str = ""
    """The file beside it that holds what its launch was given."""


BESIDE = re.compile(r"^Kernel    sha256 (\w+), (.+)'s as it was ejected$", re.MULTILINE)
"""The line of a file whose kernel stands in another one."""


def rendered_hash(text: str) -> str:
    """The hash in a file's header: of its text with the hash itself taken out. It differs once the file was edited."""
    neutral = re.sub(
        r"^Rendered  sha256 \S+,", f"Rendered  sha256 {RENDERED},", unpacked(text), count=1, flags=re.MULTILINE
    )
    return hashlib.sha256(neutral.encode()).hexdigest()


def judged_hash(text: str) -> str:
    """The hash of what a file is judged by: everything from its reference on."""
    return hashlib.sha256(unpacked(text).partition(JUDGE_STARTS)[2].encode()).hexdigest()


def judged_part(text: str) -> str:
    """A file's reference, inputs and baseline."""
    return text.partition(JUDGE_STARTS)[2].partition(CHECK_STARTS)[0]


def is_edited(text: str, path: Path | None = None) -> bool:
    """Whether a file is no more what its header says was ejected.

    Args:
        path: Where it lies, for the file beside it that holds its kernel, if one does.
    """
    found = BESIDE.search(text) if path is not None else None
    if found is not None and path is not None:
        kernel = path.parent / Path(found[2]).name
        if not kernel.is_file() or hashlib.sha256(kernel.read_bytes()).hexdigest() != found[1]:
            return True
    return f"\nRendered  sha256 {rendered_hash(text)}," not in text


def unpacked(text: str) -> str:
    """A file without the lines that keep what it was; whatever stands behind them is no part of them."""
    found = [block for block in BLOCK.finditer(text) if block.end() == len(text)]
    return text[: found[-1].start()] if found else text


def packed(text: str, made: Made) -> str:
    """What keeps a text as it was ejected, to stand at its end."""
    own = text.partition(CHECK_STARTS)[0]
    letters = base64.b85encode(zlib.compress(own.encode(), 9)).decode()
    lines = [letters[start : start + WIDTH] for start in range(0, len(letters), WIDTH)]
    return KEPT + json.dumps(asdict(made)) + "".join(f"\n#   {line}" for line in lines) + "\n"


def how_made(text: str) -> Made | None:
    """How a file was ejected; None where it does not say."""
    for block in BLOCK.finditer(text):
        try:
            return Made(**json.loads(block[1]))
        except (ValueError, TypeError):
            continue
    return None


def as_ejected(text: str, today: str = "") -> str | None:
    """What a file was before it was edited; None where it does not keep that, or not whole.

    Args:
        today: What is ejected now: its check stands for the file's own where that was edited.
    """
    for block in BLOCK.finditer(text):
        try:
            own = zlib.decompress(base64.b85decode("".join(block[2].split("\n#   ")))).decode()
        except (ValueError, zlib.error):
            continue
        for whole in (text, today):
            _, starts, check = without_blocks(whole).partition(CHECK_STARTS)
            if not is_edited(before := own + starts + check):
                return before
    return None


def without_blocks(text: str) -> str:
    """A file less the packed lines, wherever they stand."""
    return BLOCK.sub("", text)
