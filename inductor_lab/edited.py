"""Was an ejected file edited, and where? Two hashes in its header tell."""

from __future__ import annotations

import hashlib
import re

RENDERED = "@RENDERED@"
"""What stands in a header until the hash is known."""
JUDGE_STARTS = "# ---------------------------------------------------------------- what it must equal, and on what"


def rendered_hash(text: str) -> str:
    """The hash in a file's header: of its text with the hash itself taken out. It differs once the file was edited."""
    neutral = re.sub(r"^Rendered  sha256 \S+,", f"Rendered  sha256 {RENDERED},", text, count=1, flags=re.MULTILINE)
    return hashlib.sha256(neutral.encode()).hexdigest()


def judged_hash(text: str) -> str:
    """The hash of what a file is judged by: everything from its reference on."""
    return hashlib.sha256(text.partition(JUDGE_STARTS)[2].encode()).hexdigest()
