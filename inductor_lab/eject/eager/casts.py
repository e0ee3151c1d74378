"""Values in another dtype: numbers of Python stay numbers, wide unsigned ones are cut to their bits, bits are read anew."""

from __future__ import annotations

import ast
import struct

from inductor_lab.computation.tree import Cast, Constant, Operation
from inductor_lab.eject.eager.printer import Printer
from inductor_lab.eject.eager.torch_values import WIDE_UNSIGNED, Value, call, changed, dtype_of, floating, literal, name
from inductor_lab.eject.refusal import NoReference


def constant(node: Constant) -> Value:
    """A number of Python, of the kind that its dtype is."""
    kind = node.dtype if node.dtype in {"int", "bool"} else "float" if floating(node.dtype) else "int"
    kind = "bool" if isinstance(node.value, bool) else kind
    return Value(literal(float(node.value) if kind == "float" else node.value), frozenset(), -1, kind)


def _number_to(value: Value, dtype: str) -> Value:
    """A number of Python stays one."""
    kind = "float" if floating(dtype) else "bool" if dtype == "bool" else "int"
    if kind == value.dtype:
        return value
    if isinstance(value.node, ast.Constant) and isinstance(value.node.value, (bool, int, float)):
        convert = {"float": float, "bool": bool, "int": int}[kind]
        return changed(value, literal(convert(value.node.value)), dtype=kind)
    return changed(value, ast.Call(name(kind), [value.node], []), dtype=kind)


def cast(printer: Printer, value: Value, dtype: str, node: Cast) -> Value:
    """A value in a dtype of Triton's, as torch holds it."""
    if value.number:
        return _number_to(value, dtype)
    if dtype in WIDE_UNSIGNED:
        wide = printer.to(value, "int64")
        if dtype == "uint64" or node.operand.dtype == "bool":
            return wide
        masked = ast.BinOp(wide.node, ast.BitAnd(), literal((1 << WIDE_UNSIGNED[dtype]) - 1))
        return changed(wide, masked, weight=wide.weight + 2)
    return printer.to(value, dtype)


def in_dtype(printer: Printer, value: Value, dtype: str) -> Value:
    """A value as a tensor of this dtype holds it."""
    if value.number:
        if value.dtype == "float" and "float" not in dtype:
            value = printer.tensor(value, "float32")
            return printer.to(value, dtype)
        return (
            printer.tensor(value, dtype)
            if dtype not in WIDE_UNSIGNED
            else printer.to(printer.tensor(value, "int64"), dtype)
        )
    return printer.to(value, dtype)


def bitcast(printer: Printer, node: Operation) -> Value:
    """The bits of a value as another dtype of the same width."""
    (operand,) = node.inputs
    target = node.dtype
    if isinstance(operand, Constant):
        return constant(Constant(target, frozenset(), _reinterpreted(operand.value, operand.dtype, target)))
    value = printer.value(operand)
    source = operand.dtype
    if not floating(source) and not floating(target):
        if target == "int64" or target == "uint64" or source == "uint64":
            return printer.to(value, "int64") if target != "bool" else value
        return cast(printer, value, target, Cast(target, operand.axes, operand))
    helper = "bits" if floating(source) else "from_bits"
    printer.helpers.add(helper)
    told = source if floating(source) else target
    made = call(helper, value.node, dtype_of(told))
    whole = f"int{ {'float16': 16, 'bfloat16': 16, 'float32': 32, 'float64': 64}.get(told, 8) }"
    return changed(value, made, dtype=whole if floating(source) else target, weight=value.weight + 1)


LETTERS = {"float32": "f", "float64": "d", "float16": "e", "int8": "b", "int16": "h", "int32": "i", "int64": "q",
           "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q"}  # fmt: skip


def _reinterpreted(value: bool | int | float, source: str, target: str) -> int | float:
    """A number's bits as another dtype of the same width."""
    if source not in LETTERS or target not in LETTERS:
        raise NoReference(f"the bits of a {source} as a {target}")
    packed = struct.pack(LETTERS[source], value)
    (found,) = struct.unpack(LETTERS[target], packed)
    return found  # type: ignore[no-any-return]
