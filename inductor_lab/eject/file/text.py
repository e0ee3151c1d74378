"""The parts of a file and a template -> its text, with the hashes in its header."""

from __future__ import annotations

import ast
import linecache
import re
import traceback
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from inductor_lab.edited import RENDERED, judged_hash, rendered_hash
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.file.parts import rendering
from inductor_lab.eject.header import quoted
from inductor_lab.eject.rendering import CudaBeside, KernelText
from inductor_lab.eject.wrapping import paragraph, wrapped
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder

JUDGED = "@JUDGED@"


def render(
    plan: Plan, hand: KernelText, *, template: Path | None, file: str, real: str = "", cuda: CudaBeside | None = None
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
