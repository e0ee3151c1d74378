"""The CUDA C++ printer: a computation's schedule as a kernel and a launcher, from the same tree as the Triton one.

A thread runs the schedule for one element, or for the elements of a row that it takes; so no axis has a mask, and what Triton folds over a
tile is accumulated by each thread and combined by a row's threads. Names and sizes are those of `eject/printing/`, as in the Triton printer.

`values.py` prints values and what gets a name; `printer.py`, `rows.py`, `matmul.py` and `subkernels.py` a kernel's body,
`launch.py` its launcher; `host_check.py` prints the same for the host.
"""
