"""The judge: holds a kernel and eager PyTorch to float64. The same text stands in every ejected file and judges `inductor-lab verify`.

A file is a module with `launch`, `launch_generated`, `reference`, `ARGUMENTS`, `WRITTEN` and `INTERPRETER` (blocks for Triton's interpreter).
"""

from inductor_lab.judge import known  # noqa: F401  # it looks at the interpreter before that is mended

# isort: split
# --8<-- from here on the text is copied into ejected files
import inspect
import math
import types

import numpy as np
import torch
import triton
import triton.language as tl
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

INTERPRETING = triton.knobs.runtime.interpret  # TRITON_INTERPRET=1: kernels run on the CPU, in numpy
DEVICE = "cuda" if torch.cuda.is_available() and not INTERPRETING else "cpu"
if INTERPRETING:
    from triton.runtime import interpreter
    from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, ScanOps

if INTERPRETING and not hasattr(interpreter, "MENDED"):  # another file of this process may have done it
    interpreter.MENDED = "where it (3.6, 3.7) is not what a GPU is"

    # a GPU's max and min drop a NaN unless told otherwise
    InterpreterBuilder.create_maxnumf = lambda self, a, b: self.binary_op(a, b, np.fmax)
    InterpreterBuilder.create_minnumf = lambda self, a, b: self.binary_op(a, b, np.fmin)

    NARROW = {tl.bfloat16: torch.bfloat16, tl.float8e5: torch.float8_e5m2, tl.float8e4nv: torch.float8_e4m3fn}

    def converted(x, of, to, rounding_mode, convert=interpreter._convert_float):
        """Narrow floats by torch, which rounds to the nearest as a GPU does; the interpreter cuts bfloat16 off, and rounds halves up."""
        whole = {1: np.uint8, 2: np.int16}
        if of == tl.float32 and to in NARROW:
            made = torch.from_numpy(x.copy()).to(NARROW[to])
            made = made.view(torch.int16 if made.itemsize == 2 else torch.uint8).numpy()
            return made.view(np.uint16) if made.itemsize == 2 else made
        if to == tl.float32 and of in NARROW:
            return torch.from_numpy(x.view(whole[x.itemsize]).copy()).view(NARROW[of]).float().numpy()
        return convert(x, of, to, rounding_mode)

    interpreter._convert_float = converted

    def dotted(self, a, b, *rest, dot=InterpreterBuilder.create_dot):
        """A product of narrow floats is one of their values; the interpreter multiplies the bits of a bfloat16 as whole numbers."""
        wide = [
            interpreter.TensorHandle(converted(x.data, x.dtype, tl.float32, None), tl.float32)
            if x.dtype in NARROW
            else x
            for x in (a, b)
        ]
        return dot(self, *wide, *rest)

    InterpreterBuilder.create_dot = dotted

    def atomic(self, operation, *operands, rmw=InterpreterBuilder.create_atomic_rmw):
        """The interpreter's atomics read one element after another; what is broadcast lies there once."""
        *tensors, order, scope = operands
        laid = [interpreter.TensorHandle(np.ascontiguousarray(x.data), x.dtype) for x in tensors]
        return rmw(self, operation, *laid, order, scope)

    InterpreterBuilder.create_atomic_rmw = atomic

    def given(x, convert=interpreter._implicit_cvt):
        """A number that a launch passes, as the kernel has it: the interpreter leaves a float as it is, and has no room for a bool."""
        if not isinstance(x, float | bool):
            return convert(x)
        kind, dtype = (np.float32, tl.float32) if isinstance(x, float) else (np.bool_, tl.int1)
        return tl.tensor(interpreter.TensorHandle(np.array([x], kind), dtype), dtype)

    interpreter._implicit_cvt = given

    def patched(tensor, scope, patch=interpreter._patch_lang_tensor):
        """`range(n)` of a number that a launch passes, an array of one element: Triton 3.6 takes it for a scalar, and numpy 2.5 refuses."""
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = patched

    def reduced(self, inputs):
        """Halves are combined, as a GPU's lanes are, until one is left; the interpreter itself goes element by element."""
        parts, dtypes = [x.handle.data for x in inputs], [x.dtype for x in inputs]
        combine = self.combine_fn.rewrite()
        while parts[0].shape[self.axis] > 1:
            halves = [np.split(part, 2, self.axis) for part in parts]
            made = combine(*map(self.to_tensor, sum(zip(*halves, strict=True), ()), dtypes * 2))
            parts = [x.handle.data for x in (made if isinstance(made, tuple) else (made,))]
        kept = parts if self.keep_dims else [part.squeeze(self.axis) for part in parts]
        return [self.to_tensor(part, dtype) for part, dtype in zip(kept, dtypes, strict=True)]

    def scanned_at_once(self, inputs):
        """Each element is combined with what ends 1, 2, 4 ... before it, for all rows at once; the interpreter goes element by element.

        In float64, as eager on the CPU adds up float32.
        """
        wide = {tl.float32: (np.float64, tl.float64)}
        made = [wide.get(x.dtype, (x.handle.data.dtype, x.dtype)) for x in inputs]
        parts = [x.handle.data.astype(dtype) for x, (dtype, _) in zip(inputs, made, strict=True)]
        size, step, combine = parts[0].shape[self.axis], 1, self.combine_fn.rewrite()
        places = np.arange(size).reshape(
            [-1 if axis == self.axis % parts[0].ndim else 1 for axis in range(parts[0].ndim)]
        )
        while step < size:
            shifted = [np.roll(part, step, self.axis) for part in parts]
            both = [self.to_tensor(x, dtype) for x, (_, dtype) in zip((*shifted, *parts), (*made, *made), strict=True)]
            found = combine(*both)
            found = found if isinstance(found, tuple) else (found,)
            parts = [np.where(places < step, part, new.handle.data) for part, new in zip(parts, found, strict=True)]
            step *= 2
        return [
            self.to_tensor(part.astype(x.handle.data.dtype), x.dtype) for part, x in zip(parts, inputs, strict=True)
        ]

    def cumulated(self, x, function):
        """float32 in float64, since the interpreter adds up one after another; narrower floats as a GPU does, rounded at each step."""
        if x.dtype in (tl.float16, tl.bfloat16):
            return self.generic_scan((x,))
        wide = np.float64 if x.dtype.is_floating() else x.handle.data.dtype
        return [self.to_tensor(function(x.handle.data, self.axis, wide), x.dtype)]

    ReduceOps.generic_reduce = reduced
    ScanOps.generic_scan = scanned_at_once
    ScanOps.cumsum = lambda self, x: cumulated(self, x, np.cumsum)
    ScanOps.cumprod = lambda self, x: cumulated(self, x, np.cumprod)
    triton._utils.TRITON_MAX_TENSOR_NUMEL = 1 << 23  # numpy holds a block that is larger than a large power of two
    np.seterr(all="ignore")  # NaN and inf are among the values
