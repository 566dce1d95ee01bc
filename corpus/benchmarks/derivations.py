"""DRAW-1K and Alg-514: tokenised questions with equations, solutions, templates, alignments and equivalent numbers.

Upadhyay and Chang, "Annotating Derivations" (EACL 2017). Tokens stand between spaces; a sentence ends after each token
``.``, ``?`` or ``!``; a slot is aligned to a sentence and to a token in it, both counted from 0. Arithmetic corpora
(Hosseini, Koncel-Kedziorski, Roy) have the same fields but for these; ``lAlignments`` and ``quants`` stay in details.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple

from corpus.benchmarks.gold_problems import (
    GoldNumber,
    GoldProblem,
    GoldRecordError,
    as_number,
    exact,
    identifier,
    index,
    items,
    text,
    texts,
)
from corpus.reasons import Reason
from corpus.records import SlotAlignment

FIELDS = ("iIndex", "sQuestion", "lEquations", "lSolutions")
_TOKEN = re.compile(r"\S+")
_LOOSE = re.compile(r"\d(?:[\d.,/:]*\d)?|[^\W\d_]+(?:['’-][^\W_]+)*|\S")
_ENDS = frozenset(".?!")


class _Token(NamedTuple):
    start: int
    end: int
    sentence: int
    place: int


def _placed(question: str, pattern: re.Pattern[str]) -> list[_Token]:
    """The tokens of a question with their sentences and their places in them."""
    tokens: list[_Token] = []
    sentence = place = 0
    for match in pattern.finditer(question):
        tokens.append(_Token(match.start(), match.end(), sentence, place))
        place += 1
        if match.group() in _ENDS:
            sentence, place = sentence + 1, 0
    return tokens


def token_places(question: str) -> dict[tuple[int, int], tuple[int, int]]:
    """Characters of each token by its sentence and its place in it, both from 0.

    >>> token_places("Two cats . One dog ?")[1, 0]
    (11, 14)
    """
    return {(token.sentence, token.place): (token.start, token.end) for token in _placed(question, _TOKEN)}


def read(record: Mapping[str, Any]) -> GoldProblem:
    """A record of ``draw.json`` or ``kushman.json``; template, alignment and equivalent numbers may be missing."""
    question = text(record, "sQuestion")
    places = token_places(question)
    solutions = items(record, "lSolutions")
    values = tuple(exact(value, f"lSolutions[{i}]") for i, value in enumerate(solutions))
    return GoldProblem(
        problem_id="",
        native_id=identifier(record, "iIndex"),
        origin="",
        question=question,
        answer="; ".join(values),
        gold=(values,) if values else (),
        equations=texts(record, "lEquations"),
        template=texts(record, "Template") if record.get("Template") else (),
        alignment=tuple(_slot(one, places) for one in _optional(record, "Alignment")),
        equivalent_numbers=tuple(_group(group, places) for group in _optional(record, "Equiv")),
        details={name: value for name, value in record.items() if name not in _KNOWN},
    )


DERIVATION = ("Template", "Alignment", "Equiv")
_KNOWN = (*FIELDS, *DERIVATION)
_NumberPlaces = Mapping[tuple[int, int], tuple[int, int]]


def _optional(record: Mapping[str, Any], name: str) -> list[Any]:
    return items(record, name) if record.get(name) is not None else []


def _span(sentence: Any, token: Any, places: _NumberPlaces) -> tuple[int, int]:
    place = (index(sentence, "SentenceId"), index(token, "TokenId"))
    if place not in places:
        raise GoldRecordError(Reason.BAD_ALIGNMENT, f"no token {place[1]} in sentence {place[0]} of the question")
    return places[place]


def _slot(one: Any, places: _NumberPlaces) -> SlotAlignment:
    if not isinstance(one, dict):
        raise GoldRecordError(Reason.WRONG_FIELD, "an alignment is not an object")
    start, end = _span(one.get("SentenceId"), one.get("TokenId"), places)
    return SlotAlignment(slot=text(one, "coeff"), value=exact(one.get("Value"), "Value"), start=start, end=end)


def _group(group: Any, places: _NumberPlaces) -> tuple[GoldNumber, ...]:
    if not isinstance(group, list) or any(not isinstance(one, list) or len(one) != 3 for one in group):
        raise GoldRecordError(Reason.WRONG_FIELD, "Equiv is not a list of groups of [sentence, token, value]")
    spans = [(*_span(sentence, token, places), value) for sentence, token, value in group]
    return tuple(GoldNumber(value=exact(value, "value"), start=start, end=end) for start, end, value in spans)


def write(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The record of a problem; a text that is not tokenised is taken apart, and spans follow its tokens."""
    if not problem.equations or not problem.gold or not problem.question:
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs a question, equations and their solution")
    tokens = _placed(problem.question, _TOKEN if own else _LOOSE)
    return {
        "sQuestion": problem.question if own else " ".join(problem.question[t.start : t.end] for t in tokens),
        "lSolutions": [_real(value) for value in problem.gold[0]],
        "Template": list(problem.template),
        "lEquations": list(problem.equations),
        "iIndex": _number_of(problem),
        "Alignment": [_written(one, tokens) for one in problem.alignment],
        "Equiv": [[_triple(one, tokens) for one in group] for group in problem.equivalent_numbers],
        **(problem.details if own else {}),
    }


def write_arithmetic(problem: GoldProblem, own: bool) -> dict[str, Any]:
    """The same without the derivation."""
    return {name: value for name, value in write(problem, own).items() if name not in DERIVATION}


def _real(value: str) -> float:
    return float(as_number(value, "solution"))


def _number_of(problem: GoldProblem) -> int:
    """The id as a number; an id that is none gives 48 bits of its digest."""
    native = problem.native_id
    if native.isascii() and native.lstrip("-").isdigit() and len(native) < 16:
        return int(native)
    return int(hashlib.sha256(problem.problem_id.encode("utf-8", "surrogatepass")).hexdigest()[:12], 16)


def _token_at(start: int, tokens: list[_Token]) -> _Token:
    found = bisect_right(tokens, start, key=lambda token: token.start) - 1
    if found < 0 or tokens[found].end <= start:
        raise GoldRecordError(Reason.BAD_ALIGNMENT, f"no token at character {start}")
    return tokens[found]


def _written(one: SlotAlignment, tokens: list[_Token]) -> dict[str, Any]:
    token = _token_at(one.start, tokens)
    return {"coeff": one.slot, "SentenceId": token.sentence, "Value": _real(one.value), "TokenId": token.place}


def _triple(one: GoldNumber, tokens: list[_Token]) -> list[int | float]:
    token = _token_at(one.start, tokens)
    return [token.sentence, token.place, _real(one.value)]
