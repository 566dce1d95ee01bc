"""Personal data goes, maths stays."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.privacy.scrubbing import find_all, scrub
from extractors.text.edits import MARKS, count_marks
from tests.extractors.cases import FOLDER
from tests.growth.counting import assert_linear
from tests.tiers import in_turn

MENTIONS = [json.loads(line) for line in (FOLDER / "privacy.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.rows(
    ("text", "expected"),
    [
        ("mail tom.b+x@school.k12.example.org now", "mail [mail] now"),
        ("(TOM@MAIL.EXAMPLE)", "([mail])"),
        ("tom (at) mail (dot) com", "[mail]"),
        ("tom[at]mail.com.", "[mail]."),
        ("tom (arroba) correo.es", "[mail]"),
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


@pytest.mark.rows(
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


@pytest.mark.rows(
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


@pytest.mark.rows("case", MENTIONS, ids=[case["id"] for case in MENTIONS])
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


@pytest.mark.rows(
    ("text", "expected"),
    [
        ("tom@ex\u200bample.com", "[mail]"),
        ("to\u00adm.b@mail.example", "[mail]"),
        ("tom (at) mail\u200b.com", "[mail]"),
        ("tom [at] ma\u00adil dot com", "[mail]"),
        ("tom&#8203;@mail.com, tom&shy;@mail.com", "[mail], [mail]"),
        ("ｔｏｍ＠ｍａｉｌ．ｃｏｍ", "[mail]"),
        ("call ５５５-１２３-４５６７", "call [phone]"),
        ("call 555\u200b-123-\u200b4567", "call [phone]"),
        ("٠٩٨٧٦٥٤٣٢١٠ واتساب", "[phone] واتساب"),
        ("09876543210 whatsapp", "[phone] whatsapp"),
        ("09876543210 (whatsapp) or on telegram 09876543210", "[phone] (whatsapp) or on telegram [phone]"),
        ("0987 654 3210 wa", "[phone] wa"),
        ("вотсап 09876543210", "вотсап [phone]"),
        ("☎️ 98765 43210", "☎️ [phone]"),
        ("📱9876543210", "📱[phone]"),
        ("📞 555 123 4567", "📞 [phone]"),
    ],
)
def test_what_is_hidden_from_programs_is_found_as_it_is_seen(text: str, expected: str) -> None:
    assert scrub(text).text == expected
    assert scrub(expected).text == expected


@pytest.mark.rows(
    "text",
    [
        "９８７６５４３２１０ ÷ 5",
        "１２３４５６７８９０ is divisible by 9?",
        "📱 + 📱 = 20000000, 📞 = 3",
        "5 📱 at 12345678 each, a phone 📱 costs 25000",
        "WA = 5551234567",
        "9876543210 telegrams were sent",
        "2\u2062x = 4 \u200b@ \u200b3.50",
        "1\u00ad250\u00ad000 &shy; 2",
    ],
)
def test_maths_is_untouched_as_it_is_seen(text: str) -> None:
    assert scrub(text).text == text


@given(st.text(alphabet="0123456789*/=x,% \n", max_size=80))
def test_arithmetic_is_untouched(text: str) -> None:
    assert scrub(text, ["x"]).text == text


@pytest.mark.rows("piece", in_turn(["thanks, ", "Tom wrote ", "a", "a@", "1-", "call ", "a.b@c.", "(at) "], 6))
def test_steps_grow_linearly(piece: str) -> None:
    assert_linear(lambda text: scrub(text, ["Tom", "math_fan22"]), piece)
    assert scrub(piece * (200_000 // len(piece)), ["Tom", "math_fan22"]).text


def test_what_is_too_long_for_a_name_is_none() -> None:
    text = "thanks, Maria, and Maria wrote: 7"
    assert scrub(text, ["Maria Lang"]).names == 2
    assert scrub(text, ["Maria " * 200]).text == text


@pytest.mark.rows(
    ("text", "expected"),
    [
        ("tom at gmail dot com", "[mail]"),
        ("priya{at}iitk{dot}ac{dot}in now", "[mail] now"),
        ("+442079460958", "[phone]"),
        ("my number: 555 123 4567", "my number: [phone]"),
        ("reach me on 98765 43210", "reach me on [phone]"),
        ("my name is Gertrude", "my name is [name]"),
        ("im brittany and i need help", "im [name] and i need help"),
        ("x = 3\nKind regards,\nMei Ling", "x = 3\nKind regards,\n[name]"),
        ("my insta is gertie_99", "my insta is [handle]"),
        ("see https://t.me/mathtutor77", "see [handle]"),
        ("my visa is 4111111111111111", "my visa is [number]"),
        ("pay 4111 1111 1111 1111", "pay [number]"),
        ("ssn: 078-05-1120", "ssn: [number]"),
        ("iban DE89 3704 0044 0532 0130 00", "iban [number]"),
        ("I live at 42 Maple Street", "I live at [address]"),
        ("742 Evergreen Terrace, Springfield, OR 97477", "[address]"),
        ("my ip is 192.168.1.20", "my ip is [address]"),
        ("mail a@b.example, 555-123-4567 or @Ann", "mail [mail], [phone] or [name]"),
    ],
)
def test_forms_that_got_through_are_found(text: str, expected: str) -> None:
    assert scrub(text).text == expected
    assert scrub(expected).text == expected


@pytest.mark.rows(
    "text",
    [
        "100-200-3000",
        "What is 250-125-1000?",
        "415-273-8164",
        "5@3.ab",
        "mobile 1000000 units sold",
        "my number is 1000000007, is it prime?",
        "x +1 555 123 4567",
        "+442079460958 - 1",
        "4111 1111 1111 1111 / 2",
        "4111 1111 1111 1112",
        "078-05-1120",
        "Tom lives at 42 Maple Street",
        "Exercise 10.11.12.13",
        "01 02 03 04 05 06",
        "My name is a word of 5 letters",
        "I am Anna's father",
        "This is Pythagoras: a^2+b^2=c^2",
        "2x + 3 = 9\n- Simplify",
        "u/v + v/u = 2",
        "instagram gained 5000000 users",
        "Gertrude is 3 times as old as Marcus.",
    ],
)
def test_sums_and_people_of_problems_stay(text: str) -> None:
    assert scrub(text).text == text


def test_every_kind_is_counted_by_its_mark() -> None:
    text = "a@b.example, tel: 555 123 4567, my name is Ann, insta: ann_99, ssn 078-05-1120, I live at 42 Maple Street"
    found = scrub(text)
    assert {kind: getattr(found, kind) for kind in MARKS} == dict.fromkeys(MARKS, 1)
    assert count_marks(found.text) == dict.fromkeys(MARKS, 1)


_CUES = ["my number is ", "call me at ", "my name is ", "I live at ", "insta: ", "ssn ", "card ", "ip ", "I'm ",
         "tom at gmail dot com", "555-123-4567", "+44 20 7946 0958", "42 Maple Street", "Ann", "gertie_99", "@Ann", " ",
         "4111 1111 1111 1111", "078-05-1120", "10.1.2.3", ", ", ". ", "5 - 3",
         "Thanks,\n", "[mail]", "[phone]", "- ", "\n"]  # fmt: skip


@given(st.lists(st.sampled_from(_CUES), max_size=10).map("".join))
def test_what_is_found_is_replaced_once_and_for_all(text: str) -> None:
    found = find_all(text)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(0 <= start < end <= len(text) for start, end, _ in found)
    once = scrub(text).text
    assert scrub(once).text == once


@pytest.mark.rows(
    "piece",
    in_turn(["1.2.3.4 ", "u/abc reddit ", "insta: a.", "I'm Ann, ", "my name is Ann ", "tom at a dot ", "1 1 ",
     "12 a St ", "GB29 NWBK ", "call five six ", "rue a b ", "4111 1111 1111 1111 ", "Name: Ann Bo\n", "regards,\n",
     "x.com/@a"], 3),
)  # fmt: skip
def test_steps_over_hostile_pieces_grow_linearly(piece: str) -> None:
    assert_linear(scrub, piece)
