# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # torch.compile is your Triton teacher
#
# You know PyTorch and have not written Triton. There is a teacher on your machine who writes Triton all day, for any
# model that you like: `torch.compile`. This notebook reads what it writes, line by line, and then you write some.
#
# There are three exercises. Each checks itself with the project's judge, which holds your kernel to eager PyTorch in
# float64. An exercise that is still open says what is missing; nothing breaks. Solutions are at the end. No GPU is
# needed: kernels run in Triton's interpreter.

# %%
import numpy as np
import pandas as pd
import triton
import triton.language as tl
from evidence import coordinates
from exercises import Exercise
from triton.language.extra import libdevice

import inductor_lab as lab

# %% [markdown]
# ## One line of a model
#
# A linear layer with a LoRA adapter, then a ReLU, in `inductor_lab/models/lora_mlp.py`:

# %%
capture = lab.load("lora_mlp")
kernel = capture.kernels[0]
for line in kernel.source:
    print(line.code.strip())

# %% [markdown]
# The two matrix products go to a library. What is left is adding the bias, scaling the adapter's part, adding it and taking
# the ReLU. In eager PyTorch `addmm` adds the bias, and each of the other three reads its input from memory and writes its output back.
# Inductor wrote *one* kernel for all of them. This is its whole body:

# %%
print(kernel.body)

# %% [markdown]
# ## A program, and who it is
#
# A Triton kernel is written for one *program*, and many programs run at once, each on another part of the data. `tl.program_id(0)` is the
# number of this one, and `XBLOCK` how many elements each of them owns. So the first lines say which elements are mine:
#
#     xoffset = tl.program_id(0) * XBLOCK
#     xindex = xoffset + tl.arange(0, XBLOCK)
#
# `xindex` is not one number but a block of them, and everything computed from it is a block too. That is most of Triton:
# NumPy on blocks, with loads and stores. So NumPy can play the part of a program. With blocks of 8, program number 2 has:

# %%
XBLOCK = 8
program_id = 2
xindex = program_id * XBLOCK + np.arange(0, XBLOCK)
xindex

# %% [markdown]
# ## From a position to a row and a column
#
# The output is a matrix of 8 by 8, and the kernel treats it as 64 numbers in a line. The bias has one number for
# each column, so the kernel needs to know the column of each position: `x0 = xindex % 8`.

# %%
pd.DataFrame({"xindex": xindex, **coordinates(kernel.body, xindex)}).T

# %% [markdown]
# All of `x0`, `x1`, `x2` in Inductor's kernels are made so, by `%` and `//`. A number that is the same for a whole row would be `xindex // 8`.
#
# ## Load, compute, store
#
# `tl.load(in_ptr0 + x0, xmask)` reads a block of numbers: a pointer plus a block of offsets is a block of addresses.
# `xmask` says which of them count; the last block may reach past the end. After the loads, everything is in registers, and the
# arithmetic is what you would write in PyTorch. One store at the end. Next to each line, what it does:

# %%
kernel.explain()

# %% [markdown]
# Two things are worth a second look. The result goes over `in_out_ptr0`: the matrix product is not needed any more, so its
# memory is used again. And the ReLU is `triton_helpers.maximum`, not `tl.maximum`, which would turn a NaN into 0.
#
# ## Your turn
#
# The same kernel with readable names, as `eject` writes it, and one line missing. `mm` is the layer's product and `mm_2` the adapter's. Put
# the expression where the three dots are, and run the cell.

# %%
exercise_1 = Exercise(1, kernel)


