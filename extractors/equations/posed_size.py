"""How many values a question asks for that does nothing but set equations: "solve x + y = 8 and 2x + 3y = 21"."""

import re
from typing import Final

from extractors.equations.equation_candidates import read_candidates
from extractors.equations.equation_lexicon import SOLVING_WORDS, words
from extractors.equations.setups import Setup
from extractors.real_numbers.arithmetic_cost import Budget
from extractors.real_numbers.values import approximate

MAX_CHARACTERS: Final = 600
"""Characters of a question that is looked at; one that only sets equations is short."""
STEPS: Final = 20_000
_ONE: Final = re.compile(
    r"\b(?:find|solve for|what(?:'s| is)|value of|for) (?:the )?(?:value of )?[a-z]\b(?! ?(?:and|&|,))"
    r"|\b(?:product|sum|difference|positive|negative|larger|smaller|larg|small|great|least|value of [a-z]{2})"
    r"|\b(?:how (?:many|much|long|old|far)|which)\b"
)
_WORD: Final = re.compile(r"[a-z]{3,}")
_PLAIN: Final = SOLVING_WORDS | words(
    "use factorise factorize complete plz plzz determine these methods simultaneously anyone having trouble"
)


def posed_size(question: str) -> int | None:
    """The number of values that a question in equations asks for, from its text in lower case.

    All unknowns of a system with one solution, all roots of one unknown. None where the question has other words than
    those of solving, asks for one of the values, or sets no equations that can be solved.

    >>> posed_size("solve 3x+2y=19, x-y=3?"), posed_size("(x-2)^2=25 solve"), posed_size("x - 5 = 9")
    (2, 2, 1)
    >>> posed_size("solve for x: 3x+2y=19, x-y=3"), posed_size("tom has x pens, and 2x + 3 = 19. how many pens?")
    (None, None)
    """
    if "=" not in question or len(question) > MAX_CHARACTERS or _ONE.search(question):
        return None
    if any(word not in _PLAIN for word in _WORD.findall(question)):
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
