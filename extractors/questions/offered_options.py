"""The options of a multiple-choice question, and the letters by which an answer points at one of them."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from extractors.quantities.numbers import Number, find_numbers
from extractors.questions.question_types import option_texts
from extractors.text.plain import plain_maths

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
