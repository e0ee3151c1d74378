"""What a file's kernel is held to: eager PyTorch by the kernel's own tree, by its template or by the graph."""

from __future__ import annotations

import re

from inductor_lab.eject import helpers
from inductor_lab.eject.aten import Reference
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.file.literals import keywords, listed, tuple_of
from inductor_lab.eject.file.sizes import found_sizes, loose
from inductor_lab.eject.flex import attention, is_flex
from inductor_lab.eject.refusal import NoReference
from inductor_lab.eject.rendering import EagerReference, GraphForm, names_in, where_inputs_are
from inductor_lab.records import Kernel


def reference_of(plan: Plan) -> tuple[EagerReference | None, str]:
    """The eager reference; None, with the reason, where there is none. A template's is the graph's own form."""
    if plan.kernel.category == "template" and plan.graph_form is not None:
        return _by_graph(plan, plan.graph_form), ""
    found = plan.reference
    if found is None:
        if is_flex(plan.kernel):
            return _flex(plan)
        reason = _in_its_names(plan.no_reference, plan)
        return None, f"{reason}{f', and {plan.no_form}' if plan.kernel.category == 'template' else ''}"
    if set(found.written) != {tensor.parameter for tensor in plan.written}:
        return None, "it writes through more pointers than its stores tell"
    named = names_in(*found.lines, *found.results)
    telling = {
        where.partition(".")[0] for symbol, where in plan.bindings.items() if symbol in named
    }  # a size may be an output's alone
    takes = [
        tensor.name for parameter, tensor in plan.tensors.items() if parameter in found.takes or tensor.name in telling
    ]
    return EagerReference(
        tuple(helpers.eager_text(name) for name in found.helpers), tuple(takes), ", ".join([*takes, *keywords(loose(plan))]),
        (*found_sizes(plan, named), *where_inputs_are(takes, found.lines)), tuple_of(where_inputs_are(takes, found.results)), _gives(plan),
    ), ""  # fmt: skip


def _flex(plan: Plan) -> tuple[EagerReference | None, str]:
    """The reference of flex attention, from its template's text."""
    try:
        form = attention(plan.kernel, plan.tensors)
    except NoReference as reason:
        return None, _in_its_names(str(reason), plan)
    return EagerReference(
        (helpers.eager_text("visits"),), form.takes, ", ".join(form.takes), form.lines, tuple_of(form.results), _gives(plan)
    ), ""  # fmt: skip


def _in_its_names(reason: str, plan: Plan) -> str:
    """A reason with the file's names for tensors in the place of the generated kernel's."""
    names = {parameter: tensor.name for parameter, tensor in plan.tensors.items()}
    return re.sub(r"`?\b(\w+)\b`?", lambda word: f"`{names[word[1]]}`" if word[1] in names else word[0], reason)


def _by_graph(plan: Plan, form: Reference) -> EagerReference:
    takes = [tensor.name for tensor in plan.tensors.values() if tensor.role != "out"]
    allowed = _tf32(plan.kernel)
    return EagerReference(
        () if allowed is None else (helpers.eager_text("tf32"),), tuple(takes), ", ".join(takes),
        where_inputs_are(takes, form.statements), tuple_of(where_inputs_are(takes, form.results)), _gives(plan), by_graph=True, tf32=allowed,
    )  # fmt: skip


def _gives(plan: Plan) -> str:
    new = [tensor.name for tensor in plan.written]
    return f"the new {listed(new)}" if new else "nothing"


def _tf32(kernel: Kernel) -> bool | None:
    """Whether the template rounds the operands of its product to TF32, which eager has to do too; None where they are not float32."""
    said = re.search(r"^\s*ALLOW_TF32\s*:.*= (True|False)$", kernel.body, re.MULTILINE)
    if said is None or all(a.dtype != "float32" for a in kernel.arguments if a.role == "in"):
        return None
    return said[1] == "True"


def graph_form_of(plan: Plan, captured: Plan) -> GraphForm | None:
    form = captured.graph_form
    if form is None or plan.kernel.category == "template":
        return None
    read = [tensor.name for tensor in plan.tensors.values() if tensor.role != "out"]
    statements, results = where_inputs_are(read, form.statements), where_inputs_are(read, form.results)
    return GraphForm(", ".join([*read, *keywords(form.sizes)]), statements, tuple_of(results))
