"""The launch grid, how many programs a launch has along x, y and z: what the launch states, else as Inductor's launcher counts them.

It states sizes behind its arguments (2.7 on), or `grid=`, up to 2.6: numbers, a template's function of sizes and of the template's constants
(`meta0`), or a function that the module defines above the launch. The text is read and never run.

    triton_tem_fused_mm_3.run(buf2, arg2_1, buf4, grid=torch._inductor.kernel.mm_common.mm_grid(9, 96, meta0), stream=stream0)

Of a template it is told over the blocks of its body besides, `(triton.cdiv(256, BLOCK_M) * ..., 1, 1)`, so that an edited block counts.
"""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inductor_lab.eject import sizes
from inductor_lab.eject.binding import configuration as config
from inductor_lab.eject.binding.plan import Plan
from inductor_lab.eject.triton.block_layout import grid_of
from inductor_lab.errors import LabError
from inductor_lab.records.size import Size, number, substituted

_BLOCKS = "cdiv(m, BLOCK_M) * cdiv(n, BLOCK_N)"
FUNCTIONS: dict[tuple[str, str], str] = {
    ("mm_common.mm_grid", "m n"): f"({_BLOCKS}, 1, 1)",
    ("mm_common.persistent_grid", "m n"): f"(min(NUM_SMS, {_BLOCKS}), 1, 1)",
    ("mm_common.persistent_mm_grid", "m n"): f"(min(NUM_SMS, {_BLOCKS}), 1, 1)",
    ("bmm.bmm_grid", "b m n"): f"({_BLOCKS}, b, 1)",
    ("conv.conv_grid", "n c h w"): "(cdiv(n * h * w, BLOCK_M), cdiv(c, BLOCK_N), GROUPS)",
    ("conv.conv2d_grid", "n c h w"): "(cdiv(n * h * w, BLOCK_M), cdiv(c, BLOCK_N), GROUPS)",
    ("conv.conv3d_grid", "n c d h w"): "(cdiv(n * d * h * w, BLOCK_M), cdiv(c, BLOCK_N), GROUPS)",
    ("flex_attention.flex_attention_grid", "b h q d"): "(cdiv(q, BLOCK_M), b * h, 1)",
    ("flex_attention.flex_attention_backward_grid", "b h q d k"): "(cdiv(q, BLOCK_M2) + cdiv(k, BLOCK_N1), 1, b * h)",
    ("flex_attention.flex_attention_backward_grid", "b h q d g k"): "(cdiv(q, BLOCK_M2) * (h // g) + cdiv(k, BLOCK_N1), 1, b * g)",
    ("flex_decoding.flex_decoding_grid", "b h k d"): "(b * h, SPLIT_KV, 1)",
    ("flex_decoding.flex_decoding_grid", "b g r k d"): "(b * g, SPLIT_KV, 1)",
}  # fmt: skip
"""(a function of torch/_inductor/kernel/, what it is given before the constants) -> the grid (mm_common.py, bmm.py, conv.py,
flex_attention.py and flex_decoding.py, 2.1 to 2.6). Capitals are constants of the template."""
KERNELS = "torch._inductor.kernel."
_CALLED = {"cdiv": "triton.cdiv", **{name: name for name in ("min", "max", "Min", "Max", "FloorDiv", "CeilDiv")}}
"""Functions that a grid may call; `Size.python` spells those of sizes out."""
_TILES = "cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N)"
GRIDS = (
    "(cdiv(BATCH * OUT_D * OUT_H * OUT_W, BLOCK_M), cdiv(OUT_C, BLOCK_N), GROUPS)",
    "(cdiv(BATCH * OUT_H * OUT_W, BLOCK_M), cdiv(OUT_C, BLOCK_N), GROUPS)",
    f"({_TILES}, BATCH, 1)",
    f"(min(NUM_SMS, {_TILES}), 1, 1)",
    f"({_TILES}, 1, 1)",
)
"""Grids over the names that templates give their sizes and blocks: since torch 2.7 the wrapper passes the numbers that Inductor's functions made of
them (mm_common.py, bmm.py and conv.py of torch/_inductor/kernel/, 2.7 to 2.13)."""


