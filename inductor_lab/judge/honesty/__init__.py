"""What a launcher may do beside its kernels, and what a file puts in the place of others' functions."""
