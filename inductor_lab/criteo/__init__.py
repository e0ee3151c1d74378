"""Click logs as Criteo publishes them: read as a torch data set, generated as a sample, converted from Kaggle's text.

    log = ClickLog("clicks.parquet")                        # inductor_lab.criteo.reader
    labels, dense, sparse = next(batches(log, 2))           # [2], [2, 13], [2, 26]

`python -m inductor_lab.criteo` has all of it. It needs pyarrow: `pip install 'inductor_lab[dlrm]'`.
"""
