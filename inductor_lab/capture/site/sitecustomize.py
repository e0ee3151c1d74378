"""Runs at the start of every Python process under `inductor-lab capture`: watches for Inductor, imports nothing.

Python imports the first `sitecustomize` on its path. This folder stands before all others there, so the one that
would have been found is run first.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from types import ModuleType

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
WATCHED = (
    "torch",
    "triton",
    "torch._inductor.config",
    "torch._inductor.compile_fx",
    "torch._inductor.runtime.triton_heuristics",
)


def run_the_hidden_one() -> None:
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(module_from_spec(spec))


def inside() -> ModuleType:
    """inductor_lab.capture.inside, from where this file lies when the program's own Python does not have it."""
    try:
        import inductor_lab  # noqa: F401
    except ImportError:
        sys.path.append(ROOT)
    from inductor_lab.capture import inside

    return inside


class Watch:
    """A finder that finds what the others find, and tells `inside` when it is loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in WATCHED:
            return None
        found = (each.find_spec(name, path, target) for each in sys.meta_path if each is not self)
        spec = next((each for each in found if each is not None), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                inside().after(name, module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def report() -> None:
    if "torch" in sys.modules:
        inside().report()


run_the_hidden_one()
if "INDUCTOR_LAB_FINGERPRINT" in os.environ:
    sys.meta_path.insert(0, Watch())
    atexit.register(report)
