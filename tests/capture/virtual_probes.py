"""Little programs for one GPU, a table of them: does Inductor write Triton for each, on a card that is not there?

Captured by `test_virtual_gpu.py`, or by hand, with the groups to run:

    INDUCTOR_LAB_PROBES="operators shapes" inductor-lab capture tests/capture/virtual_probes.py --gpu mi300x

Writes `probes.json` into the working directory: group -> probe -> the number of kernels, or what went wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import torch
import triton
import triton.language as tl
from torch._higher_order_ops.associative_scan import associative_scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn import functional as F  # noqa: N812
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils.checkpoint import checkpoint

CARD = triton.runtime.driver.active.get_active_torch_device()
"""As Triton's tutorials ask for it."""
Probe = Callable[[], object]
GROUPS: dict[str, dict[str, Probe]] = {}


def group(name: str) -> Callable[[Probe], Probe]:
    """A decorator that puts a probe into that group."""

    def add(probe: Probe) -> Probe:
        GROUPS.setdefault(name, {})[probe.__name__] = probe
        return probe

    return add


operators, shapes, training, control, tuned, own = map(
    group, ("operators", "shapes", "training", "control", "tuned", "own")
)

compiled = torch.compile


def values(*size, **options):
    return torch.randn(*size, device=CARD, **options)


def learned(*size, **options):
    return values(*size, **options).requires_grad_()


# Operators, forward and where it says so backward


@operators
def conv():
    m = torch.nn.Conv2d(3, 8, 3).to(CARD)
    return compiled(lambda x: m(x).relu())(values(2, 3, 16, 16))


@operators
def conv_backward():
    m = torch.nn.Conv2d(3, 8, 3).to(CARD)
    compiled(lambda x: m(x).relu().sum())(learned(2, 3, 16, 16)).backward()


@operators
def conv_transpose():
    m = torch.nn.ConvTranspose2d(3, 8, 3).to(CARD)
    compiled(lambda x: m(x).relu())(values(2, 3, 16, 16))


@operators
def conv1d_depthwise():
    m = torch.nn.Conv1d(8, 8, 3, groups=8).to(CARD)
    compiled(lambda x: m(x) * 2)(values(2, 8, 16))


@operators
def max_pool_backward():
    compiled(lambda x: F.max_pool2d(x, 2).sum())(learned(2, 3, 16, 16)).backward()


@operators
def avg_pool_backward():
    compiled(lambda x: F.avg_pool2d(x, 3, stride=2).sum())(learned(2, 3, 16, 16)).backward()


@operators
def adaptive_pool():
    compiled(lambda x: F.adaptive_avg_pool2d(x, (3, 3)) + F.adaptive_max_pool2d(x, (3, 3)))(values(2, 3, 16, 16))


@operators
def batch_norm_train():
    m = torch.nn.BatchNorm2d(3).to(CARD)
    compiled(lambda x: m(x).sum())(learned(2, 3, 16, 16)).backward()


@operators
def group_norm_train():
    m = torch.nn.GroupNorm(2, 4).to(CARD)
    compiled(lambda x: m(x).square().sum())(learned(2, 4, 16, 16)).backward()


@operators
def layer_norm_train():
    m = torch.nn.LayerNorm(64).to(CARD)
    compiled(lambda x: m(x).square().sum())(learned(8, 64)).backward()


@operators
def rms_norm_train():
    m = torch.nn.RMSNorm(64).to(CARD)
    compiled(lambda x: m(x).square().sum())(learned(8, 64)).backward()


@operators
def scatter():
    compiled(lambda x, i: torch.zeros_like(x).scatter(0, i, x * 2))(
        values(8, 8), torch.randint(0, 8, (8, 8), device=CARD)
    )


@operators
def scatter_add():
    compiled(lambda x, i: torch.zeros(4, 8, device=CARD).scatter_add(0, i, x * 2))(
        values(8, 8), torch.randint(0, 4, (8, 8), device=CARD)
    )


@operators
def scatter_reduce():
    compiled(lambda x, i: torch.zeros(4, 8, device=CARD).scatter_reduce(0, i, x * 2, "amax"))(
        values(8, 8), torch.randint(0, 4, (8, 8), device=CARD)
    )


@operators
def sort():
    compiled(lambda x: torch.sort(x * 2)[1] + 1)(values(8, 64))


@operators
def topk():
    compiled(lambda x: torch.topk(x * 2, 3)[0] + 1)(values(8, 64))


@operators
def cumsum():
    compiled(lambda x: torch.cumsum(x * 2, 1) + 1)(values(8, 64))


@operators
def cumsum_split():
    compiled(lambda x: torch.cumsum(x * 2, 0) + 1)(values(100000))


