"""Answers of numbers, words and units compared: lists, named values, points, ratios, clock times, measures.

What each part is called, its unit, its order and how parts are joined count as much as its value.
"""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Final

from evaluation.metrics.answer_forms import AnswerParts, Part, PartKind, solutions_of
from evaluation.metrics.grade_marks import Grade, Mark, doubted, matched, rank
from extractors.answers.parsing import normalised, spellings
from extractors.real_numbers.values import Value, approximate, format_value

_COMPUTED: Final = Fraction(1, 10**30)
"""How near two values are, relative to them, that were worked out to 60 digits and count as one."""
_SAME_SPELLING: Final = Fraction(2, 1000)
_PLACES: Final = re.compile(r"[0-9]*\.([0-9]{1,30})(?![0-9])")


def grade_parts(said: str, meant: str, tolerance: Fraction) -> Grade:
    """The grade of an answer in the notation of ``parse_answer`` against the gold's."""
    found, wanted = _spelled(said), _spelled(meant)
    if not found or not wanted:
        return Grade(Mark.UNDECIDED, _unread("answer" if not found else "gold", said, meant))
    best = max((_solutions(one, other, tolerance) for one in found for other in wanted), key=rank)
    for side, forms in (("answer", found), ("gold", wanted)):
        if best.mark is Mark.RIGHT and any(
            rank(_solutions(*pair, _SAME_SPELLING)) < 2 for pair in combinations(forms, 2)
        ):
            return Grade(Mark.UNDECIDED, f"the spellings of the {side} are different values")
    return best


def _spelled(text: str) -> list[list[AnswerParts]]:
    """The spellings of an answer that can be read, each as its alternatives."""
    return [found for form in spellings(normalised(text)) if (found := solutions_of(form))]


def _unread(which: str, said: str, meant: str) -> str:
    return f"could not read the {which}: {' '.join((said if which == 'answer' else meant).split())[:60]}"


def _solutions(found: Sequence[AnswerParts], wanted: Sequence[AnswerParts], tolerance: Fraction) -> Grade:
    """Compares the solutions as sets, each with each."""
    spread = _spread(found, len(wanted)) or _spread(wanted, len(found))
    if spread is not None:
        found, wanted = (spread, wanted) if len(found) == 1 else (found, spread)
    said_both = spread is not None and any(parts.together for parts in spread)
    table = [[_lists(one, other, tolerance) for other in wanted] for one in found]
    if len(table) == len(table[0]) == 1:
        return table[0][0]
    met = [max((row[place] for row in table), key=rank) for place in range(len(wanted))]
    meets = [max(row, key=rank) for row in table]
    worst = min([*met, *meets], key=rank)
    if worst.mark is Mark.RIGHT and said_both:
        return Grade(Mark.UNDECIDED, 'one says "and", the other "or"')
    if worst.mark is not Mark.WRONG:
        return worst
    if min(meets, key=rank).mark is Mark.RIGHT:
        named = sum(one.mark is Mark.RIGHT for one in met)
        return Grade(Mark.UNDECIDED, f"the gold names {len(wanted)} alternatives, the answer {named} of them")
    return Grade(Mark.WRONG, "the answer names other solutions than the gold")


def _spread(solutions: Sequence[AnswerParts], size: int) -> list[AnswerParts] | None:
    """One list of several parts as so many solutions: "3, 4" beside "x = 3 or x = 4"; None for anything else.

    Named parts ("x = 3, y = 4") and those that "and" joins hold together.
    """
    if len(solutions) != 1 or size < 2 or len(solutions[0].parts) != size:
        return None
    together = solutions[0].together or solutions[0].distinct() is not None
    return [AnswerParts((part,), together) for part in solutions[0].parts]


def _lists(found: AnswerParts, wanted: AnswerParts, tolerance: Fraction) -> Grade:
    """Compares parts that hold together: by their names, in their order, or as a set."""
    unpacked = _unpacked(found, wanted)
    if unpacked is not None:
        return _in_order(*unpacked, tolerance, "the values of a point or an interval beside a list")
    if len(found.parts) != len(wanted.parts):
        return Grade(Mark.WRONG, f"the answer has {len(found.parts)} values, the gold {len(wanted.parts)}")
    if len(found.parts) == 1:
        return _compared(found.parts[0], wanted.parts[0], tolerance)
    names, golds = found.distinct(), wanted.distinct()
    if names is not None and golds is not None:
        order = _by_name(names, golds)
        if order is not None:
            pairs = zip(found.parts, (wanted.parts[place] for place in order), strict=True)
            return min((_compared(one, other, tolerance) for one, other in pairs), key=rank)
        return doubted(_as_set(found, wanted, tolerance), "the values have other names than those of the gold")
    if names is None and golds is None and found.told_by_unit == wanted.told_by_unit:
        return _as_set(found, wanted, tolerance)
    if not all(_named_in_order(parts) for parts in (found, wanted)):
        return doubted(_as_set(found, wanted, tolerance), "which value is which cannot be told")
    return _in_order(found, wanted, tolerance, "the values in another order, and only one text says which is which")


