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
# # What lies between kernels
#
# A kernel that TorchInductor wrote is often as fast as it can be. The step it is part of is not: 26 lookups are 26
# launches, a product waits for what it reads to be written to memory. What to look at then is not a kernel but a **span**,
# consecutive launches and library calls of a graph. This is one span from its discovery to the model, DLRM's.

# %%
import json
import tempfile
from pathlib import Path

import inductor_lab as lab

dlrm = lab.load("../captured/dlrm_h200")
dlrm.spans()

# %% [markdown]
# The first row: steps 8 to 33 are 26 lookups of 128 rows each. Each launch moves 17 KB, which is nothing, and costs a launch, which is
# not. Inductor does not merge them, for none reads what another one writes. Eject all of them as one file. The 26 differ by a
# number, which table it is: they are printed once, and `launch` gives each the number.

# %%
file = dlrm.eject("0_inference:8-33", Path(tempfile.mkdtemp(), "lookups.py"))
text = file.read_text()
start = text.index("\ndef launch(")
print(text[text.index("@triton.jit", start) : text.index("def launch_", start)])

# %% [markdown]
# `launch` of that file begins as the captured sequence. It is the only thing that is fixed: what it is given, and what it
# leaves. All between is yours, so here one grid does what 26 launches did; its second dimension is the table.

# %%
TABLES = ", ".join(["table", *(f"table_{number}" for number in range(2, 27))])
HAND = f"""
@triton.jit
def lookups(
    category_ptr,  # i64[128, 26]
    cardinality_ptr,  # i64[26]
    tables,  # 26 of f32[rows, 16]
    out_ptr,  # f32[128, 432]: a row of every table beside each other, behind 16 columns of somebody else
    BATCH: tl.constexpr,
    COLUMNS: tl.constexpr,
    ROWS: tl.constexpr,
    OUT_STRIDE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    feature = tl.program_id(1)
    table = tables[0]
    for number in tl.static_range(1, len(tables)):
        table = tl.where(feature == number, tables[number], table)
    offset = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offset < BATCH * COLUMNS
    sample, column = offset // COLUMNS, offset % COLUMNS
    category = tl.load(category_ptr + sample * len(tables) + feature, inside)
    cardinality = tl.load(cardinality_ptr + feature)
    rest = (category + 1) % cardinality
    row = tl.where((rest != 0) & ((rest < 0) != (cardinality < 0)), rest + cardinality, rest)
    row = tl.where(row < 0, row + ROWS, row)
    looked_up = tl.load(table + row * COLUMNS + column, inside)
    tl.store(out_ptr + sample * OUT_STRIDE + (feature + 1) * COLUMNS + column, looked_up, inside)


def launch(index, index_2, {TABLES}, buf34, *, BLOCK=256, num_warps=4):
    tables = ({TABLES})
    batch, columns = buf34.shape[0], table.shape[1]
    lookups[triton.cdiv(batch * columns, BLOCK), len(tables)](
        index, index_2, tables, buf34, batch, columns, table.shape[0], buf34.stride(0), BLOCK=BLOCK, num_warps=num_warps
    )
    return buf34


"""
judged = text.index("# ---------------------------------------------------------------- what it must equal")
file.write_text(text[:start] + HAND + text[judged:])
print(lab.verify_file(file).verdict)

# %% [markdown]
# The verdict is on the whole span: what is in the buffer in the end, on inputs that the 26 kernels' own conditions allow. Whatever
# you forget, a table, the sign of a remainder, the part of the buffer that is somebody else's, makes it fail:

# %%
file.write_text(file.read_text().replace("(feature + 1) * COLUMNS", "feature * COLUMNS"))
print(lab.verify_file(file, fail_fast=True).verdict)
_ = file.write_text(file.read_text().replace("feature * COLUMNS", "(feature + 1) * COLUMNS"))

# %% [markdown]
# ## What it is worth
#
# That takes a card. These are the figures of `inductor-lab diff lookups.py --in dlrm_h200` on an H200, as they were kept:

# %%
kept = json.loads(Path("../tests/benchmarks/results/span_dlrm.json").read_text())
graph, step = kept["launched"], kept["step"]
print(f"on an {kept['device']}, torch {kept['torch']}, triton {kept['triton']}, in us")
print(f"26 launches in a CUDA graph   {graph['timing']['median']:6.1f}")
print(f"one hand kernel in one        {graph['hand']['median']:6.1f}")
print(f"DLRM's step before            {step['step']['generated']:6.1f}")
print(f"and with the hand kernel      {step['step']['grafted']:6.1f}")
print(
    f"saved, with its 95 % interval {step['saved']:6.1f}, {step['saved_interval'][0]:.1f} to {step['saved_interval'][1]:.1f}"
)

# %% [markdown]
# ## In the model
#
# ```python
# model = torch.compile(DLRM(...).cuda())
#
# with inductor_lab.graft("lookups.py") as grafts:
#     model(dense, sparse)
# print(grafts)
# ```
#
# Wherever the compiled model has these 26 steps, they are that one call inside of the `with`. A model that was changed runs as
# generated, and a warning says what is nearest. [docs/graft.md](../docs/graft.md) has the rest.
#
# This takes a card as well. What was run there grafts another form of the lookups, `lookups_2` of
# [inductor_lab/kernels/steps/dlrm.py](../inductor_lab/kernels/steps/dlrm.py), together with a hand kernel of the outer product and the
# layer behind it. Its results are kept:

# %%
kept = json.loads(Path("../tests/benchmarks/results/dlrm/grafted.json").read_text())
run, row = kept["runs"][0], next(row for row in kept["rows"] if not row["training"])
print(f"{' and '.join(row['steps'])}, on an {run['card']}, torch {run['torch']}, triton {run['triton']}")
for name, (median, (low, high)) in row["graph"]["us"].items():
    print(f"DLRM's step, {name:<10}{median:6.1f} us, {low:.1f} to {high:.1f}")
print(f"its result is off from float64's by {row['far']['grafted']:.1e}, as generated by {row['far']['generated']:.1e}")
