"""Hand kernels in the user's own compiled model: while a `with graft(...)` is open, each launch of a body that has a file runs that file's kernel.

    a launch of Inductor's -> its body's hash -> the file of that hash -> does what is passed fit? -> its `launch`, else the generated kernel

The choice is made at each launch and nowhere else: what compiled the model, and when, does not matter, and no cache holds anything of it.
"""
