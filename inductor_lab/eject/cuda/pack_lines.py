"""How several elements at once are loaded and stored.

const auto x_pack = load<VEC>(x_ptr + first);
Pack<float, VEC> out_pack;                     its elements are set one by one
store(out_ptr + first, out_pack);
"""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.computation.schedule import Access
from inductor_lab.eject.cuda.code import SUM, TRUE
from inductor_lab.eject.cuda.numbers import stored
from inductor_lab.eject.cuda.page import Page, Place, place_of
from inductor_lab.eject.cuda.statements import Statements
from inductor_lab.eject.triton.nouns import noun


class PackLines:
    """The packs of one kernel, each with a variable of its own.

    Args:
        places: What is accessed for several elements at once.
    """

    def __init__(self, page: Page, statements: Statements, places: Mapping[Place, Access]) -> None:
        self.page, self.statements, self.places = page, statements, places
        self.left = ""
        """`, numel - first`, where the last pack may be no whole one."""
        self.stored = {place_of(store): store for store in reversed(page.found.stores) if place_of(store) in places}
        """What is stored or added at once; of several at one place, the first."""
        page.packs = {place: page.fresh(f"{self._word(access)}_pack") for place, access in places.items()}

    def _word(self, access: Access) -> str:
        loaded = access.value if access.kind == "load" else None
        tensors = self.page.tensors
        return tensors[access.pointer].name if loaded is None else noun(loaded, tensors, self.statements.roles)

    def type(self, place: Place) -> str:
        return f"Pack<{stored(self.page.tensors[place[0]].type.dtype)}, VEC>"

    def loaded(self, place: Place) -> str:
        """The elements of a load; zeros where its mask says no."""
        access = self.places[place]
        mask, call = self.statements.expressions.mask(access.mask), f"load<VEC>({self._address(access)}{self.left})"
        return call if mask == TRUE else f"{mask.text} ? {call} : {self.type(place)}{{}}"

    def store(self, place: Place, when: str = "") -> None:
        """Store or add what was set.

        Args:
            when: What must hold besides.
        """
        access = self.stored[place]
        function = "store" if access.kind == "store" else "add_all"
        if function == "add_all":
            self.page.helpers["add_all"] = None
        mask = self.statements.expressions.mask(access.mask)
        call = f"{function}({self._address(access)}, {self.page.packs[place]}{self.left});"
        tests = [test for test in (when, "" if mask == TRUE else mask.text) if test]
        self.page.emit(f"if ({' && '.join(tests)}) {call}" if tests else call)

    def _address(self, access: Access) -> str:
        expressions = self.statements.expressions
        return f"{expressions.pointer(access.pointer)} + {expressions.sum(access.index, access.pointer).at(SUM)}"
