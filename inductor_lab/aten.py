"""Tables of ATen operators that are no single operation of a kernel: views, copies, reductions, products of libraries."""

from __future__ import annotations

import re

RESHAPES = frozenset({"view", "reshape", "_unsafe_view"})
"""Other sizes over the same elements in the same order."""
VIEWS = RESHAPES | {
    "permute", "transpose", "t", "movedim", "expand", "squeeze", "unsqueeze", "slice", "select", "split", "split_with_sizes", "unbind",
    "as_strided", "diagonal", "flatten", "unflatten", "unfold", "getitem", "alias", "detach", "view_as", "expand_as",
}  # fmt: skip
"""The same elements, seen otherwise. Inductor attributes them to whatever kernel is near: they tell no boundary."""
SAME_VALUE = frozenset({"clone", "alias", "detach", "contiguous"})
"""What their argument is, perhaps in other memory."""
COPIES = SAME_VALUE | {"copy", "lift_fresh_copy", "_to_copy", "to", "convert_element_type", "device_put"}
"""Values that move, or get another dtype."""
CONSTANTS = frozenset(
    {
        "full", "full_like", "empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "new_zeros", "new_ones", "new_full",
        "new_empty", "scalar_tensor", "fill", "zero", "empty_strided", "new_empty_strided", "arange", "iota",
    }
)  # fmt: skip
"""Values that are known beforehand."""
REARRANGED = frozenset(
    {
        "flip", "repeat", "roll", "cat", "stack", "constant_pad_nd", "repeat_interleave", "tile", "broadcast_tensors", "broadcast_in_dim",
        "select_scatter", "slice_scatter", "as_strided_scatter", "select_backward", "slice_backward",
    }
)  # fmt: skip
"""Elements in other places: what is left of them is in addresses and masks."""
FOLDED = frozenset({"sum", "mean", "amax", "amin", "any", "prod", "var", "var_mean"})
"""Operators that fold."""
MATRIX_PRODUCTS = frozenset({"mm", "addmm", "bmm", "baddbmm", "addmv", "addbmm", "mv", "dot", "_scaled_mm"})
MULTIPLIED = frozenset({"mm", "bmm"})
"""The products that PyTorch writes as `a @ b`."""
PRODUCTS = MATRIX_PRODUCTS | {"convolution"}
"""The wrapper calls a library for them, and a kernel works on the result; in a template they are `dot`."""
EXTERN = PRODUCTS | {"convolution_backward", "sort", "topk"}
"""Their results come from a library's call as well, though a kernel may do a part of them: a bias' gradient, the sort of a short row."""
SHIM = re.compile(r"aoti_torch_(?:cuda|cpu|xpu)_(?P<operator>\w+?)(?:_out)?")
"""The C function that a wrapper in C++ calls an operator by: `aoti_torch_cuda_mm_out`."""


def operator(target: str) -> str:
    """`mm` of `extern_kernels.mm` and `aoti_torch_cuda_mm_out`, `relu` of `aten.relu_.default`, `torch.ops.aten.relu`, `prims.relu`."""
    if shim := SHIM.fullmatch(target):
        return shim["operator"]
    parts = target.removeprefix("torch.ops.").split(".")
    word = parts[1] if len(parts) > 1 else parts[0]
    return word.rstrip("_") or word


FUNCTIONS = frozenset(
    {
        "logical_not", "logical_and", "logical_or", "bitwise_not", "sign", "square", "select_scatter", "slice_scatter",
        "addmm", "baddbmm",
    }
)  # fmt: skip
"""Functions of torch with the operator's own arguments. Those of one element that Triton has too are in `computation.operators.TABLE`."""
METHODS: dict[str, str] = {
    "sum": "keepdim", "mean": "keepdim", "amax": "keepdim", "amin": "keepdim", "any": "keepdim",
    "all": "", "prod": "", "var": "", "argmax": "", "argmin": "", "cumsum": "", "clamp": "", "clamp_min": "", "clamp_max": "",
    "permute": "", "transpose": "", "t": "", "select": "", "squeeze": "", "unsqueeze": "", "expand": "", "split": "", "split_with_sizes": "",
    "gather": "", "index_select": "", "scatter_add": "",
}  # fmt: skip
"""Methods of a tensor, the operator's first argument -> the keyword by which the third is passed, where a person would name it."""
