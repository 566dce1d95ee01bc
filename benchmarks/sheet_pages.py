"""The pages of sheets in a real browser, by mouse and by keys: ``python -m benchmarks.sheet_pages [BROWSER]``.

Drives a headless Chromium over its DevTools protocol; without one it says so. No page of the network is opened.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import connect
from websockets.sync.connection import Connection

from audits.sampling import Draw, Sampled, Unit
from audits.sheets import make_sheet, page_of
from audits.slot_sheets import read_slot_sheet, slot_sheet
from benchmarks.measuring import Row, table
from corpus.benchmarks.records import Corpus, GoldProblem

BROWSER = "chromium"
SECONDS = 20
STORIES = ("A sum of 12 and 12 is taken off 40 .", "Ann has 12 pens , Tom has 12 hats . Both have 40 less 12 ?")


class Page:
    """One page in the browser; ``said`` holds errors, exceptions and refusals of its content policy."""

    def __init__(self, socket: Connection, path: Path) -> None:
        self._socket, self._calls = socket, 0
        self.said: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=path.as_uri())
        self._wait()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol and its result."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv(timeout=SECONDS))
            if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.said.append(json.dumps(message["params"])[:200])
            if message.get("id") == self._calls:
                return dict(message.get("result", {}))

    def value(self, expression: str) -> Any:
        """The value of an expression on the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def _wait(self) -> None:
        until = time.monotonic() + SECONDS
        while self.value("document.readyState === 'complete' && typeof show === 'function'") is not True:
            if time.monotonic() > until:
                raise TimeoutError("the page did not load")
            time.sleep(0.1)

    def reload(self) -> None:
        """Load the page again."""
        self.call("Page.reload")
        time.sleep(0.5)
        self._wait()

    def click(self, row: int, place: int, what: str) -> None:
        """Press the mouse on an input of a row."""
        box = f"document.querySelectorAll('article')[{row}].querySelectorAll('{what}')[{place}]"
        self.value(f"{box}.scrollIntoView({{block: 'center'}})")
        x, y = self.value(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({box}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def rows(self, field: str) -> list[Any]:
        """A field of every row."""
        return list(self.value(f"payload.rows.map((row) => row.{field})"))


@contextmanager
def _browser(name: str) -> Iterator[Connection]:
    """A browser of our own with a profile of its own, ended afterwards."""
    with tempfile.TemporaryDirectory() as profile:
        command = [name, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]
        process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            with connect(_target(Path(profile) / "DevToolsActivePort"), max_size=None) as socket:
                yield socket
        finally:
            process.terminate()
            process.wait(timeout=SECONDS)


def _target(port_file: Path) -> str:
    until = time.monotonic() + SECONDS
    while not (port_file.exists() and port_file.read_text().strip()):
        if time.monotonic() > until:
            raise TimeoutError("the browser did not start")
        time.sleep(0.1)
    address = f"http://127.0.0.1:{int(port_file.read_text().splitlines()[0])}/json"
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:
        targets = json.load(answer)
    return str(next(one["webSocketDebuggerUrl"] for one in targets if one["type"] == "page"))


def _row(name: str, found: list[Any], wanted: list[Any]) -> Row:
    return Row(name, max(len(found), len(wanted)), json.dumps(found), json.dumps(wanted), found == wanted)


def _verdicts(socket: Connection, folder: Path) -> list[Row]:
    units = [Unit(f"demo:{n}", "all", "kept", f"{STORIES[0]} </script> {n}", ("28",)) for n in range(4)]
    sheet = make_sheet("demo/1", Draw("answers", 4, 7), units, [Sampled("all", "kept", 4, 4)])
    path = folder / "verdicts.html"
    path.write_text(page_of(sheet), encoding="utf-8")
    page = Page(socket, path)
    page.click(0, 2, "input[type=radio]")
    page.click(0, 1, "label.choice")
    page.click(3, 0, "input[type=radio]")
    by_mouse = page.rows("verdict")
    page.press("k130")
    by_keys = page.rows("verdict")
    page.reload()
    return [
        _row("verdicts by mouse", by_mouse, ["wrong", None, None, "right"]),
        _row("verdicts by keys", by_keys, ["wrong", None, "right", None]),
        _row("verdicts after the page is loaded again", page.rows("verdict"), by_keys),
        _row("errors and refusals on the page of verdicts", page.said, []),
    ]


def _slots(socket: Connection, folder: Path) -> list[Row]:
    texts = enumerate(STORIES)
    rows = [GoldProblem(problem_id=f"p{n}", native_id=f"p{n}", origin="gold", question=text) for n, text in texts]
    problems = tuple(row.model_copy(update={"equations": ("x = 40 - 12",)}) for row in rows)
    corpus = Corpus("demo", "gold", len(problems), problems)
    path = folder / "slots.html"
    path.write_text(slot_sheet(corpus).page(), encoding="utf-8")
    page = Page(socket, path)
    page.click(0, 1, "input[type=checkbox]")
    page.click(0, 0, "label.choice")
    by_mouse = page.rows("choice")
    page.press("j31")
    page.press("3")
    by_keys = page.rows("choice")
    page.reload()
    loaded = page.rows("choice")
    lines = page.value("[payload.header, ...payload.rows].map((record) => JSON.stringify(record)).join('\\n')")
    (folder / "filled.jsonl").write_text(lines, encoding="utf-8")
    held = [row.choice and list(row.choice) for row in read_slot_sheet(folder / "filled.jsonl").rows]
    return [
        _row("candidates by mouse, the first one first", by_mouse, [[2, 1], None]),
        _row("candidates by keys, one taken back", by_keys, [[2, 1], [1]]),
        _row("candidates after the page is loaded again", loaded, by_keys),
        _row("candidates of the sheet that is given for download", held, by_keys),
        _row("errors and refusals on the page of slots", page.said, []),
    ]


def measure(browser: str = BROWSER) -> str:
    """Drive both pages; a table of what they held after it."""
    title = "Pages of sheets in a browser"
    found = shutil.which(browser)
    if found is None:
        return table(title, (), f"left out: there is no browser {browser}; name a Chromium as the argument")
    with tempfile.TemporaryDirectory() as folder, _browser(found) as socket:
        return table(title, [*_verdicts(socket, Path(folder)), *_slots(socket, Path(folder))])


if __name__ == "__main__":
    print(measure(*sys.argv[1:2]))
