"""A question that sets equations and asks for nothing but their solution: ``Solve 3x + 2y = 19, x - y = 3``."""

import re
from typing import Final

from extractors.equations.equation_candidates import Candidates
from extractors.equations.equation_lexicon import SOLVING_WORDS, words
from extractors.expressions.render import render
from extractors.expressions.tree import names_of
from extractors.questions.readings import Reading
from extractors.questions.stated import Stated, solved_reading

MAX_EQUATIONS: Final = 4
MAX_CHARACTERS: Final = 320
"""Equations and characters of a question that is read; one that only sets equations is short."""
_WORD: Final = re.compile(r"[a-z']{2,}")
_ITEM: Final = re.compile(
    r"(?<!\S)\(?\d{1,2}\s?[.):](?!\d)|[$\\{}&]|\b(?:equation|problem|question|number|#)\s?\d{1,2}\b"
)
_MORE: Final = re.compile(r"[\d=+*/^<>√²³]|-\s*[a-z0-9]\b")
"""What stands outside of the equations where there is more than they say: another expression, a number."""
_FUNCTION: Final = re.compile(r"\b[fgh]\s*\(")
_PLAIN: Final = SOLVING_WORDS | words(
    """of value by do to is what's if then me it its somebody in zeros algebraically let satisfy satisfies or your my an
    as so check hi hello ok im i'm problem hw homework question pair unknown variable matrices addition combination
    exactly real numbers satisfying have has we tag begin end aligned align cases gathered left right quad text pts
    points best up"""
)


def posed_system(asked: Candidates) -> Stated | None:
    """The solution of the equations that a question sets, from its candidates; None where it says anything besides.

    >>> from extractors.equations.equation_candidates import read_candidates
    >>> posed_system(read_candidates("solve 2x - y = 5 and x + y = 4")).answers
    ((Fraction(3, 1), Fraction(1, 1)),)
    >>> posed_system(read_candidates("if 2x - y = 5 and x + y = 4 then what is the value of x - 3y?")) is None
    True
    """
    equations = [candidate for candidate in asked.equations if not candidate.assigns]
    text = asked.plain.text.lower()
    if not 0 < len(equations) <= MAX_EQUATIONS or len(equations) < len(asked.equations) or len(text) > MAX_CHARACTERS:
        return None
    rest, at = [], 0
    for candidate in equations:
        rest.append(text[at : candidate.start])
        at = candidate.end
    outside = _ITEM.sub(" ", " ".join([*rest, text[at:]]))
    if _MORE.search(outside) or _FUNCTION.search(text) or any(word not in _PLAIN for word in _WORD.findall(outside)):
        return None
    unknowns = names_of(*[side for one in equations for side in (one.equation.left, one.equation.right)])
    if not unknowns or len(unknowns) != len(equations):
        return None
    return solved_reading(Reading(tuple(render(one.equation) for one in equations), unknowns, positive=False), "posed")
