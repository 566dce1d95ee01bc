"""Numbers and calculations in prose: DRAW's and Alg-514's alignments, GSM8K's calculator annotations."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from corpus.benchmarks.derivations import token_places
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_json, read_lines
from evaluation.metrics.value_matching import close, same_printed
from extractors.equations.scanner import Segment, scan
from extractors.expressions.grammar import parse_expression
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import approximate
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree
from extractors.text.plain import plain_maths

_DUST = Fraction(1, 10**6)
"""Gold values of the alignments carry the noise of single precision."""
_NO_OPERATION = re.compile(r"[$\d.,]++=")
_ELSE = "written in words, or otherwise than annotated"
_OTHER = "another value at the token"
_SIGN = "the gold has the sign in its template, not in the number"
_SLASH_UNIT = re.compile(r"\d ?[A-Za-z&']*/[A-Za-z]")
_SPACED_THOUSANDS = re.compile(r"\$\d{1,3} \d{3}(?!\d)", re.ASCII)
_WORDS = re.compile(r"/ ?[A-Za-z][A-Za-z' ]*|[A-Za-z][A-Za-z'-]*")
_ADJOINING_LEFT = frozenset("0123456789+-*/^:.%")
_ADJOINING_RIGHT = re.compile(r"[-+*/^:]|\d|[xX] ?[$\d]")
_TIMES = re.compile(r"(?<![A-Za-z])[xX](?= ?[$\d])")
_UNIT_CHANGES = (Fraction(100), Fraction(1, 100), Fraction(60), Fraction(1, 60))


def numbers(shared: Path) -> ReadingReport:
    """The number reader at the aligned tokens of DRAW and Alg-514, with every lexicon of number words switched on."""
    records = [
        (f"{name}:{record['iIndex']}", record)
        for name, file in (("draw", "draw/draw.json"), ("alg514", "alg514/kushman.json"))
        for record in read_json(shared / file)
    ]
    found = [(id_, *hit) for id_, record in records for hit in _aligned(record, every_word=True)]
    usual = [hit for _, record in records for hit in _aligned(record, every_word=False)]
    failures = tuple(Failure(*hit) for hit in found if hit[1])
    return ReadingReport(
        "Textual numbers at the gold alignments of DRAW and Alg-514",
        "Right: a number that covers the aligned token has the aligned value, to 1e-6 of its size. The first row reads "
        "with every lexicon of number words, also the two that are off by default because their words are hardly ever "
        'quantities: `pronouns` ("last year" = 1) and `places` ("the tens digit" = 10); the second row with the '
        f"default, which reads {_read_by(records, every_word=False)} numbers in these questions instead of "
        f"{_read_by(records, every_word=True)}.",
        (
            Share("aligned numbers found, every lexicon on", Proportion(len(found) - len(failures), len(found)), 99.95),
            Share("aligned numbers found, default lexicon", Proportion.of(not kind for kind, _ in usual)),
        ),
        failures,
        tuple(failure for failure in failures if failure.kind == _OTHER and _digits_only(failure.detail)),
    )


def _read_by(records: Sequence[tuple[str, Any]], *, every_word: bool) -> int:
    return sum(len(find_numbers(record["sQuestion"], every_word=every_word)) for _, record in records)


def _digits_only(detail: str) -> bool:
    """A token in plain digits can hardly be misread: the gold value is in doubt."""
    return re.match(r"[\d.,]+ ", detail) is not None


def _aligned(record: dict[str, Any], *, every_word: bool) -> Iterator[tuple[str, str]]:
    """For each slot the class of the failure, empty where it was read right, with the token and the gold value."""
    question = record["sQuestion"]
    places, mentioned = token_places(question), find_numbers(question, every_word=every_word)
    for slot in record["Alignment"]:
        start, end = places[slot["SentenceId"], slot["TokenId"]]
        gold = Fraction(slot["Value"])
        near = [number.value for number in mentioned if number.start < end and start < number.end]
        kind = "" if _holds(near, gold) else _SIGN if _holds(near, -gold) else _OTHER
        yield kind, f"{question[start:end]} should be {slot['Value']}, read as {[str(value) for value in near]}"


def _holds(values: Sequence[Fraction], gold: Fraction) -> bool:
    return any(close(value, gold, _DUST) for value in values)


class _Calculation(NamedTuple):
    """Two sides of an equals sign by their values; ``in_full``: nothing around them was left out."""

    left: Fraction
    right: Fraction
    in_full: bool = False


class _Answer(NamedTuple):
    """``missed`` are annotations with the class of the miss; ``printed`` counts those found with their own result."""

    id: str
    gold: int
    printed: int
    missed: tuple[tuple[str, str], ...]
    false: tuple[str, ...]
    slips: tuple[str, ...]


def gsm8k_calculations(shared: Path) -> ReadingReport:
    """The calculations of GSM8K's model solutions that are found in their text."""
    threads = {record["id"]: record for record in read_lines(shared / "gsm8k" / "threads.jsonl")}
    answers = [
        _judged(f"{record['id']}/{index}", threads[record["id"]]["answers"][index]["text"], gold)
        for record in read_lines(shared / "gsm8k" / "annotations.jsonl")
        for index, gold in enumerate(record["answer_annotations"])
    ]
    total, n = sum(answer.gold for answer in answers), len(answers)
    missed = [Failure(answer.id, kind, text) for answer in answers for text, kind in answer.missed]
    false = [Failure(answer.id, "false equation read", text) for answer in answers for text in answer.false]
    slips = [Failure(answer.id, "the writer's slip", text) for answer in answers for text in answer.slips]
    return ReadingReport(
        "GSM8K calculations",
        "Found: an equals sign in the answer is read with the value of the annotation on its left; with its result: "
        "also on its right, up to the rounding that is printed. False: an equals sign between numbers is read although "
        "its sides differ by more than rounding or a change of units. The slip is the writer's where an annotation has "
        "its left side, or where both sides were read in full: they begin and end at words or punctuation, and without "
        "the words between them the characters have the values that were read "
        f"({len(slips)} such slips, listed apart). Misread: {len(false)} in {n} answers, "
        f"{100 * len(false) / n:.2f} per 100.",
        (
            Share("calculations found", Proportion(total - len(missed), total), 97),
            Share("calculations found with their result", Proportion(sum(a.printed for a in answers), total)),
            Share("answers without a false equation", Proportion.of(not a.false for a in answers), 99),
        ),
        (*missed, *false),
        tuple(slips),
    )


