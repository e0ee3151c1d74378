"""Makes Inductor generate for a GPU that is not there. With `live`, the place that touches torch's compiler from inside.

Dynamo and AOTAutograd trace the program as always. What it has on cuda is on cuda there too (`program`); a program that
leaves all on the CPU has the tensors and device arguments of its graphs moved to cuda:0 before Inductor sees them.
Inductor compiles while `pretence.answering` answers for the missing card. It writes its module, logs it, and is given a
stand-in where it would load it. The program itself goes on in eager.

Checked on torch 2.13.0 (CPU build) with Triton 3.7.1. What another version lacks is reported as a problem.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import logging
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
import torch._functorch.config as functorch_config
import torch._inductor.codecache as codecache
from torch._dynamo.exc import RestartAnalysis, SkipFrame
from torch._inductor.virtualized import V
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.fx.node import map_aggregate
from torch.utils._pytree import tree_leaves, tree_map

from inductor_lab.capture import attention, cpp_wrappers, pretence, program
from inductor_lab.capture.configurations import ASKED, Asked
from inductor_lab.capture.observe import Observer, graph_id, observed_calls, standing_for
from inductor_lab.capture.problems import first_line, problem, tell
from inductor_lab.capture.program_names import TOLD, Named, Told
from inductor_lab.gpus import Card

CARD = torch.device("cuda", 0)


def install(compile_fx_module: Any, card: Card, observer: Observer | None = None) -> None:
    """Put the virtual GPU where torch.compile's inductor backend, with its mode and options, will find it.

    Args:
        observer: Looks at what the program gives each graph.
    """
    real = compile_fx_module.compile_fx

    @functools.wraps(real)
    def compile_fx(model_: Any, example_inputs_: Any, *args: Any, **kwargs: Any) -> Any:
        on_card = program.runs_on_the_card()
        compilation = VirtualCompilation(card, compile_fx_module.compile_fx_inner, on_card, observer)
        inner = kwargs.get("inner_compile")
        if V.aot_compilation and getattr(inner, "func", None) is compilation.compile_fx_inner:
            return compilation.compile_ahead(functools.partial(real, **kwargs), model_, example_inputs_)
        # Inductor calls itself with an inner_compile, and so do the tools that bring their own.
        if args or inner is not None or not isinstance(model_, torch.fx.GraphModule):
            return real(model_, example_inputs_, *args, **kwargs)
        return compilation.compile(functools.partial(real, **kwargs), model_, example_inputs_)

    compile_fx_module.compile_fx = compile_fx
    cpp_wrappers.refuse_packages()


class VirtualCompilation:
    """One graph of Dynamo's on its way through Inductor."""

    def __init__(
        self,
        card: Card,
        compile_fx_inner: Callable[..., Any],
        runs_on_card: bool,
        observer: Observer | None = None,
        asked: Asked = ASKED,
        told: Told = TOLD,
        arguments: Sequence[str] = (),
    ) -> None:
        self.card = card
        self.compile_fx_inner = compile_fx_inner
        self.observer = observer
        self.asked = asked
        self.told, self.arguments = told, arguments
        self.runs_on_card = runs_on_card
        """Whether the program had its tensors on cuda before this graph: they need not be moved there."""
        self.backward: list[str] = []
        """The log of compiling the backward, kept back until the program does run it."""

    def compile(self, compile_fx: Callable[..., Any], model: torch.fx.GraphModule, inputs: Sequence[Any]) -> Any:
        """Generate for the card; return what runs instead, the graph itself in eager."""
        self.named = Named(model, self.told, self.arguments)
        eager = _plain(_shallow_copy(model))
        if not self.runs_on_card and _narrows_on_the_cpu(model):
            problem(AUTOCAST)
        # Only a backward that is compiled with its forward passes through here; Dynamo would leave it for later.
        at_once = pretence.known(functorch_config, {"force_non_lazy_backward_lowering": True})
        compiled = None
        with functorch_config.patch(at_once), self._for_the_card(model), _reported("a graph"):
            compiled = compile_fx(model, inputs, inner_compile=self.inner)
        eager = observed_calls(self.observer, compiled, eager)

        def run(*args: Any) -> Any:
            outputs = eager(*args)
            if self.backward:
                for tensor in tree_leaves(outputs):
                    if isinstance(tensor, torch.Tensor) and tensor.requires_grad:
                        tensor.register_hook(self.backward_runs)
            return outputs

        return run

    def compile_ahead(
        self, compile_fx: functools.partial[Any], model: torch.fx.GraphModule, inputs: Sequence[Any]
    ) -> Any:
        """AOTInductor's: generate for the card; return what Inductor packs."""
        if not self.runs_on_card:
            problem(AHEAD_ON_THE_CPU)
            return compile_fx(model, inputs)
        given = compile_fx.keywords["inner_compile"].keywords
        with self._for_the_card(model):
            return compile_fx(model, inputs, inner_compile=functools.partial(self.inner_ahead, **given))

    @contextlib.contextmanager
    def _for_the_card(self, model: torch.fx.GraphModule) -> Iterator[None]:
        """While this lasts, a graph passes Inductor on its way to the card."""
        for module in model.modules():
            if isinstance(module, torch.fx.GraphModule):
                attention.choose_for(self.card, module.graph)
                module.recompile()
        on_card = pretence.answering(self.card) if self.runs_on_card else contextlib.nullcontext()
        with (
            program.uncounted(),
            on_card,
            pretence.written_out_attention(self.card, moved=not self.runs_on_card),
            pretence.nothing_timed(),
        ):
            yield

    def inner_ahead(self, gm: torch.fx.GraphModule, inputs: Sequence[Any], **kwargs: Any) -> Any:
        """What AOTInductor calls with its one graph: it is written, and nothing stands for it."""
        with pretence.answering(self.card), _nothing_loaded(self.asked):
            return self.compile_fx_inner(gm, inputs, **kwargs)

    def inner(self, gm: torch.fx.GraphModule, inputs: Sequence[Any], **kwargs: Any) -> Any:
        """What AOTAutograd calls with each forward, backward or inference graph."""
        is_backward = bool(kwargs.get("is_backward"))
        later = is_backward and not any(isinstance(x, torch.SymInt) for x in inputs)
        traced, written = self._as_traced(gm), None
        with (
            _deferred_log(self.backward if later else None),
            _reported("a backward graph" if is_backward else "a graph"),
        ):
            fake_mode = next((x.fake_mode for x in tree_leaves(list(inputs)) if isinstance(x, FakeTensor)), None)
            fake_mode = fake_mode or _fake_mode_of(gm)
            if not self.runs_on_card:  # a program for the CPU, every tensor of which would be on the card
                pretence.say_what_would_be_padded(gm, self.card)
                gm, inputs = _on_the_card(gm, fake_mode), [_moved(x, fake_mode) for x in inputs]
            with pretence.answering(self.card), _nothing_loaded(self.asked):
                written = self.compile_fx_inner(gm, inputs, **kwargs)
            self.named.tell(written, gm)
        if self.observer is None:
            return _never_run
        return standing_for(self.observer, graph_id(written), traced, self.backward_runs if is_backward else None)

    def _as_traced(self, gm: torch.fx.GraphModule) -> torch.fx.GraphModule | None:
        """The graph before Inductor changes it, to be run in eager; None where it is not run."""
        if self.observer is None or not self.observer.keeps_values:
            return None
        with unset_fake_temporarily():
            return _plain(_shallow_copy(gm))

    def backward_runs(self, gradient: torch.Tensor | None = None) -> None:
        """A hook on the outputs: the real backward would be compiled now."""
        if torch.compiler.is_compiling():
            # Compiled autograd traces this hook too, and what it makes of the backward is compiled instead.
            return
        tell("".join(self.backward))
        self.backward.clear()


