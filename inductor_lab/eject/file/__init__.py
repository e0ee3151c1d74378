"""A plan and its hand kernel -> the text of a file: the values that the template places, and the hashes in its header.

A kernel in CUDA C++ is a Python file, the `.cu` file that it builds, and a CMake project that tests it without Python.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import linecache
import re
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from inductor_lab.bind import heuristics
from inductor_lab.eject.binding import configuration as config
from inductor_lab.eject.binding.plan import Plan, whole
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.cuda.host_check import architecture, host_check, test_tensors
from inductor_lab.eject.cuda.launch import Cuda
from inductor_lab.eject.cuda.page import shared
from inductor_lab.eject.device_functions import DeviceFunctions, exchanged, of_file
from inductor_lab.eject.file.examples import inputs_of
from inductor_lab.eject.file.header import header_of
from inductor_lab.eject.file.literals import in_quotes, listed, quoted
from inductor_lab.eject.file.references import comparing, graph_form_of, reference_of, table_of
from inductor_lab.eject.file.wrapping import paragraph, wrapped
from inductor_lab.eject.generalize import fits, fits_generated
from inductor_lab.eject.inputs.domain import DOMAINS
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import Baseline, CudaFile, HandKernel, KernelText, Launcher, Rendering, names_in
from inductor_lab.eject.triton.verbatim import verbatim
from inductor_lab.ejected import RENDERED, judged_hash, rendered_hash
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder
from inductor_lab.records import Kernel

JUDGED = "@JUDGED@"


def render(
    plan: Plan, hand: KernelText, *, template: Path | None, file: str, real: str = "", cuda: CudaFile | None = None
) -> str:
    """The text of the file.

    Args:
        real: The file beside it that holds what the launch was given in the program.
        cuda: The `.cu` file that holds its kernel.

    Raises:
        LabError: the template is not there or wrong, or what it makes is no Python.
    """
    parts = rendering(plan, hand, file=file)
    parts = replace(parts, inputs=replace(parts.inputs, real=quoted(real)), cuda=cuda)
    name = f"{plan.kernel.id} ({plan.kernel.name})"
    return hashed(template, "cuda/kernel.py.jinja" if cuda else "kernel.py.jinja", vars(parts), name, file)


def hashed(template: Path | None, ours: str, values: Mapping[str, Any], name: str, file: str) -> str:
    """A filled template with its hashes.

    Args:
        name: What the file is of.

    Raises:
        LabError: as `render`.
    """
    text = filled(template, ours, values)
    text = text.replace(JUDGED, judged_hash(text), 1)
    text = text.replace(RENDERED, rendered_hash(text), 1)
    try:
        compile(text, file, "exec", ast.PyCF_ONLY_AST)
    except SyntaxError as error:
        raise LabError(f"{name}: the file would be no Python, line {error.lineno}: {error.msg}") from error
    return text


def filled(template: Path | None, ours: str, values: Mapping[str, Any]) -> str:
    """A template with its values.

    Args:
        template: A user's own; `ours` without one.

    Raises:
        LabError: the template is not there or wrong.
    """
    folder, name = (template.parent, template.name) if template else (templates_folder(), ours)
    try:
        return _environment(folder).get_template(name).render(values)
    except jinja2.TemplateNotFound as error:
        if template and template.is_dir():
            raise LabError(f"The template {template} is a folder; name a file of it.") from error
        if template and error.name != template.name:
            place, _ = _place(error, template)
            raise LabError(f"The template {place} names {error.name}, and there is none.") from error
        raise LabError(f"There is no template {template or error}.") from error
    except UnicodeDecodeError as error:
        raise LabError(f"The template {template} is no text.") from error
    except Exception as error:  # whatever a template raises is the template's
        place, line = _place(error, template or name)
        raise LabError(f"The template {place} is wrong: {_said(error, line)}") from error


def _place(error: Exception, template: Path | str) -> tuple[str, str]:
    """`mine.jinja, line 3, `{{ 1 / 0 }}`,` and that line: where the traceback is last in a template, whose frames jinja2/debug.py (3.1) makes."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if "__jinja_exception__" in frame.f_globals:
            file = frame.f_code.co_filename
            linecache.checkcache(file)
            text = linecache.getline(file, line).strip()
            return f"{Path(file)}, line {line}, `{text}`,", text
    return str(template), ""


