"""Which attention that was written out Inductor fuses on a card, asked of a graph that is on the CPU yet.

torch/_inductor/fx_passes/fuse_attention.py asks a match's query for its device: on cuda float32 is fused only where products may be rounded to
TF32, some patterns are not for cuda at all, and that of BERT stays written out there (torch 2.13). Inductor keeps the checks with its patterns, once
in a process, so they are made before it does.
Checked on torch 2.13.0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import dropout

from inductor_lab.capture.problems import problem

Check = Callable[[Any], bool]
MARK = "of_inductor_lab"
BERT = "_sfdp_replacement_16"

_moved = False


@contextmanager
def as_on_the_card(fuse_attention: Any) -> Iterator[None]:
    """While this lasts, a match on the CPU is checked as if it were on the card."""
    global _moved
    if not _prepared(fuse_attention):
        problem(
            f"with torch {torch.__version__} attention that is written out is looked at as on the CPU: "
            "in float32 it may be fused where on the card it is not"
        )
    before, _moved = _moved, True
    try:
        yield
    finally:
        _moved = before


def _prepared(fuse_attention: Any) -> bool:
    """Whether Inductor's patterns have, or will be given, checks that ask here."""
    if hasattr(fuse_attention, MARK):
        return True
    names = ("_sfdp_params_check", "_sfdp_extra_check", "_sfdp_init")
    if not all(hasattr(fuse_attention, name) for name in names) or fuse_attention._sfdp_init.cache_info().currsize:
        return False
    setattr(fuse_attention, MARK, True)
    fuse_attention._sfdp_params_check = _params(fuse_attention._sfdp_params_check)
    fuse_attention._sfdp_extra_check = _extra(fuse_attention._sfdp_extra_check)
    bert = getattr(fuse_attention, BERT, None)
    if bert is not None and "cuda" in bert.__code__.co_consts:
        setattr(fuse_attention, BERT, _bert(bert))
    return True


def _params(real: Check) -> Check:
    def check(match: Any) -> bool:
        return not (_moved and not _tf32() and _dtype(match) == torch.float32) and real(match)

    return check


def _extra(real: Callable[..., Check]) -> Callable[..., Check]:
    def extra_check(scale_factor_op: Any = None, disable_cuda: bool = False) -> Check:
        check = real(scale_factor_op, disable_cuda)
        return lambda match: not (_moved and disable_cuda) and check(match)

    return extra_check


def _bert(real: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @wraps(real)
    def replacement(
        query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor, inv_scale: float, dropout_p: float
    ) -> Tensor:
        if not _moved or torch.version.hip is not None:
            return real(query, key, value, attn_mask, inv_scale, dropout_p)
        query, key, value = (x.transpose(1, 2) for x in (query, key, value))
        weights = (torch.matmul(query, key.transpose(-2, -1)).div(inv_scale) + attn_mask).softmax(dim=-1)
        weights = dropout(weights, p=dropout_p) if dropout_p else weights
        return torch.matmul(weights.to(dtype=query.dtype), value)

    return replacement


def _dtype(match: Any) -> Any:
    query = match.kwargs.get("query")
    return query.meta["val"].dtype if query is not None else None


def _tf32() -> bool:
    return bool(torch.backends.cuda.matmul.fp32_precision == "tf32")
