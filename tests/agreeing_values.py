"""What the sentences of `show` say that a line computes, held to what it computes on drawn inputs.

"relu(in_ptr0 + in_ptr1 * 0.5)"   ->   the numbers of the line, run by the same words on the numbers of the lines before

A sentence is taken apart by `FORMS`; its expression is run where the line has run, with what the names then hold. One whose words or
values are not known is not held. A number that a sentence rounds may put some lanes on another side of a comparison.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from counting import Tile, UncountedError, run
from valued import Valued

from inductor_lab.annotate.summary import computes
from inductor_lab.records import Kernel

N = r"([\d,]+)"
FORMS = (
    (rf"{N} (?:results, one a row|rows?|elements|along [xyz])", "{0}"),
    (rf"{N} x {N} elements", "{0} * {1}"),
    (rf"{N} x {N} x {N} elements", "{0} * {1} * {2}"),
    (rf"{N} x {N} x {N} x {N} elements", "{0} * {1} * {2} * {3}"),
    (r"one result", "1"),
    (rf"each row (?:folds|has) {N} elements.*", "{0}"),
    (r"(?:another name for|the same as) (\w+)", "{0}"),
    (r"the same as (\w+): (.+)", "{0}", "{1}"),
    (r".*, starting at (\S+)", "{0}"),
    (r"true where (.+)", "{0}"),
    (r"(.+): (always|never) true", "{0}", "{1}"),
    (
        r"(.+): (?:the condition is (?:always|never) true|both sides are the same(?:, .+)?|a negative index counts from the end)",
        "{0}",
    ),
    (r"the [\w ]+ over the row(?:, [^:]+)?: (.+)", "{0}"),
    (r"this block's (.+), taken into .*", "{0}"),
    (r"the constant (\S+)(?: as \w+)?", "{0}"),
    (r"(.+) where the element exists, .+ elsewhere.*", "{0}"),
    (r"(.+) where (.+), (.+) elsewhere(?:; a concatenation.*)?", "where({1}, {0}, {2})"),
    (r"(.+?) (?:into|over) .*", "{0}"),
    (r"(.+) as a number to compute with", "{0}"),
    (r"(.+), repeated (?:along|over|for) .*", "{0}"),
    (r"(.+) as u?int\d+", "int({0})"),
    (r"(.+?)(?: as (?:b?float|bool)\w*)?", "{0}"),
)
"""A sentence up to its first `;`, and the expressions that it says its line is."""
CONSTANTS = {"always": True, "never": False, "inf": np.inf, "nan": np.nan, "True": True, "False": False}
MOST = 64
"""Of a tensor that was loaded several times, a sentence does not say which load it means: so many choices are tried."""


@dataclass(frozen=True)
class Claim:
    """One statement of a sentence."""

    line: int
    sentence: str
    said: str
    counted: str
    """What was counted instead; nothing where it is so."""
    of: str = "an access"
    """What it is said of; `not held` for a sentence of which nothing is counted."""


def valued(kernel: Kernel, notes: Mapping[int, Sequence[str]]) -> tuple[list[Claim], Valued]:
    """What is said of a launch's values, line by line, and in its formulas; and its run. `notes` are its sentences by line.

    Raises:
        UncountedError: it can not be run.
    """
    sentences = Sentences(kernel, notes)
    ran = Valued(kernel, sentences)
    run(kernel, ran)
    if " pid" not in kernel.body:  # of several jobs, each has names of its own
        for text in computes(kernel):
            pointer, _, said = text.partition(" = ")
            if len(stored := ran.last.get(pointer.removesuffix("_new"), [])) == 1:
                sentences.hold(ran, 0, text, said, stored[0])
    return sentences.claims, ran


class Sentences:
    """The sentences on a kernel's lines, held as the lines are run."""

    def __init__(self, kernel: Kernel, notes: Mapping[int, Sequence[str]]) -> None:
        self.notes, self.claims, self.body = notes, list[Claim](), kernel.body.splitlines()
        pointers = "|".join(one.name for one in kernel.arguments if one.pointer)
        self.read = re.compile(rf"\b({pointers})(_new)?\b(?:\[((?:(?!tmp|ptr)[\w ()+*/%-])+)\])?")

    def __call__(self, run: Valued, line: int, names: list[str]) -> None:
        """A line has run."""
        one = run.touched[-1] if run.touched and run.touched[-1].line == line else None
        held = run.names[names[0]] if len(names) == 1 else None
        if one and one.kind == "load":
            if isinstance(held, Tile):
                run.loaded[one.pointer][-1] = held  # as it was cast, and turned
            held = None if one.mask is None else Tile(one.mask)
        elif one:
            held = run.last[one.pointer][-1]
        for text in self.notes.get(line, ()) if held is not None else ():
            for said in masked(text) if one and one.kind == "load" else said_of(text):
                self.hold(run, line, text, said, held)
            if chosen := re.search(r"tl\.where\((\w+), (\w+), (\w+)\)", self.body[line - 1]):
                condition, *sides = chosen.groups()
                if ever := re.search("the condition is (always|never) true", text):
                    self.hold(run, line, text, ever[1], run.names[condition])
                if text.endswith("both sides are the same"):
                    self.hold(run, line, text, sides[0], run.names[sides[1]])

    def hold(self, run: Valued, line: int, text: str, said: str, held: Any) -> None:
        """An expression and what the line has come to."""
        if (mine := numbers(held)) is None:
            return
        found = [one for one in map(numbers, self.evaluated(run, said)) if one is not None and np.isfinite(one).any()]
        if found:
            so = any(same(mine, one, rounded=bool(re.search(r"\d\.\d{5}", said))) for one in found)
            counted = f"on drawn inputs {mine.reshape(-1)[:3]}, not {found[0].reshape(-1)[:3]}"
            self.claims.append(Claim(line, text, said, "" if so else counted, "a value" if line else "a formula"))

    def evaluated(self, run: Valued, said: str) -> Iterator[Any]:
        """The expression with each choice of the loads that it may mean."""
        meant: dict[str, Sequence[Any]] = {}

        def name(found: re.Match[str]) -> str:
            pointer, new, place = found.groups()
            name = f"{pointer}{new or ''}{'_at' * bool(place)}"
            known = run.last if new or pointer not in run.loaded else run.loaded
            meant[name] = [Elements(run, pointer)] if place else known.get(pointer, [])
            return f"{name}[{place}]" if place else name

        try:
            tree = AsPython().visit(ast.parse(self.read.sub(name, said.strip()), mode="eval"))
            code = compile(ast.fix_missing_locations(tree), "<sentence>", "eval")
        except SyntaxError:  # words, or left out
            return
        names = {one: down(run.names[one], run) for one in set(code.co_names) if one in run.names}
        for choice in itertools.islice(itertools.product(*meant.values()), MOST):
            scope = type(run.names)(CONSTANTS | names | dict(zip(meant, choice, strict=True)))
            scope.run = run
            try:
                yield eval(code, {"__builtins__": {}}, scope)
            except (TypeError, ValueError, AttributeError, IndexError, UncountedError):
                continue


