"""What a training is of: layer widths, batch, learning rate, hash and interaction, from a JSON file; and the model that it says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch

from inductor_lab.criteo.format import DENSE, SPARSE, Table
from inductor_lab.errors import LabError, unknown
from inductor_lab.models.dlrm_talk import HASHES, INTERACTIONS, IndexDevice, IndexList, Modulus, TalkDLRM

HERE = Path(__file__).parent
SHIPPED = ("small", "main")
"""Names of the configurations beside this file: the talk's two."""


@dataclass(frozen=True)
class Configuration:
    """One JSON file.

    Raises:
        LabError: a value makes no sense.
    """

    bottom: tuple[int, ...]
    """Widths of the dense layers, from 13 counts to the embedding dimension."""
    top: tuple[int, ...]
    """Widths of the layers behind the interaction, the last one 1."""
    batch: int
    learning_rate: float = 0.1
    hash: str = "modulus"
    interaction: str = "outer"
    bottom_relu: bool = False
    """A ReLU behind the last dense layer."""
    log_counts: bool = False
    """Dense features are log(1 + count), as in DLRM's own code, a negative count as 0; the talk gives the counts themselves."""
    seed: int = 0
    """Of the parameters, and of the order of the rows."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value, kind = getattr(self, field.name), field.type
            if not _is(value, str(kind)):
                raise LabError(f"{field.name} is {value!r}, and has to be {KINDS[str(kind)]}.")
        if self.bottom[0] != len(DENSE) or self.top[-1] != 1:
            raise LabError(
                f"bottom begins with {len(DENSE)} and top ends with 1, and not with {self.bottom[0]} and {self.top[-1]}."
            )
        if self.batch < 1 or self.learning_rate <= 0 or self.seed < 0 or min(self.bottom + self.top) < 1:
            raise LabError("Widths, batch and learning rate are above 0, and a seed is not below.")
        for name, known in (("hash", HASHES), ("interaction", tuple(INTERACTIONS))):
            if getattr(self, name) not in known:
                raise LabError(f"There is no {name} {getattr(self, name)!r}; there are {', '.join(known)}.")


KINDS = {
    "tuple[int, ...]": "a list of whole numbers",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "a text",
}
"""Type of a field -> what it is in JSON."""


def _is(value: Any, kind: str) -> bool:
    if kind == "tuple[int, ...]":
        return isinstance(value, tuple) and len(value) > 0 and all(type(width) is int for width in value)
    return type(value).__name__ == kind or (kind == "float" and type(value) is int)


def read(name: str, **asked: Any) -> Configuration:
    """The configuration of that name or in that file, with what is `asked` for and not None in the place of what it says.

    Raises:
        LabError: there is none, it is no JSON, has other fields or misses some.
    """
    path = HERE / f"{name}.json" if name in SHIPPED else Path(name)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise unknown(
            f"There is no configuration {name!r}",
            name,
            SHIPPED,
            f"there are {', '.join(SHIPPED)}, or name a JSON file.",
        ) from error
    except ValueError as error:
        raise LabError(f"{path} is no JSON: {error}.") from error
    known = [field.name for field in fields(Configuration)]
    if not isinstance(said, dict) or (other := set(said) - set(known)):
        what = f"has a field {min(other)!r}" if isinstance(said, dict) else "is no object"
        raise LabError(f"{path} {what}; a configuration has {', '.join(known)}.")
    said |= {field: value for field, value in asked.items() if value is not None}
    if lacking := {"bottom", "top", "batch"} - set(said):
        raise LabError(f"{path} does not say {', '.join(sorted(lacking))}.")
    try:
        return Configuration(
            **{field: tuple(value) if isinstance(value, list) else value for field, value in said.items()}
        )
    except LabError as error:
        raise LabError(f"{path}: {error}") from None


def build(configuration: Configuration, tables: Sequence[Table]) -> TalkDLRM:
    """The model, the same parameters for the same seed; the caller's random state is left as it was.

    Raises:
        LabError: the hash needs a table's values, and the metadata has none.
    """
    cardinalities = [table.cardinality for table in tables]
    if configuration.hash == "modulus":
        hash_: torch.nn.Module = Modulus(cardinalities)
    else:
        for name, table in zip(SPARSE, tables, strict=True):
            if not table.tokenizer_values:
                raise LabError(
                    f"The metadata has no tokenizer_values of {name}, which the hash {configuration.hash} looks for: use modulus."
                )
        hash_ = {"index-list": IndexList, "index-device": IndexDevice}[configuration.hash](
            [table.tokenizer_values for table in tables]
        )
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(configuration.seed)
        return TalkDLRM(
            hash_,
            cardinalities,
            configuration.bottom,
            configuration.top,
            interaction=configuration.interaction,
            bottom_relu=configuration.bottom_relu,
        )
