"""Which kernels are listed and in what order: fields, texts, orders, and what is said of what was cut."""

from __future__ import annotations

import pytest
from rich.console import Console

from inductor_lab.errors import LabError
from inductor_lab.listing import FIELDS, ORDERS, chosen, parts
from inductor_lab.records import Called, CompileEvent, Gpu, Listed
from inductor_lab.report import lists, render
from inductor_lab.report.render import folded


def row(number: int, **more: object) -> Listed:
    known: dict[str, object] = {
        "id": f"run:{number}", "name": f"triton_poi_fused_{number}", "title": "relu(x)", "recognised": (),
        "category": "pointwise", "body_sha256": f"{number:08x}", "graph": "0_forward", "graphs": ("0_forward",),
        "kinds": ("forward",), "launches": 1, "read": 60, "written": 40, "flops": 0, "seconds": 1e-9, "limit": "launch",
        "least": False, "floor": 2e-6, "all_bytes": 100, "all_seconds": 2e-6,
        "ops": ("maximum",), "source": ("model.py:9",), "code": ("x = relu(y)",),
    }  # fmt: skip
    return Listed(**{**known, **more})  # type: ignore[arg-type]


ROWS = (
    row(0, all_bytes=300, all_seconds=5e-6, launches=3),
    row(1, title="rms_norm, 8 rows of 64 bf16", recognised=("rms_norm",), category="reduction", ops=("sum", "rsqrt"),
        source=("norm.py:29",), code=("return x * torch.rsqrt(m)",)),
    row(2, all_bytes=None, all_seconds=None, category="template"),
    row(3, all_bytes=600, all_seconds=9e-6, category="persistent_reduction", graph="1_backward", graphs=("1_backward",),
        kinds=("backward",), source=("model.py:31",)),
    row(4, all_bytes=300, all_seconds=5e-6, source=()),
)  # fmt: skip


def called(name: str, calls: int, moved: int | None, seconds: float | None) -> Called:
    return Called(calls, None, None, None, None, "", True, None, moved, seconds, name=name)


def ids(*filters: str, sort: str = "", top: int | None = None) -> str:
    return "".join(one.id[-1] for one in chosen(ROWS, filters, sort, top).rows)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("category:reduction", "1"),
        ("category:*reduction", "13"),
        ("category:persistent reduction", "3"),
        ("kind:backward", "3"),
        ("graph:0_*", "0124"),
        ("op:rsqrt", "1"),
        ("op:sqrt", ""),
        ("source:norm.py:29", "1"),
        ("source:model.py", "023"),
        ("source:odel.py", ""),
        ("code:rsqrt", "1"),
        ("recognised:rms_norm", "1"),
        ("title:NORM", "1"),
        ("name:fused_3", "3"),
        ("rms_norm", "1"),
        ("model.py:31", "3"),
        ("[8", ""),
        ("template", "2"),
    ],
)
def test_a_filter_is_a_text_or_a_field_and_its_value(text: str, found: str) -> None:
    assert ids(text) == found


def test_all_filters_must_hold() -> None:
    assert ids("kind:forward", "source:model.py", sort="bytes") == "02"


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", "01234"),
        ("bytes", "30412"),
        ("cost", "30412"),
        ("launches", "01234"),
        ("name", "01234"),
        ("source", "02314"),
        ("category", "30412"),
        ("order", "01234"),
    ],
)
def test_sorting_is_stable_and_what_is_not_known_is_last(sort: str, order: str) -> None:
    assert ids(sort=sort) == order


def test_the_worst_is_what_may_gain_most_and_a_counter_is_last() -> None:
    large = row(0, all_bytes=4 * 10**9, bound=1e-3, estimate=1.01e-3)
    slow = row(1, all_bytes=10**8, bound=25e-6, estimate=700e-6)
    counter = row(2, all_bytes=48, bound=1e-11, estimate=2e-11, all_seconds=90e-6, launches=45)
    product = row(3, bound=200e-6, category="template")  # of which nothing is estimated
    unknown = row(4, bound=None, all_bytes=None)
    assert [one.id[-1] for one in chosen((counter, unknown, large, product, slow), sort="gap").rows] == list("10234")
    assert [one.id[-1] for one in chosen((counter, large, slow), sort="bound").rows] == list("012")
    assert [one.id[-1] for one in chosen((counter, large, slow), top=1).rows] == ["1"]
    assert product.gap == 0.0 and unknown.gap is None


