"""The page in a browser, at three widths: it scrolls, sorts, searches, links and answers keys; what a log says stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import browsing
import pytest
from browsing import CHROMIUM, HOSTILE, MISSING, Page, hindrances
from folders import CAPTURED

from inductor_lab import shelf
from inductor_lab.report import html

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason=MISSING),
    pytest.mark.xdist_group("browser"),
    pytest.mark.slow,
]
WIDTHS = 400, 1000, 1600


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    driver, found = browsing.launch()
    yield found
    found.close()
    driver.stop()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(browsing.page(), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def tab(browser: Any, address: str) -> Callable[[int], Page]:
    """The tab of a width, which the tests use one after the other: a new one takes a process a second."""
    made = cache(lambda width: Page(browser, address, width))

    def anew(width: int) -> Page:
        made(width).tab.goto("about:blank")
        return made(width)

    return anew


@pytest.fixture(params=WIDTHS)
def page(tab: Callable[[int], Page], request: pytest.FixtureRequest) -> Iterator[Page]:
    found = tab(request.param)
    yield found
    assert found.said == []


def test_it_opens_on_what_may_gain_most(page: Page) -> None:
    page.open()
    assert page.heading == "page" and page.overflow() <= 0
    assert page.tab.get_attribute("th[aria-sort=descending]", "class") == "number"
    gains = page.tab.evaluate("HELD.kernels.map((kernel) => [kernel.cost.estimate - kernel.cost.bound, kernel.title])")
    assert page.titles()[0] in [title for gain, title in gains if gain == max(gains)[0]]
    assert "300 kernels" in page.text()


@pytest.mark.slow
def test_it_stays_where_it_is_scrolled_to(page: Page) -> None:
    page.open()
    page.tab.mouse.move(200, 500)
    for _ in range(12):
        page.tab.mouse.wheel(0, 900)
        page.tab.wait_for_timeout(30)
    page.tab.wait_for_timeout(150)
    first = page.tab.evaluate("scrollY")
    page.tab.wait_for_timeout(200)
    assert first > 3000 and page.tab.evaluate("scrollY") == first
    assert page.tab.locator(".costs tbody tr").count() > 60


def test_a_search_narrows_the_table_and_says_how_many_match(page: Page) -> None:
    page.open()
    page.key("/")
    page.tab.keyboard.type("sum_27")
    assert "sum 27" in page.titles() and len(page.titles()) == 11
    assert re.match(r"11 of \d+ match", page.text(".told"))
    assert page.route == "#costs?q=sum_27"
    page.key("Escape")
    assert len(page.titles()) > 50 and page.route == "#costs"
    page.tab.fill("#search", "model.py:12")
    assert page.titles() == ["relu of a sum"]
    page.tab.fill("#search", "library")
    assert page.titles() == ["mm"]
    page.tab.fill("#search", "nothing has this")
    assert page.titles() == [] and "Nothing matches" in page.text()


@pytest.mark.slow
def test_any_column_sorts_both_ways(page: Page) -> None:
    page.open()
    if page.tab.viewport_size["width"] < 700:
        page.tab.select_option(".sorter select", "order")
    else:
        page.tab.click("th button:text-is('#')")
    assert page.titles()[0] == "relu of a sum" and page.tab.locator("th[aria-sort=ascending]").count() == 1
    assert page.route == "#costs?sort=order"
    page.tab.click("th button:has-text('What it is')")
    down = page.titles()[:5]
    page.tab.click("th button:has-text('What it is')")
    assert page.titles()[:5] != down and page.tab.locator("th[aria-sort=descending]").count() == 1
    page.tab.click("th button:has-text('May gain')")
    assert page.tab.locator("th[aria-sort=descending]").inner_text().startswith("May gain")


@pytest.mark.slow
def test_the_roofline_has_library_calls_and_stays_within_its_picture(tab: Callable[[int], Page]) -> None:
    page = tab(1000).open("roofline")
    assert page.tab.locator(".point.call").count() == 1 and "matrix units" in page.text()
    places = page.tab.eval_on_selector_all(
        ".point circle", "all => all.map(one => [one.cx.baseVal.value, one.cy.baseVal.value])"
    )
    width, height = page.tab.evaluate(
        "(({ width, height }) => [width.baseVal.value, height.baseVal.value])(document.querySelector('.picture svg'))"
    )
    assert places and all(0 < x < width and 0 < y < height for x, y in places)


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1000])
def test_a_title_of_the_map_stays_within_its_row(tab: Callable[[int], Page], width: int) -> None:
    page = tab(width).open("map/0")
    ends = page.tab.eval_on_selector_all(
        ".step-row", "all => all.map(row => [row.querySelector('div').getBoundingClientRect().right, row.querySelector('rect').getBoundingClientRect().right])"
    )  # fmt: skip
    assert ends and all(text <= box for text, box in ends)


@pytest.fixture(scope="module")
def spanned(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of a capture in which spans are worth it."""
    file = tmp_path_factory.mktemp("spans") / "dlrm_h200.html"
    file.write_text(html.page(shelf.whole(str(CAPTURED / "dlrm_h200"))), encoding="utf-8")
    return file.as_uri()


