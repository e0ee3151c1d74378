"""Does the kernel still compute what eager computes under another configuration? A copy of the file is judged, never the file itself."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from inductor_lab.judge.inputs.cases import OWN_BLOCKS
from inductor_lab.records import Candidate
from inductor_lab.tuning.results import Results, name_of
from inductor_lab.tuning.settings import rewritten, told
from inductor_lab.verify import verify


class Check:
    """The judge of one file's configurations; what failed once is not asked again."""

    def __init__(self, path: Path, text: str, results: Results, progress: Callable[[str], None]) -> None:
        self.path, self.text, self.results, self.progress = path.resolve(), text, results, progress
        self.elsewhere: set[str] = set()
        """Configurations that verified under other blocks, since their own are many programs and there is no GPU."""

    def wrong(self, settings: Mapping[str, int]) -> str:
        """Why a configuration does not verify; empty where it does."""
        known = self.results.measured.get(name_of(settings))
        if known and known.outcome == "refused":
            return known.why
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / self.path.name
            copy.write_text(rewritten(self.text, settings), encoding="utf-8")
            self._with_its_neighbours(Path(folder))
            found = verify(copy, progress=lambda case: self.progress(f"verifying {told(settings)}: {case}"))
        if found.verdict == "pass":
            if "interpreter" in found.device and OWN_BLOCKS not in (case.name for case in found.cases):
                self.elsewhere.add(name_of(settings))
            return ""
        first = next((case for case in found.cases if not case.passed), None)
        why = f"it does not verify: {first.name}: {first.message}" if first else "it does not verify"
        before = known or Candidate(settings, "refused")
        self.results.add("measured", Candidate(settings, "refused", why, timing=before.timing))
        return why

    def _with_its_neighbours(self, folder: Path) -> None:
        """What the file names and lies beside it, such as the inputs that its launch was given."""
        for neighbour in self.path.parent.iterdir():
            if neighbour != self.path and neighbour.is_file() and neighbour.name in self.text:
                (folder / neighbour.name).symlink_to(neighbour)
