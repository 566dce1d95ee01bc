"""The numbers that an answer states outside of its working: results of its chains, and numbers in its prose."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from extractors.equations.answer_tokens import NUMBER, Token
from extractors.equations.equation_lexicon import NUMBER_GUARDS
from extractors.equations.phrases import number_of, two_units
from extractors.equations.scanner import Scan


class Announced(NamedTuple):
    """A number that the answer states outside of its working; ``percent``: it was written with that sign.

    ``part``: it belongs to a fraction, or to a size in two units, that is announced as well.
    """

    value: Fraction
    start: int
    percent: bool
    checking: bool
    part: bool = False


def prose_numbers(found: Scan) -> list[Announced]:
    """The numbers in prose, in order of appearance."""
    spans = [(chain.start, chain.end) for chain in found.chains]
    check_from = min((chain.start for chain in found.chains if chain.checking), default=None)
    out: list[Announced] = []
    at = 0
    for index, token in enumerate(found.tokens):
        if token.kind != NUMBER:
            continue
        while at < len(spans) and spans[at][1] <= token.start:
            at += 1
        if (at < len(spans) and spans[at][0] <= token.start) or _is_guarded(found.tokens, index):
            continue
        out.extend(_prose_numbers(found.tokens, index, check_from))
    return out


def _is_denominator(tokens: Sequence[Token], index: int) -> bool:
    """Whether a number is the denominator of a fraction that was read at its numerator."""
    return index > 1 and tokens[index - 1].text == "/" and tokens[index - 2].kind == NUMBER


def _is_guarded(tokens: Sequence[Token], index: int) -> bool:
    """Whether a number is an operand of the prose ("divide by -2") or a label ("step 2")."""
    before = index - 1
    if before >= 0 and tokens[before].text in "-$(":
        before -= 1
    return before >= 0 and tokens[before].text.lower() in NUMBER_GUARDS


def _prose_numbers(tokens: Sequence[Token], index: int, check_from: int | None) -> Iterator[Announced]:
    """A number of the prose, and with what follows it: a fraction, ``7 hrs and 12 min``."""
    token, following = tokens[index], tokens[index + 1]
    value = number_of(token)
    if following.text == "/" and tokens[index + 2].kind == NUMBER and number_of(tokens[index + 2]):
        value /= number_of(tokens[index + 2])
    elif index and tokens[index - 1].text == "-" and not token.gap:
        value = -value
    checking = check_from is not None and token.start >= check_from
    size = two_units(tokens, index)
    part = size is not None or _is_denominator(tokens, index) or _is_second(tokens, index)
    yield Announced(value, token.start, following.text == "%", checking, part)
    if size is not None:
        yield Announced(size, token.start, False, checking)


def _is_second(tokens: Sequence[Token], index: int) -> bool:
    """Whether a number is the second one of a size in two units."""
    at = index - 1
    while at > 0 and tokens[at].text in ("and", ",", "&"):
        at -= 1
    return at > 0 and tokens[at - 1].kind == NUMBER and two_units(tokens, at - 1) is not None