@pytest.mark.slow
def test_a_span_leads_to_its_steps_on_the_map(browser: Any, spanned: str) -> None:
    page = Page(browser, spanned, 1000).open("spans")
    assert page.heading == "Spans" and page.overflow() <= 0
    assert "none of them reads what another one writes" in page.text()
    page.tab.click("a:text-is('26 x embedding')")
    page.tab.wait_for_selector(".span-mark.here", state="attached")
    assert page.route == "#map/0/8" and "step 9 of 41" in page.text(".step")
    assert "One of 26 steps that one kernel would do faster; it would save about 50.0 us." in page.text(".step")
    page.tab.focus(".map")
    page.key("Home")
    assert page.tab.locator(".span-mark.here").count() == 0  # the first step is part of none
    assert page.said == []
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1600, "dark")])
def test_nothing_stands_in_the_way_of_spans(browser: Any, spanned: str, width: int, scheme: str) -> None:
    page = Page(browser, spanned, width, scheme)
    for view in ("spans", "map/0/8"):
        page.open(view)
        page.tab.wait_for_timeout(50)
        assert hindrances(page) == [] and page.overflow() <= 0, view
    page.context.close()


def test_a_click_opens_a_kernel_and_back_returns(page: Page) -> None:
    page.open()
    page.tab.fill("#search", "sum_3")
    page.tab.click("a:text-is('sum 30')")
    page.tab.wait_for_selector("article")
    assert page.heading == "sum 30" and page.route == "#kernel/30" and page.overflow() <= 0
    page.tab.go_back()
    page.tab.wait_for_selector(".costs")
    assert "sum 30" in page.titles() and page.tab.input_value("#search") == "sum_3"


@pytest.mark.parametrize(
    ("route", "heading", "word"),
    [
        ("kernel/7", "sum 7", "Triton, line by line"),
        pytest.param("kernel/0/ptx", "relu of a sum", "add.f32", marks=pytest.mark.slow),
        pytest.param("call/0", "mm", "extern_kernels.mm", marks=pytest.mark.slow),
        pytest.param("roofline", "Roofline", "FLOP/byte", marks=pytest.mark.slow),
        ("map/0", "Map of a graph", "step 1 of"),
        pytest.param("program", "Your program", "torch.relu", marks=pytest.mark.slow),
        pytest.param("program", "Your program", "return x @ self.weight\nmm", marks=pytest.mark.slow),
        pytest.param("kernel/0/sass", "relu of a sum", "nvdisasm", marks=pytest.mark.slow),
        pytest.param("map/1", "Map of a graph", "No kernel is launched here", marks=pytest.mark.slow),
        pytest.param("costs?q=relu", "page", "relu of a sum", marks=pytest.mark.slow),
        pytest.param("kernel/nowhere", "There is no kernel nowhere here.", "All kernels", marks=pytest.mark.slow),
        pytest.param("%E0%A4%A/<img>", "page", "300 kernels", marks=pytest.mark.slow),
    ],
)
def test_an_address_leads_to_its_view(tab: Callable[[int], Page], route: str, heading: str, word: str) -> None:
    page = tab(1000).open(route)
    page.tab.wait_for_timeout(50)
    assert page.heading == heading and word in page.text() and page.overflow() <= 0
    assert page.said == []


@pytest.mark.slow
def test_keys_go_from_kernel_to_kernel_and_from_view_to_view(page: Page) -> None:
    page.open("costs?sort=order")
    page.open("kernel/5")
    page.key("j")
    assert page.route == "#kernel/6"
    page.key("ArrowLeft", "k")
    assert page.route == "#kernel/4" and page.heading == "sum 4"
    assert page.tab.evaluate("document.activeElement.tagName") == "H1"
    page.key("2")
    assert page.route == "#kernel/4/source" and "@triton.jit" in page.text("#panel")
    page.key("r")
    page.tab.wait_for_selector(".picture a")
    page.tab.focus(".picture a[tabindex='0']")
    page.key("ArrowRight")
    assert "FLOP/byte" in page.text(".told")
    page.key("m")
    page.tab.wait_for_selector(".map svg")
    page.tab.focus(".map")
    page.key("ArrowDown", "ArrowDown")
    assert "step 3 of" in page.text(".step")
    page.key("?")
    assert page.tab.is_visible("#help") and "the next kernel" in page.text("#help")
    page.key("Escape")
    assert not page.tab.is_visible("#help")
    page.key("Escape")
    assert page.route == "#costs"


