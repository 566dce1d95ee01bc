"""Numbers written in words: cardinals to the billions, fractions such as "two-thirds", "two and a half"."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.quantities.numerals import (
    ARTICLES,
    COMPOUND_PLURALS,
    DENOMINATOR_PLURALS,
    DENOMINATORS,
    ORDINALS,
    SCALE_PLURALS,
    SCALES,
    TENS,
    UNITS,
    NumberToken,
    names_two,
)
from extractors.quantities.units import ORDINAL_FOLLOWS, place_counts

MAX_VALUE: Final = 10**18
LONGEST_GAP: Final = 12
"""Characters over which two parts make one number at most."""
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–−\u00ad\u200b\u2060", "-"))
_JOIN: Final = frozenset({" ", "-", "\n"})
_AND: Final = frozenset({" and ", " & ", "-and-"})
_JOIN_AND: Final = _JOIN | {" and ", "-and-", ", ", " , ", "- and -"}


class NumberReading(NamedTuple):
    """A number read from one or more tokens; ``next`` is the index of the first token after it.

    ``kind`` is empty where the words up to ``end`` may mean several numbers: they are passed over.
    """

    value: Fraction
    start: int
    end: int
    kind: str
    next: int


def read_cardinal(text: str, tokens: Sequence[NumberToken], index: int) -> NumberReading | None:
    """The longest cardinal that begins at ``tokens[index]``: "two hundred ninety-seven", "2.5 million", "thousand"."""
    first = tokens[index]
    if first.value is not None:
        return _scaled(text, tokens, index)
    if first.word not in UNITS and first.word not in TENS and first.word not in SCALES:
        return None
    total, current, position = 0, 0, index
    last_scale = MAX_VALUE
    checkpoint = (0, index)
    while position < len(tokens):
        fresh = position == index
        step = _extend(text, tokens, position, current, fresh=fresh)
        word = tokens[position].word
        scale = SCALES.get(word) or SCALE_PLURALS.get(word)
        if step is None and not fresh and _is_doubtful(text, tokens, position, current):
            return NumberReading(Fraction(0), first.start, tokens[position].end, "", position + 1)
        if step is None or (scale or 0) >= last_scale:
            # "two hundred and five hundred": the five begins another number.
            if scale and not fresh and checkpoint[1] > index and _gap(text, tokens, position) in _JOIN:
                total, position, current = checkpoint[0], checkpoint[1], 0
            break
        position += 1
        if scale and word != "hundred":
            last_scale = scale
            total, current = total + (current or 1) * last_scale, 0
        else:
            current = step
        if scale:
            checkpoint = (total + current, position)
    return NumberReading(Fraction(total + current), first.start, tokens[position - 1].end, "word", position)


def gap_between(text: str, start: int, end: int) -> str:
    """What stands between two parts, in lower case, with one spelling of blanks, dashes and a line break.

    >>> [gap_between(text, 5, len(text) - 3) for text in ("fifty   two", "fifty\u2011two", "fifty And two")]
    [' ', '-', ' and ']
    """
    gap = text[start:end]
    if gap in _JOIN or end - start > LONGEST_GAP:
        return gap
    gap = gap.lower().translate(_DASHES)
    bare = gap.strip()
    if not bare:
        return gap if gap.count("\n") > 1 else "\n" if "\n" in gap else " " if gap else ""
    return " " * gap[:1].isspace() + " ".join(bare.split()) + " " * gap[-1:].isspace()


def _gap(text: str, tokens: Sequence[NumberToken], position: int) -> str:
    return gap_between(text, tokens[position - 1].end, tokens[position].start)


def _extend(text: str, tokens: Sequence[NumberToken], position: int, current: int, *, fresh: bool) -> int | None:
    """The group of three digits after the token at ``position`` joins it, or None where it does not."""
    token = tokens[position]
    round_before = fresh or tokens[position - 1].word in SCALES
    gap = "" if fresh else _gap(text, tokens, position)
    if not fresh and gap not in (_JOIN_AND if round_before else _JOIN):
        return None
    if "," in gap and (position + 1 >= len(tokens) or tokens[position + 1].word != "hundred"):
        return None
    if token.word in UNITS and "and" in gap and _counts_parts(text, tokens, position):
        return None
    if token.word in UNITS:
        return current + UNITS[token.word] if round_before else _unit_after_tens(text, token, gap, current)
    if token.word in TENS:
        return current + TENS[token.word] if round_before else None
    if token.word == "hundred":
        return (current or 1) * 100 if current < 100 and (fresh or not round_before) else None
    return current if token.word in SCALES or (not fresh and _scale(text, token, current)) else None


def _is_doubtful(text: str, tokens: Sequence[NumberToken], position: int, current: int) -> bool:
    """Whether a dash between blanks may join or subtract: "fifty - two"."""
    gap, unit = _gap(text, tokens, position), UNITS.get(tokens[position].word, 10)
    return gap != "-" and gap.strip(" ") == "-" and unit < 10 and current % 100 in TENS.values()


def _counts_parts(text: str, tokens: Sequence[NumberToken], position: int) -> bool:
    """Whether the word at ``position`` is a numerator: "two hundred and one half" is 200 1/2, not 201 halves."""
    if position + 1 >= len(tokens) or _gap(text, tokens, position + 1) not in _JOIN:
        return False
    return tokens[position + 1].word in DENOMINATORS or tokens[position + 1].word in DENOMINATOR_PLURALS


def _scale(text: str, token: NumberToken, value: int | Fraction) -> int | None:
    """What the scale word at an token multiplies a value by: "35 thousands", not "3 thousands digit", or None."""
    plural = SCALE_PLURALS.get(token.word)
    if plural:
        return plural if 1 < value < 1000 and not place_counts(text, token.end) else None
    return SCALES.get(token.word)


def _unit_after_tens(text: str, token: NumberToken, gap: str, current: int) -> int | None:
    value, tens = UNITS[token.word], current % 100
    if not (0 < value < 10 and tens >= 20 and tens % 10 == 0):
        return None
    # "twenty five-dollar bills" counts twenty bills.
    if gap == " " and text[token.end : token.end + 1] == "-" and text[token.end + 1 : token.end + 2].isalpha():
        return None
    return current + value


def _scaled(text: str, tokens: Sequence[NumberToken], index: int) -> NumberReading:
    first = tokens[index]
    assert first.value is not None
    value, end, position = first.value, first.end, index + 1
    kind, least = first.kind, 0
    while position < len(tokens) and _gap(text, tokens, position) in _JOIN and value <= MAX_VALUE:
        scale = _scale(text, tokens[position], value)
        if scale is None:
            break
        value, least = value * scale, scale
        end, position = tokens[position].end, position + 1
    reading = NumberReading(value, first.start, end, kind, position)
    return _with_rest(text, tokens, reading, least) if least and kind == "integer" else reading


def _with_rest(text: str, tokens: Sequence[NumberToken], reading: NumberReading, scale: int) -> NumberReading:
    """Adds what follows a scale: "3 hundred and 21", "2 thousand 5 hundred"; ``scale`` is the last one read."""
    if reading.next >= len(tokens):
        return reading
    gap = gap_between(text, reading.end, tokens[reading.next].start)
    parts = _counts_parts(text, tokens, reading.next)
    rest = read_cardinal(text, tokens, reading.next) if gap in {" ", " and "} and not parts else None
    if rest is None or rest.value.denominator > 1 or not 0 < rest.value < scale:
        return reading
    scaled = rest.next > reading.next + 1 and rest.value >= 100
    if not (scaled or (gap == " and " and scale <= 1000)) or names_two(text, reading.start, rest.end):
        return reading
    return NumberReading(reading.value + rest.value, reading.start, rest.end, reading.kind, rest.next)


def read_fraction_tail(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading:
    """Joins a denominator or "and a half" that follows a cardinal: "two-thirds", "3 fifths", "two and a half"."""
    if reading.next >= len(tokens):
        return reading
    gap = gap_between(text, reading.end, tokens[reading.next].start)
    if gap in _JOIN and reading.value.denominator == 1:
        factor, position = _compound(text, tokens, reading.next)
        if factor and reading.value != 1 and factor > 1 and gap == _gap(text, tokens, position) == " ":
            return NumberReading(Fraction(0), reading.start, tokens[position].end, "", position + 1)
        denominator = _denominator(text, tokens[position], reading, gap, factor)
        if denominator:
            end = tokens[position].end
            if not factor and gap == "-" and denominator >= 1000 and tokens[position - 1].word in {"ten", "hundred"}:
                # "one hundred-thousandth": the hyphen binds, so that the hundred is part of the denominator.
                denominator *= (10 if tokens[position - 1].word == "ten" else 100) ** 2
            fraction = NumberReading(reading.value / denominator, reading.start, end, "fraction", position + 1)
            return read_scale_tail(text, tokens, fraction)
    if gap not in _AND:
        return reading
    mixed = _with_half(text, tokens, reading)
    if names_two(text, reading.start, mixed.end):
        return reading
    return read_scale_tail(text, tokens, mixed) if mixed.kind else mixed


def read_scale_tail(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading:
    """A fraction or a mixed number times a scale: "two and a half million", "three quarters of a million"."""
    position = reading.next
    article = position < len(tokens) and tokens[position].word in ARTICLES
    position += article
    if position >= len(tokens) or tokens[position].word not in SCALES:
        return reading
    gap = gap_between(text, reading.end, tokens[position].start)
    if gap not in ({" a ", " of a "} if article else {" ", "-"}):
        return reading
    value = reading.value * SCALES[tokens[position].word]
    return NumberReading(value, reading.start, tokens[position].end, reading.kind, position + 1)


def read_compound_ordinal(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading | None:
    """ "twenty-fifth", "one hundredth", "one hundred and fifth" as an ordinal; None where the words are none.

    After a blank the word behind has to make it one: "twenty third graders" counts twenty.
    """
    if reading.next >= len(tokens) or reading.kind != "word" or tokens[reading.next].word in COMPOUND_PLURALS:
        return None
    last, token = tokens[reading.next - 1], tokens[reading.next]
    gap, number = gap_between(text, reading.end, token.start), ORDINALS.get(token.word.removesuffix("s"), 0)
    tens = last.word in TENS and number < 10
    if not number or gap not in _JOIN_AND or not (tens or last.word in SCALES or number >= 100):
        return None
    if not (ORDINAL_FOLLOWS.match(text, token.end) or (tens and gap == "-")):
        return None
    value = reading.value * number if number >= 100 else reading.value + number
    return NumberReading(value, reading.start, token.end, "ordinal", reading.next + 1)


def _compound(text: str, tokens: Sequence[NumberToken], position: int) -> tuple[int, int]:
    """The first part of a denominator in two words and where its last word stands: "one twenty-fifth".

    A blank joins them only before a plural: "three one hundredths", not "three twenty first graders".
    """
    word = tokens[position].word
    if position + 1 < len(tokens):
        gap, last = _gap(text, tokens, position + 1), tokens[position + 1].word
        ordinal = ORDINALS.get(last.removesuffix("s"), 0) if gap == "-" or (gap == " " and last[-1:] == "s") else 0
        if (word in TENS and 0 < ordinal < 10) or (word in {"one", "ten", "hundred"} and ordinal >= 100):
            return TENS.get(word) or UNITS.get(word) or SCALES[word], position + 1
    return 0, position


def _denominator(text: str, token: NumberToken, reading: NumberReading, gap: str, factor: int) -> int | None:
    plural = DENOMINATOR_PLURALS.get(token.word)
    singular = DENOMINATORS.get(token.word)
    if factor:
        last = ORDINALS.get(token.word.removesuffix("s"), 0)
        plain = token.word.endswith("s") == (reading.value != 1)
        return (factor * last if last >= 100 else factor + last) if last and plain else None
    if plural:
        return plural if reading.value != 1 else None
    if not singular or reading.value > 100:
        return None
    # "two third graders" against "three-fourth" and "one third".
    return singular if reading.value == 1 or gap == "-" or text.startswith(" of ", token.end) else None


def _with_half(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading:
    position = reading.next
    numerator = Fraction(1)
    if tokens[position].word in {"a", "an"}:
        position += 1
    elif tokens[position].word in UNITS:
        numerator, position = Fraction(UNITS[tokens[position].word]), position + 1
    if position >= len(tokens) or _gap(text, tokens, position) not in _JOIN | {" and "}:
        return reading
    factor, last = _compound(text, tokens, position)
    token = tokens[last]
    denominator = DENOMINATOR_PLURALS.get(token.word) if numerator > 1 else DENOMINATORS.get(token.word)
    if factor:
        part = reading._replace(value=numerator)
        denominator = _denominator(text, token, part, "-", factor)
    if not denominator or numerator >= denominator or (position == reading.next and token.word != "half"):
        return reading
    counted = tokens[position - 1].word in UNITS and position > reading.next
    mixed = NumberReading(reading.value + numerator / denominator, reading.start, token.end, "mixed", last + 1)
    return _of_scale(tokens, reading, mixed, counted=counted)


def _of_scale(
    tokens: Sequence[NumberToken], reading: NumberReading, mixed: NumberReading, *, counted: bool
) -> NumberReading:
    """ "3 million and a half" is 3,500,000; nobody can tell what "three hundred thousand and a half" is.

    ``counted`` parts are added as they are said behind a hundred: "two hundred and one half".
    """
    scale = SCALES.get(tokens[reading.next - 1].word) or SCALE_PLURALS.get(tokens[reading.next - 1].word)
    if scale is None or (scale == 100 and counted):
        return mixed
    many = reading.value / scale
    if counted or scale == 100 or many.denominator > 1 or not 0 < many < 100:
        return mixed._replace(kind="")
    return mixed._replace(value=reading.value + (mixed.value - reading.value) * scale)


def read_point(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading:
    """A decimal in words: "two point five", "zero point zero five"; not "at one point five people"."""
    position, end, digits = reading.next, reading.end, ""
    if reading.kind != "word" or reading.value.denominator > 1 or text[: reading.start].endswith("at "):
        return reading
    while position < len(tokens) and UNITS.get(tokens[position].word, 10) < 10:
        if gap_between(text, end, tokens[position].start) not in (_JOIN if digits else {" point "}):
            break
        digits += str(UNITS[tokens[position].word])
        end, position = tokens[position].end, position + 1
    if not digits:
        return reading
    value = reading.value + Fraction(int(digits), 10 ** len(digits))
    return read_scale_tail(text, tokens, NumberReading(value, reading.start, end, "word", position))
