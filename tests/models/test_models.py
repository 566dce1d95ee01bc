"""Both models from fit to use, and the shipped ones on threads checked by hand."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from corpus.errors import InputError
from corpus.records import ScopeOutcome
from models.answer_model import (
    CONFIDENCE_NAMES,
    LONE_LEAD,
    SYSTEM_NAMES,
    AnswerModel,
    NumberSpan,
    Ordered,
    ordered,
    weighed,
)
from models.answer_training import (
    FOLDS,
    OWN,
    Other,
    bounded,
    fit_confidence,
    fit_mentions,
    fit_systems_beside,
    fold_parts,
    left_out_note,
    nested,
    no_solutions,
    read_examples,
    read_sources,
    train_answers,
)
from models.hypotheses import BOUND, NAMES
from models.label_split import LEAST, MIN_RETURNED, NEVER, LabelledThread, lowest_threshold
from models.linear import Logistic, NamedLogistic, on_grid
from models.mention_words import mention_words
from models.post_model import PostModel
from models.post_training import train_posts
from models.read_threads import Solved, analyse_thread
from models.shipped import shipped_model
from models.storage import load_model, model_bytes
from models.thread_reading import ThreadReader
from tests.models.equations import solved
from tests.models.samples import ANSWERS, QUESTION, label, labelled, systems, wholes

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


def test_what_weighs_most_is_told_by_counts_and_words(posts: PostModel) -> None:
    told = posts.reasons(posts.row("What is a prime?", ["no idea, google it"]), ScopeOutcome.GENERAL, 60)
    weights = [abs(float(reason.rsplit(" ", 1)[1])) for reason in told]
    assert weights == sorted(weights, reverse=True)
    names = {reason.rsplit(" ", 1)[0] for reason in told}
    assert {"no number", '"what is"', 'answers: "no"'} <= names
    assert next(reason for reason in told if reason.startswith("no number"))[-4] == "-"
    assert not any("<" in name for name in names), "pieces of words are not told"


def test_an_answer_that_asks_back_speaks_against_a_post(posts: PostModel) -> None:
    question = "A train needs 3 hours for 180 miles. How fast is it?"
    solved, back = (posts.scope(question, [answer]).probability for answer in ("180/3 = 60 mph", "Which one?"))
    assert solved > back


def test_training_does_not_depend_on_order() -> None:
    threads = [*labelled(20), *labelled(14, in_scope=False)]
    shuffled = list(threads)
    random.Random(3).shuffle(shuffled)
    assert model_bytes(train_posts(threads).model) == model_bytes(train_posts(shuffled).model)
    assert model_bytes(train_answers(threads).model) == model_bytes(train_answers(shuffled).model)


def test_more_threads_than_the_bound_are_sampled_by_digest_and_said() -> None:
    threads = labelled(30)
    kept = bounded(threads, 12)
    assert len(kept) == 12
    assert kept == bounded(threads[::-1], 12) == sorted(kept, key=lambda thread: thread.post_id)
    assert kept != threads[:12]
    assert set(bounded(threads, 11)) < set(kept) == set(bounded(kept, 12))
    assert bounded(threads[::-1], 30) == threads
    assert left_out_note(18) == ("18 threads beyond the bound of 8000 were left out, by the digest of their ids",)
    assert train_answers(threads).report.notes == left_out_note(0) == left_out_note(-5) == ()


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


def test_training_learns_which_systems_are_right_beside_the_answer() -> None:
    threads = systems(60)
    trained = train_answers(threads, solved)
    reader = ThreadReader(shipped_model("systems"), trained.model)
    found = [reader.read(one.question, one.answers).equations for one in threads]
    assert [one.equations is None for one in found] == [place % 5 == 0 for place in range(60)], "these slip"
    (row,) = (row for row in trained.report.rows if row.name == "systems above the threshold")
    assert (row.hits, row.returned, row.n) == (48, 48, 60)
    assert model_bytes(train_answers(threads[::-1], solved).model) == model_bytes(trained.model)


def test_a_right_system_gives_the_gold_answer() -> None:
    solution = {"x = 7": wholes(7), "x = 8": wholes(8)}

    def solve(_question: str, answers: Sequence[str]) -> Solved:
        return Solved([(0.5, [solution[text]]) for text in answers])

    thread = LabelledThread("p:1", "What is x?", ("x = 8", "x = 7"), label("p:1", "ok", ("7",)))
    (item,) = read_examples([thread], solve)
    assert item.right_systems == (False, True)


def test_too_few_or_one_sided_labels_are_refused() -> None:
    with pytest.raises(InputError, match="9 labels with a numeric gold answer; at least 10"):
        train_answers(labelled(9))
    with pytest.raises(InputError, match="5 labels with an outcome"):
        train_posts(labelled(5))
    with pytest.raises(InputError, match="all labels are of one kind"):
        train_posts(labelled(12))


def test_threads_that_state_nothing_else_than_gold_or_no_gold_are_refused() -> None:
    golds = [(thread, (thread.label.gold_answer or ())[0]) for thread in labelled(12)]
    with pytest.raises(InputError, match="no labelled thread states its gold answer"):
        train_answers([replace(thread, answers=("1234",)) for thread, _ in golds])
    with pytest.raises(InputError, match="no labelled thread has a right and a wrong candidate"):
        train_answers([replace(thread, answers=(gold,)) for thread, gold in golds])


RIGHT, WRONG = True, False


def test_threshold_is_the_lowest_that_holds() -> None:
    own = [(0.97, RIGHT)] * 97 + [(0.97, WRONG)] * 3 + [(0.92, WRONG)] * 50
    assert lowest_threshold(own, 0.95) == (0.93, "precision 0.95 on 150 out-of-fold threads")
    assert lowest_threshold([(0.97, RIGHT)] * 100, 0.95)[0] == LEAST
    assert lowest_threshold([(0.7, RIGHT)] * 19 + [(0.6, WRONG)], 0.95)[0] == LEAST, "19 of 20 are 95 %"
    assert lowest_threshold([(0.7, RIGHT)] * 18 + [(0.6, WRONG)], 0.95)[0] == 0.61


def test_threshold_that_nothing_reaches_is_said() -> None:
    assert lowest_threshold([(0.995, WRONG)] * 20, 0.95) == (
        NEVER,
        "0.99 as a fixed value: no threshold reaches precision 0.95 on 20 out-of-fold threads",
    )
    assert lowest_threshold([(0.97, RIGHT)] * (MIN_RETURNED - 1), 0.95)[0] == NEVER
    assert lowest_threshold([(0.97, RIGHT)] * MIN_RETURNED, 0.95)[0] == LEAST
    assert lowest_threshold([], 0.95)[0] == NEVER


def mislabelled(count: int) -> list[LabelledThread]:
    """Small threads of which every fourth has a label that its answers deny, so that nothing tells all apart."""
    threads = labelled(count)
    wrong = [one.label.model_copy(update={"gold_answer": (str(11 + 3 * place),)}) for place, one in enumerate(threads)]
    return [
        thread if place % 4 else replace(thread, label=label)
        for place, (thread, label) in enumerate(zip(threads, wrong, strict=True))
    ]


def test_other_sources_teach_all_parts_by_their_weight() -> None:
    own, more = mislabelled(20), mislabelled(30)[20:]
    alone = train_answers(own)
    beside = train_answers(own, others={"elsewhere": Other(more, 0.5)})
    unheard = train_answers(own, others={"elsewhere": Other(more, 1e-9)})
    assert beside.model.ranking != alone.model.ranking
    for part in ("words", "confidence"):
        assert getattr(beside.model, part) != getattr(alone.model, part)
        assert getattr(beside.model, part) != getattr(unheard.model, part)
    assert (beside.model.notes["threads of labels"], beside.model.notes["threads of elsewhere"]) == ("20", "10")
    assert {row.n for row in beside.report.rows if row.name == "elsewhere: the first candidate, always"} == {10}
    assert [row.n for row in beside.report.rows if row.name == "the first candidate, always"] == [20]


def test_a_first_candidate_counts_by_the_weight_of_its_thread() -> None:
    rows = on_grid(np.random.default_rng(5).normal(size=(20, len(CONFIDENCE_NAMES))))
    light = read_examples(labelled(20), no_solutions, 0.2)
    full = [replace(item, weight=1.0) for item in light]
    found = [
        fit_confidence(
            [(item, Ordered((item.right.index(place % 3 > 0),), (0.0,), rows[place])) for place, item in part]
        )
        for part in (list(enumerate(full)), list(enumerate(full[:10] + light[10:])), list(enumerate(light)))
    ]
    assert len({one.intercept for one in found}) == 3


def test_systems_count_by_the_weight_of_their_thread_however_many_it_has() -> None:
    def twice(question: str, answers: Sequence[str]) -> Solved:
        found = solved(question, answers)
        return replace(found, systems=[*found.systems, *found.systems])

    light, doubled = (read_examples(systems(20), solve, 0.2) for solve in (solved, twice))
    full = [replace(item, weight=1.0) for item in light]
    first = Ordered((0,), (0.0,), np.zeros(len(CONFIDENCE_NAMES)))
    even = Logistic(np.zeros(len(CONFIDENCE_NAMES)), 0.0)
    found = [
        fit_systems_beside([(item, first) for item in part], even).intercept
        for part in (full, full[:10] + light[10:], light, doubled)
    ]
    assert len(set(found[:3])) == 3
    assert found[3] == pytest.approx(found[2], abs=1e-3)


def test_nothing_of_a_fold_teaches_the_model_that_judges_it() -> None:
    threads = labelled(20)
    item = read_examples(threads[:1], no_solutions)[0]
    label = item.thread.label.model_copy(update={"gold_answer": ("5",)})
    parts, spoiled = (
        fold_parts(read_sources(found, no_solutions)[OWN])
        for found in (threads, [replace(threads[0], label=label), *threads[1:]])
    )
    assert len(parts) == FOLDS
    same = [before.words == after.words for before, after in zip(parts, spoiled, strict=True)]
    assert same == [fold == item.fold for fold in range(FOLDS)]
    judged = nested({"a": read_examples(threads, no_solutions)})["a"]
    assert judged[0] == parts[item.fold].choose(item)
    assert sum(choice.right for choice in judged) >= 18


def test_only_what_stands_in_three_mentions_is_learned() -> None:
    threads = labelled(12)
    longer = [replace(one, answers=(*one.answers, "99 zebras")) for one in threads]
    twice, thrice = ([*longer[:count], *threads[count:]] for count in (2, 3))
    assert "1 after zebra" not in fit_mentions(read_examples(twice, no_solutions)).weights
    learned = fit_mentions(read_examples(thrice, no_solutions)).weights
    assert learned["1 after zebra"] < 0 < learned["1 after piece"]


def test_examples_are_threads_in_scope_with_a_number_for_an_answer() -> None:
    threads = [*labelled(3), *labelled(2, in_scope=False)]
    word = threads[0].label.model_copy(update={"gold_answer": ("n*(n-1)",)})
    found = read_examples([replace(threads[0], label=word), *threads[:0:-1]], no_solutions, 0.5)
    assert [item.thread.post_id for item in found] == ["test:in-001", "test:in-002"]
    # 14, 7, their sum and twice 21 pieces; and that somebody thinks it is 22
    assert [item.weight for item in found] == [0.5, 0.5]
    assert found[0].gold_mentions == (False, False, True, True, True, False)
    assert list(compress(found[0].read.candidate_values, found[0].right)) == [(21,)]


@pytest.mark.rows(
    ("rows", "order", "lead", "share"),
    [
        ([[1.0], [2.0]], (1, 0), 1.0, -log(1 + exp(-1))),
        ([[2.0], [2.0], [2.0]], (0, 1, 2), 0.0, -log(3)),
        ([[3.0]], (0,), LONE_LEAD, 0.0),
    ],
)
def test_order_lead_and_share(
    rows: Sequence[Sequence[float]], order: tuple[int, ...], lead: float, share: float
) -> None:
    found = ordered(np.array(rows), np.array([1.0]))
    assert found is not None
    assert found.order == order
    assert found.scores == tuple(rows[place][0] for place in order)
    assert found.row == pytest.approx([found.scores[0], lead, share, *rows[order[0]]], abs=2**-16)
    assert ordered(np.zeros((0, 1)), np.array([1.0])) is None


def test_a_part_sums_the_names_that_it_knows() -> None:
    part = NamedLogistic({"a": 0.5, "b": -2.0}, 0.25)
    assert part.score({"a": 3.0, "b": 0.5, "c": 100.0}) == 0.75
    assert part.head(("b", "a")).scores(np.array([[1.0, 1.0]])).tolist() == [-1.25]
    with pytest.raises(KeyError):
        part.head(("c",))


def test_scores_of_mentions_are_bounded() -> None:
    read = analyse_thread("", ["5 and 7 or 9"])
    part = NamedLogistic({"first number": 1e6, "last number": -1e6}, 0.5)
    assert weighed(read, mention_words(read), part).scores == [[BOUND, 0.5, -BOUND]]


def test_values_stand_in_the_order_of_the_text_and_a_number_is_shown_rather_than_a_letter() -> None:
    ranking = NamedLogistic(dict.fromkeys(NAMES, 0.0) | {"as_many_asked": 1.0})
    chance, systems = (NamedLogistic(dict.fromkeys(names, 0.0)) for names in (CONFIDENCE_NAMES, SYSTEM_NAMES))
    model = AnswerModel(NamedLogistic({}), ranking, chance, systems, 0.5, 0.5, {})
    assert model.rank("", ["x = 9, y = 5"], Solved(asked=(0.1, 0.9, 0.0, 0.0))).values == ("9", "5")
    assert model.rank("", ["x = 9"], Solved(own={0: [wholes(5, 9)]})).confidence == 0.5
    options = replace(model, ranking=NamedLogistic(dict.fromkeys(NAMES, 0.0) | {"is_option": 1.0}))
    asked = "How many? (A) 71 (B) 82 (C) 93"
    assert options.rank(asked, ["4 and 82, so (B)"]).spans == (NumberSpan(0, 6, 8),)
    assert options.rank(asked, ["4, so (B)"]).spans == (NumberSpan(0, 7, 8),)
