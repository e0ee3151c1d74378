"""A library call of a wrapper as calls of torch that anybody can run.

extern_kernels.mm(x, weight, out=y)             torch.mm(x, weight, out=y)
extern_kernels._mm_plus_mm(a, b, c, d, out=y)   torch.mm(a, b, out=y); y.addmm_(c, d)
aten.sum.dim_IntList(x, [0])                    torch.ops.aten.sum.dim_IntList(x, [0])
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from inductor_lab.errors import LabError

PLAIN = {"mm", "addmm", "bmm", "baddbmm", "convolution", "_int_mm", "_scaled_mm"}
"""Functions of `extern_kernels` that torch calls by the same name, and gives the same arguments."""
OPERATOR = re.compile(r"(?:torch\.ops\.)?((aten|prims)\.\w+(\.\w+)?)")


def call(target: str, arguments: Sequence[tuple[str, str]]) -> list[str]:
    """Statements that do what a call does; the last one's value is its result.

    Args:
        arguments: Position or keyword, and what is passed.

    Raises:
        LabError: no function of torch's does it.
    """
    passed = ", ".join(value if name.isdecimal() else f"{name}={value}" for name, value in arguments)
    name = target.rpartition(".")[2]
    if target.startswith("extern_kernels."):
        if name == "_mm_plus_mm" and len(arguments) == 5:
            a, b, c, d, out = (value for _, value in arguments)
            return [f"torch.mm({a}, {b}, out={out})", f"{out}.addmm_({c}, {d})"]
        if name in PLAIN:
            return [f"torch.{name}({passed})"]
        if name == "bias_addmm":
            return [f"torch.addmm({passed})"]
    if target == "torch._scaled_mm":
        return [f"{target}({passed})"]
    if found := OPERATOR.fullmatch(target):
        return [f"torch.ops.{found[1]}({passed})"]
    raise LabError(f"no function of torch's does what `{target}` does")
