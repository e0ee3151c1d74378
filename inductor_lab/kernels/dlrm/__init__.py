"""DLRM's hand kernels: hash and lookups, the outer product and its layer, the pairwise dot products; `steps/` is how they came to be."""
