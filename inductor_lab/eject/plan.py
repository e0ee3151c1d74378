"""What an ejected file is made of: every value that the template prints, computed from one kernel and one launch of it."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inductor_lab.dtypes import SHORT
from inductor_lab.eject import config
from inductor_lab.eject.readable import Readable, rewrite
from inductor_lab.eject.reference import Reference, fills, reference
from inductor_lab.eject.values import Values, values
from inductor_lab.errors import LabError
from inductor_lab.paths import templates_folder
from inductor_lab.records import Capture, Graph, Kernel, Launch, Node, TensorType

RESERVED = {"tl", "triton", "torch", "math", "sys", "types", "launch", "reference", "generated", "check", "cases", "hold", "tensors", "filled",
            "expected", "distance", "grid", "num_warps", "numel", "libdevice", "any", "sum", "max", "min", "input", "row", "column", "offset", "rows",
            "x_size", "y_size", "all"}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """One tensor argument of the file."""

    parameter: str
    name: str
    type: TensorType
    fill: str
    """Python source of the fourth entry of ARGUMENTS."""
    role: str
    node: str

    def comment(self) -> str:
        sizes = ", ".join(map(str, self.type.shape))
        role = {"in": "", "out": "; only written", "inout": "; overwritten"}[self.role]
        return f"{SHORT.get(self.type.dtype, self.type.dtype)}[{sizes}]{_strides(self.type)}, {self.node}{role}"


@dataclass(frozen=True)
class Plan:
    """A kernel ready to be rendered."""

    capture: Capture
    kernel: Kernel
    launch: Launch
    tensors: tuple[Tensor, ...]
    written: tuple[Tensor, ...]
    reference: Reference
    sizes: Mapping[str, int]
    config: Mapping[str, int]
    interpreter: Mapping[str, int]
    tail: Mapping[str, Mapping[str, int]]
    """Blocks that do not divide the sizes, for all dimensions, on the `gpu` and in the `interpreter`."""
    dropped: frozenset[str]
    """Prefixes whose mask Inductor dropped."""
    name: str

    @property
    def read(self) -> tuple[Tensor, ...]:
        return tuple(tensor for tensor in self.tensors if tensor.role != "out")

    def readable(self) -> Readable:
        return rewrite(self.kernel, {tensor.parameter: tensor.name for tensor in self.tensors}, self.sizes)


def plan(capture: Capture, kernel: Kernel) -> Plan:
    """Plan one kernel by its first launch.

    Raises:
        LabError: it was never launched, its category or sizes are not handled, or it has no eager reference.
    """
    if not kernel.launches:
        raise LabError(f"{kernel.id} ({kernel.name}) is defined but never launched, so its shapes are unknown")
    first = config.first_config(kernel)
    launch = kernel.launches[0]
    graph = next(graph for graph in capture.graphs if graph.id == launch.graph)
    sizes = _sizes(kernel, launch)
    tied = values(kernel, launch, graph)
    tensors = _tensors(kernel, launch, tied, graph)
    names = {tensor.parameter: tensor.name for tensor in tensors}
    written = tuple(tensor for tensor in tensors if tensor.parameter in tied.written)
    eager = reference(tied, names, [tensor.parameter for tensor in written])
    dropped = frozenset(
        name.removesuffix("mask")
        for name, value in _assignments(kernel.body).items()
        if name.endswith("mask") and value.startswith("tl.full")
    )
    return Plan(
        capture, kernel, launch, tensors, written, eager, sizes, first,
        interpreter=config.interpreter_config(kernel, sizes, dropped),
        tail={where: config.tail_config(kernel, sizes, most) for where, most in (("gpu", 8192), ("interpreter", 1 << 20))},
        dropped=dropped,
        name=_function_name(eager, set(names.values()) | RESERVED | _helper_names()),
    )  # fmt: skip


def _sizes(kernel: Kernel, launch: Launch) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for argument in launch.arguments:
        if any(a.name == argument.name and a.role == "size" for a in kernel.arguments):
            if not argument.value.isdigit():
                raise LabError(
                    f"{kernel.id} ({kernel.name}) is launched with a symbolic size, {argument.name} = {argument.value}; "
                    f"eject needs numbers: capture without --dynamic"
                )
            sizes[argument.name] = int(argument.value)
    unknown = [name for name in sizes if not re.fullmatch(r"(?:[xyz]|r\d+_)numel", name)]
    if unknown:
        raise LabError(f"{kernel.id} ({kernel.name}) takes scalars that eject does not know: {', '.join(unknown)}")
    return sizes


def _assignments(body: str) -> dict[str, str]:
    statements = [
        node
        for node in ast.walk(ast.parse(body))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    ]
    return {statement.targets[0].id: ast.unparse(statement.value) for statement in statements}  # type: ignore[attr-defined]


def _tensors(kernel: Kernel, launch: Launch, tied: Values, graph: Graph) -> tuple[Tensor, ...]:
    passed = {argument.name: argument for argument in launch.arguments}
    tensors: list[Tensor] = []
    taken = set(RESERVED)
    for argument in kernel.arguments:
        if not argument.pointer or argument.name not in passed:
            continue
        parameter = argument.name
        if parameter not in tied.read and parameter not in tied.written:
            raise LabError(
                f"{kernel.id} ({kernel.name}): {parameter} is neither read nor written in a way that eject understands"
            )
        node = tied.nodes[tied.read.get(parameter) or tied.written[parameter]]
        type_ = passed[parameter].type or node.type
        if type_ is None or any(not isinstance(size, int) for size in (*type_.shape, *type_.stride)):
            raise LabError(
                f"{kernel.id} ({kernel.name}): the shape of {parameter} ({passed[parameter].value}) is not known in numbers"
            )
        type_ = _viewed(type_, node)
        role = "out" if parameter not in tied.read else "inout" if parameter in tied.written else "in"
        fill = "out" if role == "out" else fills(tied, parameter)
        name = _unique(_tensor_name(kernel, node, tied, role), taken)
        tensors.append(
            Tensor(
                parameter,
                name,
                type_,
                repr(fill) if isinstance(fill, tuple) else f'"{fill}"',
                role,
                _origin(node, role, tied, parameter),
            )
        )
    return tuple(tensors)


def _viewed(passed: TensorType, node: Node) -> TensorType:
    """The tensor as the wrapper passes it: its strides are the memory's, those of the graph may be older. Where the graph sees other
    sizes over the same contiguous memory (a product of [4096, 3072] that it reads as [4, 1024, 3072]), its own."""
    seen = node.type
    if seen is None or seen.shape == passed.shape or not (_contiguous(seen) and _contiguous(passed)):
        return passed
    return seen


def _contiguous(type_: TensorType) -> bool:
    return not _strides(type_)


def _strides(type_: TensorType) -> str:
    expected: Any = 1
    for size, step in reversed(list(zip(type_.shape, type_.stride, strict=True))):
        if size != 1 and step != expected:
            return f" with strides {list(type_.stride)}"
        expected *= size
    return ""


def _origin(node: Node, role: str, tied: Values, parameter: str) -> str:
    if node.target == "placeholder":
        return f"graph input {node.name}"
    after = tied.written.get(parameter)
    return f"{node.target} {node.name}" + (
        f", then {after}" if role == "inout" and after and after != node.name else ""
    )


def _tensor_name(kernel: Kernel, node: Node, tied: Values, role: str) -> str:
    """A name from the model where it has one, else from what the graph does with the tensor."""
    users = [user for user in tied.nodes.values() if node.name in user.arguments]
    if node.name in kernel.claim.user_names and role != "in":
        return kernel.claim.user_names[node.name]
    if node.target == "placeholder":
        for user in users:
            operator = user.target.split(".")[1] if "." in user.target else user.target
            if operator == "embedding":
                return "table" if user.arguments[0] == node.name else "index"
            if operator in {"index", "index_put", "index_put_"} and node.type and node.type.dtype == "int64":
                return "index"
            if operator == "add" and node.type and len(node.type.shape) == 1:
                return "bias"
    return re.sub(r"_default(?=_|$)", "", node.name).replace("tangents_", "grad_out_")


def _unique(wanted: str, taken: set[str]) -> str:
    wanted = re.sub(r"\W", "_", wanted).strip("_") or "tensor"
    if keyword.iskeyword(wanted) or wanted[0].isdigit():
        wanted = f"{wanted}_"
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    return name


def _helper_names() -> set[str]:
    """Functions that an ejected file may define above its kernel: `maximum`."""
    return {path.stem for path in (templates_folder() / "helpers").glob("*.py")}


def _function_name(eager: Reference, taken: set[str]) -> str:
    """`add_mul_relu`: the operators, about 40 letters of them at most; `fill` or `copy` where nothing is computed."""
    name = ""
    for operator in eager.operators:
        if len(name) + len(operator) < 40:
            name = f"{name}_{operator}" if name else operator
    name = re.sub(r"\W", "_", name).strip("_") or (
        "fill" if any("full(" in result for result in eager.results) else "copy"
    )
    return name if name not in taken and not keyword.iskeyword(name) else f"{name}_kernel"