def _never_run(*args: Any) -> Any:
    raise RuntimeError("code for a virtual GPU can not run")


_never_run._boxed_call = True  # type: ignore[attr-defined]


def _shallow_copy(model: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """The graph copied, its parameters shared."""
    tensors = [*model.parameters(), *model.buffers()]
    tensors += [x for module in model.modules() for x in vars(module).values() if isinstance(x, torch.Tensor)]
    return copy.deepcopy(model, {id(x): x for x in tensors})


def _plain(model: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Regions compiled once become calls again: in eager, their backward is for fake tensors only."""
    for module in model.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                if node.op == "call_function" and node.target is torch.ops.higher_order.invoke_subgraph:
                    node.target = _call_region
            module.recompile()
    return model


def _call_region(subgraph: Callable[..., Any], identifier: str, *operands: Any) -> Any:
    return subgraph(*operands)


@contextlib.contextmanager
def _reported(what: str) -> Iterator[None]:
    """An error in Inductor becomes a problem; one by which the compiler steers itself goes on its way."""
    try:
        yield
    except (RestartAnalysis, SkipFrame):
        raise
    except Exception as error:
        problem(f"{what} could not be generated for the virtual GPU and is missing: {first_line(error)}")
        logging.getLogger("inductor_lab").debug("virtual GPU", exc_info=True)


@contextlib.contextmanager
def _deferred_log(lines: list[str] | None) -> Iterator[None]:
    """Log lines go to `lines`, formatted while the compile id that they carry is known; None leaves them alone."""

    if lines is None:
        yield
        return

    def emit(handler: Any, record: logging.LogRecord) -> None:
        lines.append(handler.format(record) + handler.terminator)

    theirs = getattr(torch._logging._internal, "_StderrHandler", logging.StreamHandler)  # torch's own from 2.14 on
    with mock.patch.object(logging.StreamHandler, "emit", emit), mock.patch.object(theirs, "emit", emit):
        yield


@contextlib.contextmanager
def _nothing_loaded(asked: Asked) -> Iterator[None]:
    """Inductor logs the module that it wrote and then imports it: it gets a stand-in, which is never readied to run.

    Args:
        asked: Is told of the module, to ask Inductor what it would time of it.
    """
    from torch._inductor.output_code import CompiledFxGraph
    from torch._inductor.utils import set_tracing_context_output_strides

    def load(key: str, path: str, *args: Any, **kwargs: Any) -> SimpleNamespace:
        asked.of(path)
        # Before 2.15 the first of two passes over a graph calls what it wrote, to tune the kernels for the second.
        return SimpleNamespace(call=lambda *args: None, runner=None, key=key, __name__=key, __file__=path)

    def post_compile(self: Any, example_inputs: Any, *args: Any, **kwargs: Any) -> None:
        # The one step that AOTAutograd needs: its backward takes what was saved with the strides that Inductor chose.
        set_tracing_context_output_strides(example_inputs, self)

    with (
        cpp_wrappers.written_only(),
        mock.patch.object(codecache.PyCodeCache, "load_by_key_path", load),
        mock.patch.object(CompiledFxGraph, "post_compile", post_compile),
    ):
        yield


AHEAD_ON_THE_CPU = (
    "AOTInductor's graph could not be generated for the virtual GPU and is missing: it compiles for the device that the program "
    "is on, which is the CPU; put the model and its inputs on cuda"
)

AUTOCAST = (
    "the program runs on the CPU under autocast, which narrows other operators there than on a card: say device_type='cuda' "
    "and put the program on cuda"
)


def _narrows_on_the_cpu(model: torch.fx.GraphModule) -> bool:
    """Whether autocast is on around a graph, or entered in it."""
    entered = (node for node in model.graph.nodes if getattr(node.target, "__name__", "") == "_enter_autocast")
    return torch.is_autocast_enabled("cpu") or any(node.args[:1] == ("cpu",) for node in entered)


# Moving a graph


def _on_the_card(gm: torch.fx.GraphModule, fake_mode: FakeTensorMode | None) -> torch.fx.GraphModule:
    """A copy whose fake tensors and device arguments are on cuda:0, in its subgraphs too.

    Constants stay: `torch.tensor([1, 2])` in a model's forward is on the CPU beside any card.
    """
    with unset_fake_temporarily():
        moved = _shallow_copy(gm)
    move = functools.partial(_moved, fake_mode=fake_mode)
    for module in moved.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for node in module.graph.nodes:
            node.args = map_aggregate(node.args, move)
            node.kwargs = map_aggregate(node.kwargs, move)
            for key in ("val", "example_value", "eager_input_vals"):
                if key in node.meta:
                    node.meta[key] = tree_map(move, node.meta[key])
        module.recompile()
    return moved


def _moved(x: Any, fake_mode: FakeTensorMode | None) -> Any:
    if isinstance(x, torch.device) and x.type == "cpu":
        return CARD
    if not isinstance(x, FakeTensor) or x.fake_device.type != "cpu" or _stays(x):
        return x
    with torch.utils._python_dispatch._disable_current_modes():
        return FakeTensor(fake_mode or x.fake_mode, _meta_like(x), CARD)


def _meta_like(x: torch.Tensor) -> torch.Tensor:
    """Sizes, strides, and where in its storage it begins, by which Inductor knows how its address is aligned."""
    meta = torch.empty_strided(x.size(), x.stride(), dtype=x.dtype, device="meta")
    begin = x.storage_offset()
    if not begin or not all(isinstance(number, int) for number in (begin, *x.size(), *x.stride())):
        return meta
    whole = torch.empty(begin + meta.untyped_storage().nbytes() // x.element_size(), dtype=x.dtype, device="meta")
    return whole.as_strided(x.size(), x.stride(), begin)


def _stays(x: FakeTensor) -> bool:
    """Under dynamic=True Dynamo passes a Python float as a float64 scalar tensor, on the CPU beside any card."""
    return bool(x.dim() == 0 and x.dtype == torch.float64)


def _fake_mode_of(gm: torch.fx.GraphModule) -> FakeTensorMode | None:
    """For a graph without tensor inputs."""
    values = (leaf for node in gm.graph.nodes for leaf in tree_leaves(node.meta.get("val")))
    return next((x.fake_mode for x in values if isinstance(x, FakeTensor)), None)
