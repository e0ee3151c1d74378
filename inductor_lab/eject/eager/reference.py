"""The statements and results of one kernel's reference: every job printed in turn, then only what is needed, written short."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from inductor_lab.computation.records import Computation
from inductor_lab.eject.device_functions import functions
from inductor_lab.eject.eager.job import JobPrinter
from inductor_lab.eject.eager.lines import tidy
from inductor_lab.eject.eager.torch_values import name
from inductor_lab.eject.refusal import NoReference
from inductor_lab.eject.tensors import TensorView
from inductor_lab.records import Kernel


@dataclass(frozen=True)
class Eager:
    """The body of `def reference(...)`."""

    lines: tuple[str, ...]
    """Statements."""
    results: tuple[str, ...]
    """One expression a written pointer, in the order of the kernel's arguments: what all of that tensor holds afterwards."""
    written: tuple[str, ...]
    """Those pointers."""
    takes: tuple[str, ...]
    """Pointers whose content the function needs, in the order of the kernel's arguments."""
    helpers: tuple[str, ...]
    """Functions that the text calls, files of templates/eager/."""


NEEDS = {"from_bits": ("bits",)} | dict.fromkeys(
    ("rand", "randn", "rand_uniform_4x", "rand_normal_4x", "randint", "rand_between"), ("philox",)
)
"""Helpers that call helpers."""
NOT_FRAMED = {
    "template": "a template's own loop is not read as a tree",
    "user_autotune": "its author wrote it in Triton: where it is launched, the graph says triton_kernel_wrapper_functional_proxy "
    "and no ATen operator",
}
"""Categories of kernels that are not of Inductor's own making, and why they are not printed."""


def eager(
    kernel: Kernel,
    found: Computation,
    tensors: Mapping[str, TensorView],
    sizes: Mapping[str, str] | None = None,
) -> Eager:
    """Print what a kernel's launch leaves in the tensors that it writes.

    Args:
        tensors: Pointer parameter -> the tensor.
        sizes: `ks0`, `xnumel` -> Python, for what the launch passes and the body does not fix.

    Raises:
        NoReference: the kernel does something that eager PyTorch can not be written for; the reason says what.
    """
    if kernel.category in NOT_FRAMED:
        raise NoReference(NOT_FRAMED[kernel.category])
    contents = {pointer: name(view.name) for pointer, view in tensors.items()}
    names = {view.name for view in tensors.values()} | {text for text in (sizes or {}).values() if text.isidentifier()}
    printer = JobPrinter(names, dict(sizes or {}), tensors, bound(kernel), functions(kernel))
    for job in found.every():
        printer.job_of(job, contents)
        contents = {pointer: versions[-1] for pointer, versions in printer.versions.items()}
    order = [a.name for a in kernel.arguments if a.pointer]
    stored = {access.pointer for job in found.every() for access in job.stores}
    written = tuple(pointer for pointer in order if pointer in stored and pointer in tensors)
    if not written:
        raise NoReference("it writes no tensor")
    lines, results = tidy(printer.lines, [contents[pointer] for pointer in written])
    used = {n.id for line in (*lines, *results) for n in ast.walk(line) if isinstance(n, ast.Name)}
    takes = tuple(pointer for pointer in order if pointer in tensors and tensors[pointer].name in used)
    return Eager(
        tuple(ast.unparse(ast.fix_missing_locations(line)) for line in lines),
        tuple(ast.unparse(result) for result in results),
        written,
        takes,
        helpers_of(printer.helpers & used),
    )


def helpers_of(called: Collection[str]) -> tuple[str, ...]:
    """The helpers that a text calls, each after those that it calls itself."""
    return tuple(dict.fromkeys(needed for helper in sorted(called) for needed in (*NEEDS.get(helper, ()), helper)))


def bound(kernel: Kernel) -> dict[str, str]:
    """`ks0` -> what the launch passes for it."""
    launch = kernel.launches[0].arguments if kernel.launches else ()
    sizes = {argument.name for argument in kernel.arguments if argument.role == "size"}
    return {a.name: a.value for a in launch if a.name in sizes and a.value != a.name}
