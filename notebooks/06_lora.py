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
# # LoRA: how far should one fuse?
#
# The talk on fusing kernels ends with a layer that has a low-rank adapter, `relu(x W^T + 0.5 (x A^T) B^T + bias)`, and with questions. Here
# each has a number. Times were measured on a card and are kept beside the hand kernel; everything else happens here, without a GPU.

# %%
import json
import os
import runpy
import subprocess
import sys
import tempfile
import warnings
from dataclasses import asdict
from pathlib import Path
from statistics import median

import matplotlib.pyplot as plt
import pandas as pd
import torch
import triton
import triton.language as tl
from evidence import compiled, variants
from torch._dynamo.testing import CompileCounter

import inductor_lab as lab
from inductor_lab.eject import eject, eject_files
from inductor_lab.ejected import write_all
from inductor_lab.kernels.add_mul_activation.kernel import add_mul_activation
from inductor_lab.kernels.lora_linear import kernel as lora
from inductor_lab.kernels.steps import written
from inductor_lab.machine.instructions import by_kind

sys.path.insert(0, "../tests/benchmarks")  # what times the hand kernels
from contests import Job, add_mul_activation as contest, checked  # isort: skip
from contests.lora_linear import POINTS
from timed_rows import stands

HERE, MISSING = Path(tempfile.mkdtemp()), "not measured yet"
os.environ["TORCH_EXTENSIONS_DIR"] = str(HERE / "built")
kept = json.loads(Path("../inductor_lab/kernels/lora_linear/results.json").read_text())
print(*sorted({f"{run['card']}, torch {run['torch']}" for run in kept["runs"]}))

# %% [markdown]
# ## How far should one fuse?
#
# Inductor leaves the three products to the library, and fuses what stands behind them; each step of the hand kernel fuses more. Below is a
# layer of 4,096 rows, 1,024 to 1,024, rank 8, in bfloat16. Counted are the bytes of each launch, every tensor once, and the
# multiplications; tensor cores take 16 columns of the adapter at a time, so rank 8 is padded.

# %%
M, N, K, R, PAD, TILE = 4096, 1024, 1024, 8, 16, 128
x, w, a, b, s, y = (2 * size for size in (M * K, N * K, R * K, N * R, M * R, M * N))
launches = {
    "as generated": [x + w + y, x + a + s, s + b + y, y + y + y],
    "step_1": [x + w + y, x + a + s, y + s + b + y],
    "step_2": [x + a + s, x + w + s + b + y],
    "step_3": [x + w + a + b + y],
    "step_4": [x + a + s, x + w + s + b + y],
}
counted = pd.DataFrame({step: [len(own), sum(own) / 1e6] for step, own in launches.items()}, index=["launches", "MB"]).T
counted["GFLOP"] = 2e-9 * M * (N * K + PAD * K + PAD * N)
counted.loc["step_3", "GFLOP"] += 2e-9 * M * PAD * K * (N // TILE - 1)  # each tile of the result sums x A^T again
timed = {row["step"]: row["us"] for row in kept["rows"] if row["verb"] == "step" and "us" in row}
us = {step: own["hand"][0] for step, own in timed.items()}
us["as generated"] = median(own["generated"][0] for own in timed.values()) if timed else None
counted["us"] = [f"{us[step]:.1f}" if us.get(step) else MISSING for step in launches]
counted.astype({"launches": int}).round(1)

# %% [markdown]
# All in one launch, `step_3`, moves the fewest bytes and computes the most: each tile of the result needs `x A^T` of its rows, cannot wait for
# another tile's, and sums it again. `step_4` gives it a launch of its own back, and lets the main one begin beside it;
# at 4,096 rows little of it is hidden.
#
# Then the layer beside everybody else, at rank 16, in microseconds. `merged` is what serves one adapter alone: `W + 0.5 B A`, computed in advance.

# %%
NAMES = {"hand": "fused", "two products and addmm_": "addmm_", "base product alone": "base", "merged weight": "merged"}
plain, table, bars = {"rank": 16, "precision": "bf16", "activation": "relu", "backward": False}, [], {}
for point in sorted(map(asdict, POINTS), key=lambda one: (one["widths"], one["rows"])):
    if plain.items() <= point.items():
        row = next((one for one in kept["rows"] if point.items() <= one.items() and "us" in one), None)
        found = {"widths": point["widths"], "rows": point["rows"], "fusing": MISSING}
        if row:
            found["fusing"] = {"ahead": "wins", "behind": "loses"}.get(stands(row), stands(row))
            own = {name: row["us"][old][0] for old, name in NAMES.items() if old in row["us"]}
            own["best other"] = row["us"][row["best"]][0]
            found |= {name: f"{time:.1f}" for name, time in own.items()} | {"which": row["best"]}
            if "base" in own:
                bars[f"{point['rows']}\n{point['widths']}"] = {name: time / own["base"] for name, time in own.items()}
        table.append(found)
pd.DataFrame(table).fillna("").set_index("rows")

# %%
figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
colours = {"fused": "#1f6f6b", "addmm_": "#8a867b", "best other": "#c46a1b", "merged": "#2f5f8f"}
pd.DataFrame(bars).T[list(colours)].plot.bar(ax=axes, color=list(colours.values()), width=0.8, rot=0, fontsize=8)
axes.axhline(1, color="black", linewidth=1)
axes.set(ylabel="of the base product's time", xlabel="rows, widths")
axes.legend(frameon=False, fontsize=8, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1))
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# With few rows all wait for the weight's bytes, and what is left to save is launches. With many rows the products decide: a fused kernel
# brings its own instead of the library's, and has to gain back what that may lose. From 4,096 rows on it wins at none of these four points. In the
# run before it won at three, where `max-autotune` took 2 to 6 % longer.

