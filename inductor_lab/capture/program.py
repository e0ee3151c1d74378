"""What the program sees of a card that is not there: torch.cuda answers for it, and its tensors lie in host memory.

From the import of torch to the end of the process. Where a real card is, the program runs on that, and only asks the
virtual one for its name, capability and properties.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from inductor_lab.capture import cuda_stubs
from inductor_lab.capture.problems import first_line, problem
from inductor_lab.gpus import Card

_pretends = False
LONGEST = 120
"""Seconds for a copy of the process to try cuda in. It needs one; on a machine that is busy it waits for its turn, and C++ may wait for ever."""


def install(card: Card) -> None:
    """Called once, when torch has been imported. A program that needs no card goes on where it can not be done."""
    try:
        _install(card)
    except Exception as error:
        problem(
            f"torch {torch.__version__} could not be made to answer for the virtual GPU "
            f"({type(error).__name__}: {first_line(error)}): a program that asks for cuda will fail"
        )


def _install(card: Card) -> None:
    global _pretends
    real = torch.cuda.is_available()
    if card.backend == "hip":
        # Inductor's defaults for AMD are chosen by this, when its config module is executed.
        torch.version.hip, torch.version.cuda = "6.4.0", None
    for name, answer in describing(card).items():
        setattr(torch.cuda, name, answer)
    if real or not (_is_checked() or _survives(_lay_in_host_memory)) or not _lay_in_host_memory():
        return
    _pretends = True
    for place, answers in _answers(card):
        for name, answer in answers.items():
            setattr(place, name, answer)
    torch.serialization.register_package(19, lambda storage: None, _load_on_card)  # CUDA's own is 20


def _lay_in_host_memory() -> bool:
    if not cuda_stubs.install():
        return False
    from inductor_lab.capture import host_kernels  # on Linux only, for its host_memory

    host_kernels.install(shapes_only=bool(os.environ.get("INDUCTOR_LAB_SHAPES")))
    return True


def _is_checked() -> bool:
    """The one build that the tests run on."""
    here = (str(torch.__version__), platform.system(), platform.machine())
    return here == ("2.13.0+cpu", "Linux", "x86_64") and not torch.backends.cuda.is_built()


def _survives(install: Callable[[], bool]) -> bool:
    """Whether a copy of this process can do it, and one step of training then; a mistake in C++ ends a process."""
    if not hasattr(os, "fork"):
        problem(f"{platform.system()} can not copy a process to try cuda in: a program that asks for cuda will fail")
        return False
    copy = os.fork()
    if copy == 0:
        signal.alarm(LONGEST)
        done = False
        with contextlib.suppress(BaseException):
            torch.cuda._lazy_init = says(None)
            done = install()
            x = torch.ones(2, device="cuda:0", requires_grad=True)
            (x * 2).sum().backward()
            done = done and x.grad is not None and x.grad.tolist() == [2.0, 2.0]
        os._exit(not done)
    code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    if code != 0:
        late = f" (no answer within {LONGEST} s)" if code == -signal.SIGALRM else ""
        problem(
            f"with this build of torch {torch.__version__} cuda can not be made to lie in host memory{late}: "
            "a program that asks for cuda will fail, one on the CPU is captured as if it were on the card"
        )
    return code == 0


def pretends() -> bool:
    """Whether cuda lies in host memory here: there is no real card."""
    return _pretends


def runs_on_the_card() -> bool:
    """Whether the program has put anything on cuda, a real or a virtual one."""
    if not _pretends:
        return bool(torch.cuda.is_initialized())
    from inductor_lab.capture import host_memory

    return host_memory.used()


@contextlib.contextmanager
def uncounted() -> Iterator[None]:
    """What is put on the card while this lasts is none of the program's: Inductor's own, on which it traces its patterns (torch 2.11)."""
    if not _pretends:
        yield
        return
    from inductor_lab.capture import host_memory

    with host_memory.uncounted():
        yield


def says(value: Any) -> Any:
    """A function of any signature that returns this."""
    return lambda *args, **kwargs: value


def describing(card: Card) -> dict[str, Any]:
    """What torch.cuda says of the card; the same for a program on a real one."""
    return {
        "get_device_properties": says(card.properties),
        "get_device_capability": says(card.capability),
        "get_device_name": says(card.name),
        "is_bf16_supported": says(True),
    }


def present() -> dict[str, Any]:
    """What torch.cuda says so that there seems to be one card."""
    return {
        "is_available": says(True),
        "device_count": says(1),
        "current_device": says(0),
        "synchronize": says(None),
        "_lazy_init": says(None),
        "_exchange_device": says(0),
        "_maybe_exchange_device": says(0),
        "get_rng_state": lambda *args: torch.zeros(16, dtype=torch.uint8),
        "set_rng_state": says(None),
    }


def _answers(card: Card) -> list[tuple[Any, dict[str, Any]]]:
    """Where -> {name: what it says}, of everything that a program asks about CUDA."""
    history = ("_record_memory_history", "_dump_snapshot", "_save_segment_usage", "_save_memory_usage")
    marks = ("range_push", "range_pop", "range_start", "range_end", "mark", "_device_range_start", "_device_range_end")
    return [
        (torch.cuda, {**present(), **_of_cuda(card)}),
        (
            torch.cuda.memory,
            {name: _zero(MEMORY) for name in ALLOCATED} | {name: _nothing(HISTORY) for name in history},
        ),
        (torch.cuda.memory, {"memory_snapshot": _nothing(HISTORY, []), "_snapshot": _nothing(HISTORY, {})}),
        (torch.cuda.nvtx, {name: says(0) for name in marks}),
        (torch.cuda.profiler, {"start": says(None), "stop": says(None)}),
        (
            torch.accelerator,
            {
                "is_available": says(True),
                "device_count": says(1),
                "synchronize": says(None),
                "current_device_index": says(0),
                "set_device_index": says(None),
            },
        ),
        (torch, {"Generator": Generator}),
        (torch.Tensor, {"pin_memory": lambda self, *args: self}),
        (torch.UntypedStorage, {"clone": _clone}),
    ]


ALLOCATED = ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved")


def _of_cuda(card: Card) -> dict[str, Any]:
    """What `torch.cuda` says beside that there is one card."""
    memory = card.properties.total_memory
    nothing = (
        "init", "set_device", "empty_cache", "ipc_collect", "reset_peak_memory_stats", "reset_max_memory_allocated",
        "set_per_process_memory_fraction", "set_stream", "set_sync_debug_mode",
    )  # fmt: skip
    busy = ("utilization", "temperature", "power_draw", "clock_rate", "memory_usage", "device_memory_used")
    random = torch.default_generator  # the CPU's, from which the card's numbers are drawn
    return {
        **{name: says(None) for name in nothing},  # each its own: Dynamo keys rules by function
        **{name: _zero(MEMORY) for name in ALLOCATED},
        **{name: _zero(BUSY) for name in busy},
        **{name: (lambda seed: random.manual_seed(seed) and None) for name in ("manual_seed", "manual_seed_all")},
        **{name: (lambda: random.seed() and None) for name in ("seed", "seed_all")},
        "initial_seed": lambda: random.initial_seed(),
        "get_rng_state": lambda device=None: torch.get_rng_state(),
        "set_rng_state": lambda new_state, device=None: torch.set_rng_state(new_state),
        "get_rng_state_all": lambda: [torch.get_rng_state()],
        "set_rng_state_all": lambda new_states: torch.set_rng_state(new_states[0]),
        "get_sync_debug_mode": says(0),
        "mem_get_info": says((memory, memory)),
        "memory_stats": says({}),
        "memory_summary": says(""),
        "can_device_access_peer": says(False),
        "is_current_stream_capturing": says(False),
        "get_arch_list": says([card.arch]),
        "Stream": Stream,
        "Event": Event,
        "current_stream": says(Stream()),
        "default_stream": says(Stream()),
        "stream": _stream,
        "CUDAGraph": _Graph,
        "graph": _graph,
        **{f"{name}Tensor": _Legacy(name) for name in LEGACY},
    }


MEMORY = "what the program reads of the card's memory (torch.cuda.memory_allocated and the like) is always 0"
BUSY = "what the program reads of the card's load (torch.cuda.utilization and the like) is always 0"
HISTORY = "the history of the card's memory that the program records is empty"


def _nothing(what: str, value: Any = None) -> Callable[..., Any]:
    """An answer that means nothing, and is said to."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        problem(what)
        return value

    return answer


