"""What the judge does not tell yet, by name: faults that it passes, and right variants that it rejects. To be emptied."""

from __future__ import annotations

PASSED: frozenset[str] = frozenset()

REJECTED: frozenset[str] = frozenset()
