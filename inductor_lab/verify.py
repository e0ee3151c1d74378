"""Does an ejected file compute what eager computes? On the GPU where there is one, else in Triton's interpreter."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from inductor_lab.eject import judged_hash, rendered_hash
from inductor_lab.errors import LabError
from inductor_lab.records import Case, Verdict


def verify(path: str | Path, *, seeds: int = 3, progress: Callable[[str], None] | None = None) -> Verdict:
    """Hold a file's `launch` and `launch_generated` to float64 on several seeds (one of them drawn now), edge values and a cut-off tail.

    Raises:
        LabError: the file is not there or no ejected file, or torch or triton are missing.
    """
    path = Path(path)
    if not path.is_file():
        raise LabError(f"{path} does not exist; make one with `inductor-lab eject KERNEL -o {path}`")
    try:
        import torch
    except ImportError as error:
        raise LabError("verify needs torch: pip install 'torch>=2.11'") from error
    if not torch.cuda.is_available():
        if "triton" in sys.modules and os.environ.get("TRITON_INTERPRET") != "1":
            return _in_a_process_of_its_own(path, seeds)
        os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is decorated: before triton is imported
    try:
        import triton  # noqa: F401
    except ImportError as error:
        raise LabError("verify needs triton: pip install triton") from error
    return _verify(path, seeds, progress or (lambda text: None))


def _in_a_process_of_its_own(path: Path, seeds: int) -> Verdict:
    """One process either interprets or compiles; this one compiles already."""
    from inductor_lab.store import from_dict

    done = subprocess.run(
        [sys.executable, "-m", "inductor_lab", "verify", str(path), "--seeds", str(seeds), "--json"],
        env=os.environ | {"TRITON_INTERPRET": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise LabError(
            done.stderr.strip().removeprefix("error: ") or f"verifying {path} ended with exit code {done.returncode}"
        )
    document = json.loads(done.stdout)
    document.pop("schema", None)
    return from_dict(Verdict, document)


def _verify(path: Path, seeds: int, progress: Callable[[str], None]) -> Verdict:
    import torch

    from inductor_lab import judge
    from inductor_lab.ejected import load

    file = load(path).module
    cases: list[Case] = []
    worst = (0.0, 0.0, 0.0, 0.0)
    drawn = 1000 + secrets.randbelow(10**6)
    plans = [*judge.cases(file, max(seeds - 1, 1)), (f"seed {drawn}, drawn now", {"seed": drawn})]
    notes = _notes(path)
    for name, arguments in plans:
        progress(name)
        mine, eager, limit, wrong = _held(judge, file, file.launch, arguments)
        base = {key: value for key, value in arguments.items() if key in {"seed", "edges"}}
        theirs, _, _, their_wrong = _held(judge, file, file.launch_generated, base)
        if their_wrong and not any("generated kernel" in note for note in notes):
            notes.append(
                f"the generated kernel itself does not hold ({name}: {their_wrong}): the reference may not be what it computes"
            )
        cases.append(Case(name, not wrong, {"hand": mine, "generated": theirs, "eager": eager}, wrong))
        if mine - limit >= worst[0] - worst[3] or len(cases) == 1:
            worst = (mine, theirs, eager, limit)
    device = torch.cuda.get_device_name() if judge.DEVICE == "cuda" else "Triton's interpreter on the CPU"
    verdict = "pass" if all(case.passed for case in cases) else "fail"
    return Verdict(
        verdict,
        dict(zip(("hand", "generated", "eager"), worst[:3], strict=True)),
        worst[3],
        tuple(cases),
        device,
        tuple(notes),
    )


def _held(judge: object, file: object, launch: object, arguments: dict[str, object]) -> tuple[float, float, float, str]:
    """`judge.hold`; a kernel that does not run at all fails like one that is wrong."""
    try:
        return judge.hold(file, launch, **arguments)  # type: ignore[attr-defined, no-any-return]
    except Exception as error:
        message = " ".join(str(error).split())
        return float("inf"), 0.0, 0.0, f"it does not run: {type(error).__name__}: {message[:300]}"


def _notes(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    notes = []
    if f"Rendered  sha256 {rendered_hash(text)}," not in text:
        notes.append("edited since it was ejected")
        if f"Judged    sha256 {judged_hash(text)}," not in text:
            notes.append(
                "what it must equal, its inputs or its baseline were edited too: the verdict holds against those only"
            )
    return notes
