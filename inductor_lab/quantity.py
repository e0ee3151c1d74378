"""Numbers as people read them: bytes, times, parts, shapes, dtypes."""

from __future__ import annotations

from inductor_lab.dtypes import SHORT
from inductor_lab.records import TensorType, Timing
from inductor_lab.records.size import contiguous


def size(count: int | None) -> str:
    """Bytes: `512 B`, `4.1 KB`, `50.3 MB`; a dash where they are not known."""
    if count is None:
        return "–"
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} B"


def duration(seconds: float) -> str:
    """`4 ns`, `11.8 us`, `1.20 ms`."""
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.2f} ms"
    if seconds >= 1e-6:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e9:.0f} ns" if seconds >= 1e-9 else "under 1 ns"


def rate(per_second: float) -> str:
    """`4.28 TB/s`."""
    return f"{per_second / 1e12:.2f} TB/s"


def operations(count: int) -> str:
    """`25.8 GFLOP`."""
    for unit, scale in (("TFLOP", 1e12), ("GFLOP", 1e9), ("MFLOP", 1e6), ("KFLOP", 1e3)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} FLOP"


def took(time: Timing) -> str:
    """`11.90 us (11.80 to 12.00)`: the median with its interval."""
    low, high = time.interval
    return f"{time.median:.2f} us ({low:.2f} to {high:.2f})"


def shape(type_: TensorType | None) -> str:
    """`f32[4096, 1024]`; empty where the type is not known. Strides are added where the tensor is not contiguous."""
    if type_ is None:
        return ""
    inside = ", ".join(str(s) for s in type_.shape)
    text = f"{SHORT.get(type_.dtype, type_.dtype)}[{inside}]"
    known = all(isinstance(size, int) for size in type_.shape[1:])
    if known and type_.stride == contiguous(type_.shape):
        return text
    return f"{text} strides ({', '.join(str(s) for s in type_.stride)})"


def article(label: str) -> str:
    """`an H200`, `a B200`, `an MI300X`, `an RTX 4090`: by how the first letter is spoken."""
    return "an" if label[:1].upper() in "AEFHILMNORSX" else "a"


def plural(count: int, word: str) -> str:
    """`1 program`, `4,096 programs`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def percent(part: float) -> str:
    """A part as `45 %`, `0.0085 %`, `1.2e-05 %`: two digits, or more before the point."""
    return f"{100 * part:,.0f} %" if part >= 0.1 else f"{100 * part:.2g} %"


def number(value: float, digits: int = 4) -> str:
    """`0.7418`, `inf`, `NaN`."""
    return "NaN" if value != value else f"{value:.{digits}g}"


def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with four digits each, or with more, until these show within a tenth how far apart they are."""
    gap, told = abs(one - other), ("", "")
    for digits in range(4, 18):
        told = number(one, digits), number(other, digits)
        if not abs(abs(float(told[0]) - float(told[1])) - gap) > gap / 10:  # so also where one is no number
            break
    return told
