"""Which generation of Inductor's text was tested with which feature: a page made of the fixtures themselves, and of what `make matrix` found.

    python tests/generations/matrix.py --write      # writes docs/support.md and features.md

A feature counts for a generation where its text stands in a fixture of it, which `tests/read/test_generations.py` reads with exact counts.
"""

from __future__ import annotations

import re
import sys
import tarfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from versions.table import table

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "support.md"
FEATURES_PAGE = FOLDER / "features.md"


@dataclass(frozen=True)
class Fixture:
    """One module and what is in it, counted by hand."""

    file: str
    definitions: int
    launches: int
    externs: int = 0
    """Extern calls, kernels that are not Triton included."""
    problems: int = 0
    kernels: int | None = None
    """Distinct bodies, where that is not the number of definitions."""

    @property
    def generation(self) -> int:
        return int(self.file[1])

    @property
    def made(self) -> str:
        return "captured" if re.search(r"_2\.1[35]_", self.file) and "written" not in self.file else "written"

    @property
    def text(self) -> str:
        return (FOLDER / f"{self.file}.txt").read_text(encoding="utf-8")


GENERATIONS = {
    1: "2023-02, torch 2.0",
    2: "2023-12, torch 2.1, 2.2",
    3: "2024-05, torch 2.3, 2.4",
    4: "2024-11, torch 2.5, 2.6",
    5: "2025-03, torch 2.7",
    6: "2025-08, torch 2.8 to 2.10",
    7: "2026, torch 2.11 to 2.14",
    8: "2026-11, torch 2.15",
}

FIXTURES = (
    Fixture("g1_torch_2.0", 2, 2, externs=2),
    Fixture("g2_torch_2.1_original_aten", 1, 1),
    Fixture("g2_torch_2.2", 5, 5, externs=1),
    Fixture("g3_torch_2.4", 3, 3, externs=2, problems=1),
    Fixture("g4_torch_2.6", 4, 4, externs=3),
    Fixture("g5_torch_2.7", 3, 3),
    Fixture("g6_torch_2.9", 1, 2, externs=1),
    Fixture("g7_torch_2.13_combo", 2, 2),
    Fixture("g7_torch_2.13_combo_in_turn", 2, 2),
    Fixture("g7_torch_2.13_cond", 4, 4),
    Fixture("g7_torch_2.13_cooperative", 1, 1),
    Fixture("g7_torch_2.13_descriptor", 1, 1),
    Fixture("g7_torch_2.13_dynamic", 2, 2, externs=1),
    Fixture("g7_torch_2.13_flex", 3, 3),
    Fixture("g7_torch_2.13_foreach", 1, 1),
    Fixture("g7_torch_2.13_groups", 1, 1, externs=2),
    Fixture("g7_torch_2.13_mixed", 2, 2, externs=1),
    Fixture("g7_torch_2.13_multi_kernel", 2, 1, problems=1),
    Fixture("g7_torch_2.13_partition", 1, 1),
    Fixture("g7_torch_2.13_scan", 2, 2),
    Fixture("g7_torch_2.13_template", 1, 1),
    Fixture("g7_torch_2.13_while_loop", 3, 3),
    Fixture("g7_torch_2.13_written_subgraph", 1, 1),
    Fixture("g8_torch_2.15_library", 6, 6, externs=2),
    Fixture("g8_torch_2.15", 1, 1, externs=1),
)

FEATURES = {
    "anonymous kernels": r"async_compile\.triton\('''",
    "every kernel named `triton_`": r"\bdef triton_\(",
    "unique names": r"\bdef triton_\w+_\d+\(",
    "`meta=`": r"[ (]meta=\{",
    "`triton_meta=`": r"triton_meta=\{",
    "list `size_hints`": r"size_hints=\[",
    "dict `size_hints`": r"size_hints=\{",
    "`instance_descriptor`": r"'configs': \[instance_descriptor",
    "`AttrsDescriptor`": r"'configs': \[AttrsDescriptor",
    "divisibility as a dict": r"'configs': \[\{\(",
    "`grid=` at the launch": r"\.run\(.*grid=",
    "`grid_type`": r"'grid_type'",
    "`RBLOCK`, `rindex` only": r"\bRBLOCK : tl\.constexpr|\bRBLOCK: tl\.constexpr = \d",
    "`R0_BLOCK`, `r0_index`": r"\bR0_BLOCK : tl\.constexpr|R0_BLOCK: tl\.constexpr = \d",
    "comment: `Original ATen` only": r"^# Original ATen:",
    "comment: `Source Nodes`": r"^# .*Source Nodes: \[",
    "comment: Graph fragment": r"^# Graph fragment:",
    "comment: PlaceHolder lines with strides": r"PlaceHolder\[target=",
    "provenance handles": r"\[Provenance debug handles\]",
    "`class Runner`": r"^class Runner",
    "graph partitions": r"^def partition_\d+\(",
    "`raw_stream0`": r"raw_stream0 = get_raw_stream",
    "`copy_if_misaligned`": r"= copy_if_misaligned\(",
    "`assert_size_stride` with a name": r"assert_size_stride\(.*, '",
    "`assert_tensor_metadata` of what a library returned": r"^ +assert_tensor_metadata\(",
    "what becomes of NaN is an argument": r"tl\.PropagateNan\.ALL\)",
    "`assert_size_stride_grouped`": r"^ +assert_size_stride_grouped\(",
    "symbolic sizes": r"\bks0\b",
    "pointwise": r"@(triton_heuristics\.)?pointwise\(",
    "reduction": r"@(triton_heuristics\.)?reduction\(",
    "persistent reduction": r"@(triton_heuristics\.)?persistent_reduction\(",
    "split scan": r"@(triton_heuristics\.)?split_scan\(",
    "cooperative reduction": r"@(triton_heuristics\.)?cooperative_reduction\(",
    "template": r"@(triton_heuristics\.)?template\(",
    "template with helper functions": r"^def forward_inner\(",
    "foreach": r"@(triton_heuristics\.)?foreach\(",
    "combo kernel": r"pointwise\([^@]*combo_grid_meta",
    "multi-kernel": r"async_compile\.multi_kernel\(",
    "user-written kernel, launched by keyword": r"_kernel_\d\.run\(\w+=",
    "user-written kernel, launched by position": r"_kernel_\d\.run\(buf",
    "random numbers": r"load_seed_offset",
    "C++ kernel beside": r"async_compile\.cpp(_pybinding)?\(",
    "CUTLASS kernel beside": r"async_compile\.cuda\(",
    "extern kernel": r"extern_kernels\.\w+\(",
    "fallback operator": r"torch\.ops\.\w+\.\w+\.\w+\(|\baten\.\w+(\.\w+)?\(",
    "memory pool": r"= alloc_from_pool\(",
    "cond": r"# subgraph: true_graph_0",
    "while_loop": r"# subgraph: while_loop_body_graph_0",
    "invoke_subgraph": r"# subgraph: (repeated_)?subgraph_?0",
}
"""What a user would ask about -> the text that shows it."""


