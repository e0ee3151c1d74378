"""The process in which a module is replayed: `python -m inductor_lab.replay.child FOLDER ASKED`.

Triton interprets in it where there is no GPU: that is decided when Triton is imported. ASKED is JSON: seed, grafts (a kernel's index, or the graph
and steps of a span -> file), against (`eager`, `generated`, or an empty text for what fits), keep (a folder, or an empty text), kept (whether inputs
that the capture kept are used), kernel (an index: only what its launch is given is wanted, in the file `keep`), parent (the process that asks, with
which this one ends), made (the parent's folder for files on the way). It writes JSON lines: `{"step": ...}` as it goes on, `{"grafting": FILE}`
before a hand kernel is launched, at last `{"replay": ...}`, or the `traceback` with what the user did wrong (`error`) or with what broke (`broke`).
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import sys
import traceback
from pathlib import Path
from threading import Event
from typing import Any

from inductor_lab.judge.process.server import follow


def main() -> None:
    faulthandler.enable()  # a hand kernel may store anywhere
    gc.set_threshold(50_000)  # what imports make stays: it is not searched for garbage all the time
    folder, asked = Path(sys.argv[1]), json.loads(sys.argv[2])
    made = Path(asked["made"])
    follow(asked["parent"], made)
    import torch

    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"
    from inductor_lab import store
    from inductor_lab.errors import LabError

    answers = sys.stdout
    sys.stdout = sys.stderr  # what a module prints is none of ours

    def tell(**answer: Any) -> None:
        try:
            print(json.dumps(answer), file=answers, flush=True)
        except BrokenPipeError:  # nobody asks any more: `follow` removes what was made, and ends this
            Event().wait()

    grafts = {kernel: Path(file) for kernel, file in asked["grafts"].items()}
    try:
        from inductor_lab.replay.launches import index, keep_launch_inputs
        from inductor_lab.replay.session import replayed

        capture = store.load(folder)
        if asked["kernel"]:
            kernel = next(one for one in capture.kernels if index(one) == asked["kernel"])
            keep_launch_inputs(capture, folder, kernel, Path(asked["keep"]), made, lambda step: tell(step=step))
            tell(kept=asked["keep"])
            return
        found = replayed(
            capture,
            seed=asked["seed"],
            grafts=grafts,
            made=made,
            keep=Path(asked["keep"]) if asked["keep"] else None,
            progress=lambda step: tell(step=step),
            grafting=lambda file: tell(grafting=str(file)),
            kept=folder if asked["kept"] else None,
            against=asked["against"],
        )
        tell(replay=store.to_dict(found))
    except LabError as error:
        tell(error=str(error), traceback=traceback.format_exc())
    except Exception as error:
        why = " ".join(str(error).split())[:300]
        tell(broke=f"{type(error).__name__}: {why}", traceback=traceback.format_exc())


if __name__ == "__main__":
    main()
