"""A wrapper's function in which the steps of a span are one call: text in, text out, nothing is executed.

    buf1 = empty_strided_cuda((64, 16), (16, 1), torch.float32)        buf3 = empty_strided_cuda((64, 16), (16, 1), torch.float32)
    extern_kernels.mm(arg2_1, arg0_1, out=buf1)                        if hand(arg2_1, arg0_1, arg1_1, buf3):
    del arg0_1                                                             del arg0_1
    buf3 = empty_strided_cuda((64, 16), (16, 1), torch.float32)        else:
    triton_poi_fused_relu_0.run(buf1, arg1_1, buf3, 1024, ...)             ...  the statements on the left
    del buf1

`hand` is given the memory that the span reads and leaves, and says whether it ran. What the span makes and uses up is not allocated before it; what it
leaves has memory of its own, also where the wrapper used an input's or an inner buffer's again (`buf6 = buf3; del buf3  # reuse`): a hand kernel may write
it while it still reads the other. What is freed on the way is freed behind the call.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from inductor_lab.errors import LabError
from inductor_lab.records.span import ROLES, Span, SpanTensor

EMPTY = "empty_strided_"
"""How the functions begin that allocate: `empty_strided_cuda(shape, strides, dtype)`."""
VIEWS = {"reinterpret_tensor", "_reinterpret_tensor", "as_strided"}
SAME = {"copy_if_misaligned", "clone_if_misaligned", "copy_misaligned"}
"""Functions that give their argument back, at times copied: `arg0_1 = copy_if_misaligned(arg0_1)` before its first step, from 2.14 on."""
QUIET = {*VIEWS, *SAME, "get_raw_stream", "get_cuda_stream", "alloc_from_pool", "zero_", "max", "min", "int"}
"""Functions whose calls are no steps: memory, streams, sizes."""


class Splicer:
    """A module's tree, in which spans become calls of hand kernels; each of its functions is read once, whatever is put into it."""

    def __init__(self, tree: ast.Module) -> None:
        self._functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
        self._names: dict[ast.FunctionDef, _Names] = {}

    def graft_in(self, span: Span, hand: str, numbers: Sequence[str]) -> None:
        """Have the module ask `hand`, a global name of its own, where a span stands; of several spans the first lines' first.

        What is taken of a library's result may stand right before another span's steps, and becomes a part of that span's `else`.

        Args:
            numbers: What it is given besides, behind the memory: `s77`, `tangents_1.item()`.

        Raises:
            LabError: between the steps stands what can not be moved, or the module has other names for those numbers; it is as it was.
        """
        lines = span.lines
        function = self.function_at(min(lines))
        asked = {node.id for text in numbers for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        if missing := sorted(asked - self._names_of(function).known):
            raise LabError(
                f"its `launch` takes what the captured module calls {', '.join(missing)}, and the model's has no such name"
            )
        self.rewrite(function, lines, span.tensors, hand, numbers)

    def function_at(self, line: int) -> ast.FunctionDef:
        """The innermost function that has a line.

        Raises:
            LabError: there is none.
        """
        found = [one for one in self._functions if _touches(one, {line})]
        if not found:
            raise LabError(f"line {line} of the module is in no function")
        return max(found, key=lambda one: one.lineno)

    def rewrite(
        self,
        function: ast.FunctionDef,
        lines: Collection[int],
        tensors: Sequence[SpanTensor],
        hand: str,
        numbers: Sequence[str] = (),
    ) -> None:
        """Have a function ask `hand` first where the span stands.

        Args:
            lines: Those of the span's steps.
            tensors: What the span touches, by this function's variables; `hand` is given those that are not inner, as a file's `launch` is.
            hand: A global name of the module.
            numbers: As of `graft_in`.

        Raises:
            LabError: between the steps stands what can not be moved.
        """
        block = _block(function, set(lines))
        first, last = _ends(block, set(lines))
        while first and _is_quiet(block[first - 1]):
            first -= 1
        while isinstance(block[first], ast.Delete):
            first += 1
        behind = last + 1
        while behind < len(block) and (
            isinstance(block[behind], ast.Delete) or _is_check(block[behind]) or _part(block[behind])
        ):
            behind += 1
        region = block[first:behind]
        steps = [statement for statement in region if _touches(statement, lines)]
        for statement in region:
            if statement not in steps and not _is_quiet(statement):
                raise LabError(
                    f"between the steps of the span the wrapper has `{ast.unparse(statement).splitlines()[0]}`"
                )
        made = _Region(self._names_of(function), region, steps, tensors).grafted(hand, numbers)
        block[first:behind] = map(ast.fix_missing_locations, made)

    def _names_of(self, function: ast.FunctionDef) -> _Names:
        if function not in self._names:
            self._names[function] = _Names(function)
        return self._names[function]


class _Names:
    """A function's variables as Inductor wrote it, before anything is put into it: where they get a value, lose it, and are asked for."""

    def __init__(self, function: ast.FunctionDef) -> None:
        names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        assignments = sorted(
            (one for one in ast.walk(function) if isinstance(one, ast.Assign)), key=lambda one: one.lineno
        )
        self.known = {node.id for node in names}
        changes = (node for node in names if not isinstance(node.ctx, ast.Load))
        self._changes = [
            (node.lineno, node.id, isinstance(node.ctx, ast.Store))
            for node in sorted(changes, key=lambda one: (one.lineno, one.col_offset))
        ]
        self._last: dict[str, int] = {}
        for node in names:
            if not isinstance(node.ctx, ast.Store):
                self._last[node.id] = max(node.lineno, self._last.get(node.id, 0))
        self._parts = [one for one in assignments if _part(one)]
        self._made = [(one.lineno, name, *_memory(one.value)) for one in assignments for name in _assigned(one)]

    def later(self, line: int) -> set[str]:
        """Variables that are asked for, or freed, behind a line."""
        return {name for name, last in self._last.items() if last > line}

    def defined(self, line: int) -> set[str]:
        """Variables that have a value before a line."""
        found: set[str] = set()
        for at, name, stored in self._changes:
            if at >= line:
                break
            if stored:
                found.add(name)
            else:
                found.discard(name)
        return found

    def taken_later(self, line: int) -> list[ast.Assign]:
        """Where behind a line a part is taken of a result: `buf28 = buf26[1]`."""
        return [one for one in self._parts if one.lineno > line]

    def memory(self, line: int) -> tuple[dict[str, str], dict[str, str]]:
        """Variable -> the one whose memory it names from its first element on; and -> what allocated it. Up to a line."""
        aliases: dict[str, str] = {}
        makers: dict[str, str] = {}
        for at, name, of, maker in self._made:
            if at > line:
                break
            if of:
                aliases[name] = of
            if maker:
                makers[name] = maker
            if aliases.get(name) in makers:
                makers[name] = makers[aliases[name]]
        return aliases, makers


class _Region:
    """The statements around a span's steps, and what they become where a hand kernel does the steps."""

    def __init__(
        self, names: _Names, region: Sequence[ast.stmt], steps: Sequence[ast.stmt], tensors: Sequence[SpanTensor]
    ) -> None:
        self.region, self.steps = region, steps
        self.tensors = {tensor.name: tensor for tensor in tensors}
        self.passed = [
            one.name for one in sorted(tensors, key=lambda one: ROLES.index(one.role)) if one.role != "inner"
        ]
        end = _end(region[-1])
        self.later, self.taken_later = names.later(end), names.taken_later(end)
        self.defined = names.defined(region[0].lineno)
        self.aliases, self.makers = names.memory(end)
        self.renewed = {name for one in region for name in _assigned(one) if self._is_renewed(one)}

    def grafted(self, hand: str, numbers: Sequence[str]) -> list[ast.stmt]:
        """What takes the region's place."""
        before = [made for statement in self.region for made in self._before(statement)]
        variables = {name: self._variable(name, before) for name in self.passed}
        numbered = {node.id for text in numbers for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
        before = _needed(before, self.later | numbered | {*variables.values()})
        known = self.defined | {name for one in before for name in _assigned(one)}
        for name in (*_missing(before, self.defined), *(name for name in variables.values() if name not in known)):
            if name in self.renewed:
                raise LabError(f"`{name}` is made by a step of the span, and is no memory of its own")
            raise LabError(f"by then no variable names all of `{name}` from its first element on")
        after = [copy.deepcopy(one) for one in self._freed(known)]
        arguments = [self._whole(name, variable) for name, variable in variables.items()]
        call = _at(ast.parse(f"if {hand}({', '.join([*arguments, *numbers])}):\n    pass").body[0], self.steps[0])
        assert isinstance(call, ast.If)
        call.body, call.orelse = after or call.body, list(self.region)
        return [*map(copy.deepcopy, before), call]

    def _before(self, statement: ast.stmt) -> Iterator[ast.stmt]:
        """What of a statement is done before the hand kernel runs."""
        (name, *_) = _assigned(statement) or [""]
        idle = isinstance(statement, ast.Delete) or (_is_check(statement) and _read(statement) & self.renewed)
        if name in self.tensors and self._is_renewed(statement):
            yield self._allocated(self.tensors[name], statement)
        elif statement in self.steps and name in self.later:
            yield from self._parts(name, statement)
        elif statement not in self.steps and not idle:
            yield statement

    def _is_renewed(self, statement: ast.stmt) -> bool:
        """Whether what a variable holds is made by a library call of the span, or lies in memory that is used again."""
        if statement in self.steps:
            return True
        if _part(statement):
            return bool(_read(statement) & {name for one in self.steps for name in _assigned(one)})
        return not _is_allocation(statement) and not _read(statement) & {*_assigned(statement)}

    def _parts(self, result: str, where: ast.stmt) -> Iterator[ast.stmt]:
        """What stands for a library's result of which a part is taken far behind: `buf28 = buf26[1]`."""
        taken: dict[Any, SpanTensor] = {}
        for statement in self.taken_later:
            assert isinstance(statement.value, ast.Subscript) and isinstance(statement.value.slice, ast.Constant)
            if ast.unparse(statement.value.value) == result and (tensor := self.tensors.get(_assigned(statement)[0])):
                taken[statement.value.slice.value] = tensor
        yield from (self._allocated(tensor, where) for tensor in taken.values())
        told = ", ".join(f"{part}: {tensor.name}" for part, tensor in taken.items())
        yield _at(ast.parse(f"{result} = {{{told}}}").body[0], where)

    def _allocated(self, tensor: SpanTensor, where: ast.stmt) -> ast.stmt:
        makers = Counter([*self.makers.values(), f"{EMPTY}cuda"])
        maker = self.makers.get(tensor.name) or makers.most_common(1)[0][0]
        made = f"{tensor.name} = {maker}({_sizes(tensor)}, torch.{tensor.type.dtype})"
        return _at(ast.parse(made).body[0], where)

    def _whole(self, name: str, variable: str) -> str:
        """A tensor as it was made; another variable may name a part of its memory: padded logits without the padding."""
        return variable if variable == name else f"reinterpret_tensor({variable}, {_sizes(self.tensors[name])}, 0)"

    def _variable(self, name: str, before: Sequence[ast.stmt]) -> str:
        """The variable that has a tensor's memory when the hand kernel runs: its first name, or one that it was given since."""
        known = self.defined | {assigned for one in before for assigned in _assigned(one)}
        names = [name]
        for one in names:
            if one in known:
                return one
            names += [alias for alias, of in self.aliases.items() if of == one and alias not in names]
        return name

    def _freed(self, known: Collection[str]) -> Iterator[ast.stmt]:
        for statement in self.region:
            if isinstance(statement, ast.Delete):
                kept = [target for target in statement.targets if isinstance(target, ast.Name) and target.id in known]
                if kept:
                    yield ast.copy_location(ast.Delete(targets=list(kept)), statement)


def _sizes(tensor: SpanTensor) -> str:
    """Its shape and strides, as a wrapper passes them."""
    return ", ".join(f"({''.join(f'{size}, ' for size in sizes)})" for sizes in (tensor.type.shape, tensor.type.stride))


def _block(function: ast.FunctionDef, lines: set[int]) -> list[ast.stmt]:
    """The list of statements that holds all of the lines, each in a statement of its own."""
    block, inner = function.body, function.body
    while inner:
        block, inner = inner, []
        for statement in block:
            if isinstance(statement, (ast.With, ast.If)) and _touches(statement, lines):
                inner = next((one for one in _blocks(statement) if _holds(one, lines)), [])
    held = [statement for statement in block if _touches(statement, lines)]
    if not all(any(_touches(one, {line}) for one in held) for line in lines) or any(
        isinstance(one, (ast.With, ast.If, ast.For, ast.While)) for one in held
    ):
        raise LabError(
            "the steps of the span do not stand in one block of the wrapper: they are for several devices or streams"
        )
    return block


def _blocks(statement: ast.With | ast.If) -> list[list[ast.stmt]]:
    return [statement.body, statement.orelse] if isinstance(statement, ast.If) else [statement.body]


def _holds(block: Sequence[ast.stmt], lines: set[int]) -> bool:
    return bool(block) and block[0].lineno <= min(lines) and max(lines) <= _end(block[-1])


def _ends(block: Sequence[ast.stmt], lines: set[int]) -> tuple[int, int]:
    places = [place for place, statement in enumerate(block) if _touches(statement, lines)]
    return places[0], places[-1]


def _touches(statement: ast.stmt, lines: Collection[int]) -> bool:
    """Whether one of the lines is a statement's."""
    first, last = statement.lineno, _end(statement)
    return any(first <= line <= last for line in lines)


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _at(made: ast.stmt, where: ast.stmt) -> ast.stmt:
    """A new statement at the lines of another one."""
    for node in ast.walk(made):
        if isinstance(node, (ast.stmt, ast.expr)):
            ast.copy_location(node, where)
    return made


def _assigned(statement: ast.stmt) -> list[str]:
    """The variable that a statement gives a value; several are never given one at once between steps."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
    return []


def _read(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _called(value: ast.AST) -> str:
    match value:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def _is_allocation(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and _called(statement.value).startswith((EMPTY, "alloc_from_pool"))


def _is_check(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and _called(statement.value).startswith("assert_")


def _part(statement: ast.stmt) -> bool:
    """`buf4 = buf3[0]`."""
    match statement:
        case ast.Assign(targets=[ast.Name()], value=ast.Subscript(value=ast.Name(), slice=ast.Constant())):
            return True
    return False


def _is_quiet(statement: ast.stmt) -> bool:
    """Whether it computes nothing on the card: memory is named, made or freed, sizes are worked out, what is known is checked."""
    if isinstance(statement, ast.Delete) or _is_check(statement):
        return True
    if not (isinstance(statement, ast.Expr) or _assigned(statement)):
        return False
    calls = [_called(node) for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return all(name in QUIET or name.startswith(EMPTY) for name in calls)


def _memory(value: ast.expr) -> tuple[str, str]:
    """The variable whose memory a value names from its first element on; and the function that allocates it. Empty where there is none."""
    match value:
        case ast.Name(id=of):
            return of, ""
        case ast.Call(args=[ast.Name(id=of), _, _, ast.Constant(value=0)]) if _called(value) in VIEWS:
            return of, ""
        case ast.Call(args=[ast.Name(id=of)]) if _called(value) in SAME:
            return of, ""
        case ast.Call() if _called(value).startswith(EMPTY):
            return "", _called(value)
    return "", ""


def _needed(statements: Sequence[ast.stmt], wanted: set[str]) -> list[ast.stmt]:
    """Those without which something of `wanted` would be missing."""
    kept: list[ast.stmt] = []
    own = {name for one in statements for name in _assigned(one)}
    for statement in reversed(statements):
        assigned = _assigned(statement)
        if (assigned and assigned[0] in wanted) or (not assigned and _read(statement) & own <= wanted):
            kept.append(statement)
            wanted = (wanted - set(assigned)) | _read(statement)
    return kept[::-1]


def _missing(statements: Sequence[ast.stmt], defined: Collection[str]) -> Iterator[str]:
    """Variables that are read and were never given a value; globals begin otherwise than what steps make."""
    known = set(defined)
    for statement in statements:
        yield from sorted(name for name in _read(statement) - known if name.startswith("buf"))
        known.update(_assigned(statement))
