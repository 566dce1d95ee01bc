"""What the answers stage hands to the ranking."""

from corpus.records import Assignment, Solution
from curation.lines import both_solutions
from curation.stages.answers import own_solutions
from extractors.equations.votes import read_thread


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


def test_a_thread_gives_voted_and_own_solutions() -> None:
    answers = ["a + b = 59, a - b = 15", "37 and 22", "x + y = 59\nx - y = 15", "z = 59 - 15"]
    voted, own = both_solutions(read_thread("59 in the two crates, and 15 is what they are apart.", answers))
    assert [sorted(values) for values in voted] == [["22", "37"]]
    assert {place: [sorted(values) for values in found] for place, found in own.items()} == {
        0: [["22", "37"]],
        2: [["22", "37"]],
        3: [["44"]],
    }