def grid(plan: Plan) -> str:
    """Programs along x, y, z, as Inductor's launcher counts them (`GridExpr` in torch/_inductor/runtime/triton_heuristics.py, 2.13).

    Raises:
        LabError: the text does not tell.
    """
    kernel = plan.kernel
    if told := stated(plan):
        return told
    if plan.found.parts:
        return _jobs(plan)
    if kernel.category == "split_scan":
        return f"({', '.join(along_scans(plan))})"
    if kernel.category == "cooperative_reduction":
        return f"(RSPLIT, triton.cdiv({_numel(plan, 'x')}, XBLOCK))"
    by_axes = grid_of(
        plan.found.schedule.axes,
        lambda axis: f"triton.cdiv({_numel(plan, axis.name)}, {axis.group or axis.fixed or axis.block})",
    )
    if not by_axes:
        raise _not_told(plan)
    return by_axes


def along_scans(plan: Plan) -> tuple[str, str]:
    """The programs of a split scan: along each row, and the rows."""
    block = "R0_BLOCK" if any(a.name == "R0_BLOCK" for a in plan.kernel.arguments) else "RBLOCK"
    return f"triton.cdiv({_numel(plan, 'r0_' if block == 'R0_BLOCK' else 'r')}, {block})", _numel(plan, "x")


def _numel(plan: Plan, axis: str) -> str:
    name = f"{axis}numel"
    if any(argument.name == name for argument in plan.kernel.arguments) and name in plan.scalars:
        return name
    return str(plan.numels[name])


def _jobs(plan: Plan) -> str:
    """The programs of jobs side by side: where the last one ends."""
    if in_turn := _in_turn(plan):
        return in_turn
    names: dict[str, str] = {}
    for statement in plan.found.statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name.startswith("num_xblocks_"):
                names[name] = re.sub(
                    r"\bnum_xblocks_\d+\b", lambda found: f"({names[found[0]]})", ast.unparse(value)
                ).replace("tl.", "triton.")
    ends = [
        int(bound)
        for statement in plan.found.statements
        if isinstance(statement, ast.If)
        for bound in re.findall(r"xpid < (\d+)", ast.unparse(statement.test))
    ]
    if names:
        blocks = dict(re.findall(r"(\w*BLOCK\w*): tl\.constexpr = (\d+)", plan.kernel.body))
        text = list(names.values())[-1]
        text += _rows_of_jobs(plan)
        text = re.sub(r"\b\w*BLOCK\w*\b", lambda found: blocks.get(found[0], found[0]), text)
        return f"({text})"
    if ends:
        return f"({max(ends)},)"
    raise _not_told(plan)


def _rows_of_jobs(plan: Plan) -> str:
    """Programs along y, behind those along x: as many as the job with the most rows needs."""
    rows = [str(part.numel["y"]) for part in plan.found.parts if "y" in part.numel]
    return f", triton.cdiv({_largest(rows)}, YBLOCK)" if rows else ","


def _in_turn(plan: Plan) -> str:
    """The programs of jobs that take turns, as many for each as the longest needs; nothing for other jobs.

    `RoundRobinComboKernelGrid` in torch/_inductor/runtime/triton_heuristics.py, 2.13.
    """
    described = plan.kernel.meta.get("inductor_meta")
    if not isinstance(described, dict) or described.get("grid_type") != "RoundRobinComboKernelGrid":
        return ""
    told = described["combo_grid_meta"]
    jobs = range(told["num_kernels"])
    if told["default_config"] or any(f"ynumel_{job}" in told for job in jobs):
        return ""
    numels = {job: str(told[f"xnumel_{job}"] or f"xnumel_{job}") for job in jobs}
    longest = [numel for job, numel in numels.items() if told[f"no_x_dim_{job}"]]
    blocked = [numel for job, numel in numels.items() if not told[f"no_x_dim_{job}"]]
    if blocked:
        longest.append(f"triton.cdiv({_largest(blocked)}, XBLOCK)")
    programs = f"{_largest(longest)} * {len(numels)}"
    return f"({_largest([programs, str(told['min_blocks'])]) if told['min_blocks'] else programs},)"


