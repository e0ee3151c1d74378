"""Names for the tensors of an ejected file: from the model where a match is certain, else from their use in the kernel."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.aten import VIEWS
from inductor_lab.bind.dependencies import operator
from inductor_lab.bind.names import full_name, term
from inductor_lab.computation import groups
from inductor_lab.computation.folds import plain
from inductor_lab.computation.records import Computation
from inductor_lab.computation.schedule import Access
from inductor_lab.computation.text import DRAWN
from inductor_lab.computation.tree import Broadcast, Cast, Constant, Expression, Load, Operation, pointers, walk
from inductor_lab.records import Argument, Input, Kernel, LaunchArgument, Node, TensorType

RESERVED = frozenset(
    {
        "tl", "triton", "torch", "math", "sys", "inspect", "types", "launch", "launch_generated", "reference", "eager", "generated", "check", "cases", "hold",
        "tensors", "filled", "apart", "expected", "distance", "grid", "num_warps", "num_stages", "numel", "libdevice", "triton_helpers", "tl_math", "any",
        "sum", "max", "min", "input", "row", "column", "offset", "rows", "columns", "x_size", "y_size", "z_size", "all", "x", "y", "z", "r", "R", "inside",
        "device", "DEVICE", "ORIGIN", "ARGUMENTS", "arguments", "TAKES", "memory", "at", "put", "bits", "philox", "WRITTEN", "UNREAD", "SIZES", "BYTES",
        "range", "float", "int", "bool", "slice", "str", "job", "jobs", "job_reference", "reads", "writes", "given", "JOBS", "ROWS",
        "drawn", "wide", "valid_values", "whole_numbers", "WORDS",
    }
)  # fmt: skip
"""Names that mean something else in the file."""
OF_THE_KERNEL = frozenset({"tl", "triton", "torch", "libdevice", "triton_helpers", "tl_math", "float", "int", "range"})
"""Names that a kernel's own text uses otherwise."""
LONGEST = 32
"""Characters of a tensor's name that is taken from the program."""
MOST_WORDS = 5
"""Operations in a function's name."""
TELLS_NOTHING = re.compile(
    r"(getitem|view|permute|transpose|clone|select|slice|reshape|expand|_unsafe_view|alias|convert_element_type|unsqueeze|squeeze)(_\d+)?$|buf\d+$|arg\d+_\d+$|primals_\d+$"
)

REUSED = re.compile(r"\s*(\w+) = (?:reinterpret_tensor\()?(\w+).*# reuse$")


