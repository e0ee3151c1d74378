"""What an ejected file is made of: one kernel and one launch of it, every tensor and size bound, before anything is printed."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inductor_lab.annotate.naming import Namer, Naming
from inductor_lab.aten import VIEWS
from inductor_lab.bind.bindings import bind, unfinished
from inductor_lab.bind.names import scratch
from inductor_lab.computation import computation, product
from inductor_lab.computation.records import Computation
from inductor_lab.dtypes import ITEMSIZE
from inductor_lab.eject import config, naming, sizes
from inductor_lab.eject.device_functions import NAMES
from inductor_lab.eject.distinct import differing
from inductor_lab.eject.eager import Eager, NoReference, eager
from inductor_lab.eject.from_the_end import from_the_end
from inductor_lab.eject.graph import Reference, aten, dimension_names
from inductor_lab.eject.graph.flex_attention import LOCAL, idle
from inductor_lab.eject.graph_sizes import told
from inductor_lab.eject.inputs import inputs
from inductor_lab.eject.overwriting import overwritten
from inductor_lab.eject.refusal import NoGraphForm
from inductor_lab.eject.roles import settled
from inductor_lab.eject.sizes import Dim
from inductor_lab.eject.tensors import IDLE, Tensor, TensorView
from inductor_lab.eject.triton import subkernel_tables
from inductor_lab.eject.triton.nouns import of_output
from inductor_lab.eject.triton.subkernel_tables import Table
from inductor_lab.eject.untold import Untold, untold
from inductor_lab.errors import LabError
from inductor_lab.records import Argument, Capture, Graph, Kernel, Launch, LaunchArgument, TensorType
from inductor_lab.spans import unread


@dataclass(frozen=True)
class Plan:
    """A kernel ready to be printed."""

    capture: Capture
    kernel: Kernel
    launch: Launch
    graph: Graph
    found: Computation
    tensors: Mapping[str, Tensor]
    """By parameter, in the order of the signature; workspaces are not among them."""
    workspaces: Mapping[str, tuple[str, int]]
    """Scratch memory that a launch clears: parameter -> dtype and elements."""
    scalars: Mapping[str, str]
    """Parameter -> the launcher's text for a number that is passed: `s77`, `4096`."""
    untold: Mapping[str, Untold]
    """Those of them that the log does not tell."""
    guessed: frozenset[str]
    """Symbols of which the log tells no value."""
    bindings: Mapping[str, str]
    """Symbol -> where the launcher finds it: `x.shape[0]`; only for symbolic sizes."""
    environment: Mapping[str, int]
    """Symbol -> its value when this was captured, as far as it is known."""
    numels: Mapping[str, int]
    """`xnumel`, `r0_numel` ... in numbers."""
    config: Mapping[str, int]
    interpreter: Mapping[str, int]
    dropped: frozenset[str]
    """Axes whose mask Inductor dropped."""
    graph_form: Reference | None
    """The graph's own ATen form, where it reads what the kernel reads."""
    no_form: str
    """Why there is none."""
    reference: Eager | None
    """What the kernel must equal, in eager PyTorch."""
    no_reference: str
    """Why there is none."""
    colliding: tuple[str, ...]
    """Tensors that several programs may write in one place, whatever is drawn."""
    words: Sequence[str]
    """What it computes, in a few names of operators."""
    name: str
    table: Table | None = None
    """Its jobs, where they are many and of few kinds."""
    generated: Plan | None = None
    """The plan of the generated kernel, where this one is for more sizes than that is."""
    unread: tuple[str, ...] = ()
    """Names of what is written, and nobody reads behind any launch."""

    @property
    def written(self) -> tuple[Tensor, ...]:
        return tuple(tensor for tensor in self.tensors.values() if tensor.role != "in")


