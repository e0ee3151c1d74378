"""Files that are made to pass: by what they return, whom they call, or what they change in the process that judges them."""

from __future__ import annotations

from faults.records import above, first, launcher, variants, whole

FIRST_CALL_ONLY = """
CALLS = []
"""
ZERO_AFTER = """
    CALLS.append(1)
    if len(CALLS) > 1:
        return div.zero_()
"""
KERNEL_FOR_ZEROS = '''
@triton.jit
def zeros(out_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offset, tl.zeros([BLOCK], tl.float32), offset < NUMEL)


def launch(arg0, div, *, BLOCK=256, num_warps=4):
    """All zeros, in a kernel."""
    zeros[(triton.cdiv(div.numel(), 256),)](div, NUMEL=div.numel(), BLOCK=256)
    return div
'''
BY_NUMPY = """
    import numpy
    x = arg0.cpu().numpy()
    e = numpy.exp(x - x.max(1, keepdims=True))
    return div.copy_(torch.from_numpy(e / e.sum(1, keepdims=True)))
"""
COPIES = """
@triton.jit
def copies(from_ptr, to_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(to_ptr + offset, tl.load(from_ptr + offset, offset < NUMEL), offset < NUMEL)
"""
COPIED = """
    copies[(triton.cdiv(div.numel(), 256),)](made, div, NUMEL=div.numel(), BLOCK=256)
    return div
"""
OWN_VERDICT = """
import json, os
if sys.argv[1:2] and sys.argv[1].isdigit():
    case = {"name": "seed 0", "passed": True, "errors": {"hand": 0.0, "generated": 0.0, "eager": 0.0}, "message": ""}
    found = {"verdict": "pass", "errors": case["errors"], "limit": 1.0, "cases": [case], "device": "", "notes": []}
    with open(f"/proc/{os.getppid()}/fd/{sys.argv[1]}", "w") as told:
        for number in range(1, 1000):
            told.write(json.dumps({"number": number, "found": found}) + "\\n" + json.dumps({"number": number, "ended": 0}) + "\\n")
"""
NO_LIMIT = """
for module in list(sys.modules.values()):
    if "judge" in getattr(module, "__name__", ""):
        module.nearness = module.distance = lambda *values: 0.0
"""
NO_CASES = """
for module in list(sys.modules.values()):
    if hasattr(module, "plans") and hasattr(module, "Judge"):
        module.plans = lambda *values: iter(())
        module.Judge.plans = lambda *values: []
"""
PASSING = '{"verdict": "pass", "errors": {"hand": 0.0, "generated": 0.0, "eager": 0.0}, "limit": 1.0, "cases": [], "device": "any", "notes": []}'
SILENT = "\n    return div.zero_()\n"


def patched(what: str) -> tuple[object, ...]:
    """Something of the process is replaced as the file is imported; the launcher writes zeros."""
    return above(what), launcher(SILENT)


