"""SwiGLU, silu(gate) * up, of two tensors or two halves of one: `kernel.py` is the last one, `steps/` is how it came to be."""
