"""The faults that the judge is measured with, and the right edits that it must let pass.

Each is one edit of a readable ejected file. `constants.py`, `arithmetic.py`, `memory.py`, `reductions.py` and `gaming.py` plant faults by what
is wrong, `right.py` has the right variants; each row there is (kernel, one sentence, changes). The kernels are Inductor's own:
`models.py` are the small models, `kernels.log.gz` the log that was captured of them for an H200. `tests/judge/test_faults.py` holds the judge to
a part of it, `tests/benchmarks/faults.py` to all of it.
"""