LOST = 2.0**-12  # half the digits of a float32: an error of this size is no rounding
GUARD = 1 << 14  # elements before and after each tensor that no kernel may touch


def wide(dtype):
    """Float64 for a floating dtype, complex128 for a complex one; others stay."""
    return torch.complex128 if dtype.is_complex else torch.float64 if dtype.is_floating_point else dtype


class Exact(TorchDispatchMode):
    """Every dtype that an operator is told becomes the `wide` one, and so does that of whole numbers times a fraction: no rounding."""

    def __enter__(self):
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(wide(self.before))
        return super().__enter__()

    def __exit__(self, *error):
        torch.set_default_dtype(self.before)
        return super().__exit__(*error)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        def widen(x):
            return wide(x) if isinstance(x, torch.dtype) else x

        return function(*tree_map(widen, args), **tree_map(widen, kwargs or {}))

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # nothing is compiled here; torch would import its compiler for a second first


def filled(shape, stride, dtype, fill, generator, device, edges=False):
    """One tensor inside a larger piece of memory, as (its bytes, the tensor): valid values or poison in the tensor, noise around it."""
    drawn = None if fill == "out" else valid_values(shape, dtype, fill, generator, edges)
    return placed(drawn, shape, stride, dtype, generator, device)


def placed(drawn, shape, stride, dtype, generator, device):
    """Values, or poison for None, in a tensor inside a larger piece of memory, as (its bytes, the tensor): noise lies around it."""
    span = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) if all(shape) else 0
    poison = 0xFF if dtype.is_floating_point else 0xAA  # NaN; an unlikely integer; no valid bool
    memory = torch.full(((span + 2 * GUARD) * dtype.itemsize,), poison, dtype=torch.uint8, device=device)
    # other bytes around each tensor: a kernel that forgets its mask would copy poison onto poison
    guard = GUARD * dtype.itemsize
    for around in (memory[:guard], memory[-guard:]):
        around.copy_(torch.randint(0, 256, (guard,), generator=generator, dtype=torch.uint8))
    view = memory.view(dtype).as_strided(shape, stride, GUARD)
    if drawn is not None:
        once = tuple(slice(1) if step == 0 else slice(None) for step in stride)  # an expanded dimension is one element
        view[once].copy_(drawn[once])
    return memory, view


