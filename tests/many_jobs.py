"""A kernel of many jobs (foreach) as text: one kind of job, done for the parameters of a model."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from math import prod

from kernels_as_text import kernel

from inductor_lab.records import Kernel

SHAPES = ("40, 75", "75", "3, 5, 7", "1024")
"""Of the parameters of a model with four."""


def decay(shapes: tuple[str, ...] = SHAPES, last: str = "tmp4", rate: str = "in_ptr1", value: str = "tmp4") -> Kernel:
    """`param = param * rate + grad` for each of them, in place; the rate is one tensor for all.

    Args:
        last: What the last job stores.
        value: What the others store.
    """
    last = value if last == "tmp4" else last
    inputs, outputs, passed = dict[str, str](), dict[str, str](), dict[str, str]()
    lines = ["pid = tl.program_id(0)", "XBLOCK: tl.constexpr = 1024"]
    jobs, ends = [], []
    for job, shape in enumerate(shapes):
        numel = prod(map(int, filter(None, shape.split(","))))
        names = [f"in_ptr{len(inputs) + place}" for place in range(3)]
        param, scale, grad = names if not job else (names[0], rate, names[1])
        inputs |= {param: f"float32[{shape}]"} | ({scale: "float32[]"} if not job else {}) | {grad: f"float32[{shape}]"}
        outputs[f"out_ptr{job}"] = f"float32[{shape}]"
        passed |= {param: f"param_{job}", grad: f"grad_{job}", scale: "rate", f"out_ptr{job}": f"param_{job}"}
        before = f"num_xblocks_{job - 1} + " if job else ""
        ends.append(f"num_xblocks_{job} = {before}tl.cdiv({numel}, XBLOCK)")
        less = f" - num_xblocks_{job - 1}" if job else ""
        stored = last if job == len(shapes) - 1 else value
        masked = numel % 1024
        body = f"""
            pid_offset = pid{less}
            xnumel = {numel}
            r0_numel = 1
            xoffset = pid_offset * XBLOCK
            xindex = xoffset + tl.arange(0, XBLOCK)[:]
            xmask = {"xindex < xnumel" if masked else "tl.full([XBLOCK], True, tl.int1)[:]"}
            x0 = xindex
            tmp0 = tl.load({param} + (x0), {"xmask" if masked else "None"})
            tmp1 = tl.load({scale} + (0))
            tmp2 = tl.broadcast_to(tmp1, [XBLOCK])
            tmp3 = tl.load({grad} + (x0), {"xmask" if masked else "None"})
            tmp4 = tmp0 * tmp2 + tmp3
            tl.store(out_ptr{job} + (x0), {stored}, {"xmask" if masked else "None"})
        """
        jobs.append(
            f"{'elif' if job else 'if'} pid < num_xblocks_{job}:\n{textwrap.indent(textwrap.dedent(body), '    ')}"
        )
    text = "\n".join([*lines, *ends, *jobs, "else:\n    pass"])
    made = kernel(text, inputs | outputs, category="foreach", passed=passed)
    arguments = tuple(argument for argument in made.arguments if argument.pointer)
    launch = replace(made.launches[0], arguments=made.launches[0].arguments[: len(arguments)])
    return replace(made, arguments=arguments, launches=(launch,))
