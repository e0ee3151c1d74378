"""The process in which a module is replayed: what it is asked and answers, and what it does.

Triton interprets in it where there is no GPU: that is decided when Triton is imported. It is sent one line: folder (the capture's), seed, grafts (a
kernel's index, or the graph and steps of a span -> file), against (`eager`, `generated`, or an empty text for what fits), keep (a folder, or an empty
text), kept (whether inputs that the capture kept are used), kernel (an index: only what its launch is given is wanted, in the file `keep`), made (the
parent's folder for files on the way). It answers lines: `{"step": ...}` as it goes on, `{"grafting": FILE}` before a hand kernel is launched, at last
`{"replay": ...}`, or the `traceback` with what the user did wrong (`error`) or with what broke (`broke`).
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Event
from typing import Any

from inductor_lab.document import from_dict
from inductor_lab.ejected import check_new, write_all
from inductor_lab.errors import LabError
from inductor_lab.processes import Child, Lines, end_with, how_ended, last_line
from inductor_lab.records import Replay


def replay(
    folder: Path,
    *,
    seed: int | None = None,
    grafts: Mapping[str, Path] | None = None,
    keep: Path | None = None,
    against: str = "",
    progress: Callable[[str], None] | None = None,
) -> Replay:
    """Run a captured module launch by launch, and hold it to the graph in eager PyTorch.

    Args:
        folder: A capture.
        seed: What inputs are drawn by; None to take those that the capture kept, and draw by 0 what it did not.
        grafts: Kernel id, or a span's name -> an ejected file, whose kernel takes its place.
        against: `eager`; or `generated`: each hand kernel is held to its reference, each output to what the generated module returns. An empty text
            is the first where the graph's values fit on the card, else the second.
        keep: A new folder for what each kernel is given at its first launch, INDEX.npz, and each grafted span, GRAPH_FIRST-LAST.npz.

    Raises:
        LabError: it can not be replayed here, or torch or triton are missing.
    """
    if keep and keep.exists():
        raise LabError(f"{keep} exists and is never overwritten; choose another folder.")
    with _beside(keep) if keep else nullcontext() as part:
        kept = part / "kept" if part else None
        if kept:
            kept.mkdir()
        asked = {
            "seed": seed or 0,
            "grafts": {_key(name): str(path) for name, path in (grafts or {}).items()},
            "keep": str(kept or ""),
            "kept": seed is None,
            "kernel": "",
            "against": against,
        }
        found = from_dict(Replay, _answer(folder, asked, "replay", progress))
        if keep and kept:
            kept.rename(keep)
    return found


@contextmanager
def _beside(wanted: Path) -> Iterator[Path]:
    """A folder beside what is written once all went well, gone afterwards however it ends.

    Raises:
        LabError: nothing can be written there.
    """
    where = wanted.absolute().parent
    try:
        where.mkdir(parents=True, exist_ok=True)
        part = tempfile.TemporaryDirectory(prefix=f".{wanted.stem}-", dir=where)
    except OSError as error:
        raise LabError(f"Can not write {wanted}: {error.strerror}; choose another name.") from error
    with part as folder:
        yield Path(folder)


def launch_inputs(folder: Path, kernel: str, file: Path, progress: Callable[[str], None] | None) -> None:
    """Write what a kernel's launch is given on the inputs that the capture kept, for its ejected file.

    Args:
        kernel: Its id.
        file: The .npz to write, beside the ejected file.

    Raises:
        LabError: the capture keeps no values, the file is there, or the module does not run here.
    """
    if file.exists():
        raise LabError(f"{file} exists and is never overwritten; choose another name with -o, or remove it.")
    with _beside(file) as part:
        made = part / file.name
        asked = {"kernel": kernel.rpartition(":")[2], "keep": str(made), "grafts": {}}
        _answer(folder, asked, "kept", progress)
        made.rename(file)


def eject_with_inputs(
    folder: Path,
    kernel: str,
    file: Path,
    print_files: Callable[..., Mapping[str, str]],
    progress: Callable[[str], None] | None = None,
) -> tuple[Path, Mapping[str, str]]:
    """Write one kernel, and beside it what its launch was given in the program, both or neither; the file that has the inputs, and what was printed.

    Args:
        print_files: From the file's name and that of the inputs to what is written beside each other, as `eject_files` prints it.

    Raises:
        LabError: as `launch_inputs`, or another file is there.
    """
    beside = file.with_name(f"{file.stem}.inputs.npz")
    printed = print_files(file=file.name, real=beside.name)
    texts = {file.parent / name: text for name, text in printed.items()}
    for path, text in texts.items():
        check_new(path, text)
    launch_inputs(folder, kernel, beside, progress)
    write_all(texts)
    return beside, printed


def _key(name: str) -> str:
    """`3` of a kernel's id, `dlrm:3`; `0_inference:12-17` of a span's name, `dlrm:0_inference:12-17`."""
    *_, graph, last = ["", *name.split(":")]
    return f"{graph}:{last}" if "-" in last else last


def _answer(folder: Path, asked: Mapping[str, Any], wanted: str, progress: Callable[[str], None] | None) -> Any:
    """What the process answers that does the work."""
    with (
        tempfile.TemporaryDirectory(prefix="inductor-lab-replay-") as made,
        tempfile.TemporaryFile(
            "w+", encoding="utf-8", errors="replace"
        ) as said,  # no pipe holds all that modules print
        closing(Child("inductor_lab.replay.run:main", said=said)) as child,
    ):
        with suppress(BrokenPipeError):  # how it ended is told below
            child.send({"folder": str(folder), "made": made, **asked})
            child.requests.close()
        grafted: dict[str, None] = {}
        for answer in Lines(child.answers).read():
            if wanted in answer:
                return answer[wanted]
            if "error" in answer:
                raise _failed(answer["error"], answer["traceback"])
            if "broke" in answer:
                raise _failed(_without_result(folder, answer["broke"], grafted), answer["traceback"])
            if "grafting" in answer:
                grafted[answer["grafting"]] = None
            elif progress:
                progress(answer["step"])
        code = child.process.wait()
        said.seek(0)
        printed = said.read()
    raise _failed(_without_result(folder, _ended(code, printed), grafted), printed)


def _failed(sentence: str, printed: str) -> LabError:
    """An error with what the process printed, which a traceback shows."""
    error = LabError(sentence)
    error.add_note(printed)
    return error


def _ended(code: int, printed: str) -> str:
    """How a process ended that did not say so itself."""
    last = last_line(printed)
    return last if last and code == 1 else f"it {how_ended(code)}"


def _without_result(folder: Path, why: str, grafted: Iterable[str]) -> str:
    """One sentence; with the hand kernels that were launched before, which may have stored anywhere."""
    files = " ".join(grafted)
    told = f"; {files} had been launched by then: `inductor-lab verify {files}` tells a store outside of a tensor"
    return f"the replay of {folder} ended without a result: {why}{told if files else ''}"


# ------------------------------------------------------------ in the process


def main(parent: int, told: int) -> None:
    faulthandler.enable()  # a hand kernel may store anywhere
    gc.set_threshold(50_000)  # what imports make stays: it is not searched for garbage all the time
    asked = json.loads(sys.stdin.readline())
    folder, made = Path(asked["folder"]), Path(asked["made"])
    end_with(parent, made)
    import torch

    if not torch.cuda.is_available():
        os.environ["TRITON_INTERPRET"] = "1"
    from inductor_lab import store

    answers = os.fdopen(told, "w")
    sys.stdout = sys.stderr  # what a module prints comes in order, before what ends it

    def tell(**answer: Any) -> None:
        try:
            print(json.dumps(answer), file=answers, flush=True)
        except BrokenPipeError:  # nobody asks any more: `end_with` removes what was made, and ends this
            Event().wait()

    try:
        from inductor_lab.replay.launches import index, keep_launch_inputs
        from inductor_lab.replay.session import Session, replayed

        capture = store.load(folder)
        if asked["kernel"]:
            kernel = next(one for one in capture.kernels if index(one) == asked["kernel"])
            keep_launch_inputs(capture, folder, kernel, Path(asked["keep"]), made, lambda step: tell(step=step))
            tell(kept=asked["keep"])
            return
        session = Session(
            capture,
            seed=asked["seed"],
            grafts={kernel: Path(file) for kernel, file in asked["grafts"].items()},
            made=made,
            keep=Path(asked["keep"]) if asked["keep"] else None,
            kept=folder if asked["kept"] else None,
            against=asked["against"],
            progress=lambda step: tell(step=step),
            grafting=lambda file: tell(grafting=str(file)),
        )
        tell(replay=store.to_dict(replayed(session)))
    except LabError as error:
        tell(error=str(error), traceback=traceback.format_exc())
    except Exception as error:
        why = " ".join(str(error).split())[:300]
        tell(broke=f"{type(error).__name__}: {why}", traceback=traceback.format_exc())
