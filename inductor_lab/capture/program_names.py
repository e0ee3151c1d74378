"""What the user's program calls the inputs of each graph, told while the graph is compiled.

Dynamo keeps of each input the expression by which it found it, `L['self']._modules['norm']._parameters['weight']`, and AOTAutograd of each
placeholder which of Dynamo's inputs it is, or of which output the gradient (torch/_functorch/_aot_autograd/descriptors.py). What an optimizer's
step is given has no such names: there the tensors themselves are looked up in the optimizers and modules that are alive.

Private names of torch, checked on 2.13: `grapharg` and `desc` of a node, `_param_name_to_source` of Dynamo's graph; 2.11 to 2.15 have them too.
"""

from __future__ import annotations

import ast
import functools
import gc
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch._functorch._aot_autograd.descriptors import (
    BufferAOTInput,
    ParamAOTInput,
    PlainAOTInput,
    PlainAOTOutput,
    TangentAOTInput,
)
from torch.utils._pytree import tree_leaves

from inductor_lab.capture.observe import graph_id
from inductor_lab.capture.problems import reported
from inductor_lab.records import Input

REGISTERS = {"_modules": "", "_parameters": "parameter", "_buffers": "buffer"}
"""Where a module keeps what is registered under a name -> the kind of it."""
OF_AN_OPTIMIZER = re.compile(r"\.(param_groups|state)\[")
Told = dict[str, dict[str, dict[str, Any]]]
"""Graph id -> placeholder -> an Input as JSON, and the `shape` by which the reader makes sure of the graph; None where a size is symbolic."""
TOLD: Told = {}
"""Of this process."""

NOT_TOLD = "what the program calls the inputs of a graph could not be told"


@dataclass(frozen=True)
class Source:
    """Dynamo's expression for an input."""

    kind: str
    path: str
    """From the outermost module on: `layers.0.norm.weight`; else as the program writes it: `batch['mask']`."""
    whole: str
    """With what leads to that module: `encoder.layers.0.norm.weight`."""


class Named:
    """The inputs of one graph of Dynamo's, and of those that AOTAutograd makes of it."""

    def __init__(self, model: torch.fx.GraphModule, told: Told, arguments: Sequence[str] = ()) -> None:
        """Read Dynamo's graph; that it can not be read is a problem of the capture.

        Args:
            arguments: What the program calls the items of `inputs`, by which `live` passes them.
        """
        self.told = told
        self.plain: list[Input | None] = []
        self.attributes: dict[str, Input | None] = {}
        self.outputs: list[str] = []
        with reported(NOT_TOLD):
            self._read(model, arguments)

    def _read(self, model: torch.fx.GraphModule, arguments: Sequence[str]) -> None:
        nodes = [node for node in model.graph.nodes if node.op == "placeholder"]
        given = [getattr(node.meta.get("grapharg"), "source", None) for node in nodes]
        held = [
            getattr(node.meta.get("grapharg"), "example", None) if source else None
            for node, source in zip(nodes, given, strict=True)
        ]
        sources: Mapping[str, Any] = getattr(model, "_param_name_to_source", None) or {}
        registered = {
            name: (sources.get(name.replace(".", "_"), sources.get(name)), tensor)
            for name, tensor in (
                *model.named_parameters(remove_duplicate=False),
                *model.named_buffers(remove_duplicate=False),
            )
        }
        found = self._named([*zip(given, held, strict=True), *registered.values()], arguments)
        self.plain = found[: len(nodes)]
        self.attributes = dict(zip(registered, found[len(nodes) :], strict=True))
        known = dict(zip(nodes, self.plain, strict=True))
        output = next(node for node in model.graph.nodes if node.op == "output")
        self.outputs = [_result(node, known.get(node)) for node in tree_leaves(output.args)]

    def _named(self, given: Sequence[tuple[Any, Any]], arguments: Sequence[str]) -> list[Input | None]:
        """Each tensor's name; what several would have, none has."""
        texts = [
            source.name if isinstance(value, torch.Tensor) and source is not None else "" for source, value in given
        ]
        held = _held_by_optimizers() if any(map(OF_AN_OPTIMIZER.search, texts)) else {}
        read = [_source(text, arguments) if text else None for text in texts]
        paths = Counter(source.path for source in read if source)
        found = []
        for source, (_, value) in zip(read, given, strict=True):
            named = held.get(id(value)) if value is not None else None
            if named is None and source:
                kind = "parameter" if isinstance(value, torch.nn.Parameter) and source.kind != "buffer" else source.kind
                named = Input(kind, source.path if paths[source.path] == 1 else source.whole)
            found.append(named)
        twice = Counter(found)
        return [one if one and twice[one] == 1 else None for one in found]

    def tell(self, compiled: Any, graph: torch.fx.GraphModule) -> None:
        """Keep the names of a graph that Inductor has compiled."""
        with reported(NOT_TOLD):
            if name := graph_id(compiled):
                nodes = [node for node in graph.graph.nodes if node.op == "placeholder"]
                self.told[name] = {
                    node.name: {**asdict(found), "shape": _shape(node)}
                    for node in nodes
                    if (found := self._of(node.meta.get("desc")))
                }

    def _of(self, described: Any) -> Input | None:
        """What a placeholder is by AOTAutograd's descriptor of it."""
        match described:
            case PlainAOTInput(idx=place) if place < len(self.plain):
                return self.plain[int(place)]
            case ParamAOTInput() | BufferAOTInput():
                return self.attributes.get(described.target)
            case TangentAOTInput(output=PlainAOTOutput(idx=place)) if place < len(self.outputs):
                return Input("gradient", name) if (name := self.outputs[int(place)]) else None
        return None

    def inner(self, compile_fx_inner: Callable[..., Any]) -> Callable[..., Any]:
        """Inductor's compilation of one graph, after which its inputs are told."""

        @functools.wraps(compile_fx_inner)
        def inner(graph: torch.fx.GraphModule, *args: Any, **kwargs: Any) -> Any:
            compiled = compile_fx_inner(graph, *args, **kwargs)
            self.tell(compiled, graph)
            return compiled

        return inner


