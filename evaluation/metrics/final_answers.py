"""The final answer within the words of an answer: "**Answer:** 4.", "Therefore, there are 72 ways.", "(C) 12".

Where it cannot be told which part of a text is its answer, the text is left whole, and so unread.
"""

import re
from typing import Final, NamedTuple

from curation.plain_tokens import STOP_WORDS
from evaluation.metrics.answer_forms import TURNING
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
