"""Stand-ins for two C++ objects that torch asks about CUDA, where torch has no CUDA: the device guard, and the hooks.

Indexing a CUDA tensor from Python and the autograd engine ask C++ for CUDA's device guard, and whether CUDA is there at
all. A CPU-only torch says "not linked with support for cuda devices". Both answers are objects with virtual methods:

- the guards are one exported array of pointers, one for each device type (c10/core/impl/DeviceGuardImplInterface.h);
- the hooks are what the exported at::detail::getCUDAHooks() returns (ATen/detail/CUDAHooksInterface.h).

Each stand-in is a copy of such an object with a few entries of its table of virtual methods (vtable) replaced. Checked on torch 2.13.0;
anything that is not where it is expected is left alone, and said.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from inductor_lab.capture.problems import problem

CPU, CUDA, META = 0, 1, 14
"""Places in c10::DeviceType (c10/core/DeviceType.h)."""

METHODS = 96
"""As many as are copied of a table; the longest, the hooks', has about 50."""

# type, exchangeDevice, getDevice, getStream: the first declared methods, in every version so far.
GUARD_METHODS = (0, 1, 2, 5)

# isBuilt, isAvailable, hasPrimaryContext (ATen/detail/AcceleratorHooksInterface.h), after two destructors.
HOOKS_METHODS = (2, 3, 4)

# getPinnedMemoryAllocator, in the same file.
PINNED_METHOD = 12

ONE = {
    "x86_64": bytes.fromhex("b801000000 31d2 c3"),  # mov eax, 1; xor edx, edx; ret
    "aarch64": bytes.fromhex("200080d2 010080d2 c0035fd6"),  # mov x0, 1; mov x1, 0; ret
}
"""A function that returns 1, and 0 in the second register.

CUDA's number is 1. A c10::Device in a register is the bytes of its type and index, so 1 is cuda:0, and the pair is its
default stream. A function of Python's would want Python's lock, which the autograd engine's threads do not hold.
"""


GIVE = {
    "x86_64": lambda value: b"\x48\xb8" + value.to_bytes(8, "little") + b"\xc3",  # mov rax, value; ret
    "aarch64": lambda value: (
        bytes.fromhex("40000058 c0035fd6") + value.to_bytes(8, "little")
    ),  # ldr x0, .+8; ret; value
}
"""A function that returns this value."""


def install() -> bool:
    """Both, until the process ends; False where it could not be done."""
    guards = _guards()
    code = ONE.get(platform.machine())
    if code is None or guards is None or not _as_expected(guards):
        problem(
            f"the device guards of torch {torch.__version__} are not where they were, or this is not Linux: "
            "a program that asks for cuda may fail"
        )
        return False
    one = _function(code)
    if one is None:
        problem("this system lets no program make machine code: a program that asks for cuda will fail")
        return False
    guards[CUDA] = _patched_copy(guards[META], GUARD_METHODS, one)
    if not _patch_hooks(one):
        problem(f"the CUDA hooks of torch {torch.__version__} are not as they were: backward on cuda may fail")
        return False
    return True


@contextlib.contextmanager
def device_guard() -> Iterator[None]:
    """Lend CUDA the guard of the meta device, which does nothing, while this lasts. Enough for fake tensors."""
    guards = _guards()
    if guards is None or guards[CUDA] or not guards[META]:
        yield
        return
    guards[CUDA] = guards[META]
    try:
        yield
    finally:
        guards[CUDA] = None


def _guards() -> Any:
    try:
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
        return (ctypes.c_void_p * (META + 1)).in_dll(library, "_ZN3c104impl26device_guard_impl_registryE")
    except (OSError, ValueError):  # not Linux, or another layout
        return None


def _as_expected(guards: Any) -> bool:
    """The first method of each guard tells its device type."""
    return all(guards[type_] and _says(_methods(guards[type_])[0], guards[type_]) == type_ for type_ in (CPU, META))


