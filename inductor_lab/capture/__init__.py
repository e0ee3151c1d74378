"""A program in, Inductor's output code out: on the GPU that is here, or for one that is not.

`run.capture` starts the program as a child process with a clean cache and reads its log (`outcome`). Everything that imports torch
runs in that child, but for `live`, which captures a model of this process:

    inside, child                                     what the child does at its imports and its end; the targets that are no command
    program, host_memory, host_kernels, cuda_stubs    the program's cuda, which lies in host memory where there is no card
    triton_stubs                                      Triton's driver, and the program's own kernels
    virtual_gpu, pretence, attention                  torch.compile's, which generates for the card
    configurations                                    what Inductor's autotuner times of each kernel, and what it kept on a card
"""
