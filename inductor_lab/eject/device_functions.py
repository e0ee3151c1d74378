"""The device functions beside an ejected kernel: our versions of Inductor's `triton_helpers`, Inductor's for the rest.

A scan combines by a function that Inductor wrote above it, and an author's kernel calls what the author defined. Where the hand kernel and
the generated one both have a function, the generated one's is called otherwise (`exchanged`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from inductor_lab.computation.operators import TABLE
from inductor_lab.paths import templates_folder
from inductor_lab.records import Kernel

RANDOM = {"rand4x": ("_in_turn",), "randn4x": ("_in_turn",), "randint64": ()}
"""Those that draw random numbers, which have no row; a torch older than the one that generated the kernel may lack them."""
NEEDS: dict[str, tuple[str, ...]] = {
    row.helpers[-1]: row.helpers[:-1] for row in TABLE.values() if row.helpers
} | RANDOM
"""Helpers that an ejected file spells out -> those that they call; any other is imported from torch."""
OURS = frozenset(name for called, needed in NEEDS.items() for name in (called, *needed))
NAMES = OURS | {path.stem for path in (templates_folder() / "eager").glob("*.py")}
"""Functions that a file may define beside its kernel."""
BUILTINS = frozenset({"constexpr_next_power_of_2", "if_mask"})
"""Helpers of torch's that only the compiler understands."""
BARRIER = "x_grid_barrier"
"""The helper of torch's at which programs wait for each other."""
FROM_TORCH = "from torch._inductor.runtime import triton_helpers  # Inductor's own helper functions"
THEIRS = "generated_"
"""What a name of the baseline's starts with, where the hand kernel has its own of that name."""


@dataclass(frozen=True)
class DeviceFunctions:
    """What a file needs beside its kernels. What is there to be edited each of the two has for itself."""

    imports: tuple[str, ...]
    """Lines beside those for torch, triton and tl."""
    hand: tuple[str, ...]
    """Functions and numbers that stand behind the hand kernel: Triton looks for them when it compiles."""
    functions: tuple[str, ...]
    """Those that stand above the generated kernel."""
    helpers: Mapping[str, str]
    """Helpers that Inductor's own kernel calls as `triton_helpers.maximum` -> what each is called here."""
    names: Mapping[str, str]
    """What the generated kernel's text says -> what it is called here."""
    checked: bool
    """True where bounds checks are compiled in."""


def of_file(kernel: Kernel, hand: str, called: Iterable[str], *, several: bool = False) -> DeviceFunctions:
    """What stands beside the two kernels of a file.

    Args:
        hand: All that the hand kernel says.
        called: The helpers that it calls by their names; what stays as it was written calls them as the generated kernel does.
        several: Whether hand kernels of other launches stand in the file: they may spell the same, so that the generated kernel's are called
            otherwise in any case.
    """
    theirs = {name: _written_out(node, kernel) for name, node in definitions_above(kernel)}
    needed = _called_for({*re.findall(r"\w+", hand)}, theirs)  # it may be the author's own text
    mine = {name: text for name, text in theirs.items() if name in needed}
    said = _said("\n".join([kernel.body, *theirs.values(), *mine.values()]))
    hand_spelled, elsewhere = ordered(called)
    spelled, imported = ordered(said.get("triton_helpers", ()))
    imported |= elsewhere
    spelled = [] if imported else spelled  # what is called by that name is torch's
    both = (*theirs, *spelled) if several else (*mine, *hand_spelled)
    names = {name: THEIRS + name.lstrip("_") for name in both if name in (*theirs, *spelled)}
    functions = [exchanged(each, names) for each in (*map(text, spelled), *theirs.values())]
    if imported or "libdevice" in said:
        functions.append(text("_libdevice"))
    if imported & BUILTINS:
        functions.append(text("_builtins"))
    if BARRIER in imported:
        functions.append(text("_barrier"))
    return DeviceFunctions(
        tuple(_imports(said, bool(imported))), (*map(text, reversed(hand_spelled)), *mine.values()), tuple(functions),
        {name: names.get(name, name) for name in spelled if not name.startswith("_")}, names, "device_assert" in said.get("tl", ()),
    )  # fmt: skip


def _said(body: str) -> dict[str, set[str]]:
    """Module -> names of it that a text says. The words alone tell: a body is parsed once, into its computation."""
    said: dict[str, set[str]] = {}
    for module, name in re.findall(r"\b(\w+)(?=\.(\w+))", body):
        said.setdefault(module, set()).add(name)
    return said


def ordered(called: Iterable[str]) -> tuple[list[str], set[str]]:
    """The helpers that the file spells out, those that others call first; and those that only torch has."""
    order: list[str] = []
    imported: set[str] = set()
    for name in sorted(called):
        if name not in OURS:
            imported.add(name)
            continue
        order += [each for each in _with_needs(name) if each not in order]
    return order, imported


def _with_needs(name: str) -> list[str]:
    """A helper behind those that it calls."""
    return [*dict.fromkeys(each for inner in NEEDS.get(name, ()) for each in _with_needs(inner)), name]


def text(name: str) -> str:
    return (templates_folder() / "helpers" / f"{name}.py").read_text(encoding="utf-8").rstrip()


