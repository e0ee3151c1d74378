"""DLRM as a file for other runtimes: `python -m inductor_lab.models.dlrm_onnx --config small --interaction outer -o outer.onnx`.

What is written was run by onnxruntime, at other batches than it was exported with, and computes what eager computes.
"""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn

from inductor_lab.criteo.format import DENSE, SPARSE, Table, digest, whole
from inductor_lab.errors import LabError
from inductor_lab.models.dlrm_talk import IndexList
from inductor_lab.models.dlrm_train.configuration import Configuration

NEEDS = ("onnx", "onnxscript", "onnxruntime")
BATCHES = (1, 77)
"""Rows that the file is checked with; it is exported with `EXPORTED`."""
EXPORTED = 3
MOST = 2**31 - 1
"""Bytes of a protobuf message, which a file of ONNX is one of."""


class OfCounts(nn.Module):
    """A model of log(1 + count), behind the counts themselves: what the training does before the model belongs to the file."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, dense: Tensor, sparse: Tensor) -> Tensor:
        """As the model's."""
        return self.model(dense.clamp(min=0).log1p(), sparse)


UNSHAPED = ("hash", "interaction", "bottom_relu", "log_counts")
"""Of a configuration: what the parameters' shapes do not tell."""


def load(model: nn.Module, checkpoint: Path, configuration: Configuration, tables: Sequence[Table]) -> None:
    """Give the model of this configuration and tables the parameters that `dlrm_train --checkpoint` kept.

    Raises:
        LabError: it is no checkpoint, or one of another model.
    """
    try:
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)
        trained = {name: state["configuration"][name] for name in UNSHAPED}
        model.load_state_dict(state["model"])
    except OSError as error:
        raise LabError(f"Can not read the checkpoint {checkpoint}: {error.strerror}.") from error
    except Exception as error:  # torch.load says in many ways that a file is none of its own
        raise LabError(
            f"{checkpoint} is no checkpoint of this configuration and these tables, or a broken one."
        ) from error
    for name, was in trained.items():
        if was != (asked := getattr(configuration, name)):
            raise LabError(f"{checkpoint} was trained with {name} {was!r}, and not {asked!r}: ask for the same.")
    if configuration.hash != "modulus" and state.get("log", {}).get("metadata") != digest(tables):
        raise LabError(f"{checkpoint} was trained with other tokenizer_values: name its own metadata.")


def export(model: nn.Module, path: Path) -> float:
    """Write the model, for any batch, and return how far onnxruntime is from eager at most, as a probability.

    The file takes `dense` [batch, 13] float32 and `sparse` [batch, 26] int64, and gives `click` [batch].

    Raises:
        LabError: a package is missing, the model is too large, onnxruntime computes something else, or it can not be written there. There
            is no file then, or the one that was there before.
    """
    for name in NEEDS:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise LabError(f"The export needs {name}: pip install 'inductor_lab[onnx]'.") from error
    if (size := _bytes(model)) > MOST:
        raise LabError(
            f"Parameters and hash take {size / 1e9:.1f} GB, and a file of ONNX holds 2.1 GB: cap the tables."
        )
    model.eval()
    batch = torch.export.Dim("batch")
    with whole(path) as (file,), _quiet():
        program = torch.onnx.export(
            model,
            _example(EXPORTED),
            dynamo=True,
            dynamic_shapes={"dense": {0: batch}, "sparse": {0: batch}},
            input_names=["dense", "sparse"],
            output_names=["click"],
            verbose=False,
        )
        program.save(file)
        return max(_difference(model, file, rows) for rows in BATCHES)


def _bytes(model: nn.Module) -> int:
    """Of what the file holds: also of what no checkpoint does, a hash's values, 8 bytes each where they are a list."""
    lists = [values for part in model.modules() if isinstance(part, IndexList) for values in part.tokenizer_values]
    return sum(value.nbytes for value in (*model.parameters(), *model.buffers())) + 8 * sum(map(len, lists))


def _difference(model: nn.Module, file: Path, rows: int) -> float:
    import onnxruntime

    dense, sparse = _example(rows)
    with torch.no_grad():
        expected = model(dense, sparse)
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    (click,) = session.run(["click"], {"dense": dense.numpy(), "sparse": sparse.numpy()})
    found = torch.from_numpy(click)
    try:
        torch.testing.assert_close(found, expected)  # with its limits for float32
    except AssertionError as error:
        raise LabError(f"onnxruntime does not compute what eager does: {' '.join(str(error).split())}") from error
    return (found - expected).abs().max().item()


def _example(rows: int) -> tuple[Tensor, Tensor]:
    """Counts, also none, and categories of 32 bits: the same for the same number of rows."""
    random = torch.Generator().manual_seed(rows)
    dense = torch.randint(0, 3, (rows, len(DENSE)), generator=random).float()
    return dense, torch.randint(0, 2**32, (rows, len(SPARSE)), generator=random)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the exporter's words on its own code and on torchvision."""
    log = logging.getLogger("torch.onnx._internal.exporter._registration")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)
