"""Every operator on the card's tensors runs its CPU kernel on the same memory.

torch's dispatcher looks up an operator's kernel by the device's key. For CUDA, one Python function stands there for all
of them: it looks at the tensors as CPU tensors, calls the operator again, and puts what is new on the card. So devices,
autograd and autocast are those of CUDA, and only the arithmetic is the CPU's.

Checked on torch 2.13.0, the CPU build, and CUDA builds of 2.11 to 2.15 without a card, whose kernels in CUDA's place are replaced.
"""

from __future__ import annotations

import ctypes
import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._decomp import decomposition_table
from torch.utils._pytree import tree_leaves, tree_map

from inductor_lab.capture.host_memory import CPU_KERNELS, card_storage, host_view, memory_like, on_card, point_to
from inductor_lab.capture.problems import problem
from inductor_lab.library import attention

aten = torch.ops.aten

_libraries: list[torch.library.Library] = []
"""The registrations last as long as these."""


def _untraced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Dynamo compiles the frames that it meets between two graphs; it shall meet neither this nor what it calls."""
    frames = torch._C._dynamo.eval_frame
    skip = frames._FrameAction.SKIP
    frames.set_code_exec_strategy(function.__code__, frames._FrameExecStrategy(skip, skip))
    return function


_shapes_only = False


def install(*, shapes_only: bool = False) -> None:
    """From here on cuda:0 has kernels. Once in a process.

    Args:
        shapes_only: What is large is not computed (`_by_shapes`).
    """
    global _shapes_only
    _shapes_only = shapes_only
    everything = torch.library.Library("_", "IMPL")
    everything.fallback(_fallback, "CUDA")
    operators = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in torch._C._dispatch_get_all_op_names():
            if name.startswith("aten::") and (kernel := _kernel(name)):
                operators.impl(name, kernel, "CUDA", allow_override=True)
        for name, kernel in attention.KERNELS.items():  # torch has no shapes for these either, and asks the card
            operators.impl(name, kernel, "Meta", allow_override=True)
    _libraries.extend((everything, operators))
    for name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        setattr(torch._VF, name, _without_cudnn(getattr(torch._VF, name)))


def _without_cudnn(recurrent: Callable[..., Any]) -> Callable[..., Any]:
    """A CUDA build has cuDNN run the layers of torch.nn, which asks the driver; without it they are made of cells, as in a CPU build."""

    @_untraced
    def run(*args: Any, **kwargs: Any) -> Any:
        with torch.backends.cudnn.flags(enabled=False):
            return recurrent(*args, **kwargs)

    return run


def _kernel(name: str) -> Any:
    """What to put in CUDA's place; None where what torch has there is right, or the fallback will be asked."""
    has = functools.partial(torch._C._dispatch_has_kernel_for_dispatch_key, name)
    overload = _overload(name)
    if overload is None:
        return None
    if name in SPECIAL:
        return SPECIAL[name]
    if torch.Tag.inplace_view in overload.tags:  # it changes sizes and strides of the tensor itself, not of a view
        return functools.partial(_redispatched, overload) if has("CompositeExplicitAutograd") else None
    composite = has("CompositeExplicitAutograd") or has("CompositeExplicitAutogradNonFunctional")
    direct = has("CPU") or has("CUDA")
    if _is_view(overload):
        # Of a view made of other views nothing is the device's; the others change metadata only, for which the CPU's do.
        return functools.partial(_redispatched, overload) if direct else None
    if overload in decomposition_table and not (has("CPU") or composite or has("CompositeImplicitAutograd")):
        return functools.partial(_decomposed, overload)  # a CUDA build's alone, as _fused_rms_norm_backward
    # Each by its name: the fallback is not found while a TorchDispatchMode is active.
    return functools.partial(_on_host, overload) if direct or composite else None


def _overload(name: str) -> Any:
    packet, _, overload = name.removeprefix("aten::").partition(".")
    try:
        return getattr(getattr(aten, packet), overload or "default")
    except AttributeError:  # of operators for TorchScript only
        return None


