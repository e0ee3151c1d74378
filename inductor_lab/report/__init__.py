"""Records in, views out.

Tables for a terminal, one self-contained page for a browser. Prints and writes nothing itself.
"""