# %% [markdown]
# ## What does reuse cost?
#
# What a merged weight gains in time stands above. It takes a copy of the weight for every adapter; fused code takes lines for every kind of layer:

# %%
lines = len(Path(lora.__file__).read_text().splitlines())
print(f"an adapter of rank 16, 4096-4096: {4 * 16 * 4096 / 1e6:.2f} MB; merged: {2 * 4096**2 / 1e6:.2f} MB")
print(f"the layer in PyTorch: 1 line; the hand kernel with its gradients: {lines} lines")

# %% [markdown]
# ## May a kernel have conditionals?
#
# It may. One text, compiled three times: with either activation as a constant (for a launch, that is `activation: tl.constexpr`), and with a
# number that only the launch knows.


# %%
@triton.jit
def tail(x, y, out, activation, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x + at) + 0.5 * tl.load(y + at)
    if activation == 0:  # noqa: SIM108
        total = tl.maximum(total, 0.0)
    else:
        total = tl.sigmoid(total)
    tl.store(out + at, total)


pointers = {"x": "*fp32", "y": "*fp32", "out": "*fp32"}
codes = {
    "relu": compiled(tail, pointers, BLOCK=1024, activation=0),
    "sigmoid": compiled(tail, pointers, BLOCK=1024, activation=1),
    "told by the launch": compiled(tail, {**pointers, "activation": "i32"}, BLOCK=1024),
}
kinds = ["global loads", "global stores", "fp32", "special functions", "branches"]
pd.DataFrame({name: by_kind(code["sass"]) for name, code in codes.items()}).fillna(0).astype(int).loc[kinds]

# %% [markdown]
# Of a constant condition nothing is left, not even a branch (one ends every program): relu's code has no exponential, a `special function`. A
# condition of the launch leaves both sides, and branches between them.

# %% [markdown]
# ## Why not TorchScript?
#
# The talk times it beside Triton. Today it says so itself; and on the CPU it merges nothing unless it is told to:


# %%
def tail_of(base, low_rank):
    return torch.relu(base + 0.5 * low_rank)


def layer(x, w, a, b, bias):
    return torch.relu(torch.nn.functional.linear(x, w, bias) + 0.5 * ((x @ a.T) @ b.T))


given = [torch.randn(*size) for size in ((64, 128), (96, 128), (8, 128), (96, 8), (96,))]
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    scripted = torch.jit.script(layer)
print(told[0].message)
print("merges on the CPU:", torch._C._jit_can_fuse_on_cpu())
print("built with LLVM, which it needs there:", torch._C._llvm_enabled())
torch._C._jit_override_can_fuse_on_cpu(True)
torch._C._jit_set_te_must_use_llvm_cpu(False)
for _ in range(4):  # it looks at calls before it merges
    scripted(*given)
for line in str(torch.jit.last_executed_optimized_graph()).splitlines():
    if any(word in line for word in ("aten::", "TypeCheck", "= prim::TensorExprGroup")):
        print(line.partition(" # ")[0].strip())

# %% [markdown]
# Told to, it merges what stands behind the products, and leaves those to the library. Inductor's kernel of this layer is the same:

# %%
print(*lab.load("../captured/lora_mlp_bf16_h200").kernels[0].computes)

# %% [markdown]
# So what is fused is not the difference. But TorchScript's group holds for the sizes that `TypeCheck` has as numbers, and for others another
# function is called; and it is deprecated. `torch.compile` writes a kernel as text, which can be read, ejected and changed, for any number of rows.

# %% [markdown]
# ## What do dynamic shapes cost?
#
# First, how often a model has been traced when calls with these rows have come one after the other. With the second number the rows become a
# parameter; one row stays a case of its own, as it broadcasts.

# %%
ROWS, traced = (4096, 130, 16, 1, 8192, 64), {}
for dynamic in (False, None, True):
    torch._dynamo.reset()
    counter = CompileCounter()
    model = torch.compile(tail_of, backend=counter, dynamic=dynamic)
    ones = [torch.ones(rows, 8) for rows in ROWS]
    traced[f"dynamic={dynamic}"] = [(model(one, one), counter.frame_count)[1] for one in ones]
pd.DataFrame(traced, index=pd.Index(ROWS, name="rows"))

