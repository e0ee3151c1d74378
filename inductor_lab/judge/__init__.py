"""The judges of `verify`: whether an ejected file computes what eager computes, and if not, where and how.

`alone.py` is the short check that stands in every ejected file; everything else runs in processes that `verify.py` starts.
"""
