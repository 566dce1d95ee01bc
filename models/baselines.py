"""Baselines: simple rules for an answer that a learned model has to beat."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

from corpus.canonical import sha256_text
from models.gold_values import same_answer
from models.read_threads import ReadThread, Values
from models.validation import ValidationRow

Baseline = Callable[[ReadThread], Fraction | None]


def last_number_majority(read: ReadThread) -> Fraction | None:
    """The last number of most answers; None without a clear winner of at least two votes."""
    lasts = Counter(view.mentions[-1].value for view in read.analysed if view.mentions)
    ranked = lasts.most_common(2)
    if not ranked or ranked[0][1] < 2 or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return None
    return read.found.values[ranked[0][0]]


def last_number_of_first_answer(read: ReadThread) -> Fraction | None:
    """The last number of the first answer that holds one."""
    return next((read.found.values[view.mentions[-1].value] for view in read.analysed if view.mentions), None)


def first_number(read: ReadThread) -> Fraction | None:
    """The first number of the first answer that holds one."""
    return next((read.found.values[view.mentions[0].value] for view in read.analysed if view.mentions), None)


def most_frequent_number(read: ReadThread) -> Fraction | None:
    """The number with most mentions, the one mentioned first among equals."""
    counts = Counter(mention.value for view in read.analysed for mention in view.mentions)
    return read.found.values[counts.most_common(1)[0][0]] if counts else None


def random_candidate(read: ReadThread) -> Fraction | None:
    """One of the values, chosen by a hash of them all: the same on every machine."""
    values = read.found.values
    if not values:
        return None
    return values[int(sha256_text(" ".join(map(str, values)))[:12], 16) % len(values)]


BASELINES: tuple[Baseline, ...] = (
    last_number_majority,
    last_number_of_first_answer,
    first_number,
    most_frequent_number,
    random_candidate,
)


def answer_baselines(threads: Sequence[tuple[ReadThread, Values, bool]]) -> tuple[ValidationRow, ...]:
    """A row for each baseline, and the ceiling: how often the gold answer is among the candidates at all.

    ``threads`` are readings, each with its gold answer and whether that is among the candidates.
    """
    rows = []
    for baseline in BASELINES:
        found = [(gold, baseline(read)) for read, gold, _ in threads]
        returned = [(gold, value) for gold, value in found if value is not None]
        hits = sum(same_answer([value], gold) for gold, value in returned)
        rows.append(ValidationRow(f"floor: {baseline.__name__.replace('_', ' ')}", hits, len(returned), len(threads)))
    reached = sum(held for *_, held in threads)
    rows.append(ValidationRow("ceiling: gold among the candidates", reached, len(threads), len(threads)))
    return tuple(rows)
