"""The tensors of a kernel with symbols in their types, and where a launcher finds each symbol in their shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from inductor_lab.eject.generalize.dimensions import gap
from inductor_lab.eject.generalize.symbols import Symbols, product
from inductor_lab.eject.refusal import UndeterminedError
from inductor_lab.eject.tensors import Tensor
from inductor_lab.records import SizeLike, TensorType


class Shapes:
    """Writes the tensors of one kernel in symbols."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols, self.dimensions = symbols, symbols.dimensions

    def tensor(self, tensor: Tensor) -> Tensor:
        return replace(tensor, symbolic=self._type(tensor))

    def bindings(self, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, str]]:
        """Where each symbol is found, in what is read if it can be: as a dimension, else as a part of one."""
        ordered = sorted(tensors.values(), key=lambda tensor: tensor.role == "out")
        names = self.symbols.names
        known = {
            self.symbols.name(gap(tensor.parameter, place)): f"{tensor.name}.stride({place.number})"
            for tensor in ordered
            for place in self.dimensions.places[tensor.parameter]
            if place.gap
        }
        for _ in range(len(names) + 1):
            for tensor in ordered:
                for place in sorted(self.dimensions.places[tensor.parameter], key=lambda place: place.number):
                    symbols = self.symbols.dimension(tensor.parameter, place)
                    unknown = [symbol for symbol in symbols if symbol not in known and not symbol.isdecimal()]
                    if len(unknown) == 1:
                        rest = [known.get(symbol, symbol) for symbol in symbols if symbol not in unknown]
                        known[unknown[0]] = _quotient(f"{tensor.name}.shape[{place.number}]", rest)
        for digit, name in names.items():
            if name not in known:
                raise UndeterminedError(f"the shapes do not tell how {digit.size} is a part of their products")
        yield from ((name, known[name]) for name in names.values())

    def _type(self, tensor: Tensor) -> TensorType | None:
        places = {place.number: place for place in self.dimensions.places[tensor.parameter]}
        if not places:
            return None
        shape: list[SizeLike] = list(tensor.type.shape)
        stride: list[SizeLike] = []
        for n, place in places.items():
            shape[n] = product(self.symbols.dimension(tensor.parameter, place))
        for n, step in enumerate(tensor.type.stride):
            if n in places:
                symbols = self.symbols.stride(tensor.parameter, places[n])
            else:  # one element: it steps over a whole dimension, or over nothing
                over = next((place for place in places.values() if place.stride * place.size == step), None)
                symbols = () if over is None else (*self.symbols.stride(tensor.parameter, over), *self.symbols.dimension(tensor.parameter, over))  # fmt: skip
            stride.append(product(symbols))
        return TensorType(tensor.type.dtype, tuple(shape), tuple(stride))


def _quotient(size: str, divisors: list[str]) -> str:
    if not divisors:
        return size
    if len(divisors) == 1 and "//" not in divisors[0]:
        return f"{size} // {divisors[0]}"
    return f"{size} // ({' * '.join(f'({each})' if '//' in each else each for each in divisors)})"
