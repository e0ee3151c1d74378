"""Where a kernel comes from: the comments above it and above its launches, the post-grad FX graph, and Inductor's own mapping.

The comment above a kernel (`get_kernel_metadata` in torch/_inductor/utils.py, 2.2 to 2.15) is a claim: it names source nodes, ATen ops and, in
its "Graph fragment", the nodes that were fused. The graph is what `TORCH_LOGS=post_grad_graphs` prints: a Python function with the user's line
above each node. Above each launch the wrapper says the source nodes again (`Mark`) and, with provenance on, the debug handle:

    # Topologically Sorted Source Nodes: [sigmoid_1, x_3], Original ATen: [aten.sigmoid, aten.mul]
    # [Provenance debug handles] triton_poi_fused_mul_sigmoid_1:5
    raw_stream0 = get_raw_stream(0)
    triton_poi_fused_mul_sigmoid_1.run(buf3, buf4, 16384, stream=raw_stream0)

With `INDUCTOR_PROVENANCE=1` or TORCH_COMPILE_DEBUG (torch/_inductor/debug.py, 2.7 to 2.13) each graph's module is followed by artifacts that say
which post-grad nodes and which of the user's stacks each kernel was made of (`NodeMappings`):

    inductor_provenance_tracking_node_mappings        {"cppCodeToPost": {"triton_poi_fused_mul_1:3": ["mul"]}, "postToPre": {"mul": ["x_1"]}, ...}
    inductor_provenance_tracking_kernel_stack_traces  {"triton_poi_fused_mul_1:3": ["  File \\"model.py\\", line 6, in squash\\n    return ...", ...]}

The number is the launch's debug handle; 2.7 and 2.8 wrote names without one. A backward graph's mapping lists the kernels of its forward again.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from inductor_lab.read.types import fx_type
from inductor_lab.records import Claim, Node, SourceLine, TensorType

HEAD = re.compile(
    r"(?:#|//) ?(?:\w+ ){0,3}Source Nodes: \[(?P<nodes>[^\]]*)\](?:, Original ATen: \[(?P<aten>[^\]]*)\])?"
)
"""The first line of the comment above a kernel, which stands above each launch again."""
_ATEN = re.compile(r"# Original ATen: \[?(?P<aten>[\w., ]*)")
_ORIGINAL = re.compile(r"# Original path: (?P<file>.+):(?P<line>\d+)$")
_PLACEHOLDER = re.compile(r"%(?P<name>\w+) : .*?(?:\"(?P<type>[^\"]*)\")?\s*= PlaceHolder\[target=\w+\]")
_NODE = re.compile(
    r"%(?P<name>\w+)\s*:\s*(?:Tensor)?\s*(?:\"(?P<type>[^\"]*)\")?\s*(?:\[num_users=\d+\])?\s*= "
    r"call_function\[target=(?P<target>[^\]]+)\]\(args = \((?P<args>.*)\), kwargs = \{(?P<kwargs>.*)\}\)$"
)
_MAPPING = re.compile(r"(?P<user>\w+) => (?P<node>\w+)$")
_FILE = re.compile(
    r"# (?:Backward of forward node: )?File: (?P<file>.+?):(?P<line>\d+) in (?P<function>[^,]*), code: (?P<code>.*)$"
)
"""Since 2.14 a backward graph says whose backward a node is."""


def claim(comment: list[str]) -> Claim:
    """Read the comment lines above a kernel, each starting with `#`. Lines that do not fit are left out."""
    source_nodes: tuple[str, ...] = ()
    aten: tuple[str, ...] = ()
    inputs: list[str] = []
    outputs: tuple[str, ...] = ()
    fragment: list[Node] = []
    user_names: dict[str, str] = {}
    for raw in comment:
        head = HEAD.match(raw)
        if head:
            source_nodes = listed(head["nodes"])
            aten = listed(head["aten"] or "")
            continue
        if old := _ATEN.match(raw):  # 2.0: no source nodes yet
            aten = listed(old["aten"])
            continue
        line = raw.lstrip("# ").strip()
        if line.startswith("return "):
            outputs = tuple(name.strip().lstrip("%") for name in line[7:].split(","))
        elif placeholder := _PLACEHOLDER.match(line):
            if placeholder["name"] not in inputs:
                inputs.append(placeholder["name"])
                fragment.append(
                    Node(placeholder["name"], "placeholder", "", (), fx_type(placeholder["type"] or ""), None)
                )
        elif node := _NODE.match(line):
            fragment.append(_fragment_node(node))
        elif mapping := _MAPPING.match(line):
            user_names[mapping["node"]] = mapping["user"]
    nodes = tuple(node.name for node in fragment if node.target != "placeholder")
    return Claim(source_nodes, aten, tuple(inputs), nodes, outputs, tuple(fragment), user_names)


def listed(text: str) -> tuple[str, ...]:
    """The names of a list as a comment writes it, `a, b`."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _fragment_node(match: re.Match[str]) -> Node:
    """One node of a fragment, its call rewritten from FX's own notation into the Python that a post-grad graph prints."""
    positional = match["args"].rstrip().rstrip(",")
    keywords = re.sub(r"(^|, )(\w+): ", r"\1\2=", match["kwargs"])
    keywords = re.sub(r"device=([\w:]+)", r"device='\1'", keywords)
    call = f"{match['target']}({', '.join(part for part in (positional, keywords) if part)})".replace("%", "")
    names = tuple(dict.fromkeys(re.findall(r"%(\w+)", match["args"] + match["kwargs"])))
    if item := re.fullmatch(r"%(\w+), (\d+),?", match["args"].strip()):
        call = f"{item[1]}[{item[2]}]" if target(match["target"]) == "getitem" else call
    return Node(match["name"], target(match["target"]), call, names, fx_type(match["type"] or ""), None)


