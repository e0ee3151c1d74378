"""Triton's private names for compiling: catches a launch without running it, and compiles what was caught, or a captured text.

Checked on triton 3.6.0 and 3.7.1. Private names used: JITFunction.run, JITFunction._pack_args, JITFunction.params,
Autotuner.run, create_function_from_signature (triton/runtime/jit.py), make_backend (triton/compiler/compiler.py),
knobs.nvidia, ir of triton._C.libtriton, the backends' load_dialects and get_codegen_implementation.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import math
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from inductor_lab.errors import LabError
from inductor_lab.machine.instructions import UNKNOWN, Facts, amd, nvidia
from inductor_lab.machine.source import Source
from inductor_lab.machine.targets import Target

if TYPE_CHECKING:
    from triton.compiler.compiler import ASTSource


TENSOR = re.compile(r"\btensor<((?:\d+x)+)")
"""The shape of a tensor in TTGIR: `tensor<64x2xf32, #blocked>`."""
KERNEL_FILE = "kernel.py"
"""The file that a captured text is compiled from: the code's remarks on lines name it."""


@dataclass(frozen=True)
class CaughtLaunch:
    """One launch that was not made: the kernel, and what it would have been given."""

    kernel: Any
    """triton.JITFunction."""
    arguments: Sequence[object]
    keywords: Mapping[str, object]
    """Constexprs and compile options, num_warps among them."""
    grid: object = ()
    """How many programs, as the launcher says it: a tuple, or a function of the constexprs."""

    @property
    def programs(self) -> int:
        """How many programs it would have started."""
        grid: Any = self.grid
        if callable(grid):
            grid = grid({**dict(zip(self.kernel.arg_names, self.arguments, strict=False)), **self.keywords})
        return math.prod(int(size) for size in grid)


@dataclass(frozen=True)
class Compiled:
    """One kernel compiled for one target, and what was read from its machine code."""

    kernel: str
    symbol: str
    """The kernel's name in its machine code."""
    shared_memory: int
    num_warps: int
    constants: Mapping[str, object]
    assembly: Mapping[str, Any]
    """The code at each stage, by Triton's names for them: `ttgir`, `ptx`, `cubin`."""

    @cached_property
    def facts(self) -> Facts:
        """What the vendor's tools say of it; nothing is known where they are missing."""
        if "amdgcn" in self.assembly:
            return amd(self.assembly["amdgcn"])
        told = disassembled(self.assembly["cubin"])
        return nvidia(self.symbol, *told) if told else UNKNOWN

    @property
    def elements(self) -> int:
        """Elements of the largest tensor that a program holds; 1 where it holds none."""
        shapes = TENSOR.findall(self.assembly["ttgir"])
        return max((math.prod(map(int, shape[:-1].split("x"))) for shape in shapes), default=1)


def need_triton() -> None:
    """LabError where kernels can not be compiled: Triton is missing, or it was told to interpret."""
    if importlib.util.find_spec("triton") is None:
        raise LabError("Triton is not installed, and compiling a kernel needs it (no GPU though): pip install triton")
    import triton.language as tl
    from triton import knobs
    from triton.runtime.jit import JITFunction

    # The setting is read when a kernel is decorated, and tl.sum is one: it tells what held when Triton was imported.
    if knobs.runtime.interpret or not isinstance(tl.sum, JITFunction):
        raise LabError("TRITON_INTERPRET is set, so kernels are interpreted and never compiled: unset it and run again")


@contextmanager
def caught_launches() -> Iterator[list[CaughtLaunch]]:
    """Inside, `kernel[grid](...)` launches nothing and is appended to the list. An autotuned kernel takes the
    configuration it chose, or its first where it has not chosen yet."""
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    caught: list[CaughtLaunch] = []

    def catch(self: Any, *args: object, grid: object, warmup: bool, **keywords: object) -> None:
        caught.append(CaughtLaunch(self, args, keywords, grid))

    def configured(self: Any, *args: object, **keywords: object) -> Any:
        chosen = getattr(self, "best_config", None) or self.configs[0]
        return self.fn.run(*args, **(keywords | chosen.all_kwargs()))

    with mock.patch.object(JITFunction, "run", catch), mock.patch.object(Autotuner, "run", configured):
        yield caught


@contextmanager
def launches_given_to(take: Callable[[CaughtLaunch], bool]) -> Iterator[None]:
    """Inside, each `kernel[grid](...)` is given to a function first, and is launched as it stands where that returns False."""
    from triton.runtime.jit import JITFunction

    launch = JITFunction.run

    def run(self: Any, *args: object, grid: object, warmup: bool, **keywords: object) -> object:
        if take(CaughtLaunch(self, args, keywords, grid)):
            return None
        return launch(self, *args, grid=grid, warmup=warmup, **keywords)

    with mock.patch.object(JITFunction, "run", run):
        yield