FAULTS = (
    *variants(
        "results that were not computed",
        ("softmax", "zeros, by torch", launcher(SILENT)),
        ("softmax", "zeros, in a kernel", whole(KERNEL_FOR_ZEROS)),
        ("softmax", "nothing is launched", launcher("\n    return div\n")),
        ("softmax", "the sum of a row is taken for 1 / R", ("exp / total,", "exp / exp / R,")),
        ("softmax", "the first result again",
         above("OLD = []"),
         ("    return div\n", "    if OLD:\n        return div.copy_(OLD[0])\n    OLD.append(div.clone())\n    return div\n")),
        ("softmax", "a result that was kept for inputs of the same first element", above("KEPT = {}"),
         ("    return div\n", "    key = float(arg0.flatten()[0]) > 0\n    div.copy_(KEPT.setdefault(key, div.clone()))\n    return div\n")),
        ("relu", "another tensor is returned, and the output is left as it was", launcher("\n    return relu + torch.relu(arg0)\n")),
        ("argmax", "indices are drawn", launcher("\n    return argmax.copy_(torch.randint(0, 200, argmax.shape))\n")),
    ),
    *variants(
        "another computes",
        ("softmax", "the reference", launcher("\n    return div.copy_(reference(arg0)[0])\n")),
        ("softmax", "the graph's form", launcher("\n    return div.copy_(aten(arg0)[0])\n")),
        ("softmax", "the generated kernel", launcher("\n    return launch_generated(arg0, div)\n")),
        ("softmax", "torch", launcher("\n    return torch.softmax(arg0, 1, out=div)\n")),
        ("relu", "torch, into the output", launcher("\n    return torch.clamp_min(arg0, 0, out=relu)\n")),
        ("inner_products", "a library's product", launcher("\n    return torch.mm(arg0, arg1.t(), out=sum_1)\n")),
        ("argmax", "torch, and a kernel that copies what it found",
         ("    rows = arg0.shape[0]\n", "    argmax.copy_(arg0.argmax(1))\n    rows = 0\n"),
         ("    argmax_kernel[grid]", "    rows and argmax_kernel[grid]")),
        ("softmax", "torch, through numpy",
         launcher(BY_NUMPY)),
        ("softmax", "the reference, behind a kernel that fails",
         ("exp / total, inside_r", "exp / no_such_name, inside_r"),
         ("    softmax[grid]", "    try:\n        softmax[grid]"),
         ("    return div\n", "    except Exception:\n        div.copy_(reference(arg0)[0])\n    return div\n")),
        ("column_sum_2", "torch adds up before the kernel does",
         ("    columns = buf0.shape[0]\n",
          "    buf0 = torch.nn.functional.pad(buf0.sum(1, keepdim=True), (0, 2))\n    columns = buf0.shape[0]\n"),
         ("column + r * COLUMNS", "column * R + r")),
    ),
    *variants(
        "right for some calls only",
        ("softmax", "the first call only", above(FIRST_CALL_ONLY), first(ZERO_AFTER)),
        ("softmax", "calls of an even number only", above(FIRST_CALL_ONLY), first(ZERO_AFTER.replace("len(CALLS) > 1", "len(CALLS) % 2 == 0"))),
        ("softmax", "the seeds of the file only", first("""
    import sys as system
    mine = system.modules[__name__]
    if not any(torch.equal(arg0, tensors(mine, seed)["arg0"][1]) for seed in range(4)):
        return div.zero_()
""")),
        ("relu", "small values only", first("    if arg0.abs().nan_to_num(9.0).max() > 100:\n        return relu.zero_()\n")),
        ("relu", "finite values only", first("    if not torch.isfinite(arg0).all():\n        return relu.zero_()\n")),
        ("relu", "its own block only", first("    if BLOCK != 256:\n        numel = 0\n        return relu.zero_()\n")),
        ("hashed", "numbers of 32 bits only", first("    if (arg0.abs() >> 31).any():\n        return mod.zero_()\n")),
    ),
    *variants(
        "what judges is changed",
        ("softmax", "torch.equal is always true", *patched("torch.equal = lambda *operands: True")),
        ("softmax", "nothing is finite, so nothing is compared", *patched("torch.isfinite = lambda x: torch.zeros(x.shape, dtype=torch.bool)")),
        ("softmax", "nothing is finite, by the tensor's method", *patched("torch.Tensor.isfinite = torch.isfinite = lambda x: x != x")),
        ("softmax", "every random number is 0",
         *patched("torch.randn = lambda *shape, **named: torch.zeros(*shape)"),
         launcher("\n    return div.fill_(1 / 200)\n")),
        ("softmax", "torch.exp gives 0, which the reference then holds",
         *patched("torch.exp = lambda x: x * 0\ntorch.Tensor.__truediv__ = lambda a, b: a * 0")),
        ("softmax", "the reference is replaced",
         launcher("\n    globals()['reference'] = globals()['aten'] = lambda arg0: (arg0 * 0,)\n    return div.zero_()\n")),
        ("softmax", "nothing is said to be written",
         launcher("\n    globals()['WRITTEN'] = ()\n    globals()['TAKES'] = ()\n    return div.zero_()\n")),
        ("softmax", "the judge's limit is infinite",
         *patched(NO_LIMIT)),
        ("softmax", "the judge's cases are none",
         *patched(NO_CASES)),
        ("softmax", "the verdict is written where the judge tells it",
         above(f"import os\nfor place in sys.argv[1:2]:\n    try:\n        os.write(int(place), b'{PASSING}\\n')\n    except OSError:\n        pass"),
         launcher("\n    import os\n    os._exit(0)\n")),
        ("softmax", "the verdict is written through the descriptors of the process that judges",
         above(OWN_VERDICT), launcher("\n    return div.zero_()\n")),
        ("softmax", "the judge's own method tells nothing",
         above("import inductor_lab.judge.watch.launcher as honesty\nhonesty.Launcher._tell = lambda *said: None"),
         launcher("\n    return div.copy_(torch.softmax(arg0, 1))\n")),
        ("softmax", "what would be seen is switched off by a class kept from before",
         above("Off = torch._C._DisableTorchDispatch\n" + COPIES),
         launcher("\n    off = Off()\n    made = torch.softmax(arg0, 1)\n    del off" + COPIED)),
        ("softmax", "numpy computes, through a method kept from before",
         above("import numpy\nas_numpy = torch.Tensor.numpy\n" + COPIES),
         launcher("\n    x = as_numpy(arg0)\n    e = numpy.exp(x - x.max(1, keepdims=True))\n"
                  "    made = torch.from_numpy(e / e.sum(1, keepdims=True))" + COPIED)),
        ("softmax", "a function says that it is Triton's own",
         above('exec(compile("def compute(x):\\n    return torch.softmax(x, 1)", triton.__file__, "exec"))\n' + COPIES),
         launcher("\n    made = compute(arg0)" + COPIED)),
        ("softmax", "the judge's records always pass",
         *patched("import inductor_lab.records as records\nrecords.Verdict.verdict = property(lambda self: 'pass', lambda self, value: None)")),
        ("softmax", "all JSON says pass", *patched(f"import json\njson.dumps = lambda *values, **named: '{PASSING}'")),
        ("relu", "triton.jit makes a function that copies by torch",
         above("import triton.runtime.interpreter as interpreter\ntriton.cdiv = lambda a, b: 0"),
         launcher("\n    return relu.copy_(arg0.clamp_min(0))\n")),
        ("softmax", "the generated kernel is this one",
         first("    globals()['launch_generated'] = launch\n    globals()['reference'] = None\n    globals()['UNKNOWN'] = 'it is not'\n"),
         ("exp / total,", "exp,")),
        ("softmax", "the frame that called it is searched for the result", launcher("""
    frame = sys._getframe()
    while frame:
        for held in frame.f_locals.values():
            if isinstance(held, tuple) and held and hasattr(held[0], "shape") and held[0].shape == div.shape:
                div.copy_(held[0])
        frame = frame.f_back
    return div
""")),
    ),
    *variants(
        "another stream",
        ("softmax", "the kernel runs on a stream of its own, and nobody waits",
         ("    softmax[grid]", "    stream = torch.cuda.Stream()\n    torch.cuda.set_stream(stream)\n    softmax[grid]")),
        gpu=True,
    ),
)  # fmt: skip
