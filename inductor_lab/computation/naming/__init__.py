"""Which known functions a body computes, told from its trees alone: formulas as text, found in terms that are equal where the values are.

tl.store(out, x * tl.sigmoid(x) * y)      ("swiglu",)
"""
