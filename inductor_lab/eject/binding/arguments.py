"""Binds a launch's arguments: each tensor's type, role, name and values, which share memory, and the numbers as Python.

triton_poi_fused_relu_0.run(buf0, arg1_1, 4096, ...)      in_out_ptr0: `mm`, f32[64, 64], overwritten; in_ptr0: `bias`, graph input arg1_1
.run(..., s77*64, ...)               s77 * 64
.run(..., arg2_1.item(), ...)        arg2_1_item=1, an unbacked scalar: no log tells it, so that it is a parameter of the launcher
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, replace

from inductor_lab.bind.bindings import bind, unfinished
from inductor_lab.bind.elements import span
from inductor_lab.bind.names import scratch
from inductor_lab.computation.records import Computation
from inductor_lab.computation.tree import Load, pointers
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject import naming, sizes
from inductor_lab.eject.binding.tensors import IDLE, Tensor
from inductor_lab.eject.device_functions import NAMES
from inductor_lab.eject.graph import dimension_names
from inductor_lab.eject.graph.flex_attention import LOCAL, idle
from inductor_lab.eject.inputs.solver import inputs_of_launch
from inductor_lab.eject.printing.nouns import of_output
from inductor_lab.errors import LabError
from inductor_lab.records import Argument, Graph, Kernel, Launch, LaunchArgument, Node, TensorType
from inductor_lab.records.size import Size


@dataclass(frozen=True)
class LaunchSizes:
    """The sizes of one launch, or of a span's launches, as a launcher has them: what its tensors tell, and what a caller has to."""

    environment: Mapping[str, int]
    """Symbol -> its value when this was captured, as far as it is known."""
    bindings: Mapping[str, str]
    """Symbol -> where the launcher finds it: `x.shape[0]`; only for symbolic sizes."""
    unbacked: Mapping[str, UnbackedScalar]
    """Numbers that are passed and the log does not tell: by the kernel's parameter, of a span by their names."""

    @property
    def free(self) -> dict[str, object]:
        """Numbers that no tensor tells, with what they are unless a caller passes others."""
        symbols = {symbol: value for symbol, value in self.environment.items() if symbol not in self.bindings}
        return symbols | {number.name: number.tried for number in self.unbacked.values()}

    def assignments(self, named: Container[str]) -> list[str]:
        """Statements that find the symbols that are named."""
        return [f"{symbol} = {where}" for symbol, where in self.bindings.items() if symbol in named]

    def telling(self, named: Container[str]) -> set[str]:
        """The tensors that tell symbols that are named."""
        return {where.partition(".")[0] for symbol, where in self.bindings.items() if symbol in named}


@dataclass(frozen=True)
class Arguments:
    """What a launch passes for the pointers of a kernel."""

    tensors: dict[str, Tensor]
    """By parameter, in the order of the signature."""
    workspaces: dict[str, tuple[str, int]]
    """Scratch memory that a launch clears: parameter -> dtype and elements."""
    colliding: tuple[str, ...]
    """Names of tensors that several programs may write in one place, whatever is drawn."""


def bound_arguments(
    kernel: Kernel, launch: Launch, graph: Graph, found: Computation, environment: Mapping[str, int]
) -> Arguments:
    """The tensors of a launch.

    Args:
        environment: Symbol -> its value.

    Raises:
        LabError: the shape of one is not known.
    """
    return _Binding(kernel, launch, graph, found, environment).arguments()


