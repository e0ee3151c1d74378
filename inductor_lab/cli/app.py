"""The application: every verb in the order in which the help lists them, and the options that all of them have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

import inductor_lab
from inductor_lab.cli import begin, catalog, diffs, judge, survey, timing, verify
from inductor_lab.cli.options import Verb

app = typer.Typer(
    name="inductor-lab",
    epilog="A capture is named by its name under captured/ or by its folder. KERNEL is capture:index, capture:name "
    "(globs allowed) or the first 8 digits of its body's hash. Start with: inductor-lab demo",
    no_args_is_help=True,
    # Plain help: it costs 50 ms less than the framed one, and reads the same in a log.
    rich_markup_mode=None,
    # cli.main prints errors, in one sentence.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"inductor-lab {inductor_lab.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """What TorchInductor writes for your model, made readable, editable and measurable."""


VERBS: tuple[Callable[..., None], ...] = (
    begin.demo, begin.doctor, begin.models, catalog.capture, catalog.read, catalog.list_, catalog.show, survey.spans, survey.report, judge.eject,
    verify.verify, judge.inspect, timing.bench, diffs.diff, timing.tune, verify.replay, survey.compare, survey.status, survey.query,
)  # fmt: skip
for _verb in VERBS:
    app.command(_verb.__name__.strip("_"), cls=catalog.WithCommand if _verb is catalog.capture else Verb)(_verb)