def eager_text(name: str) -> str:
    """A function that references call."""
    return (templates_folder() / "eager" / f"{name}.py").read_text(encoding="utf-8").rstrip()


def namespace(helpers: Mapping[str, str]) -> str:
    """The name by which Inductor's own text calls the helpers, as a module of ours; nothing where it calls none.

    Args:
        helpers: A helper -> what it is called here.
    """
    if not helpers:
        return ""
    head = 'triton_helpers = type(triton)("triton_helpers")  # the name by which Inductor\'s own kernel calls them'
    return "\n".join([head, *(f"triton_helpers.{name} = {ours}" for name, ours in helpers.items())])


def _imports(said: Container[str], from_torch: bool) -> list[str]:
    """What the kernels import beside torch, triton and tl."""
    lines = []
    if from_torch:
        lines.append(FROM_TORCH)
    if "libdevice" in said or from_torch:
        lines.append("from triton.language.extra import libdevice")
    if "tl_math" in said:
        lines.append("from triton.language import math as tl_math")
    return lines


# ------------------------------------------------------------ what stands above a kernel in its source


Definition = ast.FunctionDef | ast.Assign | ast.AnnAssign


def definitions_above(kernel: Kernel) -> tuple[tuple[str, Definition], ...]:
    """Those that the body names, `_triton_helper_fn_add0` of a scan, and those that they name, each with its name, in the order in which they stand."""
    return _needed(kernel.text, kernel.name, kernel.body)


def functions(kernel: Kernel) -> dict[str, ast.FunctionDef]:
    """The functions that Inductor wrote above a kernel: what a scan combines by."""
    return {name: node for name, node in definitions_above(kernel) if isinstance(node, ast.FunctionDef)}


@lru_cache(maxsize=32)
def _needed(text: str, kernel: str, body: str) -> tuple[tuple[str, Definition], ...]:
    said = set(re.findall(r"\w+", body))
    heads = re.findall(r"^(?:def )?(\w+)(?=\s*[:=(])", text, re.MULTILINE)
    if not ({*heads} - {kernel}) & said:  # most kernels: nothing to parse
        return ()
    try:
        statements = [node for node in ast.parse(text).body if isinstance(node, Definition)]
    except SyntaxError:
        return ()
    found = [(name, node) for node in statements if (name := _defined(node)) not in {"", kernel}]
    needed = _called_for(said, {name: ast.unparse(node) for name, node in found})
    return tuple((name, node) for name, node in found if name in needed)


def _called_for(said: set[str], definitions: Mapping[str, str]) -> set[str]:
    """Those of some definitions that words name, and those that these name."""
    needed = set[str]()
    while new := (definitions.keys() & said) - needed:
        needed |= new
        said = said.union(*(re.findall(r"\w+", definitions[name]) for name in new))
    return needed


def _defined(node: Definition) -> str:
    """The name that a statement defines; empty where it is none, or one of Inductor's own."""
    match node:
        case ast.FunctionDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name), *_]) | ast.AnnAssign(target=ast.Name(id=name)):
            return "" if "async_compile" in ast.unparse(node) else name
    return ""


def _written_out(definition: Definition, kernel: Kernel) -> str:
    """A definition as it was written, without the decorators that only Inductor's own file has."""
    lines = kernel.text.split("\n")[definition.lineno - 1 : definition.end_lineno]
    decorators = definition.decorator_list if isinstance(definition, ast.FunctionDef) else []
    kept = [f"@{text}" for text in map(ast.unparse, decorators) if text in {"triton.jit", "jit"}]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*kept, *(line.rstrip() for line in lines)]))


# ------------------------------------------------------------ names in a text


def exchanged(text: str, names: Mapping[str, str], own: Collection[str] = ()) -> str:
    """The text with other names for what stands outside of it and for the functions that it defines.

    Args:
        own: Names that mean something else in it: the parameters of the function whose body it is.
    """
    if not any(name in text for name in names):
        return text
    lines = text.encode().split(b"\n")  # ast counts bytes
    places = {(line, column): name for line, column, name in _named_places(ast.parse(text), {*names} - {*own})}
    for line, column in sorted(places, reverse=True):
        name = places[line, column]
        row = lines[line - 1]
        column = row.index(name.encode(), column)
        lines[line - 1] = row[:column] + names[name].encode() + row[column + len(name.encode()) :]
    return b"\n".join(lines).decode()


def _named_places(node: ast.AST, names: set[str]) -> Iterator[tuple[int, int, str]]:
    """Where one of the names stands and means what it means outside: (line, column, the name)."""
    children: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.Name) and node.id in names:
        yield node.lineno, node.col_offset, node.id
    if isinstance(node, ast.FunctionDef):
        if node.name in names:
            yield node.lineno, node.col_offset + len("def"), node.name
        for around in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            yield from _named_places(around, names)
        names, children = names - own_names(node), node.body
    for child in children:
        yield from _named_places(child, names)


def own_names(*texts: ast.AST) -> set[str]:
    """Names that texts give something to, and parameters of their functions."""
    nodes = [node for text in texts for node in ast.walk(text)]
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in nodes if isinstance(n, ast.arg)}