def _zero(what: str) -> Callable[..., int]:
    return _nothing(what, 0)


LEGACY = ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool")


class _Legacy:
    """torch.cuda.FloatTensor and its kin: types that were called to make a tensor."""

    def __init__(self, name: str) -> None:
        self.on_cpu = getattr(torch, f"{name}Tensor")
        self.dtype = self.on_cpu.dtype
        self.__name__ = f"{name}Tensor"

    def __call__(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        if args and isinstance(args[0], torch.Tensor):
            return args[0].to("cuda", self.dtype)
        kwargs.pop("device", None)
        return torch.Tensor.cuda(self.on_cpu(*args, **kwargs))

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, torch.Tensor) and instance.is_cuda and instance.dtype == self.dtype


class Stream(torch.cpu.Stream):
    """Everything has happened already when it is asked for."""

    device = torch.device("cuda", 0)
    cuda_stream = stream_id = device_index = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def record_event(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record()
        return event


class Event(torch.cpu.Event):
    """Times are the host's, and said to be."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.when = time.perf_counter()

    def record(self, *args: Any) -> None:
        self.when = time.perf_counter()

    def elapsed_time(self, end: Event) -> float:
        problem("times that the program measures with torch.cuda.Event are this machine's CPU's, not the card's")
        return (end.when - self.when) * 1e3


@contextlib.contextmanager
def _stream(stream: Any) -> Iterator[None]:
    yield


class _Graph:
    """A CUDA graph of the program's own: what it would replay has run once, on the CPU."""

    def replay(self) -> None:
        problem("a CUDA graph that the program replays ran only once, while it was recorded")

    def reset(self) -> None:
        pass

    def pool(self) -> tuple[int, int]:
        return (0, 0)


@contextlib.contextmanager
def _graph(graph: Any, *args: Any, **kwargs: Any) -> Iterator[None]:
    yield


class _GeneratorType(type):
    """Generators are what torch says they are, whoever made them."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch._C.Generator)


class Generator(metaclass=_GeneratorType):
    """torch.Generator, of which the card's are the CPU's."""

    def __new__(cls, device: Any = "cpu") -> Any:
        device = torch.device(device)
        return torch._C.Generator("cpu" if device.type == "cuda" else device)


def _clone(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    """What copy.deepcopy does to a parameter."""
    return _on_card(storage) if storage.device.type == "cuda" else torch.storage._StorageBase.clone(storage)


def _load_on_card(storage: Any, location: str) -> Any:
    """torch.load's storages that belong on cuda."""
    return _on_card(storage) if location.startswith("cuda") else None


def _on_card(storage: Any) -> Any:
    """A copy in the card's memory."""
    from inductor_lab.capture.host_memory import card_storage

    copy = card_storage(storage.nbytes())
    ctypes.memmove(copy.data_ptr(), storage.data_ptr(), storage.nbytes())
    return copy
