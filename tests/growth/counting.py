"""Counts what a call does: lines of Python run, and characters read by what is a single step of Python.

Lines are those of the project; a call into another library counts one. Loops in C are no lines: a pattern that looks
through a whole text for each number of it, or a text that is copied for each of its words, is seen by the characters
that patterns and methods of texts are given. Both are the same on every machine.
"""

import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest.mock import patch

from extractors.text.sentences import TEXTS

ROOT = str(Path(__file__).parent.parent.parent)
PACKAGES = ("audits", "corpus", "crawlers", "curation", "evaluation", "extractors", "models")
FOUR_TIMES, FEW = 6.0, 2_000
"""What four times the length may take, n^1.3, and the steps below which what is done once counts for more."""
_FOLDERS = tuple(f"{ROOT}/{package}/" for package in PACKAGES)
_OF_TEXT = frozenset(("casefold", "count", "encode", "lower", "replace", "split", "splitlines", "translate", "upper"))
_OF_LIST = frozenset(("copy", "count", "index", "insert", "remove", "reverse", "sort"))


_Kept = type(lru_cache()(len))


class Work(NamedTuple):
    """Lines of Python run, and characters (or items of lists) that patterns and methods went over."""

    lines: int
    characters: int


class _Tally:
    def __init__(self) -> None:
        self.lines = self.characters = 0

    def call(self, frame: FrameType, _event: str, _arg: object) -> Any:
        self.lines += 1
        return self.line if frame.f_code.co_filename.startswith(_FOLDERS) else None

    def line(self, _frame: FrameType, event: str, _arg: object) -> Any:
        if event == "line":
            self.lines += 1
        return self.line

    def profile(self, _frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            owner = arg.__self__
            if (type(owner) is str and arg.__name__ in _OF_TEXT) or (type(owner) is list and arg.__name__ in _OF_LIST):
                self.characters += len(owner)


class _Counted:
    """A compiled pattern that counts the characters it goes over."""

    def __init__(self, pattern: "re.Pattern[str]", tally: _Tally) -> None:
        self._pattern, self._tally = pattern, tally

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _once(self, method: str, text: str, *bounds: int) -> Any:
        found = getattr(self._pattern, method)(text, *bounds)
        start, end = (*bounds, *(0, len(text))[len(bounds) :])
        if found is not None:
            end = found.end()
        elif method != "search":
            end = start + 1
        self._tally.characters += max(0, min(end, len(text)) - start)
        return found

    def search(self, text: str, *bounds: int) -> Any:
        return self._once("search", text, *bounds)

    def match(self, text: str, *bounds: int) -> Any:
        return self._once("match", text, *bounds)

    def fullmatch(self, text: str, *bounds: int) -> Any:
        return self._once("fullmatch", text, *bounds)

    def finditer(self, text: str, *bounds: int) -> Iterator[Any]:
        last, end = (*bounds, *(0, len(text))[len(bounds) :])
        for found in self._pattern.finditer(text, *bounds):
            self._tally.characters += max(0, found.end() - last)
            last = found.end()
            yield found
        self._tally.characters += max(0, min(end, len(text)) - last)

    def findall(self, text: str, *bounds: int) -> Any:
        self._tally.characters += len(text)
        return self._pattern.findall(text, *bounds)

    def sub(self, new: Any, text: str, count: int = 0) -> str:
        self._tally.characters += len(text)
        return self._pattern.sub(new, text, count)

    def subn(self, new: Any, text: str, count: int = 0) -> Any:
        self._tally.characters += len(text)
        return self._pattern.subn(new, text, count)

    def split(self, text: str, maxsplit: int = 0) -> Any:
        self._tally.characters += len(text)
        return self._pattern.split(text, maxsplit)


class Counter:
    """Counts calls, with the patterns of all project modules replaced by counting ones while it is open."""

    def __init__(self) -> None:
        self._tally = _Tally()

    @contextmanager
    def watching(self) -> Iterator["Counter"]:
        """Replace the patterns that stand in the modules imported so far."""
        with ExitStack() as stack:
            for name, module in list(sys.modules.items()):
                if name.split(".")[0] in PACKAGES:
                    counted = {
                        key: _Counted(value, self._tally)
                        for key, value in vars(module).items()
                        if isinstance(value, re.Pattern)
                    }
                    stack.enter_context(patch.dict(vars(module), counted))
            yield self

    def work(self, call: Callable[[], object]) -> Work:
        """What a call does; errors of the call pass on."""
        forget_texts()
        self._tally.lines = self._tally.characters = 0
        before = sys.gettrace(), sys.getprofile()
        sys.setprofile(self._tally.profile)
        sys.settrace(self._tally.call)
        try:
            call()
        finally:
            sys.settrace(before[0])
            sys.setprofile(before[1])
        return Work(self._tally.lines, self._tally.characters)


def forget_texts() -> None:
    """Have every text read anew: a reader that has met a text takes no steps."""
    for one in gc.get_objects():
        if isinstance(one, _Kept) and one.cache_parameters()["maxsize"] == TEXTS:
            one.cache_clear()


def assert_linear(read: Callable[[str], object], unit: str, length: int = 1_000) -> None:
    """Of a piece written over and over, four times as much takes a reader about four times the steps.

    What a pattern tries within one match is no step: ``benchmarks.growth`` has these pieces by the clock.
    """
    read(unit * 4)  # what is read or compiled on first use
    with Counter().watching() as counter:
        short, long = (counter.work(lambda n=n: read(unit * n)) for n in (length // len(unit), 4 * length // len(unit)))
    assert all(after <= max(FOUR_TIMES * before, FEW) for before, after in zip(short, long, strict=True)), (short, long)


def assert_bounded(read: Callable[[], object], length: int, a_character: int = 400, least: int = 8_000_000) -> None:
    """A reading takes at most so many steps for each character of its text.

    ``least`` are always granted: what stands within each other is read once a level, and levels are limited.
    """
    with Counter().watching() as counter:
        work = counter.work(read)
    assert max(work) <= max(a_character * length, least), work
