"""Every verb of the command line, one after the other, on what one torch writes.

    python tests/versions/verbs.py PYTHON FOLDER      # one version by hand; prints JSON: verb -> "" where it does what it should, else what it did

PYTHON is the interpreter whose torch and Triton are asked; FOLDER is where captures and files go. No GPU is used.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORKLOADS = "dlrm", "lora_mlp", "rotary_attention", "sparse_ffn"
PROGRAM, IN_CPP = "program", "in_cpp"
"""Of this folder: what is captured as a script."""
NO_CARD = "needs the card"
"""In a problem: what nothing but a card decides."""
LIMIT = 900
"""Seconds for one command."""


class WrongError(Exception):
    """A verb did not do what it should."""


class Loop:
    """The verbs, in an order in which each has what it needs; each is a method that raises WrongError."""

    def __init__(self, python: str, folder: Path) -> None:
        self.python, self.folder = python, folder
        self.files: list[str] = []
        self.said = ""
        """What the last command said on stderr."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST"))}
        self.environment = environment | {
            "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": "", "INDUCTOR_LAB_CACHE": str(folder / "cache"),
            "TRITON_CACHE_DIR": str(folder / "triton"),
        }  # fmt: skip

    def verbs(self) -> Iterator[tuple[str, Callable[[], None]]]:
        named = {
            "eject --generalize": self.generalize,
            "eject --as cuda": self.cuda,
            "replay --graft": self.graft,
            "spans": self.spans,
        }
        plain = (
            self.doctor, self.models, self.capture, self.read, self.list, self.show, self.report, self.query, self.compare, self.eject,
            self.verify, self.inspect, self.diff, self.tune, self.status, self.update, self.bench, self.replay,
        )  # fmt: skip
        yield from {verb.__name__: verb for verb in plain}.items()
        yield from named.items()

    def lab(self, *words: str, code: int = 0) -> str:
        """What a command prints; WrongError where it exits with another code."""
        command = [self.python, "-m", "inductor_lab", *words]
        ran = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=LIMIT, check=False
        )
        self.said = " ".join((ran.stderr.strip() or ran.stdout).split())
        if ran.returncode != code:
            raise WrongError(f"{' '.join(words)[:100]} exits with {ran.returncode}: {self.said[-400:]}")
        return ran.stdout

    def told(self, *words: str, code: int = 0) -> dict[str, Any]:
        return dict(json.loads(self.lab(*words, "--json", code=code)))

    # the verbs

    def doctor(self) -> None:
        broken = [name for name, works in self.told("doctor")["works"].items() if not works]
        expect(set(broken) <= {"capture on a GPU", "bench"}, f"does not work: {broken}")

    def models(self) -> None:
        expect(all(name in self.lab("models") for name in WORKLOADS), "workloads are missing")

    def capture(self) -> None:
        for name in WORKLOADS:
            found = self.told("capture", name, "--train", "--gpu", "h200", "--size", "laptop", "-o", f"captured/{name}")
            self.sound(found, {"forward", "backward"})
        found = self.told("capture", str(Path(__file__).parent / f"{PROGRAM}.py"), "--gpu", "h200")
        self.sound(found, {"forward", "backward", "inference"})
        self.sound(self.told("capture", "lora_mlp", "--gpu", "mi300x", "--shapes-only", "-o", "shapes"), {"inference"})
        # The file loads the package that it made, which no card runs here: what was written before is kept.
        self.lab("capture", str(Path(__file__).parent / f"{IN_CPP}.py"), "--gpu", "h200", code=2)
        in_cpp = self.told("list", IN_CPP)
        kernels = in_cpp["kernels"]
        expect(
            len(in_cpp["graphs"]) == 3 and [len(one["launches"]) for one in kernels] == [3],
            f"in C++: {self.said[-300:]}",
        )

    def sound(self, found: dict[str, Any], kinds: set[str]) -> None:
        name, kernels = found["capture"]["name"], found["kernels"]
        wrong = [one["message"] for one in found["problems"] if NO_CARD not in one["message"]]
        expect(not wrong, f"{name}: {wrong[:2]}")
        expect(bool(kernels) and all(one["launches"] for one in kernels), f"{name}: a kernel is never launched")
        told = {graph["kind"] for graph in found["graphs"]}
        expect(told == kinds, f"{name}: graphs are {told}, not {kinds}")
        tensors = {(k["id"], a["name"]) for k in kernels for a in k["arguments"] if a["role"] in ("in", "out", "inout")}
        untold = [
            f"{kernel['id']} {argument['name']}"
            for kernel in kernels
            for launch in kernel["launches"]
            for argument in launch["arguments"]
            if (kernel["id"], argument["name"]) in tensors and not argument["type"]
        ]
        expect(not untold, f"{name}: shapes are not told: {untold[:5]}")

    def read(self) -> None:
        for name in (*WORKLOADS, PROGRAM):
            again, known = (
                self.told("read", f"captured/{name}/log.txt.gz", "-o", f"read/{name}"),
                self.told("list", name),
            )
            same = [[k["body_sha256"] for k in found["kernels"]] for found in (again, known)]
            expect(same[0] == same[1], f"{name}: {len(same[0])} kernels of the log, {len(same[1])} of the capture")

    def list(self) -> None:
        self.lab("list", PROGRAM)

    def show(self) -> None:
        unread = [kernel for kernel in self.kernels() if "not followed" in self.lab("show", kernel, "--full")]
        expect(not unread, f"lines are not followed: {unread}")

    def kernels(self) -> list[str]:
        return [kernel["id"] for kernel in self.told("list", PROGRAM)["kernels"]]

    def report(self) -> None:
        self.lab("report", PROGRAM, "--code", "-o", "page.html")

    def query(self) -> None:
        self.lab("query", "SELECT category, count(*) FROM kernels GROUP BY 1", "--over", "captured")

    def compare(self) -> None:
        self.lab("compare", "lora_mlp", "./read/lora_mlp")
        self.lab("compare", "lora_mlp", "sparse_ffn", code=1)

    def eject(self) -> None:
        for name in (*WORKLOADS, PROGRAM):
            for style in ("readable", "verbatim"):
                self.lab("eject", f"{name}:*", "--style", style, "-o", f"{style}/{name}/")
        paths = sorted((self.folder / "readable").glob("*/*.py"))
        self.files = [str(path.relative_to(self.folder)) for path in paths]
        left = [file for path, file in zip(paths, self.files, strict=True) if "As it was written" in path.read_text()]
        expect(not left, f"not readable: {left}")

    def verify(self) -> None:
        chosen = [file for file in self.files if "/dlrm/" not in file] + [f for f in self.files if "/dlrm/" in f][:3]
        letters = [file.replace("readable/", "verbatim/") for file in chosen if "/program/" not in file]
        found = self.told("verify", *chosen, *letters, "--quick")["files"]
        wrong = {file: one for file, one in found.items() if one.get("verdict") != "pass"}
        expect(not wrong, f"{len(wrong)} of {len(found)} do not pass: {str(wrong)[:300]}")

    def generalize(self) -> None:
        self.lab("eject", "lora_mlp:0", "--generalize", "-o", "any.py")
        self.passes("any.py")

    def cuda(self) -> None:
        self.lab("eject", "lora_mlp:0", "--as", "cuda", "-o", "in_cuda.py")
        self.passes("in_cuda.py")

    def passes(self, file: str) -> None:
        expect(self.told("verify", file, "--quick")["verdict"] == "pass", f"{file} does not pass")

    def inspect(self) -> None:
        for gpu in ("h200", "b200", "mi300x"):
            self.told("inspect", self.files[-1], "--gpu", gpu)
            self.told("inspect", f"{PROGRAM}:0", "--gpu", gpu)

    def diff(self) -> None:
        self.told("diff", self.files[-1], "--gpu", "h200")

    def tune(self) -> None:
        self.lab("eject", "sparse_ffn:0", "-o", "tuned.py")
        self.lab("tune", "tuned.py", "--gpu", "h200", "--write")
        self.passes("tuned.py")

    def status(self) -> None:
        states = {one["file"]: one["state"] for one in self.told("status", *self.files)["files"]}
        expect(set(states.values()) == {"fresh"}, f"{states}")

    def update(self) -> None:
        (self.folder / "mine.py").write_text(
            (self.folder / self.files[-1]).read_text().replace("\n\n\n", "\n\n# mine\n\n", 1)
        )
        self.lab("eject", "mine.py", "--update")
        self.passes("mine.py")

    def bench(self) -> None:
        self.lab("bench", self.files[-1], code=2)
        expect("GPU" in self.said, f"bench says {self.said}")

    def replay(self) -> None:
        for name in (*WORKLOADS, PROGRAM):
            self.replays(name)

    def graft(self) -> None:
        self.replays("lora_mlp", *(f"{n}=readable/lora_mlp/lora_mlp_{n}.py" for n in (0, 1)))

    def spans(self) -> None:
        found = self.told("spans", "lora_mlp")["spans"]
        expect(bool(found), "no span of lora_mlp is listed")
        self.lab("eject", found[0]["id"], "-o", "span.py")
        self.passes("span.py")
        self.replays("lora_mlp", f"{found[0]['id']}=span.py")

    def replays(self, name: str, *grafts: str) -> None:
        found = self.told("replay", name, *(word for graft in grafts for word in ("--graft", graft)))
        grafted = sum(one["grafted"] for one in found["launches"])
        expect(found["verdict"] == "pass" and grafted >= len(grafts), f"{name}: {found.get('first')}")


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise WrongError(otherwise)


def ran(python: str, folder: Path) -> dict[str, str]:
    """Verb -> what is wrong with it, or nothing. What comes behind a broken one is tried all the same."""
    found = {}
    for name, verb in Loop(python, folder).verbs():
        try:
            verb()
            found[name] = ""
        except Exception as error:  # whatever it is, it is a row of the table
            found[name] = " ".join(str(error).split()) or type(error).__name__
        print(f"{name}: {found[name] or 'fine'}", file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    where = Path(sys.argv[2]).resolve()
    where.mkdir(parents=True, exist_ok=True)
    print(json.dumps(ran(sys.argv[1], where), indent=1))
