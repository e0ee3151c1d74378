"""Which inputs a kernel is tried on: the cases, the values of each, where they lie in memory, and which programs of a launch run."""
