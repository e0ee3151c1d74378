"""A captured module run again, launch by launch: what each kernel makes of its real inputs, beside what the graph means in eager PyTorch.

    module (text) -> a function of the graph's inputs -> each launch by its ejected file -> buffers and outputs, held to the graph in eager

On the GPU where there is one, else on the CPU, every kernel in Triton's interpreter and every library call in torch.
"""
