"""Personal data goes, maths stays."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.privacy.scrubbing import scrub
from extractors.text.marks import MARKS, count_marks
from tests.extractors.cases import FOLDER

MENTIONS = [json.loads(line) for line in (FOLDER / "privacy.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mail tom.b+x@school.k12.example.org now", "mail [mail] now"),
        ("(TOM@MAIL.EXAMPLE)", "([mail])"),
        ("tom (at) mail (dot) com", "[mail]"),
        ("tom[at]mail.com.", "[mail]."),
        ("call 555-123-4567.", "call [phone]."),
        ("ring (555) 123-4567 or 555.123.4567", "ring [phone] or [phone]"),
        ("1-800-555-0199", "[phone]"),
        ("+44 20 7946 0958 in London", "[phone] in London"),
        ("phone: 5551234567", "phone: [phone]"),
        ("text me at 555 1234, thanks", "text me at [phone], thanks"),
    ],
)
def test_removed(text: str, expected: str) -> None:
    assert scrub(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "5551234567 + 1 = 5551234568",
        "555-123-4567 = x",
        "x = 555-123-4567",
        "555-123-45 and 12-345-6789",
        "1000 +1 555 123 4567",
        "2 + 3 - 4 - 5 = -4, 100-200-3000*2",
        "5 @ $3.50, x@8%, 12@7",
        "a phone costs 250 and a cell 1200, call it 3",
        "call the numbers 12, 34, 56 and 78",
        "$1,234,567.89 at 3.5% for 2010-2015",
        "the ratio 12:34:56, on 2012-10-04 at 10:30",
        "f(x)=x^2@x=3.com",
        "let tel = 9, text 7 + 8",
        "phone numbers: 555-1234 + 100-2000 = ?",
    ],
)
def test_maths_is_untouched(text: str) -> None:
    assert scrub(text).text == text
    assert scrub(text).total == 0


def test_counts() -> None:
    result = scrub("a@b.example, 555-123-4567, @Tom, c@d.example", ["Tom"])
    assert (result.mails, result.phones, result.names, result.total) == (2, 1, 1, 4)


@pytest.mark.parametrize(
    ("text", "names", "expected"),
    [
        ("Tom has 9 pens\nTom", ["Tom"], "Tom has 9 pens\n[name]"),
        ("Tom", ["Tom"], "Tom"),
        ("@tomato is not @Tom", ["Tom"], "@tomato is not [name]"),
        ("math_fan22 is right, math_fan221 is not", ["math_fan22"], "[name] is right, math_fan221 is not"),
        ("As Ann Miller said\n- Ann Miller.", ["Ann Miller"], "As [name] said\n[name]"),
        ("x is 9", ["x"], "x is 9"),
        ("the teapot holds 9 cups", ["teapot"], "the teapot holds 9 cups"),
        ("f(a.b*c), thanks (a.b*", ["(a.b*"], "f(a.b*c), thanks [name]"),
    ],
)
def test_names(text: str, names: list[str], expected: str) -> None:
    assert scrub(text, names).text == expected


@pytest.mark.parametrize("case", MENTIONS, ids=[case["id"] for case in MENTIONS])
def test_mentions_of_authors_go_and_people_of_the_problem_stay(case: dict[str, Any]) -> None:
    found = scrub(case["text"], case["names"])
    assert found.text == case["expect"]
    assert {kind: getattr(found, kind) for kind in MARKS} == count_marks(case["expect"])


_PIECES = ["Maria", "maria", "Ann", "thanks", "Thank you", "Cheers", "wrote:", "said", ", ", " ", "\n", "@", "5 pens",
           ".", "'s answer", "hi", "Miller", "is right", "Edit", "- ", "posted by"]  # fmt: skip


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map("".join), st.sets(st.sampled_from(["Maria", "Ann Miller"])))
def test_what_was_scrubbed_is_not_changed_again(text: str, names: set[str]) -> None:
    """A post is scrubbed when its page is parsed, with names, and when its line is read, without: the same post."""
    once = scrub(text, names)
    assert scrub(once.text).text == once.text
    assert scrub(text, names) == once


@given(st.text(alphabet="0123456789*/=x,% \n", max_size=80))
def test_arithmetic_is_untouched(text: str) -> None:
    assert scrub(text, ["x"]).text == text


@pytest.mark.parametrize(
    "text",
    [
        "thanks, " * 30_000 + "Tom",
        "Tom wrote " * 20_000,
        "a" * 200_000,
        "a@" * 100_000,
        "1-" * 100_000,
        "call " * 50_000,
        "a.b@c." * 40_000,
        "(at) " * 50_000,
    ],
    ids=lambda text: text[:5],
)
def test_linear_time(text: str) -> None:
    started = time.process_time()
    scrub(text, ["Tom", "math_fan22"])
    assert time.process_time() - started < 2


def test_what_is_too_long_for_a_name_is_none() -> None:
    text = "thanks, Maria, and Maria wrote: 7"
    assert scrub(text, ["Maria Lang"]).names == 2
    assert scrub(text, ["Maria " * 200]).text == text
