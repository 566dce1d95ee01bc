"""What tags are told by: the words of a question, those of what it asks, its numbers and its length, its equations."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from extractors.quantities.numbers import Number, find_numbers
from extractors.text.sentences import sentences
from models.equation_shape import MANY, read_equations, shape_terms

BLOCKS: Final = {"question": 4, "asked": 4, "numbers": 3, "equations": 3}
"""Kinds of terms, and in how many problems a term has to stand so that a model learns it."""
MAX_QUESTION: Final = 4_000
_NUMBER: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TOKEN: Final = re.compile(r"[a-z']+|0|[?%$:]")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]*")
_SYLLABLE: Final = re.compile(r"[aeiouy]+")


class TaggedText(NamedTuple):
    """A problem: its question, and its equations where they are known."""

    question: str
    equations: Sequence[str] = ()
    unknowns: Sequence[str] = ()
    asked: Sequence[str] = ()


def terms_of(problem: TaggedText) -> tuple[list[str], ...]:
    """The terms of a problem, a list for each of BLOCKS; the last is empty without equations that are understood."""
    text = problem.question[:MAX_QUESTION]
    parts = sentences(text)
    asking = " ".join([part for part in parts if part.endswith("?")] or parts[-1:])
    numbers = find_numbers(text)
    read = read_equations(problem.equations, problem.unknowns, problem.asked)
    shape = list(shape_terms(read, {number.value for number in numbers})) if read else []
    return _runs(text, 2), _runs(asking, 3), [*_number_terms(numbers), *_length_terms(text, len(parts))], shape


def _runs(text: str, longest: int) -> list[str]:
    """The runs of so many words and fewer, each numeral as 0.

    >>> _runs("How many of 12?", 2)[-3:]
    ['many of', 'of 0', '0 ?']
    """
    tokens = _TOKEN.findall(_NUMBER.sub("0", text.lower()))
    sizes = range(1, longest + 1)
    return [" ".join(tokens[at : at + size]) for size in sizes for at in range(len(tokens) - size + 1)]


def _number_terms(numbers: Sequence[Number]) -> Iterator[str]:
    yield f"{min(len(numbers), 2 * MANY)} numbers"
    yield from sorted({number.kind for number in numbers})
    values = [number.value for number in numbers]
    if values:
        yield f"largest of {int(max(map(abs, values))).bit_length()} bits"
        yield f"smallest of {int(min(map(abs, values))).bit_length()} bits"
    if len(values) > 1 and values[1]:
        yield "the larger first" if values[0] >= values[1] else "the smaller first"
        yield "divides" if (values[0] / values[1]).denominator == 1 else "does not divide"


def _length_terms(text: str, count: int) -> Iterator[str]:
    """Length and readability: words, sentences, and the grade of Kincaid et al. (1975) by words and syllables."""
    words, lines = _WORD.findall(text), max(1, count)
    letters = sum(map(len, words))
    syllables = sum(len(_SYLLABLE.findall(word.lower())) for word in words)
    yield f"{min(len(words) // 8, 12)} times 8 words"
    yield f"{min(lines, 8)} sentences"
    if words:
        grade = 0.39 * len(words) / lines + 11.8 * syllables / len(words) - 15.59
        yield f"{min(len(words) // lines // 4, 8)} times 4 words a sentence"
        yield f"{4 * letters // len(words)} quarter letters a word"
        yield f"readable at {min(max(int(grade), 0), 15)}"