def compile_launch(launch: CaughtLaunch, target: Target) -> Compiled:
    """Compile for `target` as Triton itself does when it launches. Raises what the compiler raises."""
    ready = _ready(launch, target)
    return _compiled(launch.kernel, ready.code(), ready.source.constants)


def variant(launch: CaughtLaunch, target: Target) -> str:
    """Equal for launches that run the same compiled kernel: Triton compiles again where a size is 1, or is a multiple of 16, or no longer is."""
    ready = _ready(launch, target)
    return f"{ready.source.hash()}-{ready.options.hash()}"


def front_end(launch: CaughtLaunch, target: Target) -> str:
    """The code of a launch as Triton's front end makes it, before anything is optimised. Raises what the compiler raises."""
    from triton._C.libtriton import ir

    ready = _ready(launch, target)
    context = ir.context()
    ir.load_dialects(context)
    ready.backend.load_dialects(context)
    functions, modules = ready.backend.get_codegen_implementation(ready.options), ready.backend.get_module_map()
    return str(ready.source.make_ir(ready.gpu, ready.options, functions, modules, context))


@dataclass(frozen=True)
class _Ready:
    """A launch with what Triton derives from its arguments: signature, constants, which are divisible by 16 or equal to 1."""

    gpu: Any
    backend: Any
    source: ASTSource
    options: Any

    def code(self) -> Any:
        import triton

        with _without_reproducer():
            return triton.compile(self.source, target=self.gpu, options=self.options.__dict__)


def _ready(launch: CaughtLaunch, target: Target) -> _Ready:
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend
    from triton.runtime.jit import create_function_from_signature

    kernel, keywords = launch.kernel, dict(launch.keywords)
    gpu = GPUTarget(target.backend, target.arch, target.warp_size)
    backend = make_backend(gpu)
    bind = create_function_from_signature(kernel.signature, kernel.params, backend)
    bound, specialization, options = bind(*launch.arguments, **keywords)
    options, signature, constants, attributes = kernel._pack_args(backend, keywords, bound, specialization, options)
    return _Ready(gpu, backend, _source(target)(kernel, signature, constants, attributes), options)


def compile_text(
    source: Source,
    signature: Mapping[str, str],
    constants: Mapping[str, object],
    facts: Mapping[str, object],
    options: Mapping[str, object],
    target: Target,
) -> Compiled:
    """Compile the kernel of a captured source. Raises what the compiler raises."""
    import triton
    from triton.backends.compiler import GPUTarget

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / KERNEL_FILE
        file.write_text(source.text, encoding="utf-8")
        names = _namespace(source)
        exec(compile(source.text, str(file), "exec"), names)  # definitions alone: machine/source.py leaves nothing else
        kernel = names[source.kernel]
        places = {name: (kernel.arg_names.index(name),) for name in source.parameters}
        tree = _source(target)(
            kernel,
            dict(signature),
            {places[name]: _resolved(value, names) for name, value in constants.items()},
            {places[name]: told for name, told in facts.items()},
        )
        gpu = GPUTarget(target.backend, target.arch, target.warp_size)
        with _without_reproducer(), _inline_assembly_stays_on_its_line(gpu):
            code = triton.compile(tree, target=gpu, options=dict(options))
        return _compiled(kernel, code, tree.constants)


PTX = re.compile(r'elementwise_inline_asm .*constraints = "=&?[bcdfhlqr]')
"""Inline assembly whose result is in one of PTX' registers; an AMD GPU has `=v` and `=s`."""


def _source(target: Target) -> type[ASTSource]:
    """What Triton compiles for a target: on PTX for an AMD GPU, LLVM ends the whole process; this says it before."""
    from triton.compiler.compiler import ASTSource

    if target.backend == "cuda":
        return ASTSource

    class Checked(ASTSource):
        def make_ir(self, *arguments: Any) -> Any:
            module = super().make_ir(*arguments)
            if PTX.search(str(module)):
                raise ValueError("its inline assembly is PTX, which only an NVIDIA GPU runs")
            return module

    return Checked


INLINE = re.compile(r"// begin inline asm.*?// end inline asm", re.DOTALL)
PLACE = re.compile(r"^\s*\.loc\b.*\n", re.MULTILINE)


@contextmanager
def _inline_assembly_stays_on_its_line(gpu: Any) -> Iterator[None]:
    """A load is several lines of inline assembly, all from the kernel's one: the LLVM of Triton 3.9 tells each as a line further down."""
    from triton.compiler.compiler import make_backend

    backend = type(make_backend(gpu))
    before: Any = getattr(backend, "make_ptx", None)  # an NVIDIA GPU's, 3.6 to 3.9

    def made(*arguments: Any, **named: Any) -> str:
        return INLINE.sub(lambda found: PLACE.sub("", found[0]), before(*arguments, **named))

    with mock.patch.object(backend, "make_ptx", made) if before else nullcontext():
        yield


