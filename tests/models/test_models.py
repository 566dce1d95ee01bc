"""Both models from fit to use, and the shipped ones on threads checked by hand."""

import hashlib
import random
from pathlib import Path

import pytest

from corpus.errors import InputError
from models.answer_model import AnswerModel
from models.answer_training import Other, learn, no_solutions, train_answers
from models.post_model import PostModel
from models.post_training import train_posts
from models.storage import load_model, model_bytes
from models.thresholds import LEAST, Scores, choose_threshold
from tests.models.equations import solved
from tests.models.samples import ANSWERS, QUESTION, labelled

SHIPPED = Path(__file__).resolve().parents[2] / "data" / "models"


@pytest.fixture(scope="module")
def answers() -> AnswerModel:
    model = load_model(str(SHIPPED / "answers.json"))
    assert isinstance(model, AnswerModel)
    return model


@pytest.fixture(scope="module")
def posts() -> PostModel:
    model = load_model(str(SHIPPED / "posts.json"))
    assert isinstance(model, PostModel)
    return model


def test_sample_thread_is_answered_with_spans(answers: AnswerModel) -> None:
    ranking = answers.rank(QUESTION, ANSWERS, solved(QUESTION, ANSWERS))
    assert sorted(ranking.values) == ["15", "16"]
    assert ranking.ranked[0][0] == ranking.values
    assert len(ranking.ranked) == 5
    shown = {ANSWERS[span.answer][span.start : span.end] for span in ranking.spans}
    assert shown == {"15", "16"}


def test_dissent_lowers_the_confidence(answers: AnswerModel) -> None:
    right, wrong = "3 + 4 = 7\nHe has 7 pears.", "3 * 4 = 12\nHe has 12 pears."
    question = "Tom has 3 pears and gets 4 more. How many pears does he have?"
    sure = answers.rank(question, [right] * 4, solved(question, [right] * 4))
    torn = answers.rank(question, [right, right, wrong, wrong], solved(question, [right, right, wrong, wrong]))
    assert sure.values == ("7",)
    assert sure.confidence > 0.9 > torn.confidence
    assert sure.sure()
    assert not torn.sure(None)
    assert torn.sure(0.0)


@pytest.mark.rows("texts", [[], [""], ["no idea"], ["thanks!", "ask him"]])
def test_nothing_to_rank(answers: AnswerModel, texts: list[str]) -> None:
    ranking = answers.rank("How many?", texts)
    assert (ranking.values, ranking.ranked, ranking.spans, ranking.confidence) == ((), (), (), 0.0)


def test_hostile_lengths_are_bounded_and_said(answers: AnswerModel) -> None:
    many = " ".join(str(number) for number in range(3_000))
    ranking = answers.rank("How many? " * 5_000, [many, "9" * 5_000, "1e999999999", "(" * 20_000])
    assert any("characters after the first" in bound for bound in ranking.bounds)
    assert any("numbers between" in bound for bound in ranking.bounds)
    assert len(ranking.ranked) == 5


@pytest.mark.rows(
    ("question", "replies", "kept"),
    [
        (QUESTION, ANSWERS, True),
        ("A shirt costs $25 after 20% off. What was the price before?", ["25/.8 = $31.25"], True),
        ("What is the difference between mean and median?", ["The mean is the average."], False),
        ("Let $G$ be a group. Show $\\mathbb{Z}(G)$ is normal.", ["Use \\frac{a}{b}, a lemma."], False),
    ],
)
def test_scope(posts: PostModel, question: str, replies: list[str], kept: bool) -> None:
    scope = posts.scope(question, replies)
    assert (scope.outcome == "ok") == (scope.probability >= posts.threshold) == kept


def test_a_dollar_sign_is_no_sign_of_college(posts: PostModel) -> None:
    text = "Ann paid 12 for 3 pens and a 6 book. How much was one pen?"
    priced = text.replace("12", "$12").replace("6", "$6")
    assert posts.scope(priced, ["2 each"]).probability == pytest.approx(posts.scope(text, ["2 each"]).probability)


