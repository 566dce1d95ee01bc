"""Whether an answer is the gold answer: right, wrong, or undecided where the two texts do not tell.

The final answer is found in each text (``final_answers``). What both state in formulas is compared first
(``statement_grades``), then what they state in numbers, words and units (``part_grades``). Wrong is said only where
both texts were read: what cannot be read, what may be a rounding, what has another kind of unit and what has two
readings is undecided, and the grade says why.
"""

import re
from collections.abc import Collection
from fractions import Fraction
from itertools import pairwise
from typing import Final

from evaluation.metrics.final_answers import FinalAnswer, final_answer
from evaluation.metrics.grade_marks import Grade, Mark, Strict
from evaluation.metrics.measures import measure_of
from evaluation.metrics.part_grades import grade_parts
from evaluation.metrics.statement_grades import grade_statements, same_form
from evaluation.metrics.statement_reader import statement_of
from extractors.answers.parsing import normalised

MAX_ANSWER: Final = 50_000
_BOXED: Final = re.compile(r"\\(?:boxed|fbox)[ ]?\{")
_BETWEEN: Final = re.compile(r"(?:[\s,;.$]|\band\b|\bor\b){0,20}", re.I)
_PROSE: Final = re.compile(r"[A-Za-z]{2,}(?:[ ][A-Za-z]+){0,9}")
_ELLIPSIS: Final = re.compile(r"[,;]\s*(?:\.{3}|…|\\[cl]?dots)")
_MAX_BOXES: Final = 20
_MAX_WORD: Final = 30
_CHOICE: Final = re.compile(r"[(\[]?([A-E])(?:[)\].:].{0,200})?|[(\[]([a-e])[)\]]")
_LONE_CHOICE: Final = re.compile(r"[(\[]?([A-E])[)\].]?")
_OTHER_CHOICE: Final = re.compile(r"\b(?:[A-E]\b|or\b|and\b|not\b)")
_SAID: Final = {"yes": "yes", "true": "yes", "no": "no", "false": "no", "dne": "dne", "does not exist": "dne"}


def grade(answer: str, gold: str, tolerance: Fraction = Fraction(0), strict: Collection[Strict] = ()) -> Grade:
    """Grades an answer against the gold answer, both in LaTeX or in any notation that ``parse_answer`` reads.

    Formulas up to equality, sets in any order, points in theirs, named values by their names, equations up to a factor,
    sets of real numbers as sets, ratios up to a factor, units converted where that is exact. Percent: 25 % is 25, and
    0.25. ``tolerance`` is relative to the gold value; 0 is exact, and then a decimal of fewer than five digits that may
    be the rounded value is undecided. ``strict`` asks for more (see ``Strict``). Texts of more than 50,000 characters
    are undecided. ValueError for a negative tolerance.

    >>> grade("3.50 dollars", "$7/2").mark, grade("4, 3", "{3; 4}").mark, grade("12", "12 or 5").mark
    (<Mark.RIGHT: 'right'>, <Mark.RIGHT: 'right'>, <Mark.UNDECIDED: 'undecided'>)
    >>> grade("8 boys, 7 girls", "7 boys, 8 girls").mark, grade("12:00", "1:00").mark
    (<Mark.WRONG: 'wrong'>, <Mark.UNDECIDED: 'undecided'>)
    >>> grade("0.33", "1/3")
    Grade(mark=<Mark.UNDECIDED: 'undecided'>, why='the answer may be 1/3 rounded; state a tolerance')
    >>> grade("a lot", "5")
    Grade(mark=<Mark.UNDECIDED: 'undecided'>, why='could not read the answer: a lot')
    """
    if tolerance < 0:
        raise ValueError("a tolerance is not negative")
    for side, text in (("answer", answer), ("gold", gold)):
        if len(text) > MAX_ANSWER:
            return Grade(Mark.UNDECIDED, f"the {side} has more than {MAX_ANSWER} characters")
    asked = frozenset(map(Strict, strict))
    readings = [_graded(said, meant, tolerance, asked) for said in _unboxed(answer) for meant in _unboxed(gold)]
    if len({found.mark for found in readings}) > 1:
        return Grade(Mark.UNDECIDED, "it has several boxes, and whether one or all of them are meant cannot be told")
    return readings[0]


def _unboxed(text: str) -> list[str]:
    """What an answer may be: the whole of it; what its boxes hold; of several boxes apart the last, or all of them."""
    boxes = _boxes(text)
    if not boxes:
        return [text]
    inside = [text[start:end] for _, start, end in boxes]
    between = [text[one[2] + 1 : other[0]] for one, other in pairwise(boxes)]
    if len({_plain(part) for part in inside}) == 1:
        return inside[:1]
    if all(_BETWEEN.fullmatch(part) for part in between):
        joined = ((part.strip(" $.") and f" {part.strip(' $.')} ") or ", " for part in between)
        return [inside[0] + "".join(sign + part for sign, part in zip(joined, inside[1:], strict=True))]
    return [inside[-1], ", ".join(inside)]


