"""Was an ejected file edited, and where? Hashes in its header tell."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

RENDERED = "@RENDERED@"
"""What stands in a header until the hash is known."""
JUDGE_STARTS = "# ---------------------------------------------------------------- what it must equal, and on what"

BESIDE = re.compile(r"^Kernel    sha256 (\w+), (.+)'s as it was ejected$", re.MULTILINE)
"""The line of a file whose kernel stands in another one."""


def is_edited(path: Path, text: str) -> bool:
    """Whether a file, or the one beside it that holds its kernel, is another than was ejected."""
    found = BESIDE.search(text)
    if found is not None:
        kernel = path.parent / Path(found[2]).name
        if not kernel.is_file() or hashlib.sha256(kernel.read_bytes()).hexdigest() != found[1]:
            return True
    return f"\nRendered  sha256 {rendered_hash(text)}," not in text


def rendered_hash(text: str) -> str:
    """The hash in a file's header: of its text with the hash itself taken out. It differs once the file was edited."""
    neutral = re.sub(r"^Rendered  sha256 \S+,", f"Rendered  sha256 {RENDERED},", text, count=1, flags=re.MULTILINE)
    return hashlib.sha256(neutral.encode()).hexdigest()


def judged_hash(text: str) -> str:
    """The hash of what a file is judged by: everything from its reference on."""
    return hashlib.sha256(text.partition(JUDGE_STARTS)[2].encode()).hexdigest()
