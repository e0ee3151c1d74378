"""Where a kernel comes from: the comment above it, and the post-grad FX graph that it was made of.

The comment (`get_kernel_metadata` in torch/_inductor/utils.py, 2.2 to 2.15) is a claim: it names source nodes, ATen ops and, in its
"Graph fragment", the nodes that were fused. The graph is what `TORCH_LOGS=post_grad_graphs` prints: a Python function with the user's line
above each node.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from inductor_lab.read.types import fx_type
from inductor_lab.read.unparse import unparse
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
            Node(name, _target(value), unparse(value), used, _annotation(annotation), origin.get(statement.lineno))
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
        return target(unparse(value.func))
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