def _unpacked(found: AnswerParts, wanted: AnswerParts) -> tuple[AnswerParts, AnswerParts] | None:
    """A point or an interval and a list of as many values, both as lists; None for anything else."""
    one, other = (parts.parts[0] if len(parts.parts) == 1 else None for parts in (found, wanted))
    brackets = (PartKind.POINT, PartKind.INTERVAL)
    if one is not None and one.kind in brackets and other is None:
        return AnswerParts(one.inner, braced=one.kind is PartKind.INTERVAL), wanted
    if other is not None and other.kind in brackets and one is None:
        return found, AnswerParts(other.inner, braced=other.kind is PartKind.INTERVAL)
    return None


def _in_order(found: AnswerParts, wanted: AnswerParts, tolerance: Fraction, doubt: str) -> Grade:
    """Right in the order of both; undecided, and the reason, in another one or as a set."""
    if len(found.parts) != len(wanted.parts):
        return Grade(Mark.WRONG, f"the answer has {len(found.parts)} values, the gold {len(wanted.parts)}")
    pairs = zip(found.parts, wanted.parts, strict=True)
    listed = min((_compared(one, other, tolerance) for one, other in pairs), key=rank)
    if listed.mark is Mark.RIGHT and not (found.braced or wanted.braced):
        return listed
    return doubted(_as_set(found, wanted, tolerance), doubt)


def _named_in_order(parts: AnswerParts) -> bool:
    """Whether the unknowns that name values, if they do, stand in the order of the alphabet."""
    names = [part.labels[0] for part in parts.parts if part.labels and len(part.labels[0]) == 1]
    return names == sorted(names)


def _by_name(names: Sequence[frozenset[str]], golds: Sequence[frozenset[str]]) -> list[int] | None:
    """The place of the gold value that has the name of each; None where that is not one each."""
    order = [[place for place, gold in enumerate(golds) if gold & name] for name in names]
    if any(len(places) != 1 for places in order) or len({places[0] for places in order}) < len(golds):
        return None
    return [places[0] for places in order]


def _as_set(found: AnswerParts, wanted: AnswerParts, tolerance: Fraction) -> Grade:
    """Whether each value can be paired with one of the gold's that it equals, or may equal."""
    table = [[_compared(one, other, tolerance) for other in wanted.parts] for one in found.parts]
    return matched(table)


def _compared(found: Part, wanted: Part, tolerance: Fraction) -> Grade:
    """One part against one of the gold; right only where both say the same of it."""
    kinds = (found.kind, wanted.kind)
    compare = _COMPARED.get(kinds)
    if compare is not None:
        outcome = compare(found, wanted, tolerance)
    elif kinds[::-1] in _COMPARED:
        outcome = _COMPARED[kinds[::-1]](wanted, found, tolerance)
    else:
        outcome = Grade(Mark.UNDECIDED, f"the answer is a {found.kind}, the gold a {wanted.kind}")
    doubt = _doubt(found, wanted)
    return outcome if doubt is None else doubted(outcome, doubt)


def _doubt(found: Part, wanted: Part) -> str | None:
    """Why two equal parts may not be the same, None where nothing speaks against it."""
    if found.turns != wanted.turns:
        return f"only one of them says: {', '.join(sorted(found.turns ^ wanted.turns))}"
    ours, theirs = set(found.labels), set(wanted.labels)
    if ours - theirs and theirs - ours:
        return f"the answer speaks of {' '.join(found.labels)}, the gold of {' '.join(wanted.labels)}"
    for one, other in ((found, wanted), (wanted, found)):
        words = one.counted if one.measure is None is not other.measure else frozenset()
        if words and words.isdisjoint(other.labels):
            return f"one of them counts {' '.join(sorted(words))}, the other is in {other.measure}"
    if ours == theirs and len(ours) > 1 and found.labels != wanted.labels:
        return "the names stand in another order"
    return None