@operators
def embedding_bag():
    m = torch.nn.EmbeddingBag(10, 4, mode="sum").to(CARD)
    compiled(lambda i, o: m(i, o) * 2)(torch.randint(0, 10, (8,), device=CARD), torch.tensor([0, 4], device=CARD))


@operators
def embedding_backward():
    m = torch.nn.Embedding(10, 4).to(CARD)
    compiled(lambda i: m(i).square().sum())(torch.randint(0, 10, (8,), device=CARD)).backward()


@operators
def index_put():
    compiled(lambda x, i, v: x.clone().index_put((i,), v * 2, accumulate=True))(
        values(8, 8), torch.tensor([1, 2], device=CARD), values(2, 8)
    )


@operators
def index_select_backward():
    compiled(lambda x, i: x[i].square().sum())(learned(8, 8), torch.tensor([1, 2], device=CARD)).backward()


@operators
def masked():
    compiled(lambda x: x.masked_fill(x > 0, 1.0) * torch.where(x < 0, x, x * 2))(values(8, 8))


@operators
def fp8():
    compiled(lambda x: (x * 2).to(torch.float8_e4m3fn))(values(8, 64))
    compiled(lambda x: x.to(torch.float32) * 2)(values(8, 64).to(torch.float8_e5m2))


@operators
def fp8_scaled_mm():
    one = torch.ones((), device=CARD)
    a = values(32, 64).to(torch.float8_e4m3fn)
    b = values(32, 64).to(torch.float8_e4m3fn).t()
    compiled(lambda a, b: torch._scaled_mm(a, b, one, one, out_dtype=torch.bfloat16) * 2)(a, b)


@operators
def complex_numbers():
    compiled(lambda x: torch.view_as_real(torch.view_as_complex(x) * 1j) + 1)(values(8, 2))


@operators
def fft():
    compiled(lambda x: torch.fft.fft(x * 2).abs())(values(8, 64))


@operators
def quantized():
    compiled(lambda x: torch.clamp(torch.round(x / 0.1) + 3, -128, 127).to(torch.int8))(values(8, 64))
    compiled(lambda a, b: torch._int_mm(a, b).float() * 0.1)(
        torch.ones(32, 32, device=CARD, dtype=torch.int8), torch.ones(32, 32, device=CARD, dtype=torch.int8)
    )


@operators
def dropout_train():
    compiled(lambda x: F.dropout(x.sin(), 0.3).sum())(learned(8, 64)).backward()


@operators
def random():
    compiled(
        lambda x: (
            torch.rand_like(x)
            + torch.randn_like(x)
            + torch.randn(8, 64, device=CARD)
            + torch.randint(0, 9, (8, 64), device=CARD)
            + torch.randperm(64, device=CARD)
            + torch.bernoulli(x.abs().clamp(0, 1))
        )
    )(values(8, 64))


@operators
def softmax_ce():
    compiled(lambda x, t: F.cross_entropy(x, t))(learned(8, 64), torch.randint(0, 64, (8,), device=CARD)).backward()


@operators
def attention_train():
    q = learned(2, 4, 64, 32)
    compiled(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True).sum())(q).backward()


@operators
def attention_bf16_masked():
    q = values(2, 4, 64, 32, dtype=torch.bfloat16)
    compiled(
        lambda q: (
            F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(64, 64, device=CARD, dtype=torch.bool).tril())
            * 2
        )
    )(q)


@operators
def transformer_layer_train():
    m = torch.nn.TransformerEncoderLayer(64, 4, batch_first=True).to(CARD)
    compiled(m)(values(2, 8, 64)).sum().backward()


@operators
def lstm_cell():
    m = torch.nn.LSTMCell(8, 8).to(CARD)
    compiled(lambda x, h, c: m(x, (h, c))[0] * 2)(values(4, 8), values(4, 8), values(4, 8))


@operators
def gru_cell():
    m = torch.nn.GRUCell(8, 8).to(CARD)
    compiled(lambda x, h: m(x, h) * 2)(values(4, 8), values(4, 8))