def _largest(texts: list[str]) -> str:
    if all(text.isdigit() for text in texts):
        return str(max(map(int, texts)))
    return texts[0] if len(texts) == 1 else f"max({', '.join(texts)})"


def _not_told(plan: Plan) -> LabError:
    return LabError(f"{plan.kernel.id} ({plan.kernel.name}): its text does not tell how many programs a launch has")


# ------------------------------------------------------------ as the launch states it


def stated(plan: Plan) -> str:
    """The grid that a launch states, as Python over its symbols; empty where it states none that is known."""
    call = _launch_call(plan)
    if call is None:
        return ""
    keyword = next((keyword.value for keyword in call.keywords if keyword.arg == "grid"), None)
    try:
        match keyword:
            case None:
                return _written(_behind(plan, call), plan)
            case ast.Tuple():
                return _written(keyword, plan)
            case ast.Call(func=function, args=[*given, ast.Name(id=constants)], keywords=[]):
                return _written(_by_template(ast.unparse(function), given, _constants(plan, constants)), plan)
            case ast.Name(id=name):
                return _written(_by_module(plan, name), plan)
    except (AttributeError, KeyError, SyntaxError, TypeError, ValueError):  # not as Inductor writes it
        pass
    return ""


def _launch_call(plan: Plan) -> ast.Call | None:
    """The launch in the module's text."""
    lines = plan.graph.module.splitlines()[plan.launch.line - 1 :]
    for count in range(1, min(len(lines), 8) + 1):
        try:
            found = ast.parse(" ".join(line.strip() for line in lines[:count])).body
        except SyntaxError:
            continue
        match found:
            case [ast.Expr(value=ast.Call() as call)]:
                return call
        return None
    return None


def _behind(plan: Plan, call: ast.Call) -> ast.expr:
    """Sizes behind the arguments: the grid itself, or what the grids that the kernel says for each configuration are made of."""
    described = plan.kernel.meta.get("inductor_meta")
    meta: Mapping[str, Any] = described if isinstance(described, Mapping) else {}
    extra = meta.get("extra_launcher_args") or []
    told = dict(zip(extra, call.args[len(call.args) - len(extra) :], strict=True))
    if meta.get("grid_type") == "FixedGrid":
        return ast.Tuple([told[name] for name in meta["fixed_grid"]])
    for grid in meta.get("precomputed_grids") or ():
        if all(plan.config.get(name) == value for name, value in grid["config"].items()):
            return _filled(f"({', '.join(grid['python'])},)", told)
    behind = call.args[len(plan.launch.arguments) :]
    if len(behind) == 3 and all(isinstance(argument, ast.Constant) for argument in behind):
        return ast.Tuple(behind)
    raise KeyError("grid")


def _by_template(function: str, given: list[ast.expr], constants: Mapping[str, Any]) -> ast.expr:
    """What a function of Inductor's templates makes of sizes and of the template's constants."""
    for (known, names), grid in FUNCTIONS.items():
        if function == KERNELS + known and len(names.split()) == len(given):
            numbers = {name: ast.Constant(value) for name, value in constants.items() if type(value) is int}
            return _filled(grid, {**numbers, **dict(zip(names.split(), given, strict=True))})
    raise KeyError(function)


def _constants(plan: Plan, name: str) -> dict[str, Any]:
    """`meta0 = {'BLOCK_M': 64, 'BLOCK_N': 64}` of the module."""
    found = re.search(rf"^{name} = (\{{.*\}})$", plan.graph.module, re.MULTILINE)
    if found is None:
        raise KeyError(name)
    return dict(ast.literal_eval(found[1]))


def _by_module(plan: Plan, name: str) -> ast.expr:
    """What the last function of this name above the launch returns for the constants that the file is launched with."""
    constants = {**config.constants(plan.kernel, plan.launch), **plan.config}
    for statement in ast.parse(_function(plan, name)).body:
        match statement:
            case ast.Return(value=ast.Tuple() as grid):
                return grid
            case ast.If(test=test, body=[ast.Return(value=ast.Tuple() as grid)], orelse=[]):
                if _holds(test, constants):
                    return grid
            case _:
                break
    raise KeyError(name)


