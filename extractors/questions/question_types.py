"""What kind of task a question sets: open, or what a corpus of open problems may want to leave out.

Users of published corpora complain of proofs, questions of yes or no, missing figures, and answers that stand in the
question. Every type but ``open`` rests on characters of the question, which are returned with it.

The options of a multiple-choice question have values, and letters by which an answer points at one of them.
"""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from fractions import Fraction
from itertools import islice, pairwise
from typing import Final, NamedTuple

from extractors.quantities.numbers import Number, find_numbers
from extractors.text.plain import plain_maths
from extractors.text.sentences import sentence_ends
from extractors.text.wordlists import folded, holds_any, words

MAX_QUESTION: Final = 6_000
"""Characters that are read of a question."""
MAX_EVIDENCE: Final = 200


class QuestionType(StrEnum):
    """The task of a question. Where several hold, the first of them in this order is the type."""

    NEEDS_FIGURE = "needs_figure"
    PROOF = "proof"
    SEVERAL_PARTS = "several_parts"
    MULTIPLE_CHOICE = "multiple_choice"
    YES_OR_NO = "yes_or_no"
    ANSWER_IN_QUESTION = "answer_in_question"
    OPEN = "open"


class TypedQuestion(NamedTuple):
    """A type of a question, the characters that show it, at most ``MAX_EVIDENCE``, and where all of them stand.

    Both are None for an open one.
    """

    type: QuestionType
    evidence: str | None = None
    span: tuple[int, int] | None = None


_FIGURE: Final = r"(?:figures?|diagrams?|pictures?|pics?|images?|drawings?|sketch|graphs?|charts?|illustration)"
_NEEDS_FIGURE: Final = re.compile(
    rf"\b(?:see|in|from|on|to|at|use|using|refer to|look at) (?:the|this|these|following|attached|given) "
    rf"(?:(?:following|attached|given) )?{_FIGURE}\b(?! of)"
    rf"|\b{_FIGURE}(?: \w{{1,12}}){{0,2}} (?:below|above|attached|here|(?:on|at|to) the (?:right|left))\b"
    r"|\bshaded (?:region|area|part)\b",
    re.I,
)
_PROOF: Final = re.compile(
    r"\b(?:dis)?prove\b(?! to be)|\bproof (?:of|that|for)\b|\bverify that\b"
    r"|(?:\A|[.,:;!?()\n]\s?|\b(?:then|please|how to|and|now) )show(?: me)? that\b",
    re.I,
)
_CHOICE: Final = re.compile(r"\bwhich (?:one )?of (?:the following|these)\b", re.I)
_MARK: Final = re.compile(r"(?<![^\s(\[])([A-Ha-h1-8])(?:\s?\)|[.:\]](?=\s)|\s?\n)\s{0,3}(?=\S)")
_ORDERS: Final = {"A": "ABCDEFGH", "a": "abcdefgh", "1": "12345678"}
_OFFERS: Final = re.compile(r"\b(?:answers|choices|options)\b", re.I)
_FIGURE_CUES: Final = words("figure diagram pic image draw sketch graph chart illustr shaded")
_FORMS: Final = (
    (QuestionType.NEEDS_FIGURE, _NEEDS_FIGURE, _FIGURE_CUES),
    (QuestionType.PROOF, _PROOF, ("prove", "proof", "verify", "show")),
)
"""Types that a pattern shows, each with words of which one stands in every text that has the type."""
_LEAST_OPTIONS: Final = 3
_LONGEST_OPTION: Final = 100
_NEAR: Final = 40
_MOST_MARKS: Final = 200
_ASKS: Final = re.compile(
    r"\b(?:how (?:many|much|long|far|old|fast|tall|high|wide|big|large|often|deep)|what|which|when|who|where|find|solve"
    r"|determine|calculate|compute|evaluate|simplify|express|give|write|state|factor|estimate|prove|show)\b",
    re.I,
)
_YES_OR_NO: Final = re.compile(
    r"(?:(?:so|and|but|then|or|now),? )?"
    r"(?:is|are|was|were|does|do|did|can|could|will|would|has|have|had|should)(?:n'?t)? "
    r"(?!(?:you|u|ya|any ?(?:1|one|body)|some ?(?:1|one|body)|there|i|we)\b)(?=\S+ \S)",
    re.I,
)
_CHECKS: Final = re.compile(r"\b(?:correct|right|wrong)\b", re.I)
_VALUE: Final = r"[($]{0,2}-?[0-9]++(?>(?:[.,/][0-9]++)*)"
_STATED: Final = re.compile(
    r"(?:\A|[.,:;!?()\n]\s?|\b(?:know|think|but|says?|key) )(?:that )?(?:(?:the|my|its) )?(?:correct |right )?"
    rf"ans(?:wers?|wer key)?\b(?: \w{{1,12}}){{0,3}}?(?: (?:is|are|was|be|says)| ?[:=-]) ?{_VALUE}",
    re.I,
)
_GOT: Final = re.compile(rf"\bi got (?:\w{{1,12}} ){{0,4}}{_VALUE}", re.I)
_TRIED: Final = re.compile(r"\b(?:correct|right|wrong|answers?|solved?|check)\b", re.I)


