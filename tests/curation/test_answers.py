"""What the answers stage hands to the ranking."""

from corpus.records import Assignment, SystemSolution
from corpus.workspace import BUNDLED
from curation.record_stages import RecordContext, all_solutions, answers
from curation.stages.answers_stage import asked_values, own_solutions
from models.shipped import read_thread
from models.storage import load_model

ANSWERS = [{"text": "2x + 2(x + 6) = 48\n4x + 12 = 48\n4x = 36\nx = 9 m"}]


def _solution(**values: str) -> SystemSolution:
    return SystemSolution(assignments=tuple(Assignment(unknown=name, value=value) for name, value in values.items()))


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


def test_asked_values_carry_the_probability_and_the_answer_of_their_system() -> None:
    asked = (Assignment(unknown="x", value="50"), Assignment(unknown="y", value="2"))
    assert asked_values([(3, 0.7, asked), (1, 0.9, ()), (0, 0.2, asked[:1])]) == [
        (["50", "2"], 0.7, 3),
        (["50"], 0.2, 0),
    ]


def test_a_thread_gives_voted_and_own_solutions() -> None:
    answers = ["a + b = 59, a - b = 15", "37 and 22", "x + y = 59\nx - y = 15", "z = 59 - 15"]
    solved = all_solutions(read_thread("59 in the two crates, and 15 is what they are apart.", answers))
    assert [sorted(values) for values in solved.agreed] == [["22", "37"]]
    assert {place: [sorted(values) for values in found] for place, found in solved.own.items()} == {
        0: [["22", "37"]],
        2: [["22", "37"]],
        3: [["44"]],
    }
    asked = [(sorted(values), place) for values, _, place in solved.likely_asked]
    assert (["22", "37"], 0) in asked
    assert (["44"], 3) in asked


def test_a_solution_of_thousands_of_digits_ends_no_run() -> None:
    record = {"question": "What is x, ten to the 4999 and then 7?", "answers": [{"text": "x = 10^4999"}]}
    context = RecordContext(lambda kind: load_model(str(BUNDLED / "models" / f"{kind}.json")))
    assert answers(record, context)["answer"] is None


def test_a_part_of_what_is_asked_is_less_likely() -> None:
    texts = [{"text": "26 miles a gallon, so it is 2.8 x 22.5 = $63."}, {"text": "$63"}]
    context = RecordContext(lambda kind: load_model(str(BUNDLED / "models" / f"{kind}.json")))
    both = "How many gallons do I need for 585 miles at 26 miles a gallon, and how much will they cost at $2.80?"
    one = "How much will the gas for 585 miles cost at 26 miles a gallon and $2.80 a gallon?"
    found = [answers({"question": asked, "answers": texts}, context) for asked in (both, one)]
    assert [one["ranked"][0]["answer"] for one in found] == [["63"], ["63"]]
    assert found[0]["confidence"] < found[1]["confidence"]
