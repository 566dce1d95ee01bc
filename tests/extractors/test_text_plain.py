"""Plain maths: cases, offset map, linear time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.extraction_errors import ExtractionError
from extractors.text.edits import Edit, apply_edits
from extractors.text.plain import plain_maths
from tests.extractors.cases import cases
from tests.growth.counting import assert_linear
from tests.tiers import in_turn


@pytest.mark.rows(("text", "expect"), cases("plain"))
def test_cases(text: str, expect: str) -> None:
    assert plain_maths(text).text == expect


PIECES = st.sampled_from(
    [
        "x",
        "=",
        "2",
        "+",
        "3y",
        "(",
        ")",
        "{{{",
        "}}}",
        "highlight(",
        "matrix(1,3,",
        "\\frac{1}{2}",
        "\\sqrt{x}",
        "\\(",
        "\\)",
        "$",
        "$$",
        "#",
        "<sup>",
        "2",
        "</sup>",
        "<br>",
        "<math>",
        "<mfrac>",
        "<mn>",
        "</mn>",
        "</mfrac>",
        "&lt;",
        "&#55296;",
        "%2F",
        "%28",
        "=>",
        "-->",
        "----",
        "....",
        "(1)",
        "[eq2]",
        "²",
        "√",
        "½",
        "−",
        "×",
        "⇒",
        "—",
        'document.write("',
        "\\n",
        '\\"',
        '");',
        "**",
        "color(red)(",
        "�",
        "\x00",
        "\u202e",
        "x+y=9x+y=9",
        "So",
        "//",
        ",",
        ".",
        "\n",
        "\r\n",
        "^{",
        "_{",
        "}",
        '"',
        "eq.1",
        "-ii",
        "~~~",
        "+=",
    ]
)
TEXTS = st.one_of(st.text(st.characters()), st.lists(PIECES).map("".join), st.lists(PIECES).map(" ".join))


@given(TEXTS)
def test_offsets_lead_back_into_the_source(text: str) -> None:
    plain = plain_maths(text)
    assert len(plain.text) == len(plain.offsets) == len(plain.ends)
    assert list(plain.offsets) == sorted(plain.offsets)
    assert list(plain.ends) == sorted(plain.ends)
    assert all(0 <= start <= end <= len(text) for start, end in zip(plain.offsets, plain.ends, strict=True))


@given(TEXTS)
def test_letters_and_digits_come_from_where_the_map_says(text: str) -> None:
    """A letter or digit mapped to a single source character is that character, or its ASCII form."""
    plain = plain_maths(text)
    for index, char in enumerate(plain.text):
        start, end = plain.source_span(index, index + 1)
        if char.isascii() and char.isalnum() and end - start == 1 and text[start].isascii() and text[start].isalnum():
            assert text[start] == char


@pytest.mark.rows(
    ("text", "part", "source"),
    [
        ("so {{{x=4}}} ok", "x=4", "x=4"),
        ("2 × 3 = 6", "2 * 3", "2 × 3"),
        ("\\frac{2}{3} = x", "2/3", "\\frac{2}{3}"),
        ("x<sup>2</sup> = 9", "x^2", "x<sup>2"),
        ("a²+b²=9", "a^2+b^2=9", "a²+b²=9"),
        ("3&times;4=12", "3*4=12", "3&times;4=12"),
    ],
)
def test_source_span(text: str, part: str, source: str) -> None:
    plain = plain_maths(text)
    start = plain.text.index(part)
    low, high = plain.source_span(start, start + len(part))
    assert text[low:high].startswith(source)


def test_plain_text_is_its_own_map() -> None:
    plain = plain_maths("Ann has 5 pens and buys 2.")
    assert plain.text == "Ann has 5 pens and buys 2."
    assert list(plain.offsets) == list(range(26))


def test_span_outside_is_refused() -> None:
    with pytest.raises(IndexError, match="outside of 3"):
        plain_maths("abc").source_span(1, 4)


def test_edits_must_not_overlap() -> None:
    with pytest.raises(ExtractionError, match="does not fit"):
        apply_edits("abcd", [Edit(0, 3, ""), Edit(2, 4, "")])


@pytest.mark.rows(
    "unit",
    in_turn(
        [
            "{",
            "{{{",
            "(",
            "$",
            "$x",
            "-",
            "=",
            "a=",
            "<",
            "<a ",
            "<sup>",
            "\\frac{",
            "\\(",
            "#a",
            "&",
            "%2F",
            "[",
            "**a",
            '"',
            ".",
            "x = ",
            " ",
            "\n",
            "x\n",
            "1 ",
            "(1)",
            "{{{highlight(",
            'document.write( "',
            "x=1x=1",
            "--",
            "√",
            "_{",
            "eq ",
            "<mfrac>",
            "color(red)(",
        ],
        6,
    ),
)
def test_steps_grow_linearly(unit: str) -> None:
    assert_linear(plain_maths, unit)


def test_insertion_inside_a_replaced_command_keeps_the_map_monotone() -> None:
    plain = plain_maths("√\\frac12")
    assert plain.text == "sqrt(1)/2"
    assert list(plain.offsets) == sorted(plain.offsets)
    assert list(plain.ends) == sorted(plain.ends)
