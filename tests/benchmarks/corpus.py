"""A corpus of public models and odd functions: their names, and the command that captures them all.

    python tests/benchmarks/corpus.py list
    python tests/benchmarks/corpus.py capture -o DIR                        for the virtual H200: no GPU is needed
    python tests/benchmarks/corpus.py capture -o DIR --gpu real             on the card that is here
    python tests/benchmarks/corpus.py capture -o DIR --only 'llama*' 'op_*'
    python tests/benchmarks/corpus.py table DIR                             what is there, counted again

Each program is one `inductor-lab capture` in a process of its own, DIR/NAME is its capture. What is captured is not captured again; what
failed is tried again. `corpus_requirements.txt` says which packages it needs; programs whose package is missing are skipped.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from inductor_lab import store
from inductor_lab.errors import LabError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RESULTS = "corpus.json"
"""In the folder of captures: one row a program."""

PACKAGES = ("transformers", "timm", "torchvision")

MODELS = {
    # language
    "llama": "train bf16 train_autocast tuned_bf16 train_bf16_dynamic",
    "llama_decode": "bf16",
    "gpt2": "train train_bf16 fp32",
    "gemma2": "train_bf16 fp32",
    "qwen3": "train_bf16 dynamic",
    "bloom": "train",
    "phi": "train_autocast",
    "mixtral": "train bf16",
    "mamba": "train bf16",
    "mamba2": "train",
    "bert": "train train_autocast bf16_dynamic",
    "deberta": "train",
    "t5": "train bf16",
    "whisper": "train",
    "wav2vec2": "train",
    "clip": "train",
    # pictures
    "segformer": "train",
    "resnet_basic": "train train_autocast bf16 dynamic",
    "resnet_bottleneck": "train tuned_bf16",
    "mobilenet_v3": "train fp32",
    "efficientnet": "train train_autocast",
    "convnext": "train bf16",
    "densenet": "train",
    "shufflenet": "train",
    "inception_block": "train",
    "swin_v2": "train_autocast",
    "lraspp": "train",
    "vit": "train train_bf16 bf16_dynamic",
    "swin": "train bf16",
    "mixer": "train",
    "regnet": "train_bf16",
    "nfnet": "train",
    "mobilevit": "train",
    "beit": "train train_autocast",
    "xcit": "train",
    "eva_rope": "train bf16",
    # the rest
    "unet": "train train_autocast bf16",
    "lstm": "train",
    "gru": "train_bf16",
    "written_lstm": "train",
    "experts": "train_bf16 dynamic",
    "autoencoder": "train",
    "transformer_encoder": "train train_autocast train_bf16_dynamic",
}
"""Name in corpus_models.py -> the variants that are captured, each of words of `VARIANTS`. The first one is captured first."""

VARIANTS = {
    "train": ("--train",),
    "dynamic": ("--dynamic",),
    "tuned": ("--mode", "max-autotune-no-cudagraphs"),
    "fp32": (),
    "bf16": (),
    "autocast": (),
}
"""Word -> the options that it adds; the dtypes choose another function of corpus_models.py."""

OPTIMISERS = ("adamw", "adamw_capturable", "sgd", "rmsprop", "training_step")

SETTINGS = {
    "combo": ("combo_kernels=true", "benchmark_combo_kernel=false"),
    "cooperative": ("triton.force_cooperative_reductions=true",),
    "looped": ("triton.persistent_reductions=false",),
    "tiled": ("triton.prefer_nd_tiling=true", "triton.tile_reductions=true"),
    "block_pointers": ("triton.use_block_ptr=true",),
    "descriptors": ("triton.use_tensor_descriptor=true", "assume_aligned_inputs=true"),
    "unsplit": ("split_reductions=false",),
}
"""Settings of Inductor under which some functions are captured once more: they write kernels of another kind."""

GROUPS = ("operators", "shapes", "training", "control", "tuned")
"""Of tests/capture/virtual_probes.py."""


@dataclass(frozen=True)
class Entry:
    """One program of the corpus."""

    name: str
    target: str
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def command(self, gpu: str, folder: Path) -> list[str]:
        words = [self.target, *self.options, "--gpu", gpu, "-o", str(folder)]
        return [sys.executable, "-m", "inductor_lab", "capture", *words]


def entries() -> list[Entry]:
    """What is captured: each model once, all functions at once and under each setting, then the models' other variants."""
    models = [[_model(name, variant) for variant in variants.split()] for name, variants in MODELS.items()]
    first = [variants[0] for variants in models]
    others = [entry for variants in models for entry in variants[1:]]
    optimisers = [Entry(f"optim_{name}", f"corpus_models:{name}") for name in OPTIMISERS]
    groups = [
        Entry(
            f"small_{name}",
            str(ROOT / "tests" / "capture" / "virtual_probes.py"),
            environment={"INDUCTOR_LAB_PROBES": name},
        )
        for name in GROUPS
    ]
    many = [Entry(f"ops_{name}", f"corpus_operators:every.{name}") for name in ("fp32", "bf16", "fp16", "dynamic")]
    many += [Entry(f"probes_{name}", f"corpus_operators:probed.{name}") for name in ("fp32", "bf16")]
    set_ = [
        Entry(f"ops_{name}", "corpus_operators:some", tuple(w for entry in settings for w in ("--set", entry)))
        for name, settings in SETTINGS.items()
    ]
    return [*first, *optimisers, *groups, *many, *set_, *others, *_real()]


