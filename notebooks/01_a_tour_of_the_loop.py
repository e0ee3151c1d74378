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
# # A tour of the loop
#
# `torch.compile` hands your model to TorchInductor, and TorchInductor writes kernels for it in Triton, a Python dialect
# that is compiled for the GPU. This notebook takes one of those kernels out, reads it, changes it, finds out whether the
# change is right and what it did to the machine code, and puts it back into the model.
#
# No GPU is needed. The kernels were generated for an NVIDIA H200 that was not there; they run in Triton's interpreter, on
# the CPU; and they are compiled for real cards without being run on one. The only thing left out is time, which needs the
# card.

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

import inductor_lab as lab

folder = TemporaryDirectory()
work = Path(folder.name)

# %% [markdown]
# ## Capture
#
# A capture holds everything that Inductor wrote for one run of a program. This one lies beside the notebook and was made by
#
#     inductor-lab capture lora_mlp --gpu h200 --size laptop
#
# `lora_mlp` is one of the built-in models: three linear layers, each with a LoRA adapter, at sizes that a laptop likes. For
# a model of your own, in this process: `lab.capture_model(model, *inputs, gpu="h200")`.

# %%
capture = lab.load("lora_mlp")
capture

# %% [markdown]
# Two kernels. The matrix products are not among them: those are calls into cuBLAS. What Inductor wrote is what stands
# *between* the products, each stretch of it fused into one kernel. The same table, as a pandas DataFrame:

# %%
capture.dataframe()[["id", "category", "launches", "read", "written", "flops", "line"]]

# %% [markdown]
# ## Show
#
# One kernel, explained: where it comes from in the model, what it moves between memory and the chip, how it is launched,
# and what each line does. The explanations are computed from the kernel's own text.

# %%
kernel = capture.kernels[0]
kernel

# %% [markdown]
# What follows from an explanation can be asked for as data. These are the notes on the whole kernel; every line has its
# own.

# %%
for note in kernel.explain().notes:
    if note.line == 0:
        print(f"{note.kind:8} {note.text}")

# %% [markdown]
# ## Eject
#
# `eject` writes the kernel as one file that you can edit. It needs torch and Triton, and not this project: the kernel, a
# launcher, the same computation in eager PyTorch, example inputs, Inductor's own kernel, and a check. Names come from the
# model, sizes are parameters, and the masks that Inductor could leave out are back, so that a block size can be changed.

# %%
file = kernel.eject(work / "mine.py")
text = file.read_text()
print(text[text.index("@triton.jit") : text.index("# -------", text.index("@triton.jit"))])

# %% [markdown]
# ## Verify
#
# Does the file compute what eager PyTorch computes? The judge runs both on inputs that it chooses by looking at what the
# kernel does, works out the exact result in float64, and asks that the kernel is no farther from it than rounding
# explains.

# %%
lab.verify_file(file, effort="quick")

# %% [markdown]
# Now a mistake that a tired person makes: the adapter's scale is 0.5, and one types 0.51.

# %%
right = file.read_text()
begin, end = right.index("@triton.jit"), right.index("def launch(")
file.write_text(right[:begin] + right[begin:end].replace("0.5", "0.51") + right[end:])
lab.verify_file(file, case="seed 0")

# %% [markdown]
# It says which element is wrong, by how much, which program wrote it, and what all the wrong ones have in common. Back to
# the right number:

# %%
file.write_text(right)
lab.verify_file(file, effort="quick").verdict

# %% [markdown]
# ## Inspect
#
# What does the compiler make of it? The kernel is compiled for a card and taken apart again; nothing is run. At these small
# sizes there is little to see, so here is the same kernel as it is generated for a real layer, 4,096 rows of 1,024, for
# three cards:

# %%
layer = lab.load("../captured/lora_mlp_h200").kernels[0]
layer.inspect("h200")

# %%
layer.inspect("a100")

# %%
layer.inspect("mi300x")

# %% [markdown]
# `LDG.E.128` is a load of 16 bytes by each thread, the widest there is on the H200; on AMD's MI300X the same load is
# called `global_load_dwordx4`. No spills: everything that a thread holds fits into its registers. The listing itself is one call
# away:

# %%
print("\n".join(line for line in layer.code("sass", "h200").splitlines() if "LDG" in line or "STG" in line))

# %% [markdown]
# ## Diff
#
# A change to a kernel should be a change for the better. `diff` times both on a GPU, in turn, and says how sure it is. It
# also says what differs in the machine code and why that most likely matters; that part needs no GPU. Here is the kernel
# with eight warps in the place of one, against the generated one:

# %%
wide = kernel.eject(work / "wide.py")
wide.write_text(wide.read_text().replace("num_warps=1):", "num_warps=8):", 1))
lab.diff_file(wide, gpu="h200")

# %% [markdown]
# ## Replay
#
# The captured module can be run again as a whole, every launch in the interpreter. Each launch is held to its own reference, and
# each buffer and output to the model in eager PyTorch. With `grafts`, a file's kernel takes the place of the generated one:
# this is what putting it back into the model will do.

# %%
capture.replay(grafts={0: file})

# %% [markdown]
# On a GPU, `with lab.graft("mine.py"): model(*inputs)` does it to your own compiled model, and `diff_file(file,
# capture="lora_mlp")` says what the edit is worth in the whole step.
#
# Next: [torch.compile is your Triton teacher](02_torch_compile_is_your_triton_teacher.ipynb), for reading and writing
# kernels like this one, and [questions, answered on real kernels](03_questions_answered_on_real_kernels.ipynb).
