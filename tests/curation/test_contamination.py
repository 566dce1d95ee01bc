"""Leaks of benchmark problems into a corpus: exact and near ones found, templates and look-alikes not."""

import itertools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.near_texts.contamination import (
    MAX_TOKENS,
    Item,
    LeakSearch,
    allowed_edits,
    find_leaks,
    nearest_window,
    word_edits,
)
from tests.extractors.cases import FOLDER
from tests.tiers import in_turn

SHOP = "A shop sells pens in boxes of 12. How many boxes hold 300 pens?"
ROAD = "Ann drives to the lake at 40 miles per hour and back at 60 miles per hour. How long is the way?"
WORDS = "Which of the two brothers is the elder one if neither of them is the younger one?"
BENCHMARK = [Item("b1", SHOP), Item("b2", ROAD), Item("b3", WORDS), Item("b4", "  "), Item("b5", "What now?")]


def found(text: str, share: float = 0.3) -> list[tuple[str, str, int]]:
    """The leaks of one text: benchmark id, kind, edits."""
    report = find_leaks([Item("a", text)], {"b": BENCHMARK}, share)
    return [(leak.benchmark_id, leak.kind, leak.edits) for leak in report.leaks]


@pytest.mark.rows(
    ("text", "leaks"),
    [
        (SHOP, [("b1", "exact", 0)]),
        (SHOP.upper().replace(" ", "\n  "), [("b1", "exact", 0)]),
        (SHOP.replace("pens", "pencils", 1), [("b1", "near", 1)]),
        (SHOP.replace("A shop sells ", ""), [("b1", "near", 3)]),
        ("Hello! " + SHOP, [("b1", "exact", 0)]),
        (SHOP.replace("300", "400"), []),  # other numbers: the template, not a leak
        (SHOP.replace("12", "300").replace("300 pens", "12 pens"), []),  # the same numbers in another order
        (SHOP.replace("boxes hold 300 pens", "of these hold 300 of them or so now"), [("b1", "story", 3)]),
        (SHOP.replace("A shop sells pens in", "There are such and such"), []),  # 5 of 14 words
        ("A baker packs rolls in bags of 12. How many bags take 300 rolls?", []),
        (WORDS.replace("brothers", "sisters"), [("b3", "near", 1)]),
        (WORDS.replace("brothers", "sisters").replace("elder", "older"), []),  # without digits a tenth may differ
        (SHOP.replace("How many boxes hold", "How much do you pay"), [("b1", "story", 4)]),
        (SHOP.replace("pens in boxes", "seven pens in boxes"), [("b1", "near", 1)]),
        ("What now", [("b5", "exact", 0)]),
        ("What then", []),  # too short for a near leak
        # Another one with other numbers stands behind it.
        (f"{SHOP.replace('pens', 'pencils', 1)} {SHOP.replace('12', '13')}", [("b1", "near", 1)]),
        ("", []),
    ],
)
def test_leaks(text: str, leaks: list[tuple[str, str, int]]) -> None:
    assert found(text) == leaks


def test_signs_and_their_words() -> None:
    report = find_leaks(
        [Item("a", "He pays $ 3 and keeps 5 % of the rest.")],
        {"b": [Item("b", "He pays 3 dollars and keeps 5 percent of the rest .")]},
    )
    assert [leak.kind for leak in report.leaks] == ["exact"]


@pytest.mark.rows(
    ("ours", "theirs", "kind"),
    [
        ((25.0,), (24.9999,), "near"),
        ((25.0,), (10.0, 25.0), "near"),  # one of the two asked for more
        ((25.0,), (24.0,), "story"),
        ((25.0, 3.0), (25.0, 4.0), "story"),
        ((25.0,), (), "near"),
    ],
)
def test_answers_tell_problems_apart(ours: tuple[float, ...], theirs: tuple[float, ...], kind: str) -> None:
    copy = SHOP.replace("hold", "contain")
    (leak,) = find_leaks([Item("a", copy, ours)], {"b": [Item("b", SHOP, theirs)]}).leaks
    assert (leak.kind, leak.edits) == (kind, 1)


