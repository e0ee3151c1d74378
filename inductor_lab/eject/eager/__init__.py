"""The eager reference, printed from the tree: every store of a kernel as PyTorch that a person would write.

    tmp8 = triton_helpers.maximum(tmp7, tmp0 + tmp1 + tmp3 * 0.5)     torch.relu(bias + base + lora * 0.5)

The iteration space is the dimensions of one tensor (`space`); an affine load is a view of its tensor (`views`), any other is taken by its
address. Casts stand where the body has them, so that the text computes what the kernel computes, in every dtype.
"""

from __future__ import annotations

from inductor_lab.eject.binding.tensors import TensorView
from inductor_lab.eject.eager.comparisons import MOST, Compares, compares
from inductor_lab.eject.eager.reference import Eager, eager
from inductor_lab.eject.refusal import NoReference

__all__ = ["MOST", "Compares", "Eager", "NoReference", "TensorView", "compares", "eager"]
