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
# # Rotary embeddings: the questions of a long conversation
#
# In 2022 somebody offered to write rotary embeddings in Triton, and asked much on the way. The answers were "probably", "not yet", "it depends".
# Here is [a kernel](../inductor_lab/kernels/rotary/README.md), and what can be counted or was measured of it. All times are read from the results
# in its folder; everything else happens here, without a GPU.

# %%
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from zipfile import ZipFile

import matplotlib.pyplot as plt
import pandas as pd
import triton
import triton.language as tl
from evidence import WARP, accesses, compiled

import inductor_lab as lab
from inductor_lab.kernels.rotary import ahead_of_time
from inductor_lab.kernels.rotary.kernel import CANDIDATES
from inductor_lab.machine.inspection import printed

sys.path.insert(0, "../tests/benchmarks")
from timed_rows import stands  # isort: skip

kept = json.loads(Path("../inductor_lab/kernels/rotary/results.json").read_text())
points = [row for row in kept["rows"] if row["verb"] == "time" and "us" in row]
us = pd.DataFrame([{who: told[0] for who, told in row["us"].items()} for row in points])
run = kept["runs"][0]
print(f"{len(points)} points, {run['card']}, torch {run['torch']}, triton {run['triton']}")

# %% [markdown]
# ## Is it bound by bandwidth?
#
# "This is probably bandwidth limited", so first comes a benchmark in GB/s. A pair (a, b) becomes (a cos - b sin, b cos + a sin): six operations for
# two numbers read and two written. Compare it with the time of a copy of as many bytes, at the rate that a copy reached in the same run. Above
# 100 % means faster than that copy.

# %%
forward = pd.Series([not row["backward"] for row in points])
bound, megabytes = (pd.Series([row[name] for row in points]) for name in ("bound_us", "bytes"))
megabytes /= 1e6
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for who, colour in {"eager": "#8a867b", "default": "#c46a1b", "hand": "#1f6f6b"}.items():
    axes.scatter(megabytes[forward], (bound / us[who])[forward], s=22, color=colour, label=who)
axes.axhline(1, color="black", linewidth=0.8)
axes.set(
    xscale="log", xlabel="MB that have to move", ylabel="of a copy's rate", title="forward, cold cache, CUDA graph"
)
axes.yaxis.set_major_formatter("{x:.0%}")
axes.legend(frameon=False, fontsize=9)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
shares = pd.DataFrame({"of a copy's rate": bound / us["hand"], "TB/s": megabytes / us["hand"]})
shares["default / hand"] = us["default"] / us["hand"]
sizes = pd.cut(megabytes, [0, 1, 10, 100, float("inf")], labels=["below 1 MB", "1 to 10", "10 to 100", "above"])
shares[forward].groupby(sizes[forward], observed=True).agg(["min", "max"]).round(2)

# %% [markdown]
# Where the share is near 1, only fewer bytes make it faster: the tables often hold each angle twice, and half of them is enough. Where little
# has to move, the launch itself is paid for, and bandwidth is not the limit: there it counts that query and key are one launch.

# %% [markdown]
# ## Can a kernel slice what it has loaded?
#
# "Unfortunately it doesn't right now", was the answer, and the workaround was to load each half as an input of its own. Today `tl.split`
# takes a tensor apart along a last axis of two, and `tl.join` puts it together. What that costs depends on where the two members lie.


