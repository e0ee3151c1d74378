"""Triton's interpreter without work that changes nothing: the same values, in fewer passes over a block.

A block of one value is a view of one element, and stays one; whole numbers are divided by it as numpy divides by a constant; no overflow is
worked out for an assertion that is not asked for; `triton.language` is made the interpreter's once a launch, not at each call of a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter
from triton.runtime.interpreter import InterpreterBuilder, TensorHandle


@dataclass
class Done:
    """What was computed so far in this process, whatever the clock says: operations on two operands, accesses, and their lanes."""

    operations: int = 0
    lanes: int = 0

    def access(self, lanes: int) -> None:
        """Memory is accessed: some operations' worth of work."""
        self.operations += 4
        self.lanes += 6 * lanes

    @property
    def seconds(self) -> float:
        """About how long that takes, with all that comes along: casts, masks, the watching of accesses."""
        return 60e-6 * self.operations + 1.2e-9 * self.lanes


DONE = Done()


def install() -> None:
    """Before whatever else is put in the place of the builder's operations."""
    builder = interpreter.interpreter_builder
    builder.options = replace(builder.options, sanitize_overflow=False)  # in a kernel it asserts where `debug` is set
    interpreter.GridExecutor.__call__ = _launched(interpreter.GridExecutor.__call__)
    interpreter._patch_lang = _once(interpreter._patch_lang)
    InterpreterBuilder.create_splat = _splat
    InterpreterBuilder.binary_op = _of_one_value(InterpreterBuilder.binary_op)
    InterpreterBuilder.create_idiv = _divided(InterpreterBuilder.create_idiv, lambda x, whole, by: whole)
    for name in ("create_srem", "create_urem"):
        setattr(InterpreterBuilder, name, _divided(getattr(InterpreterBuilder, name), lambda x, whole, by: x - whole * by))  # fmt: skip


_patched: list[set[int]] = []
"""Of each launch that runs, one inside of another: which modules of the language are the interpreter's by now."""


def _launched(call: Callable[..., Any]) -> Callable[..., Any]:
    def launched(executor: Any, *arguments: Any, **options: Any) -> Any:
        _patched.append(set())
        try:
            return call(executor, *arguments, **options)
        finally:
            _patched.pop()

    return launched


def _once(patch: Callable[..., Any]) -> Callable[..., Any]:
    """`_patch_lang`, which looks through the whole language: for the kernel, and for a function that sees another part of it."""

    def once(function: Any) -> Any:
        seen = {id(value) for value in function.__globals__.values() if value is tl or value is tl.core}
        if _patched and seen <= _patched[-1]:
            return None
        made = patch(function)
        if _patched:
            _patched[-1] |= seen
        return made

    return once


def _splat(builder: Any, type_: Any, arg: Any) -> Any:
    return TensorHandle(np.broadcast_to(arg.data.reshape(-1)[0], tuple(type_.shape)), arg.dtype.scalar)


def _is_one(data: np.ndarray) -> bool:
    """Whether a block is one value, seen many times."""
    return data.size > 1 and not any(data.strides)


def _of_one_value(operation: Callable[..., Any]) -> Callable[..., Any]:
    def call(builder: Any, lhs: Any, rhs: Any, op: Any) -> Any:
        DONE.operations += 1
        DONE.lanes += lhs.data.size
        if not (_is_one(lhs.data) and _is_one(rhs.data)):
            return operation(builder, lhs, rhs, op)
        first = (slice(0, 1),) * lhs.data.ndim
        made = operation(
            builder, TensorHandle(lhs.data[first], lhs.dtype), TensorHandle(rhs.data[first], rhs.dtype), op
        )
        return TensorHandle(np.broadcast_to(made.data, lhs.data.shape), made.dtype)

    return call


def _divided(operation: Callable[..., Any], part: Callable[..., Any]) -> Callable[..., Any]:
    """Division towards 0, by one positive number for all lanes: numpy is quick at dividing downwards by a constant."""

    def call(builder: Any, lhs: Any, rhs: Any) -> Any:
        x, by = lhs.data, rhs.data
        if not (_is_one(by) and x.dtype == by.dtype and by.flat[0] > 0):
            return operation(builder, lhs, rhs)
        by = by.flat[0]
        whole = x // by
        if x.dtype.kind == "i" and x.min() < 0:
            whole += (x < 0) & (whole * by != x)
        return TensorHandle(part(x, whole, by), lhs.dtype.scalar)

    return call
