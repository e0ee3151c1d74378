"""A Chrome trace held to what Perfetto needs of one, https://perfetto.dev/docs/getting-started/other-formats."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def events(path: Path) -> list[dict[str, Any]]:
    """What took time in a trace, gzipped where its name says so: strict JSON, in which every event has a kind, and these their place and time."""
    data = path.read_bytes()
    told = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data, parse_constant=lambda name: 1 / 0)
    assert all(isinstance(event["ph"], str) for event in told["traceEvents"])
    found = [event for event in told["traceEvents"] if event["ph"] == "X"]
    for event in found:
        assert event["name"] and event["ts"] >= 0 and event["dur"] >= 0 and {"pid", "tid"} <= event.keys()
    return found