def _clocks(found: Part, wanted: Part, tolerance: Fraction) -> Grade:
    """Two clock times: right where both mean the same minute of the day, or are written alike."""
    one, other = _minutes(found), _minutes(wanted)
    shown = f"{found.text}, gold {wanted.text}"
    if len(one) == len(other) == 1:
        return Grade(Mark.RIGHT if one == other else Mark.WRONG, shown)
    if found.values == wanted.values and approximate(found.values[0]) <= 12:
        return Grade(Mark.RIGHT, shown)
    if one & other or _ratio_of(found) == _ratio_of(wanted):
        return Grade(Mark.UNDECIDED, f"clock times or ratios: {shown}")
    return Grade(Mark.WRONG, shown)


def _minutes(clock: Part) -> set[Fraction]:
    """What a clock time may be, in minutes of the day."""
    hour, minute, second = (approximate(value) for value in clock.values)
    rest = minute + second / 60
    if hour > 12 or not hour:
        return {hour % 24 * 60 + rest}
    halves = {"am": [0], "pm": [12], "": [0, 12]}[clock.marks]
    return {(hour % 12 + half) * 60 + rest for half in halves}


def _ratio_of(clock: Part) -> Fraction | None:
    hour, minute, _ = (approximate(value) for value in clock.values)
    return hour / minute if minute and not clock.marks else None


def _clock_and_number(clock: Part, number: Part, tolerance: Fraction) -> Grade:
    """ "5 pm" may be answered by 5; "2:30" may be 2.5 hours, or a ratio."""
    hour, minute, second = (approximate(value) for value in clock.values)
    value, shown = approximate(number.values[0]), f"{clock.text} and {number.text}"
    plain = number.measure is None and not number.labels and clock.text.count(":") == 0
    if plain and value == hour:
        return Grade(Mark.RIGHT, shown)
    hours = hour + minute / 60 + second / 3600
    readings = {hour, hours, hours * 60, hours * 3600, hour * 60 + minute, *([_ratio_of(clock)] if minute else [])}
    if value in readings or value - 12 in readings:
        return Grade(Mark.UNDECIDED, f"a clock time, a span or a ratio: {shown}")
    return Grade(Mark.WRONG, shown)


def _ratios(found: Part, wanted: Part, tolerance: Fraction) -> Grade:
    """Two ratios up to a factor."""
    ours, golds = ([approximate(value) for value in part.values] for part in (found, wanted))
    shown = f"{found.text}, gold {wanted.text}"
    if len(ours) != len(golds):
        return Grade(Mark.WRONG, f"the answer has {len(ours)} terms, the gold {len(golds)}")
    crossed = [(one * golds[0], gold * ours[0]) for one, gold in zip(ours, golds, strict=True)]
    same = any(ours) and any(golds) and all(abs(a - b) <= tolerance * abs(b) for a, b in crossed)
    same = same and (bool(ours[0]) == bool(golds[0])) and (bool(ours[0]) or len(ours) == 2 or ours == golds)
    return Grade(Mark.RIGHT if same else Mark.WRONG, shown)


def _ratio_and_clock(ratio: Part, clock: Part, tolerance: Fraction) -> Grade:
    if len(ratio.values) == 2 and ratio.values == clock.values[:2] and not clock.values[2]:
        return Grade(Mark.UNDECIDED, f"a ratio or a clock time: {ratio.text} and {clock.text}")
    terms = [approximate(value) for value in ratio.values]
    if len(terms) == 2 and terms[1] and terms[0] / terms[1] == _ratio_of(clock):
        return Grade(Mark.UNDECIDED, f"a ratio or a clock time: {ratio.text} and {clock.text}")
    return Grade(Mark.WRONG, f"{ratio.text} and {clock.text}")


def _ratio_and_number(ratio: Part, number: Part, tolerance: Fraction) -> Grade:
    """A ratio of two terms against its quotient; other terms are not one number."""
    if len(ratio.values) != 2:
        return Grade(Mark.WRONG, f"a ratio of {len(ratio.values)} terms beside a number")
    first, second = (approximate(value) for value in ratio.values)
    if not second:
        return Grade(Mark.UNDECIDED, "a ratio to nothing")
    if number.measure is not None and number.measure.unit != "percent":
        return Grade(Mark.UNDECIDED, f"a ratio beside {number.measure}")
    quotient = Part(ratio.text, PartKind.NUMBER, (first / second,), ratio.labels, ratio.turns)
    return _numbers(quotient, number, tolerance)


