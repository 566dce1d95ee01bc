"""Alignment of the numbers of a system to textual numbers, and which textual numbers restate one quantity."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractors.quantities.numbers import Number
from extractors.templates.matching import Occurrence

_WORD = re.compile(r"[a-z]++(?:-[a-z]++)?+|[.?!;0-9]")
_TIMES = re.compile(r"[ -](?:times?|fold)\b")
_FILLER_WORDS = "of the a an is and per each in at for to with his her their more less than"
_FILLERS = frozenset(_FILLER_WORDS.split())
_DEFINITE = re.compile(r"\b(?:the|this|that|these|those|his|her|their) ?\Z")
_WINDOW = 60
_WEAK_KINDS = frozenset({"article", "pronoun", "parity", "ordinal"})


@dataclass(frozen=True)
class Alignment:
    """For each occurrence the textual number chosen, and all that it may be, best first; several: a person decides."""

    chosen: tuple[int, ...]
    ranked: tuple[tuple[int, ...], ...]


def align(
    question: str, numbers: Sequence[Number], occurrences: Sequence[Occurrence], groups: Sequence[tuple[int, ...]]
) -> Alignment:
    """Choose a textual number for each occurrence.

    Candidates that restate one quantity count as one. Where several remain, a factor of an unknown prefers multipliers
    ("twice", "3 times") and a term the others; occurrences of one value take what remains in the order of the text, the
    last one again where there are more occurrences.
    """
    leader = {member: min(group) for group in groups for member in group}
    multipliers = {i for i, number in enumerate(numbers) if _is_multiplier(question, number)}
    taken: dict[tuple[int, ...], int] = {}
    chosen: list[int] = []
    candidates: list[tuple[int, ...]] = []
    for occurrence in occurrences:
        distinct = dict.fromkeys(leader.get(candidate, candidate) for candidate in occurrence.candidates)
        ranked = sorted(distinct, key=lambda i: (numbers[i].kind in _WEAK_KINDS, numbers[i].start))
        fitting = tuple(i for i in ranked if (i in multipliers) == occurrence.multiplies) or tuple(ranked)
        turn = taken.get(fitting, 0)
        taken[fitting] = turn + 1
        number = fitting[min(turn, len(fitting) - 1)]
        chosen.append(number)
        candidates.append(tuple(dict.fromkeys((number, *fitting, *ranked))))
    return Alignment(tuple(chosen), tuple(candidates))


def _is_multiplier(question: str, number: Number) -> bool:
    return number.kind in ("multiplier", "fraction") or _TIMES.match(question.lower(), number.end) is not None


def equivalent_groups(question: str, numbers: Sequence[Number]) -> tuple[tuple[int, ...], ...]:
    """Groups of textual numbers that restate one quantity (EquivTNum, section 3.2), by index.

    A number restates an earlier one of the same value and unit if the same two words follow (fillers passed over), or
    if a definite word stands before it and it has a unit ("the 40 percent"). Multipliers restate nothing: "3 times the
    first", "3 times the second".
    """
    lowered = question.lower()
    plain = [index for index, number in enumerate(numbers) if not _is_multiplier(question, number)]
    words = {index: _following_words(lowered, numbers[index]) for index in plain}
    groups: list[list[int]] = []
    for index in plain:
        definite = (
            numbers[index].unit is not None
            and _DEFINITE.search(lowered, max(0, numbers[index].start - 8), numbers[index].start) is not None
        )
        home = next((group for group in groups if _restates(index, group, numbers, words, definite)), None)
        if home is None:
            groups.append([index])
        else:
            home.append(index)
    return tuple(tuple(group) for group in groups if len(group) > 1)


def _restates(
    index: int, group: Sequence[int], numbers: Sequence[Number], words: Mapping[int, tuple[str, ...]], definite: bool
) -> bool:
    first = numbers[group[0]]
    if (first.value, first.unit) != (numbers[index].value, numbers[index].unit):
        return False
    return definite or any(words[index] and words[index] == words[other] for other in group)


def _following_words(lowered: str, number: Number) -> tuple[str, ...]:
    words: list[str] = []
    for match in _WORD.finditer(lowered, number.end, number.end + _WINDOW):
        if len(words) == 2 or not match.group()[0].isalpha():
            break
        if match.group() not in _FILLERS:
            words.append(match.group())
    return tuple(words) if len(words) == 2 else ()
