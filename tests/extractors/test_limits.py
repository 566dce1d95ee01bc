"""What is too long or too dear is passed over by rule, and nothing else is read wrongly for it."""

import pytest

from benchmarks.fuzz_reading import CHECKS
from benchmarks.hostile import hostile_cases
from extractors.equations.document import MAX_ANSWER
from extractors.equations.equation_candidates import read_candidates
from extractors.equations.votes import read_systems
from extractors.extraction_errors import MAX_TEXT, LimitError
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import format_value
from extractors.templates.induction import induce
from extractors.text.cleaning import clean_question
from extractors.text.plain import plain_maths
from models.shipped import read_thread
from tests.tiers import in_turn

QUESTION = "Two numbers add up to 41 and differ by 7. Find both numbers."
RIGHT = "x + y = 41\nx - y = 7\nx = 24, y = 17"
COSTLY = "\n".join(f"x^5+y^4+x*y={k}\ny^5+x^4*y={k + 7}+x" for k in range(3, 40))


def test_a_text_at_the_limit_is_read_and_one_beyond_it_is_left() -> None:
    at_limit = "Hi, 12².".ljust(MAX_TEXT, "\n")
    assert [number.raw for number in find_numbers(at_limit)] == ["12"]
    assert clean_question(at_limit).steps
    assert plain_maths(at_limit).text.startswith("Hi, 12^2.")
    beyond = at_limit + "\n"
    assert find_numbers(beyond) == ()
    assert clean_question(beyond).text == plain_maths(beyond).text == beyond


def test_a_thread_beyond_the_limit_gives_nothing_and_says_so() -> None:
    padded = [RIGHT + "\n" * 19_000, RIGHT + "\n" * 19_000]
    assert read_thread(QUESTION, padded).solutions
    found = read_thread(QUESTION, [*padded, "\n" * 12_000])
    assert (found.equations, found.candidates) == (None, ())
    assert (
        found.note
        == f"a thread of {len(QUESTION) + 2 * (len(RIGHT) + 19_000) + 12_000} characters; at most 50000 are read"
    )


def test_a_long_answer_is_read_to_the_end_of_a_line() -> None:
    text = "\n" * (MAX_ANSWER - 6) + "x = 1234"
    assert text[:MAX_ANSWER].endswith("x = 12")
    assert read_candidates(text).equations == ()
    assert len(read_candidates("x + 1 = 5\n" + text).equations) == 1


def test_costly_answers_take_no_steps_from_another_one() -> None:
    alone = read_thread(QUESTION, [RIGHT], 1)
    among = read_thread(QUESTION, [*[COSTLY] * 9, RIGHT], 1)
    assert among.solutions == alone.solutions
    assert among.votes == (9,)
    assert [format_value(value) for value in alone.solutions[0]] == ["24", "17"]


def test_a_template_has_so_many_equations_and_names() -> None:
    with pytest.raises(LimitError, match="25 equations"):
        induce("", (), [f"x_{k}=x_{k + 1}+1" for k in range(25)])
    with pytest.raises(LimitError, match="more than 140 names"):
        induce("", (), ["+".join(f"x_{k}" for k in range(141)) + "=1"])


@pytest.mark.rows("name", in_turn(sorted(CHECKS), 2))
def test_what_fuzzing_checks_holds_for_pieces_of_the_hostile_corpus(name: str) -> None:
    for _, texts in hostile_cases():
        CHECKS[name]([text[:200] for text in texts[:6]])


@pytest.mark.rows("piece", in_turn(["1/", "1/1=1\n", "abs(-1)=1\n"], 3))
def test_steps_that_stand_for_each_other_end(piece: str) -> None:
    """Each 1 may be the result of a step before it; ``1/`` over and over went on beyond the depth of recursion."""
    text = piece * (MAX_ANSWER // len(piece))
    assert all(len(system.equations) < 20 for system in read_systems("9 and 1", [text]).systems)
