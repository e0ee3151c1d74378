"""The rule `in bounds`: a load that lost its mask reads inside its tensor in every lane, and nobody sees what the lanes outside read.

Its address is a tensor and a number made of program ids and constexprs alone; the number is compared with what the tensor spans, in every
program of every launch of `every_program`. That the lanes are not seen is the static rule `lanes outside`.
"""

from __future__ import annotations

import ast
from typing import Any

from faults.equivalence import Lanes, NotProvenError, all_names, function_of, masks, mutant_undone
from faults.every_program import depends, held, interpreted, of_programs
from faults.mutation import Mutant, around, called


def in_bounds(mutant: Mutant) -> str:
    """The rule's name where it proves that a mutant computes the same, else ""."""
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    load = found[1][0] if found else None
    if found is None or mutant.kind != "mask dropped" or not isinstance(load, ast.Call) or called(load) != "tl.load":
        return ""
    mask, address = found[0], load.args[0]
    if not (isinstance(address, ast.BinOp) and isinstance(address.op, ast.Add) and isinstance(address.left, ast.Name)):
        return ""
    if not all_names(mask) or not depends(address.right, of_programs(function)):
        return ""
    try:
        for name in masks(mask):
            Lanes(function, name, load).check()
    except NotProvenError:
        return ""
    begin, end, number, _ = around(mutant, address.right)
    text = f"{mutant.original[:begin]}within_({number}, {address.left.id}){mutant.original[end:]}"
    file = interpreted(text)
    argument = address.left.id.removesuffix("_ptr")
    if argument not in file.ARGUMENTS or getattr(file, "OTHER_SIZES", ()):
        return ""
    shape, stride, *_ = file.ARGUMENTS[argument]
    span = 1 + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))

    def within(numbers: Any, pointer: Any) -> bool:
        places = numbers.handle.data
        return bool((places >= 0).all() and (places < span).all())

    return "in bounds" if held(file, "within_", within) else ""
