"""The documents can be read by who does not know the project: short sentences, a short map, examples that work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from inductor_lab.computation.operators import Operator
from inductor_lab.gpus import KIB, MIB, Card
from inductor_lab.read import events
from inductor_lab.read.artifacts import ARTIFACTS, Artifact

ROOT = Path(__file__).parents[1]
HAND = (ROOT / "inductor_lab" / "kernels").glob("*/README.md")
PAGES = sorted({*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md"), *HAND} - {ROOT / "docs" / "files.md"})
"""All but the index, whose sentences are the modules' own."""
LONGEST = 40
"""Words of a sentence."""
MAP = 800
"""Words of docs/architecture.md."""

LEFT_OUT = (
    re.compile(
        r"^<!-- (?P<name>\w+).*?^<!-- (?:/|end of )(?P=name) -->$", re.MULTILINE | re.DOTALL
    ),  # what a script makes
    re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL),
    re.compile(r"^ {4,}(?![-*] |\d+\. ).*$", re.MULTILINE),  # code; of a list in a list there is none
    re.compile(r"^ *\|.*$", re.MULTILINE),  # tables
    re.compile(r"^!\[.*$", re.MULTILINE),  # pictures
)


def prose(text: str) -> Iterator[str]:
    """The paragraphs and items of a page, each on one line; code is one word, and a link its text."""
    for pattern in LEFT_OUT:
        text = pattern.sub("\n", text)
    for part in re.split(r"\n\s*\n|\n(?= *[-*] | *\d+\. |#)", text):
        line = re.sub(r"(`+).+?\1", "code", " ".join(part.split()))
        yield re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)


def sentences(text: str) -> Iterator[str]:
    for part in prose(text):
        yield from re.split(r"(?<=[.?!])[\"')*]* +", part)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_is_long(page: Path) -> None:
    long = [one for one in sentences(page.read_text(encoding="utf-8")) if len(one.split()) > LONGEST]
    assert not long


def test_what_counts_as_a_sentence() -> None:
    text = "One `two words` [three](x.md). Four\nfive.\n\n- Six\n\n| a | table |\n\n    code\n\n<!-- t: made -->\nmade\n<!-- /t -->\n```\ncode\n```\n"
    assert [one for one in sentences(text) if one] == ["One code three.", "Four five.", "- Six"]


def headings(page: Path) -> set[str]:
    """What a link says behind `#`."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8"))
    ends = [(page.parent / file if file else page, place) for file, _, place in (one.partition("#") for one in links)]
    assert not [str(end) for end, _ in ends if not end.exists()]
    assert not [place for end, place in ends if place and end.suffix == ".md" and place not in headings(end)]


def test_the_map_is_short() -> None:
    assert len((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split()) < MAP


def test_the_rows_that_adding_shows_are_rows() -> None:
    """A new operator, card and artifact as docs/adding.md writes them."""
    text = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
    known = {"Operator": Operator, "Card": Card, "Artifact": Artifact, "events": events, "MIB": MIB, "KIB": KIB}
    operator, card, artifact = (
        eval(re.search(rf"^ +({kind}\(.*?\)),\n\n", text, re.MULTILINE | re.DOTALL)[1], dict(known))  # type: ignore[index]
        for kind in ("Operator", "Card", "Artifact")
    )
    assert operator.c == operator.name == "fdim" and card.arch == "sm_90"
    assert artifact in ARTIFACTS
