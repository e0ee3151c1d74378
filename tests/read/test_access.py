"""What a kernel does with its pointers, read off the body."""

from __future__ import annotations

import ast

from inductor_lab.read.access import compiled_away, roles

ATTENTION = """
def kernel(arg_Q, arg_MAX, arg_LSE, out_ptr0):
    OUTPUT_MAX : tl.constexpr = False
    OUTPUT_LOGSUMEXP : tl.constexpr = True
    MAX = arg_MAX
    q = tl.load(arg_Q)
    if OUTPUT_LOGSUMEXP:
        tl.store(arg_LSE, q)
    if OUTPUT_MAX:
        tl.store(MAX + 1, q)
    else:
        keep(out_ptr0, q)

def keep(pointer, value):
    OUTPUT_MAX : tl.constexpr = False
    if not_known:
        tl.store(pointer, value)
"""


def test_a_pointer_whose_branch_is_never_compiled_is_told() -> None:
    kernel, keep = (node for node in ast.parse(ATTENTION).body if isinstance(node, ast.FunctionDef))
    known = roles(kernel, {"keep": keep})
    assert known == {"arg_Q": "in", "arg_LSE": "out", "arg_MAX": "out", "out_ptr0": "out"}
    assert compiled_away(kernel, {"keep": keep}, known) == {"arg_MAX"}
