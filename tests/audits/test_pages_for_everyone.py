"""Every page on a wide and a narrow screen, light and dark: nothing to find for axe, nothing wider than the screen.

``make pictures`` lets these tests write what they see to docs/pictures.
"""

import base64
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_core_python.base import AXE_FILE_PATH

from audits.report.report_page import Comparison, comparison_html, report_html
from audits.sheets.audit_sheets import Verdict, page_of, read_sheet
from audits.sheets.drawing import Draw, write_sample
from audits.sheets.label_sheets import LabelRow, label_page, page_of_slots, read_sheet_rows
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.code import ROOT
from curation.equivalence.open_slots import slot_sheet
from evaluation.corpus_figures.comparison import stats
from tests.audits.sheets.sheet_files import sheet_file
from tests.browser import Browser, Page, browser, find_browser
from tests.tiers import in_turn
from tests.worlds import Plan, build_world

PICTURES = ROOT / "docs/pictures"
WRITE = "WORDQUARRY_PICTURES"
FINDINGS = """axe.run().then((found) => found.violations
  .map((one) => one.id + ': ' + one.nodes.map((node) => node.target + ' ' + node.failureSummary).join('; ')))"""
"""What axe finds on a page."""
SCREENS = {"wide": (1280, 900), "narrow": (390, 844)}
STORY = "Ann has 12 pens and Tom has 12 hats. Both take 40 less 12?"
LABELS = (
    LabelRow(post_id="site:1", question="Half of 12 pens?", answers=("6", "six"), probability=0.51, outcome="ok"),
    LabelRow(
        post_id="site:2", question="What is a prime?", probability=0.48, outcome="general", scope_reason="general"
    ),
    LabelRow(post_id="site:3", question="Is 51 prime, and 57?", answers=("no",), probability=0.44, outcome="multiple"),
)
PAGES = ("sheet", "slots", "labels", "report", "comparison")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    executable = find_browser()
    if executable is None:
        pytest.skip("needs a browser: apt-get install chromium")
    with browser(executable) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each kind of page as a file."""
    place = tmp_path_factory.mktemp("pages")
    workspace, version = build_world(place, Plan(posts=24, texts={"site:p05": "Let me think. " * 400}))
    sheet = read_sheet(write_sample(workspace, version, Draw("answers", 12, 7), place)[0])
    for row, verdict in zip(sheet.rows, (Verdict.RIGHT, Verdict.WRONG, Verdict.RIGHT), strict=False):
        sheet = sheet.with_verdict(row.post_id, verdict, "two values are asked for" if verdict == "wrong" else "")
    problem = GoldProblem(problem_id="p1", native_id="p1", origin="gold", question=STORY, equations=("x = 40 - 12",))
    pages = {
        "sheet": page_of(sheet),
        "slots": page_of_slots(slot_sheet(Corpus("demo", "gold", 1, (problem,)))),
        "labels": label_page(LABELS),
        "report": report_html(workspace, version),
        "comparison": comparison_html(Comparison((stats(version), stats(version)))),
    }
    for name, text in pages.items():
        (place / f"{name}.html").write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Page]:
    page = chromium.tab()
    yield page
    page.close()


@pytest.mark.parametrize("scheme", in_turn(["light", "dark"], 2))
@pytest.mark.parametrize("screen", in_turn(list(SCREENS), 2))
@pytest.mark.parametrize("name", in_turn(list(PAGES), 5))
def test_a_page_serves_everyone(name: str, screen: str, scheme: str, folder: Path, tab: Page) -> None:
    width, height = SCREENS[screen]
    tab.seen_as(width, height, scheme)
    tab.open((folder / f"{name}.html").as_uri(), "document.body !== null")
    assert findings(tab) == []
    assert tab.value("document.documentElement.scrollWidth") <= width, "nothing makes the page wider than the screen"
    if name in ("sheet", "slots", "labels"):
        narrow = 145 if name == "slots" else 120  # of slots the question alone is five lines
        limit = narrow if screen == "narrow" else 150
        assert tab.value("document.querySelector('.top').getBoundingClientRect().height") <= limit
        assert tab.value("document.querySelector('#download').getBoundingClientRect().width") > 60
        tab.value(f"articles.forEach((one, place) => {{ if (one.offsetHeight > {height}) goTo(place); }})")
        assert tab.value("articles[current].querySelector('fieldset').getBoundingClientRect().bottom") <= height
    tab.value("window.scrollTo(0, 0)")
    picture = base64.b64decode(tab.picture())
    assert sized(picture) == (width, height)
    file = PICTURES / f"{name}-{width}-{scheme}.png"
    if os.environ.get(WRITE):
        file.write_bytes(picture)
    assert sized(file.read_bytes()) == (width, height), "docs/pictures is made by: make pictures"


def findings(page: Page) -> list[str]:
    """What axe finds, a line a rule."""
    page.value(Path(AXE_FILE_PATH).read_text(encoding="utf-8"))
    return list(page.promised(FINDINGS))


@pytest.mark.full
def test_what_shuts_people_out_is_found(sheet_tab: Callable[[], Page]) -> None:
    page = sheet_tab()
    page.value("document.title = ''; document.querySelector('#progress').style.color = '#eeeeee'")
    assert [line.partition(":")[0] for line in findings(page)] == ["color-contrast", "document-title"]


@pytest.mark.full
def test_open_trouble_and_dialogs_serve_everyone_too(sheet_tab: Callable[[], Page]) -> None:
    page = sheet_tab()
    for scheme in ("light", "dark"):
        page.seen_as(390, 844, scheme)
        page.press("?")
        assert page.value("keys.open")
        assert findings(page) == []
        page.click("#close-keys")


def sized(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.fixture
def sheet_tab(chromium: Browser, tmp_path: Path) -> Iterator[Callable[[], Page]]:
    """Opens the page of a sheet of four rows, three of stratum ``all``."""
    (tmp_path / "sheet.html").write_text(page_of(read_sheet(sheet_file(tmp_path, 4))), encoding="utf-8")
    page = chromium.tab()
    yield lambda: page.open((tmp_path / "sheet.html").as_uri())
    page.close()


def test_undo_goes_back_step_by_step(sheet_tab: Callable[[], Page]) -> None:
    page = sheet_tab()
    assert page.value("undoButton.disabled")
    page.press("123")
    assert page.rows("verdict") == ["right", "wrong", "unsure", None]
    page.press("u")
    assert page.rows("verdict") == ["right", "wrong", None, None]
    assert page.value("[current, progress.textContent]") == [2, "2 of 4 judged; row 3 is as before"]
    page.press("1")
    page.click("article[data-row='0'] label.unsure")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="z", modifiers=2)
    assert page.rows("verdict") == ["right", "wrong", "right", None], "Ctrl-Z, also with a choice in focus"
    page.click("#undo")
    page.click("#undo")
    page.click("#undo")
    assert page.rows("verdict") == [None, None, None, None]
    assert page.value("undoButton.disabled")
    page.press("u")
    assert page.said == []


@pytest.mark.full
def test_keys_are_shown_and_closed_by_key(sheet_tab: Callable[[], Page]) -> None:
    page = sheet_tab()
    page.press("?")
    assert page.value("keys.open && keys.innerText.includes('next row, row before')")
    page.press("1")
    assert page.rows("verdict")[0] is None, "keys of the rows sleep while the dialog is open"
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape", code="Escape", windowsVirtualKeyCode=27)
    page.until("!keys.open")
    page.click("#help")
    page.click("#close-keys")
    assert page.value("keys.open") is False


@pytest.mark.full
def test_a_sheet_is_opened_at_its_first_open_row(sheet_tab: Callable[[], Page]) -> None:
    page = sheet_tab()
    page.press("12")
    page.press("k")
    page.press("k")
    assert page.value("current") == 0
    page = sheet_tab()
    assert page.value("[current, document.activeElement.dataset.row]") == [2, "2"]
    page.press("kk0jo")
    assert page.value("current") == 2, "from row 2, which is judged, on to the next open one"


@pytest.mark.full
def test_posts_are_labelled_on_a_page(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "labels.html").write_text(label_page(LABELS), encoding="utf-8")
    page = chromium.tab().open((tmp_path / "labels.html").as_uri())
    page.press("4")
    assert page.rows("scope_reason") == ["multiple", "general", None]
    page.press("u1a6;")
    page.call("Input.insertText", text=" -1/2")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape", code="Escape", windowsVirtualKeyCode=27)
    assert page.rows("gold_answer") == [["6", "-1/2"], None, None]
    page.press("jj4")
    assert page.rows("scope_reason") == ["ok", "general", "multiple"]
    page.open((tmp_path / "labels.html").as_uri())
    assert page.rows("gold_answer") == [["6", "-1/2"], None, None], "the browser keeps it"
    page.value(
        "const real = URL.createObjectURL; URL.createObjectURL = (blob) => { window.blob = blob; return real(blob); }"
    )
    page.click("#download")
    (tmp_path / "filled.jsonl").write_text(page.promised("window.blob.text()"), encoding="utf-8")
    page.close()
    rows = read_sheet_rows(tmp_path / "filled.jsonl")
    assert [row.scope_reason for row in rows] == ["ok", "general", "multiple"]
    assert [row.gold_answer for row in rows] == [("6", "-1/2"), None, None]
    assert rows[0].answers == ("6", "six")


@pytest.mark.full
def test_rows_are_shown_by_what_was_said(sheet_tab: Callable[[], Page]) -> None:
    page = sheet_tab()
    page.press("121")
    shown = "articles.map((article, index) => article.hidden ? null : index).filter((index) => index !== null)"

    def choose(value: str) -> list[int]:
        page.value(f"bySaid.value = '{value}'; bySaid.dispatchEvent(new Event('change'))")
        return list(page.value(shown))

    assert choose("right") == [0, 2]
    page.press("j")
    assert page.value("current") == 2, "the next row that is shown"
    page.press("3")
    assert page.value(shown) == [0, 2], "the row at hand stays until it is left"
    page.press("k")
    assert page.value(shown) == [0]
    assert choose("open") == [3]
    assert choose("done") == [0, 1, 2]
    page.press("0jjj")
    assert choose("unsure") == [2]
    page.press("2k")
    assert choose("unsure") == []
    assert page.value("nothing.hidden") is False
    assert choose("") == [0, 1, 2, 3]
    assert page.value("bar.value") == page.value("payload.rows.filter((row) => row.verdict).length")