def valid_values(shape, dtype, fill, generator, edges=False):
    """Valid values for one tensor: normal numbers, whole ones of a range, or what a word asks for."""
    if fill == "bool":
        return torch.rand(shape, generator=generator) < 0.5
    if isinstance(fill, tuple):
        low, high, *others = fill
        along = others[1:] if others[:1] == ["distinct"] else []
        high -= math.prod(shape[dimension] for dimension in along) - 1  # room to move them apart
        drawn = torch.randint(low, high, shape, generator=generator)
        if edges:  # half of them at the ends of the range
            drawn = torch.where(
                torch.rand(shape, generator=generator) < 0.5, drawn, torch.where(drawn % 2 == 0, low, high - 1)
            )
        if along:
            drawn = apart(drawn, along, generator)
        elif others:  # a quarter is what the kernel compares with
            picked = torch.tensor(others)[torch.randint(0, len(others), shape, generator=generator)]
            drawn = torch.where(torch.rand(shape, generator=generator) < 0.25, picked, drawn)
        return drawn.to(dtype)
    if fill == "any":  # whole numbers of which nothing is asked: half of them small
        most = torch.where(torch.rand(shape, generator=generator) < 0.5, 16, 10_000)
        drawn = (most * (2 * torch.rand(shape, generator=generator) - 1)).round().long()
        if edges:
            ends = torch.tensor([torch.iinfo(dtype).min, torch.iinfo(dtype).max, 0, -1])
            picked = ends[torch.randint(0, len(ends), shape, generator=generator)]
            drawn = torch.where(torch.rand(shape, generator=generator) < 0.25, picked, drawn)
        return drawn.to(dtype)
    drawn = torch.randn(shape, generator=generator)
    if edges:
        odd = torch.tensor([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-30])
        odd = odd[:4] if fill in ("finite", "sorted", "count") else odd
        picked = odd[torch.randint(0, len(odd), shape, generator=generator)]
        drawn = torch.where(torch.rand(shape, generator=generator) < 0.25, picked, drawn)
    if fill in ("positive", "count", "above_one"):
        drawn = drawn.abs() + (1.0 if fill == "above_one" else 0.1)
    elif fill == "unit":
        drawn = 0.999 * torch.sin(drawn)
    elif fill == "sorted":
        drawn = (drawn if dtype.is_floating_point else 100 * drawn).sort(-1).values
    return drawn.to(dtype)


def apart(values, along, generator):
    """Whole numbers moved up, each past the smaller ones, and shuffled: no two are the same along these dimensions, taken together."""
    order = [*(d for d in range(values.ndim) if d not in along), *along]
    moved = values.permute(order)
    rows = moved.flatten(values.ndim - len(along)).sort(-1).values
    rows = (rows + torch.arange(rows.shape[-1])).gather(-1, torch.rand(rows.shape, generator=generator).argsort(-1))
    return rows.reshape(moved.shape).permute([order.index(d) for d in range(values.ndim)])


def tensors(file, seed, device=DEVICE, edges=False):
    """(memory, tensor) for every argument of a file, by name: the same for two names of one tensor."""
    generator = torch.Generator("cpu").manual_seed(seed)
    held = {}
    for name, (*lies, fill) in file.ARGUMENTS.items():
        held[name] = held[fill[1]] if fill[0] == "same" else filled(*lies, fill, generator, device, edges)
    return held


def expected(file, views, exact=False, nudge=0):
    """What eager makes of the tensors that the kernel reads, for each tensor that it writes.

    exact: in float64. nudge: and from inputs that are all off by the last bit of a float32, up or down; another number, another draw.
    """
    read = [views[name].clone() for name in file.TAKES]
    if not exact:
        return file.reference(*read)
    generator = torch.Generator("cpu").manual_seed(nudge)
    read = [widened(x, nudge and generator) for x in read]
    with Exact():
        return file.reference(*read)


