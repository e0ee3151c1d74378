"""Captures a model that lives in this process: for one call torch is made to believe that the card is here.

The compiler's own state is lent and given back: Inductor's settings, the environment, loggers, Dynamo's caches, AOTAutograd's numbers, the random
state, the model's buffers. The model is called once, in eager, so what it does besides computing is done once.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import logging
import os
import tempfile
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import torch
import torch._dynamo.convert_frame as convert_frame
import torch._dynamo.pgo as pgo
import torch._dynamo.utils as dynamo
import torch._functorch.aot_autograd as aot_autograd
import torch._inductor.compile_fx as inductor
from torch._dynamo.eval_frame import reset_code
from torch._inductor import config
from torch._inductor.output_code import CompiledFxGraph
from torch._logging._internal import TorchLogsFormatter, log_registry
from torch.utils._pytree import tree_leaves

from inductor_lab import store
from inductor_lab.capture import configurations, inside, observe, outcome, problems
from inductor_lab.capture.configurations import Asked
from inductor_lab.capture.observe import Observer
from inductor_lab.capture.program_names import Named, Told
from inductor_lab.capture.run import KEEP, LIMIT
from inductor_lab.errors import LabError
from inductor_lab.gpus import DEFAULT, Card, find_gpu
from inductor_lab.records import Capture

ARTIFACTS = ("output_code", "post_grad_graphs", "graph_breaks", "recompiles")
"""What is logged: as TORCH_LOGS names them."""


def capture_model(
    model: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    gpu: str = "auto",
    train: bool = False,
    dynamic: bool = False,
    mode: str | None = None,
    settings: Mapping[str, object] | None = None,
    name: str | None = None,
    keep: str = "statistics",
    values: Path | None = None,
) -> tuple[Capture, str]:
    """What Inductor writes for `model(*inputs)`, and the log that it was read from.

    Args:
        keep: `nothing`, `statistics` or `inputs` of each graph's inputs and outputs.
        values: A folder for the values that `keep="inputs"` keeps.

    Raises:
        LabError: there is no such card, or Inductor wrote no kernel; it says why.
    """
    model = getattr(model, "_orig_mod", model)  # one that is compiled already
    module = model if isinstance(model, torch.nn.Module) else None
    tensors = [x for x in tree_leaves(list(inputs)) if isinstance(x, torch.Tensor)]
    tensors += [*module.parameters(), *module.buffers()] if module else []
    on_cuda = any(x.is_cuda for x in tensors)
    card = _card(gpu, on_cuda)
    name = store.safe_name(name or str(getattr(model, "__name__", type(model).__name__))).strip("_") or "model"
    patches = {**inside.mode_options(mode), **(settings or {})}
    log = io.StringIO()
    with tempfile.TemporaryDirectory(prefix="inductor-lab-") as folder:
        looks, asked = _observer(keep, values or Path(folder, "values")), Asked()
        told: Told = {}
        with (
            _lent(Path(folder), module),
            logged(log),
            problems.told_to(log),
            _tuned(card) as seen,
            _observed(looks if card is None else None),
        ):
            compiled = torch.compile(
                _fresh(model),
                backend=_backend(card, patches, on_cuda, looks, asked, told, _arguments(model, inputs)),
                dynamic=True if dynamic else None,
            )
            _run(compiled, inputs, tensors, train)
            breaks = [str(reason) for reason in dynamo.counters["graph_break"]]
            kept = seen.configurations()  # while their files are there
            candidates = asked.candidates if card else seen.candidates()
        fingerprint = {
            **_fingerprint(card, patches, breaks),
            "autotuned": kept,
            "candidates": candidates,
            "called": told,
        }
        (path := Path(folder, "log.txt")).write_text(log.getvalue(), encoding="utf-8")
        key = None if card is None else DEFAULT if gpu == "auto" else gpu.lower()
        command = _command(name, gpu=gpu, train=train, dynamic=dynamic, mode=mode, settings=settings, keep=keep)
        return outcome.captured(path, name, command, key, fingerprint, looks.folder if looks else None)


def _card(gpu: str, on_cuda: bool) -> Card | None:
    """The virtual card, or None for the real one, on which the model's tensors lie then."""
    if gpu not in ("auto", "real"):
        card = find_gpu(gpu)
        if card.backend == "hip" and not torch.version.hip:
            raise LabError(
                f"Inductor chooses its settings for AMD when torch is imported, which it was: capture for {gpu} "
                f"in a process of its own, `inductor-lab capture module:callable --gpu {gpu}`."
            )
        return card
    if on_cuda:
        return None
    if gpu == "real":
        raise LabError(
            "Nothing of the model and its inputs is on a GPU: move them to cuda, or name a virtual one, gpu='h200'."
        )
    return find_gpu(DEFAULT)


