"""What stands around a number of an answer, as counted words and signs that a linear model weighs.

Words: the five tokens before the number and the four after it, with numbers masked, alone and in pairs, and the first
words of its line. Signs: its place in the answer, its role (``extractors/answers``), its unit against what the question
asks, and whether the system of its answer gives it. Which of them speak for an answer is learned; Dolphin18K, section
3.2, has local context features by hand.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from extractors.answers.answer_candidates import ASSIGNED, OPERAND, RESULT, Mention, ReadAnswer
from models.gold_values import same_value
from models.linear import GRID_BITS
from models.read_threads import ReadThread

MentionRow = Mapping[str, float]
BEFORE: Final = 5
AFTER: Final = 4
LINE_WORDS: Final = 3
LINE_START: Final = 80
MANY: Final = 2
MAX_WORD: Final = 24
_TOKEN: Final = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|[0-9]+(?:[.,][0-9]+)*|\n|[^\sA-Za-z0-9]")
_WORD: Final = re.compile(r"[a-z]+")
_SENTENCE_END: Final = re.compile(r"[.!?](?:\s|\Z)")
_ANNOUNCING: Final = ("answer", "ans", "therefore", "thus", "hence", "so", "final", "result", "total")
_ANNOUNCES: Final = re.compile(rf"\b(?:{'|'.join(_ANNOUNCING)})\b")
_ASKS: Final = re.compile(r"\?|\b(?:how|what|find|which|calculate|determine)\b")
_OPENING: Final = " *(-=:$"
_CLOSING: Final = ' .!*)}$"'
"""Marks that may stand before a number that begins a line, and behind one that ends it."""
_TOGETHER: Final = (
    ("result", "ends line"),
    ("result", "in last line"),
    ("asked unit", "in last sentence"),
    ("ends line", "in last line"),
    ("result", "last number"),
    ("announced", "last number"),
    ("given", "in last sentence"),
    ("of a system", "last conclusive"),
    ("of a system", "in last line"),
    ("of a system", "given"),
)
"""Signs that say more together than each alone."""
_BOTH: Final = {("option", "last conclusive"): "option closes"} | {pair: " and ".join(pair) for pair in _TOGETHER}


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    return word[: len(word) - (word.endswith("s") and len(word) > 3)][:MAX_WORD]


class _Named(NamedTuple):
    """A token as the model sees it, with its names at each place before a number, the nearest first, then near before
    it and at each after: all numbers are alike, a plural is its singular."""

    token: str
    before: tuple[str, ...]
    near: str
    after: tuple[str, ...]

    @classmethod
    @lru_cache(maxsize=20_000)
    def of(cls, text: str) -> "_Named":
        """A token by its text."""
        token = "#" if text[0].isdigit() else r"\n" if text.isspace() else _stem(text.lower())
        before = tuple([f"{place} before {token}" for place in range(1, BEFORE)])
        return cls(
            token, before, f"near before {token}", tuple([f"{place} after {token}" for place in range(1, AFTER)])
        )


@dataclass(frozen=True)
class _Request:
    """What a question asks for: the words of its requests, and whether a percentage."""

    words: frozenset[str]
    percent: bool

    @classmethod
    def of(cls, question: str) -> "_Request":
        parts = [part for part in re.split(r"(?<=[.?!\n])\s+", question.lower()) if part.strip()]
        asking = " ".join([part for part in parts if _ASKS.search(part)][-2:] or parts[-1:])
        return cls(frozenset(map(_stem, _WORD.findall(asking))), "percent" in asking or "%" in asking)


@dataclass(frozen=True)
class _Systems:
    """Which values of a thread the system of an answer gives as asked: all, and those asked alone."""

    asked: frozenset[int]
    alone: frozenset[int]
    some: bool

    @classmethod
    def of(cls, read: ReadThread, answer: int) -> "_Systems":
        rows = [row for row, _, place in read.solved.likely_asked if place == answer]
        held = [
            {place for place, value in enumerate(read.found.values) if any(same_value(value, one) for one in row)}
            for row in rows
        ]
        alone = (places for places, row in zip(held, rows, strict=True) if len(row) == 1)
        return cls(frozenset[int]().union(*held), frozenset[int]().union(*alone), bool(rows))


class _CutLine:
    """A line of an answer: the share of asked words, where what is more than marks begins and ends, where it announces
    a result, and the names of its first words, each with its end.

    ``announced`` is the end of the first announcing word, past the line where there is none.
    """

    def __init__(self, text: str, begin: int, end: int, asked: frozenset[str]) -> None:
        self.begin, self.end = begin, end
        line, lower = text[begin:end], text[begin:end].lower()
        words = set(_WORD.findall(lower))
        self.share = _on_grid(len(asked.intersection(map(_stem, words))) / (1 + len(asked)))
        self.first = end - len(line.lstrip(_OPENING))
        self.last = begin + len(line.rstrip(_CLOSING))
        said = None if words.isdisjoint(_ANNOUNCING) else _ANNOUNCES.search(lower)
        self.announced = end + 1 if said is None else begin + said.end()
        opening = islice(_WORD.finditer(lower[:LINE_START]), LINE_WORDS)
        self.opening = [(begin + word.end(), f"line {_stem(word[0])}") for word in opening]


class _CutAnswer:
    """One answer, cut into tokens, lines and sentences once for all its mentions."""

    def __init__(self, view: ReadAnswer, asked: _Request) -> None:
        self.view, self.asked = view, asked
        self.text = view.plain.text
        found = [(match.group(), match.start()) for match in _TOKEN.finditer(self.text)]
        self.starts = [start for _, start in found]
        self.named = list(map(_Named.of, ["^"] * BEFORE + [token for token, _ in found] + ["$"] * AFTER))
        self.tokens = [named.token for named in self.named]
        self.ends = [match.end() for match in _SENTENCE_END.finditer(self.text)]
        self.counts = Counter(mention.value for mention in view.mentions)

        self.first, self.last = len(self.text) - len(self.text.lstrip()), len(self.text.rstrip())
        closed = [end for end in self.ends if end < self.last]
        self.last_sentence = closed[-1] if closed else 0
        self._lines = dict[tuple[int, int], _CutLine]()

    def line(self, begin: int, end: int) -> _CutLine:
        """A line, looked at once for all its mentions."""
        if (begin, end) not in self._lines:
            self._lines[begin, end] = _CutLine(self.text, begin, end, self.asked.words)
        return self._lines[begin, end]


def mention_words(read: ReadThread) -> list[list[MentionRow]]:
    """For each answer, for each of its mentions, its words and signs with their values, those that are 0 left out."""
    asked = _Request.of(read.question.text)
    found = []
    for answer, view in enumerate(read.answers):
        page, seen, systems = _CutAnswer(view, asked), dict[int, int](), _Systems.of(read, answer)
        of_thread = {value: _held(_of_thread(value, read, systems)) for value in page.counts}
        rows = list[MentionRow]()
        for place, mention in enumerate(view.mentions):
            row = _words(page, mention)
            held = _held(_signs(page, place, seen.get(mention.value, 0), row)) | of_thread[mention.value]
            held.update([(both, 1.0) for (one, other), both in _BOTH.items() if one in held and other in held])
            seen[mention.value] = seen.get(mention.value, 0) + 1
            rows.append(dict.fromkeys(row.names, 1.0) | held)
        found.append(rows)
    return found


def _held(signs: MentionRow) -> dict[str, float]:
    return {name: float(sign) for name, sign in signs.items() if sign}


class _Around(NamedTuple):
    """The tokens around a mention, its line, and the names of its words."""

    before: Sequence[str]
    after: Sequence[str]
    line: _CutLine
    names: Sequence[str]


def _words(page: _CutAnswer, mention: Mention) -> _Around:
    first = bisect_left(page.starts, mention.start)
    last = bisect_left(page.starts, mention.end, first) + BEFORE  # as the tokens begin with so many marks
    before, after = page.tokens[first : first + BEFORE], page.tokens[last : last + AFTER]
    begin, end = page.text.rfind("\n", 0, mention.start) + 1, page.text.find("\n", mention.end)
    end = len(page.text) if end < 0 else end
    near = page.named[first : first + BEFORE]
    names = [named.before[place] for place, named in enumerate(near[:0:-1])]
    names += [named.after[place] for place, named in enumerate(page.named[last : last + AFTER - 1])]
    names += [named.near for named in near]
    names += [f"before {before[-2]} {before[-1]}", f"after {after[0]} {after[1]}", f"around {before[-1]} {after[0]}"]
    line = page.line(begin, end)
    names += [name for end, name in line.opening if end <= mention.start]
    names.append(f"kind {mention.number.kind}")
    return _Around(before, after, line, names)


def _on_grid(share: float) -> float:
    return round(share * 2**GRID_BITS) / 2**GRID_BITS


def _signs(page: _CutAnswer, place: int, earlier: int, around: _Around) -> dict[str, float]:
    """The signs of a mention within its answer."""
    view, asked, mention = page.view, page.asked, page.view.mentions[place]
    last = len(view.mentions) - 1
    unit = next((word for word in around.after[:2] if word.isalpha()), "")
    return {
        "in first line": around.line.begin <= page.first,
        "in last line": around.line.end >= page.last,
        "in first sentence": bisect_right(page.ends, mention.start) == 0,
        "in last sentence": mention.start >= page.last_sentence,
        "first number": place == 0,
        "last number": place == last,
        "only number": last == 0,
        "few numbers": last < 3,
        "last conclusive": place == view.last_conclusive,
        "begins line": around.line.first >= mention.start,
        "ends line": around.line.last <= mention.end,
        "place": _on_grid(mention.start / max(1, len(page.text))),
        "words asked in line": around.line.share,
        "asked unit": bool(unit) and unit in asked.words,
        "asked before": not asked.words.isdisjoint(around.before[-4:]),
        "announced": around.line.announced <= mention.start,
        "in a check": mention.start >= view.body_end,
        "percent as asked": (mention.number.kind == "percent") == asked.percent,
        "operand": mention.role is OPERAND,
        "assigned": mention.role is ASSIGNED,
        "result of": mention.role is RESULT,
        "result": around.before[-1] in "=≈~",
        "equals after": around.after[0] == "=",
        "used later": view.is_used_later(place),
        "said later": min(MANY, page.counts[mention.value] - earlier - 1),
        "said before": min(MANY, earlier),
    }


def _of_thread(place: int, read: ReadThread, systems: _Systems) -> dict[str, float]:
    """The signs of a value that its question and the system of its answer give."""
    return {
        "given": place in read.given,
        "small": place in read.small,
        "of a system": place in systems.asked,
        "asked alone": place in systems.alone,
        "of no system": systems.some and place not in systems.asked,
        "option": place in read.offered,
        "no option": bool(read.options) and place not in read.offered,
    }
