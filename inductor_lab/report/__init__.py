"""Reports: records in, views out, for a terminal, a notebook and an HTML page.

Tables for a terminal, one self-contained page for a browser. Prints and writes nothing itself.
"""