def _said(error: Exception, line: str) -> str:
    """What is wrong; a field that is not there by its path in the template, of which jinja2 names the class that lacks it."""
    text = " ".join(str(error).split())
    if not isinstance(error, jinja2.TemplateError):
        return f"{type(error).__name__}: {text}"
    lacks = re.search(r"has no attribute '(\w+)'$", text)
    path = re.search(rf"""[\w.\[\]]+(\.{lacks[1]}\b|\[["']{lacks[1]}["']\])""", line) if lacks else None
    return f"there is no {path[0]}" if path else text


@lru_cache
def _environment(folder: Path) -> jinja2.Environment:
    """Templates of a folder, and ours behind them; compiled once in a process."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, templates_folder()]), trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    made.filters |= {"wrapped": wrapped, "paragraph": paragraph}
    return made


# ------------------------------------------------------------ the parts


def rendering(plan: Plan, hand: KernelText, *, file: str, several: bool = False) -> Rendering:
    """The parts of a file, each value ready to be placed.

    Args:
        several: Whether other kernels stand in the file, whose functions are not to be the baseline's.

    Raises:
        LabError: a kernel for any sizes has no reference to be held to.
    """
    captured = plan.generated or plan
    beside = of_file(plan.kernel, "\n".join([*hand.functions, *hand.lines]), hand.helpers, several=several)
    reference, unknown = reference_of(plan)
    if plan.generated and reference is None:
        raise LabError(f"{plan.kernel.id} ({plan.kernel.name}) can not be generalized: it has no reference: {unknown}")
    return Rendering(
        header_of(plan, file), tuple(beside.imports), _hand(plan, hand, beside), reference, in_quotes(unknown),
        comparing(plan, reference), graph_form_of(plan, captured), in_quotes(captured.no_form), inputs_of(plan, hand, reference),
        _baseline(plan, captured, beside), check_of(plan.tensors.values()), table_of(plan),
    )  # fmt: skip


def _hand(plan: Plan, hand: KernelText, beside: DeviceFunctions) -> HandKernel:
    asked = fits(plan) if plan.generated else []
    lines = [*plan.assignments(hand.names | names_in(*asked)), *asked, *hand.statements, *_why(plan, hand)]
    config_ = {**hand.tuned, **{hand.blocks.get(name, name): value for name, value in plan.config.items()}}
    config_ = {} if hand.cuda else config_
    body = hand.lines if hand.to_the_letter else wrapped("\n".join(hand.lines), 4).split("\n")
    written_names = [f"`{tensor.name}`" for tensor in plan.written]
    writes = f"{listed(written_names)} {'is' if len(written_names) == 1 else 'are'}" if written_names else "nothing is"
    writes = "of the tensors of ARGUMENTS, in that order, those of WRITTEN are" if plan.table else writes
    launcher = _launcher(plan, hand, lines, config_, beside.checked)
    missing = plan.not_told(plan.free)
    told = f" {missing[0].upper()}{missing[1:]}." if missing else ""
    functions = (*beside.hand, *hand.functions)
    return HandKernel(
        functions, plan.name, hand.parameters, hand.remark, tuple(body), launcher, writes, told, _unread(plan)
    )


def _unread(plan: Plan) -> str:
    """What nobody reads, in a sentence of the launcher's docstring."""
    if not plan.unread:
        return ""
    many = len(plan.kernel.launches)
    behind = "it" if many == 1 else f"any of its {many} launches"
    if len(plan.unread) == len(plan.written):
        return f" Nobody reads that behind {behind}: without the kernel the model computes the same."
    names, them = listed([f"`{name}`" for name in plan.unread]), "it" if len(plan.unread) == 1 else "them"
    return f" Nobody behind {behind} reads {names}: an edit need not write {them}."


