"""Alignment of the numbers of a system to textual numbers, and which textual numbers restate one quantity."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from extractors.quantities.numbers import Number
from extractors.templates.matching import Occurrence

_WORD = re.compile(r"[a-z]++(?:-[a-z]++)?+|[.?!;0-9]")
_TIMES = re.compile(r"[ -](?:times?|fold)\b")
_FILLER_WORDS = "of the a an is and per each in at for to with his her their more less than"
_FILLERS = frozenset(_FILLER_WORDS.split())
_DEFINITE = re.compile(r"\b(?:the|this|that|these|those|his|her|their) ?\Z")
_WINDOW = 60
_WEAK_KINDS = frozenset({"article", "pronoun", "parity", "ordinal"})

_Quantity: TypeAlias = tuple[Fraction, str | None]
"""A value with its unit."""


@dataclass(frozen=True)
class Alignment:
    """For each occurrence the textual number chosen, and all that it may be; several: a person decides."""

    chosen: tuple[int, ...]
    choices: tuple[tuple[int, ...], ...]

    def ranked(self, place: int) -> tuple[int, ...]:
        """All numbers that the occurrence at ``place`` may be, the chosen one first."""
        return tuple(dict.fromkeys((self.chosen[place], *self.choices[place])))


def align(
    question: str, numbers: Sequence[Number], occurrences: Sequence[Occurrence], groups: Sequence[tuple[int, ...]]
) -> Alignment:
    """Choose a textual number for each occurrence.

    Candidates that restate one quantity count as one. Where several remain, a factor of an unknown prefers multipliers
    ("twice", "3 times") and a term the others; occurrences of one value take what remains in the order of the text, the
    last one again where there are more occurrences.
    """
    leader = {member: min(group) for group in groups for member in group}
    lowered = question.lower()
    multipliers = {i for i, number in enumerate(numbers) if _is_multiplier(lowered, number)}
    # A number of a long list has as many candidates as the list, so they are looked at once for each list, not for
    # each occurrence: the matcher gives occurrences of one value the very same tuple.
    known: dict[tuple[int, bool], _Choices] = {}
    turns: dict[tuple[int, ...], _Turns] = {}
    chosen: list[int] = []
    choices: list[tuple[int, ...]] = []
    for occurrence in occurrences:
        key = id(occurrence.candidates), occurrence.multiplies
        if key not in known:
            distinct = dict.fromkeys(leader.get(candidate, candidate) for candidate in occurrence.candidates)
            ranked = sorted(distinct, key=lambda i: (numbers[i].kind in _WEAK_KINDS, numbers[i].start))
            fitting = tuple(i for i in ranked if (i in multipliers) == occurrence.multiplies) or tuple(ranked)
            turn = turns.setdefault(fitting, _Turns(fitting))
            known[key] = _Choices(turn, tuple(dict.fromkeys((*fitting, *ranked))))
        chosen.append(known[key].turns.take())
        choices.append(known[key].ranked)
    return Alignment(tuple(chosen), tuple(choices))


@dataclass
class _Turns:
    """Numbers that are taken in turn, the last one again and again."""

    numbers: tuple[int, ...]
    taken: int = 0

    def take(self) -> int:
        number = self.numbers[min(self.taken, len(self.numbers) - 1)]
        self.taken += 1
        return number


@dataclass(frozen=True)
class _Choices:
    turns: _Turns
    ranked: tuple[int, ...]


def _is_multiplier(lowered: str, number: Number) -> bool:
    return number.kind in ("multiplier", "fraction") or _TIMES.match(lowered, number.end) is not None


def equivalent_groups(question: str, numbers: Sequence[Number]) -> tuple[tuple[int, ...], ...]:
    """Groups of textual numbers that restate one quantity (EquivTNum, section 3.2), by index.

    A number restates an earlier one of the same value and unit if the same two words follow (fillers passed over), or
    if a definite word stands before it and it has a unit ("the 40 percent"). Multipliers restate nothing: "3 times the
    first", "3 times the second".
    """
    lowered = question.lower()
    groups: list[list[int]] = []
    first: dict[_Quantity, int] = {}
    followed: dict[tuple[_Quantity, tuple[str, ...]], int] = {}
    for index, number in enumerate(numbers):
        if _is_multiplier(lowered, number):
            continue
        quantity = number.value, number.unit
        words = _following_words(lowered, number)
        if _is_definite(lowered, number):
            home = first.get(quantity)
        else:
            home = followed.get((quantity, words)) if words else None
        if home is None:
            home = len(groups)
            groups.append([])
        groups[home].append(index)
        first.setdefault(quantity, home)
        followed[quantity, words] = min(home, followed.get((quantity, words), home))
    return tuple(tuple(group) for group in groups if len(group) > 1)


def _is_definite(lowered: str, number: Number) -> bool:
    """Whether a number with a unit is spoken of as known: "the 40 percent"."""
    start = number.start
    return number.unit is not None and _DEFINITE.search(lowered, max(0, start - 8), start) is not None


def _following_words(lowered: str, number: Number) -> tuple[str, ...]:
    words: list[str] = []
    for match in _WORD.finditer(lowered, number.end, number.end + _WINDOW):
        if len(words) == 2 or not match.group()[0].isalpha():
            break
        if match.group() not in _FILLERS:
            words.append(match.group())
    return tuple(words) if len(words) == 2 else ()