# %% [markdown]
# This kernel was captured with such a parameter. Ejected, it runs in Triton's interpreter with any number of rows:

# %%
dynamic = lab.load("../captured/lora_mlp_train_dynamic_h200").record
(HERE / "dynamic.py").write_text(eject(dynamic, dynamic.kernels[0], file="dynamic.py"))
PROGRAM = """
import torch, dynamic
for rows in (130, 16, 1, 64):
    mm, bias, mm_2 = torch.randn(rows, 1024), torch.randn(1024), torch.randn(rows, 1024)
    (right,) = dynamic.reference(mm.clone(), bias, mm_2)
    print(rows, "rows:", torch.allclose(dynamic.launch(mm, bias, mm_2), right, atol=1e-5))
"""
interpreted = {**os.environ, "TRITON_INTERPRET": "1"}
print(subprocess.check_output([sys.executable, "-c", PROGRAM], cwd=HERE, env=interpreted, text=True))

# %% [markdown]
# Triton compiles again where a size is 1, or a multiple of 16, or no longer is. Launches are caught here before they run, and counted by what
# Triton's cache knows them by: for every number of rows up to 256, and some up to 8,192.

# %%
EVERY = [*range(1, 257), *range(320, 8193, 64), *range(333, 8193, 333)]
launch, wide = runpy.run_path(str(HERE / "dynamic.py"))["launch"], torch.empty(8192, 1024)
x, *layer_of = (torch.empty(*one, dtype=torch.bfloat16) for one in ((8192, 4096), (4096, 4096), (16, 4096), (4096, 16)))
calls = {
    "the captured one": lambda rows: launch(wide[:rows], wide[0], wide[:rows]),
    "add_mul_activation": lambda rows: add_mul_activation(wide[:rows], wide[:rows], wide[0]),
    "lora_linear": lambda rows: lora.lora_linear(x[:rows], *layer_of),
}
found = {of: variants(call, EVERY) for of, call in calls.items()}
table = [(of, kernel, len(EVERY), len(own)) for of in found for kernel, own in found[of].items()]
pd.DataFrame(table, columns=["of", "kernel", "numbers of rows", "compiled kernels"])

# %% [markdown]
# Where more rows are only more programs, a kernel serves all of them, or all that share a block: here it is given rows times 1,024, always a
# multiple of 16. The layer's product is there for each choice of tiles, and for multiples of 16 and others: what it costs to suit one row and 8,192.

# %% [markdown]
# ## Who finds the faults of the talk's kernels?
#
# `verify`, where a call is wrong. The talk's CUDA launch has a thread for each column, of which a block may have 1,024; here are 513 and 1,025
# columns, and without a card g++ compiles it and the limit is checked. Then: a store without a mask; and a mega-fusion that takes `x A^T` of the last
# tile alone, right only while B is zero, as training begins.

# %%
tail_capture = lab.load("../captured/lora_mlp_h200").record
texts = eject_files(tail_capture, tail_capture.kernels[0], target="cuda", generalize=True, file="add.py")
unmasked = eject(tail_capture, tail_capture.kernels[0], generalize=True, file="unmasked.py")
stale = written("lora_linear", "step_3", Path("../captured/lora_mlp_bf16_h200"), "stale.py")


def planted(text: str, wrong: dict[str, str]) -> str:
    for old, new in wrong.items():
        assert old in text
        text = text.replace(old, new)
    return text


scalar = {"aligned<4>(mm_ptr) && aligned<4>(mm_2_ptr)": "false", "__launch_bounds__(256) ": ""}
texts["add.cu"] = planted(texts["add.cu"], {"cdiv(numel, 256), 256,": "cdiv(numel, s1), s1,", **scalar})
texts["unmasked.py"] = planted(unmasked, {"0.0, total), inside)": "0.0, total))"})
smaller = {"4194304": str(40 * 136), "4096": "40", "1024": "136"}  # for the interpreter; three tiles of depth
texts["stale.py"] = planted(stale, {"tl.dot(x, a, inner)": "tl.dot(x, a)", **smaller})
write_all({HERE / name: text for name, text in texts.items()})
columns = [("add.py", "sizes s0=2049, s1=513"), ("add.py", "sizes s0=4097, s1=1025")]
for name, which in (*columns, ("unmasked.py", "sizes s0=5, s1=7"), ("stale.py", "seed 0")):
    (case,) = lab.verify_file(HERE / name, effort="thorough", case=which).record.cases
    print(name, which, "pass" if case.passed else "fail", case.message, sep=", ")

# %% [markdown]
# The talk's timing loop gives a kernel that overwrites its input its own result again, of which ReLU soon leaves nothing to do. Each call is right, so
# who times looks at the inputs before and after, and refuses:

# %%
inputs = contest.job(contest.Point(4, 8, "float32", "relu", False), "cpu").given
loop = Job(lambda configuration: inputs[0].copy_(contest.relu(*inputs)), contest.relu, inputs, [], 0)
print(checked(loop, ("hand", "eager"))[1])
