"""Baseline rows: simple ways of answering a thread that every figure has to stand beside (Dolphin18K, section 3.2)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from corpus.canonical import sha256_text
from extractors.quantities.numbers import find_numbers

ThreadBaseline = Callable[[Sequence[Sequence[Fraction]]], Fraction | None]
"""From the numbers of each answer, in order, to one value or None."""


def thread_numbers(answers: Sequence[str]) -> list[list[Fraction]]:
    """The numbers of each answer in order of appearance."""
    return [[number.value for number in find_numbers(text)] for text in answers]


def _winner(votes: Sequence[Fraction], at_least: int) -> Fraction | None:
    """The value with the most votes, if it has enough and no other has as many."""
    ranking = Counter(votes).most_common(2)
    if not ranking or ranking[0][1] < at_least or (len(ranking) > 1 and ranking[1][1] == ranking[0][1]):
        return None
    return ranking[0][0]


def last_number_majority(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """Each answer votes with its last number; a clear winner with at least two votes is returned."""
    return _winner([found[-1] for found in numbers if found], 2)


def last_number_any_vote(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """Each answer votes with its last number; one vote is enough where no other value has as many."""
    return _winner([found[-1] for found in numbers if found], 1)


def last_of_first_answer(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """The last number of the first answer."""
    return numbers[0][-1] if numbers and numbers[0] else None


def first_number(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """The first number of the thread's answers."""
    return next((found[0] for found in numbers if found), None)


def most_frequent_number(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """The number that stands most often in the answers; of equally frequent ones the first."""
    ranking = Counter(value for found in numbers for value in found).most_common(1)
    return ranking[0][0] if ranking else None


def random_candidate(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """One of the distinct numbers, chosen by a hash of them all: the same on every machine."""
    distinct = list(dict.fromkeys(value for found in numbers for value in found))
    if not distinct:
        return None
    return distinct[int(sha256_text(" ".join(map(str, distinct)))[:12], 16) % len(distinct)]


BASELINES: Mapping[str, ThreadBaseline] = {
    "last-number majority (2 votes)": last_number_majority,
    "last-number vote (1 is enough)": last_number_any_vote,
    "last number of the first answer": last_of_first_answer,
    "first number": first_number,
    "most frequent number": most_frequent_number,
    "random candidate": random_candidate,
}