@operators
def upsample():
    compiled(lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"))(values(2, 3, 8, 8))


@operators
def grid_sample():
    compiled(lambda x, y: F.grid_sample(x, y) * 2)(values(2, 3, 8, 8), values(2, 4, 4, 2))


@operators
def pad_cat_roll():
    compiled(lambda x: torch.cat([F.pad(x, (1, 1), mode="reflect"), torch.roll(F.pad(x, (1, 1)), 1)], 0))(values(8, 8))


@operators
def reductions():
    compiled(
        lambda x: (x.var(1), x.argmax(1), x.amin(0), x.logsumexp(1), x.norm(), x.prod(1), x.any(), x.median(1)[0])
    )(values(8, 640))


@operators
def bmm_baddbmm():
    compiled(lambda a, b, x: torch.baddbmm(x, a, b).relu() + torch.bmm(a, b))(
        values(2, 8, 8), values(2, 8, 8), values(2, 8, 8)
    )


@operators
def einsum():
    compiled(lambda a, b: torch.einsum("bij,bjk->bik", a, b).relu())(values(2, 8, 8), values(2, 8, 8))


@operators
def special():
    compiled(
        lambda x: (
            torch.erf(x)
            + torch.lgamma(x)
            + torch.digamma(x.abs() + 1)
            + torch.special.i0(x)
            + torch.atan2(x, x)
            + x.pow(2.5)
            + torch.nan_to_num(x)
        )
    )(values(64))


@operators
def bucketize():
    compiled(lambda x, b: torch.bucketize(x, b) + torch.searchsorted(b, x))(values(64), torch.arange(10.0, device=CARD))


@operators
def unique_break():
    compiled(lambda x: torch.unique(x * 2) + 1)(values(64).round())


@operators
def inplace():
    def f(x):
        x.mul_(2)
        x[1:].add_(1)
        return x.sum()

    compiled(f)(values(64))


@operators
def linalg():
    compiled(lambda x: torch.linalg.inv(x @ x.t() + torch.eye(8, device=CARD)) + 1)(values(8, 8))


@operators
def views():
    compiled(lambda x: x.view(torch.int32).bitwise_and(255) + x.to(torch.int32).unfold(0, 4, 2).sum())(values(64))


@operators
def custom_autograd():
    class S(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx, gr):
            (x,) = ctx.saved_tensors
            return gr * x.cos()

    compiled(lambda x: S.apply(x).sum())(learned(64)).backward()


@operators
def ctc_nll():
    compiled(
        lambda x, t: (
            F.nll_loss(x.log_softmax(1), t)
            + F.binary_cross_entropy_with_logits(x, x.sigmoid())
            + F.huber_loss(x, x * 2)
        )
    )(learned(8, 64), torch.randint(0, 64, (8,), device=CARD)).backward()


# Shapes that change, several graphs, numbers beside tensors


@shapes
def dynamic():
    compiled(lambda x, y: torch.softmax(x * y, -1), dynamic=True)(values(33, 65), values(33, 65))


@shapes
def automatic_dynamic_after_a_recompile():
    f = compiled(lambda x: x.relu().sum(1))
    for rows in (32, 48, 56):
        f(values(rows, 64))


@shapes
def marked_dynamic():
    x = values(16, 8)
    torch._dynamo.mark_dynamic(x, 0)
    compiled(lambda x: x.cos() + 1)(x)


@shapes
def graph_break():
    def f(x):
        x = x.sin()
        torch._dynamo.graph_break()
        return x.cos() * 2

    compiled(f)(values(100))


@shapes
def dynamic_scalars():
    f = compiled(lambda x, a: x * a + a, dynamic=True)
    for number in (0.5, 0.7, 3):
        f(values(100), number)


@shapes
def dynamic_training():
    weight = learned(64, 64)
    f = compiled(lambda x: F.gelu(x @ weight), dynamic=True)
    for rows in (8, 24):
        f(values(rows, 64)).sum().backward()


@shapes
def a_number_out_of_a_tensor():
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        compiled(lambda x: x * x.sum().item())(values(10))


@shapes
def a_size_out_of_a_tensor():
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled(lambda x: x.nonzero() * 2, fullgraph=True)(values(10) > 0)


@shapes
def a_scalar_on_the_cpu():
    compiled(lambda x, s: x * s)(values(10), torch.tensor(2.5))


# Training steps


def perceptron():
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 64)).to(CARD)


def steps_with(make):
    model = perceptron()
    optimizer = make(model.parameters())
    model(values(4, 64)).sum().backward()
    step = compiled(optimizer.step)
    step()
    step()


@training
def sgd():
    steps_with(lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9))


@training
def adam():
    steps_with(torch.optim.Adam)


@training
def adamw():
    steps_with(torch.optim.AdamW)


@training
def a_whole_step():
    model = perceptron()
    optimizer = torch.optim.AdamW(model.parameters())

    @compiled
    def step(x):
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    step(values(4, 64))


@training
def compiled_autograd():
    model = perceptron()
    with torch._dynamo.config.patch(compiled_autograd=True):
        compiled(lambda x: model(x).sum().backward())(values(4, 64))


@training
def gradient_checkpointing():
    model = perceptron()
    compiled(lambda x: checkpoint(model, x, use_reentrant=False).sum())(values(4, 64)).backward()


@training
def autocast_inside():
    model = perceptron()

    @compiled
    def f(x):
        with torch.autocast("cuda", torch.bfloat16):
            y = model(x)
        return torch.softmax(y.float(), -1).sum()

    f(values(4, 64)).backward()


