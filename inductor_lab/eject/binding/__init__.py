"""One launch of a kernel, bound: its tensors and scalars, its grid and its configuration, before anything is printed."""