def chosen(globs: Sequence[str]) -> list[Entry]:
    """The whole corpus, or what is asked for by name: each function alone too, whose kernels are in `ops_fp32` already."""
    found = [*entries(), *_functions()]
    return [entry for entry in found if any(fnmatchcase(entry.name, glob) for glob in globs)] if globs else entries()


def _real() -> Iterator[Entry]:
    """Each in training, but what serves."""
    for name, _ in _returning("real_models.py", "Program"):
        train = () if name.endswith("_served") else ("--train",)
        yield Entry(f"real_{name}", f"real_models:{name}", (*train, "--shapes-only"))


def _model(name: str, variant: str) -> Entry:
    words = variant.split("_")
    dtype = next((word for word in words if word in ("bf16", "autocast")), "")
    path = [*(["train"] if "train" in words else []), dtype or ("" if "train" in words else "fp32"), name]
    options = tuple(option for word in words for option in VARIANTS[word])
    return Entry(
        "_".join([name, *(word for word in words if word != "fp32")]),
        f"corpus_models:{'.'.join(filter(None, path))}",
        options,
    )


def _functions() -> Iterator[Entry]:
    for name, kind in _returning("corpus_operators.py", "Program", "Trained"):
        yield Entry(f"op_{name}", f"corpus_operators:{name}", ("--train",) if kind == "Trained" else ())


def _returning(file: str, *kinds: str) -> Iterator[tuple[str, str]]:
    """The functions of a file that return a program; read and not imported: torch is imported in the captures alone."""
    for node in ast.parse((HERE / file).read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name, returns=ast.Name(id=kind)) if kind in kinds and not name.startswith("_"):
                yield name, kind


# Capturing


Row = dict[str, Any]


def captured(entry: Entry, gpu: str, folder: Path, limit: float, threads: int) -> Row:
    """Make one capture; what came of it: `captured`, `part` (the program failed after its first kernels), `skipped` or `failed`."""
    paths = [str(HERE), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        **entry.environment,
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": str(threads),
    }
    environment |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    if gpu != "real":
        # What is made for a card that is not there must not meet the one that is.
        environment["CUDA_VISIBLE_DEVICES"] = ""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as here:
        child = subprocess.Popen(
            entry.command(gpu, folder), cwd=here, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            errors="replace",
        )  # fmt: skip
        try:
            said = child.communicate(timeout=limit)[1]
            error = _error(said) if child.returncode else ""
        except subprocess.TimeoutExpired:
            child.terminate()  # not kill: it must end the program that it captures
            child.communicate()
            error = f"not done in {limit:.0f} s"
    missing = any(f"No module named '{package}" in error for package in PACKAGES)
    status = (
        "skipped"
        if missing
        else "captured"
        if not error
        else "part"
        if (folder / store.DOCUMENT).is_file()
        else "failed"
    )
    words = [*(f"{key}={value}" for key, value in entry.environment.items()), "inductor-lab", "capture"]
    command = shlex.join([*words, entry.target.replace(f"{ROOT}/", ""), *entry.options, "--gpu", gpu])
    return {
        "name": entry.name,
        "status": status,
        "reason": error,
        "seconds": round(time.monotonic() - start, 1),
        "command": command,
    }


def _error(said: str) -> str:
    """The command line's one sentence, which the terminal's width may have wrapped."""
    text = " ".join(said.split())
    found = re.findall(r"\berror: (.*?)(?=\berror: |$)", text)
    return (found[-1] if found else text[-300:] or "it said nothing")[:600]