def test_training_does_not_depend_on_order() -> None:
    threads = [*labelled(20), *labelled(14, in_scope=False)]
    shuffled = list(threads)
    random.Random(3).shuffle(shuffled)
    assert model_bytes(train_posts(threads).model) == model_bytes(train_posts(shuffled).model)
    assert model_bytes(train_answers(threads).model) == model_bytes(train_answers(shuffled).model)


def test_more_threads_than_the_bound_are_sampled_and_said() -> None:
    threads = labelled(30)
    assert train_answers(threads).report.notes == ()
    by_digest = sorted(threads, key=lambda thread: hashlib.sha256(thread.post_id.encode()).digest())
    made, least = learn(threads, no_solutions, most=12), learn(by_digest[:12], no_solutions)
    assert made.signature == least.signature, "of the same threads"
    assert made.notes == ("18 threads beyond the bound of 12 were left out, by the digest of their ids",)


def test_training_learns_the_pattern() -> None:
    trained = train_answers(labelled(30))
    ranking = trained.model.rank(
        "Sue picked 40 pears and 2 plums. How many pieces of fruit did she pick?",
        ["40 + 2 = 42\nShe picked 42 pieces of fruit.", "42 pieces", "i think 43"],
    )
    assert ranking.values == ("42",)
    text = trained.report.text()
    for row in ("answers above the threshold", "floor: last number majority", "ceiling: gold among the candidates"):
        assert row in text


def test_too_few_or_one_sided_labels_are_refused() -> None:
    with pytest.raises(InputError, match="9 labels with a numeric gold answer; at least 10"):
        train_answers(labelled(9))
    with pytest.raises(InputError, match="5 labels with an outcome"):
        train_posts(labelled(5))
    with pytest.raises(InputError, match="all labels are of one kind"):
        train_posts(labelled(12))


RIGHT, WRONG = True, False


def test_threshold_is_the_lowest_that_holds() -> None:
    own = [(0.97, RIGHT)] * 97 + [(0.97, WRONG)] * 3 + [(0.92, WRONG)] * 50
    threshold, rule = choose_threshold(Scores(own, [], []), 0.95)
    assert threshold == pytest.approx(0.925)
    assert choose_threshold(Scores([(0.97, RIGHT)] * 100, [], []), 0.95)[0] == LEAST
    assert "on 150 out-of-fold threads" in rule


def test_no_site_pays_for_another_in_the_threshold() -> None:
    own = [(0.98, RIGHT)] * 100
    other = [(0.95, RIGHT)] * 17 + [(0.95, WRONG)] * 3  # 85 %: more than 6 points below 95 %
    assert choose_threshold(Scores(own, [other], []), 0.95)[0] == pytest.approx(0.955)
    assert choose_threshold(Scores(own, [other[1:]], []), 0.95)[0] == LEAST  # 19 are too few to say
    parts = [(0.92, RIGHT)] * 15 + [(0.92, WRONG)] * 5
    assert choose_threshold(Scores(own, [], parts), 0.95)[0] == pytest.approx(0.925)


def test_threshold_that_nothing_reaches_is_said() -> None:
    assert choose_threshold(Scores([(0.995, WRONG)] * 20, [], []), 0.95)[1].startswith("0.99 as a fixed value")


def test_other_sources_teach_the_probability_and_only_where_asked_the_rankings() -> None:
    more = labelled(30)[20:]
    alone = train_answers(labelled(20)).model
    beside = train_answers(labelled(20), others={"elsewhere": Other(more, 0.5)}).model
    ranking = train_answers(labelled(20), others={"elsewhere": Other(more, 0.5, ranks=True)}).model
    assert (alone.local, alone.weights) == (beside.local, beside.weights)
    assert alone.head != beside.head
    assert (alone.local, alone.weights) != (ranking.local, ranking.weights)
    assert beside.notes["threads of elsewhere"] == "10"
