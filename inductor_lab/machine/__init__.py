"""What Triton's compiler made of a kernel: registers, spills, shared memory, load and store width, for any target.

    for code in inspect("my_kernel.py", gpu="h200"):
        print(code.registers, code.loads)          # 32 {'LDG.E.128': 6}

No GPU is needed: the kernel is compiled and disassembled, never run.
"""

from __future__ import annotations

from inductor_lab.machine.generated import code_of_kernel, inspect_kernel
from inductor_lab.machine.inspection import LAUNCHERS, inspect, inspect_module, launches_of
from inductor_lab.machine.targets import Target, gpu_meant, present_gpu, target_named
from inductor_lab.machine.triton_private import CaughtLaunch, need_triton

__all__ = [
    "LAUNCHERS",
    "CaughtLaunch",
    "Target",
    "code_of_kernel",
    "gpu_meant",
    "inspect",
    "inspect_kernel",
    "inspect_module",
    "launches_of",
    "need_triton",
    "present_gpu",
    "target_named",
]
