"""Several jobs in one launch: each kind of job becomes one function, and the kernel tells a program its job."""

from __future__ import annotations

import re
import textwrap

import pytest
from cuda_categories import of_category
from kernels_as_text import kernel, tensor

from inductor_lab.computation import computation
from inductor_lab.costs.traffic import traffic
from inductor_lab.eject import eject
from inductor_lab.eject.binding.tensors import Tensor
from inductor_lab.eject.naming import OF_THE_KERNEL
from inductor_lab.eject.printing.nouns import common_end
from inductor_lab.eject.refusal import UnprintableError
from inductor_lab.eject.rendering import KernelText
from inductor_lab.eject.triton.subkernels import jobs
from inductor_lab.records import Input

TENSORS = {
    "in_ptr0": "float32[512]", "in_ptr1": "float32[30, 100]", "in_ptr2": "float32[]", "out_ptr0": "float32[512]", "out_ptr1": "float32[30, 100]",
}  # fmt: skip
NAMES = {"in_ptr0": "p_1", "in_ptr1": "p_2", "in_ptr2": "rate", "out_ptr0": "out", "out_ptr1": "out_2"}
HEAD = """
    pid = tl.program_id(0)
    XBLOCK: tl.constexpr = 1024
    num_xblocks_0 = tl.cdiv(512, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(3000, XBLOCK)
"""
FRAME = """
        r0_numel = 1
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:]
"""
FIRST = f"""
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 512
{FRAME}
        xmask = tl.full([XBLOCK], True, tl.int1)[:]
        x0 = xindex
        tmp0 = tl.load(in_ptr0 + (x0), None)
        tmp1 = tl.load(in_ptr2 + (0))
        tmp2 = tl.broadcast_to(tmp1, [XBLOCK])
        tmp3 = tmp0 * tmp2
        tl.store(out_ptr0 + (x0), tmp3, None)
"""
SECOND = f"""
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        xnumel = 3000
{FRAME}
        xmask = xindex < xnumel
        x1 = xindex
        tmp4 = tl.load(in_ptr1 + (x1), xmask)
        tmp5 = tl.load(in_ptr2 + (0))
        tmp6 = tl.broadcast_to(tmp5, [XBLOCK])
        tmp7 = tl.where(xmask, tmp6, 0.0)
        tmp8 = tmp4 * tmp7
        tl.store(out_ptr1 + (x1), tmp8, xmask)
    else:
        pass
"""
SCALED = HEAD + FIRST + SECOND
IN_TURN = (
    SCALED.replace("pid_offset = pid - num_xblocks_0", "pid_offset = pid // 2")
    .replace("pid_offset = pid\n", "pid_offset = pid // 2\n")
    .replace("pid < num_xblocks_0", "pid % 2 == 0")
    .replace("pid < num_xblocks_1", "pid % 2 == 1")
)


def printed(body: str, input_: Input | None = None) -> KernelText:
    made = kernel(body, TENSORS, category="foreach")
    roles = {argument.name: argument.role for argument in made.arguments}
    held = {
        name: Tensor(name, NAMES[name], tensor(kind), roles[name], "normal", input=input_)
        for name, kind in TENSORS.items()
    }
    return jobs(computation(made), held, OF_THE_KERNEL, {})


def text(after: str) -> str:
    return textwrap.dedent(after).strip()


def test_jobs_that_are_the_same_but_for_tensors_and_sizes_are_one_function() -> None:
    (job,) = printed(SCALED).functions
    assert job == text(
        """
        @triton.jit
        def job(program, p_ptr, rate_ptr, out_ptr, NUMEL: tl.constexpr, BLOCK: tl.constexpr):
            offset = program * BLOCK + tl.arange(0, BLOCK)
            inside = (offset < NUMEL) | (NUMEL % BLOCK == 0)
            p = tl.load(p_ptr + offset, inside)
            rate = tl.load(rate_ptr)
            tl.store(out_ptr + offset, p * tl.broadcast_to(rate, [BLOCK]), inside)
        """
    )


def test_programs_are_shared_out_one_job_after_the_other() -> None:
    found = printed(SCALED)
    assert "\n".join(found.lines) == text(
        """
        program = tl.program_id(0)
        end_0 = tl.cdiv(NUMEL_0, BLOCK)
        if program < end_0:
            job(program, p_1_ptr, rate_ptr, out_ptr, NUMEL_0, BLOCK)
        else:
            job(program - end_0, p_2_ptr, rate_ptr, out_2_ptr, NUMEL_1, BLOCK)
        """
    )
    assert found.blocks == {}, "the body fixes its block, so no launch chooses it"
    assert found.statements == ("BLOCK = 1024", "numel_0 = p_1.shape[0]", "numel_1 = out_2.numel()")
    assert found.grid == "(triton.cdiv(numel_0, BLOCK) + triton.cdiv(numel_1, BLOCK),)"


def test_jobs_may_take_turns() -> None:
    found = printed(IN_TURN)
    assert "if program % 2 == 0:" in found.lines and "else:" in found.lines
    assert any(line.strip().startswith("job(program // 2, p_2_ptr") for line in found.lines)
    assert found.grid == "(max(triton.cdiv(numel_0, BLOCK), triton.cdiv(numel_1, BLOCK)) * 2,)"


def test_a_size_is_called_by_the_kernel_s_own_name_in_what_is_said_of_another() -> None:
    head = eject(*of_category("combo")).partition("# 2 jobs in one launch")[0]
    assert re.findall(r"BLOCK_R_(\d).*at least R_(\d)\n", head) == [("0", "0"), ("1", "1")]


def test_jobs_that_compute_something_else_are_functions_of_their_own() -> None:
    found = printed(SCALED.replace("tmp8 = tmp4 * tmp7", "tmp8 = tmp4 + tmp7"))
    assert [re.findall(r"def (\w+)", function) for function in found.functions] == [["job_0"], ["job_1"]]
    assert "p_1 * tl.broadcast_to(rate" in found.functions[0] and "p_2 + tl.broadcast_to(rate" in found.functions[1]


def test_a_parameter_keeps_its_name_in_a_job_that_is_no_optimizer_s_step() -> None:
    found = printed(SCALED.replace("tmp8 = tmp4 * tmp7", "tmp8 = tmp4 + tmp7"), Input("parameter", "norm.weight"))
    assert "p_1_ptr" in found.functions[0] and not any("param" in function for function in found.functions)


def test_another_way_to_share_programs_out_is_refused() -> None:
    with pytest.raises(UnprintableError, match="in a way of its own"):
        printed(SCALED.replace("pid - num_xblocks_0", "pid - 7"))


def test_what_two_jobs_read_is_counted_once() -> None:
    found = traffic(kernel(SCALED, TENSORS, category="foreach"))
    assert (found.read, found.written) == (4 * (512 + 3000 + 1), 4 * (512 + 3000))


@pytest.mark.parametrize(
    ("names", "end"),
    [
        (("norm_weight_exp_avg", "up_bias_exp_avg"), "exp_avg"),
        (("norm_weight", "up_weight"), "weight"),
        (("weight", "bias"), ""),
        (("p_x", "q_x"), ""),  # x means something else
    ],
)
def test_tensors_of_one_kind_of_job_are_called_by_the_words_that_their_names_end_in(
    names: tuple[str, ...], end: str
) -> None:
    assert common_end(names) == end
