"""Triton's interpreter where it is not what a GPU is, mended.

    1.006 as bfloat16      1.0 by the interpreter, which cuts bits off -> 1.0078125, as on a GPU

`stand_ins` adds what the interpreter lacks.
"""

from inductor_lab.judge import known  # noqa: F401  # it looks at the interpreter before that is mended

# isort: split
import numpy as np
import torch
import triton
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, ScanOps

NARROW = {tl.bfloat16: torch.bfloat16, tl.float8e5: torch.float8_e5m2, tl.float8e4nv: torch.float8_e4m3fn}
LARGEST_BLOCK = 1 << 23
"""Elements: numpy holds a block that is larger than a large power of two."""


def install():
    """Once in a process; a file that was ejected before may have done it."""
    if hasattr(interpreter, "MENDED"):
        return
    interpreter.MENDED = __name__
    # a GPU's max and min drop a NaN unless told otherwise
    InterpreterBuilder.create_maxnumf = lambda self, a, b: self.binary_op(a, b, np.fmax)
    InterpreterBuilder.create_minnumf = lambda self, a, b: self.binary_op(a, b, np.fmin)
    interpreter._convert_float = converted
    InterpreterBuilder.create_dot = dotted
    InterpreterBuilder.create_atomic_rmw = atomic
    interpreter._implicit_cvt = given
    interpreter._patch_lang_tensor = patched
    ReduceOps.generic_reduce = reduced
    ScanOps.generic_scan = scanned_at_once
    ScanOps.cumsum = lambda self, x: cumulated(self, x, np.cumsum)
    ScanOps.cumprod = lambda self, x: cumulated(self, x, np.cumprod)
    triton._utils.TRITON_MAX_TENSOR_NUMEL = LARGEST_BLOCK
    np.seterr(all="ignore")  # NaN and inf are among the values


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


def dotted(self, a, b, *rest, dot=InterpreterBuilder.create_dot):
    """A product of narrow floats is one of their values; the interpreter multiplies the bits of a bfloat16 as whole numbers."""
    wide = [
        interpreter.TensorHandle(converted(x.data, x.dtype, tl.float32, None), tl.float32) if x.dtype in NARROW else x
        for x in (a, b)
    ]
    return dot(self, *wide, *rest)


def atomic(self, operation, *operands, rmw=InterpreterBuilder.create_atomic_rmw):
    """The interpreter's atomics read one element after another; what is broadcast lies there once."""
    *tensors, order, scope = operands
    laid = [interpreter.TensorHandle(np.ascontiguousarray(x.data), x.dtype) for x in tensors]
    return rmw(self, operation, *laid, order, scope)


def given(x, convert=interpreter._implicit_cvt):
    """A number that a launch passes, as the kernel has it: the interpreter leaves a float as it is, and has no room for a bool."""
    if not isinstance(x, float | bool):
        return convert(x)
    kind, dtype = (np.float32, tl.float32) if isinstance(x, float) else (np.bool_, tl.int1)
    return tl.tensor(interpreter.TensorHandle(np.array([x], kind), dtype), dtype)


def patched(tensor, scope, patch=interpreter._patch_lang_tensor):
    """`range(n)` of a number that a launch passes, an array of one element: Triton 3.6 takes it for a scalar, and numpy 2.5 refuses."""
    patch(tensor, scope)
    scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))


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
    places = np.arange(size).reshape([-1 if axis == self.axis % parts[0].ndim else 1 for axis in range(parts[0].ndim)])
    while step < size:
        shifted = [np.roll(part, step, self.axis) for part in parts]
        both = [self.to_tensor(x, dtype) for x, (_, dtype) in zip((*shifted, *parts), (*made, *made), strict=True)]
        found = combine(*both)
        found = found if isinstance(found, tuple) else (found,)
        parts = [np.where(places < step, part, new.handle.data) for part, new in zip(parts, found, strict=True)]
        step *= 2
    return [self.to_tensor(part.astype(x.handle.data.dtype), x.dtype) for part, x in zip(parts, inputs, strict=True)]


def cumulated(self, x, function):
    """float32 in float64, since the interpreter adds up one after another; narrower floats as a GPU does, rounded at each step."""
    if x.dtype in (tl.float16, tl.bfloat16):
        return self.generic_scan((x,))
    wide = np.float64 if x.dtype.is_floating() else x.handle.data.dtype
    return [self.to_tensor(function(x.handle.data, self.axis, wide), x.dtype)]
