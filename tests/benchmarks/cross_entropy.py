"""Cross entropy of a head's logits, backward: the gradient is written over the logits, two products read it there, and nobody else does.

cd tests/benchmarks
inductor-lab capture cross_entropy:head --train -o head
inductor-lab eject head:0_backward:0-2 -o head.py         UNREAD = ("mm",): the logits
python cross_entropy.py head.py                           the edit: one launch, whose tiles make their parts of the gradient themselves
inductor-lab verify head.py; inductor-lab diff head.py
"""

import sys
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

JUDGED = "# ---------------------------------------------------------------- what it must equal"
EDIT = '''
def launch(
    wanted, grad, convert_element_type, amax, log, primals_2, weight, mm, mm_2, mm_3, *, BLOCK_ROWS=32, BLOCK_WORDS=64, BLOCK_WIDTH=32, num_warps=4
):
    """Run the span: `mm_2` and `mm_3` are written and returned; `mm`, the logits, stays as it is."""
    (rows, words), width = mm.shape, weight.shape[1]
    columns = triton.cdiv(width, BLOCK_WIDTH)
    of_weight = triton.cdiv(words, BLOCK_WORDS) * columns
    gradients[(of_weight + triton.cdiv(rows, BLOCK_ROWS) * columns,)](
        wanted, grad, convert_element_type, amax, log, primals_2, weight, mm, mm_2, mm_3, of_weight, columns, mm.stride(0),
        rows, words, width, BLOCK_ROWS=BLOCK_ROWS, BLOCK_WORDS=BLOCK_WORDS, BLOCK_WIDTH=BLOCK_WIDTH, num_warps=num_warps,
    )
    return mm, mm_2, mm_3


@triton.jit
def of_logits(row, word, wanted_ptr, scale, amax_ptr, log_ptr, logits_ptr, STRIDE, ROWS, WORDS):
    """A tile of the logits' gradient, 0 outside of them."""
    inside = row < ROWS
    wanted = tl.load(wanted_ptr + row, inside, -100)
    chosen = tl.where(wanted != -100, wanted, 0)
    factor = tl.where((wanted != -100) & (chosen >= 0) & (chosen < WORDS), scale, 0.0)
    both = inside & (word < WORDS)
    logits = tl.load(logits_ptr + row * STRIDE + word, both, 0.0)
    exp = tl.exp(logits - tl.load(amax_ptr + row, inside, 0.0) - tl.load(log_ptr + row, inside, 0.0))
    return tl.where(both, factor * (exp - tl.where(chosen == word, 1.0, 0.0)), 0.0)


@triton.jit
def gradients(
    wanted_ptr, grad_ptr, count_ptr, amax_ptr, log_ptr, x_ptr, weight_ptr, logits_ptr, weight_gradient_ptr, x_gradient_ptr, OF_WEIGHT, COLUMNS, STRIDE,
    ROWS: tl.constexpr, WORDS: tl.constexpr, WIDTH: tl.constexpr, BLOCK_ROWS: tl.constexpr, BLOCK_WORDS: tl.constexpr, BLOCK_WIDTH: tl.constexpr,
):
    """Programs up to OF_WEIGHT make a tile of the weight's gradient each, over all rows; those behind them one of x's, over all words."""
    scale = tl.load(grad_ptr) / tl.load(count_ptr)
    program = tl.program_id(0)
    column = program % COLUMNS * BLOCK_WIDTH + tl.arange(0, BLOCK_WIDTH)[None, :]
    if program < OF_WEIGHT:
        first = program // COLUMNS * BLOCK_WORDS
        of_weight = tl.zeros([BLOCK_WORDS, BLOCK_WIDTH], tl.float32)
        for begin in range(0, ROWS, BLOCK_ROWS):
            row = begin + tl.arange(0, BLOCK_ROWS)[:, None]
            word = first + tl.arange(0, BLOCK_WORDS)[None, :]
            tile = of_logits(row, word, wanted_ptr, scale, amax_ptr, log_ptr, logits_ptr, STRIDE, ROWS, WORDS)
            x = tl.load(x_ptr + row * WIDTH + column, (row < ROWS) & (column < WIDTH), 0.0)
            of_weight = tl.dot(tl.trans(tile), x, of_weight, input_precision="ieee")
        word = first + tl.arange(0, BLOCK_WORDS)[:, None]
        tl.store(weight_gradient_ptr + word * WIDTH + column, of_weight, (word < WORDS) & (column < WIDTH))
    else:
        row = (program - OF_WEIGHT) // COLUMNS * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
        of_x = tl.zeros([BLOCK_ROWS, BLOCK_WIDTH], tl.float32)
        for begin in range(0, WORDS, BLOCK_WORDS):
            word = begin + tl.arange(0, BLOCK_WORDS)[None, :]
            tile = of_logits(row, word, wanted_ptr, scale, amax_ptr, log_ptr, logits_ptr, STRIDE, ROWS, WORDS)
            word = begin + tl.arange(0, BLOCK_WORDS)[:, None]
            weight = tl.load(weight_ptr + word * WIDTH + column, (word < WORDS) & (column < WIDTH), 0.0)
            of_x = tl.dot(tile, weight, of_x, input_precision="ieee")
        tl.store(x_gradient_ptr + row * WIDTH + column, of_x, (row < ROWS) & (column < WIDTH))


'''


def edited(text: str) -> str:
    """The span's file with the edit in the place of its launchers and kernels."""
    head, _, rest = text.partition("\ndef launch(")
    _, line, judged = rest.partition(JUDGED)
    return f"{head}{EDIT}{line}{judged}"


class Head(nn.Module):
    """Logits of all words, and the loss."""

    def __init__(self, width: int, words: int) -> None:
        super().__init__()
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, x: Tensor, wanted: Tensor) -> Tensor:
        """x [tokens, width] float32, wanted [tokens] int64 -> the loss, a scalar."""
        return functional.cross_entropy(self.head(x), wanted)


def sized(tokens: int, width: int, words: int) -> tuple[nn.Module, tuple[Tensor, Tensor]]:
    return Head(width, words), (torch.randn(tokens, width, requires_grad=True), torch.randint(words, (tokens,)))


def tiny() -> tuple[nn.Module, tuple[Tensor, Tensor]]:
    """For Triton's interpreter."""
    return sized(40, 48, 200)


def head() -> tuple[nn.Module, tuple[Tensor, Tensor]]:
    return sized(128, 512, 2000)


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(edited(file.read_text(encoding="utf-8")), encoding="utf-8")
