"""Hand kernels that began as an ejected file. Each imports torch and Triton alone and can be copied, `outer_ieee` with `outer`, and so `pairwise_ieee`."""