def test_another_answer_to_the_same_question_is_a_wrong_label() -> None:
    copy = SHOP.replace("sells", "has")
    (leak,) = find_leaks([Item("a", copy, (24.0,))], {"b": [Item("b", SHOP, (25.0,))]}).leaks
    assert leak.kind == "near"


def test_number_words_are_numbers() -> None:
    ours, theirs = "Five red plums and 14 green plums are here.", "Four red plums and 14 green plums are here."
    assert find_leaks([Item("a", ours)], {"b": [Item("b", theirs)]}).leaks == ()


def test_a_short_problem_leaks_as_a_sentence_wherever_else_its_words_stand() -> None:
    asked = "How many days are in 3 weeks?"
    for before, behind in (("", ""), ("", "Tom asks how many days are in 3 weeks of it."), ("Of how many days?", "")):
        report = find_leaks([Item("a", f"{before} {asked} {behind}")], {"b": [Item("1", asked)]})
        assert [leak.kind for leak in report.leaks] == ["exact"]
    assert not find_leaks([Item("a", f"Tom asks his friends again and again {asked}")], {"b": [Item("1", asked)]}).leaks


def test_options_make_a_template_no_other() -> None:
    given = "Tom has 3 apples and buys 4 more. How many apples? A) 5 B) 6 C) 7"
    ours = Item("a", given.replace("3", "8").replace("5", "12"))
    assert LeakSearch({"b": [Item("1", given)]}).variant(ours.text) == ("b", "1")
    assert find_leaks([ours], {"b": [Item("1", given)]}).same_template == {"b": 1}


def test_the_report_counts_problems() -> None:
    corpus = [
        Item("p1", SHOP),
        Item("p2", SHOP.replace("sells", "has")),
        Item("p3", SHOP.replace("12", "20")),
        Item("p4", "?!"),
        Item("p5", "Something else with 12 and 300."),
    ]
    other = [Item("o1", SHOP), Item("o2", SHOP.replace("sells", "has"))]
    report = find_leaks(corpus, {"b": BENCHMARK, "other": other})
    assert (report.compared, report.without_text, report.sizes) == (4, 1, {"b": (4, 1), "other": (2, 0)})
    assert [(leak.problem_id, leak.benchmark, leak.benchmark_id, leak.kind) for leak in report.leaks] == [
        ("p1", "b", "b1", "exact"),
        ("p1", "other", "o1", "exact"),
        ("p1", "other", "o2", "near"),
        ("p2", "b", "b1", "near"),
        ("p2", "other", "o2", "exact"),
        ("p2", "other", "o1", "near"),
    ]
    assert (report.leaked("b"), report.leaked("b", "exact"), report.leaked("b", "near")) == (2, 1, 1)
    assert (report.leaked("other"), report.leaked("other", "exact")) == (2, 2)
    assert report.same_template == {"b": 1, "other": 1}
    assert (report.leaks[3].text, report.leaks[3].benchmark_text) == (corpus[1].text, SHOP)


@pytest.mark.rows("share", [-0.1, 1.0])
def test_shares_out_of_range(share: float) -> None:
    with pytest.raises(ValueError, match="from 0 to below 1"):
        find_leaks([], {}, share)


CASES = [json.loads(line) for line in (FOLDER / "leaks.jsonl").read_text(encoding="utf-8").splitlines()]
HELD = json.loads((FOLDER / "leak_benchmarks.json").read_text(encoding="utf-8"))


@pytest.mark.rows("case", CASES, ids=[case["id"] for case in CASES])
def test_cases(case: dict[str, str]) -> None:
    report = find_leaks([Item("a", case["text"])], {"b": [Item(name, text) for name, text in HELD.items()]})
    wanted = [] if case["expect"] == "none" else [(case["benchmark"], case["expect"])]
    assert [(leak.benchmark_id, leak.kind) for leak in report.leaks] == wanted


