"""Random numbers in CUDA C++: Triton's Philox, bit for bit."""

from __future__ import annotations

from typing import Protocol

from inductor_lab.computation.tree import Expression, Random
from inductor_lab.eject.cuda.code import Code, call
from inductor_lab.eject.refusal import UnprintableError

FORMS = {
    "rand": "rand_uniform", "randn": "rand_normal", "randint": "rand_bits", "randint64": "rand_between",
    "rand4x": "rand_uniform_4x", "randn4x": "rand_normal_4x",
}  # fmt: skip
"""What the tree calls them -> the function of templates/cuda/helpers/."""


class Printer(Protocol):
    """Who prints values."""

    def of(self, value: Expression, beside: str = "") -> Code: ...

    def helper(self, name: str, *arguments: Code) -> Code: ...


def of(value: Random, printer: Printer) -> Code:
    """A random number as a call.

    Raises:
        UnprintableError: it is a kind that is not printed.
    """
    if value.name not in FORMS:
        raise UnprintableError(f"random numbers by {value.name} are not printed in CUDA C++ yet")
    seed, position, *bounds = value.inputs
    wide = position.dtype == "int64"
    at = printer.of(position)
    if value.name.endswith("4x") or not wide:
        at = call("uint32_t", at)
    return printer.helper(FORMS[value.name], printer.of(seed), at, *(printer.of(bound, "int64") for bound in bounds))
