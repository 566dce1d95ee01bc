"""Audit sheets of any size, written as ``audit sample`` writes them, and servers that are killed."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audits.sheets.audit_sheets import Group, Sheet, StratumHeader, save_sheet
from audits.sheets.drawing import Draw, Unit, make_sheet
from audits.sheets.serving import SheetServer
from corpus.canonical import sha256_text
from tests.flows.command import start


def sheet_file(folder: Path, rows: int = 5) -> Path:
    """A sheet without verdicts, another one in each folder; its posts are ``site:0`` and so on."""
    version = f"demo/{sha256_text(str(folder))[:12]}"
    units = [
        Unit(f"site:{place}", "all", Group.KEPT, f"How many are {place} and 1?", (str(place + 1),))
        for place in range(rows)
    ]
    path = folder / "sheet.jsonl"
    save_sheet(
        make_sheet(
            version,
            Draw("answers", rows, 7),
            units,
            [StratumHeader(stratum="all", group=Group.KEPT, population=rows, sampled=rows)],
        ),
        path,
    )
    return path


def edit(path: Path, **verdicts: Any) -> None:
    """Change rows as a person does in an editor: ``site_3="right"``, or a pair of verdict and note."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for name, said in verdicts.items():
        place = next(place for place, line in enumerate(lines) if f'"post_id":"{name.replace("_", ":")}"' in line)
        verdict, note = said if isinstance(said, tuple) else (said, "")
        lines[place] = json.dumps({**json.loads(lines[place]), "verdict": verdict, "note": note}, separators=(",", ":"))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def verdicts(sheet: Sheet) -> dict[str, str | None]:
    """The verdicts of a sheet by post."""
    return {row.post_id: row.verdict for row in sheet.rows}


def log_lines(path: Path) -> list[dict[str, Any]]:
    """The verdicts in a sheet's log, as they stand there."""
    return [json.loads(line) for line in Path(f"{path}.log").read_text(encoding="utf-8").splitlines()[1:]]


@contextmanager
def serving(path: Path, port: int | None = None) -> Iterator[SheetServer]:
    """A server in a thread of this process."""
    with SheetServer(path, port) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()


class Command:
    """``wordquarry sheet serve`` in a process of its own; ``url`` is the address that it printed."""

    def __init__(self, path: Path, *options: object) -> None:
        self._process: subprocess.Popen[str] = start("sheet", "serve", path, *options)
        self.said: list[str] = []
        self.url = ""
        assert self._process.stderr is not None
        while not self.url and (line := self._process.stderr.readline()):
            self.said.append(line.rstrip("\n"))
            if line.startswith("http"):
                self.url = line.removesuffix("\n")
        assert self.url, self.said

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        """End it, without a word of warning unless another signal is given; its exit status."""
        if self._process.returncode is not None:
            return self._process.returncode
        self._process.send_signal(how)
        assert self._process.stderr is not None
        assert self._process.stdout is not None
        self.said += self._process.stderr.read().splitlines()
        self._process.stderr.close()
        self._process.stdout.close()
        return self._process.wait(timeout=30)
