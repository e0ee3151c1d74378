"""Records as JSON and back: a record's fields are the keys of its document.

No library does it: a text may stand as a list of lines, a float that JSON has not as a text, and every command imports this at its start.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeVar

Record = TypeVar("Record")


def to_dict(record: Any, *, lines: bool = False) -> Any:
    """A record as what JSON can hold; with `lines`, a text of several lines becomes a list of lines.

    JSON has no infinity and no NaN: they become the strings `inf`, `-inf` and `nan`, which `float` reads.
    """
    if dataclasses.is_dataclass(record):
        return {
            field.name: _text(value, lines)
            if isinstance(value := getattr(record, field.name), str)
            else to_dict(value, lines=lines)
            for field in dataclasses.fields(record)
        }
    if isinstance(record, Mapping):
        return {str(key): to_dict(value, lines=lines) for key, value in record.items()}
    if isinstance(record, (set, frozenset)):
        return sorted(to_dict(value, lines=lines) for value in record)
    if isinstance(record, (list, tuple)):
        return [to_dict(value, lines=lines) for value in record]
    if isinstance(record, float) and not math.isfinite(record):
        return str(record)
    return record if record is None or isinstance(record, (bool, int, float, str)) else str(record)


STEERING = (*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Characters by which a text steers a terminal: C0 and C1 but newline and tab, and those that turn the writing's direction."""
REPLACED = dict.fromkeys(STEERING, "\N{REPLACEMENT CHARACTER}")
"""For `str.translate`: text for people, in which they show as what they are not."""
_ESCAPED = {character: f"\\u{character:04x}" for character in STEERING}


def printed(data: Any, width: int = 200) -> str:
    """A document as JSON text that reads well and differs line by line: what fits into a line stands in one.

    Whatever a log held, the text steers no terminal: such characters are escaped.
    """
    return "\n".join(_lines(data, "", "", width)).translate(_ESCAPED) + "\n"


def _lines(data: Any, indent: str, end: str, width: int) -> Iterator[str]:
    short = json.dumps(data, ensure_ascii=False, allow_nan=False)
    if len(indent) + len(short) <= width or not isinstance(data, (dict, list)) or not data:
        yield f"{indent}{short}{end}"
        return
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    items = (
        [(f"{json.dumps(k, ensure_ascii=False)}: ", v) for k, v in data.items()]
        if isinstance(data, dict)
        else [("", v) for v in data]
    )
    yield f"{indent}{opening}"
    for position, (key, value) in enumerate(items):
        first, *rest = _lines(value, indent + " ", "," if position < len(items) - 1 else "", width - len(key))
        yield f"{indent} {key}{first.lstrip()}"
        yield from rest
    yield f"{indent}{closing}{end}"


def from_dict(cls: type[Record], data: Any) -> Record:
    """The record that `to_dict` wrote. Unknown keys are left alone; raises ValueError where the data does not fit."""
    read: Callable[[Any], Record] = _reader(typing.cast(Any, cls))
    return read(data)


def _text(text: str, lines: bool) -> str | list[str]:
    return text.split("\n") if lines and "\n" in text else text


Reader = Callable[[Any], Any]


@cache
def _reader(kind: Any) -> Reader:
    """What makes a value of this type of a document's data: a type's annotations are read once, and not for each of its values."""
    if dataclasses.is_dataclass(kind):
        return _record_reader(kind)
    if typing.is_typeddict(kind):
        return _partial_reader(kind)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(inner)
    if origin is tuple:
        return _tuple_reader(inner)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        value = _reader(inner[1])
        return lambda data: {key: value(item) for key, item in _items(data)}
    if kind in (str, int, bool, float, types.NoneType):
        return partial(_plain, kind)
    return lambda data: data


def _record_reader(kind: Any) -> Reader:
    fields = [(name, _reader(hint)) for name, hint in typing.get_type_hints(kind).items()]

    def read(data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ValueError(f"expected a {kind.__name__}, found {data!r}")
        return kind(**{name: reader(data[name]) for name, reader in fields if name in data})

    return read


def _partial_reader(kind: Any) -> Reader:
    """Of a dict that has some of these keys."""
    readers = {name: _reader(hint) for name, hint in typing.get_type_hints(kind).items()}
    return lambda data: {key: readers[key](item) if key in readers else item for key, item in _items(data)}


def _items(data: Any) -> Iterable[tuple[Any, Any]]:
    if not isinstance(data, Mapping):
        raise ValueError(f"expected an object, found {data!r}")
    return data.items()


def _tuple_reader(inner: Sequence[Any]) -> Reader:
    if inner[-1] is Ellipsis:
        each, plain = _reader(inner[0]), {inner[0]}  # most are names or numbers, and need no reading
        return lambda data: tuple(data) if {*map(type, data)} == plain else tuple([each(value) for value in data])
    readers = [_reader(item) for item in inner]
    return lambda data: tuple([reader(value) for reader, value in zip(readers, data, strict=True)])


def _union_reader(options: Sequence[Any]) -> Reader:
    """Of the first option that the data fits."""
    readers = [_reader(option) for option in options]
    empty = types.NoneType in options

    def read(data: Any) -> Any:
        if data is None and empty:
            return None
        for reader in readers:
            try:
                return reader(data)
            except (TypeError, ValueError):
                continue
        raise ValueError(f"expected one of {options}, found {data!r}")

    return read


def _plain(kind: type, data: Any) -> Any:
    if type(data) is kind:
        return data
    if kind is str and isinstance(data, list):
        return "\n".join(data)
    if kind is float and isinstance(data, (int, float, str)) and not isinstance(data, bool):
        return float(data)
    raise ValueError(f"expected {kind.__name__}, found {data!r}")
