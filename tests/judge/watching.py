"""`python watching.py FOLDER`: what a `Watch` finds in each file's kernels, in Triton's interpreter, as JSON.

They run under their own blocks; under the interpreter's, in less time, where the file's name begins with `kind_`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.ejected import load
from inductor_lab.judge import alone, stand_ins
from inductor_lab.judge.compare import reference
from inductor_lab.judge.watch.watch import Watch


def watched(file: ModuleType, launch: Callable[..., Any], **blocks: int) -> dict[str, Any]:
    """One launch: its findings, whether it is right (not asked of the large ones), who wrote what."""
    views = alone.drawn(file.ARGUMENTS)
    inputs = {name: view.clone() for name, view in views.items()}
    with Watch(views) as watch:
        launch(*views.values(), **blocks)
    out = file.WRITTEN[0]
    programs, lanes = watch.writer(out)
    return {
        "faults": [{**asdict(fault), "message": fault.message} for fault in watch.faults],
        "wrong": reference.against_eager(file, inputs, views) if file.reference and not blocks else "",
        "unwritten": {name: int((watch.writer(name)[0] == 0).sum()) for name in views},
        "first": (programs.flat[0].item(), lanes.flat[0].item()),
        "last": (watch.place(programs.flat[-1].item()) if programs.flat[-1] else None, lanes.flat[-1].item()),
    }


def main() -> None:
    stand_ins.install()
    found = {}
    for path in sorted(Path(sys.argv[1]).glob("*.py")):
        file = load(path).module
        quick = file.INTERPRETER if path.stem.startswith("kind_") else {}
        launches = (file.launch, file.launch_generated)
        found[path.stem] = [watched(file, launch, **quick.get(launch.__name__, {})) for launch in launches]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
