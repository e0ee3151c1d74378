"""DLRM's hand kernels: the hash and the lookups, the pairwise dot products; `steps/` is how they came to be."""
