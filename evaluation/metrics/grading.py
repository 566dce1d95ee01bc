"""Whether an answer is the gold answer: right, wrong, or undecided where the two texts do not tell.

The final answer is found in each text (``final_answer``); where it cannot be told which part is one, the text is left
whole. What both state in formulas is compared first
(``statement_grades``), then what they state in numbers, words and units (``part_grades``). Wrong is said only where
both texts were read: what cannot be read, what may be a rounding, what has another kind of unit and what has two
readings is undecided, and the grade says why.
"""

import re
from collections.abc import Collection
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from curation.near_texts.plain_tokens import STOP_WORDS
from evaluation.metrics.answer_forms import TURNING, measure_of
from evaluation.metrics.grade_marks import Grade, Mark, Strict
from evaluation.metrics.part_grades import grade_parts
from evaluation.metrics.statement_grades import grade_statements, same_form
from evaluation.metrics.statement_reader import statement_of
from extractors.answers.parsing import normalised
from extractors.quantities.numbers import find_numbers

_BOLD: Final = re.compile(r"(?<![\w*])(\*\*|__)(?=\S)([^*_\n]{1,200})(?<=\S)\1(?![\w*])")
_MARKER: Final = re.compile(
    r"(?:\b(?:final |correct )?answers?(?: (?:is|are|would be))?[ ]?[:=]|\banswers?[ ](?:is|are)\b|####)\s*", re.I
)
_OPTION: Final = re.compile(
    r"\A\s*(?:\\(?:text|textbf|mathrm|mathbf)\s?\{\s?\(?(?P<marked>[A-E])[).:]{0,2}\s?\}|\(?(?P<plain>[A-E])[).:])"
    r"(?:[\s~]|\\[ ,;:!]|\\quad)*(?=[\w$\\(\[{.-])(?=.*[\w$])",
    re.S,
)
_SENTENCE: Final = re.compile(r"(?<=[^\s.][.!?])\s+(?=[A-Z\\$])|\n+")
_SEGMENT: Final = re.compile(r"\$\$?([^$]{1,600})\$\$?|\\\((.{1,600}?)\\\)|\\\[(.{1,600}?)\\\]", re.S)
_VERB: Final = re.compile(r"(?:\b(?:is|are|equals?|equal to|be|get|have|obtain|find)[ ]?:?|=|:)\s*\Z", re.I)
_LINK: Final = re.compile(r"\s*(?:,|;|\band\b|\bor\b|,\s*and\b|,\s*or\b)?\s*", re.I)
_TAIL: Final = re.compile(
    r"\s*[.!]?\s*|\s*,?\s*(?:\b(?:attained|achieved|reached|when|at|with|where|which|obtained|as|in|for)\b.*)", re.S
)
_CONCLUSION: Final = re.compile(
    r"\s*(?:so|thus|hence|therefore|then|finally|consequently|in conclusion|∴)\b,?\s*", re.I
)
_SUBJECT: Final = re.compile(
    r"(?:there (?:is|are|were|was|will be|must be)|it (?:takes?|costs?|is|will take|equals)"
    r"|we (?:get|have|find|obtain|need)"
    r"|(?:the |its |their )(?:[a-z]+ ){0,8}(?:is|are|was|equals?|becomes))\b",
    re.I,
)
_REMARK: Final = re.compile(r",\s+(?!and\b|or\b|[a-z](?![a-z]))[a-z][^0-9$\\=]{1,80}\Z|\.\s*\Z")
_WORD: Final = re.compile(r"[A-Za-z']{2,}")
_MATHS_WORDS: Final = frozenset(
    ["and", "or", "where", "is", "an", "integer", "for", "all", "real", "any", "if", "some"]
)


class FinalAnswer(NamedTuple):
    """The answer itself, the option it names, and the words of the sentence around it that carry a sense."""

    text: str
    option: str = ""
    around: frozenset[str] = frozenset()


def final_answer(text: str) -> FinalAnswer:
    """What a text gives as its answer; the whole text where that cannot be told.

    >>> final_answer("**Answer:** 4.").text, final_answer("Therefore, there are 72 ways.").text
    ('4', '72 ways')
    >>> final_answer("Hence the minimum is $9$, attained at $x=2$.").text, final_answer("(C) 12")
    ('$9$', FinalAnswer(text='12', option='C', around=frozenset()))
    """
    bare = _BOLD.sub(r"\2", text).strip() if "**" in text or "__" in text else text.strip()
    markers = list(_MARKER.finditer(bare))
    found = bare
    if markers and (tail := bare[markers[-1].end() :].strip()):
        found = _SENTENCE.split(tail, maxsplit=1)[0]
    option = _OPTION.match(found)
    letter = (option["marked"] or option["plain"]) if option is not None else ""
    if option is not None:
        found = found[option.end() :]
    core, around = _of_sentence(found)
    return FinalAnswer(_REMARK.sub("", core).strip(), letter, around)