@training
def autocast_outside_with_a_scaler():
    model = perceptron()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    f = compiled(model)
    with torch.autocast("cuda", torch.float16):
        loss = F.cross_entropy(f(values(4, 64)), torch.randint(0, 64, (4,), device=CARD))
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()


# Control flow and other operators of higher order


@torch.compiler.nested_compile_region
def region(x):
    return torch.relu(x.sin() @ x)


@control
def nested_region():
    compiled(lambda x: region(region(x)) + 1)(values(64, 64))


@control
def nested_region_backward():
    compiled(lambda x: (region(region(x)) + 1).sum())(learned(64, 64)).backward()


def either(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() - 1, (x,))


@control
def cond():
    compiled(either)(values(64))


@control
def cond_backward():
    compiled(lambda x: either(x).sum())(learned(64)).backward()


@control
def while_loops():
    def f(x):
        start = torch.zeros((), dtype=torch.int64, device=CARD)
        return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.sin() * 2), (start, x))

    compiled(f)(values(64))


@control
def associative_scans():
    compiled(lambda x: associative_scan(lambda a, b: a * b, x, 0))(values(64, 64))


def heads(**options):
    return torch.randn(1, 2, 256, 64, device=CARD, dtype=torch.bfloat16, **options)


@control
def flex_attention_with_scores():
    q = heads()
    compiled(flex_attention)(q, q, q, score_mod=lambda score, b, h, i, j: score + (i - j))


@control
def flex_attention_with_a_mask():
    q = heads()
    mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 256, 256, device=CARD)
    compiled(flex_attention)(q, q, q, block_mask=mask)


@control
def flex_attention_backward():
    q = heads(requires_grad=True)
    compiled(flex_attention)(q, q, q).sum().backward()


# max-autotune: templates, without timing


def autotuned(function):
    return torch.compile(function, mode="max-autotune-no-cudagraphs")


@tuned
def mm():
    autotuned(lambda a: (a @ a).relu())(values(256, 256, dtype=torch.bfloat16))


@tuned
def addmm():
    bias = values(256)
    autotuned(lambda a: F.gelu(F.linear(a, a, bias)))(values(256, 256))


@tuned
def bmm():
    autotuned(lambda a: torch.bmm(a, a) * 2)(values(4, 128, 128))


@tuned
def tuned_conv():
    model = torch.nn.Conv2d(16, 32, 3).to(CARD)
    autotuned(lambda x: model(x).relu())(values(2, 16, 32, 32))


@tuned
def tuned_flex_attention():
    q = heads()
    autotuned(flex_attention)(q, q, q)


@tuned
def max_autotune():
    torch.compile(lambda a: (a @ a).relu() + 1, mode="max-autotune")(values(256, 256))


@tuned
def reduce_overhead_backward():
    weight = learned(256, 256)
    torch.compile(lambda a: (a @ weight).relu().sum(), mode="reduce-overhead")(values(256, 256)).backward()


# The program's own Triton kernels, which run in the interpreter


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def add_twice_kernel(x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < count
    x = tl.load(x_ptr + offset, inside)
    y = tl.load(y_ptr + offset, inside)
    tl.store(out_ptr + offset, x + twice(y), inside)


def add_twice(x, y):
    out = torch.empty_like(x)
    add_twice_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["count"])
@triton.jit
def halve_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offset, tl.load(x_ptr + offset, offset < count) / 2, offset < count)


def halve(x):
    out = torch.empty_like(x)
    halve_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
    return out


@own
def triton_kernel():
    x, y = values(1000), values(1000)
    torch.testing.assert_close(compiled(lambda x, y: add_twice(x.sin(), y) * 2)(x, y), (x.sin() + 2 * y) * 2)
    torch.testing.assert_close(add_twice(x, y), x + 2 * y)


@own
def tuned_triton_kernel():
    x = values(1000)
    torch.testing.assert_close(compiled(lambda x: halve(x + 1))(x), (x + 1) / 2)


@torch.library.triton_op("inductor_lab_probes::thrice", mutates_args={})
def thrice(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.library.wrap_triton(add_twice_kernel)[(triton.cdiv(x.numel(), 256),)](x, x, out, x.numel(), BLOCK=256)
    return out


@own
def triton_operator():
    x = values(1000)
    torch.testing.assert_close(compiled(lambda x: thrice(x) + 1)(x), 3 * x + 1)


def main() -> None:
    from torch._inductor import metrics

    found: dict[str, dict[str, int | str]] = {}
    for name in os.environ.get("INDUCTOR_LAB_PROBES", "").split() or GROUPS:
        for probe, run in GROUPS[name].items():
            torch._dynamo.reset()
            metrics.reset()
            try:
                run()
                found.setdefault(name, {})[probe] = metrics.generated_kernel_count
            except Exception as error:
                found.setdefault(name, {})[probe] = f"{type(error).__name__}: {error}"
    Path("probes.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