def widened(x, nudged=None):
    """A tensor in float64, or complex128; with a generator, each value off by the last bit of a float32, up or down."""
    if not (x.is_floating_point() or x.is_complex()):
        return x
    bit = torch.finfo(max(x.dtype, torch.float32, key=lambda dtype: dtype.itemsize)).eps
    exact = x.to(wide(x.dtype))
    return exact * (1 + bit * signs(x, nudged).double()) if nudged else exact


def signs(x, generator):
    """1 or -1 for each value, drawn where the tensor lies: a card draws its own, seeded by this generator of the CPU."""
    if x.device.type != "cpu":
        generator = torch.Generator(x.device).manual_seed(torch.randint(2**62, (), generator=generator).item())
    return 2.0 * torch.randint(0, 2, x.shape, generator=generator, dtype=torch.int8, device=x.device) - 1


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


def spread(out, exact):
    """Root mean square of the error over that of the exact values, where both are finite; 0 for integers."""
    if not exact.is_floating_point():
        return 0.0
    error, scale = (out.double() - exact).nan_to_num(0.0, 0.0, 0.0), exact.nan_to_num(0.0, 0.0, 0.0)
    return (error.square().mean() / scale.square().mean().clamp_min(1e-300)).sqrt().item() if exact.numel() else 0.0


def nearness(error, limit):
    """How near an error comes to its limit, which 1 reaches; -1 for integers that are equal, as they must be."""
    return error / limit if limit else math.inf if error else -1.0


def programs(file):
    """About how many blocks a launch under the file's own settings works through."""
    blocks = [
        p.default
        for p in inspect.signature(file.launch).parameters.values()
        if "BLOCK" in p.name and isinstance(p.default, int)
    ]
    return max(math.prod(spec[0]) for spec in file.ARGUMENTS.values()) // max(math.prod(blocks), 1)


def sized(file, sizes):
    """The file with its arguments as large as other sizes make them; itself where there are none."""
    if not sizes:
        return file
    return types.SimpleNamespace(**{**vars(file), "ARGUMENTS": file.arguments(**sizes)})


def ran(file, launch, seed, edges=False, own=False, **config):
    """Launch on fresh inputs: the tensors before, by name; what was in each memory before; (memory, tensor) by name afterwards."""
    held = tensors(file, seed, edges=edges)
    before = {memory: memory.clone() for memory, _ in held.values()}
    inputs = {name: view.clone() for name, (_, view) in held.items()}
    chosen = file.INTERPRETER[launch.__name__] if INTERPRETING else {}
    chosen = {name: value for name, value in chosen.items() if not (own and "BLOCK" in name)}
    launch(*(view for _, view in held.values()), **chosen | config)
    return inputs, before, held


def trespass(file, before, held):
    """Which memory was changed that is not there to be written, or was left as it was; "" for none."""
    for name in file.WRITTEN:
        memory, out = held[name]
        if out.dtype == torch.bool and (torch.as_strided(memory, out.shape, out.stride(), GUARD) > 1).any():
            return f"some of {name} was never written"
        # what it is there to write
        before[memory].view(out.dtype).as_strided(out.shape, out.stride(), GUARD).copy_(out)
    names = {memory: name for name, (memory, _) in held.items()}  # of two names of one tensor, the one that is written
    for memory, name in names.items():
        if not torch.equal(memory, before[memory]):
            return (
                f"it wrote outside of {name}" if name in file.WRITTEN else f"it changed {name}, which it must only read"
            )
    return ""


def against_eager(file, inputs, held):
    """(largest error, eager's own, the limit, what is wrong or "") of what was written.

    The limit is twice eager's own distance from float64 plus one rounding. Where an input's last bit moves the result by more (a sum in
    which much cancels), eager may have been lucky: then the limit is twice that.
    """
    eager, exact = expected(file, inputs), expected(file, inputs, exact=True)
    worst, wrong = (0.0, 0.0, 0.0), ""
    for number, (name, want, ideal) in enumerate(zip(file.WRITTEN, eager, exact, strict=True)):
        out = held[name][1]
        want, ideal = want.reshape(out.shape), ideal.reshape(out.shape)
        rounding = torch.finfo(out.dtype).eps if out.is_floating_point() else 0.0
        mine, theirs = distance(out, want.to(out.dtype), ideal), distance(want.to(out.dtype), want, ideal)
        limit = 2 * theirs + rounding
        few = min(8.0, max(out.numel(), 1) ** 0.5)  # the mean of few errors is no smaller than the largest
        off = spread(out, ideal)
        may = 2 * spread(want, ideal) + rounding / few
        if mine < LOST and (mine > limit or off > may):
            drawn = [expected(file, inputs, exact=True, nudge=draw)[number].reshape(out.shape) for draw in range(1, 5)]
            if (felt := max(distance(nudged, want, ideal) for nudged in drawn)) < LOST:
                limit = max(limit, 2 * felt + rounding)
                may = max(may, 2 * max(spread(nudged, ideal) for nudged in drawn) + rounding / few)
        if mine > limit:
            wrong = wrong or f"{name} is {mine:.2e} from float64, eager is {theirs:.2e}, the limit {limit:.2e}"
        elif off > may:
            wrong = (
                wrong
                or f"{name} is off by {off:.2e} in the root mean square, the limit {may:.2e}: too many small errors"
            )
        if nearness(mine, limit) >= nearness(worst[0], worst[2]):
            worst = (mine, theirs, limit)
    return *worst, wrong


