"""Problems without the order of their words; texts and places were worked out by hand."""

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.shown_problems import bag_of_words

TEXT = "Ann has 20 red pens. She gives 5% of the 20 pens away; how many remain?"
BAG = "ann away gives has how many of pens pens red remain she the ; 20 ; 5 ; 20 ."


def _problem() -> GoldProblem:
    numbers = [{"value": "20", "start": at, "end": at + 2} for at in (8, 41)]
    slots = [{"slot": "a", **numbers[0]}, {"slot": "b", "value": "5", "start": 31, "end": 32}]
    fields = {"problem_id": "p", "native_id": "p", "origin": "gold", "template": ["m = a - 0.01 * a * b"]}
    return GoldProblem.model_validate({**fields, "question": TEXT, "alignment": slots, "equivalent_numbers": [numbers]})


def test_words_lose_their_order_and_numbers_keep_theirs() -> None:
    bag = bag_of_words(_problem())
    assert bag.question == BAG
    assert [(one.slot, bag.question[one.start : one.end]) for one in bag.alignment] == [("a", "20"), ("b", "5")]
    places = [(one.start, one.end) for one in bag.equivalent_numbers[0]]
    assert places == [(BAG.index("20"), BAG.index("20") + 2), (BAG.rindex("20"), BAG.rindex("20") + 2)]
    assert bag.alignment[0].start == places[0][0]


def test_problems_of_the_same_words_are_alike() -> None:
    other = "Away she gives 20 pens of the 5 red; how many pens remain? Ann has 20."
    shuffled = GoldProblem(problem_id="q", native_id="q", origin="gold", question=other)
    words, numbers = bag_of_words(shuffled).question.split(" ; ", 1)
    assert (words, numbers) == (BAG.split(" ; ", 1)[0], "20 ; 5 ; 20 .")
    assert bag_of_words(shuffled.model_copy(update={"question": ""})).question == " ."