# %%
@triton.jit
def add_mul_relu(mm_ptr, bias_ptr, mm_2_ptr, NUMEL: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < NUMEL
    bias = tl.load(bias_ptr + offset % COLUMNS, inside)
    mm = tl.load(mm_ptr + offset, inside)
    mm_2 = tl.load(mm_2_ptr + offset, inside)
    total = ...
    tl.store(mm_ptr + offset, tl.where(total < 0, 0.0, total), inside)


def launch(mm, bias, mm_2, *, BLOCK=64, num_warps=1):
    numel = mm.numel()
    grid = (triton.cdiv(numel, BLOCK),)
    add_mul_relu[grid](mm, bias, mm_2, NUMEL=numel, COLUMNS=bias.shape[0], BLOCK=BLOCK, num_warps=num_warps)
    return mm


exercise_1.check(add_mul_relu, launch)

# %% [markdown]
# <details><summary>A hint</summary>
#
# In the generated kernel it is `tmp6`. Follow it back to the loads.
# </details>
#
# `launch` is the other half of every Triton kernel: it decides how many programs there are. `triton.cdiv` divides and rounds up, so the last
# program may own elements that do not exist. `inside` keeps it from touching them.
#
# ## Rows
#
# A softmax needs a whole row before it can write anything: the largest number, and the sum. Inductor gives each program a
# row, and holds all of it in one block. The row has 384 numbers, and a block must be a power of two, so the block has 512:

# %%
softmax_kernel = lab.load("softmax").kernels[0]
print(softmax_kernel.body)

# %% [markdown]
# Shapes do what they do in NumPy: `[:, None]` makes a column, `[None, :]` a row, and together they make a block of rows
# and columns. `tl.sum(block, 1)` adds along a row.
#
# 128 of the 512 positions are padding, and they take part in the maximum and the sum. What must they hold, so that they change
# neither? Two values are missing here.

# %%
exercise_2 = Exercise(2, softmax_kernel)


# %%
@triton.jit
def softmax(x_ptr, out_ptr, COLUMNS: tl.constexpr, BLOCK_R: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK_R)
    inside = column < COLUMNS
    x = tl.load(x_ptr + row * COLUMNS + column, inside, other=...)
    exponential = tl.exp(x - tl.max(x, 0))
    total = tl.sum(tl.where(inside, exponential, ...), 0)
    tl.store(out_ptr + row * COLUMNS + column, exponential / total, inside)


def launch(x, out, *, BLOCK=1, num_warps=4):
    rows, columns = x.shape
    softmax[(rows,)](x, out, COLUMNS=columns, BLOCK_R=triton.next_power_of_2(columns), num_warps=num_warps)
    return out


exercise_2.check(softmax, launch)

# %% [markdown]
# <details><summary>A hint</summary>
#
# A maximum is unchanged by something that no number is below, and a sum by something that adds nothing. `float("-inf")` is allowed.
# </details>
#
# What if you take 0 for both? It looks right on random numbers, because there the largest of a row is above 0, so the padding never
# wins. The judge does not stop at random numbers:


# %%
@triton.jit
def softmax_padded_with_zeros(x_ptr, out_ptr, COLUMNS: tl.constexpr, BLOCK_R: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK_R)
    inside = column < COLUMNS
    x = tl.load(x_ptr + row * COLUMNS + column, inside, other=0.0)
    exponential = tl.exp(x - tl.max(x, 0))
    total = tl.sum(tl.where(inside, exponential, 0.0), 0)
    tl.store(out_ptr + row * COLUMNS + column, exponential / total, inside)


def launch(x, out, *, BLOCK=1, num_warps=4):
    rows, columns = x.shape
    softmax_padded_with_zeros[(rows,)](
        x, out, COLUMNS=columns, BLOCK_R=triton.next_power_of_2(columns), num_warps=num_warps
    )
    return out


exercise_2.check(softmax_padded_with_zeros, launch)

# %% [markdown]
# ## Better than the teacher
#
# Inductor turns a graph into code by general rules, and a general rule can be beaten. A rotary embedding multiplies each
# pair `(a, b)` of a head, `a` in the first half and `b` in the second, by a rotation:
#
#     a' = a * cos - b * sin
#     b' = b * cos + a * sin
#
# In PyTorch one writes `x * cos + torch.cat((-b, a), -1) * sin`. Inductor never builds the concatenation: it works on single elements,
# and for each it loads the partner from the other half, by one of two masked loads.

# %%
rotary_kernel = lab.load("rotary").kernels[0]
loads = [line for line in rotary_kernel.body.splitlines() if "tl.load" in line]
print("\n".join(loads))

# %% [markdown]
# Eight loads: `cos` and `sin`, and of the queries and keys each an element, and its partner under either of two masks. But a program
# could own *pairs*: load `a` and `b` once, write both results. The tensors are
# `[batch, heads, tokens, 8]` and lie in memory as `[batch, tokens, heads, 8]`, as Inductor's kernel has them too. The addresses are done; the
# arithmetic is yours. (The two halves of `cos` and `sin` are the same for a real model, but nothing says so in the graph, and the judge takes
# them to be different. So both halves are loaded.)

# %%
exercise_3 = Exercise(3, rotary_kernel)


# %%
@triton.jit
def rotate(x_ptr, out_ptr, place, partner, cos_a, cos_b, sin_a, sin_b, inside):
    a = tl.load(x_ptr + place, inside).to(tl.float32)
    b = tl.load(x_ptr + partner, inside).to(tl.float32)
    tl.store(out_ptr + place, ..., inside)
    tl.store(out_ptr + partner, ..., inside)


@triton.jit
def rotary(
    q_ptr, cos_ptr, sin_ptr, k_ptr, q_out_ptr, k_out_ptr,
    PAIRS: tl.constexpr, HALF: tl.constexpr, HEADS: tl.constexpr, TOKENS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    pair = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = pair < PAIRS
    vector = pair // HALF  # which head of which token
    place = vector * (2 * HALF) + pair % HALF  # the first of the pair; the second is half a head further on
    angle = vector // HEADS % TOKENS * (2 * HALF) + pair % HALF
    cos_a, cos_b = tl.load(cos_ptr + angle, inside), tl.load(cos_ptr + angle + HALF, inside)
    sin_a, sin_b = tl.load(sin_ptr + angle, inside), tl.load(sin_ptr + angle + HALF, inside)
    rotate(q_ptr, q_out_ptr, place, place + HALF, cos_a, cos_b, sin_a, sin_b, inside)
    rotate(k_ptr, k_out_ptr, place, place + HALF, cos_a, cos_b, sin_a, sin_b, inside)


def launch(q, cos, sin, k, q_out, k_out, *, BLOCK=128, num_warps=4):
    pairs = q.numel() // 2
    rotary[(triton.cdiv(pairs, BLOCK),)](
        q, cos, sin, k, q_out, k_out,
        PAIRS=pairs, HALF=q.shape[3] // 2, HEADS=q.shape[1], TOKENS=q.shape[2], BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return q_out, k_out


exercise_3.check(rotate, rotary, launch)

# %% [markdown]
# <details><summary>A hint</summary>
#
# Each formula above, with the `cos` and `sin` of the half that is written: `a'` takes `cos_a` and `sin_a`.
# </details>
#
# # Solutions
#
# ## 1
#
# The adapter's scale, 0.5, is a number of the model, and is compiled in.


# %%
@triton.jit
def add_mul_relu_solved(mm_ptr, bias_ptr, mm_2_ptr, NUMEL: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < NUMEL
    bias = tl.load(bias_ptr + offset % COLUMNS, inside)
    mm = tl.load(mm_ptr + offset, inside)
    mm_2 = tl.load(mm_2_ptr + offset, inside)
    total = bias + mm + mm_2 * 0.5
    tl.store(mm_ptr + offset, tl.where(total < 0, 0.0, total), inside)


def launch(mm, bias, mm_2, *, BLOCK=64, num_warps=1):
    numel = mm.numel()
    grid = (triton.cdiv(numel, BLOCK),)
    add_mul_relu_solved[grid](mm, bias, mm_2, NUMEL=numel, COLUMNS=bias.shape[0], BLOCK=BLOCK, num_warps=num_warps)
    return mm


exercise_1.check(add_mul_relu_solved, launch)

# %% [markdown]
# ## 2
#
# Minus infinity for the maximum. Then `exp` makes a 0 of it, which is also what the sum wants; the `tl.where` says so again. (A row that is
# all minus infinity is NaN, here as in PyTorch.)


# %%
@triton.jit
def softmax_solved(x_ptr, out_ptr, COLUMNS: tl.constexpr, BLOCK_R: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK_R)
    inside = column < COLUMNS
    x = tl.load(x_ptr + row * COLUMNS + column, inside, other=float("-inf"))
    exponential = libdevice.exp(x - tl.max(x, 0))
    total = tl.sum(tl.where(inside, exponential, 0.0), 0)
    tl.store(out_ptr + row * COLUMNS + column, exponential / total, inside)


def launch(x, out, *, BLOCK=1, num_warps=4):
    rows, columns = x.shape
    softmax_solved[(rows,)](x, out, COLUMNS=columns, BLOCK_R=triton.next_power_of_2(columns), num_warps=num_warps)
    return out


exercise_2.check(softmax_solved, launch)

# %% [markdown]
# ## 3


# %%
@triton.jit
def rotate_solved(x_ptr, out_ptr, place, partner, cos_a, cos_b, sin_a, sin_b, inside):
    a = tl.load(x_ptr + place, inside).to(tl.float32)
    b = tl.load(x_ptr + partner, inside).to(tl.float32)
    tl.store(out_ptr + place, a * cos_a - b * sin_a, inside)
    tl.store(out_ptr + partner, b * cos_b + a * sin_b, inside)


@triton.jit
def rotary_solved(
    q_ptr, cos_ptr, sin_ptr, k_ptr, q_out_ptr, k_out_ptr,
    PAIRS: tl.constexpr, HALF: tl.constexpr, HEADS: tl.constexpr, TOKENS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    pair = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = pair < PAIRS
    vector = pair // HALF
    place = vector * (2 * HALF) + pair % HALF
    angle = vector // HEADS % TOKENS * (2 * HALF) + pair % HALF
    cos_a, cos_b = tl.load(cos_ptr + angle, inside), tl.load(cos_ptr + angle + HALF, inside)
    sin_a, sin_b = tl.load(sin_ptr + angle, inside), tl.load(sin_ptr + angle + HALF, inside)
    rotate_solved(q_ptr, q_out_ptr, place, place + HALF, cos_a, cos_b, sin_a, sin_b, inside)
    rotate_solved(k_ptr, k_out_ptr, place, place + HALF, cos_a, cos_b, sin_a, sin_b, inside)


def launch(q, cos, sin, k, q_out, k_out, *, BLOCK=128, num_warps=4):
    pairs = q.numel() // 2
    rotary_solved[(triton.cdiv(pairs, BLOCK),)](
        q, cos, sin, k, q_out, k_out,
        PAIRS=pairs, HALF=q.shape[3] // 2, HEADS=q.shape[1], TOKENS=q.shape[2], BLOCK=BLOCK, num_warps=num_warps,
    )  # fmt: skip
    return q_out, k_out


exercise_3.check(rotate_solved, rotary_solved, launch)

# %% [markdown]
# Did it pay? Compile both for the H200, at the size of a real model: 64 numbers a head, 16 heads, 1,024 tokens, in bfloat16.
# A program of yours takes 1,024 pairs, so that each thread can load 16 bytes at once, 8 numbers of bfloat16.

# %%
real = Exercise(3, lab.load("../captured/rotary_h200").kernels[0])
real.write(rotate_solved, rotary_solved, launch)
real.file.write_text(real.file.read_text().replace("BLOCK=128, num_warps=4)", "BLOCK=1024, num_warps=4)"))
both = lab.inspect_file(real.file, "h200")
both

# %% [markdown]
# The number of loads alone does not compare them, for a thread of yours has more to do. So, for each element of the output:

# %%
WARP = 32
elements = {"hand": 2 * both["hand"][0].constants["BLOCK"], "generated": both["generated"][0].constants["XBLOCK"]}
for side, several in elements.items():
    machine = both[side][0]
    each = several // (WARP * machine.num_warps)
    loads = sum(machine.loads.values())
    print(
        f"{side:9}  {loads} loads for the {each} elements of a thread in each of two tensors: {loads / each:.2f} an element"
    )

# %% [markdown]
# Whether fewer loads are less *time* is another question: what Inductor loads twice may still be in the cache the second time. That is
# what `inductor-lab diff` measures, on a card.
#
# Next: [questions, answered on real kernels](03_questions_answered_on_real_kernels.ipynb).
