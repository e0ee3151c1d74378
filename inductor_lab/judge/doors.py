"""Ways round torch's operators, watched while a launcher runs: values on the host, raw memory, threads, processes, the watch switched off."""

from __future__ import annotations

import functools
import pkgutil
import sys
from collections.abc import Callable
from typing import Any

from inductor_lab.judge.frames import asked_by, callers, of_the_judge, of_torch, of_triton, prints

Tell = Callable[..., None]
"""Told "fault" or "note", a sentence, and the tensor that it is about, if it is about one."""

TO_THE_HOST = ("numpy", "__array__", "tolist", "__dlpack__", "untyped_storage", "storage")
"""Methods of a tensor that hand out its values, or its memory."""
FAULTS = (
    "torch:compile", "torch.utils.dlpack:to_dlpack", "torch._C:_DisableTorchDispatch", "torch._C:_DisableTorchDispatchMode",
    "torch._C:_ExcludeDispatchKeyGuard", "torch._C:_pop_torch_dispatch_stack", "torch._C:_len_torch_dispatch_stack",
    "torch.utils._python_dispatch:_disable_current_modes", "torch.utils._python_dispatch:_pop_mode",
    "torch.utils._python_dispatch:_pop_mode_temporarily",
)  # fmt: skip
THREADS = ("threading:Thread.start", "_thread:start_new_thread")
STREAMS = ("torch.cuda:stream", "torch.cuda:set_stream", "torch.cuda:graph")
EVENTS = {
    "ctypes.": "reaches memory through ctypes", "subprocess.Popen": "starts a process",
    "os.fork": "starts a process", "os.posix_spawn": "starts a process", "os.system": "starts a process", "os.exec": "starts a process",
    "sys.setprofile": "sets a profiler", "sys.settrace": "sets a tracer",
}  # fmt: skip
"""The first letters of what Python itself reports (`sys.addaudithook`) -> what it says about a launcher."""

_open: list[Doors] = []


class Doors:
    """Between `open` and `close` each way round the operators is told."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._replaced: list[tuple[Any, str, Any, bool]] = []

    def open(self) -> None:
        for name in TO_THE_HOST:
            self._watch(
                *_owner(f"torch:Tensor.{name}"),
                "fault",
                f"the launcher takes values or memory of its tensors to the host (Tensor.{name})",
            )
        for path in FAULTS:
            self._watch(*_owner(path), "fault", f"the launcher calls {path.replace(':', '.')}")
        for path in THREADS:
            self._watch(*_owner(path), "fault", "the launcher starts a thread, which nobody watches")
        for path in STREAMS:
            self._watch(*_owner(path), "note", f"the launcher works on a stream of its own ({path.replace(':', '.')})")
        _hook()
        _open.append(self)

    def close(self) -> None:
        _open.remove(self)
        for owner, name, before, own in reversed(self._replaced):
            if own:
                setattr(owner, name, before)
            else:
                delattr(owner, name)
        self._replaced = []

    def heard(self, event: str) -> None:
        """Python reports something that it does."""
        what = next((said for start, said in EVENTS.items() if event.startswith(start)), "")
        if what and not _for_triton():
            self._tell("fault", f"the launcher {what} ({event})")

    def _watch(self, owner: Any, name: str, kind: str, sentence: str) -> None:
        before = getattr(owner, name, None)
        if before is None:
            return

        @functools.wraps(before)
        def watched(*args: Any, **kwargs: Any) -> Any:
            frame = asked_by()
            if frame is None or not (of_triton(frame) or of_the_judge(frame) or prints()):
                self._tell(kind, sentence, args[0] if args else None)
            return before(*args, **kwargs)

        self._replaced.append((owner, name, before, name in vars(owner)))
        setattr(owner, name, watched)


def _owner(path: str) -> tuple[Any, str]:
    """Where a function stands, and its name there."""
    owner, _, name = path.rpartition("." if "." in path.partition(":")[2] else ":")
    return pkgutil.resolve_name(owner), name


def _for_triton() -> bool:
    """Whether Triton or torch does it on the way, as where a kernel is compiled."""
    for frame in callers():
        if of_triton(frame) or of_torch(frame):
            return True
        if of_the_judge(frame):
            return False
    return False


@functools.cache
def _hook() -> None:
    """Python never lets go of such a hook: there is one, and it is deaf where nobody listens."""

    def hear(event: str, _: Any) -> None:
        if _open and "." in event:
            for doors in list(_open):
                doors.heard(event)

    sys.addaudithook(hear)
