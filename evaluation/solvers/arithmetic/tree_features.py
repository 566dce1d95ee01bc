"""Features of a quantity and of a pair of quantities, by name (Roy and Roth, EMNLP 2015, section 4).

The plain features are those of the paper: unit, rate, verb and comparison words near a quantity, what two units have in
common, and words of the question. The wide ones are those that LCA++ adds (Roy and Roth, AAAI 2017): the words of the
neighbourhood of each quantity and of the stretch between them, and keywords in conjunction with the quantities.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from evaluation.solvers.arithmetic.quantity_schemas import ReadQuestion, TextQuantity
from evaluation.solvers.sim import NUMBER

# fmt: off
KEYWORDS: Final = (
    "each", "every", "per", "total", "altogether", "together", "all", "more", "less", "few", "than", "difference",
    "start", "begin", "first", "originally", "now", "still", "leave", "cost", "much", "time", "equal", "group", "split",
    "share", "rest", "remain", "some",
)
_EMPTY: Final = frozenset({
    "the", "a", "of", "to", "in", "and", ".", "?", "!", ",", "#", "how", "many", "much", "do", "have", "be", "he",
    "she", "they", "his", "her", "their", "-", "it",
})
# fmt: on
_COMPARING: Final = frozenset({"more", "less", "few", "fewer", "than", "long", "tall", "old", "times"})
_UNTOLD: Final = frozenset({"some", "several", "more", "other", "rest"})


def quantity_features(read: ReadQuestion, index: int) -> list[str]:
    """The features of one quantity, by which its relevance is judged."""
    one = read.quantities[index]
    asked = set(read.words(read.asked))
    same = sum(other.unit == one.unit for other in read.quantities) - 1
    shared = len((set(read.words(one.sentence)) & asked) - _EMPTY)
    return [
        f"count {len(read.quantities)}",
        f"place {index}/{len(read.quantities)}",
        f"asked {one.asked}",
        f"small {min(one.value, 3)}",
        f"rate {one.rate}",
        f"unit {one.unit}",
        f"unit asked {one.unit == read.asked_unit} {bool(one.unit) and one.unit in asked}",
        f"unit shared {min(same, 2)}",
        f"words shared {min(shared, 4)}",
        *_window(read, one, 4, "at"),
        *_grams(read.words(one.clause), 2, "clause"),
    ]


def _window(read: ReadQuestion, one: TextQuantity, reach: int, name: str) -> Iterator[str]:
    for step in (*range(-reach, 0), *range(1, reach + 1)):
        if 0 <= one.place + step < len(read.lemmas):
            yield f"{name}{step} {read.lemmas[one.place + step]}"


def _grams(words: Sequence[str], longest: int, name: str) -> Iterator[str]:
    for length in range(1, longest + 1):
        for start in range(len(words) - length + 1):
            yield f"{name} {' '.join(words[start : start + length])}"


def plain_features(read: ReadQuestion, pair: tuple[int, int]) -> list[str]:
    """The features of a pair of quantities after Roy and Roth (2015)."""
    first, second = (read.quantities[index] for index in pair)
    relation = _relation(read, first, second)
    return [
        f"count {len(read.quantities)}",
        f"places {pair[0]} {pair[1]} of {len(read.quantities)}",
        f"order {_order(first, second)}",
        f"relation {relation}",
        f"relation {relation} {_order(first, second)}",
        f"asked {first.asked} {second.asked}",
        f"one sentence {first.sentence == second.sentence}",
        *(f"{name} rate {one.rate}" for name, one in (("first", first), ("second", second))),
        *(
            f"{name} compares {word}"
            for name, one in (("first", first), ("second", second))
            for word in _compared(read, one)
        ),
        *_window(read, first, 3, "first"),
        *_window(read, second, 3, "second"),
        *_grams(read.words(read.asked), 2, "asked"),
    ]


def _relation(read: ReadQuestion, first: TextQuantity, second: TextQuantity) -> str:
    """Which of two quantities is a rate, whether their units are the same, and which one's unit is asked."""
    rates = "f" * bool(first.rate) + "s" * bool(second.rate)
    units = "?" if not (first.unit and second.unit) else "=" if first.unit == second.unit else "!"
    asked = set(read.words(read.asked)) - {""}
    wanted = "f" * (first.unit in asked) + "s" * (second.unit in asked)
    exact = "f" * (first.unit == read.asked_unit != "") + "s" * (second.unit == read.asked_unit != "")
    return f"rates {rates or '-'} units {units} asked {wanted or '-'} {exact or '-'}"


