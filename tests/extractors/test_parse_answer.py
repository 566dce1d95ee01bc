"""Answer strings: cases, properties, and every answer of Dolphin18K's development set."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.answers.parsing import MAX_VALUES, parse_answer
from extractors.real_numbers.values import Surd, format_value
from tests.extractors.cases import cases


@pytest.mark.rows(("text", "expect"), cases("answers"))
def test_cases(text: str, expect: list[list[str]]) -> None:
    assert [[format_value(value) for value in values] for values in parse_answer(text)] == expect


def test_radicals_stay_exact() -> None:
    ((value,),) = parse_answer("24√5")
    assert isinstance(value, Surd)
    assert (value.a, value.b, value.c) == (0, 24, 5)


PIECES = st.sampled_from(
    [
        "1",
        "22",
        "3/4",
        "0.5",
        "1e5",
        "-7",
        ";",
        "or",
        "|",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        "and",
        "$",
        "%",
        "°",
        "'",
        ":",
        "to",
        "√",
        "pi",
        "±",
        "^",
        "^9",
        "**",
        "hours",
        "km/h",
        "x",
        "=",
        "ans",
        "�",
    ]
)


@given(st.one_of(st.text(st.characters()), st.lists(PIECES, max_size=30).map(" ".join)))
def test_never_raises_and_stays_bounded(text: str) -> None:
    for values in parse_answer(text):
        assert 0 < len(values) <= MAX_VALUES
        for value in values:
            format_value(value)


@pytest.mark.shared
def test_dolphin18k_answers(shared_data: Path) -> None:
    """All but the ten answers that are no numbers: option letters and symbolic expressions."""
    records = json.loads((shared_data / "dolphin18k" / "dev_urls.json").read_text(encoding="utf-8"))
    unread = sorted(record["ans"] for record in records if not parse_answer(record["ans"]))
    assert len(records) == 3728
    assert unread == sorted(["(B)"] * 6 + ["(G)", "30x^5y^5", "5*a^4", "n*(n-1)/2"])


@pytest.mark.shared
def test_dolphin18k_dimensions(shared_data: Path) -> None:
    """The first alternative has a value for each element between semicolons, but for the two damaged answers."""
    records = json.loads((shared_data / "dolphin18k" / "dev_urls.json").read_text(encoding="utf-8"))
    odd = []
    for answer in {record["ans"]: None for record in records if parse_answer(record["ans"])}:
        first = re.split(r"\bor\b|\|", answer.removeprefix("or "))[0]
        if len(parse_answer(answer)[0]) != len([part for part in re.split("[;；]", first) if part.strip(" {}")]):
            odd.append(answer)
    assert odd == ["[5, 6]", "30; 24; 20 12; 4"]
