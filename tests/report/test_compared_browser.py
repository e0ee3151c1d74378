"""The page of two captures in a browser: pairs side by side, what differs marked, names of a log as text; at 400 pixels and in the dark too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import browsing
import pytest
from browsing import CHROMIUM, HOSTILE, MISSING, Page, hindrances

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason=MISSING),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver, found = browsing.launch()
    yield found
    found.close()
    driver.stop()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(browsing.compared_page(), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(params=[pytest.param(400, marks=pytest.mark.slow), 1280])
def page(browser: Any, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    found = Page(browser, address, request.param)
    yield found
    assert found.said == []
    found.context.close()


def states(page: Page) -> list[str]:
    return list(page.tab.locator(".costs tbody td:nth-child(3)").all_text_contents())


@pytest.mark.slow
def test_it_opens_on_both_captures_and_every_pair(page: Page) -> None:
    page.open()
    assert HOSTILE.split()[0] in page.heading and page.overflow() <= 0
    assert states(page) == ["changed", "added", "removed", "moved", "same", "same"]
    assert page.tab.locator("mark", has_text="2.14.0,").count() == 1
    assert page.tab.locator("img").count() == 0
    page.key("/")
    page.tab.keyboard.type("relu")
    assert states(page) == ["changed"] and page.route == "#overview?q=relu"
    page.tab.click(".stats a >> nth=1")
    page.tab.wait_for_function("document.querySelectorAll('.costs tbody tr').length === 1")
    assert states(page) == ["moved"] and page.tab.input_value("#search") == "state:moved"


@pytest.mark.slow
def test_a_pair_shows_what_differs_and_folds_what_does_not(page: Page) -> None:
    page.open("pair/0")
    assert page.text("[role=tab][aria-selected=true]").split() == ["Triton", "1"]
    changed = page.tab.locator("tr.changed")
    assert changed.locator("mark").all_inner_texts() == ["0.5", "0.25"]
    assert page.tab.locator(".fold").all_inner_texts() == ["7 lines alike", "2 lines alike"]
    rows = page.tab.locator(".beside tbody tr").count()
    page.tab.click(".fold button >> nth=0")
    assert page.tab.locator(".beside tbody tr").count() == rows + 6 and page.tab.locator(".fold").count() == 1
    page.key("3")
    assert page.route == "#pair/0/ptx" and page.text("tr.changed mark >> nth=0") == "add"
    assert page.tab.locator("td", has_text="28 a thread").locator("mark").all_inner_texts() == ["28"]
    assert page.overflow() <= 0
    page.key("j")
    assert page.route == "#pair/1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("route", "word"),
    [
        ("pair/1", "Only </script>"),
        ("pair/2", "removed"),
        ("pair/3", "0_inference:20 before, 0_inference:60 now"),
        ("pair/4", "Nothing that counts differs."),
        ("pair/2/computation", "store out_ptr0"),
        ("pair/nowhere", "There is no pair nowhere here."),
        ("program", "torch.relu"),
    ],
)
def test_an_address_leads_to_its_view(page: Page, route: str, word: str) -> None:
    page.open(route)
    assert word in page.text() and page.overflow() <= 0
    assert page.tab.locator("img").count() == 0 and page.tab.evaluate("document.scripts.length") == 2


@pytest.mark.slow
def test_a_phone_has_one_line_for_what_is_alike_and_two_for_what_changed(browser: Any, address: str) -> None:
    page = Page(browser, address, 400).open("pair/0")
    assert not page.tab.is_visible("tr.alike td.old >> nth=0") and page.tab.is_visible("tr.alike td.new >> nth=1")
    old, new = (page.tab.locator(f"tr.changed pre >> nth={at}").bounding_box() for at in (0, 1))
    assert old["x"] == new["x"] and old["y"] + old["height"] <= new["y"]
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1280, "light")])
def test_nothing_stands_in_a_reader_s_way(browser: Any, address: str, width: int, scheme: str) -> None:
    page = Page(browser, address, width, scheme)
    for view in ("overview", "pair/0", "pair/0/ptx", "pair/1", "pair/3", "program"):
        page.open(view)
        page.tab.wait_for_timeout(50)
        assert hindrances(page) == [], view
    page.context.close()
