"""The command line: `inductor-lab VERB`. One thin function a verb; what a verb needs is imported inside it.

Exit codes: 0 fine; 1 a finding (verify failed, slower than allowed); 2 wrong usage, unreadable input; 130 interrupted. Where
nobody reads stdout any more (`| head`): 0 of a verb that only shows, else 141, as of a program that SIGPIPE ends.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, NoReturn

from inductor_lab.errors import LabError

if TYPE_CHECKING:
    import typer.models

__all__ = ["main"]


PIPE_CLOSED = 128 + 13
"""What a shell says of a program that SIGPIPE ended."""
SHOWING = {"doctor", "models", "list", "show", "spans", "query"}
"""Verbs of which one may read as much as one likes; what others print is a verdict, or a file."""


def main(arguments: Sequence[str] | None = None, app: typer.Typer | None = None, name: str = "inductor-lab") -> None:
    """Run one command line and exit, of `app` where it is another than ours. This is the only place that turns an exception into a message."""
    gc.set_threshold(50_000)  # what imports and captures make stays: it is not searched for garbage all the time
    words, debug = _without_debug(list(sys.argv[1:] if arguments is None else arguments))
    try:
        if app is None:
            from inductor_lab.cli.app import app as ours

            app = ours
        _of(app, words)(args=words, prog_name=name)
    except SystemExit as leaving:
        # Typer makes 1 of it, the code of a finding; what was short is still in the buffer.
        if isinstance(leaving.__context__, BrokenPipeError) or not _flushed():
            _leave_quietly(0 if words and words[0] in SHOWING else PIPE_CLOSED)
        raise
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if debug:
            traceback.print_exc()
            sys.exit(2)  # what Python makes of an exception is 1, the code of a finding
        _fail(str(error) if isinstance(error, LabError) else _surprise(error))


def _of(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """The application with the one verb that is asked for: to describe all others takes longer than a list."""
    asked = [command for command in app.registered_commands if command.name in words[:1]]
    if not asked:
        return app
    alone = copy(app)
    alone.registered_commands = asked
    return alone


def _flushed() -> bool:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return False
    return True


def _leave_quietly(code: int) -> NoReturn:
    """Nobody reads stdout any more. Python would say so once more when it ends and writes what is left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def _surprise(error: Exception) -> str:
    """One sentence for what is no LabError: a package that is missing, or a mistake of ours."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and package not in ("", "inductor_lab"):
        return f"{package} is not installed; `pip install inductor_lab` brings what this verb needs."
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {_ended(first)} Run again with --debug for the traceback."


def _without_debug(words: list[str]) -> tuple[list[str], bool]:
    """`--debug` is heard anywhere before `--`: one should not have to remember where it goes when something broke."""
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[:end] if word != "--debug"]
    return kept + words[end:], len(kept) < end


def _ended(sentence: str) -> str:
    """With a full stop, also where the sentence is what a library said."""
    sentence = sentence.strip()
    return sentence if not sentence or sentence.endswith((".", "!", "?", ":")) else sentence + "."


def _fail(sentence: str) -> None:
    from inductor_lab.cli.output import note

    note(f"error: {_ended(sentence)}")
    sys.exit(2)
