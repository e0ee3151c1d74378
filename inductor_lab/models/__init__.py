"""The built-in workloads: what there is to compile, at which sizes. Importing this module does not import torch.

    module, inputs = WORKLOADS["dlrm"].build("gpu", "fp32")
    module(*inputs)

Each workload is one file beside this one, readable on its own: a plain `nn.Module` and a function
`example(**size) -> (module, inputs)`. `build` seeds it, casts it and moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from inductor_lab.errors import LabError, unknown

if TYPE_CHECKING:
    import torch
    from torch import nn

Size = Mapping[str, object]

DTYPES = {"fp32": "float32", "bf16": "bfloat16"}
"""Our short name -> torch's name; a workload can be asked for by either."""


@dataclass(frozen=True)
class Workload:
    """A model, the sizes it comes in, and how to build it with inputs that it can run on."""

    name: str
    """The name on the command line, and of the module in this package."""
    summary: str
    """One line for `inductor-lab models`."""
    sizes: Mapping[str, Size]
    """Name -> keywords of the module's `example`. `laptop` is for Triton's interpreter (seconds), `gpu` for timing."""
    dtypes: tuple[str, ...] = ("fp32", "bf16")
    """What it can be built in; the first is the default."""
    trained_inputs: tuple[int, ...] = ()
    """Positions of the inputs that get a gradient in training: those that an earlier layer would compute."""

    def build(
        self,
        size: str = "gpu",
        dtype: str | torch.dtype | None = None,
        seed: int = 0,
        device: str | torch.device = "cpu",
        train: bool = False,
    ) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
        """A module and example inputs, the same ones for the same seed, whatever the device.

        With `train`, `module(*inputs)` gives outputs that `.float().sum().backward()` can be called on.
        The caller's random state is left as it was. Raises LabError for a size or a dtype that the workload lacks.
        """
        fields = self.sizes.get(size)
        if fields is None:
            raise LabError(f"{self.name} has no size {size!r}; it comes in {_listed(self.sizes)}.")
        torch_name = self._torch_dtype(dtype)

        import torch

        kind = getattr(torch, torch_name)
        example = import_module(f"{__name__}.{self.name}").example
        with torch.random.fork_rng(devices=[]):
            # Not torch.manual_seed: that one reseeds the caller's GPUs too.
            torch.default_generator.manual_seed(seed)
            module, inputs = example(**fields)
        module = module.to(device=device, dtype=kind).train(train)
        inputs = tuple(x.to(device=device, dtype=kind if x.is_floating_point() else None) for x in inputs)
        if train:
            for position in self.trained_inputs:
                inputs[position].requires_grad_()
        return module, inputs

    def _torch_dtype(self, dtype: str | torch.dtype | None) -> str:
        wanted = self.dtypes[0] if dtype is None else str(dtype).removeprefix("torch.")
        for short in self.dtypes:
            if wanted in (short, DTYPES[short]):
                return DTYPES[short]
        raise LabError(f"{self.name} cannot be built in {wanted!r}; it comes in {_listed(self.dtypes)}.")


def find_workload(name: str) -> Workload:
    """The workload of that name; LabError with the near names otherwise."""
    if name in WORKLOADS:
        return WORKLOADS[name]
    raise unknown(f"There is no workload {name!r}", name, WORKLOADS, f"there are {_listed(WORKLOADS)}.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


WORKLOADS: dict[str, Workload] = {
    workload.name: workload
    for workload in (
        Workload(
            "dlrm",
            "click prediction: dense MLP, 26 hashed embedding lookups, outer-product interaction, top MLP",
            {
                # Bottom 13-32-16 becomes 13-32-4: the interaction is (27 * 4)^2, not (27 * 16)^2.
                "laptop": {"batch": 4, "bottom": (13, 32, 4), "top": (16, 1), "tables": 26, "cardinality": 100},
                "small": {"batch": 128, "bottom": (13, 32, 16), "top": (16, 1), "tables": 26, "cardinality": 10_000},
                "gpu": {
                    "batch": 128,
                    "bottom": (13, 512, 256, 64, 16),
                    "top": (512, 256, 1),
                    "tables": 26,
                    "cardinality": 10_000,
                },
            },
        ),
        Workload(
            "lora_mlp",
            "an MLP of frozen linear layers, each with a trained low-rank correction",
            {
                "laptop": {"rows": 8, "widths": (16, 8, 4), "rank": 5, "scale": 0.5},
                "gpu": {"rows": 4096, "widths": (512, 1024, 1024, 256), "rank": 8, "scale": 0.5},
            },
        ),
        Workload(
            "rotary",
            "rotary position embedding of a query and a key, alone",
            {
                "laptop": {"batch": 2, "tokens": 16, "heads": 4, "kv_heads": 4, "head_dim": 8},
                "gpu": {"batch": 4, "tokens": 1024, "heads": 16, "kv_heads": 16, "head_dim": 64},
                "gqa": {"batch": 1, "tokens": 8192, "heads": 32, "kv_heads": 8, "head_dim": 128},
            },
            trained_inputs=(0, 1),
        ),
        Workload(
            "rotary_attention",
            "causal self-attention with rotary position embedding, multi-head or grouped-query",
            {
                "laptop": {"batch": 2, "tokens": 16, "dim": 32, "heads": 4, "kv_heads": 4},
                "laptop_gqa": {"batch": 2, "tokens": 16, "dim": 32, "heads": 4, "kv_heads": 2},
                "gpu": {"batch": 4, "tokens": 1024, "dim": 1024, "heads": 16, "kv_heads": 16},
                "gqa": {"batch": 4, "tokens": 1024, "dim": 1024, "heads": 16, "kv_heads": 4},
            },
            trained_inputs=(0,),
        ),
        Workload(
            "sparse_ffn",
            "a feed-forward layer that gathers only the neurons a router chose",
            {
                "laptop": {"tokens": 4, "dim": 16, "neurons": 64, "active": 16},
                "gpu": {"tokens": 64, "dim": 1024, "neurons": 4096, "active": 1024},
                # One token through Llama-2 7B's widths, 90 % of the neurons left out.
                "token": {"tokens": 1, "dim": 4096, "neurons": 11_008, "active": 1101},
            },
            trained_inputs=(0,),
        ),
    )
}
"""Every built-in workload, by name."""
