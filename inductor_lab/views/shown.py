"""What every object of Python's has that the command line can show: text where it is printed, HTML in a notebook."""

from __future__ import annotations

from typing import Any


class Shown:
    """Shown as the command line shows it."""

    def __rich__(self) -> Any:
        raise NotImplementedError

    def __str__(self) -> str:
        from inductor_lab.report import render

        return render.text(self.__rich__()).rstrip()

    def _repr_html_(self) -> str:
        from inductor_lab.report import markup

        return markup.html(self.__rich__())


class OfRecord(Shown):
    """Every field of its record can be asked for here too."""

    record: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "record":  # copy and pickle ask before there is a record
            raise AttributeError(name)
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.record == other.record
