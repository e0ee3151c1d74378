"""What the printers of kernels share, whatever the language: names, sizes, addresses, the order of uses, and a page that statements are put on.

`eject/triton/` and `eject/cuda/` print the same tree by it; neither imports the other.
"""