def numbered(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """A name that is not taken: the wanted one, else with a number."""
    name, number = wanted, 2
    while is_taken(name):
        name, number = f"{wanted}_{number}", number + 1
    return name


def unique(wanted: str, taken: set[str]) -> str:
    """A Python name that is not taken yet, and now is."""
    wanted = re.sub(r"\W", "_", wanted).strip("_").lower() or "tensor"
    if keyword.iskeyword(wanted) or wanted[0].isdigit():
        wanted = f"{wanted}_"
    name = numbered(wanted, lambda name: name in taken or keyword.iskeyword(name))
    taken.add(name)
    return name


def of_the_program(called: Mapping[str, Input], taken: Collection[str]) -> dict[str, str]:
    """Pointer -> the end of its name in the program, as long as tells it from the others': `norm_weight` beside `up_weight`, else `weight`.

    What has no such name of `LONGEST` characters is left out.

    Args:
        called: Of the pointers that hold inputs of the graph.
        taken: Names that mean something else.
    """
    words = {pointer: re.findall(r"\w+", term(one).lower()) for pointer, one in called.items()}
    found: dict[str, str] = {}
    for pointer, own in words.items():
        ends = ["_".join(own[-count:]) for count in range(1, len(own) + 1)]
        others = [
            ["_".join(other[-count:]) for count in range(1, len(other) + 1)]
            for p, other in words.items()
            if p != pointer
        ]
        apart = (end for end in ends if not any(end in each for each in others))
        fit = (end for end in apart if end.isidentifier() and not keyword.iskeyword(end) and end not in taken)
        if (name := next(fit, "")) and len(name) <= LONGEST:
            found[pointer] = name
    return found


def tensor_name(
    kernel: Kernel,
    argument: Argument,
    passed: LaunchArgument,
    type_: TensorType,
    uses: Uses,
    node: Node | None,
    calls: Mapping[str, str],
    nodes: Mapping[str, Node],
) -> str:
    """A name for one pointer of a launch.

    Args:
        node: The value of the graph that it holds, where that is certain.
        calls: Buffer -> the library call that made what it holds.
        nodes: Of the graph.
    """
    if node is not None:
        told = kernel.claim.user_names.get(node.name, "") if argument.role != "in" else ""
        told = result_of_call(node, nodes, told) if told else ""
        plain = re.sub(r"_default(?=_|$)", "", node.name).replace("tangents_", "grad_out_")
        if told or (node.target != "placeholder" and not TELLS_NOTHING.match(plain)):
            return told or plain
        if node.target == "placeholder" and not re.match(r"(arg\d+|primals)_\d+$", node.name):
            return plain
    if argument.name == groups.LEFT:
        return "partial_sums"
    buffer = passed.value.removeprefix("reinterpret_tensor(").partition(",")[0]
    made = calls.get(buffer, "") if argument.role != "out" else ""
    if made:
        return made
    role = _role(argument, type_, uses, kernel.category)
    if role:
        return role
    if argument.role == "out":
        return "out"
    value = buffer if buffer.isidentifier() else passed.storage or "view"
    return re.sub(r"_1$", "", value) if re.match(r"arg\d+_1$", value) else value


def result_of_call(node: Node, nodes: Mapping[str, Node], call: str) -> str:
    """The name of the program's call that a node is the result of; empty where it may be a step on the way, or the name says its operator only.

    The name stands beside each ATen node of the call: the log in a cross-entropy is no `loss`. On the way is what the same line goes on with;
    where no line is known, as of a linear layer's bias that autocast rounds, it may be any.
    """
    if node.source is None or re.sub(r"_\d+$", "", call) == operator(node):
        return ""
    seen, waiting = {node.name}, [node.name]
    while waiting:
        of = waiting.pop()
        for user in nodes.values():
            if of in user.arguments and user.name not in seen and user.source == node.source:
                if operator(user) not in VIEWS:
                    return ""
                seen.add(user.name)
                waiting.append(user.name)
    return call


def library_calls(module: str) -> tuple[dict[str, str], dict[str, str]]:
    """Buffer -> the library call of the module that makes it: `mm` of `extern_kernels.mm(..., out=buf0)`; and which made what a kernel
    overwrites, by the name that it is passed: `buf1` behind `buf1 = buf0; del buf0  # reuse`.
    """
    found: dict[str, str] = {}
    before: dict[str, str] = {}
    for line in module.splitlines():
        if reused := REUSED.match(line):
            before[reused[1]] = found.get(reused[2], "")
        head, call, rest = line.partition("extern_kernels.")
        if call:
            name = re.match(r"\w*", rest)
            out = re.search(r"\bout=(\w+)\)$", rest) or re.match(r"\s*(\w+) = $", head)
            if name and out:
                found[out[1]] = before[out[1]] = name[0]
    return found, before


@dataclass(frozen=True)
class Uses:
    """What a kernel does with its pointers."""

    addressing: frozenset[str]
    """Those whose values are part of an address."""
    chosen_from: frozenset[str]
    """Those of which other values say what is loaded."""
    operators: Mapping[str, frozenset[str]]
    """Pointer -> the operators that take what is loaded there."""
    repeated: frozenset[str]
    """Those of which each element is read at several positions: along an axis, or again after each row."""

    @classmethod
    def of(cls, found: Computation) -> Uses:
        """One walk over all its trees."""
        accesses = [access for part in found.every() for access in part.accesses]
        operators: dict[str, set[str]] = {}
        for node in walk(
            *(access.value for part in found.every() for access in part.stores if access.value is not None)
        ):
            if isinstance(node, Operation):
                constant = any(isinstance(plain(value), Constant) for value in node.inputs)
                for pointer in filter(None, map(_loaded, node.inputs)):
                    operators.setdefault(pointer, set()).add(f"{node.name} by a number" if constant else node.name)
                for turned in map(plain, node.inputs if node.name in {"sin", "cos"} else ()):
                    for pointer in filter(None, map(_loaded, turned.operands)):  # a frequency
                        operators.setdefault(pointer, set()).add(node.name)
        return cls(
            frozenset(pointer for access in accesses for pointer in pointers(*access.index.expressions())),
            frozenset(access.pointer for access in accesses if access.kind == "load" and access.gathered),
            {pointer: frozenset(names) for pointer, names in operators.items()},
            frozenset(access.pointer for part in found.every() for access in part.loads if _repeats(access, part)),
        )


def _repeats(access: Access, part: Computation) -> bool:
    """Whether other positions than one read the same element: an axis that the address leaves out, or a part of one that it takes."""
    if access.index.expressions():
        return True
    taken = {coordinate.axis: coordinate for coordinate in access.index.coordinates()}
    left_out = any(numel != 1 for axis, numel in part.numel.items() if axis not in taken)
    return left_out or any(part_.size is not None or part_.stride != 1 for part_ in taken.values())


def _role(argument: Argument, type_: TensorType, uses: Uses, category: str) -> str:
    """What a tensor is for in this kernel: an index, a table that one chooses from, a bias."""
    if argument.name in uses.addressing and "int" in type_.dtype:
        return "index"
    if argument.name in uses.chosen_from and len(type_.shape) == 2:
        return "table"
    if len(type_.shape) != 1 or argument.role != "in" or "float" not in type_.dtype:
        return ""
    if category == "foreach" or argument.name not in uses.repeated:  # one element a position: an optimizer's state
        return ""
    taken_by = uses.operators.get(argument.name, frozenset())
    return {frozenset({"mul"}): "weight", frozenset({"add"}): "bias"}.get(taken_by, "")


def _loaded(value: Expression) -> str:
    """The pointer of a load, whatever it is cast to; nothing for another value."""
    while isinstance(value, (Cast, Broadcast)):
        value = value.operand
    return value.pointer if isinstance(value, Load) else ""


def known_nodes(nodes: Mapping[str, Node], held: Mapping[str, str], likely: frozenset[str]) -> dict[str, Node]:
    """The nodes that pointers hold for certain."""
    return {parameter: nodes[name] for parameter, name in held.items() if name in nodes and parameter not in likely}


def origin(node: Node | None, called: Input | None) -> str:
    """A node as a comment tells it.

    Args:
        called: What it is in the user's program.
    """
    if called is not None:
        return f"graph input {called.name}" if called.kind == "argument" else full_name(called)
    if node is None:
        return ""
    return f"graph input {node.name}" if node.target == "placeholder" else f"{node.target} {node.name}"


CHOICES = {
    "where", "lt", "le", "gt", "ge", "eq", "ne", "unequal", "logical_not", "bitwise_not", "bitwise_and", "logical_and", "scalar_tensor",
}  # fmt: skip
"""Operations that choose and compare, which names leave out beside others."""
NO_OPERATIONS = re.compile(
    r"cast\.|load|store|assume|static_|device_|broadcast|convert_|expand_dims|reshape|promote_|float$|int$"
)
"""What moves, casts and asserts: how a kernel works, and not what it computes."""


def operations(names: Iterable[str]) -> tuple[str, ...]:
    """Operations of a graph's form, or of a body, as words for a name."""
    words = dict.fromkeys(
        DRAWN.get(name, name.removesuffix("_rn")).strip("_") for name in names if not NO_OPERATIONS.match(name)
    )
    return tuple(word for word in words if word not in CHOICES) or tuple(words)


def function_name(operators: Sequence[str], taken: set[str], category: str) -> str:
    """`add_mul_relu`: what is computed, about 40 letters of it at most; `copy` where nothing is.

    It says where there is more than it names: `mask_any_dropout_and_more`, whose fourth word is the softmax.
    """
    name, left_out = "", len(operators) > MOST_WORDS
    for word in operators[:MOST_WORDS]:
        if not name or len(name) + len(word) < 40:
            name = f"{name}_{word}" if name else word
        else:
            left_out = True
    if left_out:
        name = f"{name}_and_more"
    name = re.sub(r"\W", "_", name).strip("_") or (
        "copy" if category in {"pointwise", "foreach", "combo"} else category
    )
    if name[0].isdigit() or keyword.iskeyword(name) or name in taken:
        name = f"{name}_kernel"
    return name