def capture(asked: argparse.Namespace) -> int:
    folder = asked.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    rows = _rows(folder)
    wanted = chosen(asked.only)
    if not wanted:
        raise SystemExit(f"no program is called {' or '.join(asked.only)}; `corpus.py list` shows all")
    left = [entry for entry in wanted if asked.again or not (folder / entry.name / store.DOCUMENT).is_file()]
    print(f"{len(wanted)} programs, {len(wanted) - len(left)} captured already", flush=True)
    threads = max(1, (os.cpu_count() or 1) // asked.jobs)
    begun = time.monotonic()

    def one(numbered: tuple[int, Entry]) -> None:
        number, entry = numbered
        if time.monotonic() - begun > asked.seconds:
            return
        row = rows[entry.name] = captured(entry, asked.gpu, folder / entry.name, asked.limit, threads)
        _write(folder, rows)
        told = "" if row["status"] == "captured" else f"  {row['status'].upper()}: {row['reason'][:200]}"
        print(
            f"{number:4}/{len(left)}  {time.monotonic() - begun:5.0f} s  {entry.name} in {row['seconds']:.0f} s{told}",
            flush=True,
        )

    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(one, enumerate(left, 1)))
    return table(folder)


def _rows(folder: Path) -> dict[str, Row]:
    try:
        document = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return {row["name"]: row for row in document["rows"]}


def _write(folder: Path, rows: Mapping[str, Row]) -> None:
    order = {entry.name: number for number, entry in enumerate([*entries(), *_functions()])}
    document = {
        "what": "the corpus of tests/benchmarks/corpus.py, one row a program",
        "rows": sorted(rows.copy().values(), key=lambda row: order.get(row["name"], len(order))),
    }
    part = folder / f".{RESULTS}"
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(folder / RESULTS)


# What is there


def table(folder: Path) -> int:
    """Print the captures that are there; 1 when a program failed."""
    rows = _rows(folder)
    every: dict[str, str] = {}
    """Body's hash -> category."""
    totals: Counter[str] = Counter()
    print(f"\n{'program':34} {'graphs':>6} {'kernels':>7} {'new':>5} {'launches':>8} {'seconds':>7}")
    for entry in [*entries(), *_functions()]:
        try:
            found = store.load(folder / entry.name)
        except LabError:
            continue
        bodies = {kernel.body_sha256: kernel.category for kernel in found.kernels}
        new = bodies.keys() - every.keys()
        every |= bodies
        launches = sum(len(kernel.launches) for kernel in found.kernels)
        seconds = rows.get(entry.name, {}).get("seconds", 0.0)
        totals.update(programs=1, graphs=len(found.graphs), launches=launches, tenths=round(10 * seconds))
        print(f"{entry.name:34} {len(found.graphs):6} {len(bodies):7} {len(new):5} {launches:8} {seconds:7.0f}")
    print(
        f"\n{totals['programs']} programs, {totals['graphs']} graphs, {totals['launches']} launches, {totals['tenths'] / 10:.0f} s"
    )
    print(
        f"{len(every)} distinct kernels:", ", ".join(f"{n} {kind}" for kind, n in Counter(every.values()).most_common())
    )
    bad = [row for row in rows.values() if row["status"] != "captured"]
    for status in ("part", "skipped", "failed"):
        for row in (row for row in bad if row["status"] == status):
            print(f"{status:8} {row['name']}: {row['reason'][:300]}")
    return int(any(row["status"] == "failed" for row in bad))


def listed(only: Sequence[str]) -> int:
    for entry in chosen(only):
        print(f"{entry.name:34} {entry.target.replace(f'{ROOT}/', '')} {' '.join(entry.options)}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    names = {"nargs": "+", "default": [], "metavar": "GLOB", "help": "names of programs: 'llama*' 'op_*'"}
    listing = verbs.add_parser("list", help="the programs")
    listing.add_argument("--only", **names)
    counting = verbs.add_parser("table", help="count what was captured")
    counting.add_argument("folder", type=Path)
    run = verbs.add_parser("capture", help="capture what is not captured yet")
    run.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    run.add_argument("--gpu", default="h200", help="a virtual card's name, or `real`")
    run.add_argument("--only", **names)
    run.add_argument("--jobs", type=int, default=1, help="captures at once")
    run.add_argument("--limit", type=float, default=400, help="seconds that one capture may take")
    run.add_argument("--seconds", type=float, default=float("inf"), help="no capture is begun after so long")
    run.add_argument("--again", action="store_true", help="also what is captured already")
    asked = parser.parse_args()
    if asked.verb == "list":
        return listed(asked.only)
    return table(asked.folder) if asked.verb == "table" else capture(asked)


if __name__ == "__main__":
    raise SystemExit(main())