def type_of(question: str) -> TypedQuestion:
    """What kind of task a question sets, and the characters that show it.

    >>> type_of("Is 9/4 more than 2?").type.value, type_of("What is x? a) 1 b) 2 c) 3").evidence
    ('yes_or_no', 'a) 1 b) 2 c) 3')
    """
    return next(types_of(question), TypedQuestion(QuestionType.OPEN))


def types_of(question: str) -> Iterator[TypedQuestion]:
    """Every type that holds of a question, the first one first; one type may come more than once.

    >>> [typed.type.value for typed in types_of("Which of these is prime? A) 4 B) 5 C) 6 (Answer: 5)")]
    ['multiple_choice', 'multiple_choice', 'answer_in_question']
    """
    text = question[:MAX_QUESTION]
    for kind, (start, end) in _shown(text):
        shown = text[start:end].strip()
        start += len(text[start:end]) - len(text[start:end].lstrip())
        yield TypedQuestion(kind, shown[:MAX_EVIDENCE], (start, start + len(shown)))


def _shown(text: str) -> Iterator[tuple[QuestionType, tuple[int, int]]]:
    plain = folded(text)
    for kind, form, cues in _FORMS:
        if holds_any(plain, cues):
            yield from ((kind, found.span()) for found in form.finditer(text))
    runs = list(_marked(text))
    yield from ((QuestionType.SEVERAL_PARTS, run.span) for run in runs if run.asks)
    yield from ((QuestionType.MULTIPLE_CHOICE, run.span) for run in runs if run.offers)
    if "which" in plain:
        yield from ((QuestionType.MULTIPLE_CHOICE, found.span()) for found in _CHOICE.finditer(text))
    if not _ASKS.search(text) and not _CHECKS.search(text):
        for span in pairwise([0, *sentence_ends(text)]):
            one = text[slice(*span)].strip()
            if one.endswith("?") and _YES_OR_NO.match(one):
                yield QuestionType.YES_OR_NO, span
    if "ans" in plain:
        yield from ((QuestionType.ANSWER_IN_QUESTION, found.span()) for found in _STATED.finditer(text))
    if "i got" in plain and _TRIED.search(text):  # who only got apples has no answer
        yield from ((QuestionType.ANSWER_IN_QUESTION, found.span()) for found in _GOT.finditer(text))


def option_texts(question: str) -> tuple[tuple[str, str], ...]:
    """The letter and the text of each option of the last list of options that a question offers; none without one.

    >>> option_texts("What is x? a) 1 b) 2 c) 3")
    (('a', '1'), ('b', '2'), ('c', '3'))
    """
    text = question[:MAX_QUESTION]
    if len(_MARK.findall(text)) < _LEAST_OPTIONS:
        return ()
    offered = [run for run in _marked(text) if run.offers and not run.whole.startswith("1")]
    if not offered:
        return ()
    first = offered[-1].whole[:1]
    return tuple(zip(_ORDERS[first], map(_first_line, offered[-1].texts), strict=False))


