"""What a person would call each kernel, recognised from what its body computes: `residual add + rms_norm, 4,096 rows of 2,048 bf16`.

Where nothing has a name, the title is the expression over the model's own names, cut into named parts where it is long.
"""

from __future__ import annotations

from inductor_lab.annotate.naming.titles import Namer, Naming

__all__ = ["Namer", "Naming"]
