"""A kernel of fixed sizes as one for any sizes: each number of its text is read back as the product of sizes that it was.

    x0 = xindex % 75, in_ptr0 + (x0 + 75*x1) of f32[40, 75]      x0 = xindex % s1, in_ptr0 + (x0 + s1*x1) of f32[s0, s1]

Every axis is cut into digits where a coordinate or a dimension of a tensor begins (`digits`). A dimension is the product of the digits that
walk along it; digits that walk along the same dimension are the same (`dimensions`). A digit is a symbol (`symbols`), and a stride the
product of the dimensions within (`addresses`), but for one that leaves a gap, which is a size of its own. A number of the body is a size
where its place says so (`numbers`), and so is an end of the range that a tensor is drawn from (`ranges`).

What this does not tell stays as it is: a dimension of which an address takes a part, or whose position is held against a number
(`positions`), keeps its size. A number that may be a size by chance is refused (`chance`).
"""

from __future__ import annotations

from dataclasses import replace

from inductor_lab.eject.binding.plan import Plan, referenced
from inductor_lab.eject.generalize.addresses import Addresses
from inductor_lab.eject.generalize.asked import fits, fits_generated, others
from inductor_lab.eject.generalize.dimensions import Dimensions
from inductor_lab.eject.generalize.eligible import eligible
from inductor_lab.eject.generalize.numbers import numbers
from inductor_lab.eject.generalize.ranges import with_ranges
from inductor_lab.eject.generalize.rewriting import Rewriting
from inductor_lab.eject.generalize.shapes import Shapes
from inductor_lab.eject.generalize.symbols import Symbols
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.errors import LabError

__all__ = ["fits", "fits_generated", "generalize", "others"]


def generalize(plan: Plan) -> Plan:
    """The plan of the same kernel for any sizes; `generated` is the one of its own.

    Raises:
        LabError: the text does not determine what a number in it is.
    """
    try:
        return _general(plan)
    except UndeterminedError as reason:
        raise LabError(f"{plan.kernel.id} ({plan.kernel.name}) can not be generalized: {reason}") from reason


def _general(plan: Plan) -> Plan:
    eligible(plan)
    dimensions = Dimensions(plan.found, plan.tensors)
    symbols = Symbols(dimensions, {plan.name, *(tensor.name for tensor in plan.tensors.values())})
    meant = numbers(plan.found, dimensions, symbols)
    found = Rewriting(plan.found, symbols, Addresses(symbols), meant).computation()
    shapes = Shapes(symbols)
    environment = {name: digit.size for digit, name in symbols.names.items()}
    typed = {name: shapes.tensor(tensor) for name, tensor in plan.tensors.items()}
    tensors = with_ranges(found, typed, environment)
    numels = {f"{axis}numel": str(numel) for axis, numel in found.numel.items()}
    scalars = numels | dict(found.sizes)
    reference, unknown = referenced(plan.kernel, found, tensors, scalars)
    return replace(
        plan, found=found, tensors=tensors, scalars=scalars, reference=reference, no_reference=unknown, bindings=dict(shapes.bindings(tensors)),
        environment=environment, dropped=frozenset(), generated=plan,
    )  # fmt: skip
