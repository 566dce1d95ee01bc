"""Numbers written in words: cardinals to the billions, fractions such as "two-thirds", "two and a half"."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from extractors.quantities.number_lexicon import (
    ARTICLES,
    DENOMINATOR_PLURALS,
    DENOMINATORS,
    ORDINALS,
    SCALE_PLURALS,
    SCALES,
    TENS,
    UNITS,
)
from extractors.quantities.numerals import NumberToken, names_two
from extractors.quantities.units import place_counts

MAX_VALUE: Final = 10**18
LONGEST_GAP: Final = 12
"""Characters over which two parts make one number at most."""
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–−\u00ad\u200b\u2060", "-"))
_JOIN: Final = frozenset({" ", "-", "\n"})
_AND: Final = frozenset({" and ", " & ", "-and-"})
_GOES_ON: Final = _JOIN | _AND | {" point ", " of "}
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
    while position < len(tokens) and _gap(text, tokens, position) in _JOIN and value <= MAX_VALUE:
        scale = _scale(text, tokens[position], value)
        if scale is None:
            break
        value *= scale
        end, position = tokens[position].end, position + 1
    return NumberReading(value, first.start, end, first.kind, position)


def read_fraction_tail(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading:
    """Joins a denominator or "and a half" that follows a cardinal: "two-thirds", "3 fifths", "two and a half"."""
    if reading.next >= len(tokens):
        return reading
    token = tokens[reading.next]
    gap = gap_between(text, reading.end, token.start)
    if gap in _JOIN and reading.value.denominator == 1:
        denominator = _denominator(text, token, reading, gap)
        if denominator:
            value = reading.value / denominator
            return NumberReading(value, reading.start, token.end, "fraction", reading.next + 1)
    if gap not in _AND:
        return reading
    mixed = _with_half(text, tokens, reading)
    return reading if names_two(text, reading.start, mixed.end) else mixed


def pass_over(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading:
    """A number that goes on as only few do, as words that are no number; any other as it is.

    So "half a million", "two point five" and "twenty-fifth" are passed over, since their parts are other numbers.
    """
    at = reading.next
    if at >= len(tokens) or not _goes_on(text, tokens, reading):
        return reading
    while at < len(tokens) and _gap(text, tokens, at) in _GOES_ON:
        at += 1
    return reading._replace(end=tokens[at - 1].end, kind="", next=at)


def _goes_on(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> bool:
    """Whether a decimal follows, a scale behind a part ("of a million"), or an ordinal or more behind a number."""
    at = reading.next
    gap, last, word = _gap(text, tokens, at), tokens[at - 1].word, tokens[at].word
    if gap == " point ":
        return word in UNITS and reading.kind == "word"
    if reading.value.denominator > 1 and gap in (" ", "-", " of "):
        scale = tokens[at + 1].word if word in ARTICLES and at + 1 < len(tokens) else word
        return scale in SCALES
    if last in SCALES and text[reading.start].isdigit():
        return (gap == " " and tokens[at].value is not None) or (gap == " and " and last == "hundred")
    if (word in TENS or word == "ten") and at + 1 < len(tokens):
        behind = tokens[at + 1].word
        return behind.removesuffix("s") in ORDINALS and (_gap(text, tokens, at + 1) == "-" or behind[-1] == "s")
    return word.removesuffix("s") in ORDINALS and gap == "-" and (last in SCALES or last in TENS)


def _denominator(text: str, token: NumberToken, reading: NumberReading, gap: str) -> int | None:
    plural = DENOMINATOR_PLURALS.get(token.word)
    singular = DENOMINATORS.get(token.word)
    if plural:
        return plural if reading.value != 1 else None
    if not singular or reading.value > 100:
        return None
    # "two third graders" against "three-fourth" and "one third".
    return singular if reading.value == 1 or gap == "-" or text.startswith(" of ", token.end) else None


def _with_half(text: str, tokens: Sequence[NumberToken], reading: NumberReading) -> NumberReading:
    position = reading.next
    numerator = Fraction(1)
    if tokens[position].word in ARTICLES:
        position += 1
    elif tokens[position].word in UNITS:
        numerator, position = Fraction(UNITS[tokens[position].word]), position + 1
    if position >= len(tokens) or _gap(text, tokens, position) not in _JOIN | {" and "}:
        return reading
    token, last = tokens[position], tokens[reading.next - 1]
    denominator = DENOMINATOR_PLURALS.get(token.word) if numerator > 1 else DENOMINATORS.get(token.word)
    if not denominator or numerator >= denominator or (position == reading.next and token.word != "half"):
        return reading
    if last.word in SCALE_PLURALS or last.word in SCALES:
        return reading._replace(end=token.end, kind="", next=position + 1)  # half a million more
    return NumberReading(reading.value + numerator / denominator, reading.start, token.end, "mixed", position + 1)
