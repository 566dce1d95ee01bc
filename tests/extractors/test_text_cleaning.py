"""Cleaning: cases, replay, and nothing but whitespace and chatter lost on real questions."""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.text.cleaning import apply_steps, clean_question
from tests.extractors.cases import cases
from tests.growth.counting import assert_linear
from tests.tiers import in_turn


@pytest.mark.rows(("text", "expect"), cases("cleaning"))
def test_cases(text: str, expect: str) -> None:
    cleaned = clean_question(text)
    assert cleaned.text == expect
    assert apply_steps(text, cleaned.steps) == cleaned.text


BOILERPLATE = (
    "You can put this solution on YOUR website!",
    "(Show Source):",
    "Answer by math_fan(123):",
    "Found 2 solutions by ann, bob:",
    "Question 12345:",
    "SOLUTION:",
    "(URL) ",
    "Similar questions",
    "Related questions",
    "Report abuse",
    "Add your answer",
    "Log in to reply",
    "Sign up",
    "2012-03-04T05:06:07Z",
)


@pytest.mark.rows("line", BOILERPLATE)
def test_boilerplate_of_sites_goes(line: str) -> None:
    assert clean_question(f"{line}\nAnn has 5 pens and 2 cups. How many things?").text.startswith("Ann has")


PIECES = st.sampled_from(
    [
        "Ann",
        "has",
        "5",
        "pens",
        "?",
        ".",
        "!!!",
        "please",
        "help",
        "thanks",
        "hi",
        ",",
        ":",
        "(",
        ")",
        "<br>",
        "<sup>",
        "2",
        "</sup>",
        "&amp;",
        "\\n",
        "\n",
        "http://a.b/c",
        "#3",
        "1)",
        "10",
        "points",
        ":)",
        "�",
        "\u200b",
        "",
        "",
        "",
        "due",
        "tomorrow",
        "Question",
        "12345:",
        'document.write("',
        "x",
        '");',
    ]
)


@given(st.one_of(st.text(st.characters()), st.lists(PIECES).map(" ".join)))
def test_steps_replay(text: str) -> None:
    cleaned = clean_question(text)
    assert apply_steps(text, cleaned.steps) == cleaned.text
    assert all(step.edits for step in cleaned.steps)


def test_step_names_tell_what_happened() -> None:
    cleaned = clean_question("Hi! Ann has   5 pens.\\nHow many?? thx")
    assert [step.name for step in cleaned.steps] == ["line_breaks", "chatter", "emphasis", "whitespace"]
    assert cleaned.text == "Ann has 5 pens.\nHow many?"


def _questions(folder: Path) -> Iterator[str]:
    for line in (folder / "gsm8k/threads.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["question"]
    for name in ("draw/draw.json", "alg514/kushman.json"):
        yield from (record["sQuestion"] for record in json.loads((folder / name).read_text(encoding="utf-8")))
    for problem in ElementTree.parse(folder / "asdiv/ASDiv.xml").iter("Problem"):
        yield f"{problem.findtext('Body')} {problem.findtext('Question')}"
    for line in (folder / "aqua/aqua_dev.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["question"]


# What real questions of the shared sets lose, all of it chatter, repeated marks or the number of the problem.
LOST = """Please help me with this problem .|thanks for the help !|Please help me . thanks !|Please !
|hi please help me with this problem :|Please show all your work .|Thanks !|Please help .|1 .|???|??"""


@pytest.mark.shared
def test_real_questions_lose_no_character_of_the_problem(shared_data: Path) -> None:
    allowed = {re.sub(r"\s", "", part) for part in LOST.split("|")}
    count = 0
    for question in _questions(shared_data):
        count += 1
        text = question
        for step in clean_question(question).steps:
            for edit in step.edits:
                lost = re.sub(r"\s", "", text[edit.start : edit.end])
                assert not lost or lost in allowed or any(lost in part for part in allowed), (step.name, lost, question)
            text = apply_steps(text, [step])
    assert count > 4200


@pytest.mark.rows(
    "unit",
    in_turn(
        ["hi, ", "please help ", "(help) ", "T? ", " ", "\n ", " \n", "?!", "10 points ", "- a ", "<", "&", "\\n"], 6
    ),
)
def test_steps_grow_linearly(unit: str) -> None:
    assert_linear(clean_question, unit)