def _function(plan: Plan, name: str) -> str:
    """The body of a function above the launch; of several of one name Python calls the last."""
    lines = plan.graph.module.splitlines()[: plan.launch.line - 1]
    heads = [number for number, line in enumerate(lines) if re.match(rf"\s*def {re.escape(name)}\(meta\):$", line)]
    if not heads:
        raise KeyError(name)
    head = lines[heads[-1]]
    inside = head[: len(head) - len(head.lstrip())] + " "
    body = itertools.takewhile(lambda line: not line.strip() or line.startswith(inside), lines[heads[-1] + 1 :])
    return textwrap.dedent("\n".join(body))


def _holds(test: ast.expr, constants: Mapping[str, Any]) -> bool:
    """`meta['BLOCK'] == 128 and meta['STAGES'] == 2`."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return all(_holds(value, constants) for value in values)
        case ast.Compare(
            left=ast.Subscript(value=ast.Name(id="meta"), slice=ast.Constant(value=str(name))),
            ops=[ast.Eq()],
            comparators=[value],
        ):
            return str(constants[name]) == ast.unparse(value)
    raise KeyError(ast.unparse(test))


def _filled(grid: str, names: Mapping[str, ast.expr]) -> ast.expr:
    """A grid with sizes and numbers in place of their names."""
    return substituted(ast.parse(grid, mode="eval").body, names)


def _written(grid: ast.expr, plan: Plan) -> str:
    """The numbers as Python over the symbols of the launch and its configuration.

    Raises:
        KeyError: there is more in them than arithmetic.
    """
    assert isinstance(grid, ast.Tuple)
    names: dict[str, ast.expr] = {name: ast.Constant(value) for name, value in sizes.hints(plan.graph).items()}
    names |= {name: ast.Name(name) for name in (*plan.environment, *plan.config)}
    written = [Size.of(ast.unparse(_arithmetic(part, names))).python for part in grid.elts]
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"


def _arithmetic(node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    """A number, or what is computed from numbers and from names that a launcher has."""
    match node:
        case ast.Constant(value=int()):
            return node
        case ast.Name(id=name) | ast.Subscript(value=ast.Name(id="meta"), slice=ast.Constant(value=str(name))):
            return names[name]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return ast.Call(ast.Name(_CALLED[name]), [_arithmetic(argument, names) for argument in arguments], [])
        case ast.BinOp(left=left, op=op, right=right):
            return ast.BinOp(_arithmetic(left, names), op, _arithmetic(right, names))
    raise KeyError(ast.unparse(node))


# ------------------------------------------------------------ over the blocks of a template


@dataclass(frozen=True)
class BlockGrid:
    """A grid as Python over blocks."""

    text: str
    blocks: Mapping[str, int]
    """The blocks that it names, as the body has them."""
    lines: frozenset[int]
    """Lines of the body, from 0, that say what they are."""


def block_grid(plan: Plan) -> BlockGrid | None:
    """A template's grid over its blocks; None where no known function makes the launch's numbers of what the body says."""
    if plan.kernel.category != "template":
        return None
    known: dict[str, int] = {}
    said: dict[str, int] = {}
    for statement in ast.parse(plan.kernel.body).body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=int(value))):
                known[name], said[name] = value, statement.lineno - 1
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int(value))):
                known[name] = value
    stated = _numbers(grid(plan), {})
    for text in GRIDS:
        if None in stated or _numbers(text, known) != stated:
            continue
        blocks = {name: known[name] for name in said if "BLOCK" in name and name in text}
        if any(plan.kernel.text.count(f"{name} : tl.constexpr = ") != 1 for name in blocks):
            return None  # its helpers have blocks of their own
        sized = {name: ast.Constant(value) for name, value in known.items() if name not in blocks}
        spelled = ast.unparse(_filled(text, sized)).replace("cdiv", "triton.cdiv")
        return BlockGrid(spelled, blocks, frozenset(said[name] for name in blocks))
    return None


def _numbers(text: str, known: Mapping[str, int]) -> list[int | None]:
    """The programs along each direction; None where a name is not known."""
    parts = ast.parse(text, mode="eval").body
    assert isinstance(parts, ast.Tuple)
    return [number(ast.unparse(part), known) for part in parts.elts]