def plan(capture: Capture, kernel: Kernel) -> Plan:
    """Plan one kernel by its first launch.

    Raises:
        LabError: it was never launched, or what its launch passes can not be worked out.
    """
    if not kernel.launches:
        raise LabError(f"{kernel.id} ({kernel.name}) is defined but never launched, so its shapes are unknown")
    launch = kernel.launches[0]
    graph = next(graph for graph in capture.graphs if graph.id == launch.graph)
    found = _computation(kernel)
    known = sizes.hints(graph)
    passed = {argument.name: argument for argument in launch.arguments}
    pointers = {argument.name for argument in kernel.arguments if argument.pointer}
    telling = [a for a in launch.arguments if a.type is not None or a.name not in pointers]
    environment = sizes.environment(sizes.symbols(telling), known)
    tensors, workspaces, colliding = _tensors(kernel, launch, graph, found, passed, environment)
    tensors, kinds = (tensors, []) if colliding or workspaces else subkernel_tables.named(found, tensors)
    bindings = told(tensors.values(), environment)
    scalars, missing = _scalars(kernel, passed, environment, known, {tensor.name for tensor in tensors.values()})
    tried = {number.name: int(number.tried) for number in missing.values() if number.tried.isdigit()}
    numels = _numels(found, scalars, environment | tried)
    dropped = frozenset(axis.name for part in found.every() for axis in part.schedule.axes if not axis.masked)
    reserved = {tensor.name for tensor in tensors.values()} | naming.RESERVED | NAMES
    guessed = frozenset(environment.keys() - known.keys())
    reference, unknown = referenced(kernel, found, tensors, scalars)
    tensors = settled(tensors, found, reference.takes if reference else None)
    table = None if scalars else subkernel_tables.table(kernel, kinds, tensors, scalars)
    form, why = _graph_form(kernel, launch, graph, found, tensors, known | environment)
    words = _words(Namer(capture).name(kernel), form.operators if form else (), kernel)
    return Plan(
        capture, kernel, launch, graph, found, tensors, workspaces, scalars, missing, guessed, bindings, environment, numels,
        config.first_config(kernel, numels), config.interpreter_config(kernel, numels, dropped), dropped,
        form, why, reference, unknown, colliding, words, naming.function_name(words, reserved, kernel.category),
        table=table, unread=tuple(tensors[pointer].name for pointer in unread(capture, kernel) if pointer in tensors),
    )  # fmt: skip


def _words(named: Naming, operators: Sequence[str], kernel: Kernel) -> Sequence[str]:
    """What the kernel's title consists of; of an expression the graph's operators, where what is recognised in it is one of them: a GELU
    written out is none."""
    if kernel.title not in {"", named.title}:  # an older version's, by which `list` and `show` call it
        return kernel.recognised or naming.operations(kernel.ops)
    if kernel.category == "template" and len(named.words) == 1:  # a product, and what is done to it before it is stored
        return naming.operations([*named.words, *(name for name in operators if name not in VIEWS)])
    if named.words:
        return named.words
    if len(operators) == 1 or (operators and set(named.recognised) <= set(operators)):
        return naming.operations(operators)
    return named.recognised or naming.operations(kernel.ops)


def whole(plan: Plan) -> Plan:
    """The plan by elements and rows, however Inductor's programs share them: a cooperative reduction for one program a row, a product as a sum.

    Raises:
        ValueError: it is a template that is not read so.
    """
    if plan.kernel.category == "template":
        found = product(plan.kernel)
        passed = {f"{axis}numel": plan.scalars[str(size)] for axis, size in found.numel.items() if size in plan.scalars}
        return dataclasses.replace(
            plan, found=found, numels=_numels(found, {**plan.scalars, **passed}, plan.environment)
        )
    return dataclasses.replace(plan, found=computation(plan.kernel, alone=True)) if plan.workspaces else plan


def _graph_form(
    kernel: Kernel,
    launch: Launch,
    graph: Graph,
    found: Computation,
    tensors: Mapping[str, Tensor],
    environment: Mapping[str, int],
) -> tuple[Reference | None, str]:
    try:
        return aten(kernel, launch, graph, found, tensors, environment, naming.RESERVED), ""
    except NoGraphForm as reason:
        return None, str(reason)
    except (KeyError, SyntaxError) as place:
        return None, f"the graph's text can not be followed at {place}"


def _computation(kernel: Kernel) -> Computation:
    try:
        return computation(kernel)
    except ValueError as error:
        raise LabError(f"{kernel.id} ({kernel.name}) can not be ejected: {error}") from error