# %%
@triton.jit
def neighbours_one_by_one(x, out, ROWS: tl.constexpr, PAIRS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * 2 * PAIRS + 2 * tl.arange(0, PAIRS)[None, :]
    a, b = tl.load(x + at), tl.load(x + at + 1)
    tl.store(out + at, a - b)
    tl.store(out + at + 1, b + a)


@triton.jit
def neighbours_split(x, out, ROWS: tl.constexpr, PAIRS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * 2 * PAIRS + tl.arange(0, 2 * PAIRS)[None, :]
    a, b = tl.split(tl.load(x + at).reshape([ROWS, PAIRS, 2]))
    tl.store(out + at, tl.join(a - b, b + a).reshape([ROWS, 2 * PAIRS]))


@triton.jit
def halves_split(x, out, ROWS: tl.constexpr, PAIRS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * 2 * PAIRS + tl.arange(0, 2 * PAIRS)[None, :]
    a, b = tl.split(tl.load(x + at).reshape([ROWS, 2, PAIRS]).permute(0, 2, 1))
    tl.store(out + at, tl.join(a - b, b + a).permute(0, 2, 1).reshape([ROWS, 2 * PAIRS]))


def of_a_thread(sass: str) -> dict[str, object]:
    """By what a thread reaches memory, and other threads."""
    loads, stores = (", ".join(f"{count} {name}" for name, count in side.items()) for side in accesses(sass))
    moves = len(re.findall(r"\b(?:LDS|STS|LDSM|STSM|SHFL)\b", sass))
    return {"loads": loads, "stores": stores, "to other threads": moves}


ways = (neighbours_one_by_one, neighbours_split, halves_split)
types = {"x": "*bf16", "out": "*bf16"}
pd.DataFrame({way.__name__: of_a_thread(compiled(way, types, ROWS=16, PAIRS=64)["sass"]) for way in ways}).T

# %% [markdown]
# Neighbours want `split`: both lie in one thread, which loads 16 bytes in place of 2, and taking them apart moves nothing. Halves want two
# loads: a thread that loads 16 bytes of a row has no partner of any of them, so a split sends them to other threads and back. The
# kernel has a form for each. Its own machine code, for 32 heads of a query, 8 of a key and 128 columns, takes as many bytes in both:


# %%
def rotary(**chosen: object) -> dict[str, object]:
    """The kernel's program as it is compiled for an H200."""
    made = ahead_of_time.compiled(32, 8, 128, **chosen)
    return {"threads": WARP * made.metadata.num_warps} | of_a_thread(printed(made.asm, "sass"))


pd.DataFrame({"halves": rotary(), "neighbours": rotary(INTERLEAVED=True)}).T

# %% [markdown]
# Two of the loads are the angles'. How one finds out whether narrow stores were merged, the conversation's next question, is in
# [notebook 03](03_questions_answered_on_real_kernels.ipynb).

# %% [markdown]
# ## Autograd, and half precision?
#
# TorchScript "fails to fuse the cat op in the autograd case", and its fuser failed "in half precision, even in the non-autograd case". These
# are the kernels that Inductor writes today:

# %%
names = ("rotary_h200", "rotary_train_h200", "rotary_attention_train_bf16_h200")
kernels = [(name, kernel) for name in names for kernel in lab.load(f"../captured/{name}").kernels]
print("\n".join(f"{name:34}{kernel.graph.removeprefix('0_'):10}{kernel.name}" for name, kernel in kernels))

# %% [markdown]
# One forward, one backward, in bfloat16 too, where the last one lays the projection's gradient together. By hand it is one kernel for all: a rotation is
# linear, and its transpose turns the other way, so the gradient is the same kernel with the sine negated. In Triton's interpreter:

# %%
WORK = """
from inductor_lab.judge import stand_ins
stand_ins.install()  # bfloat16 as a card rounds it
import torch
from torch.autograd import grad, gradcheck, gradgradcheck
from inductor_lab.kernels.rotary.kernel import rotary

def eager(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

torch.manual_seed(0)
angle = torch.rand(16, 32) * 6
drawn = torch.randn(1, 4, 16, 64), torch.randn(1, 2, 16, 64), angle.cos(), angle.sin()
for dtype in (torch.float16, torch.bfloat16):
    query, key, cos, sin = (x.to(dtype) for x in drawn)
    right = eager(query.double(), cos.double(), sin.double()).to(dtype)
    for who, found in (("the kernel", rotary(query, key, cos, sin)[0]), ("eager", eager(query, cos, sin))):
        print(f"{dtype}, {who}: {(found == right).double().mean():.0%} of the results are float64's, rounded")
query, key = (torch.randn(1, heads, 3, 4, dtype=torch.float64, requires_grad=True) for heads in (2, 1))
cos, sin = angle[:3, :2].double().cos(), angle[:3, :2].double().sin()
back = grad(rotary(query, key, cos, sin)[0], query, up := torch.randn_like(query))[0]
print("the gradient is the rotation back:", torch.equal(back, rotary(up, key.detach(), cos, -sin)[0]))
print("it is right, and its own too:", *(check(lambda q, k: rotary(q, k, cos, sin), (query, key)) for check in (gradcheck, gradgradcheck)))
"""
environment = os.environ | {"TRITON_INTERPRET": "1"}
done = subprocess.run([sys.executable, "-c", WORK], env=environment, capture_output=True, text=True, check=True)
print(done.stdout)

# %% [markdown]
# Half precision is what is loaded and stored, and float32 is in between. Eager rounds each product and then the sum.

# %% [markdown]
# ## And the backward, compared honestly?
#
# In [pytorch #141265](https://github.com/pytorch/pytorch/issues/141265) Inductor is behind Liger on rope, but "rope backwards is very good
# for us". Here a call is forward and backward, in microseconds, by everybody whose results and gradients are float64's. Liger
# wants tokens before heads and copies what lies otherwise. Where somebody has no time, the reason stands below.

# %%
both = us[~forward].drop(columns=["again", "eager"]).dropna(axis=1, how="all")
trained = [row for row in points if row["backward"]]
pairs = ["neighbours" if row["interleaved"] else "halves" for row in trained]
both.index = [f"{r['batch']} x {r['tokens']}, {r['layout']}, {pair}" for r, pair in zip(trained, pairs, strict=True)]
both.T.round(1).astype(object).fillna("")

# %%
for name, row in zip(both.index, trained, strict=True):
    low, high = row["ratio"][row["best"]][1]
    verdict = {"ahead": "ahead of", "level": "level with"}.get(stands(row), stands(row))
    print(f"{name}: {verdict} {row['best']}, {low:.3f} to {high:.3f} times the hand kernel's time")
print(*sorted({f"{who}: {why}" for row in trained for who, why in row["refused"].items()}), sep="\n")

# %% [markdown]
# ## Heuristics, or autotuning?
#
# "What are the heuristics based on?" was answered with "I would stick to autotune". Inductor's default is a rule of thumb and few candidates;
# its other settings search on. At how many of the points that paid, where a difference counts that is larger than what the hand kernel
# differs from itself by:

# %%
noise = (us["again"] / us["hand"] - 1).abs()
gains = {name: us["default"] / us[name] for name in ("coordinate_descent_tuning", "max-autotune")}
counts = {
    name: {"faster": (gain > 1 + noise).sum(), "slower": (gain < 1 - noise).sum(), "of": gain.count()}
    for name, gain in gains.items()
}
print(pd.DataFrame(counts).T)
pd.DataFrame(gains).describe().loc[["min", "50%", "max"]].round(2)

# %% [markdown]
# The hand kernel has a table of candidates and takes the first, at any size, unless it is given another one: no search at a launch.
# How they differ can be read without timing:

# %%
pd.DataFrame([one | rotary(**one) for one in CANDIDATES])

# %%
tuned = pd.DataFrame([row for row in kept["rows"] if "tuned_us" in row])
beside = pd.DataFrame(tuned["tuned_us"].tolist())
first = beside[str(CANDIDATES[0])]
tuned = tuned.assign(first=first, gains=first / beside.min(axis=1) - 1, fastest=beside.idxmin(axis=1))
print(f"the first is the fastest, or within 2 % of it, at {(tuned['gains'] < 0.02).sum()} of {len(tuned)} points")
tuned["at"] = [f"{one.batch} x {one.tokens}" + ", half tables" * one.half_tables for one in tuned.itertuples()]
few = tuned["tokens"].between(2, 1024)
print("another is faster by more at (batch x tokens)", *tuned.query("gains >= 0.02")["at"], sep="\n")
beside[few].T.set_axis(("us, " + tuned["at"][few]).tolist(), axis=1).round(2)

# %% [markdown]
# ## Ahead of time?
#
# `triton.compile` needs no card, only a target. [ahead_of_time.py](../inductor_lab/kernels/rotary/ahead_of_time.py) says by hand what a launch
# tells the compiler else: types, which pointers are multiples of 16, and what is compiled in, here all but the pointers and the number of
# tokens. What comes out is one file:

# %%
ahead_of_time.write(file := Path(tempfile.mkdtemp(), "rope.zip"), heads=32, kv_heads=8, columns=128)
with ZipFile(file) as one:
    print(one.namelist(), "begins with", one.read("rotate.cubin")[:4])
    print(one.read("rotate.json").decode())

# %% [markdown]
# Elsewhere that needs a driver and each tensor's address, and neither Triton nor a compiler. This is the launch:

# %%
print("out = [" + inspect.getsource(ahead_of_time.load).partition("out = [")[2].partition("        return out")[0])

# %% [markdown]
# A test holds what is launched to what the kernel takes; another one, on a card and without Triton, its results to float64's. The price is
# that a launch chooses nothing: other heads, types or strides are another file.

# %% [markdown]
# ## Blocks, warps, masks, coalescing?
#
# The conversation's other questions are answered in [notebook 03](03_questions_answered_on_real_kernels.ipynb): BLOCK_SIZE beside CUDA's
# thread block, warps, powers of two, masks, which bytes a warp asks for, two half stores.
