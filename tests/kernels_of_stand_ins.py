"""What a kernel may use and Triton's interpreter lacks, each as a small kernel: run by `test_stand_ins.py` where TRITON_INTERPRET=1.

Prints one JSON document: what was tried -> "" or the error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import torch
import triton
import triton.language as tl

from inductor_lab.judge import alone, stand_ins  # noqa: F401

stand_ins.install()

from triton.language.extra import libdevice  # noqa: E402

TRIED: dict[str, Callable[[], None]] = {}
torch.manual_seed(0)
X, Y = torch.randn(256), torch.randn(256)
FLAT = torch.arange(4096)


def tried(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(function: Callable[[], None]) -> Callable[[], None]:
        TRIED[name] = function
        return function

    return add


def same(made: torch.Tensor, want: torch.Tensor) -> None:
    assert torch.equal(made, want), f"{made.flatten()[:4].tolist()} for {want.flatten()[:4].tolist()}"


# ------------------------------------------------------------ bfloat16, rounded after each operation


@triton.jit
def binary(a_ptr, b_ptr, out_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 256)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    if WHAT == "add":
        made = a + b
    elif WHAT == "sub":
        made = a - b
    elif WHAT == "mul":
        made = a * b
    elif WHAT == "neg":
        made = -a
    elif WHAT == "larger":
        made = tl.where(a > b, a, b)
    elif WHAT == "maximum":
        made = tl.maximum(a, b)
    elif WHAT == "fma":
        made = tl.fma(a, b, a)
    elif WHAT == "number":
        made = a * 0.3 + 1.5
    elif WHAT == "cut off":
        made = (a.to(tl.float32) * 1.001).to(tl.bfloat16, fp_downcast_rounding="rtz").to(a.dtype)
    elif WHAT == "from float64":
        made = (a.to(tl.float64) * 1.001).to(a.dtype)
    elif WHAT == "from whole":
        made = (i * 3 - 300).to(a.dtype)
    tl.store(out_ptr + i, made)


BINARY: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "neg": lambda a, b: -a,
    "larger": torch.maximum,
    "maximum": torch.maximum,
    "fma": lambda a, b: (a.double() * b.double() + a.double()).to(a.dtype),
    "number": lambda a, b: a * torch.tensor(0.3, dtype=a.dtype) + 1.5,
    "from float64": lambda a, b: (a.double() * 1.001).to(a.dtype),
    "from whole": lambda a, b: (torch.arange(256) * 3 - 300).to(a.dtype),
}


def of_two(what: str, dtype: torch.dtype) -> Callable[[], None]:
    def run() -> None:
        a, b, out = X.to(dtype), Y.to(dtype), torch.empty(256, dtype=dtype)
        binary[(1,)](a, b, out, what)
        same(out, BINARY[what](a, b))

    return run


for each in BINARY:
    TRIED[f"bfloat16 {each}"] = of_two(each, torch.bfloat16)
    TRIED[f"float16 {each}"] = of_two(each, torch.float16)


@tried("bfloat16 cut off")
def cut_off() -> None:
    a, out = X.bfloat16(), torch.empty(256, dtype=torch.bfloat16)
    binary[(1,)](a, a, out, "cut off")
    same(out.float().view(torch.int32), (a.float() * 1.001).view(torch.int32) & -65536)


@triton.jit
def larger_of_pairs(value, place, other, its_place):
    return tl.where(value > other, value, other), tl.where(value > other, place, its_place)


@triton.jit
def added(a, b):
    return a + b


@triton.jit
def along(a_ptr, out_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 64)[:, None] * 64 + tl.arange(0, 64)[None, :]
    a = tl.load(a_ptr + i)
    if WHAT == "sum":
        made = tl.sum(a, 1)
    elif WHAT == "max":
        made = tl.max(a, 1)
    elif WHAT == "argmax":
        made = tl.argmax(a, 1).to(a.dtype)
    elif WHAT == "cumsum":
        made = tl.max(tl.cumsum(a, 1), 1)
    elif WHAT == "scan from the end":
        made = tl.max(tl.associative_scan(a, 1, added, reverse=True), 1)
    elif WHAT == "own reduction":
        value, place = tl.reduce((a, i), 1, larger_of_pairs)
        made = value + (place * 0).to(a.dtype)
    elif WHAT == "without an axis":
        made = tl.full([64], 0.0, a.dtype) + tl.reduce(a, None, added)
    tl.store(out_ptr + tl.arange(0, 64), made)


ALONG: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "sum": lambda x: x.sum(1),
    "max": lambda x: x.amax(1),
    "argmax": lambda x: x.argmax(1).double(),
    "cumsum": lambda x: x.cumsum(1).amax(1),
    "scan from the end": lambda x: x.flip(1).cumsum(1).amax(1),
    "own reduction": lambda x: x.amax(1),
    "without an axis": lambda x: x.sum().expand(64),
}


def along_rows(what: str, dtype: torch.dtype) -> Callable[[], None]:
    def run() -> None:
        a, out = torch.rand(64, 64).to(dtype), torch.empty(64, dtype=dtype)
        along[(1,)](a, out, what)
        want = ALONG[what](a.double())
        assert ((out.double() - want).abs() <= 8 * torch.finfo(dtype).eps * want.abs()).all(), (out[:4], want[:4])

    return run


for each in ALONG:
    for dtype in (torch.float32, torch.bfloat16):
        TRIED[f"{dtype} {each}"] = along_rows(each, dtype)


@triton.jit
def atomic(a_ptr, out_ptr, before_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 64)
    a = tl.load(a_ptr + i)
    if WHAT == "add":
        tl.store(before_ptr + i, tl.atomic_add(out_ptr + i % 4, a, mask=i < 60))
    else:
        tl.store(before_ptr + i, tl.atomic_xchg(out_ptr + i, a))


@tried("atomic addition of bfloat16")
def atomic_addition() -> None:
    a, out, before = torch.full((64,), 3.0).bfloat16(), torch.ones(64).bfloat16(), torch.empty(64).bfloat16()
    atomic[(1,)](a, out, before, "add")
    same(out[:5], torch.tensor([46.0, 46.0, 46.0, 46.0, 1.0]).bfloat16())
    same(before[:60:4], (1 + 3 * torch.arange(15)).bfloat16())


@tried("atomic exchange of floats")
def atomic_exchange() -> None:
    for dtype in (torch.float32, torch.float64):
        a, out, before = X[:64].to(dtype), Y[:64].to(dtype).clone(), torch.empty(64, dtype=dtype)
        atomic[(1,)](a, out, before, "xchg")
        same(torch.stack([out, before]), torch.stack([a, Y[:64].to(dtype)]))


# ------------------------------------------------------------ libdevice


@triton.jit
def of_libdevice(a_ptr, b_ptr, out_ptr, WHAT: tl.constexpr):
    i = tl.arange(0, 256)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    whole = (i - 100) * 77777
    if WHAT == "fma":
        made = libdevice.fma(a, b, a)
    elif WHAT == "fma_rn of a number":
        made = libdevice.fma_rn(a, 2.5, b)
    elif WHAT == "div_rn":
        made = libdevice.div_rn(a, b)
    elif WHAT == "fast_dividef":
        made = libdevice.fast_dividef(a, 3.0)
    elif WHAT == "fast_expf":
        made = libdevice.fast_expf(a)
    elif WHAT == "tl.extra.cuda":
        made = tl.extra.cuda.libdevice.exp2(a)
    elif WHAT == "tl.extra":
        made = tl.extra.libdevice.exp2(a)
    elif WHAT == "round":
        made = libdevice.round(a * 4 * 0 + (i - 100) / 2.0)
    elif WHAT == "rint":
        made = libdevice.rint((i - 100) / 2.0)
    elif WHAT == "float2int_rz":
        made = libdevice.float2int_rz(a * 1e10).to(tl.float32)
    elif WHAT == "popc":
        made = libdevice.popc(whole).to(tl.float32)
    elif WHAT == "clz":
        made = libdevice.clz(whole).to(tl.float32)
    elif WHAT == "ffs":
        made = libdevice.ffs(whole).to(tl.float32)
    elif WHAT == "cbrt":
        made = libdevice.cbrt(a)
    elif WHAT == "remainder":
        made = libdevice.remainder(a, 0.3)
    elif WHAT == "float_as_int":
        made = libdevice.int_as_float(libdevice.float_as_int(a))
    elif WHAT == "isnan":
        made = libdevice.isnan(a / (a * 0 + (i > 3))).to(tl.float32)
    elif WHAT == "rounded down":
        made = libdevice.add_rd(a, b)
    elif WHAT == "narrow":
        made = libdevice.exp(a.to(tl.float16)).to(tl.float32)
    elif WHAT == "assembly":
        made = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [a], tl.float32, True, 1)
    tl.store(out_ptr + i, made)


WHOLE = [(number - 100) * 77777 for number in range(256)]
HALVES = (torch.arange(256) - 100) / 2.0
LIBDEVICE: dict[str, Callable[[], torch.Tensor]] = {
    "fma": lambda: (X.double() * Y.double() + X.double()).float(),
    "fma_rn of a number": lambda: (X.double() * 2.5 + Y.double()).float(),
    "div_rn": lambda: X / Y,
    "fast_dividef": lambda: X / 3.0,
    "fast_expf": lambda: X.exp(),
    "tl.extra.cuda": lambda: X.exp2(),
    "tl.extra": lambda: X.exp2(),
    "round": lambda: torch.tensor([math.copysign(math.floor(abs(x) + 0.5), x) for x in HALVES.tolist()]),
    "rint": lambda: HALVES.round(),
    "float2int_rz": lambda: (X.double() * 1e10).float().double().clamp(-(2**31), 2**31 - 1).trunc().float(),
    "popc": lambda: torch.tensor([float((number & 0xFFFFFFFF).bit_count()) for number in WHOLE]),
    "clz": lambda: torch.tensor([32.0 - (number & 0xFFFFFFFF).bit_length() for number in WHOLE]),
    "ffs": lambda: torch.tensor([float((number & -number).bit_length()) for number in WHOLE]),
    "cbrt": lambda: torch.tensor([math.copysign(abs(x) ** (1 / 3), x) for x in X.tolist()]),
    "remainder": lambda: torch.tensor([math.remainder(x, torch.tensor(0.3).item()) for x in X.tolist()]),
    "float_as_int": lambda: X,
    "isnan": lambda: torch.zeros(256),
}


def by_libdevice(what: str) -> torch.Tensor:
    out = torch.empty(256)
    of_libdevice[(1,)](X, Y, out, what)
    return out


def function_of_libdevice(what: str) -> Callable[[], None]:
    return lambda: same(by_libdevice(what), LIBDEVICE[what]())


for each in LIBDEVICE:
    TRIED[f"libdevice {each}"] = function_of_libdevice(each)


def refused(what: str) -> str:
    """What is said of a kernel that can not be judged here, though its launcher catches every `Exception`."""
    try:
        by_libdevice(what)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    except stand_ins.NotJudged as error:
        return str(error)
    return ""


@tried("a function without a form")
def no_form() -> None:
    assert refused("rounded down") == "not judged here: libdevice.add_rd has no form in Triton's interpreter"


@tried("a dtype that libdevice does not take")
def no_dtype() -> None:
    assert refused("narrow").startswith("InterpreterError: KeyError")


@tried("inline assembly")
def assembly() -> None:
    assert refused("assembly") == "not judged here: inline assembly does not run in Triton's interpreter"


# ------------------------------------------------------------ autotuning


CONFIGS = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}), triton.Config({"BLOCK": 256})]


@triton.jit
def added_to(a_ptr, out_ptr, count, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i) if EVEN else tl.load(a_ptr + i, i < count)
    tl.atomic_add(out_ptr + i, a, i < count)


even = triton.heuristics({"EVEN": lambda named: named["count"] % named["BLOCK"] == 0})(added_to)


def tune(**options: object) -> triton.runtime.autotuner.Autotuner:
    return triton.autotune(CONFIGS, key=["count"], **options)(even)


def launched(kernel: triton.runtime.autotuner.Autotuner, times: int = 1) -> torch.Tensor:
    out = torch.zeros(200)
    for _ in range(times):
        kernel[lambda named: (triton.cdiv(200, named["BLOCK"]),)](X, out, 200)
    return out


@tried("a configuration by its number")
def configurations() -> None:
    kernel, seen = tune(reset_to_zero=["out_ptr"]), []
    for number in range(4):
        stand_ins.choose(number)
        same(launched(kernel), X[:200])
        seen.append(kernel.best_config.kwargs["BLOCK"])
    stand_ins.choose(0)
    assert seen == [64, 128, 256, 64], seen


@tried("timing runs a kernel before")
def timing() -> None:
    same(launched(tune()), 2 * X[:200])
    same(launched(tune(restore_value=["out_ptr"])), X[:200])
    same(launched(tune(reset_to_zero=["out_ptr"]), times=2), 2 * X[:200])


@tried("configurations are pruned")
def pruned() -> None:
    kernel = tune(
        reset_to_zero=["out_ptr"], prune_configs_by={"early_config_prune": lambda configs, named, **_: configs[2:]}
    )
    same(launched(kernel), X[:200])
    assert kernel.best_config is CONFIGS[2]


@tried("hooks of a configuration")
def hooks() -> None:
    said = []
    config = triton.Config({"BLOCK": 64}, pre_hook=lambda named: said.append(named["BLOCK"]))
    same(launched(triton.autotune([config], key=[])(even)), X[:200])
    assert said == [64]


# ------------------------------------------------------------ the card


@tried("the card")
def card() -> None:
    assert torch.cuda.get_device_properties(X.device).multi_processor_count == 132
    assert torch.cuda.get_device_properties(0).total_memory > 1 << 36
    assert torch.cuda.get_device_capability() == (9, 0)
    assert torch.cuda.get_device_name() == "NVIDIA H200"
    assert not torch.cuda.is_available()
    torch.cuda.synchronize()
    with torch.cuda.device(torch.cuda.current_device()), torch.cuda.device_of(X):
        assert torch.cuda.current_stream().cuda_stream == 0


@tried("Triton's driver")
def driver() -> None:
    active = triton.runtime.driver.active
    assert active.utils.get_device_properties(active.get_current_device())["multiprocessor_count"] == 132
    assert active.get_current_target().arch == 90


@tried("a second installation")
def again() -> None:
    before = triton.runtime.interpreter.InterpreterBuilder.binary_op
    stand_ins.install()
    assert triton.runtime.interpreter.InterpreterBuilder.binary_op is before


if __name__ == "__main__":
    said = {}
    for name, run in TRIED.items():
        try:
            run()
            said[name] = ""
        except (Exception, stand_ins.NotJudged) as error:
            said[name] = f"{type(error).__name__}: {error}"
    print(json.dumps(said))
