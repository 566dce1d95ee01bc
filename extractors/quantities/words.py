"""Numbers written in words: cardinals to the billions, fractions such as "two-thirds", "two and a half"."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.quantities.digits import names_two
from extractors.quantities.lexicon import DENOMINATOR_PLURALS, DENOMINATORS, SCALES, TENS, UNITS

MAX_VALUE: Final = 10**18
_JOIN: Final = frozenset({" ", "-", "  ", "\n", "‐", "‑"})
_JOIN_AND: Final = _JOIN | {" and ", ", ", " , ", "- and -"}


class Atom(NamedTuple):
    """A numeral or a word of the lexicon: ``value`` is set for numerals only."""

    start: int
    end: int
    word: str
    value: Fraction | None
    kind: str


class NumberReading(NamedTuple):
    """A number read from one or more atoms; ``next`` is the index of the first atom after it."""

    value: Fraction
    start: int
    end: int
    kind: str
    next: int


def read_cardinal(text: str, atoms: Sequence[Atom], index: int) -> NumberReading | None:
    """The longest cardinal that begins at ``atoms[index]``: "two hundred ninety-seven", "2.5 million", "thousand"."""
    first = atoms[index]
    if first.value is not None:
        return _scaled(text, atoms, index)
    if first.word not in UNITS and first.word not in TENS and first.word not in SCALES:
        return None
    total, current, position = 0, 0, index
    last_scale = MAX_VALUE
    checkpoint = (0, index)
    while position < len(atoms):
        fresh = position == index
        step = _extend(text, atoms, position, current, fresh=fresh)
        word = atoms[position].word
        if step is None or SCALES.get(word, 0) >= last_scale:
            # "two hundred and five hundred": the five begins another number.
            if word in SCALES and not fresh and checkpoint[1] > index and _gap(text, atoms, position) in _JOIN:
                total, position, current = checkpoint[0], checkpoint[1], 0
            break
        position += 1
        if word in SCALES and word != "hundred":
            last_scale = SCALES[word]
            total, current = total + (current or 1) * last_scale, 0
        else:
            current = step
        if word in SCALES:
            checkpoint = (total + current, position)
    return NumberReading(Fraction(total + current), first.start, atoms[position - 1].end, "word", position)


def _gap(text: str, atoms: Sequence[Atom], position: int) -> str:
    return text[atoms[position - 1].end : atoms[position].start]


def _extend(text: str, atoms: Sequence[Atom], position: int, current: int, *, fresh: bool) -> int | None:
    """The group of three digits after the atom at ``position`` joins it, or None where it does not."""
    atom = atoms[position]
    round_before = fresh or atoms[position - 1].word in SCALES
    gap = "" if fresh else _gap(text, atoms, position)
    if not fresh and gap not in (_JOIN_AND if round_before else _JOIN):
        return None
    if "," in gap and (position + 1 >= len(atoms) or atoms[position + 1].word != "hundred"):
        return None
    if atom.word in UNITS:
        return current + UNITS[atom.word] if round_before else _unit_after_tens(text, atom, gap, current)
    if atom.word in TENS:
        return current + TENS[atom.word] if round_before else None
    if atom.word == "hundred":
        return (current or 1) * 100 if current < 100 and (fresh or not round_before) else None
    return current if atom.word in SCALES else None


def _unit_after_tens(text: str, atom: Atom, gap: str, current: int) -> int | None:
    value, tens = UNITS[atom.word], current % 100
    if not (0 < value < 10 and tens >= 20 and tens % 10 == 0):
        return None
    # "twenty five-dollar bills" counts twenty bills.
    if gap == " " and text[atom.end : atom.end + 1] == "-" and text[atom.end + 1 : atom.end + 2].isalpha():
        return None
    return current + value


def _scaled(text: str, atoms: Sequence[Atom], index: int) -> NumberReading:
    first = atoms[index]
    assert first.value is not None
    value, end, position = first.value, first.end, index + 1
    kind = first.kind
    while position < len(atoms) and atoms[position].word in SCALES and text[end : atoms[position].start] in _JOIN:
        value *= SCALES[atoms[position].word]
        end, position = atoms[position].end, position + 1
        if value > MAX_VALUE:
            break
    return NumberReading(value, first.start, end, kind, position)


def read_fraction_tail(text: str, atoms: Sequence[Atom], reading: NumberReading) -> NumberReading:
    """Joins a denominator or "and a half" that follows a cardinal: "two-thirds", "3 fifths", "two and a half"."""
    if reading.next >= len(atoms):
        return reading
    gap = text[reading.end : atoms[reading.next].start]
    if gap in _JOIN:
        denominator = _denominator(text, atoms[reading.next], reading, gap)
        if denominator and reading.value.denominator == 1:
            end = atoms[reading.next].end
            return NumberReading(reading.value / denominator, reading.start, end, "fraction", reading.next + 1)
    if gap not in {" and ", " & "} or names_two(text, reading.start):
        return reading
    return _with_half(text, atoms, reading)


def _denominator(text: str, atom: Atom, reading: NumberReading, gap: str) -> int | None:
    plural = DENOMINATOR_PLURALS.get(atom.word)
    singular = DENOMINATORS.get(atom.word)
    if plural:
        return plural if reading.value != 1 else None
    if not singular or reading.value > 100:
        return None
    # "two third graders" against "three-fourth" and "one third".
    return singular if reading.value == 1 or gap == "-" or text.startswith(" of ", atom.end) else None


def _with_half(text: str, atoms: Sequence[Atom], reading: NumberReading) -> NumberReading:
    position = reading.next
    numerator = Fraction(1)
    if atoms[position].word in {"a", "an"}:
        position += 1
    elif atoms[position].word in UNITS:
        numerator, position = Fraction(UNITS[atoms[position].word]), position + 1
    if position >= len(atoms) or text[atoms[position - 1].end : atoms[position].start] not in _JOIN | {" and "}:
        return reading
    atom = atoms[position]
    denominator = DENOMINATOR_PLURALS.get(atom.word) if numerator > 1 else DENOMINATORS.get(atom.word)
    if not denominator or numerator >= denominator or (position == reading.next and atom.word != "half"):
        return reading
    return NumberReading(reading.value + numerator / denominator, reading.start, atom.end, "mixed", position + 1)
