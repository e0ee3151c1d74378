"""The verb that writes a capture's page: one HTML file, with machine code and a profile's times where they are asked for."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inductor_lab.cli import output
from inductor_lab.cli.compiling import COSTLIEST, compiled
from inductor_lab.cli.options import CaptureName, complete_gpu
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, CompiledCode

if TYPE_CHECKING:
    from inductor_lab.report.profile import Profile


def report(
    name: CaptureName,
    file: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="CAPTURE.html unless given.")
    ] = None,
    code: Annotated[
        bool,
        typer.Option(
            "--code",
            help="With the code at each stage, TTIR to SASS or AMDGCN, of the costliest kernels, compiled here.",
        ),
    ] = False,
    kernels: Annotated[
        int, typer.Option("--kernels", metavar="N", min=1, help="How many the costliest are, with --code.")
    ] = COSTLIEST,
    gpu: Annotated[
        str,
        typer.Option(
            "--gpu", metavar="NAME", autocompletion=complete_gpu, help="For --code: the capture's card unless given."
        ),
    ] = "",
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace", metavar="FILE", help="A profile that torch.profiler exported: its kernels' times are shown."
        ),
    ] = None,
) -> None:
    """One HTML file with every kernel of a capture."""
    from inductor_lab import shelf, store
    from inductor_lab.measure.history import of_capture
    from inductor_lab.report import html

    capture = shelf.whole(name)
    seen = _profile(trace) if trace else None
    made = _compiled(capture, kernels, gpu) if code else {}
    file = file or Path(f"{store.safe_name(capture.name)}.html")
    with output.progress(f"Writing {file}"):
        text = html.page(capture, kept=of_capture(capture), code=made, profile=seen)
    output.write(file, text)
    output.note(f"{file}: open it in a browser.")


def _profile(file: Path) -> Profile:
    from inductor_lab.report.profile import profile

    try:
        packed = file.read_bytes()
        document = json.loads(gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed)
    except OSError as error:
        raise LabError(f"Can not read {file}: {error.strerror or error}.") from error
    except (ValueError, RecursionError, EOFError) as error:
        raise LabError(f"{file} is no JSON: export a profile with torch.profiler's export_chrome_trace.") from error
    return profile(document, str(file))


def _compiled(capture: Capture, count: int, gpu: str) -> Mapping[str, Sequence[CompiledCode]]:
    """The code of the costliest kernels; why there is none, of one that does not compile."""
    from inductor_lab.costs.launches import costliest
    from inductor_lab.costs.roofline import card

    on = card(capture.gpu)
    made = compiled(costliest(capture, on)[:count], gpu or on.key)
    return {kernel: one.stages for kernel, one in made.items()}
