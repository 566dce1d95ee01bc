"""What arithmetic solvers see of a question; the stretches were read off by hand."""

import pytest

from evaluation.solvers.arithmetic.quantity_schemas import MAX_QUANTITIES, read_question


def test_a_question_is_read() -> None:
    read = read_question(
        "Ann walks 5 miles a day. Each friend pays $8, and 2 of them gave 3 red apples. How many apples?"
    )
    assert read is not None
    assert [str(one.value) for one in read.quantities] == ["5", "8", "2", "3"]
    assert [one.unit for one in read.quantities] == ["mile", "$", "", "apple"]
    assert [one.rate for one in read.quantities] == ["a", "each", "", ""]
    assert [one.asked for one in read.quantities] == [False] * 4
    assert read.words(read.quantities[3].clause) == ("#", "of", "they", "give", "#", "red", "apple")[-7:]
    assert read.words(read.asked) == ("how", "many", "apple", "?")
    assert read.asked_unit == "apple"
    assert read.counted


@pytest.mark.rows(
    ("question", "counted"),
    [
        ("He has 7 pens. How many pens are left?", True),
        ("He has 7 pens. How much do they cost?", False),
        ("He has 7.5 pounds. How many pounds are left?", False),
    ],
)
def test_what_is_counted_is_whole(question: str, counted: bool) -> None:
    read = read_question(question)
    assert read is not None
    assert read.counted is counted


def test_questions_without_numbers_or_with_too_many_are_not_read() -> None:
    assert read_question("") is None
    assert read_question("An owl sees a cat. How many are there?") is None
    assert read_question(f"Add {', '.join(map(str, range(MAX_QUANTITIES)))}. How many?") is not None
    assert read_question(f"Add {', '.join(map(str, range(MAX_QUANTITIES + 1)))}. How many?") is None
    assert read_question(f"Add {', '.join(map(str, range(40)))}. How many?") is None
