"""The processes of a verdict: the server that forks them, the one that runs the kernel, and what they say to each other."""
