"""The process in which a module is replayed: `python -m inductor_lab.replay.child FOLDER ASKED`.

Triton interprets in it where there is no GPU: that is decided when Triton is imported. ASKED is JSON: seed, grafts (kernel's index -> file), keep
(a folder, or an empty text), kept (whether inputs that the capture kept are used). It writes JSON lines: `{"step": ...}` as it goes on, at last `{"replay": ...}` or `{"error": ...}`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    import torch

    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"
    from inductor_lab import store
    from inductor_lab.errors import LabError
    from inductor_lab.replay.replayed import replayed

    answers = sys.stdout
    sys.stdout = sys.stderr  # what a module prints is none of ours

    def tell(**answer: Any) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    folder, asked = Path(sys.argv[1]), json.loads(sys.argv[2])
    grafts = {kernel: Path(file) for kernel, file in asked["grafts"].items()}
    try:
        keep = Path(asked["keep"]) if asked["keep"] else None
        found = replayed(
            store.load(folder),
            seed=asked["seed"],
            grafts=grafts,
            keep=keep,
            progress=lambda step: tell(step=step),
            kept=folder if asked["kept"] else None,
        )
        tell(replay=store.to_dict(found))
    except LabError as error:
        tell(error=str(error))


if __name__ == "__main__":
    main()
