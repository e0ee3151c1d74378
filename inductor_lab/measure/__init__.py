"""Times of kernels, and what they mean: an ejected file timed alone, against the generated kernel and others, over sizes, and kept.

`timing/` is the instrument; `diff.py` times one kernel with it (`bench`), or the hand kernel against the generated one. `contest/` has the others that
both are held against, `why/` what explains a difference, `tuning/` the search for a configuration, `sweep/` a kernel over sizes and dtypes.
`ci.py` is what CI makes of a comparison, `history.py` keeps results beside the captures.
"""
