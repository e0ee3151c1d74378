"""Hand kernels that began as an ejected file. Each stands alone: it imports torch and Triton, and can be copied."""