def _backend(
    card: Card | None,
    patches: Mapping[str, object],
    on_cuda: bool,
    looks: Observer | None,
    asked: Asked,
    told: Told,
    arguments: Sequence[str],
) -> Callable[..., Any]:
    """Inductor, for the card. A function of its own: Dynamo keeps what it compiled by the backend that it was for."""

    def backend(graph: Any, example_inputs: Any) -> Any:
        if card is None:
            inner = Named(graph, told, arguments).inner(inductor.compile_fx_inner)
            return inductor.compile_fx(graph, example_inputs, config_patches=dict(patches), inner_compile=inner)
        from inductor_lab.capture.virtual_gpu import VirtualCompilation

        def compile_fx(model: Any, inputs: Any, **given: Any) -> Any:
            return inductor.compile_fx(model, inputs, config_patches=dict(patches), **given)

        # Not `program.runs_on_the_card`: this process may have used cuda for something else.
        compilation = VirtualCompilation(card, inductor.compile_fx_inner, on_cuda, looks, asked, told, arguments)
        return compilation.compile(compile_fx, graph, example_inputs)

    return backend


def _fresh(model: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls the model, with a code object of its own, by which Dynamo keeps what it compiled."""

    def program(*inputs: Any) -> Any:
        return model(*inputs)

    code = program.__code__.replace(co_name="program")
    return types.FunctionType(code, program.__globals__, "program", None, program.__closure__)


def _arguments(model: Callable[..., Any], inputs: Sequence[Any]) -> list[str]:
    """What the model calls each input; nothing where its signature can not be read."""
    try:
        bound = inspect.signature(getattr(model, "forward", model)).bind(*inputs)
    except (TypeError, ValueError):
        return []
    several = {name for name, one in bound.signature.parameters.items() if one.kind is one.VAR_POSITIONAL}
    names = (
        [f"{name}[{n}]" for n in range(len(value))] if name in several else [name]
        for name, value in bound.arguments.items()
    )
    return [name for some in names for name in some]


def _run(compiled: Callable[..., Any], inputs: Sequence[Any], tensors: Sequence[torch.Tensor], train: bool) -> None:
    """Once; with `train` also backward, from the sum of all outputs, without touching the model's gradients."""
    if not train:
        with torch.no_grad():
            compiled(*inputs)
        return
    with torch.enable_grad():
        outputs = [x for x in tree_leaves(compiled(*inputs)) if isinstance(x, torch.Tensor) and x.requires_grad]
        wanted = [x for x in tensors if x.requires_grad]
        if not outputs or not wanted:
            raise LabError("Nothing that the model returns has a gradient; leave out train=True.")
        total = torch.stack([x.sum().to(torch.float32) for x in outputs]).sum()
        torch.autograd.grad(total, wanted, allow_unused=True)


@contextlib.contextmanager
def _lent(folder: Path, module: torch.nn.Module | None) -> Iterator[None]:
    """Global state of torch, and the model's own, that a compilation changes: as it was, afterwards."""
    buffers = {buffer: buffer.detach().clone() for buffer in module.buffers()} if module else {}
    known = set(convert_frame.input_codes.seen_ids)
    devices = None if torch.cuda.is_initialized() else ()
    counted = {key: counter.copy() for key, counter in dynamo.counters.items()}
    with (
        mock.patch.dict(os.environ, {"TORCHINDUCTOR_CACHE_DIR": str(folder / "cache")}),
        mock.patch.object(aot_autograd, "AOT_COUNTER", itertools.count()),
        # Sizes that a function was called with before: another size would be taken for a dynamic one.
        mock.patch.multiple(pgo, _CODE_STATE=None, _INIT_CODE_STATE=None),
        config.patch(force_disable_caches=True, compile_threads=1),
        torch.random.fork_rng(devices),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", "dynamo_pgo force disabled")
        dynamo.counters.clear()
        try:
            yield
        finally:
            dynamo.counters.clear()
            dynamo.counters.update(counted)
            for reference in list(convert_frame.input_codes.seen):
                code = reference()
                if code is not None and id(code) not in known:
                    reset_code(code)
            with torch.no_grad():
                for buffer, before in buffers.items():
                    buffer.copy_(before)


def _tuned(card: Card | None) -> contextlib.AbstractContextManager[configurations.Seen]:
    """For a virtual card nothing runs."""
    return contextlib.nullcontext(configurations.Seen()) if card else configurations.observed()


def _observer(keep: str, folder: Path) -> Observer | None:
    """Who looks at what each graph is given; None where nobody is to."""
    if keep not in KEEP:
        raise LabError(f"There is no keep={keep!r}; it takes {', '.join(KEEP)}.")
    if keep == "nothing":
        return None
    folder.mkdir(exist_ok=True)
    return Observer(folder, int(LIMIT * 1e9) if keep == "inputs" else None)


@contextlib.contextmanager
def _observed(looks: Observer | None) -> Iterator[None]:
    """The calls of graphs on the card that is here are looked at; a virtual card's compilation does so itself."""
    with mock.patch.object(CompiledFxGraph, "__call__", CompiledFxGraph.__call__):  # as it was, afterwards
        if looks:
            observe.install(CompiledFxGraph, looks)
        yield


@contextlib.contextmanager
def logged(log: io.StringIO) -> Iterator[None]:
    """Inductor's modules and graphs go to `log`, and nowhere else, whatever TORCH_LOGS says."""
    names = [name for name in log_registry.get_artifact_log_qnames() if name.rpartition(".__")[2] in ARTIFACTS]
    handler = logging.StreamHandler(log)
    handler.setFormatter(TorchLogsFormatter())
    loggers = [logging.getLogger(name) for name in names]
    before = [(one.level, one.propagate, one.handlers, one.disabled) for one in loggers]
    try:
        for one in loggers:
            one.setLevel(logging.DEBUG)
            one.propagate, one.handlers, one.disabled = False, [handler], False
        yield
    finally:
        for one, (level, propagate, handlers, disabled) in zip(loggers, before, strict=True):
            one.setLevel(level)
            one.propagate, one.handlers, one.disabled = propagate, handlers, disabled


def _fingerprint(card: Card | None, patches: Mapping[str, object], graph_breaks: list[str]) -> dict[str, Any]:
    """As `inside.fingerprint` tells of a child."""
    return {
        **inside.of_process(card),
        "settings": {key: repr(value) for key, value in patches.items()},
        "frames": 1,
        "inductor": True,
        "graph_breaks": graph_breaks,
    }


def _command(name: str, **asked: object) -> str:
    """The call, as it would be typed again."""
    known = inspect.signature(capture_model).parameters
    words = [f"{key}={value!r}" for key, value in asked.items() if value != known[key].default]
    return f"inductor_lab.capture_model({', '.join([name, '*inputs', *words])})"
