"""The kinds of threads, and the evidence for a single answer, on cases checked by hand."""

from collections.abc import Sequence

import pytest

from models.confidence import EVIDENCE_NAMES, Kind, evidence, kind_of
from models.features import LOCAL_NAMES, read_thread, thread_view
from models.single_features import SINGLE_AGAINST, SINGLE_EVIDENCE, Outcome
from models.thread_features import Claim, ThreadView

ASKED = "Tom has 3 pears and gets 4 more. How many pears does he have?"


def outcome(answer: str, value: int, question: str = ASKED, solutions: Sequence[Sequence[str]] = ()) -> Outcome:
    """A thread of one answer that claims one value."""
    read = read_thread(question, [answer], own={0: solutions})
    view = thread_view(read, read.tables[0].rows[0] * 0)
    top = next(place for place, one in enumerate(view.candidates) if [*map(int, view.values_of(place))] == [value])
    made = ThreadView(
        view.question, view.views, view.values, view.candidates, view.scores, (Claim(0, top, 1.0, 0.5),), ()
    )
    return Outcome(made, [top], [1.0])


# (evidence, answer, value, solutions) -> value
CASES = [
    ("closes", "3 + 4 = 7\nso 7 pears", 7, (), 1.0),
    ("closes", "7, I said 9", 7, (), 0.0),
    ("comes_out", "3 + 4 = 7", 7, (), 1.0),
    ("comes_out", "there are 7", 7, (), 0.0),
    ("last_sum_comes_to", "1 + 1 = 2, 3 + 4 = 7", 7, (), 1.0),
    ("last_sum_comes_to", "3 + 4 = 7, 1 + 1 = 2", 7, (), 0.0),
    ("is_own", "x = 7", 7, (("7",),), 1.0),
    ("is_own", "x = 7", 7, (("7", "9"),), 0.0),
    ("is_not_own", "x = 7, or 8", 8, (("7",),), 1.0),
    ("is_not_own", "x = 7", 7, (), 0.0),
    ("carries_asked_unit", "7 pears", 7, (), 1.0),
    ("carries_asked_unit", "7 plums", 7, (), 0.0),
    ("was_given", "4 pears", 4, (), 1.0),
    ("given_numbers_used", "3 and then 7", 7, (), 0.5),
    ("own_sums_right", "3 + 4 = 8", 8, (), -1.0),
    ("goes_on", "x = 7\n7 * 2 = 14", 7, (), 1.0),
    ("goes_on", "7 * 2 = 14", 14, (), 0.0),
    ("is_guessed", "i guess 7", 7, (), 1.0),
    ("stands_in_check", "because it was 7", 7, (), 1.0),
    ("is_unsaid", "find x, 3 or so", 7, (("7",),), 1.0),
    ("steps_shown", "3 + 4 = 7", 7, (), 1 / 6),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}:{case[1][:16]}")
def test_single_evidence(case: tuple[str, str, int, Sequence[Sequence[str]], float]) -> None:
    name, answer, value, solutions, expected = case
    function = next(function for function in SINGLE_EVIDENCE if function.__name__ == name)
    assert function(outcome(answer, value, solutions=solutions)) == pytest.approx(expected)


def test_every_single_evidence_has_a_case() -> None:
    assert {case[0] for case in CASES} == {function.__name__ for function in SINGLE_EVIDENCE}
    assert {function.__name__ for function in SINGLE_EVIDENCE} > SINGLE_AGAINST


@pytest.mark.parametrize(
    ("answers", "first", "kind"),
    [
        (["it is 7"], 7, Kind.SINGLE),
        (["it is 7", "no idea"], 7, Kind.SINGLE),
        (["it is 7", "it is 7"], 7, Kind.AGREED),
        (["it is 7", "it is 7", "it is 9"], 7, Kind.AGREED),
        (["it is 7", "it is 7", "it is 9"], 9, Kind.DISPUTED),
        (["it is 7", "it is 9"], 7, Kind.DISPUTED),
        (["7", "7", "9", "9"], 7, Kind.DISPUTED),
    ],
)
def test_kinds_of_threads(answers: list[str], first: int, kind: Kind) -> None:
    read = read_thread("How many?", answers)
    weights = read.tables[0].rows[0] * 0
    weights[LOCAL_NAMES.index("mean_is_last_number")] = 1.0
    view = thread_view(read, weights)
    top = next(place for place in range(len(view.candidates)) if [*map(int, view.values_of(place))] == [first])
    assert kind_of(view, top) is kind
    found, row = evidence(view, [top], [1.0])
    assert (found, len(row)) == (kind, len(EVIDENCE_NAMES[kind]))
