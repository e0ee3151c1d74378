"""A program in, Inductor's output code out: on the GPU that is here, or for one that is not.

`run.capture` starts the program as a child process with a clean cache and reads its log. Everything that imports torch
(`child`, `inside`, `virtual_gpu`, `attention`) runs in that child and nowhere else.
"""
