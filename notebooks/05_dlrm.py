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
# # DLRM, from its first profile to the grafted step
#
# The talk on fusing kernels builds a click model, profiles it, compiles it, and then rewrites what the compiler wrote. This is that way
# with the tools of this project, on inference at a batch of 128. What was timed was timed on an H200 and is kept beside the
# code; everything else happens here, without a GPU.

# %%
import runpy
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import torch
from IPython.display import Markdown

import inductor_lab as lab
from inductor_lab.gpus import find_gpu
from inductor_lab.kernels.steps import edit, written

kept = runpy.run_path(
    "../tests/benchmarks/dlrm_tables.py"
)  # what makes the tables of docs/dlrm.md reads the same files
diffs = kept["diffs"]()
graph = {step: diff["launched"] for step, diff in diffs.items()}
model = {step: diff["step"] for step, diff in diffs.items()}

# %% [markdown]
# ## The first profile
#
# Thirteen counts go through dense layers, 26 categories are hashed and looked up, every feature is multiplied with every other, and
# dense layers make a probability of it. Compiled, the step is these kernels; times by CUPTI, `rest` is the step as a CUDA graph less all others.

# %%
lookups, outer = (diffs[step]["generated"]["launches"] for step in ("lookups_2", "outer_1"))
names = [
    "outer product",
    "first top layer: product",
    "first top layer: sum of its parts",
    "first top layer: bias and ReLU",
]
profile = pd.Series(dict(zip(names, (one["microseconds"] for one in outer), strict=True)))
profile[f"{len(lookups)} lookups"] = sum(one["microseconds"] for one in lookups)
profile["rest"] = model["outer_1"]["step"]["generated"] - profile.sum()
pd.DataFrame({"us": profile.round(1), "share": (profile / profile.sum()).map("{:.1%}".format)})

# %% [markdown]
# The lookups' time is CUPTI's sum of their kernels. [docs/dlrm.md](../docs/dlrm.md#what-each-step-gained) has another one, of a CUDA graph of these
# launches alone, where what lies between two launches counts too:

# %%
alone = [kept["generated"](diffs[step]) for step in ("lookups_1", "lookups_2")]
print(
    f"sum of the kernels {profile.iloc[-2]:.1f} us; in a CUDA graph, in two runs, {alone[0]:.1f} and {alone[1]:.1f} us"
)

# %% [markdown]
# Most of it is one product of cuBLAS, the first top layer's on 186,624 columns, which Triton did not write. Kernel by
# kernel there is little to gain: each is about as fast as it can be. So ask for spans, what consecutive steps would take as one.

# %%
dlrm = lab.load("../captured/dlrm_h200")
dlrm.spans()

# %% [markdown]
# ## 26 launches are one
#
# No lookup reads what another one wrote, so Inductor does not merge them. A hand does: a program of this grid chooses its table.

# %%
print(edit("dlrm", "lookups_1").partition("\n\n\ndef launch")[0])

# %% [markdown]
# [The notebook before](04_what_lies_between_kernels.ipynb) goes through this span from ejecting it to its time. The kernel that came of it
# hashes a category once for all of its columns. As an ejected file it is judged like any other:

# %%
file = Path(tempfile.mkdtemp(), "lookups.py")
file.write_text(written("dlrm", "lookups_2", Path("../captured/dlrm_h200"), file.name))
print(lab.verify_file(file, effort="quick").verdict)

# %% [markdown]
# ## A product that is never stored
#
# The second row says what merging the product with what reads it is worth in IEEE float32: little, as arithmetic is the limit. Two
# identities go further. The layer's sum can be taken feature by feature, and then nobody needs the products:

# %%
torch.manual_seed(0)
x, weight = torch.randn(4, 6, dtype=torch.float64), torch.randn(3, 6, 6, dtype=torch.float64)
stored = torch.nn.functional.linear((x[:, :, None] * x[:, None, :]).flatten(1), weight.flatten(1))
never = sum(x[:, i, None] * (x @ weight[:, i].T) for i in range(6))
print("never stored:", torch.allclose(stored, never))

# %% [markdown]
# And each product is there twice, as `x_i * x_j` and as `x_j * x_i`. With their two weights added beforehand half of the weight is left to read:

# %%
folded = weight.triu() + weight.tril(-1).mT
half = sum(x[:, i, None] * (x[:, i:] @ folded[:, i, i:].T) for i in range(6))
print("folded:      ", torch.allclose(stored, half))

# %% [markdown]
# As Triton it is `inductor_lab/kernels/dlrm/outer.py`. Its inner sum is a matrix product of 128 samples, 128 outputs and 64 columns, and
# the sums over i are shared out among the multiprocessors. This stands in the place of the span, the folded weight kept until it changes:

# %%
print("".join(edit("dlrm", "outer_2").partition("KEPT = ")[1:]))

# %% [markdown]
# ## What the layer takes
#
# What bounds it depends on how it multiplies. The ticks are the larger of two times: to move the weight, and the products where they are
# stored, at the rate of a copy; and to multiply at the card's own rate, float32 outside of the tensor cores or TF32 on them, which
# `tf32x3` does three times.