def masked(text: str) -> Iterator[str]:
    """The condition under which a load brings something."""
    if said := re.search(r"only where (.*), \S+ elsewhere", text):
        yield said[1]


def said_of(text: str) -> Iterator[str]:
    """The expressions that a sentence says its line is."""
    for form, *expressions in FORMS:
        if found := re.fullmatch(form, text if "a concatenation" in text else text.split("; ")[0]):
            given = [re.sub(r"(?<=\d),(?=\d{3}\b)", "", group) for group in found.groups() if group is not None]
            yield from (one.format(*given) for one in expressions)
            return


class Elements:
    """`in_ptr0[x1 + 64]` in a sentence: what memory holds at an address."""

    def __init__(self, run: Valued, pointer: str) -> None:
        self.run, self.pointer = run, pointer

    def __getitem__(self, place: Any) -> Tile:
        address = place.data if isinstance(place, Tile) else np.asarray(place)
        return Tile(None if address is None else self.run.at(self.pointer, address))


PYTHON = {ast.FloorDiv: "floor_divide", ast.Mod: "remainder", ast.Add: "plus", ast.Sub: "minus"}


class AsPython(ast.NodeTransformer):
    """Arithmetic as Python has it: `//` and `%` of a `Tile` are C's, and bools of numpy do not add up."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = PYTHON.get(type(node.op))
        return node if name is None else ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], [])


def down(held: Any, run: Valued) -> Any:
    """One value a row as a column, as `[:, None]` makes it."""
    one_each = isinstance(held, Tile) and len(held.shape) == 1 < len(run.tile()) and held.shape[0] == run.tile()[0]
    return held[:, None] if one_each else held


def numbers(held: Any) -> np.ndarray | None:
    """As floats; None where they are not known."""
    data = held.data if isinstance(held, Tile) else held if isinstance(held, (bool, int, float, np.ndarray)) else None
    return None if data is None else np.asarray(data, float)


def same(one: np.ndarray, other: np.ndarray, *, rounded: bool) -> bool:
    """Whether the numbers are the same, as far as a sentence writes them out."""
    if one.ndim != other.ndim and one.size == other.size:
        one, other = one.reshape(-1), other.reshape(-1)
    for each in (other, other.T):  # what is stored turned
        try:
            agree = np.isclose(one, each, rtol=2e-3, atol=1e-5, equal_nan=True)
        except ValueError:
            continue
        if agree.mean() > 0.8 if rounded else agree.all():
            return True
    return False
