"""The pages of sheets in a real browser: by mouse and keys, with servers that are killed, move or are impostors."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from audits.sheets.audit_sheets import page_of, read_sheet
from audits.sheets.label_sheets import page_of_slots, read_slot_sheet
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from curation.equivalence.open_slots import slot_sheet
from tests.audits.sheets.killing import judge_under_kills
from tests.audits.sheets.sheet_files import Command, edit, log_lines, sheet_file, verdicts
from tests.browser import Browser, Page, browser, find_browser

STORIES = ("A sum of 12 and 12 is taken off 40 .", "Ann has 12 pens , Tom has 12 hats . Both have 40 less 12 ?")
KEYS = "waiting.map((one) => one.key)"
EMOJI = "\U0001f600"


@pytest.fixture(scope="module")
def executable() -> str:
    found = find_browser()
    if found is None:
        pytest.skip("needs a browser: apt-get install chromium")
    return found


@pytest.fixture(scope="module")
def chromium(executable: str) -> Iterator[Browser]:
    with browser(executable) as found:
        yield found


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Callable[[], Page]]:
    """Opens tabs that are closed at the end."""
    pages: list[Page] = []

    def opened() -> Page:
        pages.append(chromium.tab())
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


def radio(row: int, verdict: str) -> str:
    return f"article[data-row='{row}'] input[value={verdict}]"


def saved(page: Page) -> None:
    """Wait until the server has signed for everything."""
    page.until("waiting.length === 0 && alarm.hidden")


def gone(page: Page) -> str:
    """Wait until the page says that the server is gone; what it says."""
    page.until("!alarm.hidden && alarm.getBoundingClientRect().height > 40")
    return str(page.value("alarm.innerText"))


def test_verdicts_by_mouse_and_keys_on_a_page_that_is_a_file(tab: Callable[[], Page], tmp_path: Path) -> None:
    sheet = read_sheet(sheet_file(tmp_path, 4))
    (tmp_path / "sheet.html").write_text(page_of(sheet), encoding="utf-8")
    page = tab().open((tmp_path / "sheet.html").as_uri())
    page.click(radio(0, "unsure"))
    page.click("article[data-row='0'] label.wrong")
    page.click(radio(3, "right"))
    assert page.rows("verdict") == ["wrong", None, None, "right"]
    page.press("k130")
    by_keys = ["wrong", None, "right", None]
    assert page.rows("verdict") == by_keys
    assert page.reload().rows("verdict") == by_keys
    assert page.said == []


@pytest.mark.full
def test_candidates_by_mouse_and_keys(tab: Callable[[], Page], tmp_path: Path) -> None:
    rows = [
        GoldProblem(problem_id=f"p{n}", native_id=f"p{n}", origin="gold", question=text)
        for n, text in enumerate(STORIES)
    ]
    problems = tuple(row.model_copy(update={"equations": ("x = 40 - 12",)}) for row in rows)
    sheet = slot_sheet(Corpus("demo", "gold", len(problems), problems))
    (tmp_path / "slots.html").write_text(page_of_slots(sheet), encoding="utf-8")
    page = tab().open((tmp_path / "slots.html").as_uri())
    page.click("article[data-row='0'] input[value='2']")
    page.click("article[data-row='0'] label.choice")
    assert page.rows("choice") == [[2, 1], None], "the first one first"
    page.press("j31")
    page.press("3")
    assert page.rows("choice") == [[2, 1], [1]], "one is taken back"
    assert page.reload().rows("choice") == [[2, 1], [1]]
    lines = page.value("[payload.header, ...payload.rows].map((record) => JSON.stringify(record)).join('\\n')")
    (tmp_path / "filled.jsonl").write_text(lines, encoding="utf-8")
    assert [row.choice for row in read_slot_sheet(tmp_path / "filled.jsonl").rows] == [(2, 1), (1,)]
    assert page.said == []


@pytest.mark.full
def test_verdicts_from_two_browsers_under_kills(executable: str, tmp_path: Path) -> None:
    rows, kills = 200, 10
    done = judge_under_kills(tmp_path, executable, rows=rows, kills=kills, seed=10)
    assert done.kills == kills
    assert done.waited >= 2, "verdicts were on their way when the server was killed"
    assert len(done.pressed) == rows
    assert verdicts(done.sheet) == done.pressed
    assert sorted(line["row_id"] for line in done.lines) == sorted(done.pressed), "none doubled"
    assert len({line["by"] for line in done.lines}) == 3, "two browsers, one of which was opened again"
    assert done.sheet.unseen == ()


def test_a_page_waits_for_its_server_and_says_so(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    server = serve(path)
    page = tab().open(server.url)
    page.press("1")
    saved(page)
    assert page.value("saved.textContent") == "saved"
    server.kill()
    assert "The server of this sheet is gone." in gone(page), "also where nothing waits"
    page.press("23")
    page.until("waiting.length === 2 && document.title.startsWith('(2 not saved) Audit of demo/')")
    said = gone(page)
    assert "2 verdicts are not saved. This browser keeps what is not saved." in said
    assert f"wordquarry sheet serve {path}" in said
    assert [line["row_id"] for line in log_lines(path)] == ["site:0"]
    serve(path)
    saved(page)
    assert [line["verdict"] for line in log_lines(path)] == ["right", "wrong", "unsure"]
    assert page.value("document.title.startsWith('Audit of')")


@pytest.mark.full
def test_what_a_closed_page_kept_is_sent_by_the_next_one(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    server = serve(path)
    page = tab().open(server.url)
    server.kill()
    page.press("12")
    page.until("waiting.length === 2 && waiting.every((one) => one.signature)")
    page.close()
    again = tab().open(serve(path).url)
    saved(again)
    assert again.rows("verdict")[:2] == ["right", "wrong"]
    assert [line["verdict"] for line in log_lines(path)] == ["right", "wrong"]
    assert again.value("Object.keys(localStorage).filter((name) => name.startsWith(drawer)).length") == 0


class _Impostor(BaseHTTPRequestHandler):
    """A program that knows how a server of sheets answers, but not the key of this one."""

    heard: list[bytes]

    def do_OPTIONS(self) -> None:
        self._yes()

    def do_POST(self) -> None:
        self.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
        asked = json.loads(self.heard[-1])
        row = {"row_id": asked.get("post_id"), "verdict": asked.get("verdict"), "note": "", "seq": 9, "unseen": None}
        self._yes({"key": asked.get("key"), "nonce": asked.get("nonce"), "last": 0, "rows": [], "row": row})

    def _yes(self, answer: dict[str, Any] | None = None) -> None:
        self.send_response(200)
        for name in ("Allow-Origin", "Allow-Headers", "Allow-Methods", "Expose-Headers"):
            self.send_header(f"Access-Control-{name}", "*")
        self.send_header("X-Sheet-Signature", "0" * 64)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler], port: int = 0) -> Iterator[int]:
    """Another program on this machine; its port."""
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


def port_of(server: Command) -> int:
    return int(server.url.split(":")[2].partition("/")[0])


@pytest.mark.full
def test_a_server_that_moved_is_found_and_an_impostor_is_not_believed(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    server = serve(path)
    page = tab().open(server.url)
    server.kill()
    heard: list[bytes] = []
    with answering(type("Handler", (_Impostor,), {"heard": heard}), port_of(server)):
        page.press("12")
        gone(page)
        page.until("waiting.length === 2 && !there")
        assert heard
        assert log_lines(path) == []
        moved = serve(path)
        assert port_of(moved) != port_of(server)
        saved(page)
        page.press("3")
        saved(page)
    assert [line["verdict"] for line in log_lines(path)] == ["right", "wrong", "unsure"]
    key = page.value("server.key").encode()
    assert all(key not in body for body in heard)


@pytest.mark.full
def test_a_server_at_a_port_of_ones_choice_is_reached_by_its_address(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    server = serve(path)
    page = tab().open(server.url)
    server.kill()
    page.press("1")
    gone(page)
    moved = serve(path, "--port", 0)
    for address, said in (
        ("https://evil.example/", "That is no address of a server on this machine."),
        (moved.url, ""),
    ):
        page.value("document.getElementById('address').value = ''")
        page.click("#address")
        page.write(address)
        page.click("#reach")
        page.until(f"document.getElementById('address-said').textContent === '{said}'")
    saved(page)
    assert [line["verdict"] for line in log_lines(path)] == ["right"]


@pytest.mark.full
def test_notes_are_cut_at_whole_characters(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    page = tab().open(serve(path).url)
    for row, text in ((0, "a" + EMOJI * 2100), (1, "b" * 1999 + EMOJI + "c")):
        page.click(f"article[data-row='{row}'] input[type=text]")
        page.write(text)
        page.click(radio(row, "right"))
        saved(page)
        page.until(f"payload.rows[{row}].verdict === 'right'")
    saved(page)
    rows = read_sheet(path).rows
    assert [rows[0].note, rows[1].note] == ["a" + EMOJI * 1999, "b" * 1999 + EMOJI]
    page.value("change(2, null, 'x' + '\\ud83d' + 'y')")
    page.until("judged['site:2'] !== undefined")
    assert read_sheet(path).rows[2].note == "xy"


@pytest.mark.full
def test_two_browsers_that_judge_one_row_are_both_told(
    executable: str, tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    server = serve(path)
    with browser(executable) as other:
        first, second = tab().open(server.url), other.tab().open(server.url)
        server.kill()
        first.press("1")
        second.press("2")
        for page in (first, second):
            page.until("waiting.length === 1 && !there")
        serve(path)
        for page in (first, second):
            saved(page)
            page.until("!document.querySelector('.unseen').hidden")
        assert {line["verdict"] for line in log_lines(path)} == {"right", "wrong"}, "both stay in the log"
        counts = log_lines(path)[1]["verdict"]
        assert first.rows("verdict")[0] == second.rows("verdict")[0] == counts == read_sheet(path).rows[0].verdict
        assert f"The later one counts: {counts}." in first.value("document.querySelector('.unseen').innerText")
        first.click(".unseen button[name=other]")
        for page in (first, second):
            page.until("document.querySelector('.unseen').hidden && judged['site:0'].seq === 3")
        assert {counts, read_sheet(path).rows[0].verdict} == {"right", "wrong"}
        assert second.rows("verdict")[0] != counts
        assert read_sheet(path).unseen == ()
        second.close()


@pytest.mark.full
def test_edits_by_hand_and_trouble_show_on_the_page(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    page = tab().open(serve(path).url)
    page.press("1")
    saved(page)
    edit(path, site_1=("wrong", "by hand"))
    page.until("payload.rows[1].verdict === 'wrong'")
    assert page.value("document.querySelectorAll('article')[1].querySelector('input[type=text]').value") == "by hand"
    good = path.read_text(encoding="utf-8")
    path.write_text(good[:-40], encoding="utf-8")
    page.until("alarm.innerText.includes('until it is repaired, verdicts are kept in sheet.jsonl.log alone')")
    page.press("3")
    page.until("waiting.length === 0")
    path.write_text(good, encoding="utf-8")
    page.until("alarm.hidden")
    assert list(verdicts(read_sheet(path)).values())[:2] == ["right", "unsure"]


class _Evil(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>evil</title>")

    def log_message(self, *_: object) -> None:
        pass


ATTACK = """
window.seen = [];
window.send = (url, how) => fetch(url, { method: "POST", body: JSON.stringify(VERDICT), ...how })
  .then((answer) => seen.push(answer.type + " " + answer.status), () => seen.push("refused"));
