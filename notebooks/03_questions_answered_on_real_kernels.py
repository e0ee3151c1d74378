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
# # Questions, answered on real kernels
#
# These are questions that people ask when they meet Triton, many of them from one long conversation about rotary
# embeddings. Each is answered here on kernels that TorchInductor wrote, by compiling them and looking, or by
# counting the addresses that a warp asks for. Nothing is timed, for there is no GPU here: what you see is what the
# machine is told to do.

# %%
from dataclasses import replace

import numpy as np
import pandas as pd
import triton
import triton.language as tl
from evidence import WARP, accesses, compiled, coordinates, first_warp, layout, lines_with, touched

import inductor_lab as lab

layer = lab.load("../captured/lora_mlp_h200").kernels[0]
print(layer)

# %% [markdown]
# That is the bias, the scaled adapter and the ReLU of a linear layer with a LoRA adapter, 4,096 rows of 1,024 numbers, in one
# kernel.

# %% [markdown]
# ## What is BLOCK_SIZE, and is it the thread block of CUDA?
#
# It is not. `XBLOCK`, as Inductor calls it, is how many *elements* one program works on; `num_warps` is how many *threads*
# share them. Compile the same kernel with other values for both, and read off what the compiler did: the number of
# threads stands in the PTX (`.reqntid`), how elements are dealt out stands in the TTGIR.


# %%
def one_program(xblock: int, warps: int) -> dict[str, object]:
    """A program of the layer's kernel, as the compiler makes it."""
    choice = {"XBLOCK": xblock, "num_warps": warps}
    threads = int(lines_with(layer.code("ptx", "h200", **choice), ".reqntid").split()[1])
    machine = layer.inspect("h200", **choice)
    return {
        "XBLOCK": xblock,
        "num_warps": warps,
        "threads": threads,
        "elements a thread": xblock // threads,
        "side by side": layout(layer.code("ttgir", "h200", **choice))["elements side by side"],
        "loads": ", ".join(f"{count} {name}" for name, count in machine.loads.items()),
        "of the bias": lines_with(layer.code("sass", "h200", **choice), "LDG.E.EL").count("LDG"),
        "registers": machine.registers,
    }


sweep = pd.DataFrame(
    [one_program(*choice) for choice in ((256, 4), (512, 4), (1024, 4), (2048, 4), (1024, 1), (1024, 8))]
)
assert (sweep["threads"] == WARP * sweep["num_warps"]).all()
sweep

# %% [markdown]
# The threads follow `num_warps` alone, 32 for each warp. The block decides how much there is to do for them: with 1,024
# elements and 128 threads, each thread has 8, in two runs of 4 that lie side by side, because 4 floats are the 16 bytes that one
# instruction can load. A program of 2,048 elements is fine on 128 threads; its threads do more, and need more registers.
#
# Three tensors are read, so one expects 12 loads there, 4 of each; there are 11. The bias is read by column, the columns come again after 1,024
# elements, and the compiler noticed it for one of the 4.
#
# With 256 elements there are only 2 for each thread, so loads become half as wide. A block can be too small for its warps.

# %% [markdown]
# ## Which bytes does a warp ask for?
#
# Memory answers in [sectors of 32 bytes](https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory),
# and the 32 threads of a warp ask together. A request is *coalesced* when few
# sectors hold everything that was asked for. These are the positions of the first request of the first warp, dealt out as
# the layout above says:

# %%
positions = first_warp(side_by_side=4)
print("thread 0:", positions[0], " thread 1:", positions[1], " ... thread 31:", positions[31])

body = layer.body
print(lines_with(body, "tl.load", "tl.store"))

# %% [markdown]
# `x2` is the position itself, `x0` the column, `xindex % 1024`. Both can be worked out from the kernel's own lines:

# %%
place = coordinates(body, positions)
print("matrix:", touched(place["x2"], size=4))
print("bias:  ", touched(place["x0"], size=4))

# %% [markdown]
# 512 bytes in 16 sectors, and every byte of them is used. That is as good as it gets, for the matrix and for the bias.

# %% [markdown]
# ## Do two half stores become one?
#
# The conversation's hardest question. A rotary embedding that keeps its pairs next to each other has two results for each
# pair, and one would like to write them with
#
#     store(x + 2*off + 0, first)
#     store(x + 2*off + 1, second)
#
# "Other than timing, is there any way to introspect whether the compiler has resolved that into a single coalesced
# write?" There is: look at the machine code.