def _says(method: int, on: int) -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_int8, ctypes.c_void_p)(method)(on))


def _methods(of: int) -> Any:
    """An object begins with the address of its table of methods."""
    return (ctypes.c_void_p * METHODS).from_address(ctypes.c_void_p.from_address(of).value or 0)


def _patched_copy(original: int, replaced: Sequence[int], method: int) -> int:
    """A new object, without members, that does as the original but for some methods."""
    methods = _copied(original)
    for slot in replaced:
        methods[slot] = method
    made = (ctypes.c_void_p * 1).from_address(_forever(ctypes.sizeof(ctypes.c_void_p)))
    made[0] = ctypes.addressof(methods)
    return ctypes.addressof(made)


def _copied(original: int) -> Any:
    """The table of methods of an object, to be changed."""
    copy = _forever(METHODS * ctypes.sizeof(ctypes.c_void_p))
    ctypes.memmove(copy, ctypes.addressof(_methods(original)), METHODS * ctypes.sizeof(ctypes.c_void_p))
    return (ctypes.c_void_p * METHODS).from_address(copy)


def _forever(count: int) -> int:
    """Memory that outlives Python: C++ still asks when the process ends."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    return int(libc.malloc(ctypes.c_size_t(count)))


def _patch_hooks(one: int) -> bool:
    """Let `hasCUDA` of the hooks say yes. Its place differs by version, so each is tried: asking calls no other."""
    try:
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"))
        get = getattr(library, "_ZN2at6detail12getCUDAHooksEv")  # noqa: B009
    except (OSError, AttributeError):
        return False
    get.restype = ctypes.c_void_p
    hooks = ctypes.c_void_p.from_address(get())
    original = hooks.value
    methods = _copied(get())
    hooks.value = ctypes.addressof(methods)
    for slot in HOOKS_METHODS:
        methods[slot] = one
    for slot in range(max(HOOKS_METHODS) + 1, METHODS):
        before = methods[slot]
        methods[slot] = one
        if _accelerator() == "cuda":
            _patch_pinned_allocator(methods)
            return True
        methods[slot] = before
    hooks.value = original
    return False


def _accelerator() -> str:
    found = torch._C._accelerator_getAccelerator()
    return found.type if found is not None else ""


def _patch_pinned_allocator(methods: Any) -> None:
    """Let `pin_memory=True` take the CPU's memory. torch says that it has no CUDA where the method is another one."""
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    get = getattr(library, "_ZN3c1015GetCPUAllocatorEv", None)
    if get is None:
        return
    get.restype = ctypes.c_void_p
    before = methods[PINNED_METHOD]
    methods[PINNED_METHOD] = _function(GIVE[platform.machine()](get()))
    try:
        torch.empty(1, pin_memory=True)
    except (RuntimeError, AssertionError):
        methods[PINNED_METHOD] = before


def _function(code: bytes) -> int | None:
    """Machine code in memory that is written first and executed then, which more systems allow than both at once."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    memory = libc.mmap(
        None,
        ctypes.c_size_t(mmap.PAGESIZE),
        mmap.PROT_READ | mmap.PROT_WRITE,
        mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
        -1,
        ctypes.c_long(0),
    )
    if memory in (None, ctypes.c_void_p(-1).value):
        return None
    ctypes.memmove(memory, code, len(code))
    if libc.mprotect(memory, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC) != 0:
        return None
    _forget_instructions(memory, len(code))
    return int(memory)


def _forget_instructions(memory: int, count: int) -> None:
    """An ARM core may still hold what was at this address before; x86's see what is written."""
    if platform.machine() != "aarch64":
        return
    with contextlib.suppress(OSError, AttributeError):
        clear = getattr(ctypes.CDLL("libgcc_s.so.1"), "__clear_cache")
        clear(ctypes.c_void_p(memory), ctypes.c_void_p(memory + count))
