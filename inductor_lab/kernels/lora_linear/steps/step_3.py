"""Programs that stay go from tile to tile, read ahead by tensor descriptors, and add the low-rank product last: in front it keeps them from reading ahead."""

from inductor_lab.kernels.lora_linear.kernel import multiply


def launch(
    arg6,
    addmm,
    arg5,
    arg7,
    arg8,
    addmm_2,
    *,
    BLOCK_M=128,
    BLOCK_N=256,
    BLOCK_K=64,
    GROUP=8,
    PERSISTENT=1,
    TMA=1,
    num_warps=8,
    num_stages=3,
):
    sizes = {
        "BLOCK_M": BLOCK_M,
        "BLOCK_N": BLOCK_N,
        "BLOCK_K": BLOCK_K,
        "GROUP": GROUP,
        "PERSISTENT": PERSISTENT,
        "TMA": TMA,
        "INSIDE": 0,
    }
    multiply(
        addmm, arg5, arg7, arg8, arg6, addmm_2, None, scale=0.5, activation="relu",
        configuration=sizes | {"PARTS": 1, "num_warps": num_warps, "num_stages": num_stages},
    )  # fmt: skip
    return addmm_2