window.json = { "Content-Type": "application/json", "X-Sheet-Token": "guess", "X-Sheet-Signature": "0".repeat(64) };
""".replace("VERDICT", "{ post_id: 'site:0', verdict: 'wrong', note: '' }")
GET = "{ method: 'GET', body: undefined }"


def test_a_page_of_another_site_writes_and_reads_nothing(
    executable: str, serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    server = serve(path)
    sheet = f"http://127.0.0.1:{port_of(server)}"
    resolve = "--host-resolver-rules=MAP evil.example 127.0.0.1"
    with answering(_Evil) as port, browser(executable, resolve) as chrome:
        page = chrome.tab().open(f"http://evil.example:{port}/", "document.title === 'evil'")
        page.value(ATTACK)
        for address, how in (("verdict", "mode: 'no-cors'"), ("verdict", "headers: json"), ("state", "headers: json")):
            page.value(f"send('{sheet}/{address}', {{ {how} }})")
        page.value(f"send('{server.url}', {GET})")
        page.until("seen.length === 4")
        assert sorted(page.value("seen")) == ["opaque 0", "refused", "refused", "refused"]
        # The same name at the sheet's port, as after DNS rebinding: to the browser it is all one site then.
        page.open(server.url.replace("127.0.0.1", "evil.example"), "document.body.innerText.startsWith('open the')")
        page.value(ATTACK)
        page.value(f"send('/verdict', {{ headers: json }}); send(location.href, {GET})")
        page.until("seen.length === 2")
        assert page.value("seen") == ["basic 403", "basic 403"]
        page.close()
    assert log_lines(path) == []


@pytest.mark.full
def test_a_server_with_another_key_is_told_apart_and_what_waits_is_not_lost(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    server = serve(path)
    page = tab().open(server.url)
    server.kill()
    page.press("1")
    gone(page)
    Path(f"{path}.key").unlink()
    again = serve(path)
    page.until("alarm.innerText.includes('does not know this page. If it is wordquarry, open the address')")
    page.open(again.url, "typeof show === 'function' && !strangers.hidden")
    assert "site:0: right" in page.value("strangers.innerText")
    page.click("#send-strangers")
    saved(page)
    assert [line["verdict"] for line in log_lines(path)] == ["right"]
    assert page.reload().rows("verdict")[0] == "right"
    assert page.value("strangers.hidden && waiting.length === 0")


@pytest.mark.full
def test_what_another_program_left_in_the_browser_is_not_sent_unasked(
    tab: Callable[[], Page], serve: Callable[..., Command], tmp_path: Path
) -> None:
    path = sheet_file(tmp_path)
    page = tab().open(serve(path).url)
    page.value(
        "['site:0', 'site:1'].forEach((post_id, at) => localStorage.setItem(drawer + at, JSON.stringify({ at, "
        "signature: 'f'.repeat(64), text: JSON.stringify({ post_id, verdict: 'wrong', note: '', key: 'x' + at }) })))"
    )
    page.reload()
    page.until("!strangers.hidden")
    page.press("1")
    saved(page)
    assert "site:1: wrong" in page.value("strangers.innerText")
    assert [line["verdict"] for line in log_lines(path)] == ["right"]
    page.click("#forget-strangers")
    page.until("strangers.hidden")
    page.reload().until("waiting.length === 0 && strangers.hidden")
    assert [line["verdict"] for line in log_lines(path)] == ["right"]