def _boxes(text: str) -> list[tuple[int, int, int]]:
    """Where each box of an answer begins, and its content begins and ends; none where there are too many of them."""
    found: list[tuple[int, int, int]] = []
    for match in _BOXED.finditer(text):
        depth, start = 1, match.end()
        if len(found) >= _MAX_BOXES:
            return []
        for place in range(start, len(text)):
            depth += (text[place] == "{") - (text[place] == "}")
            if not depth:
                found.append((match.start(), start, place))
                break
    return found


def _graded(said: str, meant: str, tolerance: Fraction, asked: frozenset[Strict]) -> Grade:
    if said.strip() == meant.strip() and said.strip():
        return Grade(Mark.RIGHT, "the same text")
    lettered = _lettered(said, meant)
    if lettered is not None:
        return lettered
    found, wanted = final_answer(said), final_answer(meant)
    outcome = _compared(found.text, wanted.text, tolerance, exact=Strict.EXACT in asked)
    if outcome.mark is not Mark.RIGHT:
        return outcome
    return _doubt(found, wanted) or _fault(found.text, wanted.text, asked) or outcome


def _compared(said: str, meant: str, tolerance: Fraction, *, exact: bool) -> Grade:
    """The texts as statements, and where these leave it open as numbers with words."""
    found = statement_of(said)
    wanted = None if found is None else statement_of(meant)
    stated = None if found is None or wanted is None else grade_statements(found, wanted, tolerance, exact=exact)
    if stated is not None and stated.mark is not Mark.UNDECIDED:
        return stated
    plain = [_plain(text) for text in (said, meant)]
    if plain[0] == plain[1] != "" or (_PROSE.fullmatch(plain[0]) and plain[0].lower() == plain[1].lower()):
        return Grade(Mark.RIGHT, "the same text")
    if any(map(_ELLIPSIS.search, (said, meant))):
        return Grade(Mark.UNDECIDED, "a list that leaves out values")
    worded = grade_parts(said, meant, tolerance)
    return worded if stated is None or worded.mark is Mark.RIGHT else stated


def _doubt(found: FinalAnswer, wanted: FinalAnswer) -> Grade | None:
    """Why equal values may not be the same answer."""
    if found.option and wanted.option and found.option != wanted.option:
        return Grade(Mark.UNDECIDED, "the values are the same, the options are not")
    if found.around and wanted.around and found.around != wanted.around:
        return Grade(Mark.UNDECIDED, "the sentences around the values are not the same")
    return None


def _fault(said: str, meant: str, asked: frozenset[Strict]) -> Grade | None:
    """What a strict grade misses."""
    if Strict.UNIT in asked and measure_of(normalised(meant)) != measure_of(normalised(said)):
        return Grade(Mark.WRONG, "the unit is not that of the gold")
    if Strict.FORM in asked:
        same = same_form(statement_of(said), statement_of(meant))
        if not same:
            return Grade(Mark.UNDECIDED if same is None else Mark.WRONG, "the form is not that of the gold")
    return None


def _plain(text: str) -> str:
    """A text in plain maths without its last full stop, for a comparison letter by letter."""
    return " ".join(normalised(text).split()).rstrip(".")


def _lettered(said: str, meant: str) -> Grade | None:
    """Options and yes or no: "(B)" against "B) 12"; None for more than one option."""
    choices = [_CHOICE.fullmatch(text.strip()) for text in (said, meant)]
    if all(choices) and any(_LONE_CHOICE.fullmatch(text.strip()) for text in (said, meant)):
        chosen, keyed = ((choice[1] or choice[2]).upper() for choice in choices if choice is not None)
        if any(_OTHER_CHOICE.search(choice[0], choice.end(1)) for choice in choices if choice and choice[1]):
            return Grade(Mark.UNDECIDED, "it names more than one option")
        return Grade(Mark.RIGHT if chosen == keyed else Mark.WRONG, f"option {chosen}, gold {keyed}")
    words = [_plain(text).lower() if len(text) < _MAX_WORD else "" for text in (said, meant)]
    if all(word in _SAID for word in words):
        same = _SAID[words[0]] == _SAID[words[1]]
        return Grade(Mark.RIGHT if same else Mark.WRONG, f"{words[0]}, gold {words[1]}")
    return None
