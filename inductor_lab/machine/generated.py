"""Compile a captured kernel straight from its text: no file, no reference, no inputs, for any target.

What Triton has to be told beside the text (types, constants, which arguments are divisible by 16) stands in the decorator; blocks and
warps are those that Inductor tries first on the card.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from inductor_lab.bind.blocks import Configuration, as_dict
from inductor_lab.bind.heuristics import configuration
from inductor_lab.errors import LabError
from inductor_lab.gpus import card_of
from inductor_lab.machine.inspection import COMPILED, machine_code, need_stage, printed
from inductor_lab.machine.source import Source, compilable
from inductor_lab.machine.targets import target_named
from inductor_lab.machine.triton_private import Compiled, compile_text, message_of, need_triton
from inductor_lab.records import Kernel, MachineCode

ArgumentFacts = dict[str, list[list[Any]]]
"""Parameter -> what Triton is told of it: `{"in_ptr0": [["tt.divisibility", 16]]}`."""
DIVISIBLE, IS_ONE = ["tt.divisibility", 16], ["tt.equal_to", 1]
LISTED = {"divisible_by_16": DIVISIBLE, "tt.divisibility": DIVISIBLE, "equal_to_1": IS_ONE, "tt.equal_to": IS_ONE}


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
        chosen = _with(configuration(kernel, card_of(gpu, target.name)), choices or {})
    except (LabError, ValueError) as error:
        raise LabError(f"{where} can not be compiled: {error}") from error
    triton_meta = as_dict(kernel.meta.get("triton_meta"))
    if chosen is None:
        raise LabError(f"{where} can not be compiled: its text tells no size to choose blocks by")
    if "inline_asm_elementwise(" in source.text and _backend(triton_meta) != target.backend:
        # Not left to the compiler: LLVM ends the whole process.
        raise LabError(
            f"{where} can not be compiled for {target.name}: it holds assembly that was written for another maker's cards"
        )
    facts = _facts(source, triton_meta)
    constants = _constants(kernel, source, triton_meta, chosen, facts)
    types = _by_name(
        source, triton_meta.get("signature")
    )  # Triton's words for them; empty where the text does not tell
    signature = {name: "constexpr" if name in constants else str(types.get(name, "")) for name in source.parameters}
    if missing := [
        name for name, kind in signature.items() if not kind or (kind == "constexpr" and name not in constants)
    ]:
        raise LabError(f"{where} can not be compiled: its text does not tell the type or value of {', '.join(missing)}")
    facts = {name: told for name, told in facts.items() if signature[name] != "constexpr"}
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


def _backend(triton_meta: Mapping[str, Any]) -> str:
    """What the text was generated for."""
    return "hip" if as_dict(triton_meta.get("device")).get("type") == "hip" else "cuda"


def _by_name(source: Source, table: object) -> dict[str, Any]:
    """A table of the decorator, whose keys are names or, before 2.5, positions."""
    names = {str(position): name for position, name in enumerate(source.parameters)}
    return {names.get(str(key), str(key)): value for key, value in as_dict(table).items()}


def _constants(
    kernel: Kernel, source: Source, triton_meta: Mapping[str, Any], chosen: Configuration, facts: ArgumentFacts
) -> dict[str, object]:
    told = _by_name(source, triton_meta.get("constants"))
    ones = {name: 1 for name, known in facts.items() if IS_ONE in known}
    signature = _by_name(source, triton_meta.get("signature"))
    compiled_in = {argument.name for argument in kernel.arguments if argument.role == "constexpr"}
    compiled_in |= {name for name, kind in signature.items() if kind == "constexpr"} | told.keys() | ones.keys()
    warps = {"num_warps": chosen.num_warps, "num_stages": chosen.num_stages}
    everything = {**warps, **source.defaults, **told, **chosen.constants, **ones}
    return {
        name: everything[name]
        for name in source.parameters
        if name in everything and (name in compiled_in or name not in signature)
    }


def _facts(source: Source, triton_meta: Mapping[str, Any]) -> ArgumentFacts:
    """What is known of each argument.

    It stands at its place, `{(0,): [['tt.divisibility', 16]]}` (2.7 and later), or each fact has a list of places: of
    `instance_descriptor(divisible_by_16=(0, 1))` (2.0 to 2.4), or of AttrsDescriptor's properties (2.5, 2.6).
    """
    configs = triton_meta.get("configs")  # a list of one
    first = as_dict(configs[0]) if isinstance(configs, list) and configs else {}
    found: ArgumentFacts = {}
    for key, told in {**first, **as_dict(first.get("arg_properties"))}.items():
        own = re.fullmatch(r"[\[(](\d+),?[\])]", str(key))
        if isinstance(told, list) and (own or key in LISTED):
            for place in [int(own[1])] if own else told:
                if isinstance(place, int) and place < len(source.parameters):
                    found.setdefault(source.parameters[place], []).extend(told if own else [LISTED[key]])
    return found


def _options(kernel: Kernel, triton_meta: Mapping[str, Any], chosen: Configuration) -> dict[str, object]:
    """As `_create_compile_options` of torch/_inductor/runtime/triton_heuristics.py, 2.13; backends take those that they know."""
    told = as_dict(kernel.meta.get("inductor_meta"))
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
