"""Every structural feature of a post on a case checked by hand, and the parts of a question."""

from math import log1p

import pytest

from models.lexicons import LEXICONS, OF_QUESTIONS, QuestionItems, question_items
from models.post_features import STRUCTURE, analyse_post
from models.post_model import hashed

FEATURES = {feature.__name__: feature for feature in STRUCTURE}


def scaled(count: int, most: int) -> float:
    return log1p(count) / log1p(most)


# (feature, question, answers) -> value
CASES = [
    ("length", "Find x if x = 3", [], scaled(6, 400)),  # find x if x = 0
    ("very_short", "Find it", [], 1.0),
    ("very_long", "word " * 151, [], 1.0),
    ("numbers", "seventeen shirts and 3 hats", [], scaled(2, 30)),
    ("no_numbers", "What is a prime?", [], 1.0),
    ("one_number", "What is 17 called?", [], 1.0),
    ("short_with_numbers", "15% of 84", [], 1.0),
    ("symbols", "3 x = 9 apples", [], 4 / 5),
    ("question_marks", "What?? Why?", [], scaled(2, 10)),
    ("asks_for_quantity", "How many are there? Find it.", [], scaled(2, 8)),
    ("asks_nothing", "A rope of 90 ft is cut in two.", [], 1.0),
    ("asking_sentences", "I had 3. You had 4! Why?", [], scaled(2, 12)),
    ("asks_for_method", "How do you add, and why?", [], scaled(2, 4)),
    ("method_without_numbers", "How do I divide by 0?", [], 1.0),
    ("points_elsewhere", "Use the graph below", [], scaled(2, 3)),
    ("leaves_blanks", "Its sum is . Find them", [], scaled(1, 3)),
    ("breaks_off", "They are digits of the", [], 1.0),
    ("items", "1) 2x=4 2) 3x=9 3) x=1", [], scaled(3, 8)),
    ("choices", "What is x? (a) 1 (b) 2 (c) 3", [], 1.0),
    ("several_words", "These problems", [], scaled(2, 4)),
    ("school_words", "the ratio of the angles", [], scaled(2, 10)),
    ("college_words", "the derivative and the standard error", [], scaled(2, 6)),
    ("proof_words", "Show that it holds", [], scaled(1, 3)),
    ("science_words", "A current of 2 amps", [], scaled(1, 3)),
    ("tex_commands", r"\frac{1}{2} costs $5", [], scaled(1, 10)),
    ("states_equation", "x = 3 and y=4", [], scaled(2, 6)),
    ("answer_count", "", ["a", " ", "b"], scaled(2, 8)),
    ("answers_with_numbers", "", ["it is 7", "dunno"], 0.5),
    ("answers_with_equals", "", ["x = 7", "7"], 0.5),
    ("answers_with_unknown", "", ["x is 7", "box"], 0.5),
    ("answers_with_lists", "", ["1. five\n2. six\nbye"], scaled(2, 6)),
    ("answers_without_a_clue", "", ["which page?", "7"], 0.5),
    ("answers_use_numbers", "3 pens and 4 hats", ["3 + 5"], 0.5),
    ("answers_agree", "3 pens and 4 hats", ["3+4 = 7", "7"], 1.0),
    ("answers_agree", "3 pens and 4 hats", ["3", "3"], 0.0),
    ("answers_are_long", "", ["a b c d"], scaled(3, 300)),
    ("answers_use_college_words", "", ["integrate it"], scaled(1, 6)),
]


@pytest.mark.rows(("name", "question", "answers", "value"), CASES)
def test_feature(name: str, question: str, answers: list[str], value: float) -> None:
    assert FEATURES[name](analyse_post(question, answers)) == pytest.approx(value)


def test_every_feature_has_a_case() -> None:
    assert {name for name, *_ in CASES} == set(FEATURES)


@pytest.mark.rows(
    ("question", "parts"),
    [
        ("#12 tim has 45 #13 a shirt costs 24", QuestionItems(items=2)),
        ("(i) in a triangle (ii) a ladder", QuestionItems(items=2)),
        ("a. 5/8 + 1/4\nb. 7/10 - 2/5\nc. 3/4 x 8/9", QuestionItems(items=3)),
        ("find it\na\n12\nb\n18\nc\n24", QuestionItems(choices=3)),
        ("i left at 9:15 at a speed of 3.5. how far?", QuestionItems()),
        ("4) x 9) y", QuestionItems()),
        ("2) x 1) y", QuestionItems()),
    ],
)
def test_parts(question: str, parts: QuestionItems) -> None:
    assert question_items(question) == parts


def test_a_number_reads_the_same_however_it_is_written_in_the_grams() -> None:
    assert [part.tolist() for part in hashed(analyse_post("I have 17 pens", []))] == [
        part.tolist() for part in hashed(analyse_post("i have 3,000.5 PENS", ["x"]))
    ]


def test_nothing_at_all() -> None:
    places, values = hashed(analyse_post("", []))
    assert not len(places)
    assert not len(values)
    assert all(feature(analyse_post("", [])) in (0.0, 1.0) for feature in STRUCTURE)


def test_hostile_lengths_are_cut() -> None:
    view = analyse_post("1) " * 100_000, ["= " * 100_000] * 500)
    assert len(view.question) == 6_000
    assert [len(answer) for answer in view.answers] == [1_500] * 8


def test_lists_hold_no_empty_entries() -> None:
    for name, lexicon in LEXICONS.items():
        assert "" not in lexicon.words | set(lexicon.stems), name
    assert OF_QUESTIONS.counts(()) == dict.fromkeys((name for name in LEXICONS if name != "clueless"), 0)
