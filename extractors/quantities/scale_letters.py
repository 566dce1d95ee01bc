"""Letters that multiply the number they touch: "$50k", "2.5M people", "3 bn"; and where nobody can tell.

A letter may be an unknown ("5k + 3 = 13"), a unit ("300K") or a name ("a 10K run") as well as a scale.
"""

import re
from typing import Final, NamedTuple

_NO_OPERATOR: Final = r"(?![\w^{_(]|[ ]?[*=<>$]|[ ]?[-+/][ ]?(?:[0-9(]|[a-z]\b))"
# "$50k" is 50,000 dollars; in "$50k + 3$" the letter is an unknown.
_PRICED: Final = re.compile(rf"([kK]|M|(?<=\.[0-9])m|mn|B|[ ]?bn){_NO_OPERATOR}(?![^$\n]{{0,60}}\$(?!\d))")
# "A. 15B. 16C. 9" are three options.
_COUNTED: Final = re.compile(rf"([kK]|[MB](?![.):][ ]?[-$(]?[0-9])|[ ]?bn){_NO_OPERATOR}")
_SCALES: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_PLURAL: Final = re.compile(
    r"[ ](?!(?:is|as|was|has|this|its|plus|minus|times|equals|thus|yes|gives|makes|runs|races|walks|marathons|ohms)\b)"
    r"(?:[a-z]{2,14}[ ])?(?:[a-z]{2,14}s|people|feet|men|women|children)\b"
)
_OPERATED: Final = re.compile(r"[-+*/=(<>^][ ]?[0-9.]{1,12}\Z")
_LETTERS: Final = frozenset("kKmMbB")
_AROUND: Final = 120


class Scaled(NamedTuple):
    """What letters behind a number multiply it by, up to ``end``; 0 where they may mean something else."""

    factor: int
    end: int


def scale_letters(text: str, end: int, *, priced: bool) -> Scaled | None:
    """The scale that touches a number which ends at ``end``; None where there is none.

    ``priced`` numbers have a currency before them, which leaves little else for a letter to be.

    >>> scale_letters("10k miles", 2, priced=False), scale_letters("a 5K run", 3, priced=False)
    (Scaled(factor=1000, end=3), Scaled(factor=0, end=4))
    >>> scale_letters("5k + 3 = 13", 1, priced=False)
    """
    if text[end : end + 2].lstrip()[:1] not in _LETTERS:
        return None
    match = (_PRICED if priced else _COUNTED).match(text, end)
    if match is None:
        return None
    scale = match[1].strip().lower()
    if priced or scale == "bn" or _PLURAL.match(text, match.end()):
        return Scaled(_SCALES[scale], match.end())
    return None if _is_unknown(text, match) else Scaled(0, match.end())


def _is_unknown(text: str, match: re.Match[str]) -> bool:
    """Whether the letter stands in an expression, or by itself, near by."""
    start, letter = match.start(), re.escape(match[1])
    if _OPERATED.search(text, max(0, start - 14), start):
        return True
    alone = re.compile(rf"(?<![A-Za-z0-9]){letter}(?![\w'’])|[0-9][ ]?{letter}[ ]?[-+*/=^]")
    near = text[max(0, start - _AROUND) : start] + "\n" + text[match.end() : match.end() + _AROUND]
    return alone.search(near) is not None