def target(text: str) -> str:
    """`torch.ops.aten.add.Tensor` as `aten.add.Tensor`; an operator of Python by its last word."""
    return text.removeprefix("torch.ops.") if text.startswith("torch.ops.") else text.rpartition(".")[2].strip("<>")


def graph(text: str) -> tuple[tuple[Node, ...], tuple[str, ...]]:
    """The nodes and the returned names of a printed post-grad graph.

    Raises:
        ValueError: the text holds no `def forward`, or is not Python (cut off, interleaved).
    """
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.lstrip().startswith("def forward(self")), None)
    if start is None:
        raise ValueError("no forward function in the printed graph")
    indent = len(lines[start]) - len(lines[start].lstrip())
    source = [line[indent:] if line[:indent].strip() == "" else line for line in lines[start:]]
    try:
        function = ast.parse("\n".join(source)).body[0]
    except SyntaxError as error:
        raise ValueError(f"the printed graph is not whole: {error.msg} in its line {error.lineno}") from error
    if not isinstance(function, ast.FunctionDef):
        raise ValueError("no forward function in the printed graph")
    origin = _source_lines(source)
    nodes = [
        Node(argument.arg, "placeholder", "", (), _annotation(argument.annotation), None)
        for argument in function.args.args[1:]
    ]
    known = {node.name for node in nodes}
    outputs: tuple[str, ...] = ()
    for statement in function.body:
        if isinstance(statement, ast.Return):
            values = statement.value.elts if isinstance(statement.value, (ast.Tuple, ast.List)) else [statement.value]
            outputs = tuple(value.id if isinstance(value, ast.Name) else "" for value in values)
            continue
        name, value, annotation = _assignment(statement)
        if name is None or value is None or (isinstance(value, ast.Constant) and value.value is None):
            continue  # `arg0_1 = None`: Inductor marks the last use
        read = [n for n in ast.walk(value) if isinstance(n, ast.Name) and n.id in known]
        read.sort(key=lambda n: (n.lineno, n.col_offset))  # `ast.walk` goes level by level: a list's names come last
        used = tuple(dict.fromkeys(n.id for n in read))
        nodes.append(
            Node(name, _target(value), ast.unparse(value), used, _annotation(annotation), origin.get(statement.lineno))
        )
        known.add(name)
    return tuple(nodes), outputs


def inputs(text: str) -> tuple[Node, ...]:
    """The inputs of a printed graph, in order: Dynamo calls them by the user's program, `L_self_modules_q_proj_parameters_weight_`.

    Raises:
        ValueError: the text is no graph.
    """
    return tuple(node for node in graph(text)[0] if node.target == "placeholder")


def _assignment(statement: ast.stmt) -> tuple[str | None, ast.expr | None, ast.expr | None]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), value=value, annotation=annotation):
            return name, value, annotation
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value, None
    return None, None, None


