"""DLRM trained on a log of clicks: `python -m inductor_lab.models.dlrm_train --config small --rows 20000`."""
