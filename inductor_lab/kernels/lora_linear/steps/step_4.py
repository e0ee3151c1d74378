"""s by a kernel of its own again, and hidden: the main one begins beside it, reads by tensor descriptors, and waits for s behind its loop alone."""

from inductor_lab.kernels.lora_linear.kernel import first_product, multiply


def launch(
    arg6,
    addmm,
    arg5,
    arg7,
    arg8,
    addmm_2,
    *,
    BLOCK_M=128,
    BLOCK_N=128,
    BLOCK_K=64,
    num_warps=4,
    num_stages=3,
):
    sizes = {"BLOCK_M": BLOCK_M, "BLOCK_N": BLOCK_N, "BLOCK_K": BLOCK_K, "TURNED": 0}
    how = sizes | {"num_warps": num_warps, "num_stages": num_stages}
    s = first_product(addmm, arg7.t(), scale=0.5, precision="ieee")
    multiply(addmm, arg5, s, arg8, arg6, addmm_2, None, activation="relu", early=True, configuration=how)
    return addmm_2
