"""What a kernel must equal runs wherever its inputs are, and in their dtype: a judge on a GPU looks for boundaries on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

import torch
from elsewhere import misplaced
from faults.kernels import ejected, kernels
from folders import CAPTURED, GENERATIONS

from inductor_lab import store
from inductor_lab.annotate import annotate
from inductor_lab.eject import eject
from inductor_lab.errors import LabError
from inductor_lab.judge.alone import Exact
from inductor_lab.read import read
from inductor_lab.records import Capture, Kernel


def of_captures() -> Iterator[tuple[Capture, Kernel]]:
    """Every kernel once; real and virtual cards have the same."""
    seen = set[str]()
    for path in sorted(CAPTURED.glob("*_h200")):
        capture = store.load(path)
        for kernel in capture.kernels:
            if kernel.body_sha256 not in seen:
                seen.add(kernel.body_sha256)
                yield capture, kernel


def texts(found: Iterator[tuple[Capture, Kernel]], **asked: bool) -> Iterator[str]:
    for capture, kernel in found:
        try:
            yield eject(capture, kernel, **asked)
        except LabError:  # not launched, or not for any sizes
            continue


def wrong(files: Iterator[str]) -> tuple[int, list[str]]:
    """(how many files, what is wrong in them)."""
    told = [list(misplaced(text)) for text in files]
    return len(told), [one for each in told for one in each]


@pytest.mark.slow
def test_the_catalogue_runs_elsewhere() -> None:
    count, found = wrong(map(ejected, kernels()))
    assert count > 80 and not found, found


@pytest.mark.slow
def test_every_generation_runs_elsewhere() -> None:
    captures = (annotate(read([path], path.stem)) for path in sorted(GENERATIONS.glob("*.txt")))
    count, found = wrong(texts((capture, kernel) for capture in captures for kernel in capture.kernels))
    assert count > 40 and not found, found


@pytest.mark.slow
def test_what_is_captured_runs_elsewhere() -> None:
    count, found = wrong(texts(of_captures()))
    assert count > 150 and not found, found
    count, found = wrong(texts(of_captures(), generalize=True))
    assert count > 25 and not found, found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((", device=index.device)", ", device=DEVICE)"), "inputs on meta, DEVICE cpu: AssertionError: aten.arange.default is made on cpu"),
        ((", device=index.device)", ", device=DEVICE)"), "inputs on cpu, DEVICE meta: AssertionError: aten.arange.default is made on meta"),
        ((", device=index.device)", ")"), "inputs on meta, DEVICE cpu: AssertionError: aten.arange.default is made on cpu"),
        (("[:, None]],)", "[:, None]].half(),)"), "inputs on meta, DEVICE cpu: gather is torch.float16, not torch.float32"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told(change: tuple[str, str], said: str) -> None:
    assert said in "\n".join(misplaced(ejected("taken").replace(*change)))


def test_a_fraction_of_a_whole_number_is_not_rounded_in_float64() -> None:
    with Exact():
        made = torch.arange(3) * 0.1
    assert made.dtype == torch.float64 and torch.get_default_dtype() == torch.float32
