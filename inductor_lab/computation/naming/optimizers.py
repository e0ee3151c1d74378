"""Steps of optimizers, by what becomes of a parameter."""

from __future__ import annotations

from inductor_lab.computation.naming.match import Asked
from inductor_lab.computation.naming.normal import Normal
from inductor_lab.computation.naming.terms import Call, Leaf, Number, close, value_of, walk
from inductor_lab.computation.naming.written import written
from inductor_lab.computation.records import Computation

MOMENTS = {
    "a": "m + g * alpha", "b": "v + g ** 2 * beta", "m": "one addend, loaded", "v": "one addend, loaded",
}  # fmt: skip
ROLES = {"p": "param", "v": "exp_avg_sq", "g": "grad", "m": "exp_avg"}
"""A variable of a step -> torch's word for it."""
STEPS = (
    written("adamw_step", "p * c + k * a / (q * sqrt(b) + eps)", where=MOMENTS, p="loaded", c="below 1", inputs=()),
    written("adam_step", "p + k * a / (q * sqrt(b) + eps)", where=MOMENTS, p="one addend, loaded", inputs=()),
)
ROWS = (
    *STEPS,
    written("moving_average", "m * alpha + g * beta", m="loaded", alpha="below 1", beta="below 1", held="alpha + beta = 1",
            when="where the comment names a lerp or an optimizer's operator", words="moving average", alone=True, inputs=()),
)  # fmt: skip


def roles(job: Computation) -> dict[str, str]:
    """Pointer -> what it is to a step of Adam's or AdamW's, by torch's words: `param`, `grad`, `exp_avg`, `exp_avg_sq`, `step`.

    Empty for a job that is none; without the gradient where something is added to it first.
    """
    asked = Asked(Normal(job), frozenset(), "unknown", {})
    for value in (asked.normal.of(store.value) for store in job.stores if store.value is not None):
        for found in (match.bound for row in STEPS if (match := row.find(value, asked))):
            told = {found[name]: role for name, role in ROLES.items()}
            decay = 1 / (1 + (value_of(found["beta"]) or 0.0))
            for each in walk(value):
                match each:
                    case Call(name="pow", of=(Number(value=base), Leaf() as power)) if close(base, decay):
                        told[power] = "step"
            return {leaf.pointer: role for leaf, role in told.items() if isinstance(leaf, Leaf)}
    return {}
