"""The rotary kernel compiled where there is no card, kept as machine code in a small file, and launched elsewhere without Triton.

`write("rope.zip", 32, 8, 128)` -> rotate.cubin and rotate.json; elsewhere `load("rope.zip")(query, key, cos, sin)` -> both, rotated.
"""

from __future__ import annotations

import ctypes
import json
import zipfile
from pathlib import Path
from typing import Any

import torch

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


def compiled(heads: int, kv_heads: int, columns: int, kind: str = "bf16", arch: int = 90, **chosen: Any) -> Any:
    """What Triton makes for dense [T, H, D] and angles [T, D / 2]: all but pointers and T is compiled in. `chosen`: what else the kernel knows."""
    import triton

    from inductor_lab.kernels.rotary.kernel import CANDIDATES, rotate, tile

    padded = triton.next_power_of_2(columns // 2)
    told = tile(2**20, [heads, kv_heads], 2 * padded * DTYPES[kind].itemsize, CANDIDATES[0]) | chosen
    options = {"num_warps": told.pop("num_warps")}
    told |= {"FIRST_HEADS": heads, "SECOND_HEADS": kv_heads, "HALF": columns // 2, "PADDED": padded}
    told |= {f"{x}_strides": (0, columns, heads * columns, 1) for x in ("first", "first_out")}
    told |= {f"{x}_strides": (0, columns, kv_heads * columns, 1) for x in ("second", "second_out")}
    told |= {f"{x}_strides": (0, columns // 2, 1) for x in ("cos", "sin")} | {"WIDE": triton.language.float32}
    told |= dict.fromkeys(("position_ptr", "position_strides")) | dict.fromkeys(("REST", "REST_PADDED", "rows"), 0)
    told = dict.fromkeys(("EACH", "INTERLEAVED", "CONJUGATE", "MANY"), False) | told
    types = {name: "constexpr" if name in told else f"*{kind}" for name in rotate.arg_names} | {"tokens": "i32"}
    aligned = {(place,): [["tt.divisibility", 16]] for place, own in enumerate(types.values()) if own[0] == "*"}
    source = triton.compiler.ASTSource(rotate, types, told, aligned)
    return triton.compile(source, triton.backends.compiler.GPUTarget("cuda", arch, 32), options)


def write(file: str | Path, heads: int, kv_heads: int, columns: int, kind: str = "bf16", **asked: Any) -> None:
    """Keep the machine code, and what whoever launches it has to know."""
    made = compiled(heads, kv_heads, columns, kind, **asked)
    told = {"dtype": kind, "heads": [heads, kv_heads], "columns": columns, "threads": 32 * made.metadata.num_warps}
    told |= {name: made.src.constants[made.src.fn.arg_names.index(name),] for name in ("TOKENS", "HEADS")}
    told |= {"name": made.metadata.name, "shared": made.metadata.shared}
    told["parameters"] = made.asm["ptx"].count(".param .")
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as kept:
        kept.writestr("rotate.cubin", made.asm["cubin"])
        kept.writestr("rotate.json", json.dumps(told))


def load(file: str | Path) -> Any:
    """A function of query [T, H, D], key [T, K, D], cos and sin [T, D / 2]."""
    with zipfile.ZipFile(file) as kept:
        code, told = kept.read("rotate.cubin"), json.loads(kept.read("rotate.json"))
    card = torch.zeros(1, device="cuda").device  # now there is a context, which the driver loads into
    driver, module, function = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p()

    def need(status: int) -> None:
        if status:
            raise RuntimeError(f"the CUDA driver answers {status}")

    def rotary(*given: torch.Tensor) -> list[torch.Tensor]:
        tokens, columns = len(given[0]), told["columns"]
        shapes = [(tokens, count, columns) for count in told["heads"]] + [(tokens, columns // 2)] * 2
        fit = [tuple(x.shape) for x in given] == shapes and all(x.dtype == DTYPES[told["dtype"]] for x in given)
        if not fit or not all(x.device == card and x.is_contiguous() and x.data_ptr() % 16 == 0 for x in given):
            raise ValueError(f"compiled for dense, aligned {told['dtype']} of {shapes} on {card}")
        out = [torch.empty_like(x) for x in given[:2]]
        cells = [*(ctypes.c_void_p(x.data_ptr()) for x in (*given[:2], *out, *given[2:])), ctypes.c_int32(tokens)]
        cells += [ctypes.c_void_p()] * (told["parameters"] - len(cells))  # memory that Triton can ask for: none here
        pointers = (ctypes.c_void_p * len(cells))(*map(ctypes.addressof, cells))
        grid = (-(-tokens // told["TOKENS"]) * -(-sum(told["heads"]) // told["HEADS"]), 1, 1, told["threads"], 1, 1)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        need(tokens and driver.cuLaunchKernel(function, *grid, told["shared"], stream, pointers, None))
        return out

    need(driver.cuModuleLoadData(ctypes.byref(module), code))
    need(driver.cuModuleGetFunction(ctypes.byref(function), module, told["name"].encode()))
    return rotary
