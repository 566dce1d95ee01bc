"""Textual numbers: cases, properties, and the gold alignments of DRAW and Alg-514."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.quantities.numbers import find_numbers
from tests.extractors.cases import cases
from tests.growth.counting import assert_linear
from tests.tiers import in_turn


@pytest.mark.rows(("text", "expect"), cases("numbers"))
def test_cases(text: str, expect: list[dict[str, str]]) -> None:
    found = [
        {"raw": n.raw, "value": str(n.value), "kind": n.kind} | ({"unit": n.unit} if n.unit else {})
        for n in find_numbers(text)
    ]
    assert found == [{key: value for key, value in wanted.items() if value} for wanted in expect]


def test_pronouns_are_numbers_only_on_request() -> None:
    text = "last year one of them left"
    assert find_numbers(text) == ()
    assert [n.raw for n in find_numbers(text, every_word=True)] == ["last", "one"]


@pytest.mark.rows(
    ("text", "values"),
    [
        ("the tens digit is 1 more", [10, 1]),
        ("the tens and units digits", [10]),
        ("the tens, hundreds and ones places", [10, 100]),
        ("the hundreds' place", [100]),
        ("the thousands-digit", [1000]),
        ("tens of people", []),
        ("hundreds of digits", []),
        ("ten digits", [10]),
    ],
)
def test_places_are_numbers_only_on_request(text: str, values: list[int]) -> None:
    assert [n.value for n in find_numbers(text, every_word=True)] == values
    assert not any(n.kind == "place" for n in find_numbers(text))


def test_bounds() -> None:
    assert find_numbers("9" * 41) == ()
    assert find_numbers("1e61") == ()
    assert find_numbers("9" * 40)[0].value == Fraction(10**40 - 1)


PIECES = st.sampled_from(
    [
        "one",
        "two",
        "twenty",
        "hundred",
        "thousand",
        "million",
        "and",
        "a",
        "an",
        "half",
        "third",
        "thirds",
        "quarter",
        "quarters",
        "dimes",
        "dozen",
        "score",
        "-",
        ",",
        ".",
        "/",
        "1",
        "2",
        "3/4",
        "1,000",
        "$",
        "%",
        ".5",
        "5.",
        "½",
        "negative",
        "minus",
        "odd",
        "even",
        "integers",
        "x",
        "(",
        ")",
        "=",
        "more",
        "than",
        "e5",
        "1e5",
        "Rs",
        "P25",
        ",000",
        "next",
        "last",
        "pair",
        "couple",
        "nd",
        "th",
        "\n",
        "�",
        "٣",
    ]
)


@given(st.one_of(st.text(st.characters()), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)))
def test_spans_hold_their_raw_text(text: str) -> None:
    position = 0
    for number in find_numbers(text):
        assert text[number.start : number.end] == number.raw
        assert position <= number.start < number.end
        position = number.end


def _alignments(folder: Path) -> Iterator[tuple[str, int, str, float]]:
    """Question, position of the gold token, token, value."""
    for name in ("draw/draw.json", "alg514/kushman.json"):
        for record in json.loads((folder / name).read_text(encoding="utf-8")):
            sentences: list[list[tuple[str, int]]] = [[]]
            position = 0
            for token in record["sQuestion"].split(" "):
                sentences[-1].append((token, position))
                position += len(token) + 1
                if token in {".", "?", "!"}:
                    sentences.append([])
            for slot in record["Alignment"]:
                token, start = sentences[slot["SentenceId"]][slot["TokenId"]]
                yield record["sQuestion"], start, token, slot["Value"]


@pytest.mark.shared
def test_gold_alignments(shared_data: Path) -> None:
    """The reader gives the gold value at the gold token of DRAW and Alg-514."""
    misses: list[Any] = []
    total = 0
    for question, start, token, value in _alignments(shared_data):
        total += 1
        near = [n for n in find_numbers(question) if n.start < start + len(token) and start < n.end]
        if not any(abs(float(n.value) - value) <= 1e-6 * max(1.0, abs(value)) for n in near):
            misses.append((token, value))
    assert total == 4370
    assert len(misses) <= 6, misses


@pytest.mark.rows(
    "unit",
    in_turn(
        [
            "one ",
            "a ",
            "1,",
            "1,000,",
            "1/",
            "- ",
            "one hundred ",
            "half ",
            "$ ",
            "1e",
            "two pizzas and one ",
            "12,34,",
            "1 250 ",
            "\n- 5",
            "5K ",
            "2 x 10^2 ",
            ", minus 5",
            "fifty - two ",
        ],
        6,
    ),
)
def test_steps_grow_linearly(unit: str) -> None:
    assert_linear(find_numbers, unit)
