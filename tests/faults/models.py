"""The small models whose kernels the catalogue plants its faults in; each is one compiled function, and the first kernel of its graph.

    inductor-lab capture tests/faults/models.py --gpu h200 -o FOLDER      # FOLDER/log.txt.gz is kernels.log.gz, less the machine's paths

Sizes are small and odd: a file verifies in a second, and no block divides them. New models go to the end of `MODELS`, so that the graphs
of the ones before keep their numbers; then the log is captured again.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

# Elementwise


def relu(x: Tensor) -> Tensor:
    return torch.relu(x)


def leaky(x: Tensor) -> Tensor:
    return F.leaky_relu(x, 0.01)


def gelu(x: Tensor, bias: Tensor) -> Tensor:
    return F.gelu(x + bias)


def gelu_tanh(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def hardtanh(x: Tensor) -> Tensor:
    return F.hardtanh(x, -1.0, 2.0)


def threshold(x: Tensor) -> Tensor:
    return torch.where(x > 3, x, x * 0.25)


def silu_gate(gate: Tensor, up: Tensor) -> Tensor:
    return F.silu(gate) * up


def scaled(x: Tensor, y: Tensor) -> Tensor:
    return x * 0.5 + y


def overflowing(x: Tensor, y: Tensor) -> Tensor:
    return (x * 0.001) * y


def sigmoid_loss(x: Tensor, target: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(x, target, reduction="none")


def tanh(x: Tensor) -> Tensor:
    return torch.tanh(x)


def reciprocal_root(x: Tensor) -> Tensor:
    return torch.rsqrt(x * x + 1e-5)


def divided(x: Tensor, y: Tensor) -> Tensor:
    return x / (y.abs() + 1e-8)


def masked_fill(x: Tensor, mask: Tensor) -> Tensor:
    return x.masked_fill(mask, float("-inf"))


def closest(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return torch.minimum(x, y), torch.maximum(x, y)


def compared(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x <= y, x == y


def negated(x: Tensor) -> Tensor:
    return -x


def not_finite(x: Tensor) -> Tensor:
    return torch.isnan(x) | torch.isinf(x)


def sum_and_difference(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return x + y, x - y


# Whole numbers and casts


def floor_division(a: Tensor, b: Tensor) -> Tensor:
    return torch.div(a, b, rounding_mode="floor")


def remainder(a: Tensor) -> Tensor:
    return torch.remainder(a, 7)


def hashed(a: Tensor) -> Tensor:
    return (a * 2654435761 + 12345) % 1000003


def shifted(a: Tensor) -> Tensor:
    return (a >> 3) & 255


def truncated(x: Tensor) -> Tensor:
    return (x * 16).to(torch.int32)


def narrowed(x: Tensor, y: Tensor) -> Tensor:
    return (x + y).to(torch.bfloat16)


def widened_product(a: Tensor, b: Tensor) -> Tensor:
    return a.long() * b.long()


def tripled(a: Tensor) -> Tensor:
    return a * 3


# Indices


def gather(table: Tensor, ids: Tensor) -> Tensor:
    return table[ids]


def padded_gather(table: Tensor, ids: Tensor) -> Tensor:
    return torch.where((ids == -1)[:, None], 0.0, table[ids])


def taken(x: Tensor, ids: Tensor) -> Tensor:
    return torch.gather(x, 1, ids)


def embedding(table: Tensor, ids: Tensor) -> Tensor:
    return F.embedding(ids, table)


def embedding_backward(grad: Tensor, ids: Tensor) -> Tensor:
    return torch.ops.aten.embedding_dense_backward(grad, ids, 30, 5, False)


def index_put(x: Tensor, ids: Tensor, values: Tensor) -> Tensor:
    return x.index_put((ids,), values, accumulate=True)


def transposed(x: Tensor) -> Tensor:
    return (x + 1).t().contiguous()


def concatenated(x: Tensor, y: Tensor) -> Tensor:
    return torch.cat([x, y * 2], dim=1)


def strided(x: Tensor) -> Tensor:
    return x[:, ::2] * 3


def flipped(x: Tensor) -> Tensor:
    return torch.flip(x, (1,)) + x


def rolled(x: Tensor) -> Tensor:
    return torch.roll(x, 3, 1) - x


def rotary(q: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    left, right = q.chunk(2, -1)
    return q * cos + torch.cat([-right, left], -1) * sin


def causal(x: Tensor) -> Tensor:
    rows = torch.arange(x.shape[0], device=x.device)
    return torch.where(rows[:, None] >= rows[None, :], x, -1e4)


def average_pool(x: Tensor) -> Tensor:
    return F.avg_pool2d(x, 3, 2, 1)


def max_pool(x: Tensor) -> tuple[Tensor, Tensor]:
    return F.max_pool2d(x, 3, 2, 1, return_indices=True)


def broadcast(x: Tensor, row: Tensor, column: Tensor) -> Tensor:
    return x * row + column[:, None]


# Reductions


def row_sum(x: Tensor) -> Tensor:
    return x.sum(1)


def column_sum(x: Tensor) -> Tensor:
    return x.sum(0)


def mean(x: Tensor) -> Tensor:
    return x.mean(1)


def variance(x: Tensor) -> Tensor:
    return x.var(1)


def batch_variance(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.var_mean(x, 0, correction=0)


def largest(x: Tensor) -> Tensor:
    return x.amax(1)


def max_with_index(x: Tensor) -> tuple[Tensor, Tensor]:
    values, indices = x.max(1)
    return values, indices


def argmax(x: Tensor) -> Tensor:
    return x.argmax(1)


def count_positive(x: Tensor) -> Tensor:
    return (x > 0).sum(1)


def total(x: Tensor) -> Tensor:
    return (x * x).sum()


def norm(x: Tensor) -> Tensor:
    return x / (x.square().sum(1, keepdim=True).sqrt() + 1e-6)


def sum_and_its_sign(x: Tensor) -> tuple[Tensor, Tensor]:
    y = x.sum(1)
    return y, y <= 0


def cumsum(x: Tensor) -> Tensor:
    return x.cumsum(1)


def int_sum(x: Tensor) -> Tensor:
    return x.sum(1)


def inner_products(x: Tensor, weight: Tensor) -> Tensor:
    return (x[:, None, :] * weight[None]).sum(-1)


def stable_sort(x: Tensor) -> tuple[Tensor, Tensor]:
    values, order = torch.sort(x, dim=1, stable=True)
    return values, order


# Softmax, norms, losses


def softmax(x: Tensor) -> Tensor:
    return x.softmax(1)


def masked_softmax(x: Tensor, mask: Tensor) -> Tensor:
    return x.masked_fill(mask, float("-inf")).softmax(1)


def log_softmax(x: Tensor) -> Tensor:
    return x.log_softmax(1)


def logsumexp(x: Tensor) -> Tensor:
    return x.logsumexp(1)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return F.layer_norm(x, (x.shape[1],), weight, bias)


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    return x * torch.rsqrt(x.square().mean(1, keepdim=True) + 1e-5) * weight


def cross_entropy(x: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(x, labels, ignore_index=-100)


def label_loss(x: Tensor, labels: Tensor) -> Tensor:
    return F.nll_loss(x, labels, ignore_index=-100, reduction="none")


# In place


def adam(p: Tensor, g: Tensor, m: Tensor, v: Tensor) -> None:
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    p.addcdiv_(m, v.sqrt() + 1e-8, value=-0.01)


def running_mean(running: Tensor, batch: Tensor) -> None:
    running.mul_(0.9).add_(batch, alpha=0.1)


def floats(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape, dtype=dtype, device="cuda")


def whole(*shape: int, high: int = 1000, dtype: torch.dtype = torch.int64) -> Tensor:
    return torch.randint(0, high, shape, dtype=dtype, device="cuda")


def booleans(*shape: int) -> Tensor:
    return torch.randint(0, 2, shape, device="cuda") > 0


HALF, BRAIN = torch.float16, torch.bfloat16
ROWS = (37, 200)
# name: (function, arguments). The name is the kernel's in the catalogue, and says the dtype where it is not float32.
MODELS = {
    "relu": (relu, lambda: (floats(*ROWS),)),
    "leaky": (leaky, lambda: (floats(*ROWS),)),
    "leaky_bf16": (leaky, lambda: (floats(*ROWS, dtype=BRAIN),)),
    "leaky_fp16": (leaky, lambda: (floats(*ROWS, dtype=HALF),)),
    "gelu": (gelu, lambda: (floats(*ROWS), floats(200))),
    "gelu_bf16": (gelu, lambda: (floats(*ROWS, dtype=BRAIN), floats(200, dtype=BRAIN))),
    "gelu_tanh": (gelu_tanh, lambda: (floats(*ROWS),)),
    "hardtanh_fp16": (hardtanh, lambda: (floats(*ROWS, dtype=HALF),)),
    "threshold": (threshold, lambda: (floats(*ROWS),)),
    "silu_gate_bf16": (silu_gate, lambda: (floats(*ROWS, dtype=BRAIN), floats(*ROWS, dtype=BRAIN))),
    "scaled_bf16": (scaled, lambda: (floats(*ROWS, dtype=BRAIN), floats(*ROWS, dtype=BRAIN))),
    "overflowing_fp16": (overflowing, lambda: (floats(*ROWS, dtype=HALF), floats(*ROWS, dtype=HALF))),
    "sigmoid_loss": (sigmoid_loss, lambda: (floats(*ROWS), floats(*ROWS))),
    "tanh": (tanh, lambda: (floats(*ROWS),)),
    "reciprocal_root": (reciprocal_root, lambda: (floats(*ROWS),)),
    "divided": (divided, lambda: (floats(*ROWS), floats(*ROWS))),
    "masked_fill": (masked_fill, lambda: (floats(*ROWS), booleans(*ROWS))),
    "closest": (closest, lambda: (floats(*ROWS), floats(*ROWS))),
    "compared": (compared, lambda: (floats(*ROWS), floats(*ROWS))),
    "negated": (negated, lambda: (floats(*ROWS),)),
    "not_finite": (not_finite, lambda: (floats(*ROWS),)),
    "sum_and_difference": (sum_and_difference, lambda: (floats(*ROWS), floats(*ROWS))),
    "floor_division": (floor_division, lambda: (whole(*ROWS), whole(*ROWS) + 1)),
    "remainder": (remainder, lambda: (whole(*ROWS),)),
    "hashed": (hashed, lambda: (whole(*ROWS),)),
    "shifted": (shifted, lambda: (whole(*ROWS),)),
    "truncated": (truncated, lambda: (floats(*ROWS),)),
    "narrowed": (narrowed, lambda: (floats(*ROWS), floats(*ROWS))),
    "widened_product": (widened_product, lambda: (whole(*ROWS, dtype=torch.int32), whole(*ROWS, dtype=torch.int32))),
    "tripled_int16": (tripled, lambda: (whole(*ROWS, dtype=torch.int16),)),
    "gather": (gather, lambda: (floats(50, 75), whole(40, high=50))),
    "padded_gather": (padded_gather, lambda: (floats(50, 75), whole(40, high=50))),
    "taken": (taken, lambda: (floats(*ROWS), whole(37, 33, high=200))),
    "embedding": (embedding, lambda: (floats(50, 75), whole(40, high=50))),
    "embedding_backward": (embedding_backward, lambda: (floats(40, 75), whole(40, high=30))),
    "index_put": (index_put, lambda: (floats(30, 75), whole(40, high=30), floats(40, 75))),
    "transposed": (transposed, lambda: (floats(70, 90),)),
    "concatenated": (concatenated, lambda: (floats(40, 33), floats(40, 50))),
    "strided": (strided, lambda: (floats(*ROWS),)),
    "flipped": (flipped, lambda: (floats(*ROWS),)),
    "rolled": (rolled, lambda: (floats(*ROWS),)),
    "rotary": (rotary, lambda: (floats(3, 20, 48), floats(20, 48), floats(20, 48))),
    "causal": (causal, lambda: (floats(60, 60),)),
    "average_pool": (average_pool, lambda: (floats(2, 3, 17, 19),)),
    "max_pool": (max_pool, lambda: (floats(2, 3, 17, 19),)),
    "broadcast": (broadcast, lambda: (floats(60, 60), floats(60), floats(60))),
    "row_sum": (row_sum, lambda: (floats(*ROWS),)),
    "row_sum_bf16": (row_sum, lambda: (floats(*ROWS, dtype=BRAIN),)),
    "column_sum": (column_sum, lambda: (floats(300, 50),)),
    "mean_fp16": (mean, lambda: (floats(*ROWS, dtype=HALF),)),
    "variance": (variance, lambda: (floats(*ROWS),)),
    "batch_variance": (batch_variance, lambda: (floats(300, 50),)),
    "largest": (largest, lambda: (floats(*ROWS),)),
    "max_with_index": (max_with_index, lambda: (floats(*ROWS),)),
    "argmax": (argmax, lambda: (floats(*ROWS),)),
    "count_positive": (count_positive, lambda: (floats(*ROWS),)),
    "total": (total, lambda: (floats(300, 200),)),
    "norm": (norm, lambda: (floats(*ROWS),)),
    "cumsum": (cumsum, lambda: (floats(*ROWS),)),
    "int_sum": (int_sum, lambda: (whole(*ROWS),)),
    "inner_products": (inner_products, lambda: (floats(32, 64), floats(48, 64))),
    "stable_sort": (stable_sort, lambda: (whole(37, 100),)),
    "softmax": (softmax, lambda: (floats(*ROWS),)),
    "softmax_bf16": (softmax, lambda: (floats(*ROWS, dtype=BRAIN),)),
    "softmax_long": (softmax, lambda: (floats(5, 3000),)),
    "masked_softmax": (masked_softmax, lambda: (floats(*ROWS), booleans(*ROWS))),
    "log_softmax_fp16": (log_softmax, lambda: (floats(*ROWS, dtype=HALF),)),
    "logsumexp": (logsumexp, lambda: (floats(*ROWS),)),
    "layer_norm": (layer_norm, lambda: (floats(*ROWS), floats(200), floats(200))),
    "layer_norm_fp16": (
        layer_norm,
        lambda: (floats(*ROWS, dtype=HALF), floats(200, dtype=HALF), floats(200, dtype=HALF)),
    ),
    "rms_norm_bf16": (rms_norm, lambda: (floats(*ROWS, dtype=BRAIN), floats(200, dtype=BRAIN))),
    "cross_entropy": (cross_entropy, lambda: (floats(37, 50), whole(37, high=50))),
    "label_loss": (label_loss, lambda: (floats(37, 50), whole(37, high=50))),
    "adam": (adam, lambda: tuple(floats(30, 40) for _ in range(4))),
    "running_mean": (running_mean, lambda: (floats(300), floats(300))),
    "sum_and_its_sign": (sum_and_its_sign, lambda: (floats(*ROWS),)),
}


def main() -> None:
    torch._dynamo.config.cache_size_limit = 1000
    torch._dynamo.config.automatic_dynamic_shapes = False  # one function stands for several dtypes
    with torch.no_grad():
        for function, arguments in MODELS.values():
            torch._dynamo.reset()
            torch.compile(function, dynamic=False)(*arguments())


if __name__ == "__main__":
    main()
