"""What the judge knows of Triton's interpreter: each name that it replaces or calls, with its parameters.

It is asked when this is imported in a process that interprets, before any of it is replaced: what a version has otherwise would else show as a
fault of the kernel, a wrong verdict or a traceback.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter, itemgetter
from typing import Any

import triton
from triton.runtime import autotuner, interpreter

from inductor_lab.errors import LabError

TRIED = "3.6 to 3.9"
"""Versions of Triton with which the judge's tests pass."""

BUILDER = "InterpreterBuilder."
NEWER_OR_OLDER = frozenset(
    BUILDER + name
    for name in ("create_atomic_load", "create_atomic_store", "create_atomic_poll", "get_bf16", "create_tensor_pointer_load")
)  # fmt: skip
"""What only some versions have."""

TAKEN = {
    BUILDER + "create_masked_load": "ptrs mask other is_volatile",
    BUILDER + "create_masked_store": "ptrs value mask",
    BUILDER + "create_tensor_pointer_load": "ptr boundary_check padding_option",
    BUILDER + "create_descriptor_load": "desc indices",
    BUILDER + "create_atomic_load": "ptr sem",
    BUILDER + "create_atomic_store": "ptr sem",
    BUILDER + "create_atomic_poll": "ptr sem",
}
"""Parameters of what the judge stands around: it takes these, wherever they stand, and passes all others on."""

REPLACED = {
    "GridExecutor._init_args_hst": "args_dev kwargs",
    "ReduceOps.apply_impl": "input",
    "ReduceOps.generic_reduce": "input",
    "ScanOps.generic_scan": "input",
    "ScanOps.cumsum": "input",
    "ScanOps.cumprod": "input",
    "ASTTransformer.visit_Assign": "node",
    "_patch_lang": "fn",
    "_patch_lang_tensor": "tensor scope",
    "_implicit_cvt": "arg",
    "_convert_float": "input input_dtype output_dtype rounding_mode",
    **{
        BUILDER + name: parameters
        for names, parameters in {
            "set_grid_dim": "nx ny nz",
            "set_grid_idx": "x y z",
            "create_atomic_rmw": "rmwOp ptr val mask sem scope",
            "create_atomic_cas": "ptr cmp val sem scope",
            "binary_op": "lhs rhs op",
            "unary_op": "arg op",
            "create_idiv create_srem create_urem create_frem create_umulhi": "lhs rhs",
            "create_maxnumf create_minnumf create_maximumf create_minimumf": "lhs rhs",
            "create_exp create_exp2 create_log create_log2 create_sin create_cos create_sqrt create_rsqrt": "arg",
            "create_erf create_floor create_ceil": "arg",
            "create_fma": "x y z",
            "create_clampf": "arg lo hi propagate_nans",
            "create_splat": "ret_ty arg",
            "create_dot": "a b d input_precision max_num_imprecise_acc",
            "create_histogram": "data bins mask",
            "create_extern_elementwise": "libName libPath symbol argList retType isPure",
            "cast_impl create_fp_to_si create_fp_to_ui": "src dst_type",
            "get_bf16": "value",
        }.items()
        for name in names.split()
    },
}
"""All parameters, in their order, of what has another function in its place."""

CALLED = {
    "TensorHandle": "data dtype",
    "TensorHandle.get_element_ty": "",
    "TensorDescHandle.materialize_pointers": "offsets",
    "GridExecutor": "fn arg_names grid pre_run_hooks",
    "InterpretedFunction.rewrite": "",
    "Autotuner.prune_configs": "kwargs",
    "Config.all_kwargs": "",
    "ReduceOps": "axis combine_fn keep_dims",
    "ReduceOps.to_tensor": "ret dtype",
    "interpreter_semantic.to_tensor": "x",
    "interpreter_semantic.integer_promote_impl": "a_ty b_ty",
    "interpreter_semantic.scalar_constant": "value dtype",
    "interpreter_semantic.logical_and": "input other",
    "interpreter_semantic.logical_or": "input other",
    "interpreter_semantic.not_": "input",
    "_get_np_dtype": "tt_dtype",
    "_unwrap_tensor": "t",
}
"""The first parameters of what is called; others need no argument."""

SET = {
    "GridExecutor.__init__": "fn arg_names grid",
    "InterpretedFunction.__init__": "arg_names pre_run_hooks",
    "InterpreterBuilder.set_grid_dim": "grid_dim",
    "InterpreterBuilder.set_grid_idx": "grid_idx",
    "ReduceScanOpInterface.__init__": "axis combine_fn",
    "ReduceOps.__init__": "keep_dims",
    "TensorHandle.__init__": "data dtype",
    "TensorDescHandle.__init__": "base padding",
    "Autotuner.__init__": "fn arg_names configs keys cache pre_hook post_hook",
    "Config.__init__": "pre_hook",
}
"""Attributes that a function gives its object."""

