"""The rule `one place`: a mask of rows that changed, where every row has the same value for the same place.

A kernel whose only row is the whole tensor stores one number at a constant address; neither that number nor any address depends on the row.
More lanes that store it, or fewer as long as the first is among them, leave the same.
"""

from __future__ import annotations

import ast

from faults.equivalence import function_of, mutant_undone
from faults.mutation import Mutant, called


def is_one_place(mutant: Mutant) -> bool:
    function = function_of(mutant)
    found = mutant_undone(mutant, function)
    if found is None:
        return False
    node, parents = found
    if not (of_the_mask(parents) or (mutant.kind == "mask dropped" and ast.unparse(node) == "inside")):
        return False
    if mutant.kind != "mask dropped" and not keeps_the_first(mutant):
        return False
    by_row = {"inside"}
    for statement in function.body:
        calls = [one for one in ast.walk(statement) if isinstance(one, ast.Call)]
        for call in calls:
            if called(call) in ("tl.load", "tl.atomic_add") and names(call) & by_row:
                return False
            if called(call) == "tl.store" and (names(call.args[0]) | names(call.args[1])) & by_row:
                return False
        if isinstance(statement, ast.Assign) and (
            names(statement.value) & by_row or "tl.program_id" in ast.unparse(statement.value)
        ):
            by_row |= {one.id for target in statement.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        if isinstance(statement, ast.For):
            return False
    return True


def of_the_mask(parents: list[ast.AST]) -> bool:
    """Whether a change is in the statement that makes the mask of the rows."""
    return any(isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "inside" for one in parents)


def keeps_the_first(mutant: Mutant) -> bool:
    """Whether row 0 is still inside: by a comparison with more rows, or by a choice of which condition is written."""
    return (mutant.before, mutant.after) in (
        ("row < ROWS", "((row) <= (ROWS))"),
        ("ROWS", "(ROWS + 1)"),
        ("ROWS % BLOCK", "((BLOCK) % (ROWS))"),  # another condition chosen; row 0 is inside by both
    )


def names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
