"""Hand kernels that began as an ejected file. Each imports torch and Triton alone and can be copied, DLRM's with what they import of each other."""