def _judged(id_: str, text: str, gold: Sequence[str]) -> _Answer:
    """Annotations matched with readings, one each; then what is read beyond them and not true."""
    left = Counter(_read(text))
    wanted = [(annotation, _annotation(annotation)) for annotation in gold]
    rest = [pair for pair in wanted if pair[1] is None or not _take(left, pair[1], with_result=True)]
    missed = [
        (annotation, _missed_kind(text, annotation, calculation))
        for annotation, calculation in rest
        if calculation is None or not _take(left, calculation, with_result=False)
    ]
    wrong = [calculation for calculation in left if not _true(calculation)]
    slips = [c for c in wrong if c.in_full or any(w is not None and _alike(c.left, w.left) for _, w in wanted)]
    false = tuple(f"{c.left} = {c.right}" for c in wrong if c not in slips)
    printed = tuple(f"{c.left} = {c.right}" for c in slips)
    return _Answer(id_, len(gold), len(gold) - len(rest), tuple(missed), false, printed)


def _take(left: Counter[_Calculation], wanted: _Calculation, *, with_result: bool) -> bool:
    """Uses up a reading that matches; a percentage may stand for its hundredth."""
    for read in left:
        results = (_alike(read.right * scale, wanted.right) for scale in (1, 100))
        if left[read] and _alike(read.left, wanted.left) and (not with_result or any(results)):
            left[read] -= 1
            return True
    return False


def _missed_kind(text: str, annotation: str, wanted: _Calculation | None) -> str:
    """Why an annotation is missed, from what stands in it and in the text."""
    if wanted is None:
        return "annotation with letters or damaged"
    if _NO_OPERATION.match(annotation):
        return "annotation without an operation"
    if _SPACED_THOUSANDS.search(text):
        return "a space for the thousands comma"
    return "a unit behind a slash in the answer" if _SLASH_UNIT.search(text) else _ELSE


def _annotation(text: str) -> _Calculation | None:
    """``16-7=9`` or ``5*2/5=2.0=2.0`` by its first and its last side; None for one with letters."""
    sides = text.replace("$", "").split("=")
    values = [_value(side) for side in (sides[0], sides[-1])]
    return None if len(sides) < 2 or values[0] is None or values[1] is None else _Calculation(values[0], values[1])


def _value(text: str) -> Fraction | None:
    try:
        return approximate(evaluate_tree(parse_expression(text), {}))
    except (ExtractionError, UnknownValueError):
        return None


def _read(text: str) -> Iterator[_Calculation]:
    """The calculations that the scanner finds: neighbouring sides of chains, and the first with every later one."""
    plain = plain_maths(text).text
    for chain in scan(plain).chains:
        sides = [(segment, value) for segment in chain.segments if (value := _side(segment)) is not None]
        for (first, a), (second, b) in (*pairwise(sides), *((sides[0], side) for side in sides[2:])):
            yield _Calculation(a, b, _in_full(plain, first, a) and _in_full(plain, second, b))


def _side(segment: Segment) -> Fraction | None:
    return _value(" ".join(segment.pieces)) if segment.pieces else None


def _in_full(plain: str, segment: Segment, value: Fraction) -> bool:
    """Whether the characters of a side, without its words, have the value read, and no number or sign adjoins it."""
    before, after = plain[: segment.start].rstrip(" $"), plain[segment.end :].lstrip(" ")
    if before[-1:] in _ADJOINING_LEFT or _ADJOINING_RIGHT.match(after):
        return False
    bare = _value(_WORDS.sub(" ", _TIMES.sub("*", plain[segment.start : segment.end])).replace("$", " "))
    return bare is not None and bare == value


def _alike(a: Fraction, b: Fraction) -> bool:
    return same_printed(a, b) or same_printed(b, a) or close(a, b, _DUST)


def _true(read: _Calculation) -> bool:
    """Whether the sides agree as printed, rounded to a whole number, or by a change of units."""
    if read.right.denominator == 1 and abs(read.left - read.right) < 1:
        return True
    return any(_alike(read.left * scale, read.right) for scale in (1, *_UNIT_CHANGES))
