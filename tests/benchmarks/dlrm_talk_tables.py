"""The talk's experiments beside ours, in tests/benchmarks/results/dlrm/talk.md from talk.json beside it; `dlrm_tables.py` writes them.

What the talk says is quoted from its text; most of its figures are images. Whether it holds is taken from the rows, so rows to come may change it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from dlrm_tables import RESULTS, filled, table, within
from dlrm_talk import points

Row = dict[str, Any]
HASHES = {
    "index-list": '"`_forward_index_hash` is taking a lot of time"',
    "index-device": '"Index hash seems pretty expensive"',
    "modulus": '"Hashing is not the bottleneck anymore"',
}
"""Hash -> the talk's words beside its profile."""
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


def hashes() -> str:
    """Markdown: a training step with each hash."""

    def cells(row: Row) -> list[str]:
        says = held((row["hash_share"] >= LOT) == (row["hash"] != "modulus"))
        figures = [step(row), f"{row['wall_profiled_us']:,.0f}", f"{row['hash_share']:.1%}"]
        figures += [f"{row['kernels']:.0f}", f"{row['busy']:.1%}", first(row["cpu"]), first(row["cuda"])]
        return [*figures, f"{HASHES[row['hash']]}, {says}; an image"]

    lines = [[f"`{row['hash']}`", *line(row, cells)] for row in rows("hash")]
    run = results()["runs"][0]
    told = f"{run['card']}, torch {run['torch']}, triton {run['triton']}; tables of at most {run['cap']:,} rows."
    head = "hash, step in us, profiled, the hash, kernels, busy, longest on the host, longest on the card, the talk"
    return f"{table(head, lines)}\n{told}\n"


def item() -> str:
    """Markdown: what `loss.item()` in each step costs."""

    def cells(row: Row) -> list[str]:
        of_step = row["item_us"] / row["wall_profiled_us"]
        launches = sum(one["share"] for one in row["cpu"] if one["name"] == "cudaLaunchKernel")
        cost = [f"{row['item_us']:.0f}", f"{row['item_share']:.1%}", f"{of_step:.2%}", f"{launches:.0%}"]
        return [*cost, f"{row['item_is']}, {row['item_waiting_share']:.0%}", f"{row['kernel_us']:,.0f}", step(row)]

    found = {(row["hash"], row["blocking"], row["item"]): row for row in rows("item")}
    lines = []
    for (name, blocking, asks), row in found.items():
        if asks:
            without = found.get((name, blocking, False), {"failed": "no row"})
            says = held(row.get("item_share", 0) >= LOT)
            talk = "a new distribution, an image" if blocking else f'"takes a lot of running time", {says}; an image'
            lines.append(
                [f"`{name}`", str(int(blocking)), *line(row, cells), *line(without, lambda row: [step(row)]), talk]
            )
    head = "hash, blocking, `.item()` in us, of operators, of the step, launches, it is, kernels' us, step in us, without it, the talk"
    return table(head, lines)


def of(row: Row) -> str:
    return f"{row['config']} {'training' if row['training'] else 'inference'}"


def modes() -> str:
    """Markdown: the model under each of torch.compile's modes, and the talk's sentences on it."""

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
    for row in rows("modes"):
        if (row["config"], row["mode"]) == ("main", "eager") and "failed" not in row:
            view = f'"PredictionLayer is the highest", {of(row)} in eager, on the card: {first(row["cuda"])}.'
            told += filled(f"- {view}", "  ")
    return f"{table(head, lines)}\n{told}\n{left()}"


def megabytes(count: float) -> str:
    return f"{count / 1e6:,.0f}"


def verdict(says: str, name: str, sign: int, form: Callable[[float], str]) -> str:
    """Which compiled rows hold what the talk says of a figure, beside eager."""
    timed = {(of(row), row["mode"]): row[name] for row in rows("modes") if "failed" not in row}
    eager = {model: value for (model, mode), value in timed.items() if mode == "eager"}
    compiled = {key: value for key, value in timed.items() if key[1] != "eager" and key[0] in eager}
    against = [
        f"{model} {mode} ({form(eager[model])} to {form(value)})"
        for (model, mode), value in compiled.items()
        if sign * (value - eager[model]) <= SAME * eager[model]
    ]
    told = f"- {says}: held by {len(compiled) - len(against)} of {len(compiled)} compiled rows"
    return filled(f"{told}; contradicted by {', '.join(against)}." if against else f"{told}.", "  ")


def left() -> str:
    """What has no row yet."""
    done = [{name: row[name] for name in asdict(points(False)[0])} for row in results()["rows"]]
    missing = [row for row in map(asdict, points(False)) if row not in done]
    kinds = {"hash": "hashes", "item": "`.item()` with `{hash}`"}
    many = Counter(kinds.get(row["experiment"], of(row)).format(**row) for row in missing)
    told = ", ".join(f"{name} {count}" for name, count in many.items())
    return filled(f"Rows that are not measured yet: {told}." if many else "Every row was run.")


TABLES = {"dlrm_hashes": hashes, "dlrm_item": item, "dlrm_modes": modes}
