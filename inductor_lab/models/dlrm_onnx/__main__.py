"""`python -m inductor_lab.models.dlrm_onnx`: the command line of the export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inductor_lab.cli import main, output
from inductor_lab.models.dlrm_train.__main__ import Hash, Interaction, Json, LogCounts

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def export(
    file: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.onnx", help="Where to write.")],
    config: Annotated[
        str, typer.Option("--config", metavar="small|main|FILE.json", help="Widths, hash, seed.")
    ] = "small",
    metadata: Annotated[
        Path | None, typer.Option("--metadata", metavar="FILE.json", help="A log's tables; Kaggle's, capped, without.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", metavar="FILE", help="Trained parameters; the seed's without.")
    ] = None,
    interaction: Interaction = None,
    hash_: Hash = None,
    log_counts: LogCounts = None,
    json: Json = False,
) -> None:
    """Export the talk's DLRM to ONNX, for any batch, held to onnxruntime's result."""
    from inductor_lab.criteo.format import Table, read_metadata
    from inductor_lab.criteo.sample import CAP, KAGGLE
    from inductor_lab.models import dlrm_onnx
    from inductor_lab.models.dlrm_train import configuration as configurations

    tables = read_metadata(metadata) if metadata else [Table(min(size, CAP), []) for size in KAGGLE]
    configuration = configurations.read(config, interaction=interaction, hash=hash_, log_counts=log_counts)
    model = configurations.build(configuration, tables)
    if checkpoint:
        dlrm_onnx.load(model, checkpoint, configuration, tables)
    difference = dlrm_onnx.export(dlrm_onnx.OfCounts(model) if configuration.log_counts else model, file)
    if json:
        output.document({"file": str(file), "bytes": file.stat().st_size, "difference": difference})
        return
    output.line(
        f"{file}: {configuration.interaction}, {file.stat().st_size / 1e6:,.1f} MB; "
        f"onnxruntime is {difference:.1e} from eager at most"
    )


if __name__ == "__main__":
    main(app=app, name="python -m inductor_lab.models.dlrm_onnx")
