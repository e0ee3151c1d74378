"""The talk's experiments beside ours, in tests/benchmarks/results/dlrm/talk.md from talk.json and cpu.json beside it; `dlrm_tables.py` writes them.

One table has a row for each experiment: the talk, ours, why. Below it stand the rows that several columns need. What the talk says is quoted from its
text; most of its figures are images. Whether it holds is taken from the rows, so rows to come may change it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import talk_names
from dlrm_tables import RESULTS, filled, kept, table, within
from dlrm_talk import points

Row = dict[str, Any]
LOT, SAME = 0.1, 0.01
"""The share of the host's time from which on something takes a lot, and the part of a figure by which it changes at least."""


def results() -> Row:
    return json.loads((RESULTS / "talk.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def rows(experiment: str) -> list[Row]:
    return [row for row in results()["rows"] if row["experiment"] == experiment]


def line(row: Row, cells: Callable[[Row], list[str]]) -> list[str]:
    """The figures of a row, or why it has none."""
    return [f"failed: {row['failed']}".replace("|", r"\|")] if "failed" in row else cells(row)


def step(row: Row) -> str:
    return within(*row["step_us"], ",.0f")


def first(own: list[Row]) -> str:
    return ", ".join(f"`{one['name']}` {one['share']:.0%}" for one in own[:3])


def held(holds: bool) -> str:
    return "held" if holds else "contradicted"


# ---------------------------------------------------------------- one row for each experiment


@dataclass(frozen=True)
class Experiment:
    """A row: what was done, what the talk says or shows of it, what ours is, and why."""

    what: str
    talk: str
    ours: Callable[[], str]
    why: str


def hashed(name: str) -> str:
    """A training step with that hash."""
    for row in rows("hash"):
        if row["hash"] == name and "failed" not in row:
            says = held((row["hash_share"] >= LOT) == (name != "modulus"))
            shares = f"{row['hash_share']:.1%} of the host's time; a step takes {step(row)} us"
            return f"{says}: {shares}; longest on the host {first(row['cpu'])}; on the card {first(row['cuda'])}"
    return "not measured"


def asked(blocking: bool) -> list[Row]:
    return [row for row in rows("item") if row["blocking"] == blocking and "failed" not in row]


def item() -> str:
    """What `loss.item()` in each step costs: whether that is a lot is its share of the host's time."""
    found = asked(False)
    costs = [
        f"`{row['hash']}` {row['item_share']:.1%} of the host's time, {row['item_waiting_share']:.0%} of which waits or copies; "
        f"a step takes {within(*row['costs_us'], ',.0f')} us more with it"
        for row in found
    ]
    return f"{held(any(row['item_share'] >= LOT for row in found))}: {'; '.join(costs)}" if found else "not measured"


def launches(row: Row) -> float:
    return sum(float(one["share"]) for one in row["cpu"] if one["name"] == "cudaLaunchKernel")


def blocked() -> str:
    pairs = [(row, other) for row in asked(False) for other in asked(True) if row["hash"] == other["hash"]]
    told = [
        f"`{row['hash']}`: `cudaLaunchKernel` {launches(row):.0%} to {launches(other):.0%} of the operators' time, `.item()` {row['item_share']:.1%} to "
        f"{other['item_share']:.1%}, a step {row['step_us'][0]:,.0f} to {other['step_us'][0]:,.0f} us"
        for row, other in pairs
    ]
    return "; ".join(told) or "not measured"


def of(row: Row) -> str:
    return f"{row['config']} {'training' if row['training'] else 'inference'}"


def timed() -> dict[tuple[str, str], Row]:
    """Model and mode -> its row."""
    return {(of(row), row["mode"]): row for row in rows("modes") if "failed" not in row}


def eager() -> dict[str, Row]:
    return {model: row for (model, mode), row in timed().items() if mode == "eager"}


def against(name: str, sign: int) -> tuple[int, list[tuple[str, str]]]:
    """How many compiled rows there are, and which of them do not change a figure in the talk's direction, beside eager."""
    compiled = [key for key in timed() if key[1] != "eager" and key[0] in eager()]
    least = {model: SAME * row[name] for model, row in eager().items()}
    return len(compiled), [
        key for key in compiled if sign * (timed()[key][name] - eager()[key[0]][name]) <= least[key[0]]
    ]


def many(name: str, sign: int) -> str:
    count, those = against(name, sign)
    return (
        f"{held(not those)}: by {len(those)} of {count} compiled rows"
        if those
        else f"held by all {count} compiled rows"
    )


def memory() -> str:
    return "; ".join(f"{kind}, {many(f'peak_{kind}', -1)}" for kind in ("allocated", "reserved"))


def reserved() -> str:
    """The memory of main's training, whose figures in the talk are an image."""
    own = [timed().get(("main training", mode)) for mode in ("eager", "default", "reduce-overhead")]
    figures = [megabytes(row["peak_allocated"]) for row in own if row]
    return f"not compared; main training, eager, default, reduce-overhead: {', '.join(figures)} MB allocated"


def highest() -> str:
    """Whether linear layers are what takes longest in eager."""
    own = [row for model, row in eager().items() if model.startswith("main")]
    says = held(all(row["cuda"] and row["cuda"][0]["name"] in ("aten::addmm", "aten::mm") for row in own))
    told = "; ".join(f"in {of(row)} {first(row['cuda'])}" for row in own)
    return f"{says}: on the card {told}"


def fastest() -> str:
    told = []
    for model, row in eager().items():
        mode, own = min(
            ((mode, own) for (one, mode), own in timed().items() if one == model),
            key=lambda pair: pair[1]["step_us"][0],
        )
        told.append(f"{model} {row['step_us'][0]:,.0f} us in eager, {own['step_us'][0]:,.0f} under {mode}")
    return "; ".join(told)


def compiled() -> str:
    """Graph breaks, recompilations and guards."""
    own = [row for (_, mode), row in timed().items() if mode != "eager" and "guards" in row]
    breaks, again = (sum(row[name] for row in own) for name in ("graph_breaks", "recompiles"))
    guards = {config: {row["guards"] for row in own if row["config"] == config} for config in ("small", "main")}
    told = ", ".join(f"{config} {' or '.join(map(str, sorted(counts)))}" for config, counts in guards.items())
    return f"{breaks} graph breaks and {again} recompilations in {len(own)} rows; guards: {told}"


def exported() -> str:
    found = [row for row in kept(RESULTS / "cpu.json").get("rows", ()) if row["name"].startswith("export ")]
    told = [f"`{row['interaction']}` {row['bytes'] / 1e6:.1f} MB, {row['difference']:.1e}" for row in found]
    return f"largest difference of onnxruntime from eager: {'; '.join(told)}" if told else "not measured"


@cache
def captures() -> tuple[Any, ...]:
    return tuple(talk_names.captures())


def named(name: str) -> str:
    """The kernels of that name in our captures."""
    told = []
    for capture in captures():
        launched = talk_names.meant(talk_names.TALK[name], talk_names.launched(capture))
        kernels = len({kernel.id for kernel, _ in launched})
        told.append(
            f"`{capture.name}` {kernels} kernel{'s' * (kernels != 1)} in {len(launched)} launch{'es' * (len(launched) != 1)}"
        )
    return ", ".join(told)


IMAGE = "an image"
EXPERIMENTS = (
    Experiment(
        "hash of Python lists, `index-list`",
        f'"`_forward_index_hash` is taking a lot of time"; {IMAGE}',
        partial(hashed, "index-list"),
        "each step makes 26 tensors of lists, and the card waits for them",
    ),
    Experiment(
        "lists on the device, `index-device`",
        f'"Index hash seems pretty expensive"; {IMAGE}',
        partial(hashed, "index-device"),
        "it compares each category with each value, in some kernels for each table",
    ),
    Experiment(
        "`modulus`",
        f'"Hashing is not the bottleneck anymore"; {IMAGE}',
        partial(hashed, "modulus"),
        "the host remains the bottleneck: it takes longer to launch a kernel than the card to run it",
    ),
    Experiment(
        "`loss.item()` in each step",
        f'"takes a lot of running time"; {IMAGE}',
        item,
        "`_local_scalar_dense` computes nothing: it waits for what was launched and copies 4 bytes. The card is little behind the host here",
    ),
    Experiment(
        "`CUDA_LAUNCH_BLOCKING=1`",
        f'"New distribution of ops"; {IMAGE}',
        blocked,
        "each launch then waits for its kernel, so waiting is charged to launches",
    ),
    Experiment(
        "`torch.compile`, utilization",
        f'"GPU utilization goes up"; {IMAGE}',
        partial(many, "busy", 1),
        "without a CUDA graph kernels get shorter by more than launches do, so the card is idle for a larger part of a shorter step",
    ),
    Experiment(
        "`torch.compile`, memory",
        f'"memory footprint goes down"; {IMAGE}',
        memory,
        "what a CUDA graph needs for its replay is reserved in a pool, not allocated",
    ),
    Experiment(
        "the same, in figures", f"1836 to 1427 MB, {IMAGE}", reserved, "what was counted can not be read from an image"
    ),
    Experiment(
        "the modes",
        "the talk has the default mode",
        fastest,
        "CUDA graphs remove the launches, which most of a small step is",
    ),
    Experiment(
        "breaks, recompilations, guards",
        "`TORCH_LOGS=recompiles,guards,graph_breaks`; no figures",
        compiled,
        "the model's shapes and tables are the same in each step",
    ),
    Experiment(
        "main in eager",
        f'"PredictionLayer is the highest"; {IMAGE}',
        highest,
        "its first layer reads 186,624 products a sample; `addmm` and `mm` are linear layers",
    ),
    Experiment(
        "kernels of the compiled main",
        f"31, {IMAGE}",
        lambda: f"not compared; of a forward {talk_names.counted(captures())}",
        "what was counted can not be read from an image",
    ),
    Experiment("`fused_relu`", "named", partial(named, "fused_relu"), "bias and ReLU behind each product"),
    Experiment(
        "`fused_cat`",
        "named",
        partial(named, "fused_cat"),
        "no kernel is a concatenation: each of the 27 parts is written into place by the kernel that computes it",
    ),
    Experiment(
        "`fused_embedding`",
        "named",
        partial(named, "fused_embedding"),
        "no lookup reads what another wrote, so none are merged",
    ),
    Experiment(
        "`fused_sigmoid_squeeze`",
        "named",
        partial(named, "fused_sigmoid_squeeze"),
        "a squeeze computes nothing, so no name of ours has it",
    ),
    Experiment(
        "ONNX export",
        f"the model's graph, {IMAGE}",
        exported,
        "the three interactions and the hash are standard operators",
    ),
)


def experiments() -> str:
    """Markdown: one row for each experiment of the talk."""
    run = results()["runs"][0]
    told = f"{run['card']}, torch {run['torch']}, triton {run['triton']}; tables of at most {run['cap']:,} rows; the export on a CPU."
    lines = [[one.what, one.talk, one.ours().replace("|", r"\|"), one.why] for one in EXPERIMENTS]
    return f"{table('experiment, the talk, ours on the H200, why', lines)}\n{told}\n"


# ---------------------------------------------------------------- what needs more columns


def items() -> str:
    """Markdown: what `loss.item()` in each step costs."""

    def cells(row: Row) -> list[str]:
        cost = [f"{row['item_us']:.0f}", f"{row['item_share']:.1%}", f"{launches(row):.0%}"]
        told = [f"{row['item_is']}, {row['item_waiting_share']:.0%}", f"{row['kernel_us']:,.0f}", step(row)]
        return [*cost, *told, *(within(*row[name], ",.0f") for name in ("without_us", "costs_us", "noise_us"))]

    lines = [[f"`{row['hash']}`", str(int(row["blocking"])), *line(row, cells)] for row in rows("item")]
    head = "hash, blocking, `.item()` in us, of operators, launches, it is, kernels' us, step in us, without it, costs, noise"
    return table(head, lines) if lines else "Not measured yet.\n"


def modes() -> str:
    """Markdown: the model under each of torch.compile's modes, and which of them contradict the talk."""

    def cells(row: Row) -> list[str]:
        figures = [step(row), f"{row['busy']:.0%}", f"{row['kernels']:.0f}", f"{row['kernel_us']:,.0f}"]
        memory = [megabytes(row[name]) for name in ("peak_allocated", "peak_reserved")]
        return [*figures, *memory, *(str(row.get(name, "")) for name in ("graph_breaks", "recompiles", "guards"))]

    lines = [[of(row), row["mode"], *line(row, cells)] for row in rows("modes")]
    head = (
        "model, mode, step in us, busy, kernels, kernels' us, MB allocated, reserved, graph breaks, recompiles, guards"
    )
    told = verdict('"GPU utilization goes up"', "busy", 1, "{:.0%}".format)
    told += verdict('"memory footprint goes down", in MB allocated', "peak_allocated", -1, megabytes)
    told += verdict('"memory footprint goes down", in MB reserved', "peak_reserved", -1, megabytes)
    return f"{table(head, lines)}\n{told}\n{left()}"


def megabytes(count: float) -> str:
    return f"{count / 1e6:,.0f}"


def verdict(says: str, name: str, sign: int, form: Callable[[float], str]) -> str:
    """Which compiled rows hold what the talk says of a figure, beside eager."""
    count, those = against(name, sign)
    named = [
        f"{model} {mode} ({form(eager()[model][name])} to {form(timed()[model, mode][name])})" for model, mode in those
    ]
    told = f"- {says}: held by {count - len(those)} of {count} compiled rows"
    return filled(f"{told}; contradicted by {', '.join(named)}." if named else f"{told}.", "  ")


def left() -> str:
    """What has no row yet."""
    done = [{name: row[name] for name in asdict(points(False)[0])} for row in results()["rows"]]
    missing = [row for row in map(asdict, points(False)) if row not in done]
    kinds = {"hash": "hashes", "item": "`.item()` with `{hash}`"}
    many = Counter(kinds.get(row["experiment"], of(row)).format(**row) for row in missing)
    told = ", ".join(f"{name} {count}" for name, count in many.items())
    return filled(f"Rows that are not measured yet: {told}." if many else "Every row was run.")


TABLES = {
    "dlrm_talk": experiments,
    "dlrm_item": items,
    "dlrm_modes": modes,
    "dlrm_names": lambda: talk_names.table(captures()),
}
