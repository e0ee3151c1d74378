"""RMSNorm, with a residual added before or without: `kernel.py` is the last one, `steps/` is how it came to be."""
