"""The report: complete, self-contained, and deaf to what posts say."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from audits.report import report_page
from audits.report.report_page import funnel_bars, report_html, write_report
from corpus.errors import StoreError
from corpus.records import Label
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.registry import STAGES
from evaluation.gold_threads.version_quality import quality_of_run
from tests.worlds import Plan, build_world

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Checker(HTMLParser):
    """Notes tags, addresses, and whether all elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "xlink:href", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _check(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def test_report_shows_everything(world: tuple[Workspace, Version]) -> None:
    label = Label(post_id="site:p00", in_scope=True, scope_reason="ok", gold_answer=("20", "5"))
    page = report_html(*world, [quality_of_run(*world, [label])])
    checker = _check(page)
    for text in (world[1].label, "college_level 1", "stage classify", "100.0 % [20.7, 100.0] (n=1)", "low_confidence"):
        assert text in page
    assert checker.tags.count("svg") == len(STAGES), "a bar for each stage"
    assert checker.tags.count("rect") == 2 * len(STAGES)
    assert "script" not in checker.tags
    assert '<mark class="equation">x + y = ' in page
    assert '<mark class="number slot">' in page
    assert "<math><mi>x</mi><mo>+</mo><mi>y</mi><mo>=</mo><mn>" in page
    assert all(address.startswith("https://forum.example/") for address in checker.addresses)


def test_probes_of_small_versions_are_shown(world: tuple[Workspace, Version], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "SIM, question removed" in report_html(*world)
    monkeypatch.setattr(report_page, "PROBES_UP_TO", 1)
    assert "SIM, question removed" not in report_html(*world)


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script><a href='javascript:x'>"
    workspace, version = build_world(tmp_path, Plan(texts={f"site:p{place:02d}": hostile for place in range(10)}))
    checker = _check(report_html(workspace, version))
    assert "script" not in checker.tags
    assert not any(address.startswith("javascript") for address in checker.addresses)


def test_funnel_widths() -> None:
    rows = [
        {"stage": "clean", "in": 200, "kept": 150, "dropped": {"a": 30, "b": 20}},
        {"stage": "classify", "in": 150, "kept": 150, "dropped": {}},
    ]
    assert [(bar["stage"], bar["bar"], bar["rest"]) for bar in funnel_bars(rows)] == [
        ("clean", 75.0, 25.0),
        ("classify", 75.0, 0.0),
    ]
    assert funnel_bars([]) == []


def test_the_first_cards_say_size_precision_license_and_date(world: tuple[Workspace, Version]) -> None:
    label = Label(post_id="site:p00", in_scope=True, scope_reason="ok", gold_answer=("20", "5"))
    cards = r'<div class="card"><b>(.*?)</b><span>(.*?)</span>'
    assert re.findall(cards, report_html(*world, [quality_of_run(*world, [label])])) == [
        ("10", "problems out of 19 posts"),
        ("100.0 %", "[20.7, 100.0] (n=1), answers by gold labels"),
        ("CC-BY-4.0", "license"),
        ("not stated", "last post retrieved"),
    ]
    assert re.findall(cards, report_html(*world))[1] == ("not audited", "precision of the answers")


def test_report_is_written(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    path = write_report(*world, tmp_path / "reports" / "report.html")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "no gold labels were given" in path.read_text(encoding="utf-8")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write"):
        write_report(*world, tmp_path / "file" / "report.html")


def test_report_without_the_run(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path)
    workspace.folder.remove("runs")
    page = report_html(workspace, version)
    assert "One dropped post" not in page
    _check(page)
