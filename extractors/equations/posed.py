"""A question that sets equations and asks for nothing but their solution: ``Solve 3x + 2y = 19, x - y = 3``.

``posed_system`` solves it, ``posed_size`` says how many values it asks for.
"""

import re
from typing import Final

from extractors.equations.equation_candidates import Candidates, read_candidates
from extractors.equations.equation_lexicon import SOLVING_WORDS
from extractors.equations.setups import Setup
from extractors.expressions.tree import names_of, render
from extractors.questions.stated import Stated, solved_reading
from extractors.questions.worded import QuestionReading
from extractors.real_numbers.values import Budget, approximate
from extractors.text.wordlists import read_list, words

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
_PLAIN: Final = SOLVING_WORDS.union(words(read_list("extractors/posed_words")))


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
    return solved_reading(
        QuestionReading(tuple(render(one.equation) for one in equations), unknowns, positive=False), "posed"
    )


MAX_SIZED: Final = 600
"""Characters of a question that is looked at; one that only sets equations is short."""
STEPS: Final = 20_000
_ONE: Final = re.compile(
    r"\b(?:find|solve for|what(?:'s| is)|value of|for) (?:the )?(?:value of )?[a-z]\b(?! ?(?:and|&|,))"
    r"|\b(?:product|sum|difference|positive|negative|larger|smaller|larg|small|great|least|value of [a-z]{2})"
    r"|\b(?:how (?:many|much|long|old|far)|which)\b"
)
_SOLVING_WORD: Final = re.compile(r"[a-z]{3,}")
_SOLVING: Final = SOLVING_WORDS.union(words(read_list("extractors/solving_chatter")))


def posed_size(question: str) -> int | None:
    """The number of values that a question in equations asks for, from its text in lower case.

    All unknowns of a system with one solution, all roots of one unknown. None where the question has other words than
    those of solving, asks for one of the values, or sets no equations that can be solved.

    >>> posed_size("solve 3x+2y=19, x-y=3?"), posed_size("(x-2)^2=25 solve"), posed_size("x - 5 = 9")
    (2, 2, 1)
    >>> posed_size("solve for x: 3x+2y=19, x-y=3"), posed_size("tom has x pens, and 2x + 3 = 19. how many pens?")
    (None, None)
    """
    if "=" not in question or len(question) > MAX_SIZED or _ONE.search(question):
        return None
    if any(word not in _SOLVING for word in _SOLVING_WORD.findall(question)):
        return None
    setup = Setup(Budget(STEPS))
    for candidate in read_candidates(question).equations:
        setup.offer(candidate)
    if not setup.solved:
        return None
    if len(setup.solutions) == 1:
        return len(setup.names)
    roots = {approximate(value) for values in setup.solutions for value in values.values()}
    return len(roots) if len(setup.names) == 1 else None
