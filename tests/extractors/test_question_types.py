"""Types of questions on cases written by hand, the characters that show them, and hostile texts."""

import time

import pytest

from extractors.questions.question_types import MAX_EVIDENCE, QuestionType, type_of, types_of

CASES = [
    ("Two numbers add to 9 and differ by 1. Find them.", "open", None),
    ("What is the area of the triangle in the figure?", "needs_figure", "in the figure"),
    ("Use the diagram below to find x.", "needs_figure", "Use the diagram"),
    ("In the graph of y = 2x, what is the slope?", "open", None),
    ("How many people sat at the table?", "open", None),
    ("Prove that 2 + 2 = 4.", "proof", "Prove"),
    ("x is odd. Show that x^2 is odd.", "proof", ". Show that"),
    ("It will prove to be cheap. How much is it?", "open", None),
    ("The card needs to show that he paid 80. How much was it?", "open", None),
    ("A box is 2 by 3. a) Find its area. b) How long is its diagonal?", "several_parts", "a) Find its area."),
    ("1. What is 2 + 2?\n2. What is 3 + 3?", "several_parts", "1. What is"),
    ("a) has 5 pens, b) has 7. How many have both?", "open", None),
    ("If a : b = 3 : 4 and b : c = 7 : 9, find a : c", "open", None),
    ("What is 2 + 2?\nA) 3\nB) 4\nC) 5", "multiple_choice", "A) 3"),
    ("What is 2 + 2? Answers: 1) 3 2) 4 3) 5", "multiple_choice", "1) 3"),
    ("He bought 1) 3 pens 2) 4 cups 3) 5 hats. How many things?", "open", None),
    ("Which of the following is prime: 4, 5 or 6?", "multiple_choice", "Which of the following"),
    ("Tom has 5 dimes. Does he have enough for a hat of 60 cents?", "yes_or_no", "Does he have enough"),
    ("Can anyone solve this? 2x = 4", "open", None),
    ("Can you do it? x + 1 = 2", "open", None),
    ("Is it 5? How many are there?", "open", None),
    ("I found x = 3. Is that correct?", "open", None),
    ("The sum is ?", "open", None),
    ("2x + 1 = 9 (answer: 4)", "answer_in_question", "(answer: 4"),
    ("Solve 3y + 4 = y^2. I know that the answer is 4.", "answer_in_question", "know that the answer is 4"),
    ("How much in all? I got 7/8 of an hour. Am I right?", "answer_in_question", "I got 7"),
    ("I got 3 apples from Ann and 5 from Bob. How many have I?", "open", None),
    ("3 times a number less 5 is a result of 7: what is it?", "open", None),
    ("He marked each answer with 2 points. How many has he?", "open", None),
    ("When a number is doubled the answer is 9. Which number is it?", "open", None),
]


@pytest.mark.rows(("question", "kind", "shown"), CASES)
def test_the_type_of_a_question(question: str, kind: str, shown: str | None) -> None:
    found = type_of(question)
    assert found.type == kind
    if shown is None:
        assert found.evidence is None
    else:
        assert found.evidence is not None
        assert found.evidence.startswith(shown)
        assert found.evidence in question


def test_the_first_type_in_the_order_is_taken_and_all_are_told() -> None:
    question = "Prove it with the figure above. A) 1 B) 2 C) 3 (Answer: 2)"
    assert type_of(question).type is QuestionType.NEEDS_FIGURE
    assert list(dict.fromkeys(typed.type for typed in types_of(question))) == [
        QuestionType.NEEDS_FIGURE,
        QuestionType.PROOF,
        QuestionType.MULTIPLE_CHOICE,
        QuestionType.ANSWER_IN_QUESTION,
    ]


@pytest.mark.rows("piece", ["a) ", "A\n", "1. a) b) ", "show that ", "answer ", "in the ", "is a b? ", "i got "])
def test_long_texts_are_read_in_bounded_time(piece: str) -> None:
    begin = time.process_time()
    found = list(types_of(piece * 20_000))
    assert time.process_time() - begin < 2
    assert all(len(typed.evidence or "") <= MAX_EVIDENCE for typed in found)


FIGURES = ["figures", "diagram", "PICTURE", "pics", "Image", "drawings", "sKetch", "graph", "charts", "ıllustration"]


@pytest.mark.rows("word", FIGURES)
def test_every_word_for_a_figure_is_seen_in_any_case(word: str) -> None:
    assert type_of(f"What is x in the {word} below?").type is QuestionType.NEEDS_FIGURE


@pytest.mark.rows("text", ["PROVE it.", "Disprove this.", "Please Show that it is odd.", "ſhow that 2 is even."])
def test_every_word_for_a_proof_is_seen_in_any_case(text: str) -> None:
    assert type_of(text).type is QuestionType.PROOF