class _Binding:
    """The pointers of one launch on their way to tensors."""

    def __init__(
        self, kernel: Kernel, launch: Launch, graph: Graph, found: Computation, environment: Mapping[str, int]
    ) -> None:
        self.kernel, self.launch, self.graph, self.found, self.environment = kernel, launch, graph, found, environment
        self.passed = {argument.name: argument for argument in launch.arguments}
        self.symbolic: dict[str, TensorType] = {}
        self.types: dict[str, TensorType] = {}
        """The same in numbers."""
        self.workspaces: dict[str, tuple[str, int]] = {}
        for argument in (a for a in kernel.arguments if a.pointer and a.name in self.passed):
            symbolic, type_ = self._type(argument)
            if scratch(kernel, argument.name):
                dtype = (
                    argument.dtype or type_.dtype
                )  # the wrapper allocates bytes, the kernel takes them for wider numbers
                self.workspaces[argument.name] = (
                    dtype,
                    -(-(span(type_) or 0) * ITEMSIZE[type_.dtype] // ITEMSIZE[dtype]),
                )
            else:
                self.symbolic[argument.name], self.types[argument.name] = symbolic, type_
        self.held = [argument for argument in kernel.arguments if argument.name in self.types]
        self.idle = idle(kernel)
        self.roles = {a.name: "in" if a.name in self.idle else _role(a, found) for a in self.held}
        self.nodes = {node.name: node for node in graph.nodes or kernel.claim.fragment}
        self.values = self._values()
        """Parameter -> the value of the graph that it holds: before the launch where that is read, else behind it."""
        read = {pointer: node.name for pointer, node in self.values.items() if self.roles[pointer] != "out"}
        self.inputs = {pointer: graph.called[name] for pointer, name in read.items() if name in graph.called}
        """Parameter -> the graph's input that it is, of which it is known what that is in the program."""

    def arguments(self) -> Arguments:
        """The tensors, named and with what they are drawn from."""
        same = overwritten(self.roles, self.types, self.passed)
        names = self._names(same)
        drawn, asked = inputs_of_launch(self.kernel, self.found, self.types, self.environment)
        tensors = {
            pointer: Tensor(
                pointer,
                names[pointer],
                type_,
                self.roles[pointer],
                drawn.get(pointer, "normal"),
                IDLE if pointer in self.idle else naming.origin(self.values.get(pointer), self.inputs.get(pointer)),
                self.symbolic[pointer] if self.symbolic[pointer] != type_ else None,
                dimension_names.dimensions(self.values.get(pointer), self.nodes, self.symbolic[pointer]),
                asked.distinct.get(pointer, ()),
                names.get(same.get(pointer, ""), ""),
                self.inputs.get(pointer),
            )
            for pointer, type_ in self.types.items()
        }
        return Arguments(tensors, self.workspaces, tuple(names[pointer] for pointer in asked.colliding))

    def _type(self, argument: Argument) -> tuple[TensorType, TensorType]:
        """(as the launch has it, in numbers). Where the text tells no shape: as many elements as the kernel's addresses reach."""
        kernel, passed = self.kernel, self.passed[argument.name]
        if passed.type is not None:
            try:
                return passed.type, sizes.fixed(passed.type, self.environment)
            except ValueError as error:
                raise LabError(
                    f"{kernel.id} ({kernel.name}): the shape of {argument.name} is not known: {error}"
                ) from error
        jobs = [(part, access) for part in self.found.every() for access in part.accesses]
        boxes = [part.box(access) for part, access in jobs if access.pointer == argument.name]
        if not boxes or None in boxes:
            raise LabError(
                f"{kernel.id} ({kernel.name}): the text tells no shape of {argument.name} ({passed.value}), and its addresses depend on data"
            )
        type_ = TensorType(argument.dtype, (max(box.start + box.span for box in boxes if box is not None),), (1,))
        return type_, type_

    def _values(self) -> dict[str, Node]:
        tied = bind(self.kernel, self.launch, self.nodes, self.graph.outputs, self.found)
        before = naming.known_nodes(self.nodes, tied.read, tied.likely)
        before = {pointer: node for pointer, node in before.items() if not unfinished(node, self.kernel)}
        after = naming.known_nodes(self.nodes, tied.written, tied.likely)
        held = {pointer: (after if role == "out" else before).get(pointer) for pointer, role in self.roles.items()}
        return {pointer: node for pointer, node in held.items() if node is not None}

    def _names(self, same: Mapping[str, str]) -> dict[str, str]:
        """Parameter -> the tensor's name: as the program calls it, else as the graph does, else by what the kernel does with it.

        Args:
            same: Parameter that is written -> the one of the same memory that is read.
        """
        names: dict[str, str] = {}
        taken, uses = {*naming.RESERVED, *NAMES}, naming.Uses.of(self.found)
        made, in_place = naming.library_calls(self.graph.module)
        of_the_program = naming.of_the_program(self.inputs, taken | LOCAL | self.nodes.keys())
        others = {node.name for node in self.values.values()}
        several = len([role for role in self.roles.values() if role != "in"]) > 1
        for argument in self.held:
            pointer, node = argument.name, self.values.get(argument.name)
            wanted = of_the_program.get(pointer, "")
            if not wanted or wanted in taken:
                calls = in_place if pointer.startswith("in_out_ptr") else made
                type_, passed = self.types[pointer], self.passed[pointer]
                wanted = naming.tensor_name(self.kernel, argument, passed, type_, uses, node, calls, self.nodes)
            if (
                node is not None and wanted in others and node.name.startswith(f"{wanted}_default")
            ):  # the other is `amax`
                wanted = node.name
            if wanted == "out" and several:
                wanted = of_output(self.found, pointer) or wanted
            memory = names.get(same.get(pointer, ""))
            names[pointer] = naming.unique(f"{memory}_new" if memory and wanted == "out" else wanted, taken)
        return names


# ------------------------------------------------------------ roles


def overwritten(
    roles: Mapping[str, str], types: Mapping[str, TensorType], passed: Mapping[str, LaunchArgument]
) -> dict[str, str]:
    """Parameter that is written -> the one before it that is read, where a launch passes the same tensor for both, as batch norm's running mean is:
    a kernel that stores before it has loaded reads what it stored.

    The same expression of the wrapper is the same tensor. Two views of one storage are not: they may lie apart in it.

    Args:
        roles: By parameter, in the order of the signature: `in`, `out` or `inout`.
    """
    read: dict[tuple[str, TensorType], str] = {}
    found: dict[str, str] = {}
    for name, role in roles.items():
        memory = passed[name].value, types[name]
        if role == "in":
            read[memory] = name
        elif memory in read:
            found[name] = read[memory]
    return found


def _role(argument: Argument, found: Computation) -> str:
    """`out` for what is stored and never loaded; what is added to atomically is read."""
    kinds = {access.kind for part in found.every() for access in part.accesses if access.pointer == argument.name}
    if not kinds:
        return argument.role
    stored, read = bool(kinds - {"load"}), "load" in kinds or any(kind.startswith("atomic") for kind in kinds)
    return "inout" if stored and read else "out" if stored else "in"


def settled(tensors: Mapping[str, Tensor], found: Computation, needed: Collection[str] | None) -> dict[str, Tensor]:
    """The tensors with their roles, and poison in the outputs: of an output nothing may matter that it held before.

    Args:
        needed: The pointers whose content the reference needs; None where there is no reference.
    """
    made: dict[str, Tensor] = {}
    for parameter, tensor in tensors.items():
        role = tensor.role if tensor.role == "in" else _written(tensor, found, needed)
        made[parameter] = replace(tensor, role=role, fill="out" if role == "out" else tensor.fill)
    return made


def _written(tensor: Tensor, found: Computation, needed: Collection[str] | None) -> str:
    """`out`, `inout` or `part` for what is written."""
    if needed is not None and tensor.parameter not in needed:
        return "out"
    if tensor.role == "inout" and (needed is None or _read_first(tensor.parameter, found)):
        return "inout"
    return "part" if _leaves_a_rest(tensor, found, counted=needed is not None) else "out"


def _read_first(pointer: str, found: Computation) -> bool:
    """Whether it is loaded, or added to, before anything is stored there."""
    for job in found.every():
        for access in job.accesses:
            loaded = access.value if isinstance(access.value, Load) else None
            if access.pointer == pointer and access.kind != "store" and (loaded is None or loaded.version == 0):
                return True
    return False


def _leaves_a_rest(tensor: Tensor, found: Computation, *, counted: bool) -> bool:
    """Whether some of a tensor stays as it was: data decides where or whether is stored, or fewer elements are than there are.

    Args:
        counted: Whether to count elements: a tree that tells no reference does not tell them either.
    """
    written: int | None = 0
    for job in found.every():
        for access in job.stores:
            if access.pointer != tensor.parameter:
                continue
            if access.gathered or (access.mask is not None and pointers(access.mask)):
                return True
            box = job.box(access)
            written = None if box is None or written is None else written + box.count
    return counted and written is not None and written < tensor.numel()


LONGEST = 40
"""Characters of a name."""


@dataclass(frozen=True)
class UnbackedScalar:
    """A number that a launch passes and no log tells: the value of a tensor of one element, `arg2_1.item()`."""

    name: str
    """The launcher's parameter, `arg2_1_item`."""
    text: str
    """What the module passes."""
    tried: str
    """The value that it has unless a caller passes another."""

    def comment(self) -> str:
        return f"{self.text}: the log does not tell it, {self.tried} is tried"


def scalars(
    kernel: Kernel, launch: Launch, environment: Mapping[str, int], known: Mapping[str, int], taken: set[str]
) -> tuple[dict[str, str], dict[str, UnbackedScalar]]:
    """Parameter -> the launcher's text for a number that is passed, and those of them that the log does not tell.

    Args:
        environment: Symbol -> its value; the symbols that the launcher finds in its tensors.
        known: Those of which the graph tells the value.
        taken: Names that nothing else may have.
    """
    passed = {argument.name: argument.value for argument in launch.arguments}
    arguments = {a.name: a for a in kernel.arguments if a.role == "size" and a.name in passed}
    told = {name: _python(passed[name], environment, known) for name in arguments}
    unbacked = _unbacked(
        {name: passed[name] for name, text in told.items() if text is None},
        arguments,
        taken | naming.RESERVED | NAMES | set(environment),
    )
    return {name: unbacked[name].name if text is None else text for name, text in told.items()}, unbacked


def _python(text: str, environment: Mapping[str, int], known: Mapping[str, int]) -> str | None:
    """A number that the launch passes, as Python over the symbols; None for a value of the program's run."""
    if re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", text):
        return text
    named = re.sub(
        r"\b[A-Za-z_]\w*\b",
        lambda found: str(known[found[0]]) if found[0] in known and found[0] not in environment else found[0],
        text,
    )
    try:
        size = Size.of(named)
        size.bound(environment)
    except ValueError:
        return None
    return size.python


def _unbacked(
    passed: Mapping[str, str], arguments: Mapping[str, Argument], taken: set[str]
) -> dict[str, UnbackedScalar]:
    """A name and a value for each, by parameter; what is passed twice has one name.

    Args:
        passed: Parameter -> the module's text.
        arguments: The kernel's own, by name.
        taken: Names that nothing else may have.
    """
    found: dict[str, UnbackedScalar] = {}
    named: dict[tuple[str, str], str] = {}
    for parameter, text in passed.items():
        tried = _tried(arguments[parameter].dtype)
        if (text, tried) not in named:
            named[text, tried] = naming.unique(re.sub(r"\W+", "_", text).strip("_")[:LONGEST], taken)
        found[parameter] = UnbackedScalar(named[text, tried], text, tried)
    return found


def _tried(dtype: str) -> str:
    """A number that neither leaves others as they are nor makes them 0, where there is such a one."""
    return "0.5" if "float" in dtype else "True" if dtype == "bool" else "1"


def numels(found: Computation, scalars: Mapping[str, str], environment: Mapping[str, int]) -> dict[str, int]:
    """`xnumel`, `r0_numel` ... in numbers, of several jobs the largest; without those that a size of unknown value decides."""
    numels: dict[str, int] = {}
    for part in found.every():
        for axis, numel in part.numel.items():
            text = scalars.get(f"{axis}numel", str(numel)) if not isinstance(numel, int) else str(numel)
            try:
                numels[f"{axis}numel"] = max(numels.get(f"{axis}numel", 0), Size.of(text).bound(environment))
            except ValueError:
                continue
    return numels
