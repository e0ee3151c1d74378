"""The grid that a launch states: sizes behind its arguments (2.7 on), or `grid=`, up to 2.6: numbers, a template's function of
sizes and of the template's constants (`meta0`), or a function that the module defines above the launch.

    triton_tem_fused_mm_3.run(buf2, arg2_1, buf4, grid=torch._inductor.kernel.mm_common.mm_grid(9, 96, meta0), stream=stream0)

The text is read and never run. What is not known is not stated: then the answer is empty.
"""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from inductor_lab.eject import config, sizes
from inductor_lab.eject.plan import Plan
from inductor_lab.records.size import Size

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


def stated(plan: Plan) -> str:
    """Three numbers as Python over the launch's symbols; empty where the launch states none that is known."""
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
            return _filled(f"({', '.join(grid['python'])},)", told, {})
    behind = call.args[len(plan.launch.arguments) :]
    if len(behind) == 3 and all(isinstance(argument, ast.Constant) for argument in behind):
        return ast.Tuple(behind)
    raise KeyError("grid")


def _by_template(function: str, given: list[ast.expr], constants: Mapping[str, Any]) -> ast.expr:
    """What a function of Inductor's templates makes of sizes and of the template's constants."""
    for (known, names), grid in FUNCTIONS.items():
        if function == KERNELS + known and len(names.split()) == len(given):
            return _filled(grid, dict(zip(names.split(), given, strict=True)), constants)
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


def _filled(grid: str, sized: Mapping[str, ast.expr], constants: Mapping[str, Any]) -> ast.expr:
    """A grid with sizes in place of their names, and numbers in place of constants, whose names are capitals."""
    filled: ast.expr = _Filled(sized, constants).visit(ast.parse(grid, mode="eval").body)
    return filled


class _Filled(ast.NodeTransformer):
    def __init__(self, sized: Mapping[str, ast.expr], constants: Mapping[str, Any]) -> None:
        self.sized, self.constants = sized, constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not node.id.isupper():
            return self.sized.get(node.id, node)
        value = self.constants[node.id]
        if type(value) is not int:
            raise ValueError(f"{node.id} is no number")
        return ast.Constant(value)


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
