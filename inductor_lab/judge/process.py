"""The process that runs ejected files for `verify`: `python -m inductor_lab.judge.process TOLD SEEDS FILE...`.

It appends one JSON line to TOLD as each case begins, and one for each file's verdict; what the files print goes wherever they print it.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from inductor_lab.eject import judged_hash, rendered_hash
from inductor_lab.errors import LabError
from inductor_lab.records import Case, Verdict
from inductor_lab.verify import message

NOT_RUN = "it does not run:"


def main() -> None:
    told, seeds, *paths = sys.argv[1:]
    with open(told, "a", encoding="utf-8") as stream:

        def tell(line: dict[str, Any]) -> None:
            stream.write(json.dumps(line) + "\n")
            stream.flush()

        for path in paths:
            try:
                tell(message(judged(Path(path), int(seeds), lambda case: tell({"case": case}))))
            except LabError as error:
                tell(message(error))


def judged(path: Path, seeds: int, begin: Callable[[str], None]) -> Verdict:
    """The verdict on one file. The first one decides, for this process, whether kernels run on a GPU or in the interpreter."""
    judge = _judge()
    from inductor_lab.ejected import load

    file = load(path).module
    drawn = 1000 + secrets.randbelow(10**6)
    plans = [*judge.cases(file, max(seeds - 1, 1)), (f"seed {drawn}, drawn now", {"seed": drawn})]
    cases: list[Case] = []
    against: dict[str, list[str]] = {"eager": [], "generated": []}
    worst = (0.0, 0.0, 0.0, 0.0)
    notes, apart = _notes(path), list[str]()
    for name, arguments in plans:
        begin(name)
        mine, eager, limit, wrong, basis = _judge_case(judge, path, file, file.launch, arguments)
        against[basis].append(name)
        base = {key: value for key, value in arguments.items() if key in {"seed", "edges", "sizes", "own"}}
        fixed = "sizes" in base and getattr(file, "BASELINE_SIZES", None)  # the generated kernel is not for these sizes
        theirs = 0.0
        if not fixed:
            theirs, _, _, theirs_wrong, agreeing = _judge_case(judge, path, file, file.launch_generated, base)
            if wrong.startswith(NOT_RUN) and wrong == theirs_wrong:
                raise LabError(
                    f"{path} can not be judged on {_device(judge)}: Inductor's own kernel {wrong.replace('it does', 'does')}"
                )
            if (basis, agreeing) == ("eager", "generated"):
                apart.append(name)
        cases.append(Case(name, not wrong, {"hand": mine, "generated": theirs, "eager": eager}, wrong))
        if judge.nearness(mine, limit) >= judge.nearness(worst[0], worst[3]):
            worst = (mine, theirs, eager, limit)
    verdict = "pass" if all(case.passed for case in cases) else "fail"
    notes += _basis(judge, file, against, "equals" if verdict == "pass" else "held to")
    if apart:
        notes.append(f"the generated kernel itself does not compute what the reference says, in: {', '.join(apart)}")
    errors = dict(zip(("hand", "generated", "eager"), worst[:3], strict=True))
    return Verdict(verdict, errors, worst[3], tuple(cases), _device(judge), tuple(notes))


def _basis(judge: ModuleType, file: ModuleType, against: dict[str, list[str]], word: str) -> list[str]:
    """Against what the file held."""
    if file.reference is None:
        return [f"{word} what the generated kernel computes; eager is not known because {file.UNKNOWN}"]
    same = bool(against["eager"]) if file.aten is file.reference else judge.agreed(file)
    if same:
        notes = [f"{word} eager (ATen), judged by float64"]
    else:
        why = file.UNKNOWN if same is None else "the graph's values are not what the kernel computes"
        notes = [
            f"{word} what the generated kernel computes, as PyTorch printed from it; eager is not known because {why}"
        ]
    if against["generated"]:
        notes.append(
            f"held to the generated kernel itself, which differs from that reference there, in: {', '.join(against['generated'])}"
        )
    return notes


def _judge() -> ModuleType:
    """The judge, once it is decided where kernels run: a setting that Triton reads when a kernel is decorated."""
    try:
        import torch
    except ImportError as error:
        raise LabError("verify needs torch: pip install 'torch>=2.11'") from error
    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"
    try:
        import triton  # noqa: F401
    except ImportError as error:
        raise LabError("verify needs triton: pip install triton") from error
    from inductor_lab.judge import alone

    return alone


def _judge_case(
    judge: ModuleType, path: Path, file: ModuleType, launch: Callable[..., Any], arguments: dict[str, Any]
) -> tuple[float, float, float, str, str]:
    """`judge.hold`; a kernel that does not run at all fails like one that is wrong, a reference that does not is the file's fault."""
    try:
        return judge.hold(file, launch, **arguments)  # type: ignore[no-any-return]
    except (Exception, SystemExit) as error:
        told = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        if file.reference is not None and _raised_in(error, file.reference):
            raise LabError(f"the reference in {path} does not run: {told}") from error
        return float("inf"), 0.0, 0.0, f"{NOT_RUN} {told}", "eager"


def _raised_in(error: BaseException, function: Callable[..., Any]) -> bool:
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is getattr(function, "__code__", None):
            return True
        trace = trace.tb_next
    return False


def _device(judge: ModuleType) -> str:
    import torch

    return str(torch.cuda.get_device_name()) if judge.DEVICE == "cuda" else "Triton's interpreter on the CPU"


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


if __name__ == "__main__":
    main()