def _of_sentence(text: str) -> tuple[str, frozenset[str]]:
    nothing: frozenset[str] = frozenset()
    if " " not in text or len(_WORD.findall(_SEGMENT.sub(" ", text))) < 2:
        return text, nothing
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    last = sentences[-1] if sentences else text
    conclusion = _CONCLUSION.match(last)
    if (len(sentences) > 1 and conclusion is None) or len(last) > 1_000:
        return text, nothing
    found = _among_formulas(last) if "$" in last or "\\(" in last or "\\[" in last else _in_prose(last)
    return (text, nothing) if found is None else found


def _among_formulas(sentence: str) -> tuple[str, frozenset[str]] | None:
    """The formulas behind the one verb of a sentence, or its only one."""
    segments = list(_SEGMENT.finditer(sentence))
    words = _words(_SEGMENT.sub(" ", sentence))
    if not segments or not words - _MATHS_WORDS or words & TURNING or sentence.lstrip()[:3].lower() == "if ":
        return None
    behind = [place for place, one in enumerate(segments) if _VERB.search(sentence[: one.start()])]
    if len(behind) > 1 or (not behind and len(segments) > 1):
        return None
    first = last = behind[0] if behind else 0
    while last + 1 < len(segments) and _LINK.fullmatch(sentence[segments[last].end() : segments[last + 1].start()]):
        last += 1
    tail = sentence[segments[last].end() :]
    if last + 1 < len(segments) and not _TAIL.fullmatch(tail):
        return None
    return sentence[segments[first].start() : segments[last].end()], frozenset(words - STOP_WORDS)


def _in_prose(sentence: str) -> tuple[str, frozenset[str]] | None:
    """The only number of a sentence that says what it is of, with the words behind it."""
    conclusion = _CONCLUSION.match(sentence)
    start = conclusion.end() if conclusion else 0
    subject = _SUBJECT.match(sentence, start)
    numbers = find_numbers(sentence)
    if subject is None or len(numbers) != 1 or numbers[0].start < subject.end() or "=" in sentence:
        return None
    begin = numbers[0].start
    if _words(sentence) & TURNING or sentence[begin - 1 : begin] not in (" ", ""):
        return None
    return sentence[begin:].rstrip(" .!"), frozenset(_words(sentence[subject.start() : begin]) - STOP_WORDS)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


MAX_ANSWER: Final = 50_000
_BOXED: Final = re.compile(r"\\(?:boxed|fbox)[ ]?\{")
_BETWEEN: Final = re.compile(r"(?:[\s,;.$]|\band\b|\bor\b){0,20}", re.I)
_COMMA: Final = re.compile(r"(?<![\w.,])([0-9]{1,9}),(?=[0-9]{1,2}(?![\w.,]))", re.A)
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
    said, meant = (_COMMA.sub(r"\1.", text) for text in (found.text, wanted.text))
    if outcome.mark is Mark.WRONG and (said, meant) != (found.text, wanted.text):
        other = _compared(said, meant, tolerance, exact=Strict.EXACT in asked)
        return Grade(Mark.UNDECIDED, "a comma may be a decimal point") if other.mark is Mark.RIGHT else outcome
    if outcome.mark is not Mark.RIGHT:
        return outcome
    return _doubt(found, wanted) or _fault(found.text, wanted.text, asked) or outcome


def _compared(said: str, meant: str, tolerance: Fraction, *, exact: bool) -> Grade:
    """The texts as statements, and where these leave it open as numbers with words."""
    found = statement_of(said)
    wanted = None if found is None else statement_of(meant)
    stated = None if found is None or wanted is None else grade_statements(found, wanted, tolerance, exact=exact)
    if stated is not None and stated.mark is not Mark.UNDECIDED:
        other = stated.mark is Mark.WRONG and grade_parts(said, meant, tolerance).mark is Mark.RIGHT
        return Grade(Mark.UNDECIDED, "it can be read in two ways") if other else stated
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
