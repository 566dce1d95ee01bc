"""What the answers stage hands to the ranking."""

from corpus.records import Assignment, Solution
from corpus.workspace import BUNDLED
from curation.lines import LineContext, all_solutions, answers
from curation.stages.answers import doubted_solutions, own_solutions
from extractors.equations.votes import read_thread
from models.storage import load_model

ANSWERS = [{"text": "2x + 2(x + 6) = 48\n4x + 12 = 48\n4x = 36\nx = 9 m"}]


def _solution(**values: str) -> Solution:
    return Solution(assignments=tuple(Assignment(unknown=name, value=value) for name, value in values.items()))


def test_own_solutions_are_of_the_first_solved_system() -> None:
    systems = [
        (0, "rejected", (_solution(x="1"),)),
        (0, "solved", (_solution(x="2", y="3"),)),
        (0, "solved", (_solution(x="4"),)),
        (1, "stated", (_solution(x="2", y="3"),)),
        (2, "numeric", (_solution(x="5"), _solution(x="-5"))),
        (3, "solved", ()),
    ]
    assert own_solutions(systems) == {0: [["2", "3"]], 2: [["5"], ["-5"]]}


def test_doubted_solutions_are_those_that_the_question_speaks_against() -> None:
    systems = [("ruled_out", (_solution(x="50", y="2"),)), ("rejected", (_solution(x="3"),)), ("solved", ())]
    assert doubted_solutions(systems) == [["50", "2"]]


def test_a_value_that_only_doubted_equations_give_is_not_returned() -> None:
    record = {"question": "A room is 6 m longer than wide and 48 m around. Find the area.", "answers": ANSWERS}
    context = LineContext(2, lambda _: load_model(str(BUNDLED / "models" / "answers.json")))
    found = answers(record, context)
    assert (found["answer"], found["ranked"][0]["answer"]) == (None, ["9"])


def test_a_thread_gives_voted_and_own_solutions() -> None:
    answers = ["a + b = 59, a - b = 15", "37 and 22", "x + y = 59\nx - y = 15", "z = 59 - 15"]
    voted, own, _ = all_solutions(read_thread("59 in the two crates, and 15 is what they are apart.", answers))
    assert [sorted(values) for values in voted] == [["22", "37"]]
    assert {place: [sorted(values) for values in found] for place, found in own.items()} == {
        0: [["22", "37"]],
        2: [["22", "37"]],
        3: [["44"]],
    }


def test_a_solution_of_thousands_of_digits_ends_no_run() -> None:
    record = {"question": "What is x, ten to the 4999 and then 7?", "answers": [{"text": "x = 10^4999"}]}
    context = LineContext(1, lambda _: load_model(str(BUNDLED / "models" / "answers.json")))
    assert answers(record, context)["answer"] is None


def test_a_part_of_what_is_asked_is_less_likely() -> None:
    texts = [{"text": "26 miles a gallon, so it is 2.8 x 22.5 = $63."}, {"text": "$63"}]
    model = load_model(str(BUNDLED / "models" / "answers.json"))
    both = "How many gallons do I need for 585 miles at 26 miles a gallon, and how much will they cost at $2.80?"
    one = "How much will the gas for 585 miles cost at 26 miles a gallon and $2.80 a gallon?"
    found = [answers({"question": asked, "answers": texts}, LineContext(2, lambda _: model)) for asked in (both, one)]
    assert [one["ranked"][0]["answer"] for one in found] == [["63"], ["63"]]
    assert found[0]["confidence"] < found[1]["confidence"]
