"""The check whose text stands in every ejected file: inputs as the file declares them, float64, and a distance from it.

    distance(out, exact, eager)      2.63e-03: the largest error, as a part of the largest exact value

`verify` draws normal numbers and computes in float64 by these functions too, so that both say the same of one seed.
"""

import torch
import triton

# isort: split
# --8<-- from here on the text is copied into ejected files
import math

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only

INTERPRETING = triton.knobs.runtime.interpret  # TRITON_INTERPRET=1: kernels run on the CPU, in numpy
DEVICE = "cuda" if torch.cuda.is_available() and not INTERPRETING else "cpu"
WORDS = {
    "normal": lambda x: x,
    "finite": lambda x: x,
    "positive": lambda x: x.abs() + 0.1,
    "count": lambda x: x.abs() + 0.1,
    "above_one": lambda x: x.abs() + 1.0,
    "unit": lambda x: 0.999 * torch.sin(x),
    "sorted": lambda x: x.sort(-1).values,
    "bool": lambda x: x > 0,
    "any": lambda x: (x**3 / 50_000).round().long(),  # most of them small
}


def drawn(arguments, seed=0, device=DEVICE, draws="cpu"):
    """A tensor for each of ARGUMENTS, by name: valid values where it is read, poison where it is only written."""
    generator, made = torch.Generator(draws).manual_seed(seed), {}
    for name, (shape, stride, dtype, fill) in arguments.items():
        view = torch.empty_strided(shape, stride, dtype=dtype, device=device)
        made[name] = made[fill[1]] if fill[0] == "same" else view
        if fill == "out":
            view.fill_(math.nan if dtype.is_floating_point else 85)
        elif fill[0] != "same":
            once = tuple(slice(None) if step else slice(1) for step in stride)  # an expanded dimension is one element
            view[once].copy_(valid_values(shape, dtype, fill, generator)[once])
    return made


def valid_values(shape, dtype, fill, generator):
    """Whole numbers of a range, or what a word of ARGUMENTS makes of normal ones."""
    if isinstance(fill, tuple):
        return whole_numbers(shape, generator, *fill).to(dtype)
    size = 1 if dtype.is_floating_point or dtype.is_complex else 100
    return WORDS[fill](size * torch.randn(shape, generator=generator, dtype=torch.float32)).to(dtype)


def whole_numbers(shape, generator, low, high, *others):
    """From one up to another, without it: a quarter of them others that are named, or none twice along the dimensions that are."""
    if others[:1] == ("distinct",):
        high -= math.prod(shape[dimension] for dimension in others[1:]) - 1  # room to move them apart
        return apart(torch.randint(low, high, shape, generator=generator), others[1:], generator)
    made = torch.randint(low, high, shape, generator=generator)
    if others:
        picked = torch.tensor(others)[torch.randint(0, len(others), shape, generator=generator)]
        made = torch.where(torch.rand(shape, generator=generator, dtype=torch.float32) < 0.25, picked, made)
    return made


def apart(values, along, generator):
    """Whole numbers moved up, each past the smaller ones, and shuffled: no two are the same along these dimensions, taken together."""
    order = [*(d for d in range(values.ndim) if d not in along), *along]
    moved = values.permute(order)
    rows = moved.flatten(values.ndim - len(along)).sort(-1).values
    shuffled = torch.rand(rows.shape, generator=generator, dtype=torch.float32).argsort(-1)
    rows = (rows + torch.arange(rows.shape[-1])).gather(-1, shuffled)
    return rows.reshape(moved.shape).permute([order.index(d) for d in range(values.ndim)])


class Exact(TorchDispatchMode):
    """Every dtype that an operator is told becomes the `wide` one, and so does that of whole numbers times a fraction: no rounding."""

    def __enter__(self):
        self.before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *error):
        torch.set_default_dtype(self.before)
        return super().__exit__(*error)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        args, kwargs = tree_map_only(torch.dtype, wide, (args, kwargs or {}))
        return function(*args, **kwargs)

    _should_skip_dynamo = classmethod(lambda cls: False)  # torch would import its compiler for a second first


def wide(dtype):
    """Float64 for a floating dtype, complex128 for a complex one; others stay."""
    return torch.complex128 if dtype.is_complex else torch.float64 if dtype.is_floating_point else dtype


def distance(out, exact, eager):
    """The largest error, as a part of the largest exact value; inf where it is finite and eager is not, or the other way round."""
    finite = eager.isfinite()
    if not torch.equal(out.isfinite(), finite):
        return math.inf
    out, exact = (x[finite].to(torch.promote_types(exact.dtype, torch.float64)) for x in (out, exact))
    error = (out - exact).abs().max().item() if exact.numel() else 0.0
    return error / (exact.abs().max().item() or 1.0) if error else 0.0