def _points(found: Part, wanted: Part, tolerance: Fraction) -> Grade:
    """Points or intervals: their coordinates in order, and the brackets."""
    if len(found.values) != len(wanted.values):
        return Grade(Mark.WRONG, f"the answer has {len(found.values)} coordinates, the gold {len(wanted.values)}")
    outcome = min((_compared(*pair, tolerance) for pair in zip(found.inner, wanted.inner, strict=True)), key=rank)
    if found.marks != wanted.marks and outcome.mark is Mark.RIGHT:
        return Grade(Mark.UNDECIDED, f"other brackets: {found.text}, gold {wanted.text}")
    return outcome


def _numbers(found: Part, wanted: Part, tolerance: Fraction) -> Grade:
    """Two numbers with their units; a percentage beside a number without one may be its hundredths."""
    ours, golds = found.measure, wanted.measure
    percent = [measure is not None and measure.unit == "percent" for measure in (ours, golds)]
    if percent[0] != percent[1]:
        return _percents(found, wanted, tolerance) if None in (ours, golds) else _other_units(found, wanted)
    factor = Fraction(1)
    if ours is not None and golds is not None and ours != golds:
        (sort, size), (other, basis) = ours.size, golds.size
        if sort != other:
            return _other_units(found, wanted)
        factor = size / basis
    return _values(found, wanted, (factor, tolerance))


def _other_units(found: Part, wanted: Part) -> Grade:
    return Grade(Mark.UNDECIDED, f"the answer is in {found.measure}, the gold in {wanted.measure}")


def _percents(found: Part, wanted: Part, tolerance: Fraction) -> Grade:
    """25 % is 25, and 0.25; 0.5 % beside 0.5 may be either."""
    inverse = found.measure is None
    factors = (Fraction(100) if inverse else Fraction(1, 100), Fraction(1))
    outcomes = [_values(found, wanted, (factor, tolerance)) for factor in factors]
    rate = approximate((wanted if inverse else found).values[0])
    if any(len(label) > 1 for label in (found if inverse else wanted).labels):
        return doubted(max(outcomes, key=rank), "a percentage beside a count")
    if outcomes[0].mark is not Mark.RIGHT and outcomes[1].mark is Mark.RIGHT and abs(rate) <= 1 and rate:
        return Grade(Mark.UNDECIDED, "a percentage or a number")
    return max(outcomes, key=rank)


def _values(found: Part, wanted: Part, scale: tuple[Fraction, Fraction]) -> Grade:
    """One value, times a factor, against one gold value."""
    (value, gold), (factor, tolerance) = (found.values[0], wanted.values[0]), scale
    exact, target = approximate(value) * factor, approximate(gold)
    shown = f"{format_value(value)}, gold {format_value(gold)}"
    near = max(tolerance, 0 if _whole(value, gold) else _COMPUTED) * max(abs(target), _COMPUTED)
    off = abs(exact - target)
    if off <= near:
        return Grade(Mark.RIGHT, shown)
    places = [0, 0] if tolerance else [_places(found.text, exact / factor), _places(wanted.text, target)]
    if places[0] and 2 * off * 10 ** places[0] <= factor:
        return Grade(Mark.UNDECIDED, f"the answer may be {format_value(gold)} rounded; state a tolerance")
    if places[1] and 2 * off * 10 ** places[1] <= 1:
        return Grade(Mark.UNDECIDED, f"the gold may be {format_value(value)} rounded; state a tolerance")
    return Grade(Mark.WRONG, shown)


_Comparison = Callable[[Part, Part, Fraction], Grade]
_COMPARED: Final[dict[tuple[PartKind, PartKind], _Comparison]] = {
    (PartKind.NUMBER, PartKind.NUMBER): _numbers,
    (PartKind.CLOCK, PartKind.CLOCK): _clocks,
    (PartKind.CLOCK, PartKind.NUMBER): _clock_and_number,
    (PartKind.RATIO, PartKind.RATIO): _ratios,
    (PartKind.RATIO, PartKind.CLOCK): _ratio_and_clock,
    (PartKind.RATIO, PartKind.NUMBER): _ratio_and_number,
    (PartKind.POINT, PartKind.POINT): _points,
    (PartKind.INTERVAL, PartKind.INTERVAL): _points,
}


def _whole(*values: Value) -> bool:
    return all(isinstance(value, Fraction) for value in values)


def _places(text: str, value: Fraction) -> int:
    """How many decimals a value is written with in a text, 0 where it is not written as a decimal."""
    found = (len(match[1]) for match in _PLACES.finditer(text) if abs(Fraction(match[0])) == abs(value))
    return max(found, default=0)
