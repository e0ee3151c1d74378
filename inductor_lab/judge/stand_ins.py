"""What Triton's interpreter lacks and a right kernel may use: libdevice, bfloat16, autotuning, the card, its fused attention."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.language.semantic import TritonSemantic
from triton.runtime import driver, interpreter
from triton.runtime.autotuner import Autotuner

from inductor_lab import gpus
from inductor_lab.judge.interpreter import card_operations, fast_paths, language, libdevice_functions, narrow_floats
from inductor_lab.judge.interpreter.interface import NotJudged
from inductor_lab.library import attention

LACKING = {
    "create_dot_scaled": (TritonSemantic, "dot_scaled", "tl.dot_scaled"),
    "new_block": (interpreter.InterpreterBuilder, "new_block", "tl.map_elementwise"),
    "create_descriptor_reduce": (
        interpreter.InterpreterBuilder, "create_descriptor_reduce", "an atomic operation of a tensor descriptor",
    ),
}  # fmt: skip
"""What the interpreter's builder has no function for: where a kernel asks for it, and what it is called there."""
LARGEST_BLOCK = 1 << 23
"""Elements: numpy holds a block that is larger than a large power of two."""
CARD = gpus.find_gpu("h200")
_chosen = [0]


def install() -> None:
    """To be called once in a process that interprets, before a file is imported; a second call does nothing."""
    if hasattr(interpreter, "STANDS_IN"):
        return
    interpreter.STANDS_IN = __name__
    interpreter.MENDED = __name__  # a file that was ejected before looks for this, and would mend it itself
    np.seterr(all="ignore")  # NaN and inf are among the values
    triton._utils.TRITON_MAX_TENSOR_NUMEL = LARGEST_BLOCK
    for part in (fast_paths, libdevice_functions, card_operations, narrow_floats, language, attention):
        part.install()
    interpreter.InterpreterBuilder.create_inline_asm = _lacks("inline assembly")
    for name, (owner, asked, what) in LACKING.items():
        if not hasattr(interpreter.InterpreterBuilder, name):
            setattr(owner, asked, _lacks(what))
    Autotuner.run = _tuned
    driver.set_active(_Driver())
    if not torch.cuda.is_available():
        for name, function in _CUDA.items():
            setattr(torch.cuda, name, function)


def put_back() -> None:
    """To be called once a file is imported: one that was ejected before has a libdevice of its own."""
    if hasattr(interpreter, "STANDS_IN"):
        libdevice_functions.put_back()


def choose(number: int) -> None:
    """Which of its configurations an autotuned kernel runs: the first is 0, and behind the last comes the first again."""
    _chosen[0] = number


def _lacks(what: str) -> Any:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotJudged(f"not judged here: {what} does not run in Triton's interpreter")

    return refuse


def _tuned(self: Any, *args: Any, **kwargs: Any) -> Any:
    """`Autotuner.run` without a clock: the chosen configuration.

    The first launch of each key runs it once more before, between the hooks, as timing does: a kernel that reads what it writes needs
    `reset_to_zero` or `restore_value`.
    """
    self.nargs = dict(zip(self.arg_names, args, strict=False))
    several = len(self.configs) > 1
    configs = self.prune_configs(kwargs) if several else self.configs
    self.best_config = config = configs[_chosen[0] % len(configs)]
    named = {**self.nargs, **kwargs, **config.all_kwargs()}
    if several and (key := _key(self, named)) not in self.cache:
        self.cache[key] = config
        _timed(self, config, named, args, kwargs)
        self.pre_hook(named, reset_only=True)
    if config.pre_hook:
        config.pre_hook(named)
    made = self.fn.run(*args, **kwargs, **config.all_kwargs())
    self.nargs = None
    return made


def _key(tuner: Any, named: dict[str, Any]) -> tuple[Any, ...]:
    """What a configuration is kept for: the arguments that the decorator names, and every dtype."""
    kept = {name: value for name, value in named.items() if name in tuner.arg_names}
    dtypes = [str(value.dtype) for value in kept.values() if hasattr(value, "dtype")]
    return (*(kept[name] for name in tuner.keys if name in kept), *dtypes)


def _timed(tuner: Any, config: Any, named: dict[str, Any], args: Any, kwargs: Any) -> None:
    """One of the launches by which a configuration is timed."""
    if config.pre_hook:
        config.pre_hook(named)
    tuner.pre_hook(named)
    tuner.fn.run(*args, **kwargs, **config.all_kwargs())
    tuner.post_hook(named, exception=None)


# ------------------------------------------------------------ the card


class _Driver:
    """Triton's driver of a card that is not there, as far as a launcher asks it."""

    utils = SimpleNamespace(get_device_properties=lambda device: CARD.of_driver)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return GPUTarget(CARD.backend, CARD.compute_capability, CARD.warp_size)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return torch.cuda


def _stream(*_: Any) -> Any:
    return SimpleNamespace(cuda_stream=0, synchronize=lambda: None)


_CUDA = {
    "get_device_properties": lambda device=None: CARD.properties,
    "get_device_capability": lambda device=None: CARD.capability,
    "get_device_name": lambda device=None: CARD.name,
    "current_device": lambda: 0,
    "device_count": lambda: 1,
    "set_device": lambda device: None,
    "synchronize": lambda device=None: None,
    "current_stream": _stream,
    "default_stream": _stream,
    "device": contextlib.nullcontext,
    "device_of": contextlib.nullcontext,
}
"""What a launcher asks of the card, on a machine that has none."""