# %%
card = find_gpu("h200")
copy = next(one["per_second"] for one in diffs["outer_1"]["ceilings"] if one["name"] == "copy")
RATES = {"ieee": card.flops, "tf32x3": card.single / 3, "tf32": card.single, "bf16": card.half}
FORMS = {"stored": 1, "never stored": 1, "folded": 0.5}
BATCH, FEATURES, HIDDEN = 128, 27 * 16, 512


def bound(precision: str, form: str) -> float:
    """Microseconds that the layer takes at least."""
    if (precision, form) == ("ieee", "never stored"):  # it folds in every call: reads the weight, writes half of it
        return bound(precision, "folded") + 1e6 * 4 * FEATURES**2 * HIDDEN * 1.5 / copy
    size = 2 if precision == "bf16" else 4
    moved = size * FEATURES**2 * (FORMS[form] * HIDDEN + (2 * BATCH if form == "stored" else 0))
    return 1e6 * max(moved / copy, 2 * BATCH * HIDDEN * FEATURES**2 * FORMS[form] / RATES[precision])


times = {
    ("ieee", "stored"): kept["generated"](diffs["outer_1"]),
    ("tf32x3", "never stored"): graph["outer_1"]["hand"]["median"],
    ("tf32x3", "folded"): graph["outer_2"]["hand"]["median"],
}
for row in kept["kernels"]()[1]:  # timed beside each other, in every precision
    if row["kernel"].startswith("outer") and row["batch"] == BATCH and "us" in row:
        form = "folded" if row["kernel"] == "outer_folded" else "never stored"
        times[row["precision"], form] = row["us"]["hand"][0]
        if row["best"] and row["precision"] != "tf32x3":  # which nobody else has
            times[row["precision"], "stored"] = row["us"][row["best"]][0]
layer = pd.DataFrame(
    [{"precision": one, "form": form, "us": us, "bound": bound(one, form)} for (one, form), us in times.items()]
)
layer.round(1)

# %%
COLOURS = {"stored": "#c46a1b", "never stored": "#2f5f8f", "folded": "#1f6f6b"}
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
shown = [(one, form) for one in RATES for form in FORMS if (one, form) in times]
for place, (precision, form) in enumerate(shown):
    us, least = times[precision, form], bound(precision, form)
    axes.bar(place, us, color=COLOURS[form], width=0.7)
    axes.hlines(least, place - 0.42, place + 0.42, color="black", linewidth=2)
    axes.annotate(f"{us:.0f}", (place, us), ha="center", va="bottom")
axes.set_xticks(range(len(shown)), ["\n".join((precision, *form.split())) for precision, form in shown], fontsize=8)
axes.set_ylabel("us in a CUDA graph")
axes.set_title("outer product, first top layer, ReLU on an H200; tick: bound", fontsize=10)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# ## What the step takes
#
# A layer is worth what the model gains. `diff --in` times the whole step, launch by launch in one CUDA graph, with the span as it was and with the hand
# kernel in its place. Here each is grafted alone; the outer product's multiply in `tf32x3` where nothing else is said.

# %%
bars = {"as generated": model["outer_2"]["step"]["generated"]}
for step, label in (
    ("lookups_2", "lookups: one kernel"),
    ("outer_1", "product never stored"),
    ("outer_2", "the same, folded"),
    ("outer_3", "folded, IEEE float32"),
):
    bars[label] = model[step]["step"]["grafted"]
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
drawn = axes.barh(list(bars), list(bars.values()), color=["#c46a1b", "#8a867b", "#2f5f8f", "#1f6f6b", "#1f6f6b"])
axes.bar_label(drawn, fmt="%.0f us", padding=3)
axes.invert_yaxis()
axes.set_xlim(0, 1.15 * max(bars.values()))
axes.set_title("DLRM's step at a batch of 128 on an H200", fontsize=10)
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
columns = ["DLRM's step", "grafted", "saved", "from", "to"]
pd.DataFrame(
    {
        step: [*(one["step"][side] for side in ("generated", "grafted")), one["saved"], *one["saved_interval"]]
        for step, one in model.items()
        if one["capture"] == "dlrm_h200"
    },
    index=columns,
).T.round(1)

# %% [markdown]
# ## In the model
#
# ```python
# model = torch.compile(DLRM(...).cuda())
#
# with inductor_lab.graft("lookups.py", "outer.py") as grafts:
#     model(dense, sparse)
# print(grafts)
# ```
#
# So the whole step was timed before and after, with the lookups and the first top layer grafted together. As a CUDA graph it is what the layer
# promised. Launched from Python inference is slower than before: a graft costs more at each launch, and launches are what such a step waits for. Of
# training that is undecided. *saved* pairs two steps of one round, while the two times beside it are medians of all.

# %%
Markdown(kept["grafted"]())

# %% [markdown]
# [docs/dlrm.md](../docs/dlrm.md#hand-kernels) has the goals, which kernel reaches its own beside whom, and how to time them again.
