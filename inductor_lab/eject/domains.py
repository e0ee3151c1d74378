"""What floats must be for a finite result: what stands under a root or a logarithm, or divides, is positive."""

from __future__ import annotations

from inductor_lab.computation.idioms import number, seen
from inductor_lab.computation.tree import Broadcast, Cast, Expression, Load, Operation, Reduction, Scan, walk

WORDS = {"positive": "positive", "unit": "unit", "open_unit": "unit", "above_one": "above_one"}
"""What an operator asks of its operand -> what that is drawn from."""


class Domains:
    """The words of a job's tensors, by pointer."""

    def __init__(self, words: dict[str, str]) -> None:
        self.words = words
        self.told: set[tuple[int, str]] = set()

    def finite(self, value: Expression) -> None:
        """Nothing that feeds it is infinite; no whole number is."""
        for node in walk(value):
            if isinstance(node, Load) and "float" in node.dtype:
                self.words.setdefault(node.pointer, "finite")

    def domain(self, value: Expression, word: str) -> None:
        """What feeds a value that must be positive, or between -1 and 1."""
        if (id(value), word) in self.told:
            return
        self.told.add((id(value), word))
        match value:
            case Load(pointer=pointer):
                if self.words.get(pointer, "finite") == "finite":
                    self.words[pointer] = word
            case Cast(operand=operand) | Broadcast(operand=operand):
                self.domain(operand, word)
            case (
                Reduction(name="sum" | "max" | "min" | "fmax" | "prod", inputs=(operand, *_))
                | Scan(inputs=(operand, *_))
            ) if word in {"positive", "count"}:
                self.domain(operand, word)
            case Operation(name="add", inputs=inputs_) if word in {"positive", "count"}:
                for one in inputs_:
                    self.domain(one, word)
            case Operation(name="mul", inputs=(left, right)) if word in {"positive", "count"} and left is not right:
                self.domain(left, word)
                self.domain(right, word)
            case Operation(name="div", inputs=(left, right)) if word in {"positive", "count"}:
                self.domain(left, word)
                self.domain(right, word)
            case Operation(name="maximum" | "minimum", inputs=(left, right)) if word in {"positive", "count"}:
                if not any((told := number(one)) is not None and told >= 0 for one in (left, right)):
                    self.domain(left, word)
                    self.domain(right, word)
            case Operation(name="neg", inputs=(operand,)) if word in {"positive", "count"}:
                self.bias_correction(operand)
            case Operation(name="sub") if word in {"positive", "count"}:
                self.bias_correction(value)
            case Operation(name="where", inputs=(_, one, other)):
                self.domain(one, word)
                self.domain(other, word)

    def bias_correction(self, value: Expression) -> None:
        """`1 - beta ** step`, or less that: the step is positive."""
        for node in value.operands:
            match seen(node):
                case Operation(name="pow", inputs=(base, power)) if 0 < (number(base) or 0) < 1:
                    self.domain(power, "positive")