# %%
@triton.jit
def two_stores(x, out, BLOCK: tl.constexpr):
    off = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.load(x + off)
    tl.store(out + 2 * off + 0, first)
    tl.store(out + 2 * off + 1, -first)


@triton.jit
def one_store(x, out, BLOCK: tl.constexpr):
    off = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    first = tl.load(x + off)
    both = tl.interleave(first, -first)
    tl.store(out + 2 * tl.program_id(0) * BLOCK + tl.arange(0, 2 * BLOCK), both)


types = {"*fp32": "float32", "*fp16": "float16"}
rows = []
for kernel in (two_stores, one_store):
    for kind, dtype in types.items():
        sass = compiled(kernel, {"x": kind, "out": kind}, BLOCK=1024)["sass"]
        rows.append({"kernel": kernel.__name__, "dtype": dtype, "stores of a thread": accesses(sass)[1]})
stores = pd.DataFrame(rows)
stores

# %% [markdown]
# They are not merged. `STG.E` is a store of 4 bytes, `STG.E.U16` of 2: each thread writes its values one by one, 16 times. Put
# together in registers with `tl.interleave`, the same values go out in 16-byte stores (`STG.E.128`). And this is what each
# single store of the warp touches; a thread has 4 values side by side, so neighbours are 8 elements apart in the output:

# %%
thread = np.arange(WARP)
print("one of the 16 narrow stores:", touched(2 * (4 * thread), size=4))
print("one of the wide stores:     ", touched(first_warp(4), size=4))

# %% [markdown]
# Every narrow store opens 32 sectors for 4 bytes each; the rest of each sector is left to the stores that follow. What the cache makes of
# that can not be seen here, but the instructions and the requests are there.
#
# What Inductor makes of a rotary embedding has no such trouble, because Llama's layout keeps the halves apart: the
# partner of element `i` is 32 elements away, and every thread writes neighbours.

# %%
rotary = lab.load("../captured/rotary_h200").kernels[0]
rotary.inspect("h200")

# %% [markdown]
# ## What about a gather?
#
# In a sparse feed-forward layer, rows of a weight are picked by an index. Picking rows of a matrix that lies row by row
# keeps neighbours together; picking columns tears them apart. Inductor's kernel for it reads one row of 1,024 numbers for
# each index:

# %%
sparse = lab.load("../captured/sparse_ffn_h200").kernels[0]
print(lines_with(sparse.body, "x0 =", "x1 =", "tl.load"))
print(sparse.inspect("h200"))

# %%
place = coordinates(sparse.body, first_warp(4))
picked = np.random.default_rng(0).integers(0, 4096, size=1024)  # the index that the kernel reads, one for each row
row = picked[place["x1"]]
print("the index:          ", touched(place["x1"], size=8))
print("rows of the weight: ", touched(place["x0"] + 1024 * row, size=4))
print("columns, instead:   ", touched(1024 * place["x0"] + row, size=4))

# %% [markdown]
# All threads of a warp want the same index: one sector serves them. The row behind it is read in full sectors, with the
# widest loads, even though the index is random. Had the weight been picked by columns, each of the 128 numbers would lie in a sector of its
# own, of which an eighth is used.

# %% [markdown]
# ## What are masks for, and why does this kernel have none?
#
# A program always works on a whole block. If the tensor ends in the middle, the threads beyond its end must neither read
# nor write; that is what `mask` says. Inductor leaves the mask out where every block that it may choose divides the size:

# %%
print(lines_with(layer.body, "xnumel", "xmask"))
size = int(lines_with(layer.body, "xnumel =").split("=")[1])
print({block: size % block for block in (64, 128, 256, 512, 1024, 2048, 4096)})

# %% [markdown]
# Nothing is left over, for any of them. A kernel of 384 columns can not have that. In its PTX each access carries a predicate,
# `@%p1`: the thread skips the instruction where it is false.

# %%
norm = lab.load("rms_norm").kernels[0]
print(lines_with(layer.code("ptx", "h200"), "ld.global", "st.global"))
print()
print(lines_with(norm.code("ptx", "h200"), "ld.global", "st.global"))

# %% [markdown]
# This is why changing `XBLOCK` in a generated kernel's text by hand is dangerous, and why an ejected file has its masks back.
#
# A masked thread still holds *something*, and it takes part in what follows. `other=0.0` makes that a zero, which adds
# nothing to a sum. For a maximum, zero would be wrong (all numbers of a row may be negative), and so Inductor puts minus
# infinity there:

# %%
softmax = lab.load("softmax").kernels[0]
print(lines_with(softmax.body, "tl.load", "-inf", "tl.where"))

# %% [markdown]
# ## Why powers of two?
#
# Because Triton asks for it:


# %%
@triton.jit
def copy(x, out, BLOCK: tl.constexpr):
    off = tl.arange(0, BLOCK)
    tl.store(out + off, tl.load(x + off))


try:
    compiled(copy, {"x": "*fp32", "out": "*fp32"}, BLOCK=384)
except triton.compiler.errors.CompilationError as error:
    print(error.error_message)

# %% [markdown]
# A row of 384 is therefore held in a block of 512, and a quarter of the positions are padding. Whether that costs
# anything depends on who has them. With one warp, the padding is exactly the fourth round of loads, which the compiler sees to be
# empty and leaves out; with four warps there is one round, and the last warp has nothing to load.

# %%
block = 512
padding = pd.DataFrame(
    [
        {
            "num_warps": warps,
            "rounds of 128-bit loads": block // (4 * WARP * warps),
            "loads of x and of the weight": sum(norm.inspect("h200", num_warps=warps).loads.values()),
            "warps with nothing to load": sum(first * 4 * WARP >= 384 for first in range(warps)),
        }
        for warps in (1, 2, 4)
    ]
)
padding

# %% [markdown]
# Two tensors are read, so 2 loads for each round: 4 rounds would be 8 loads, and there are 6.

# %% [markdown]
# ## What does eviction_policy say?
#
# It is a hint to the cache. In the layer's kernel, the bias is read again by every row, and everything else is read once:

# %%
reads = size
bias = np.unique(coordinates(layer.body, np.arange(size, dtype=np.int64))["x0"]).size
print(f"bias: {bias:,} numbers, {reads:,} reads: each is wanted {reads // bias:,} times")
print(lines_with(layer.body, "evict_last"))
print(lines_with(layer.code("ptx", "h200"), "evict_last"))
print(lines_with(layer.code("sass", "h200"), "LDG.E.EL"))

# %% [markdown]
# It reaches the machine code (`.EL`: evict last). Take it away, and loads, stores and arithmetic are the same; what goes is the mark, and a few
# instructions that build the policy (`createpolicy` in the PTX):

# %%
record = replace(layer.record, text=layer.text.replace(", eviction_policy='evict_last'", ""))
plain = lab.KernelView(record, lab.load("../captured/lora_mlp_h200").record)
print(lines_with(plain.code("sass", "h200"), "LDG.E.EL") or "no LDG.E.EL left")
pd.DataFrame({"with": layer.inspect("h200").instructions, "without": plain.inspect("h200").instructions})

# %% [markdown]
# ## What do x0, x2 and xnumel mean?
#
# Inductor flattens the output, and `xindex` is the position in it: `xnumel` is how many there are. `x0`, `x2` and so on are the
# coordinates that some tensor needs, taken from the position by `%` and `//`. For the rotary kernel:

# %%
print(lines_with(rotary.body, "xnumel =", "x4 =", "x0 =", "x2 =", "x5 ="))
some = np.array([0, 1, 63, 64, 1023, 1024, 65_536])
pd.DataFrame({"xindex": some, **coordinates(rotary.body, some)})

# %% [markdown]
# `x0` runs through the 64 numbers of a head, `x2` changes every 1,024 positions and is the token, `x5` counts heads of all
# tokens. The tables of sines and cosines have one row for a token, and so are read at `x0 + 64*x2`.

# %% [markdown]
# ## Why do the pointers of a kernel have to be aligned?
#
# A 16-byte load must begin at a multiple of 16. Triton is told of each pointer whether that holds; torch's tensors begin
# so. A view that begins at an odd element does not, and the same source becomes another kernel:

# %%
for aligned in (True, False):
    code = compiled(copy, {"x": "*fp32", "out": "*fp32"}, BLOCK=1024, aligned=aligned)
    print(f"aligned {aligned!s:5}", *accesses(code["sass"]))

# %% [markdown]
# Four times as many instructions for the same bytes. Inductor knows of this trap: the module that it wrote around the kernels looks at each
# input first, and copies one that is not aligned.

# %%
print(lines_with(lab.load("rms_norm").graphs[0].module, "copy_if_misaligned("))
