"""Rotary position embedding of a query and a key in one kernel; `steps/` is how it came to be."""
