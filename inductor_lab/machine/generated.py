"""Compile a captured kernel straight from its text: no file, no reference, no inputs, for any target.

What Triton has to be told beside the text (types, constants, which arguments are divisible by 16) stands in the decorator; blocks and
warps are those that Inductor tries first on the card.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inductor_lab.bind.blocks import Configuration
from inductor_lab.bind.heuristics import configuration
from inductor_lab.errors import LabError
from inductor_lab.gpus import GPUS, Card, card_of
from inductor_lab.machine.inspection import COMPILED, machine_code, need_stage, printed
from inductor_lab.machine.source import Source, compilable
from inductor_lab.machine.targets import Target, target_named
from inductor_lab.machine.triton_private import Compiled, compile_text, message_of, need_triton
from inductor_lab.records import Kernel, MachineCode

DIVISIBLE = ["tt.divisibility", 16]


def inspect_kernel(kernel: Kernel, gpu: str = "h200", choices: Mapping[str, int] | None = None) -> MachineCode:
    """Compile a captured kernel for `gpu`, a name of gpus.GPUS or an architecture; no GPU is needed.

    Args:
        choices: Blocks, `num_warps` and `num_stages` to take in the place of Inductor's: `{"XBLOCK": 512}`.

    Raises:
        LabError: an unknown GPU, a missing Triton or torch, a text that tells too little, a kernel that does not compile.
    """
    _, compiled = compile_kernel(kernel, gpu, choices)
    constants = {name: value for name, value in compiled.constants.items() if not name.endswith("numel")}
    return replace(machine_code(compiled, gpu, target_named(gpu)), kernel=kernel.name, constants=constants)


def code_of_kernel(kernel: Kernel, gpu: str = "h200", stage: str = "", choices: Mapping[str, int] | None = None) -> str:
    """The code of a captured kernel at a stage of its compilation: `source`, `ttir`, `ttgir`, `llir`, `ptx`, `sass`; `amdgcn` for AMD.

    Args:
        stage: The card's machine code unless given, `sass` or `amdgcn`.

    Raises:
        LabError: as `inspect_kernel`, or there is no such stage for the card, or the tools that print it are missing.
    """
    target = target_named(gpu)
    stage = stage or COMPILED[target.backend][-1]
    need_stage(stage, target)
    if stage == "source":
        return kernel.text
    _, compiled = compile_kernel(kernel, gpu, choices)
    return printed(compiled.assembly, stage)


def compile_kernel(kernel: Kernel, gpu: str, choices: Mapping[str, int] | None = None) -> tuple[Source, Compiled]:
    """Compile a captured kernel: the text that was compiled, and what came of it.

    Raises:
        LabError: as `inspect_kernel`.
    """
    target = target_named(gpu)
    need_triton()
    where = f"{kernel.id} ({kernel.name})"
    try:
        source = compilable(kernel.text)
        chosen = _with(configuration(kernel, _card(gpu, target)), choices or {})
    except (LabError, ValueError) as error:
        raise LabError(f"{where} can not be compiled: {error}") from error
    meta = kernel.meta.get("triton_meta")
    triton_meta = meta if isinstance(meta, Mapping) else {}
    if chosen is None:
        raise LabError(f"{where} can not be compiled: its text tells no size to choose blocks by")
    if "inline_asm_elementwise(" in source.text and _backend(triton_meta) != target.backend:
        # Not left to the compiler: LLVM ends the whole process.
        raise LabError(
            f"{where} can not be compiled for {target.name}: it holds assembly that was written for another maker's cards"
        )
    constants = _constants(kernel, source, triton_meta, chosen)
    signature = _signature(source, triton_meta, constants)
    if missing := [
        name for name, kind in signature.items() if not kind or (kind == "constexpr" and name not in constants)
    ]:
        raise LabError(f"{where} can not be compiled: its text does not tell the type or value of {', '.join(missing)}")
    facts = {place: told for place, told in _facts(source, triton_meta).items() if signature[place] != "constexpr"}
    try:
        options = _options(kernel, triton_meta, chosen)
        return source, compile_text(source, signature, constants, facts, options, target)
    except LabError:
        raise
    except Exception as error:
        raise LabError(f"Triton can not compile {where} for {target.name}: {message_of(error)}") from error


def _with(found: Configuration | None, choices: Mapping[str, int]) -> Configuration | None:
    """A configuration with some of its values chosen otherwise."""
    if found is None or not choices:
        return found
    every = {**found.constants, "num_warps": found.num_warps, "num_stages": found.num_stages}
    if unknown := sorted(set(choices) - set(every)):
        raise LabError(f"it has no {', '.join(unknown)} to choose; it has {', '.join(every)}")
    constants = {name: choices.get(name, value) for name, value in found.constants.items()}
    return Configuration(
        constants, choices.get("num_warps", found.num_warps), choices.get("num_stages", found.num_stages)
    )


def _card(gpu: str, target: Target) -> Card:
    return GPUS.get(gpu.lower()) or card_of("", target.name)


def _backend(triton_meta: Mapping[str, Any]) -> str:
    """What the text was generated for."""
    device = triton_meta.get("device")
    return "hip" if isinstance(device, Mapping) and device.get("type") == "hip" else "cuda"


def _by_name(source: Source, table: object) -> dict[str, Any]:
    """A table of the decorator, whose keys are names or, before 2.5, positions."""
    if not isinstance(table, Mapping):
        return {}
    names = {str(position): name for position, name in enumerate(source.parameters)}
    return {names.get(str(key), str(key)): value for key, value in table.items()}


def _constants(
    kernel: Kernel, source: Source, triton_meta: Mapping[str, Any], chosen: Configuration
) -> dict[str, object]:
    given = {**source.defaults, **_by_name(source, triton_meta.get("constants")), **chosen.constants}
    ones = dict.fromkeys(_listed(source, triton_meta, "equal_to_1", "tt.equal_to"), 1)
    special = {"num_warps": chosen.num_warps, "num_stages": chosen.num_stages}
    signature = _by_name(source, triton_meta.get("signature"))
    compiled_in = {argument.name for argument in kernel.arguments if argument.role == "constexpr"}
    compiled_in |= {name for name, kind in signature.items() if kind == "constexpr"}
    told = set(_by_name(source, triton_meta.get("constants")))
    everything = {**special, **given, **ones}
    return {
        name: everything[name]
        for name in source.parameters
        if name in everything and (name in compiled_in or name in told or name in ones or name not in signature)
    }


def _signature(source: Source, triton_meta: Mapping[str, Any], constants: Mapping[str, object]) -> dict[str, str]:
    """Triton's words for the types, in the order of the parameters; empty where the text does not tell."""
    told = _by_name(source, triton_meta.get("signature"))
    return {name: "constexpr" if name in constants else str(told.get(name, "")) for name in source.parameters}


