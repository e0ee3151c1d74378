"""A view of a tensor as a person would write it.

view(weight, (32, 16), (1, 32), 0)               of f32[16, 32]      weight.t()
view(features, (128, 16), (432, 1), 416)         of f32[128, 432]    features[:, 416:432]
view(x, (4096, 512), (512, 1), 0)                of f32[8, 512, 512] x.view(4096, 512)
view(x, (2, 3), (7, 2), 1)                                           torch.as_strided(x, (2, 3), (7, 2), x.storage_offset() + 1)
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from inductor_lab.eject.file.literals import tuple_of
from inductor_lab.records import SizeLike, TensorType
from inductor_lab.records.size import Size, is_row_by_row, product
from inductor_lab.records.span import SpanStep

Sizes = Sequence[SizeLike]


def said(value: str, tensors: Mapping[str, tuple[str, TensorType]]) -> ast.expr:
    """A step's argument in the file's names.

    Args:
        tensors: The wrapper's variable -> the name here, and the type.
    """
    tree: ast.expr = _Said(tensors).visit(ast.parse(value, mode="eval").body)
    return tree


def bases(value: str) -> list[str]:
    """The variables that it names, of a view the memory first."""
    named = [node.id for node in ast.walk(ast.parse(value, mode="eval")) if isinstance(node, ast.Name)]
    return [name for name in named if name != "view"]


def touched(step: SpanStep) -> set[str]:
    """The variables that a step is given or makes."""
    return {base for argument in step.arguments for base in bases(argument.value)} | {*step.results}


class _Said(ast.NodeTransformer):
    def __init__(self, tensors: Mapping[str, tuple[str, TensorType]]) -> None:
        self.tensors = tensors

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name(self.tensors[node.id][0]) if node.id in self.tensors else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node:
            case ast.Call(ast.Name("view"), [ast.Name(of), ast.Tuple(size), ast.Tuple(step), at]) if of in self.tensors:
                text = view(*self.tensors[of], [*map(_size, size)], [*map(_size, step)], _size(at))
                return ast.parse(text, mode="eval").body
        self.generic_visit(node)
        return node


def _size(node: ast.expr) -> SizeLike:
    text = Size.of(ast.unparse(node)).python
    return int(text) if text.isdecimal() else text


def view(name: str, of: TensorType, shape: Sizes, stride: Sizes, offset: SizeLike) -> str:
    """The shortest way to say it; sizes that are symbols are compared by their text."""
    held, steps = [_plain(size) for size in of.shape], [_plain(step) for step in of.stride]
    if offset == 0:
        if (found := _turned(name, held, steps, shape, stride)) is not None:
            return found
        if is_row_by_row(held, steps) and _numel(held) == _numel(shape):
            order = _order(stride)
            rows = [shape[at] for at in order]
            if is_row_by_row(rows, [stride[at] for at in order]):
                flat = f"{name}.view({_listed(rows)})" if rows != held else name
                turned = _turned(flat, rows, [stride[at] for at in order], shape, stride)
                if turned is not None:
                    return turned
    if (found := _sliced(name, held, steps, shape, stride, offset)) is not None:
        return found
    place = f", {name}.storage_offset() + {offset}" if offset != 0 else ""
    return f"torch.as_strided({name}, {tuple_of([*map(str, shape)])}, {tuple_of([*map(str, stride)])}{place})"


def _plain(size: SizeLike) -> SizeLike:
    return size if isinstance(size, int) else Size.of(size).python


def _turned(name: str, held: Sizes, steps: Sizes, shape: Sizes, stride: Sizes) -> str | None:
    """The whole, its dimensions in another order."""
    if [*shape] == [*held] and [*stride] == [*steps]:
        return name
    left = list(zip(held, steps, strict=True))
    order: list[int] = []
    for one in zip(shape, stride, strict=True):
        at = next((n for n, other in enumerate(left) if other == one and n not in order), None)
        if at is None:
            return None
        order.append(at)
    if len(order) != len(left):
        return None
    return f"{name}.t()" if order == [1, 0] else f"{name}.permute({_listed(order)})"


def _sliced(name: str, held: Sizes, steps: Sizes, shape: Sizes, stride: Sizes, offset: SizeLike) -> str | None:
    """A part that lies as the whole does."""
    if [*stride] != [*steps]:
        return None
    cut = [at for at, (size, all_) in enumerate(zip(shape, held, strict=True)) if size != all_]
    numbers = [offset, *(number for at in cut for number in (held[at], steps[at], shape[at]))]
    if not all(isinstance(number, int) for number in numbers):
        return None
    rest, parts = int(offset), [":"] * len(held)
    for at in sorted(cut, key=lambda at: -int(steps[at])):
        begin, rest = divmod(rest, int(steps[at])) if steps[at] else (0, rest)
        if begin + int(shape[at]) > int(held[at]):
            return None
        parts[at] = f"{begin or ''}:{begin + int(shape[at])}"
    while parts and parts[-1] == ":":
        parts.pop()
    return None if rest else f"{name}[{', '.join(parts)}]" if parts else name


def _order(stride: Sizes) -> list[int]:
    """The dimensions, those with the longest steps first; as they are where a step is a symbol."""
    if not all(isinstance(step, int) for step in stride):
        return list(range(len(stride)))
    return sorted(range(len(stride)), key=lambda at: (-int(stride[at]), at))


def _numel(shape: Sizes) -> Size:
    return product(map(Size.of, shape))


def _listed(sizes: Sequence[object]) -> str:
    return ", ".join(map(str, sizes))
