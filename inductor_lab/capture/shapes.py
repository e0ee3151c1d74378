"""Operators of large tensors on the card by their shapes alone, for `capture --shapes-only`: memory that nobody touches costs nothing.

An operator is asked on `meta` what it would make; its results get memory of the card that is mapped and never written, which reads as zeros. What
is small is computed as always: indices, lengths, scalars, all that a program is likely to branch on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from inductor_lab.capture.host_memory import untouched

LARGE = 1 << 20
"""Bytes of all that an operator is given and makes, from which it is not computed."""
BY_VALUE = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
"""What only values tell: `item`, `nonzero`."""


def told(
    overload: Any, args: Sequence[Any], kwargs: Mapping[str, Any], resize: Callable[..., Tensor]
) -> tuple[Any] | None:
    """The result of an operator that is not computed; None for one that is to be.

    Args:
        resize: Gives a tensor of the card other sizes.
    """
    if BY_VALUE & set(overload.tags):
        return None
    given: dict[int, tuple[Tensor, Tensor]] = {}

    def down(x: Any) -> Any:
        if isinstance(x, Tensor):
            like = torch.empty_strided(x.size(), x.stride(), dtype=x.dtype, device="meta")
            given[id(like)] = like, x
            return like
        return torch.device("meta") if isinstance(x, torch.device) else None if isinstance(x, torch.Generator) else x

    asked = tree_map(down, tuple(args)), {name: tree_map(down, value) for name, value in kwargs.items()}
    if "pin_memory" in asked[1]:
        asked[1]["pin_memory"] = None
    before = {key: like.size() for key, (like, _) in given.items()}
    try:
        made = overload(*asked[0], **asked[1])
    except (NotImplementedError, RuntimeError):  # no shapes are known of it
        made = _written(overload, *asked)
        if made is None:
            return None
    new = [x for x in tree_leaves(made) if isinstance(x, Tensor) and id(x) not in given]
    if not (new or overload._schema.is_mutable) or sum(map(_bytes, [*new, *(x for _, x in given.values())])) < LARGE:
        return None
    for key, (like, x) in given.items():
        if like.size() != before[key]:
            resize(x, like.size())
    device = kwargs.get("device") or torch.device("cuda")

    def up(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        return given[id(x)][1] if id(x) in given else untouched(x, device)

    return (tree_map(up, made),)


def _bytes(x: Tensor) -> int:
    return x.numel() * x.element_size()


def _written(overload: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """What an operator gives back that writes what it is given, and makes nothing new; None for another one."""
    schema = overload._schema
    if not schema.is_mutable or any(not (value.alias_info and value.alias_info.is_write) for value in schema.returns):
        return None
    bound = dict(zip([argument.name for argument in schema.arguments], args, strict=False)) | dict(kwargs)
    back = [
        bound[argument.name]
        for value in schema.returns
        for argument in schema.arguments
        if argument.alias_info and argument.alias_info.before_set == value.alias_info.before_set
    ]
    return tuple(back) if len(back) != 1 else back[0]