def _is_view(overload: Any) -> bool:
    aliases = [argument.alias_info for argument in overload._schema.arguments if argument.alias_info]
    returned = any(value.alias_info for value in overload._schema.returns)
    return bool(aliases) and returned and not any(alias.is_write for alias in aliases)


@_untraced
def _fallback(overload: Any, *args: Any, **kwargs: Any) -> Any:
    if _is_view(overload):
        return _redispatched(overload, *args, **kwargs)
    return _on_host(overload, *args, **kwargs)


@_untraced
def _redispatched(overload: Any, *args: Any, **kwargs: Any) -> Any:
    return overload.redispatch(CPU_KERNELS, *args, **kwargs)


@_untraced
def _decomposed(overload: Any, *args: Any, **kwargs: Any) -> Any:
    return decomposition_table[overload](*args, **kwargs)


@_untraced
def _on_host(overload: Any, *args: Any, **kwargs: Any) -> Any:
    """Run the operator on the CPU; new tensors go where CUDA's kernel would have put them."""
    if _shapes_only and (made := _by_shapes(overload, args, kwargs)) is not None:
        return made[0]
    given: dict[int, Tensor] = {}
    views: list[Tensor] = []  # kept, so that an id is not used again
    on_cpu = False

    def down(x: Any) -> Any:
        nonlocal on_cpu
        if isinstance(x, Tensor):
            view = host_view(x) if x.is_cuda else x
            on_cpu = on_cpu or (view is x and x.is_cpu and x.dim() > 0)
            given[id(view)] = x
            views.append(view)
            return view
        return torch.device("cpu") if isinstance(x, torch.device) and x.type == "cuda" else x

    device = kwargs.get("device")
    to_card = device is None or device.type == "cuda"
    if device is not None and device.type == "cuda" and device.index:
        problem(f"the program asks for cuda:{device.index}; there is one virtual card, and all is on cuda:0")

    def up(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        if id(x) in given:
            return given[id(x)]
        if to_card and x.layout is not torch.strided:
            problem(f"{overload} made a tensor of layout {x.layout}, which stays on the CPU")
            return x
        return on_card(x) if to_card else x

    if "pin_memory" in kwargs:
        kwargs["pin_memory"] = None
    args, kwargs = tree_map(down, args), {key: tree_map(down, value) for key, value in kwargs.items()}
    if on_cpu and not _may_mix(overload) and any(x.is_cuda for x in given.values()):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! "
            f"(in {overload.name()})"
        )
    grown = _make_room(overload, kwargs, given)
    try:
        result = overload(*args, **kwargs)
    except RuntimeError as error:
        if NOT_RESIZABLE not in str(error):
            raise
        grown = _make_room(overload, kwargs, given, everywhere=True)
        result = overload(*args, **kwargs)
    for out, card in grown:
        copy = on_card(out)
        point_to(card, copy.untyped_storage(), 0, copy.size(), copy.stride())
    if overload._schema.is_mutable:
        _follow(overload, views, given)
    return tree_map(up, result)


NOT_RESIZABLE = "resize storage that is not resizable"


@functools.cache
def _may_mix(overload: Any) -> bool:
    """Whether tensors on the CPU beside those on the card are this operator's business; what is not torch's may."""
    return overload.namespace != "aten" or overload._schema.name.removeprefix("aten::") in MIXED


MIXED = frozenset(
    (
        "copy", "copy_", "_foreach_copy", "_foreach_copy_", "_to_copy", "_copy_from", "_copy_from_and_resize", "set_",
        "index", "_unsafe_index", "index_put", "index_put_", "_unsafe_index_put", "_index_put_impl", "_index_put_impl_",
        "_pack_padded_sequence_backward", "_ctc_loss", "_ctc_loss_backward", "_reshape_from_tensor",
        "segment_reduce", "_segment_reduce_backward", "_has_compatible_shallow_copy_type", "is_set_to",
    )
)  # fmt: skip
"""Indices, lengths and copies: operators that take tensors of the CPU beside the card's."""