def install(compile_fx_module: Any) -> None:
    """Tell the names of what torch.compile compiles for the card that is here."""
    real = compile_fx_module.compile_fx

    @functools.wraps(real)
    def compile_fx(model_: Any, example_inputs_: Any, *args: Any, **kwargs: Any) -> Any:
        # Inductor calls itself with an inner_compile, and so do the tools that bring their own.
        if not args and kwargs.get("inner_compile") is None and isinstance(model_, torch.fx.GraphModule):
            kwargs["inner_compile"] = Named(model_, TOLD).inner(compile_fx_module.compile_fx_inner)
        return real(model_, example_inputs_, *args, **kwargs)

    compile_fx_module.compile_fx = compile_fx


def _result(node: Any, given: Input | None) -> str:
    """What a value that Dynamo's graph returns is called: as the program does where that names it, else by its operator; empty where it is none."""
    if given and given.kind in ("parameter", "buffer", "argument"):
        return given.name
    return node.name if isinstance(node, torch.fx.Node) and node.op != "placeholder" else ""


def _shape(node: torch.fx.Node) -> list[int] | None:
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or not all(type(size) is int for size in value.shape):
        return None
    return list(value.shape)


def _source(text: str, arguments: Sequence[str] = ()) -> Source | None:
    """The name that an expression of Dynamo's tells; None for one that is no name in the program.

    Args:
        arguments: What `inputs[0]`, `inputs[1]` ... are called.
    """
    try:
        steps = list(_steps(ast.parse(text, mode="eval").body))
    except (SyntaxError, ValueError):
        return None
    for place, argument in enumerate(arguments):
        if steps[:2] == ["inputs", f"[{place}]"]:
            steps[:2] = [argument]
    kind, path, whole, inside = "argument", "", "", False
    following = iter(steps)
    for step in following:
        if step.removeprefix(".") in REGISTERS:
            kind = REGISTERS[step[1:]] or kind
            (key,) = ast.literal_eval(next(following, "['']"))
            step, path, inside = f".{key}", path if inside else "", True
            if key == "_orig_mod":  # torch.compile's own, around the module
                continue
        path, whole = f"{path}{step}", f"{whole}{step}"
    if ".__" in whole:  # a closure's cell
        return Source(kind, path.removeprefix("."), path.removeprefix(".")) if inside else None
    return Source(kind, path.removeprefix("."), whole)


def _steps(node: ast.expr) -> Iterator[str]:
    """`self`, `._modules`, `['norm']` of `L['self']._modules['norm']`.

    Raises:
        ValueError: it is another expression, as of a size, or a name that is Dynamo's own.
    """
    match node:
        case ast.Subscript(value=ast.Name(id="L" | "G"), slice=ast.Constant(value=str(name))) if not name.startswith(
            "__"
        ):
            yield name
        case ast.Subscript(value=value, slice=ast.Constant(value=str() | int() as key)):
            yield from _steps(value)
            yield f"[{key!r}]"
        case ast.Attribute(value=value, attr=name):
            yield from _steps(value)
            yield f".{name}"
        case _:
            raise ValueError(ast.unparse(node))


# What an optimizer holds


def _held_by_optimizers() -> dict[int, Input]:
    """Each tensor of the optimizers that are alive, by its identity: parameters, their gradients and states."""
    alive = gc.get_objects()
    modules = (one for one in alive if issubclass(type(one), torch.nn.Module) and not _compilers(type(one)))
    paths = _paths([one for one in modules if hasattr(one, "_modules")])  # else it has not begun to be one
    found: dict[int, Input] = {}
    optimizers = (one for one in alive if issubclass(type(one), torch.optim.Optimizer))
    for optimizer in [one for one in optimizers if hasattr(one, "param_groups")]:
        numbered = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        for place, parameter in enumerate(numbered):
            name = paths.get(id(parameter)) or f"params[{place}]"
            found[id(parameter)] = Input("parameter", name)
            if parameter.grad is not None:
                found[id(parameter.grad)] = Input("gradient", name)
            for state, value in optimizer.state.get(parameter, {}).items():
                if isinstance(value, torch.Tensor):
                    found[id(value)] = Input(str(state), name)
    return found


def _compilers(kind: type) -> bool:
    """Whether modules of a type are made by the compiler, of the program's tensors: graphs, their roots, and what is around a compiled module."""
    return issubclass(kind, torch.fx.GraphModule) or kind.__module__.startswith(("torch._dynamo.", "torch.fx."))


def _paths(modules: Sequence[torch.nn.Module]) -> dict[int, str]:
    """The path of each parameter in the module that no other holds; none where two such modules call it differently."""
    inner = {id(child) for module in modules for child in module._modules.values() if child is not None}
    paths: dict[int, set[str]] = {}
    for module in modules:
        if id(module) not in inner:
            for name, parameter in module.named_parameters():
                paths.setdefault(id(parameter), set()).add(name.replace("_orig_mod.", ""))
    return {key: found.pop() for key, found in paths.items() if len(found) == 1}
