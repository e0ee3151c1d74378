"""Proofs that a mutant which the judge let pass computes the same: they cost up to some seconds each, so they are asked of survivors alone.

What needs more than the text runs in a process of its own, which may take as long as `LIMIT` and may crash: then nothing is proven.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

from faults.every_program import same_in_every_program
from faults.filled import is_added, is_filled
from faults.in_bounds import in_bounds
from faults.in_float64 import same_in_float64, same_in_its_dtypes
from faults.linear import is_linear
from faults.loose import is_cast_by_the_store, is_own_arithmetic, is_promoted
from faults.mutation import Mutant
from faults.one_place import is_one_place
from faults.same_code import same_code

Rule = Callable[[Mutant], str]
LIMIT = 150.0
"""Seconds for one rule and one mutant."""
STATIC: tuple[tuple[str, Callable[[Mutant], bool]], ...] = (
    ("filled", is_filled),
    ("added", is_added),
    ("one place", is_one_place),
    ("promoted", is_promoted),
    ("linear", is_linear),
    ("cast by the store", is_cast_by_the_store),
)
VARIANT = "own arithmetic"
"""The rule by which a mutant is a right variant, though not the same to the bit."""
RULES: tuple[tuple[Rule, bool], ...] = (
    (same_code, False),
    (same_in_every_program, True),
    (in_bounds, True),
    (same_in_float64, True),
    (same_in_its_dtypes, True),
)
"""What runs or compiles the kernel, each with whether Triton is to interpret."""


def proofs(mutants: Sequence[Mutant], jobs: int, rules: Sequence[tuple[Rule, bool]] = RULES) -> dict[str, str]:
    """By the name of a mutant the rule that proves it to compute the same; what none proves is not there."""
    proven = {mutant.name: why for mutant in mutants for why, holds in reversed(STATIC) if holds(mutant)}
    for rule, interpreted in rules:
        left = [mutant for mutant in mutants if mutant.name not in proven]
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), prepare, (interpreted,)) as pool:
            for mutant, why in zip(left, pool.map(asked, [rule] * len(left), left), strict=True):
                if why:
                    proven[mutant.name] = why
    variants = [mutant for mutant in mutants if mutant.name not in proven and is_own_arithmetic(mutant)]
    return proven | {mutant.name: VARIANT for mutant in variants}


def prepare(interpreted: bool) -> None:
    """Begin a process that forks for each proof."""
    os.environ.pop("TRITON_INTERPRET", None)
    if interpreted:
        os.environ["TRITON_INTERPRET"] = "1"  # Triton reads it when it is imported
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import torch  # noqa: F401
    import triton  # noqa: F401


def asked(rule: Rule, mutant: Mutant) -> str:
    """What a rule says in a process of its own."""
    context = multiprocessing.get_context("fork")
    reading, writing = context.Pipe(duplex=False)
    child = context.Process(target=say, args=(rule, mutant, writing))
    child.start()
    writing.close()
    try:
        return str(reading.recv()) if reading.poll(LIMIT) else ""
    except EOFError:  # it ended without an answer
        return ""
    finally:
        child.kill()
        child.join()


def say(rule: Rule, mutant: Mutant, writing: Connection) -> None:
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        writing.send(rule(mutant))