def _follow(overload: Any, views: list[Tensor], given: dict[int, Tensor]) -> None:
    """An operator that wrote to a tensor may have given it other sizes too: so has the one on the card then."""
    for view in views:
        card = given[id(view)]
        if view is card or (
            view.size() == card.size()
            and view.stride() == card.stride()
            and view.storage_offset() == card.storage_offset()
        ):
            continue
        if view.untyped_storage().data_ptr() != card.untyped_storage().data_ptr():
            problem(f"{overload} moved a tensor to other memory, which the one on the card does not follow")
            continue
        point_to(card, card.untyped_storage(), view.storage_offset(), view.size(), view.stride())


def _make_room(
    overload: Any, kwargs: dict[str, Any], given: dict[int, Tensor], *, everywhere: bool = False
) -> list[tuple[Tensor, Tensor]]:
    """An `out=` that is empty, or too small, is resized by the kernel, which a view of the card's memory can not be.

    Returns (its substitute, it) of each.
    """
    grown = []
    for argument in overload._schema.arguments:
        view = kwargs.get(argument.name)
        if (
            argument.is_out
            and isinstance(view, Tensor)
            and (everywhere or view.numel() == 0)
            and given[id(view)].is_cuda
        ):
            kwargs[argument.name] = fresh = torch.empty(0, dtype=view.dtype)
            grown.append((fresh, given[id(view)]))
            given[id(fresh)] = given[id(view)]
    return grown


# Operators whose CPU kernel on the same memory is not the answer


@_untraced
def _resize(x: Tensor, size: Any, *, memory_format: torch.memory_format | None = None) -> Tensor:
    like = torch.empty(size, dtype=x.dtype, device="meta", memory_format=memory_format or torch.contiguous_format)
    count = like.untyped_storage().nbytes() + x.storage_offset() * x.element_size()
    storage = x.untyped_storage()
    if storage.nbytes() < count:
        larger = card_storage(count)
        ctypes.memmove(larger.data_ptr(), storage.data_ptr(), storage.nbytes())
        storage = larger
    return point_to(x, storage, x.storage_offset(), like.size(), like.stride())


@_untraced
def _itself(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    return x


@_untraced
def _pack_padded_sequence(x: Tensor, lengths: Tensor, batch_first: bool) -> tuple[Tensor, Tensor]:
    """How many sequences are left at each step stays on the CPU, where the lengths are."""
    data, left = aten._pack_padded_sequence.default(host_view(x), lengths, batch_first)
    return on_card(data), left


SPECIAL: dict[str, Any] = {
    "aten::_pack_padded_sequence": _pack_padded_sequence,
    **{
        f"aten::_use_{library}_ctc_loss{form}": _untraced(lambda *args, **kwargs: False)
        for library in ("cudnn", "miopen")
        for form in ("", ".Tensor")
    },
    "aten::_cudnn_rnn_flatten_weight": _untraced(
        lambda weights, *args: weights[0]
    ),  # where they lie is all that it changes
    "aten::resize_": _resize,
    **{
        f"aten::set_{form}": functools.partial(_redispatched, getattr(aten.set_, form.removeprefix(".") or "default"))
        for form in ("", ".source_Tensor", ".source_Storage", ".source_Storage_storage_offset")
    },
    # The mathematics, written out: the fused kernels of the card have no CPU kernel of the same name.
    "aten::_fused_sdp_choice": _untraced(lambda *args, **kwargs: 0),
    "aten::record_stream": _untraced(lambda *args: None),
    "aten::is_pinned": _untraced(lambda *args: True),
    "aten::_pin_memory": _itself,
    **{name: _untraced(kernel) for name, kernel in (attention.KERNELS | attention.OF_CUDNN).items()},
}


# Operators of large tensors by their shapes alone


LARGE = 1 << 20
"""Bytes of all that an operator is given and makes, from which it is not computed."""
BY_VALUE = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
"""What only values tell: `item`, `nonzero`."""


def _by_shapes(overload: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any] | None:
    """The result of an operator that is not computed; None for one that is to be.

    It is asked on `meta` what it would make; its results get memory of the card that is mapped and never written, which reads as zeros.
    What is small is computed as always: indices, lengths, scalars, all that a program is likely to branch on.
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
            _resize(x, like.size())
    device = kwargs.get("device") or torch.device("cuda")

    def up(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        return given[id(x)][1] if id(x) in given else memory_like(x, device)

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