THERE = (
    "GridExecutor.__call__", "InterpretedFunction.run", "InterpretedFunction.rewritten_fn", "FunctionRewriter.ast_transformer",
    "Autotuner.run", *(f"tl.standard._{name}" for name in (
        "argmax_combine_tie_break_left", "argmin_combine_tie_break_left", "elementwise_max", "elementwise_min", "sum_combine",
    )),
    "interpreter_builder.options.sanitize_overflow", "_interpreter.load", "_interpreter.store", "_ir.ATOMIC_OP.FADD", "_ir.ATOMIC_OP.XCHG",
    "_ir.MEM_SEMANTIC.ACQUIRE", "_ir.MEM_SEMANTIC.RELEASE", "_ir.MEM_SEMANTIC.ACQUIRE_RELEASE", "_ir.INPUT_PRECISION.TF32",
    "_ir.PROPAGATE_NAN.ALL", "_ir.PADDING_OPTION.PAD_NAN", "_ir.PADDING_OPTION.PAD_ZERO", "_ir.ROUNDING_MODE.RTZ",
)  # fmt: skip
"""Names alone."""

VARIOUS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


class NotJudged(BaseException):
    """A sentence that begins "not judged here". No `Exception`: neither the interpreter nor a launcher's `except` may make it one of theirs."""


class Taken:
    """A function's parameters of which the judge takes some. Where they stand is asked once: a load is what a kernel does most."""

    def __init__(self, function: Any, names: str) -> None:
        self._signature = inspect.signature(function)
        every = list(self._signature.parameters)
        self._count = len(every)
        self._at = {name: every.index(name) for name in names.split()}
        self.of = itemgetter(*self._at.values())
        """From a call's arguments to those."""

    def call(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """A call's arguments in their places, and those that have a name alone."""
        if len(arguments) == self._count and not options:
            return list(arguments), {}
        bound = self._signature.bind(*arguments, **options)
        bound.apply_defaults()
        return list(bound.args), bound.kwargs

    def put(self, arguments: list[Any], **values: Any) -> None:
        """Other values into their places."""
        for name, value in values.items():
            arguments[self._at[name]] = value


def asked(modules: Sequence[Any], version: str) -> dict[str, Taken]:
    """What is taken, by the function's name.

    Raises:
        LabError: one of the names is not in the modules, or is otherwise there.
    """
    found = {name: _found(modules, name) for name in (*TAKEN, *REPLACED, *CALLED, *SET, *THERE)}
    found = {name: thing for name, thing in found.items() if thing is not None or name not in NEWER_OR_OLDER}
    if what := next(_otherwise(found), ""):
        raise LabError(f"Triton {version}'s interpreter is not known to the judge: {what}; install one of {TRIED}")
    return {name: Taken(found[name], names) for name, names in TAKEN.items() if name in found}


def _found(modules: Sequence[Any], name: str) -> Any:
    for module in modules:
        with suppress(AttributeError):
            return attrgetter(name)(module)
    return None


def _otherwise(found: Mapping[str, Any]) -> Iterator[str]:
    """What is not as the tables have it, in words."""
    yield from (f"it has no {name}" for name, thing in found.items() if thing is None)
    for table in (TAKEN, REPLACED, CALLED):
        for name, names in table.items():
            if name in found:
                yield from _other_parameters(name, found[name], names.split(), table)
    for name, names in SET.items():
        used = getattr(getattr(found[name], "__code__", None), "co_names", ())
        yield from (f"{name} sets no {each}" for each in names.split() if each not in used)


def _other_parameters(name: str, function: Any, names: list[str], table: Mapping[str, str]) -> Iterator[str]:
    every = list(inspect.signature(function).parameters.values())
    every = every[1:] if inspect.isfunction(function) and "." in name else every  # without `self`
    takes = f"(it takes {', '.join(each.name for each in every) or 'nothing'})"
    placed = [each.name for each in every if each.kind is each.POSITIONAL_OR_KEYWORD]
    yield from (f"{name} has no parameter {each} {takes}" for each in names if each not in placed)
    if table is not TAKEN and placed[: len(names)] != names:
        yield f"{name} does not begin with {', '.join(names)} {takes}"
    more = every[len(names) :]
    if table is CALLED:
        more = [each for each in more if each.default is each.empty and each.kind not in VARIOUS]
    if table is not TAKEN and more:
        yield f"{name} has a parameter {more[0].name} {takes}"


taken = asked((interpreter, autotuner), triton.__version__) if triton.knobs.runtime.interpret else {}
"""As they were before anybody stood around them."""