def _baseline(plan: Plan, captured: Plan, beside: DeviceFunctions) -> Baseline:
    text = verbatim(captured)
    sizes = fits_generated(captured) if plan.generated else plan.assignments(text.names)
    launcher = _launcher(plan, text, [*sizes, *text.statements], plan.config, beside.checked)
    body = exchanged("\n".join(text.lines), beside.names, [p.name for p in text.parameters])
    return Baseline(
        beside.functions,
        beside.helpers,
        beside.checked,
        _whose(plan.kernel),
        text.parameters,
        tuple(body.split("\n")),
        launcher,
        tuple(line.rstrip() for line in config.decorator(plan.kernel).splitlines()),
    )


def _why(plan: Plan, hand: KernelText) -> list[str]:
    """A comment on the blocks and warps of a launch."""
    found = plan.table.kinds[0].kind.jobs[0].found if plan.table else plan.found
    chosen = {**plan.found.fixed, **plan.config}
    shared = "" if hand.cuda else config.shared_out(plan.kernel, found.schedule.axes, chosen)
    return [f"# {shared[0].upper()}{shared[1:]}: {_whose(plan.kernel)}."] if shared else []


def _whose(kernel: Kernel) -> str:
    """Where the configuration is from, in words."""
    if kernel.category == "template":
        return "the blocks that its text states"
    if kernel.autotuned:
        return "the configuration that Inductor's autotuner kept"
    listed_ = len(heuristics.candidates(kernel))
    if listed_ == 1:
        return "the only configuration that Inductor's heuristics list"
    first = heuristics.configuration(kernel)
    room = " with no more programs than its memory is for" if config.fitting(kernel, first) is not first else ""
    return f"the first of {listed_} configurations that Inductor's heuristics list{room}" if listed_ else FIRST


FIRST = "the configuration that Inductor's heuristics list first"


def _launcher(
    plan: Plan, text: KernelText, lines: Sequence[str], config_: Mapping[str, int], checked: bool
) -> Launcher:
    if any("make_tensor_descriptor" in line for line in text.lines):  # on a card it lies in memory of the launcher's
        first = next(iter(plan.tensors.values())).name
        lines = [*lines, ALLOCATES.format(tensor=first)]
    warps = [f"{name}={name}" for name in ("num_warps", "num_stages") if name in plan.config]
    passed = [text.arguments, *([] if text.cuda else [*warps, *(["**OPTIONS"] if checked else [])])]
    tensors = [tensor.name for tensor in plan.tensors.values()]
    settings = {**plan.free, **config_}
    if plan.table:
        passed[0] = text.arguments.replace(", ".join(tensors), "*tensors", 1)
        unpacked = {*names_in(*lines, text.grid, f"launch({passed[0]})")} & {*tensors}
        lines = [f"{', '.join(tensors)} = tensors", *lines] if unpacked else lines
        taken = "*tensors", *(f"{name}={value}" for name, value in settings.items())
        return Launcher(taken, tuple(lines), text.grid, ", ".join(passed), "tensors[len(TAKES) :]")
    return Launcher(
        tuple(tensors), tuple(lines), text.grid, ", ".join(passed),
        ", ".join(tensor.name for tensor in plan.written) or "None", settings,
    )  # fmt: skip


ALLOCATES = (
    "triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device={tensor}.device))"
)


def check_of(tensors: Iterable[Tensor]) -> str:
    """The text of inductor_lab/judge/alone.py, less what draws inputs that a file with these arguments does not ask for."""
    tensors = list(tensors)
    source = (Path(__file__).parents[2] / "judge" / "alone.py").read_text(encoding="utf-8")
    text = source.partition("# --8<-- from here on the text is copied into ejected files\n")[2].rstrip()
    fills = [tensor.fill for tensor in tensors]
    unasked = [f'    "{word}": ' for word in DOMAINS if word not in fills]
    if not any(isinstance(fill, tuple) for fill in fills):
        unasked.append("def whole_numbers(")
    if not any(tensor.distinct for tensor in tensors):
        unasked.append("def apart(")
    asked = [part for part in text.split("\n\n\n") if not part.startswith(tuple(unasked))]
    return "\n".join(line for line in "\n\n\n".join(asked).split("\n") if not line.startswith(tuple(unasked)))


