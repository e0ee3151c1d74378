@triton.jit
def _either(a, b):
    return a | b
