"""Two browsers judge one sheet while its server is killed with SIGKILL again and again."""

import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audits.sheets.audit_sheets import Sheet, read_sheet
from tests.audits.sheets.sheet_files import Command, log_lines, sheet_file
from tests.browser import Page, browser, until

KEYS = {"1": "right", "2": "wrong", "3": "unsure"}


@dataclass(frozen=True)
class Outcome:
    """What was pressed, what there is of it, and how many verdicts waited for a server at most."""

    pressed: dict[str, str]
    lines: list[dict[str, Any]]
    sheet: Sheet
    kills: int
    waited: int


class _Judges:
    """Two browsers, each with its half of the rows, in turn; the second one is closed and opened again on the way."""

    def __init__(self, pages: tuple[Page, Page], rows: int, choice: random.Random) -> None:
        self.pages, self._half, self._choice = list(pages), rows // 2, choice
        self.pages[1].value(f"goTo({self._half})")
        self._rows = [(place % 2, place % 2 * self._half + place // 2) for place in range(2 * self._half)]
        self.pressed: dict[str, str] = {}

    @property
    def left(self) -> bool:
        """Whether a row is left to judge."""
        return len(self.pressed) < len(self._rows)

    def judge(self) -> None:
        """The next verdict, by its key."""
        who, row = self._rows[len(self.pressed)]
        key = self._choice.choice(sorted(KEYS))
        self.pages[who].press(key)
        self.pressed[f"site:{row}"] = KEYS[key]

    def waiting(self) -> int:
        """Verdicts that no server has signed for yet."""
        return sum(int(page.value("waiting.length")) for page in self.pages)

    def reopen(self, page: Page) -> None:
        """Go on in another tab of the second browser."""
        self.pages[1].close()
        self.pages[1] = page
        mine = sum(place % 2 for place in range(len(self.pressed)))
        page.value(f"goTo({self._half + mine})")


def judge_under_kills(folder: Path, executable: str, rows: int, kills: int, seed: int) -> Outcome:
    """Judge every row once, kill the server at moments drawn by the seed, and wait until nothing waits."""
    draw, path = random.Random(seed), sheet_file(folder, rows)
    places = sorted(draw.sample(range(2, rows - 10), kills))
    servers, waited = [Command(path)], list[int]()
    try:
        with browser(executable) as one, browser(executable) as two:
            url = servers[0].url
            judges = _Judges((one.tab().open(url), two.tab().open(url)), rows, draw)
            while judges.left:
                judges.judge()
                if not places or len(judges.pressed) < places[0]:
                    continue
                places.pop(0)
                time.sleep(draw.uniform(0, 0.03))
                assert servers[-1].kill() == -9
                for _ in range(draw.randint(0, 6)):
                    if judges.left:
                        judges.judge()
                waited.append(judges.waiting())
                servers.append(Command(path))
                if len(waited) == kills // 2:
                    judges.reopen(two.tab().open(servers[-1].url))
            until(lambda: judges.waiting() == 0, "all verdicts to be saved", 120)
            for page in judges.pages:
                page.until("alarm.hidden")
                page.close()
    finally:
        servers[-1].kill()
    return Outcome(judges.pressed, log_lines(path), read_sheet(path), len(waited), max(waited))
