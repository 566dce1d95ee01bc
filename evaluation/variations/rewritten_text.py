"""Rewritten texts: pieces of the old text, new words and new numbers, and where all numbers stand then."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from evaluation.variations.source_problem import NumbersByName, SourceProblem, key_of
from extractors.expressions.tree import Equation
from extractors.quantities.numerals import TENS, UNITS


class OldText(NamedTuple):
    """Characters of the old text as they stand there."""

    start: int
    end: int


class NewNumber(NamedTuple):
    """A number that is put in, by its key."""

    key: str
    raw: str


Piece: TypeAlias = OldText | NewNumber | str


class TextEdit(NamedTuple):
    """What stands from ``start`` to ``end`` gives way to pieces."""

    start: int
    end: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class VariationDraft:
    """A variation before it is checked: the text, the place of each of its numbers, and the equations over their keys.

    ``values`` are those of all keys and unknowns; without ``asked`` the problem has no answer.
    """

    text: str
    places: Mapping[str, tuple[int, int]]
    equations: tuple[Equation, ...]
    asked: tuple[str, ...]
    values: NumbersByName


def rewritten(source: SourceProblem, edits: Sequence[TextEdit]) -> tuple[str, dict[str, tuple[int, int]]]:
    """The text with some disjoint edits, and where its numbers stand by key."""
    pieces: list[Piece] = []
    done = 0
    for edit in sorted(edits):
        pieces += [OldText(done, edit.start), *edit.pieces]
        done = edit.end
    return assembled(source, [*pieces, OldText(done, len(source.text))])


def assembled(source: SourceProblem, pieces: Sequence[Piece]) -> tuple[str, dict[str, tuple[int, int]]]:
    """The text that some pieces make, and where its numbers stand by key."""
    text = ""
    places: dict[str, tuple[int, int]] = {}
    for piece in pieces:
        if isinstance(piece, OldText):
            moved = len(text) - piece.start
            for number, found in enumerate(source.numbers):
                if piece.start <= found.start and found.end <= piece.end:
                    places[key_of(number)] = (found.start + moved, found.end + moved)
            text += source.text[piece.start : piece.end]
        elif isinstance(piece, NewNumber):
            places[piece.key] = (len(text), len(text) + len(piece.raw))
            text += piece.raw
        else:
            text += piece
    return text, places


def as_sentence(
    source: SourceProblem, span: tuple[int, int] | None, edits: Sequence[TextEdit] = ()
) -> tuple[Piece, ...]:
    """A clause as a sentence of its own with a blank behind it, with the edits inside it; nothing without a span."""
    if span is None:
        return ()
    done, end = span
    pieces: list[Piece] = []
    inside = [edit for edit in edits if done <= edit.start < end]
    leading = next((place for place, number in enumerate(source.numbers) if number.start == done), None)
    if leading is not None and not any(edit.start == done for edit in inside):
        raw = source.numbers[leading].raw
        pieces, done = [NewNumber(key_of(leading), raw[0].upper() + raw[1:])], source.numbers[leading].end
    elif not any(edit.start == done for edit in inside):
        pieces, done = [source.text[done].upper()], done + 1
    for edit in inside:
        pieces += [OldText(done, edit.start), *edit.pieces]
        done = edit.end
    return (*pieces, OldText(done, end), ". ")


_WORDS = {value: word for word, value in reversed(UNITS.items())}
_TENS = {value: word for word, value in reversed(TENS.items())}
"""The first spelling of each; the lists hold misspelt ones behind it."""
_TOKENISED = re.compile(r"\w [.?,](?:\s|\Z)")
_JOINED = re.compile(r"\w[.?,](?:\s|\Z)")


def in_words(value: int) -> str:
    """A number below a thousand in words.

    >>> in_words(7), in_words(42), in_words(130)
    ('seven', 'forty-two', 'one hundred thirty')
    """
    if value in _WORDS:
        return _WORDS[value]
    if value < 100:
        rest = value % 10
        return _TENS[value - rest] + (f"-{_WORDS[rest]}" if rest else "")
    rest = value % 100
    return f"{_WORDS[value // 100]} hundred" + (f" {in_words(rest)}" if rest else "")


def written_like(raw: str, value: Fraction) -> str:
    """A value written as another number is: in words, with a comma at the thousands, with as many decimals.

    >>> written_like("Seven", Fraction(40)), written_like("1,200", Fraction(2300)), written_like("4.00", Fraction(5))
    ('Forty', '2,300', '5.00')
    """
    if raw[:1].isalpha():
        words = in_words(int(value))
        return words.capitalize() if raw[:1].isupper() else words
    comma = "," if "," in raw or (value >= 10_000 and len(raw) < 5) else ""
    places = len(raw.partition(".")[2])
    while (value * 10**places).denominator != 1:
        places += 1
    whole, rest = divmod(int(value * 10**places), 10**places)
    return f"{whole:{comma}}" + (f".{rest:0{places}d}" if places else "")


def sentence_like(source: SourceProblem, words: str) -> str:
    """A sentence in the manner of the text: tokenised texts have blanks before marks and the possessive.

    The words hold no numbers: these are pieces of their own.
    """
    if len(_TOKENISED.findall(source.text)) <= len(_JOINED.findall(source.text)):
        return words
    return re.sub(r"(?<=\w)(?=[.?,](?:\s|\Z)|'s\b)", " ", words)
