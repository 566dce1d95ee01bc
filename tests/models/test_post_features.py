"""What the post model reads of a post: every count on a case checked by hand, terms, and rows of a model's columns."""

from math import log, log1p, sqrt

import pytest

from models.post_model import BLOCKS, COUNTS, PostModel, Vocabulary, matrix_of, read_post, row_of
from models.shipped import shipped_model


def scaled(count: int, most: int) -> float:
    return log1p(count) / log1p(most)


# (count, question, answers) -> value
CASES = [
    ("words", "Find x if x = 3", [], scaled(6, 400)),  # find x if x = 0
    ("words", "word " * 900, [], 1.0),
    ("numbers", "twice 7 shirts, 3.50 more", [], scaled(3, 30)),
    ("question marks", "What? Why?", [], scaled(2, 10)),
    ("items of an answer", "", ["1. five\n(b) six\nbye", "no 1) here"], scaled(2, 6)),
    ("words of an answer", "", ["a b c", "a"], scaled(3, 300)),
    ("no number", "What is a prime?", [], 1.0),
    ("one number", "What is 17,5 called?", [], 1.0),
    ("no question mark", "Find it.", [], 1.0),
    ("share of signs", "3 x = 9 apples", [], 4 / 5),
    ("no answer", "3?", [" "], 1.0),
    ("answers with numbers", "", ["it is 7", "dunno"], 0.5),
    ("answers with equations", "", ["x = 7", "7"], 0.5),
]


@pytest.mark.rows(("name", "question", "answers", "value"), CASES)
def test_count(name: str, question: str, answers: list[str], value: float) -> None:
    assert read_post(question, answers).counts[name] == pytest.approx(value)


def test_every_count_has_a_case() -> None:
    assert {name for name, *_ in CASES} == set(COUNTS)


def test_a_count_that_a_model_was_not_fitted_with_says_nothing() -> None:
    fitted = shipped_model("posts").as_dict()
    one = fitted["counts"].index("one number")
    rows = [[*row[:one], *row[one + 1 :]] for row in fitted["weights"]]
    silent = [[*row[:one], 0, *row[one + 1 :]] for row in fitted["weights"]]
    before = {**fitted, "counts": [name for name in fitted["counts"] if name != "one number"], "weights": rows}
    model, weightless = PostModel.from_dict(before), PostModel.from_dict({**fitted, "weights": silent})
    assert model.as_dict() == before
    assert model.scope("What is 17 called?", ()) == weightless.scope("What is 17 called?", ())
    with pytest.raises(ValueError, match="counts"):
        PostModel.from_dict({**before, "counts": [*before["counts"], "never heard of"]})


def test_terms_are_words_and_pairs_of_the_question_and_pieces_and_words_of_the_answers() -> None:
    asked, pieces, said, _ = read_post("Many 17 pens?", ["Which one?"]).terms
    assert asked == ["many", "0", "pens", "?", "many 0", "0 pens", "pens ?"]
    assert list(pieces[:9]) == ["<ma", "man", "any", "ny>", "<man", "many", "any>", "<pe", "pen"]
    assert said == ["which", "one", "?"]


def test_a_number_reads_the_same_however_it_is_written() -> None:
    assert read_post("I have 17 pens", ["4"]).terms == read_post("i have 3,000.5 PENS", ["0.25"]).terms


def test_a_row_has_length_one_and_holds_what_is_known() -> None:
    known = Vocabulary.of([["a", "b"], ["a"], ["a", "c"], ["b"]], 2)
    assert known.terms == ("a", "b")
    assert known.rarity == pytest.approx((log(5 / 4) + 1, log(5 / 3) + 1), abs=2**-16)
    places, values = known.row(["b", "never", "a", "b"])
    a, b = known.rarity[0], known.rarity[1] * (1 + log(2))
    assert places.tolist() == [0, 1]
    assert values == pytest.approx([a / sqrt(a * a + b * b), b / sqrt(a * a + b * b)], abs=2**-14)
    assert [part.tolist() for part in known.row(["never"])] == [[], []]


def test_a_row_holds_the_counts_and_then_the_blocks_in_turn() -> None:
    known = [Vocabulary((term,), (1.0,)) for term in ("pens", "pen", "which", "whi")]
    row = row_of(read_post("3 pens?", ["which"]), known)
    assert row[0].tolist() == list(range(len(COUNTS) + len(BLOCKS)))
    assert matrix_of([row, row], len(COUNTS) + len(BLOCKS)).sum(axis=0).A1[len(COUNTS) :].tolist() == [2, 2, 2, 2]


def test_nothing_at_all() -> None:
    post = read_post("", [])
    assert all(not terms for terms in post.terms)
    assert set(post.counts.values()) == {0.0, 1.0}
    assert Vocabulary.of([[]], 1) == Vocabulary((), ())


def test_hostile_lengths_are_cut() -> None:
    post = read_post("1) " * 100_000, ["= " * 100_000] * 500)
    assert [len(terms) for terms in post.terms] == [3_999, 0, 6_000, 0]