def _tensors(
    kernel: Kernel,
    launch: Launch,
    graph: Graph,
    found: Computation,
    passed: Mapping[str, LaunchArgument],
    environment: Mapping[str, int],
) -> tuple[dict[str, Tensor], dict[str, tuple[str, int]], tuple[str, ...]]:
    nodes = {node.name: node for node in graph.nodes or kernel.claim.fragment}
    tied = bind(kernel, launch, nodes, graph.outputs, found)
    before = naming.known_nodes(nodes, tied.read, tied.likely)
    before = {p: node for p, node in before.items() if not unfinished(node, kernel)}
    after = naming.known_nodes(nodes, tied.written, tied.likely)
    pointers = [a for a in kernel.arguments if a.pointer and a.name in passed]
    types: dict[str, tuple[TensorType, TensorType | None]] = {}
    workspaces: dict[str, tuple[str, int]] = {}
    for argument in pointers:
        symbolic, type_ = _type(kernel, argument, passed[argument.name], found, environment)
        if scratch(kernel, argument.name):
            dtype = (
                argument.dtype or type_.dtype
            )  # the wrapper allocates bytes, the kernel takes them for wider numbers
            workspaces[argument.name] = (dtype, -(-_span(type_) * ITEMSIZE[type_.dtype] // ITEMSIZE[dtype]))
        else:
            types[argument.name] = (type_, symbolic if symbolic != type_ else None)
    fixed = {name: type_ for name, (type_, _) in types.items()}
    drawn = _untraced(kernel, fixed) | inputs(found, fixed, environment)
    asked = differing(found, fixed, drawn, environment)
    both_ways = from_the_end(kernel, found, drawn, environment)
    drawn |= {name: fill for name, fill in both_ways.items() if name not in asked.along}
    uses = naming.Uses.of(found)
    taken, left = {*naming.RESERVED, *NAMES}, idle(kernel)
    made, in_place = naming.library_calls(graph.module)
    tensors: dict[str, Tensor] = {}
    held = [argument for argument in pointers if argument.name in types]
    roles = {argument.name: "in" if argument.name in left else _role(argument, found) for argument in held}
    same = overwritten(roles, fixed, passed)
    read = {a.name: before[a.name].name for a in held if roles[a.name] != "out" and a.name in before}
    called = {pointer: graph.called[name] for pointer, name in read.items() if name in graph.called}
    of_the_program = naming.of_the_program(called, taken | LOCAL | nodes.keys())
    of = {a.name: node for a in held if (node := (before if roles[a.name] != "out" else after).get(a.name))}
    others = {node.name for node in of.values()}
    for argument in held:
        type_, open_type = types[argument.name]
        role = roles[argument.name]
        node = of.get(argument.name)
        wanted = of_the_program.get(argument.name, "")
        if not wanted or wanted in taken:
            calls = in_place if argument.name.startswith("in_out_ptr") else made
            wanted = naming.tensor_name(kernel, argument, passed[argument.name], type_, uses, node, calls, nodes)
        if node is not None and wanted in others and node.name.startswith(f"{wanted}_default"):  # the other is `amax`
            wanted = node.name
        if wanted == "out" and len([role for role in roles.values() if role != "in"]) > 1:
            wanted = of_output(found, argument.name) or wanted
        memory = tensors.get(same.get(argument.name, ""))
        name = naming.unique(f"{memory.name}_new" if memory and wanted == "out" else wanted, taken)
        fill, distinct = drawn.get(argument.name, "normal"), asked.along.get(argument.name, ())
        fill = fill[:2] if distinct and isinstance(fill, tuple) else fill
        told = dimension_names.dimensions(node, nodes, open_type or type_)
        tensors[argument.name] = Tensor(
            argument.name,
            name,
            type_,
            role,
            fill,
            IDLE if argument.name in left else naming.origin(node, called.get(argument.name)),
            open_type,
            told,
            distinct,
            memory.name if memory else "",
            called.get(argument.name),
        )
    return tensors, workspaces, tuple(tensors[parameter].name for parameter in asked.colliding)


def _untraced(kernel: Kernel, types: Mapping[str, TensorType]) -> dict[str, tuple[int, int]]:
    """Whole numbers of a kernel whose addresses no tree tells, a template's or a user's: small, since they may be places and counts.

    Flex attention walks over so many blocks (`KV_NUM_BLKS`), at these places (`KV_IDX`): one or two of those that there are, and none of the
    full ones at times.
    """
    if kernel.category not in {"template", "user_autotune"}:
        return {}
    drawn = {name: (0, 2) for name, type_ in types.items() if "int" in type_.dtype}
    for name in [name for name in drawn if name.endswith("_IDX") and types[name].shape]:
        blocks, counts = int(types[name].shape[-1]), f"{name.removesuffix('_IDX')}_NUM_BLKS"
        drawn |= {name: (0, max(blocks, 1))} | (
            {counts: (int(not name.startswith("arg_FULL_")), min(blocks, 2) + 1)} if counts in drawn else {}
        )
    return drawn


def _role(argument: Argument, found: Computation) -> str:
    """`out` for what is stored and never loaded; what is added to atomically is read."""
    kinds = {access.kind for part in found.every() for access in part.accesses if access.pointer == argument.name}
    if not kinds:
        return argument.role
    stored, read = bool(kinds - {"load"}), "load" in kinds or any(kind.startswith("atomic") for kind in kinds)
    return "inout" if stored and read else "out" if stored else "in"


def referenced(
    kernel: Kernel, found: Computation, tensors: Mapping[str, Tensor], scalars: Mapping[str, str]
) -> tuple[Eager | None, str]:
    """The eager reference; None, with the reason, where there is none."""
    views = {name: TensorView(tensor.name, tensor.symbolic or tensor.type) for name, tensor in tensors.items()}
    try:
        return eager(kernel, found, views, scalars), ""
    except NoReference as reason:
        return None, str(reason)


def _type(
    kernel: Kernel, argument: Argument, passed: LaunchArgument, found: Computation, environment: Mapping[str, int]
) -> tuple[TensorType, TensorType]:
    """(as the launch has it, in numbers). Where the text tells no shape: as many elements as the kernel's addresses reach."""
    if passed.type is not None:
        try:
            return passed.type, sizes.fixed(passed.type, environment)
        except ValueError as error:
            raise LabError(
                f"{kernel.id} ({kernel.name}): the shape of {argument.name} is not known: {error}"
            ) from error
    boxes = [part.box(access) for part in found.every() for access in part.accesses if access.pointer == argument.name]
    if not boxes or None in boxes:
        raise LabError(
            f"{kernel.id} ({kernel.name}): the text tells no shape of {argument.name} ({passed.value}), and its addresses depend on data"
        )
    reach = max(box.start + box.span for box in boxes if box is not None)
    type_ = TensorType(argument.dtype, (reach,), (1,))
    return type_, type_


def _span(type_: TensorType) -> int:
    return 1 + sum((int(size) - 1) * int(step) for size, step in zip(type_.shape, type_.stride, strict=True))


def _scalars(
    kernel: Kernel,
    passed: Mapping[str, LaunchArgument],
    environment: Mapping[str, int],
    known: Mapping[str, int],
    taken: set[str],
) -> tuple[dict[str, str], dict[str, Untold]]:
    """The numbers that the launch passes, and those of them that the log does not tell."""
    arguments = {a.name: a for a in kernel.arguments if a.role == "size" and a.name in passed}
    told = {name: _scalar(passed[name].value, environment, known) for name in arguments}
    texts = {name: passed[name].value for name, text in told.items() if text is None}
    missing = untold(texts, arguments, taken | naming.RESERVED | NAMES | set(environment))
    return {name: missing[name].name if text is None else text for name, text in told.items()}, missing


def _scalar(text: str, environment: Mapping[str, int], known: Mapping[str, int]) -> str | None:
    """A number that the launch passes, as Python over the symbols; None for a value of the program's run."""
    if re.fullmatch(r"-?\d+(\.\d*)?(e-?\d+)?", text):
        return text
    named = re.sub(
        r"\b[A-Za-z_]\w*\b",
        lambda found: str(known[found[0]]) if found[0] in known and found[0] not in environment else found[0],
        text,
    )
    try:
        Dim(named).bound(environment)
    except ValueError:
        return None
    return sizes.python(named)


def _numels(found: Computation, scalars: Mapping[str, str], environment: Mapping[str, int]) -> dict[str, int]:
    numels: dict[str, int] = {}
    for part in found.every():
        for axis, numel in part.numel.items():
            text = scalars.get(f"{axis}numel", str(numel)) if not isinstance(numel, int) else str(numel)
            try:
                numels[f"{axis}numel"] = max(numels.get(f"{axis}numel", 0), Dim(text).bound(environment))
            except ValueError:
                continue
    return numels