def against_generated(file, held, outs):
    """The same, against what the generated kernel made of the same inputs: sums may be taken in another order."""
    worst, wrong = (0.0, 0.0, 0.0), ""
    for name in file.WRITTEN:
        out, want = held[name][1], outs[name]
        limit = 4 * torch.finfo(out.dtype).eps + 64 * torch.finfo(torch.float32).eps if out.is_floating_point() else 0.0
        mine = distance(out, want, want.double() if out.is_floating_point() else want)
        if mine > limit:
            wrong = wrong or f"{name} is {mine:.2e} from what the generated kernel computes, the limit {limit:.2e}"
        if nearness(mine, limit) >= nearness(worst[0], worst[2]):
            worst = (mine, 0.0, limit)
    return *worst, wrong


def hold(file, launch, seed, edges=False, own=False, sizes=None, **config):
    """Run one launch on fresh inputs: (its error, eager's error, the limit, what is wrong or "", what it was held to).

    It is held to eager PyTorch (`eager`), judged by float64. Where there is no reference, or the generated kernel itself does not agree
    with it on these inputs (infinities that cancel, say), it is held to the generated kernel (`generated`). Outputs are poisoned
    beforehand, and not a byte may change outside the tensors that the kernel is there to write. own: under the file's own blocks.
    """
    file = sized(file, sizes)
    inputs, before, held = ran(file, launch, seed, edges, own, **config)
    strayed = trespass(file, before, held)
    if strayed and not sizes and trespass(file, *ran(file, file.launch_generated, seed, edges, own)[1:]) == strayed:
        strayed = ""  # a card's TMA stores whole 16 bytes, for Inductor too
    found = against_eager(file, inputs, held) if file.reference else (math.inf, 0.0, 0.0, "there is no reference")
    if strayed:
        return *found[:3], strayed, "eager" if file.reference else "generated"
    if not found[3]:
        return *found, "eager"
    if sizes and getattr(file, "BASELINE_SIZES", None):
        return *found, "eager"  # the generated kernel is not for these sizes
    _, _, theirs = ran(file, file.launch_generated, seed, edges, own)
    if file.reference and not against_eager(file, inputs, theirs)[3]:
        return *found, "eager"
    return *against_generated(file, held, {name: view for name, (_, view) in theirs.items()}), "generated"


def cases(file, seeds=3):
    """(name, arguments of `hold`) of everything a kernel is held to: seeds, edge values, a block that does not divide the size."""
    for seed in range(seeds):
        yield f"seed {seed}", {"seed": seed}
    yield "edge values", {"seed": seeds, "edges": True}
    if INTERPRETING and programs(file) <= 2000:
        yield "its own blocks", {"seed": seeds + 1, "own": True}
    tail = file.TAIL["interpreter" if INTERPRETING else "gpu"]
    for sizes in getattr(file, "OTHER_SIZES", ()):
        yield (
            "sizes " + ", ".join(f"{name}={size}" for name, size in sizes.items()),
            {"seed": seeds + 3, "sizes": sizes},
        )
    if tail:
        yield "tail, " + ", ".join(f"{name}={block}" for name, block in tail.items()), {"seed": seeds + 2} | tail


def check(file, launch, seeds=3):
    """Hold `launch` to every case; returns the largest (error, eager's error).

    Raises:
        AssertionError: naming the first case that failed, and how.
    """
    worst = (0.0, 0.0)
    for name, case in cases(file, seeds):
        error, own, _, wrong, _ = hold(file, launch, **case)
        assert not wrong, f"{name}: {wrong}"
        worst = max(worst, (error, own))
    return worst