def lit(page: Page, selector: str) -> list[str]:
    return [text.split("\n")[0] for text in page.tab.locator(f"{selector}.kin").all_inner_texts()]


@pytest.mark.slow
def test_what_is_pointed_at_lights_its_kin_in_all_panes(page: Page) -> None:
    page.open("kernel/0")
    line = page.tab.locator(".code tr", has_text="tmp8 = triton_helpers.maximum")
    line.hover()
    source, node = lit(page, ".origins li")
    assert "torch.relu" in source and node.startswith("relu = aten.relu")
    page.tab.mouse.move(1, 1)
    assert lit(page, ".origins li") == []
    line.focus()
    page.key("ArrowUp")
    assert len(lit(page, ".code tr")) == 1
    source = page.tab.locator(".origins li", has_text="torch.relu").first
    source.focus()
    assert [line.split()[0] for line in lit(page, ".code tr")] == ["12", "13", "15"]
    page.open("kernel/0/ptx")
    page.tab.locator(".code tr", has_text="tmp8 = triton_helpers.maximum").focus()
    assert len(lit(page, ".made")) == 10
    assert page.tab.evaluate("document.querySelector('#panel').scrollTop") > 200


def test_hostile_names_are_shown_and_not_obeyed(page: Page) -> None:
    page.open("kernel/1")
    assert page.heading == HOSTILE.strip() and page.overflow() <= 0
    assert page.tab.locator("img").count() == 0
    for view in ("costs", "program", "map/0", "spans", "roofline"):
        page.open(view)
        page.tab.wait_for_timeout(50)
        assert page.tab.locator("img").count() == 0 and page.overflow() <= 0, view
    assert page.tab.evaluate("document.scripts.length") == 2


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1600, "dark")])
def test_nothing_stands_in_a_reader_s_way(browser: Any, tmp_path: Path, width: int, scheme: str) -> None:
    """axe-core's rules of WCAG 2.1 AA, contrast among them."""
    file = tmp_path / "page.html"
    file.write_text(browsing.page(6), encoding="utf-8")
    page = Page(browser, file.as_uri(), width, scheme)
    for view in ("costs", "kernel/0", "kernel/0/ptx", "roofline", "map/0", "program", "call/0"):
        page.open(view)
        page.tab.wait_for_timeout(50)
        if view.startswith("kernel"):
            page.tab.locator(".code tr").nth(15).focus()
        assert hindrances(page) == [], view
    page.context.close()


@pytest.mark.slow
def test_the_theme_can_be_chosen(browser: Any, address: str) -> None:
    page = Page(browser, address, 1000).open()
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.tab.evaluate(background)
    page.tab.click("#theme")
    assert page.tab.evaluate(background) != light
    page.key("t")
    assert page.tab.evaluate(background) == light and page.said == []
    page.context.close()


@pytest.mark.slow
def test_it_prints_the_view_and_all_rows(browser: Any, address: str) -> None:
    page = Page(browser, address, 1000).open()
    page.tab.emulate_media(media="print")
    page.tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.tab.locator(".costs tbody tr").count() == 301
    assert not page.tab.is_visible(".top")
    page.context.close()


@pytest.mark.slow
def test_a_phone_keeps_the_tabs_on_one_line_and_the_program_in_one_column(browser: Any, address: str) -> None:
    """And the lines of the kernel before what they are from."""
    page = Page(browser, address, 400).open("kernel/0")
    page.tab.wait_for_timeout(50)
    tops = page.tab.eval_on_selector_all(".companion .tabs button", "all => all.map(one => one.offsetTop)")
    assert len(tops) > 2 and len(set(tops)) == 1
    body, beside = (page.tab.locator(one).bounding_box() for one in (".pane.body", ".companion"))
    assert body and beside and body["y"] + body["height"] <= beside["y"]
    page.open("program")
    page.tab.wait_for_timeout(50)
    line = "all => all.map(one => one.querySelector('code').getBoundingClientRect().left)"
    lefts = page.tab.eval_on_selector_all(".program li", line)
    assert lefts and len(set(lefts)) == 1 and page.overflow() <= 0
    page.context.close()


@pytest.mark.slow
def test_a_large_screen_has_three_panes(browser: Any, address: str) -> None:
    page = Page(browser, address, 3840).open("kernel/0/ptx")
    assert page.tab.locator(".pane").count() == 3 and page.overflow() <= 0
    page.tab.locator(".code tr", has_text="tmp8 = triton_helpers.maximum").focus()
    assert lit(page, ".origins li") and len(lit(page, ".made")) == 10
    page.context.close()


@pytest.mark.slow
def test_the_page_is_one_file_that_opens_from_anywhere(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "with space & #hash.html"
    file.write_text(browsing.page(3), encoding="utf-8")
    page = Page(browser, file.as_uri(), 1000).open("kernel/2")
    assert page.heading == "sum 2" and "20.0 us" in page.text() and page.said == []
    page.context.close()
