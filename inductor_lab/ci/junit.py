"""Checks as JUnit XML, as Jenkins' schema has it (junit-10.xsd), which GitLab and the GitHub actions that show test reports read too. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

from inductor_lab.ci.checks import Check

SUITE = "inductor-lab diff"
ELEMENTS = {"failed": "failure", "error": "error", "skipped": "skipped"}
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold: a compiler's message can be coloured."""


def junit(checks: Sequence[Check], properties: Mapping[str, str], began: datetime | None = None) -> str:
    """One test suite: a test case for each check, named by the file and by whom it was held against."""
    counts = {
        "tests": str(len(checks)),
        "failures": str(_count(checks, "failed")),
        "errors": str(_count(checks, "error")),
        "time": f"{sum(check.seconds for check in checks):.3f}",
    }
    root = Xml.Element("testsuites", {"name": SUITE, **counts})
    when = f"{began or datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"
    skipped = {"skipped": str(_count(checks, "skipped"))}
    suite = Xml.SubElement(root, "testsuite", {"name": SUITE, **counts, **skipped, "timestamp": when})
    told = Xml.SubElement(suite, "properties")
    for name, value in properties.items():
        Xml.SubElement(told, "property", {"name": name, "value": _clean(value)})
    for check in checks:
        name = f"against {_clean(check.name)}"
        attributes = {"classname": _clean(check.file), "name": name, "time": f"{check.seconds:.3f}"}
        _told(Xml.SubElement(suite, "testcase", attributes), check)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _told(case: Xml.Element, check: Check) -> None:
    """What became of a test case."""
    sentence = _clean(check.sentence)
    if check.outcome == "passed":
        Xml.SubElement(case, "system-out").text = sentence
        return
    of_type = {} if check.outcome == "skipped" else {"type": "slower" if check.outcome == "failed" else "error"}
    Xml.SubElement(case, ELEMENTS[check.outcome], {"message": sentence, **of_type}).text = sentence


def _count(checks: Sequence[Check], outcome: str) -> int:
    return sum(check.outcome == outcome for check in checks)


def _clean(text: str) -> str:
    return NO_XML.sub("", text)