@contextmanager
def _without_reproducer() -> Iterator[None]:
    """Keep stdout for what was asked for: where ptxas fails, Triton prints all of the PTX there.

    What it prints of a kernel that compiles (NVPTX_ENABLE_DUMP) goes to stderr.
    """
    with redirect_stdout(io.StringIO()) as printed:
        yield
    print(printed.getvalue(), end="", file=sys.stderr)


def _namespace(source: Source) -> dict[str, Any]:
    """What a captured source finds in its module: Triton, Inductor's helpers, and what it imports from Triton."""
    import triton
    import triton.language as tl

    try:
        from torch._inductor.runtime import triton_helpers
    except ImportError as error:
        raise LabError(f"a captured kernel needs Inductor's helpers to compile: {error}; pip install torch") from error
    names: dict[str, Any] = {
        "__name__": "captured",
        "triton": triton,
        "tl": tl,
        "math": math,
        "triton_helpers": triton_helpers,
        "libdevice": triton_helpers.libdevice,
        "tl_math": triton_helpers.math,
    }
    for module, name, alias in source.imports:
        with suppress(ImportError, AttributeError):
            found = importlib.import_module(module)
            names[alias] = getattr(found, name) if name else found
    return names


def _resolved(value: object, names: Mapping[str, Any]) -> object:
    """`tl.bfloat16`, which a decorator holds as a name, as the dtype; a helper's name as the helper."""
    if isinstance(value, str) and value.startswith("tl."):
        return getattr(names["tl"], value.removeprefix("tl."), value)
    if isinstance(value, str) and value in names:
        return names[value]
    return value


def _compiled(kernel: Any, code: Any, constants: Mapping[Any, object]) -> Compiled:
    return Compiled(
        kernel=kernel.__name__,
        symbol=code.metadata.name,
        shared_memory=code.metadata.shared,
        num_warps=code.metadata.num_warps,
        constants={kernel.arg_names[path[0]]: plain(value) for path, value in constants.items() if len(path) == 1},
        assembly=code.asm,
    )


def plain(value: object) -> object:
    """A constant as a value that JSON can hold; a dtype becomes its name."""
    return value if isinstance(value, bool | int | float | str | None) else str(value)


def disassemble_each(cubin: bytes) -> dict[str, tuple[Facts, int]]:
    """Facts and bytes of shared memory of every kernel of a cubin, by its mangled name; none where the tools are missing."""
    told = disassembled(cubin)
    if told is None:
        return {}
    resources, sass = told
    parts = re.split(r"^\s*\.section\s+\.text\.(\w+),", sass, flags=re.MULTILINE)
    code = dict(zip(parts[1::2], parts[2::2], strict=True))
    shared = dict(re.findall(r"Function (\S+?):\s+REG:\d+ STACK:\d+ SHARED:(\d+)", resources))
    return {name: (nvidia(name, resources, text), int(shared.get(name, 0))) for name, text in code.items()}


def disassembled(cubin: bytes, *, lines: bool = False) -> tuple[str, str] | None:
    """What `cuobjdump --dump-resource-usage` and `nvdisasm` print, which Triton's wheel carries; None where they are missing.

    With `lines`, remarks in the code tell from which line of the source it is.
    """
    from triton import knobs

    try:
        return _printed(knobs.nvidia.cuobjdump.path, knobs.nvidia.nvdisasm.path, cubin, lines)
    except (RuntimeError, OSError, subprocess.CalledProcessError):  # knobs raises RuntimeError for a missing tool
        return None


@lru_cache(maxsize=16)
def _printed(cuobjdump: str, nvdisasm: str, cubin: bytes, lines: bool) -> tuple[str, str]:
    """Of the same code only once: nvdisasm takes 0.4 s, however small a kernel is."""

    def run(*command: str) -> str:
        return subprocess.run([*command, file.name], capture_output=True, text=True, check=True).stdout

    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        return run(cuobjdump, "--dump-resource-usage"), run(nvdisasm, "-c", *(["-g"] if lines else []))


def message_of(error: BaseException) -> str:
    """One line of a compiler's error: for Triton's own, the line of the kernel and the message, not the excerpt."""
    message = getattr(error, "error_message", None)
    if message is None and error.__cause__ is not None:
        return message_of(error.__cause__) if str(error.__cause__) else type(error.__cause__).__name__
    lines = [line for line in (message or str(error)).splitlines() if line.strip()]
    first = next((line for line in lines if line.startswith("ptxas")), lines[0] if lines else type(error).__name__)
    first = first.strip()
    if lacking := re.search(r"'triton\.language\.extra\.(\w+)\.libdevice' has no attribute '(\w+)'", first):
        return f"Triton's libdevice for {lacking[1]} has no `{lacking[2]}`, which the kernel calls"
    wrapped = re.fullmatch(r"""\w+\((["'])(.*)\1\)""", first)  # Triton shows what it met as Python would
    return wrapped[2] if wrapped else first