CPP = FOLDER.parent / "sources" / "cpp_wrappers.tgz"
"""Logs of C++ wrappers, which `tests/read/test_sources.py` reads with exact counts."""
CPP_LAYOUTS = {
    "tuned_first": "cpp_wrapper, tuned at compile time: kernels in a docstring",
    "tuned_later": "cpp_wrapper, tuned when it runs: kernels in raw strings; 2.11 writes the graph in Python first",
    "ahead": "AOTInductor, tuned at compile time: kernels in comments",
    "ahead_twice": "AOTInductor, tuned by a first wrapper: in Python to 2.13, in C++ from 2.14 on",
}


def cpp_wrappers() -> list[str]:
    """Each layout with the versions that it was read of."""
    with tarfile.open(CPP) as archive:
        names = [name.removesuffix(".log") for name in archive.getnames() if name.endswith(".log")]
    found = {
        layout: [name.rpartition("-")[2] for name in names if name.startswith(f"{layout}-")] for layout in CPP_LAYOUTS
    }
    return [f"- {words}: torch {', '.join(sorted(found[layout]))}" for layout, words in CPP_LAYOUTS.items()]


def spans(numbers: list[int]) -> str:
    """`1 to 4, 6` of 1, 2, 3, 4, 6."""
    firsts = [number for number in numbers if number - 1 not in numbers]
    lasts = [number for number in numbers if number + 1 not in numbers]
    return ", ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in zip(firsts, lasts, strict=True))


def features() -> str:
    """tests/generations/features.md: which fixtures have which feature."""
    texts = {n: "\n".join(f.text for f in FIXTURES if f.generation == n) for n in GENERATIONS}
    rows = {
        feature: [n for n, text in texts.items() if re.search(pattern, text, re.MULTILINE)]
        for feature, pattern in FEATURES.items()
    }
    lines = [
        "# Features of Inductor's text, by generation",
        "",
        "For each feature, the [generations](../../docs/support.md) with a fixture in this folder that has it. Others were not tested for it,",
        "often because they lack it. Made by `python tests/generations/matrix.py --write`.",
        "",
        "| feature | generations |",
        "|---|---|",
        *(f"| {feature} | {spans(found)} |" for feature, found in rows.items()),
    ]
    return "\n".join(lines) + "\n"


def page() -> str:
    """docs/support.md as the fixtures have it."""
    made = Counter(f.made for f in FIXTURES)
    lines = [
        "# Versions",
        "",
        "## Every verb, by the version of torch",
        "",
        "`make matrix` makes a venv for each minor release of torch. In it, without a GPU, it runs every verb on the workloads and on a training",
        "step (`tests/versions/`), and the tests of the rooms that meet torch or Triton. `bench` must say that it needs a GPU.",
        "",
        table(),
        "With torch 2.15.0, all 1,351 distinct kernels of 14 programs were ejected in both styles. Of 100 files drawn, 99 verified in Triton 3.9.0's",
        "interpreter; the other took too long (`tests/benchmarks/results/corpus_eject_2.15.json.gz`).",
        "",
        "## What `inductor-lab read` was tested on",
        "",
        "Inductor's text changed in eight generations:",
        "",
        *(f"{n}. {made_in}" for n, made_in in GENERATIONS.items()),
        "",
        "[The features of each](../tests/generations/features.md) have fixtures, whose definitions, launches and library calls are counted exactly.",
        f"{made['written']} of the {made.total()} fixtures are written by hand, the other {made['captured']} captured by that torch for a virtual H200.",
        "Real logs of torch 2.11.0 from an H200 (`tests/logs/`) are counted exactly, too. A launch of a multi-kernel counts for the first of its",
        "kernels, and a problem says so. Kernels in other languages (`async_compile.cpp`, `.cuda`, `.metal`) are library calls.",
        "",
        "Logs of C++ wrappers (`tests/sources/cpp_wrappers.tgz`):",
        "",
        *cpp_wrappers(),
        "",
        "This page is made by `python tests/generations/matrix.py --write`.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
        FEATURES_PAGE.write_text(features(), encoding="utf-8")
    else:
        print(page(), end="")
