"""A headless Chromium, driven over its DevTools protocol: pages are opened, clicked and typed into as people do."""

import http.client
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.sync.connection import Connection

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
)
SECONDS = 30
T = TypeVar("T")


def find_browser(names: tuple[str, ...] = NAMES) -> str | None:
    """The first of these browsers that is installed."""
    return next((found for name in names if (found := shutil.which(name))), None)


def until(look: Callable[[], T], what: str, seconds: float = SECONDS) -> T:
    """What a look gives as soon as it gives something; TimeoutError that names ``what`` was waited for."""
    end = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.05)
    return found


class Page:
    """One tab; ``said`` holds errors, exceptions and refusals of its content policy. Its questions are agreed to."""

    def __init__(self, address: str) -> None:
        self._socket: Connection = connect(address, max_size=None, proxy=None)
        self._calls = 0
        self.said: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command of the protocol and its result."""
        number = self._send(method, parameters)
        while True:
            message: dict[str, Any] = json.loads(self._socket.recv(timeout=SECONDS))
            if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.said.append(json.dumps(message["params"])[:300])
            if message.get("method") == "Page.javascriptDialogOpening":
                self._send("Page.handleJavaScriptDialog", {"accept": True})
            if message.get("id") == number:
                return dict(message.get("result", {}))

    def _send(self, method: str, parameters: dict[str, Any]) -> int:
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        return self._calls

    def open(self, url: str, ready: str = "typeof show === 'function'") -> "Page":
        """Load an address, until ``ready`` holds on it."""
        self.value("window.left = true")
        self.call("Page.navigate", url=url)
        return self._loaded(ready)

    def reload(self, ready: str = "typeof show === 'function'") -> "Page":
        """Load the page again."""
        self.value("window.left = true")
        self.call("Page.reload")
        return self._loaded(ready)

    def _loaded(self, ready: str) -> "Page":
        self.until(f"window.left !== true && document.readyState === 'complete' && {ready}")
        return self

    def value(self, expression: str) -> Any:
        """The value of an expression on the page, None where it fails."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True).get("result", {}).get("value")

    def until(self, expression: str, seconds: float = SECONDS) -> Any:
        """Wait until an expression holds on the page."""
        return until(lambda: self.value(expression), expression, seconds)

    def promised(self, expression: str) -> Any:
        """What the promise of an expression on the page comes to."""
        asked = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        return self.call("Runtime.evaluate", **asked)["result"].get("value")

    def seen_as(self, width: int, height: int, scheme: str) -> None:
        """See the page as on a screen of this size, in ``light`` or ``dark``."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def click(self, selector: str) -> None:
        """Press the mouse on the first element of a selector."""
        box = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{box}.scrollIntoView({{block: 'center'}})")
        x, y = self.value(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({box}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def write(self, text: str) -> None:
        """Put a text where the cursor is, as pasting does."""
        self.call("Input.insertText", text=text)

    def rows(self, field: str) -> list[Any]:
        """A field of every row of a sheet's page."""
        return list(self.value(f"payload.rows.map((row) => row.{field})"))

    def picture(self) -> str:
        """What is to be seen, as PNG in base64."""
        return str(self.call("Page.captureScreenshot")["data"])

    def close(self) -> None:
        """Close the tab."""
        try:
            self.call("Page.close")
            self._socket.close()
        except ConnectionClosed:
            pass


class Browser:
    """A browser of our own with a profile of its own."""

    def __init__(self, port: int) -> None:
        self._port = port

    def tab(self) -> Page:
        """A new tab."""
        return Page(str(self._asked("PUT", "/json/new?about:blank")["webSocketDebuggerUrl"]))

    def _asked(self, method: str, path: str) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
        try:
            connection.request(method, path)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


@contextmanager
def browser(executable: str, *flags: str) -> Iterator[Browser]:
    """Start a browser, with more flags perhaps, and end it afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [executable, *FLAGS, *flags, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            file = Path(profile) / "DevToolsActivePort"
            text = until(lambda: file.exists() and file.read_text(encoding="ascii").strip(), "the browser to start")
            yield Browser(int(str(text).splitlines()[0]))
        finally:
            process.terminate()
            process.wait(timeout=SECONDS)