def test_top_is_of_the_worst_unless_sorted_otherwise() -> None:
    assert ids(top=2, sort="cost") == "30"
    assert ids(top=2, sort="launches") == "01"
    assert chosen(ROWS, top=2).said == "2 of 5 kernels, by estimate less bound: what an edit may gain"
    assert chosen(ROWS, ("kind:forward",), "bytes", 1).said == "1 of 5 kernels (4 match), by the bytes of all launches"
    assert chosen(ROWS).said == ""


@pytest.mark.parametrize(
    ("filters", "sort", "message"),
    [
        (("categry:x",), "", "--filter knows no field 'categry': did you mean category? It takes"),
        (("",), "weight", "--sort knows no 'weight'"),
        ((), "byte", "did you mean bytes?"),
    ],
)
def test_what_is_not_known_is_one_sentence(filters: tuple[str, ...], sort: str, message: str) -> None:
    with pytest.raises(LabError) as error:
        chosen(ROWS, filters, sort)
    assert message in str(error.value)


def test_parts_are_of_what_could_be_counted() -> None:
    assert parts(ROWS) == {"run:0": 300 / 1300, "run:1": 100 / 1300, "run:3": 600 / 1300, "run:4": 300 / 1300}
    assert parts(()) == {}


def test_every_field_and_order_says_what_it_is() -> None:
    assert all(field.says for field in FIELDS.values()) and all(order.words for order in ORDERS.values())


def test_a_pipe_gets_a_line_a_kernel_of_140_columns() -> None:
    long = row(7, name="triton_" + "very_" * 60 + "long", title="x + y " * 60)
    lines = render.text(lists.kernels((*ROWS, long), parts(ROWS), whole=True)).splitlines()
    assert len(lines) == 1 + 6 and max(map(len, lines)) == 140
    assert "name" not in lines[0] and lines[-1].endswith("…")
    assert "triton_poi_fused_0" in render.text(lists.kernels(ROWS, parts(ROWS), whole=True))  # where there is room


@pytest.mark.parametrize("width", [60, 80, 100, 160, 220])
def test_a_terminal_gets_what_has_room_and_the_share_always(width: int) -> None:
    console = Console(width=width, color_system=None, force_terminal=True)
    with console.capture() as printed:
        console.print(lists.kernels(ROWS, parts(ROWS)))
    lines = printed.get().splitlines()
    assert max(map(len, lines)) <= width
    assert "share" in lines[0] and "46.2%" in printed.get() and "rms_norm" in printed.get()
    assert ("source" in lines[0]) == (width > 100)


def test_below_the_rows_stand_the_sums_the_library_calls_and_why_there_are_several_graphs() -> None:
    library = (called("mm", 20, 9 * 10**8, 4e-4), called("topk", 1, None, None))
    kinds = ("forward", "backward", "forward")
    cut, sums, beside = lists.told("2 of 5 kernels", ROWS[:2], ROWS, library, Gpu("NVIDIA H200", "sm_90", True), kinds)
    assert cut == "2 of 5 kernels; they move 30.8% of all bytes"
    assert sums == (
        "5 kernels in 7 launches move 1.3 KB, at least 21.0 us on an H200, 1 kernel not counted; "
        "3 graphs: 2 forward, 1 backward"
    )
    assert beside == "beside them 21 library calls, at least 900.0 MB and 400.0 us: 20 mm (900.0 MB, 400.0 us); 1 topk"
    breaks = [CompileEvent("graph_break", f"model.py:{line}", "print is not traced\nmore") for line in range(5)]
    (told,) = lists.events(breaks)
    assert told.startswith("5 graph breaks: model.py:0 (print is not traced); ") and told.endswith("; and 2 more")
    assert list(lists.events([])) == []


def test_what_launching_costs_is_told_where_it_is_a_good_part() -> None:
    gpu = Gpu("NVIDIA H200", "sm_90", True)
    short = lists.totals([row(0, all_seconds=2e-6, bound=1e-9)] * 3, gpu, ())
    assert "at least 6.0 us on an H200, 6.0 us of it for launching; 0 graphs" in short
    assert "launching" not in lists.totals([row(0, all_seconds=50e-6, bound=50e-6)] * 3, gpu, ())


def test_a_log_ends_no_line_of_a_table() -> None:
    hostile = row(8, title="a\nb\x1b[31m", name="c\n\nd")
    text = render.text(lists.kernels((hostile,), {}, whole=True))
    assert "a b" in text and "\x1b" not in text and len(text.splitlines()) == 2


def test_text_is_cut_between_words_and_wide_letters_count_twice() -> None:
    assert list(folded("one two three", 7)) == ["one two", "three"]
    assert list(folded("abcdefghij", 4)) == ["abcd", "efgh", "ij"]
    assert list(folded("漢字漢字", 4)) == ["漢字", "漢字"]
    assert list(folded("", 4)) == [""]