def test_leaks_in_the_shared_cases(shared_data: Path) -> None:
    folder = shared_data / "cases" / "13-decontam"
    for benchmark, posts, clean in (
        ("bench", "posts", {"othernumbers", "unrelated", "clean"}),
        ("bench2", "posts2", set()),
    ):
        held = [json.loads(line)["question"] for line in (folder / f"{benchmark}.jsonl").read_text().splitlines()]
        search = LeakSearch({"b": [Item(str(place), text) for place, text in enumerate(held)]})
        rows = [json.loads(line) for line in (folder / f"{posts}.jsonl").read_text().splitlines()]
        assert {row["id"] for row in rows if search.leak(Item(row["id"], row["question"])) is None} == clean


@pytest.mark.rows(
    "text", in_turn(["", "\ud800", "5" * 60_000, "- " * 9_000, "two " * 1_000, "\\frac{" * 1_500, "(A) " * 5_000], 3)
)
def test_hostile_texts_are_compared(text: str) -> None:
    search = LeakSearch({"b": [Item("b", SHOP), Item("c", text)]})
    found = search.leak(Item("a", f"{text} {SHOP}"))
    assert found is not None


def _distance(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """The textbook edit distance."""
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, 1):
        row, before = [i], row
        for j, right in enumerate(second, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right)))
    return row[-1]


words = st.lists(st.sampled_from("abc"), max_size=12).map(tuple)


@given(words, words, st.integers(0, 8))
def test_word_edits_is_the_edit_distance(first: tuple[str, ...], second: tuple[str, ...], most: int) -> None:
    distance = _distance(first, second)
    assert word_edits(first, second, most) == (distance if distance <= most else None)


def _window(wanted: tuple[str, ...], tokens: tuple[str, ...]) -> int:
    """The least edit distance of any part of the tokens, by trying all."""
    parts = itertools.combinations(range(len(tokens) + 1), 2)
    return min([len(wanted), *(_distance(wanted, tokens[start:end]) for start, end in parts)])


@given(words, words, st.integers(0, 8))
def test_the_nearest_window_is_the_nearest_part(wanted: tuple[str, ...], tokens: tuple[str, ...], most: int) -> None:
    found, least = nearest_window(wanted, tokens, most), _window(wanted, tokens)
    assert (found is None) == (least > most)
    if found is not None:
        edits, start, end = found
        assert edits == least == _distance(wanted, tokens[start:end])


def test_the_index_finds_every_problem_within_reach() -> None:
    chance = random.Random(5)
    letters = [f"w{chr(97 + place)}" for place in range(12)]
    texts = [" ".join(chance.choices(letters, k=chance.randint(12, 16))) + " 7" for _ in range(40)]
    for text in list(texts):
        changed = text.split()
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed) - 1)] = chance.choice(letters)
        texts.append(" ".join(["before", *changed, "behind"]))
    mine, theirs = texts[40:], texts[:40]
    report = find_leaks(
        [Item(str(i), text) for i, text in enumerate(mine)],
        {"b": [Item(str(i), text) for i, text in enumerate(theirs)]},
        0.25,
    )
    wanted = set()
    for (i, left), (j, right) in itertools.product(enumerate(mine), enumerate(theirs)):
        first, second = tuple(left.split()), tuple(right.split())
        found = nearest_window(second, first, allowed_edits(len(second), 0.25))
        if found is not None and "7" in first[found[1] : found[2]]:
            wanted.add((str(i), str(j)))
    assert {(leak.problem_id, leak.benchmark_id) for leak in report.leaks} == wanted
    assert len(wanted) >= 25


def test_long_texts_are_compared_as_a_whole() -> None:
    long = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)} stands here" for n in range(MAX_TOKENS // 3 + 1))
    texts = {"same": long.upper(), "end": long + " and more", "other end": long[:-4] + "there"}
    report = find_leaks([Item(name, text) for name, text in texts.items()], {"b": [Item("b", long)]})
    assert [(leak.problem_id, leak.kind) for leak in report.leaks] == [("end", "exact"), ("same", "exact")]