# ------------------------------------------------------------ a kernel in CUDA C++


def cuda_files(
    plan: Plan, hand: KernelText, cuda: Cuda, *, template: Path | None, file: str, real: str = ""
) -> dict[str, str]:
    """Each file by its name, the Python file first.

    Args:
        template: A user's own: of the `.cu` file where its name says so, else of the Python file.
        real: The file beside them that holds what the launch was given in the program.

    Raises:
        LabError: the template is not there or wrong, or the name is the `.cu` file's.
    """
    own = is_of_the_cu_file(template)
    cuda = dataclasses.replace(cuda, title=header_of(plan, file).title)
    text = filled(template if own else None, "cuda/kernel.cu.jinja", {"cuda": cuda, "file": file})
    beside = _beside(text, file)
    python = render(plan, hand, template=None if own else template, file=file, real=real, cuda=beside)
    return {
        file: python,
        beside.file: text,
        **{f"{beside.folder}/{name}": t for name, t in _project(plan, cuda, beside, file).items()},
    }


def of_several(
    kernels: Sequence[Cuda], title: str, *, template: Path | None, file: str
) -> tuple[CudaFile, dict[str, str]]:
    """The `.cu` file of several kernels, and what it is built with without a GPU: what the Python file says of it, and the texts by their names.

    Raises:
        LabError: as `cuda_files`.
    """
    helpers = dict.fromkeys(text for one in kernels for text in one.helpers if text in shared())
    values = {
        "title": title, "file": file, "headers": [*dict.fromkeys(header for one in kernels for header in one.headers)], "helpers": [*helpers],
        "kernels": [dataclasses.replace(one, helpers=tuple(text for text in one.helpers if text not in helpers)) for one in kernels],
    }  # fmt: skip
    text = filled(template if is_of_the_cu_file(template) else None, "cuda/span.cu.jinja", values)
    beside = _beside(text, file)
    return beside, {beside.file: text, f"{beside.folder}/cuda_on_cpu.h": _part("cuda_on_cpu.h") + "\n"}


def _beside(text: str, file: str) -> CudaFile:
    stem = Path(file).stem
    if Path(file).suffix == ".cu":
        raise LabError(f"-o names the Python file, {stem}.py; the kernel stands beside it in {file}")
    return CudaFile(f"{stem}.cu", f"{stem}_cmake", hashlib.sha256(text.encode()).hexdigest(), _part("loading.py"))


def is_of_the_cu_file(template: Path | None) -> bool:
    """Whether a user's template makes the `.cu` file, as its name says, and not the Python file."""
    return template is not None and ".cu" in template.suffixes


def _project(plan: Plan, cuda: Cuda, beside: CudaFile, file: str) -> dict[str, str]:
    """The CMake project; without the test program where the host has no exact form of the computation, such as a float's bits."""
    texts = {"cuda_on_cpu.h": _part("cuda_on_cpu.h") + "\n"}
    try:
        host = host_check(whole(plan))
        tensors = test_tensors(plan.tensors, plan.environment)
    except (UnprintableError, ValueError):
        return texts
    device = {f"{name}_ptr": f"{tensor.name}.device" for name, tensor in tensors.items()}
    on_host = {f"{name}_ptr": tensor.on_host for name, tensor in tensors.items()}
    values = {
        "cuda": cuda, "exact": host.exact, "file": file, "cuda_file": beside.file, "tensors": tuple(dict.fromkeys(tensors.values())),
        "architecture": architecture(plan.capture.gpu.arch),
        "launched": ", ".join((device | host.numbers)[each.name] for each in cuda.parameters),
        "called": ", ".join((on_host | host.numbers)[each.name] for each in host.exact.parameters),
    }  # fmt: skip
    return {
        "CMakeLists.txt": filled(None, "cuda/CMakeLists.txt.jinja", values),
        "test.cu": filled(None, "cuda/test.cu.jinja", values),
        **texts,
    }


def _part(name: str) -> str:
    """A text that stands in every ejected CUDA kernel."""
    return (templates_folder() / "cuda" / name).read_text(encoding="utf-8").rstrip()