def _first_line(text: str) -> str:
    """The text of an option: its line, without what follows, and without the bracket that opens the next mark."""
    return text.strip().partition("\n")[0].rstrip("([ ").strip()


class _PartList(NamedTuple):
    """Lettered or numbered texts in order, from the first mark on; ``asked`` is what stands before them."""

    asked: str
    whole: str
    texts: tuple[str, ...]

    @property
    def span(self) -> tuple[int, int]:
        """Where they stand."""
        return len(self.asked), len(self.asked) + len(self.whole)

    @property
    def asks(self) -> bool:
        """Whether two of them or more ask something."""
        return sum("?" in one or bool(_ASKS.search(one)) for one in self.texts) > 1

    @property
    def offers(self) -> bool:
        """Whether they are options: three or more short ones that ask nothing, and if numbered, said to be options."""
        if len(self.texts) < _LEAST_OPTIONS or max(map(len, self.texts)) > _LONGEST_OPTION:
            return False
        named = not self.whole.startswith("1") or _OFFERS.search(self.asked[-_NEAR:])
        return bool(named) and not _ASKS.search(" ".join(self.texts))


def _marked(text: str) -> Iterator[_PartList]:
    """Every run of two or more marks from A, a or 1 on, each the next of the one before."""
    marks = list(islice(_MARK.finditer(text), _MOST_MARKS))
    for place, first in enumerate(marks):
        run = list[re.Match[str]]()
        for mark in marks[place:]:
            order = _ORDERS.get(first[1], "")
            if len(run) < len(order) and mark[1] == order[len(run)]:
                run.append(mark)
        if len(run) > 1:
            ends = [*(mark.start() for mark in run[1:]), len(text)]
            texts = (text[mark.end() : end] for mark, end in zip(run, ends, strict=True))
            yield _PartList(text[: first.start()], text[first.start() :], tuple(texts))


NO_OPTIONS: Final[Mapping[str, Fraction]] = {}
LEAST: Final = 2
"""Options that must hold a value; of a list with fewer nothing is read."""
_RATIO: Final = re.compile(r"\s*([0-9]{1,9})\s?(?::|to)\s?([0-9]{1,9})\s*\Z")
_POINTER: Final = re.compile(r"(?<![A-Za-z0-9'’=+*/^])([A-Ha-h])(?![A-Za-z0-9'’])")
_BRACKETS: Final = "()[]{}"
_NO_VALUE: Final = frozenset({"ordinal", "article", "pronoun", "parity", "coin"})


def options_of(question: str) -> dict[str, Fraction]:
    """The value of each option of a question that holds just one number or ratio, by its letter in capitals.

    A question with fewer than LEAST of them has none.

    >>> {letter: str(value) for letter, value in options_of("How fast? (A) 15 mph (B) 1 to 4 (C) none").items()}
    {'A': '15', 'B': '1/4'}
    """
    found: dict[str, Fraction] = {}
    for letter, text in option_texts(question):
        plain = plain_maths(text).text
        ratio = _RATIO.match(plain)
        numbers = [number for number in find_numbers(plain) if number.kind not in _NO_VALUE]
        if ratio and int(ratio[2]):
            found[letter.upper()] = Fraction(int(ratio[1]), int(ratio[2]))
        elif len(numbers) == 1:
            found[letter.upper()] = numbers[0].value
    return found if len(found) >= LEAST else {}


def pointers(text: str, options: Mapping[str, Fraction]) -> list[Number]:
    """The letters of a text that may point at an option, as numbers of kind ``option`` with the option's value.

    A small letter counts only with a bracket or a point behind it: "a" and "b" are words and names as well.

    >>> [(one.raw, str(one.value)) for one in pointers("So a is 7, answer (B).", {"A": Fraction(5), "B": Fraction(7)})]
    [('B', '7')]
    """
    found = []
    for match in _POINTER.finditer(text) if options else ():
        value = options.get(match[1].upper())
        closed = text[match.end() : match.end() + 1] in tuple(_BRACKETS)
        if value is not None and (match[1].isupper() or closed):
            found.append(Number(value, match.start(), match.end(), match[1], "option"))
    return found
