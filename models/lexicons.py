"""Word lists of the post classifier with how often their entries stand in a text; numbered parts of a question.

A list is written as one string: entries between commas or on lines, ``*`` after a stem, ``/`` between alternatives of a
phrase's word. Counting looks each word up once and tries phrases only where their first word stands, so it is linear.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from extractors.text.wordlists import read_list

_Entry = tuple[tuple[int, ...], tuple[tuple[int, tuple[str, ...]], ...]]
MAX_KNOWN: Final = 100_000


@dataclass(frozen=True)
class Lexicon:
    """Words, stems, and phrases by their first word."""

    words: frozenset[str]
    stems: tuple[str, ...]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]

    @classmethod
    def of(cls, entries: str) -> "Lexicon":
        """Read a list.

        >>> Lexicon.of("prime, factor*, how do/does").phrases
        {'how': (('how', 'do'), ('how', 'does'))}
        """
        words, stems, phrases = set[str](), list[str](), dict[str, list[tuple[str, ...]]]()
        for entry in (part.strip() for part in entries.strip().replace("\n", ",").split(",")):
            if " " in entry:
                for phrase in product(*(word.split("/") for word in entry.split())):
                    phrases.setdefault(phrase[0], []).append(phrase)
            elif entry.endswith("*"):
                stems.append(entry[:-1])
            else:
                words.add(entry)
        return cls(frozenset(words), tuple(stems), {first: tuple(found) for first, found in phrases.items()})

    def holds(self, word: str) -> bool:
        """Whether the word itself, without its neighbours, is of the list."""
        return word in self.words or word.startswith(self.stems)


def word_set(entries: str) -> frozenset[str]:
    """The words of a list that holds nothing else."""
    return Lexicon.of(entries).words


LEXICONS: Final[Mapping[str, Lexicon]] = {
    "quantity": Lexicon.of(read_list("models/quantity")),
    "method": Lexicon.of(read_list("models/method")),
    "elsewhere": Lexicon.of(read_list("models/elsewhere")),
    "college": Lexicon.of(read_list("models/college")),
    "proof": Lexicon.of(read_list("models/proof")),
    "science": Lexicon.of(read_list("models/science")),
    "school": Lexicon.of(read_list("models/school")),
    "several": Lexicon.of(read_list("models/several")),
    "clueless": Lexicon.of(read_list("models/clueless")),
}


class Vocabulary(dict[str, "_Entry | None"]):
    """What some of the lists say of words, worked out when a word is first met; None for most words."""

    def __init__(self, *names: str) -> None:
        super().__init__()
        self._names = names
        self._lists = tuple(LEXICONS[name] for name in names)

    def __missing__(self, word: str) -> "_Entry | None":
        if len(self) >= MAX_KNOWN:
            self.clear()
        places = tuple(place for place, lexicon in enumerate(self._lists) if lexicon.holds(word))
        phrases = tuple(
            (place, phrase) for place, lexicon in enumerate(self._lists) for phrase in lexicon.phrases.get(word, ())
        )
        self[word] = (places, phrases) if places or phrases else None
        return self[word]

    def counts(self, words: tuple[str, ...]) -> dict[str, int]:
        """How often words and phrases of each list stand in a text, by the list's name.

        >>> Vocabulary("method").counts(tuple("how do you find the slope".split()))
        {'method': 1}
        """
        found = [0] * len(self._lists)
        for at, entry in enumerate(map(self.__getitem__, words)):
            if entry is not None:
                for place in entry[0]:
                    found[place] += 1
                for place, phrase in entry[1]:
                    if words[at : at + len(phrase)] == phrase:
                        found[place] += 1
        return dict(zip(self._names, found, strict=True))


OF_QUESTIONS: Final = Vocabulary(*(name for name in LEXICONS if name != "clueless"))
OF_ANSWERS: Final = Vocabulary("college", "clueless")

_MARK: Final = re.compile(
    r"(?<![\w.,$/+*=^-])(?:(?:q(?:uestion)?|prob(?:lem)?|no|number|#)[.:]?\s?)?[(\[#]?"
    r"(?:(?P<number>[0-9]{1,2})|(?P<roman>i{1,3}|iv|v)|(?P<letter>[a-j]))\s?"
    r"(?:[)\]:.]+(?![0-9])|/(?=\s)|(?=\n)|(?:(?<=\n.)|(?<=#.)|(?<=#..)|(?<=q.))\s)"
)
_WORK: Final = re.compile(r"[=?*+]|\s[-x/]\s")
_ROMAN: Final = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5}
MAX_GAP: Final = 4
SHORT: Final = 18


@dataclass(frozen=True)
class QuestionItems:
    """How many ``items`` a question has in ascending order, and how many short ``choices`` of one problem."""

    items: int = 0
    choices: int = 0


@dataclass(frozen=True)
class _Mark:
    kind: str
    place: int
    start: int
    end: int


def _marks(question: str) -> list[_Mark]:
    found = []
    for match in _MARK.finditer(question):
        kind = str(match.lastgroup)
        text = match[kind]
        place = int(text) if kind == "number" else _ROMAN[text] if kind == "roman" else ord(text) - ord("a") + 1
        found.append(_Mark(kind, place, match.start(), match.end()))
    return found


def _run(marks: Sequence[_Mark]) -> list[_Mark]:
    """The longest run in which each mark follows the one before it in the count, with small gaps."""
    best: list[_Mark] = []
    current: list[_Mark] = []
    for mark in marks:
        follows = bool(current) and 0 < mark.place - current[-1].place <= MAX_GAP
        current = [*current, mark] if follows else [mark]
        best = max(best, current, key=len)
    return best


def _short(question: str, run: Sequence[_Mark]) -> bool:
    """Whether the text after each mark is no longer than a value: choices, where the items are letters."""
    ends = [*(mark.start for mark in run[1:]), len(question)]
    texts = [question[mark.end : end].strip() for mark, end in zip(run, ends, strict=True)]
    return all(len(text) <= SHORT and not _WORK.search(text) for text in texts[:-1])


def question_items(question: str) -> QuestionItems:
    """The items and choices of a question in lower case.

    >>> question_items("1) solve 2x = 4 2) solve 3x = 9"), question_items("what is x? a) 1 b) 2 c) 3")
    (QuestionItems(items=2, choices=0), QuestionItems(items=0, choices=3))
    """
    marks = _marks(question)
    if len(marks) < 2:
        return QuestionItems()
    runs = [_run([mark for mark in marks if mark.kind == kind]) for kind in ("number", "roman", "letter")]
    items = choices = 0
    for run in runs:
        if len(run) < 2:
            continue
        if run[0].kind == "letter" and len(run) > 2 and _short(question, run):
            choices = max(choices, len(run))
        else:
            items = max(items, len(run))
    return QuestionItems(items, choices)