def _first(triton_meta: Mapping[str, Any]) -> Mapping[str, Any]:
    """The facts on the arguments: `configs` is a list of one."""
    configs = triton_meta.get("configs")
    first = configs[0] if isinstance(configs, list) and configs else {}
    return first if isinstance(first, Mapping) else {}


def _listed(source: Source, triton_meta: Mapping[str, Any], *keys: str) -> list[str]:
    """Parameters in a list of `instance_descriptor(divisible_by_16=(0, 1))` (2.0 to 2.4) or of AttrsDescriptor's properties (2.5, 2.6)."""
    first = _first(triton_meta)
    tables = [first, first.get("arg_properties")]
    lists = [table.get(key) for table in tables if isinstance(table, Mapping) for key in keys]
    places = [place for one in lists if isinstance(one, list) for place in one if isinstance(place, int)]
    return [source.parameters[place] for place in places if place < len(source.parameters)]


def _facts(source: Source, triton_meta: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """What is known of each argument: `{"in_ptr0": [["tt.divisibility", 16]]}`."""
    facts = {name: [DIVISIBLE] for name in _listed(source, triton_meta, "divisible_by_16", "tt.divisibility")}
    for place, told in _first(triton_meta).items():  # 2.7 and later: {(0,): [['tt.divisibility', 16]]}
        position = re.fullmatch(r"[\[(](\d+),?[\])]", str(place))
        if position and isinstance(told, list) and int(position[1]) < len(source.parameters):
            facts[source.parameters[int(position[1])]] = told
    return facts


def _options(kernel: Kernel, triton_meta: Mapping[str, Any], chosen: Configuration) -> dict[str, object]:
    """As `_create_compile_options` of torch/_inductor/runtime/triton_heuristics.py, 2.13; backends take those that they know."""
    inductor_meta = kernel.meta.get("inductor_meta")
    told = inductor_meta if isinstance(inductor_meta, Mapping) else {}
    options: dict[str, object] = {
        "num_warps": chosen.num_warps,
        "num_stages": chosen.num_stages,
        "debug": bool(told.get("assert_indirect_indexing", True)) and not told.get("is_hip", False),
        "sanitize_overflow": False,
        "launch_cooperative_grid": bool(triton_meta.get("launch_cooperative_grid", False)),
        "launch_pdl": bool(triton_meta.get("launch_pdl", False)),
    }
    if "enable_fp_fusion" in triton_meta:
        options["enable_fp_fusion"] = triton_meta["enable_fp_fusion"]
    if triton_meta.get("disable_ftz"):
        options["enable_reflect_ftz"] = False
    return options