def _annotation(node: ast.expr | None) -> TensorType | None:
    return fx_type(node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _target(value: ast.expr) -> str:
    if isinstance(value, ast.Call):
        return target(ast.unparse(value.func))
    return "getitem" if isinstance(value, ast.Subscript) else type(value).__name__.lower()


def _source_lines(lines: list[str]) -> dict[int, SourceLine]:
    """The user's line for each line of the graph's text (1-based): the last comment with a file above it."""
    origin: dict[int, SourceLine] = {}
    current: SourceLine | None = None
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.startswith("#"):
            found = _FILE.search(stripped)
            current = SourceLine(found["file"], int(found["line"]), found["code"]) if found else None
        elif current:
            origin[number] = current
    return origin


def original_path(comment: Iterable[str]) -> tuple[SourceLine, ...]:
    """Where a user-written kernel's own function stands: `# Original path: model.py:12`."""
    found = (_ORIGINAL.match(line) for line in comment)
    return tuple(SourceLine(match["file"], int(match["line"]), "") for match in found if match)


_HANDLE = re.compile(r"(?:#|//) ?\[Provenance debug handles\] (?P<name>\S+):(?P<handle>\d{1,9})$")
_OTHER_CALL = re.compile(r"\.run\(|extern_kernels\.|torch\.ops\.|^(?:def|return|for|while|if) ")
_ABOVE = 12
"""Lines between a launch and its comment, at most: the stream, sizes that it computes."""


@dataclass(frozen=True)
class Mark:
    """The comment above one launch."""

    key: str = ""
    """The kernel's name in Inductor's mapping; a multi-kernel has its own."""
    handle: int | None = None
    source_nodes: tuple[str, ...] | None = None
    aten: tuple[str, ...] = ()


def mark_above(lines: Sequence[str], line: int) -> Mark:
    """The comment above the launch in this line (1-based); an empty mark where there is none before another call."""
    head: re.Match[str] | None = None
    handle: re.Match[str] | None = None
    for text in _upwards(lines, line):
        if text.startswith(("#", "//")):
            handle = handle or _HANDLE.match(text)
            head = head or HEAD.match(text)
        elif head or handle or _OTHER_CALL.search(text):
            break
    return Mark(
        handle["name"] if handle else "",
        int(handle["handle"]) if handle else None,
        listed(head["nodes"]) if head else None,
        listed(head["aten"] or "") if head else (),
    )


def _upwards(lines: Sequence[str], line: int) -> Iterator[str]:
    start = min(line, len(lines)) - 2
    for number in range(start, max(start - _ABOVE, -1), -1):
        yield lines[number].strip()


_FRAME = re.compile(r'\s*File "(?P<file>[^"\n]+)", line (?P<line>\d{1,9}), in ')

Stack = tuple[SourceLine, ...]


@dataclass(frozen=True)
class NodeMappings:
    """What one or more artifacts say. A kernel's key is `name:handle`, or its name alone."""

    nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kernel -> its post-grad nodes, in no order that means anything."""
    pre_grad: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Post-grad node -> the nodes of the user's own graph that it was made of."""
    stacks: Mapping[str, tuple[Stack, ...]] = field(default_factory=dict)
    """Kernel -> the user's stacks, each from the outermost frame to the innermost."""

    def joined(self, other: NodeMappings) -> NodeMappings:
        """Both, where they speak of different things or kernels; the other's where they do not."""
        return NodeMappings(
            {**self.nodes, **other.nodes}, {**self.pre_grad, **other.pre_grad}, {**self.stacks, **other.stacks}
        )

    def keys(self, name: str, handle: int | None) -> tuple[str, ...]:
        """The entries for a launch: its own; else those of its kernel, where nothing tells them apart."""
        exact = name if handle is None else f"{name}:{handle}"
        for key in (exact, name):
            if key in self.nodes or key in self.stacks:
                return (key,)
        if handle is not None:
            return ()
        return tuple(dict.fromkeys(key for key in (*self.nodes, *self.stacks) if key.rpartition(":")[0] == name))


def node_mappings(text: str) -> NodeMappings:
    """Read one artifact of either kind. What does not fit is left out.

    Raises:
        ValueError: the text is not a JSON object.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the provenance artifact is not whole JSON ({type(error).__name__})") from None
    if not isinstance(data, dict):
        raise ValueError("the provenance artifact is not a JSON object")
    if "version" in data or "cppCodeToPost" in data:
        return NodeMappings(dict(_names(data.get("cppCodeToPost"))), dict(_names(data.get("postToPre"))))
    stacks = {str(kernel): tuple(dict.fromkeys(map(stack, texts))) for kernel, texts in _names(data)}
    return NodeMappings(stacks={kernel: tuple(filter(None, found)) for kernel, found in stacks.items()})


def _names(table: object) -> Iterator[tuple[str, tuple[str, ...]]]:
    for key, values in table.items() if isinstance(table, dict) else ():
        if isinstance(values, list):
            yield key, tuple(dict.fromkeys(value for value in values if isinstance(value, str)))


def stack(text: str) -> Stack:
    """The frames of a printed stack, outermost first; a frame's second line is its code, lines of carets mark a part of it."""
    lines = text.splitlines()
    frames: list[SourceLine] = []
    for number, line in enumerate(lines):
        found = _FRAME.match(line)
        if found:
            after = lines[number + 1].strip() if number + 1 < len(lines) else ""
            code = "" if _FRAME.match(after) else after
            frames.append(SourceLine(found["file"], int(found["line"]), code))
    return tuple(frames)
