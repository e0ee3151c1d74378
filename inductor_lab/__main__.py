"""`python -m inductor_lab`: the command line, where no console script is installed."""

from __future__ import annotations

from inductor_lab.cli import main

if __name__ == "__main__":
    main()
