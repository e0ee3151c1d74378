"""The judge: holds a kernel and eager PyTorch to float64. The same text stands in every ejected file and judges `inductor-lab verify`.

A file is a module with `launch`, `launch_generated`, `reference`, `ARGUMENTS`, `WRITTEN` and `INTERPRETER` (blocks for Triton's interpreter).
"""

# --8<-- from here on the text is copied into ejected files
import math

import numpy as np
import torch
import triton
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

INTERPRETING = triton.knobs.runtime.interpret  # TRITON_INTERPRET=1: kernels run on the CPU, in numpy
DEVICE = "cuda" if torch.cuda.is_available() and not INTERPRETING else "cpu"
if INTERPRETING:  # a GPU's max and min drop a NaN unless told otherwise; Triton's interpreter (3.6, 3.7) would keep it
    from triton.runtime.interpreter import InterpreterBuilder

    InterpreterBuilder.create_maxnumf = lambda self, a, b: self.binary_op(a, b, np.fmax)
    InterpreterBuilder.create_minnumf = lambda self, a, b: self.binary_op(a, b, np.fmin)
    np.seterr(all="ignore")  # NaN and inf are among the values
GUARD = 128  # elements before and after each tensor that no kernel may touch


class Exact(TorchDispatchMode):
    """Every floating dtype that an operator is told becomes float64: the same arithmetic without rounding."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        def widen(x):
            return torch.float64 if isinstance(x, torch.dtype) and x.is_floating_point else x

        return function(*tree_map(widen, args), **tree_map(widen, kwargs or {}))


def filled(shape, stride, dtype, fill, generator, device, edges=False):
    """One tensor inside a larger piece of memory, as (its bytes, the tensor): valid values in the tensor, poison around it."""
    span = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) if all(shape) else 0
    poison = 0xFF if dtype.is_floating_point else 0xAA  # NaN; an unlikely integer; no valid bool
    memory = torch.full(((span + 2 * GUARD) * dtype.itemsize,), poison, dtype=torch.uint8, device=device)
    view = memory.view(dtype).as_strided(shape, stride, GUARD)
    if fill == "out":
        return memory, view
    if fill == "bool":
        values = torch.rand(shape, generator=generator) < 0.5
    elif isinstance(fill, tuple):
        values = torch.randint(fill[0], fill[1], shape, generator=generator)
        if edges:  # half of them at the ends of the range
            values = torch.where(
                torch.rand(shape, generator=generator) < 0.5, values, torch.where(values % 2 == 0, fill[0], fill[1] - 1)
            )
    else:
        values = torch.randn(shape, generator=generator)
        if edges:
            odd = torch.tensor([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-30])
            picked = odd[torch.randint(0, len(odd), shape, generator=generator)]
            values = torch.where(torch.rand(shape, generator=generator) < 0.25, picked, values)
        if fill == "positive":
            values = values.abs() + 0.1
    view.copy_(values.to(dtype))
    return memory, view


def tensors(file, seed, device=DEVICE, edges=False):
    """(memory, tensor) for every argument of a file, by name."""
    generator = torch.Generator("cpu").manual_seed(seed)
    return {name: filled(*spec, generator, device, edges) for name, spec in file.ARGUMENTS.items()}


def expected(file, views, exact=False):
    """What eager makes of the tensors that the kernel reads, for each tensor that it writes."""
    read = [view.clone() for name, view in views.items() if file.ARGUMENTS[name][3] != "out"]
    if not exact:
        return file.reference(*read)
    with Exact():
        return file.reference(*(x.double() if x.is_floating_point() else x for x in read))


def distance(out, eager, exact):
    """Largest error relative to the largest exact value; inf where `out` is not finite in the way that eager is not."""
    if not exact.is_floating_point():
        return 0.0 if torch.equal(out, eager) else math.inf
    finite = torch.isfinite(eager)
    told_apart = [
        torch.where(finite, 0.0, x.double()).nan_to_num(3.0, 1.0, -1.0) for x in (out, eager)
    ]  # NaN, inf, -inf
    if not torch.equal(*told_apart):
        return math.inf
    out, exact = out.double()[finite], exact[finite]
    scale = exact.abs().max().item() if exact.numel() else 0.0
    error = (out - exact).abs().max().item() if exact.numel() else 0.0
    return math.inf if math.isnan(error) else error / scale if scale else error


def hold(file, launch, seed, edges=False, **config):
    """Run one launch on fresh inputs: (its error, eager's error, the limit, what is wrong or "").

    The limit is twice eager's own distance from float64 plus one rounding. Outputs are poisoned beforehand, and not a byte may change
    outside the tensors that the kernel is there to write.
    """
    held = tensors(file, seed, edges=edges)
    views = {name: view for name, (_, view) in held.items()}
    eager, exact = expected(file, views), expected(file, views, exact=True)
    before = {name: memory.clone() for name, (memory, _) in held.items()}
    launch(*views.values(), **(file.INTERPRETER[launch.__name__] if INTERPRETING else {}) | config)
    worst, wrong = (-math.inf, 0.0, 0.0), ""
    for name, want, ideal in zip(file.WRITTEN, eager, exact, strict=True):
        out = views[name]
        if out.dtype == torch.bool and (torch.as_strided(held[name][0], out.shape, out.stride(), GUARD) > 1).any():
            wrong = wrong or f"some of {name} was never written"
        want, ideal = want.reshape(out.shape), ideal.reshape(out.shape)
        rounding = torch.finfo(out.dtype).eps if out.is_floating_point() else 0.0
        mine, own = distance(out, want.to(out.dtype), ideal), distance(want.to(out.dtype), want, ideal)
        limit = 2 * own + rounding
        if mine > limit:
            wrong = wrong or f"{name} is {mine:.2e} from float64, eager is {own:.2e}, the limit {limit:.2e}"
        if mine - limit >= worst[0] - worst[2]:
            worst = (mine, own, limit)
        before[name].view(out.dtype).as_strided(out.shape, out.stride(), GUARD).copy_(out)  # what it is there to write
    for name, (memory, _) in held.items():
        if not torch.equal(memory, before[name]):
            wrong = wrong or (
                f"it wrote outside of {name}" if name in file.WRITTEN else f"it changed {name}, which it must only read"
            )
    return *worst, wrong


def cases(file, seeds=3):
    """(name, arguments of `hold`) of everything a kernel is held to: seeds, edge values, a block that does not divide the size."""
    for seed in range(seeds):
        yield f"seed {seed}", {"seed": seed}
    yield "edge values", {"seed": seeds, "edges": True}
    if file.TAIL and (
        not INTERPRETING
        or all(file.TAIL.get(name, block) >= block for name, block in file.INTERPRETER["launch"].items())
    ):
        yield (
            "tail " + ", ".join(f"{name}={block}" for name, block in file.TAIL.items()),
            {"seed": seeds + 1} | file.TAIL,
        )


def check(file, launch, seeds=3):
    """Hold `launch` to every case; returns the largest (error, eager's error).

    Raises:
        AssertionError: naming the first case that failed, and how.
    """
    worst = (0.0, 0.0)
    for name, case in cases(file, seeds):
        error, own, _, wrong = hold(file, launch, **case)
        assert not wrong, f"{name}: {wrong}"
        worst = max(worst, (error, own))
    return worst