def _order(first: TextQuantity, second: TextQuantity) -> str:
    return "<" if first.value < second.value else ">" if first.value > second.value else "="


def _compared(read: ReadQuestion, one: TextQuantity) -> list[str]:
    """Comparison words of a quantity's clause, with whether the clause begins like something that is asked about."""
    words = read.words(one.clause)
    asked = set(read.words(read.asked)) - _EMPTY
    return [f"{word} {words[0] in asked} {words[-1] in asked}" for word in words if word in _COMPARING]


def wide_features(read: ReadQuestion, pair: tuple[int, int]) -> list[str]:
    """The features of a pair of quantities after LCA++: the plain ones and those of the neighbourhood."""
    first, second = (read.quantities[index] for index in pair)
    return [
        *plain_features(read, pair),
        f"divides {_divides(first, second)}",
        *_grams(read.words(read.asked), 3, "asked"),
        *_grams(read.words(first.clause), 2, "first clause"),
        *_grams(read.words(second.clause), 2, "second clause"),
        *_grams(read.lemmas[first.place + 1 : second.place], 2, "between"),
        *(f"first unit {first.unit}", f"second unit {second.unit}"),
        *_keywords(read, first, second),
        *_untold(read, first, second),
    ]


def _divides(first: TextQuantity, second: TextQuantity) -> bool:
    small, large = sorted((first.value, second.value))
    return small > 0 and small != large and (large / small).denominator == 1


def _keywords(read: ReadQuestion, first: TextQuantity, second: TextQuantity) -> Iterator[str]:
    """Keywords in the question or before it, alone and with the order and the relation of the quantities."""
    asked, text = set(read.words(read.asked)), set(read.lemmas)
    relation, order = _relation(read, first, second), _order(first, second)
    for word in KEYWORDS:
        if word in text:
            key = f"keyword {word} {word in asked}"
            yield from (key, f"{key} {order}", f"{key} {relation}")


def _untold(read: ReadQuestion, first: TextQuantity, second: TextQuantity) -> Iterator[str]:
    """Words for an amount that no number states ("some", "several"): where they stand, and what is asked."""
    last = read.asked[0]
    for place in range(last):
        word = read.lemmas[place]
        if word in _UNTOLD and NUMBER not in read.lemmas[max(0, place - 2) : place + 3]:
            side = "before" if place < first.place else "between" if place < second.place else "behind"
            yield f"untold {word} {side}"
            yield from (f"untold {side} {key}" for key in KEYWORDS if key in read.words(read.asked))
            yield from _grams(read.lemmas[max(0, place - 2) : place + 2], 2, f"untold {side}")


def graph_features(read: ReadQuestion, pair: tuple[int, int]) -> list[str]:
    """The features of an edge of a unit dependency graph; -1 is the question, and stands first."""
    first, second = pair
    if first >= 0:
        return [
            f"edge {name}"
            for name in (*plain_features(read, pair), *_keywords(read, *(read.quantities[i] for i in pair)))
        ]
    words = read.words(read.asked)
    one = read.quantities[second]
    known = f"{one.unit == read.asked_unit} {bool(one.unit) and one.unit in words} {one.rate}"
    return [
        *quantity_features(read, second),
        *_grams(words, 2, "question"),
        *(f"question {word} {known}" for word in words),
    ]
