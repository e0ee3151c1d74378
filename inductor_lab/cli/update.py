"""`eject --update`: what a kernel is now, merged into the file that a person made of it."""

from __future__ import annotations

from pathlib import Path

import typer

from inductor_lab.cli import output
from inductor_lab.errors import LabError
from inductor_lab.records import Capture, Kernel
from inductor_lab.records.span import Span


def named(name: str, *, or_all: str = "") -> tuple[Capture, Kernel | Span]:
    """The kernel or the span that a name names."""
    from inductor_lab import store
    from inductor_lab.spans.address import addressed, also

    of, _, which = name.partition(":")
    if not names_span(name):
        return store.find_kernel(name, or_all=or_all)
    capture = store.find_capture(of)
    found = addressed(capture, which)
    assert found
    if others := also(capture, which, found):
        output.note(f"{which} is {found.name}; also steps {', '.join(others)}")
    return capture, found


def names_span(name: str) -> bool:
    """Whether a name is one of a span: `dlrm:4-29`."""
    from inductor_lab.spans.address import is_address

    return is_address(name.partition(":")[2])


def update_file(name: str, destination: str | None, template: Path | None) -> None:
    """Merge into one file, and say what came of it; exit with 1 where something is left to resolve."""
    from inductor_lab import store
    from inductor_lab.quantity import plural
    from inductor_lab.update import own_kernel, update

    own = Path(name)
    if own.is_file() or own.suffix in (".py", ".cu"):
        if destination:
            raise LabError(f"Say what {destination} is updated from, KERNEL, or leave -o out: {name} is a file.")
        output.need(own)
        file, (capture, kernel) = own, own_kernel(own)
    else:
        capture, kernel = named(name)
        if destination == "-" or (destination and Path(destination).is_dir()):
            raise LabError(f"--update is for one file: inductor-lab eject {name} -o FILE --update.")
        file = Path(destination or store.safe_name(kernel.id) + ".py")
        output.need(file)
    found = update(file, capture, kernel, template=template)
    if found.kept is None:
        output.note(f"{file} is what {kernel.id} says: there is nothing to merge.")
        return
    if found.left:
        output.note(
            f"{found.left} holds what the kernel was given before, and it takes something else now: example inputs are drawn. "
            f"For real ones: inductor-lab eject {kernel.id} --inputs real -o OTHER.py"
        )
    kept = file.with_name(found.kept.name) if not file.is_symlink() else found.kept
    if found.conflicts:
        output.note(
            f"{file}: {plural(found.conflicts, 'conflict')} with {kernel.id}, marked in it; your version is {kept}. "
            f"Resolve what stands between <<<<<<< and >>>>>>>, then: inductor-lab verify {file}"
        )
        raise typer.Exit(1)
    if found.broken:
        output.note(
            f"{file}: merged with {kernel.id} without conflicts, but it is no Python any more ({found.broken}); your version is {kept}."
        )
        raise typer.Exit(1)
    told = dict.fromkeys((kernel.id, kernel.name))
    output.note(f"{file}: merged with {', '.join(told)}; your version is {kept}. Next: inductor-lab verify {file}")
