"""The hypotheses of a thread: the best candidates of the ranking side by side, each with its evidence.

Nothing rules a hypothesis out. What the question says, how the answer closes, what its equations give and how the
answers agree are numbers in one table; a logistic function over them, fitted on out-of-fold readings, says how likely
each hypothesis is the answer (``models/fitting.py``). The ranking SVM of Dolphin18K (section 3.2) offers them, and its
scores are evidence among the rest. A question that was surely read (``extractors.questions.stated``) says of a
candidate that it is just what is asked for, or that it cannot be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from extractors.equations.given import Stance, same_size, stance
from extractors.questions.stated import Stated
from models.analysed_question import analyse_question
from models.answer_evidence import ANSWER_EVIDENCE, Hypothesis
from models.exact import Matrix, on_grid
from models.features import ReadThread, analyse_thread, contenders, thread_rows
from models.gold_values import gold_values, same_answer, same_value
from models.thread_features import AnalysedThread


def question_says(stated: Stated, values: Sequence[Fraction], given: Sequence[Fraction], several: bool) -> Stance:
    """What a question says of the values of a candidate; ``several``: it seems to ask for more than one value.

    CONFIRMS only all values that are asked: the unknown, all roots of the only unknown of an equation, all unknowns
    where several are asked for. Of those only a part is CONTRADICTS: it is not the answer. So are as many values of
    which one is none of those, whatever the units.
    """
    wanted = _wanted(stated, several)
    if wanted is not None:
        if same_answer(values, wanted):
            return Stance.CONFIRMS
        if len(wanted) > 1 and all(any(same_value(value, other) for other in wanted) for value in values):
            return Stance.CONTRADICTS
        if len(values) == len(wanted) > 1 and not all(any(same_size(v, other) for other in wanted) for v in values):
            return Stance.CONTRADICTS
    said = stance(stated, [values], given)
    return said if said is Stance.CONTRADICTS else Stance.SILENT


def what_question_confirms(question: str, values: Sequence[str], asked: Sequence[float]) -> str | None:
    """The equations that a question states, if they give just the values of an answer; None if not.

    ``values`` are decimal or rational text; ``asked`` says how likely each number of values is asked for.

    >>> asked = (0.1, 0.9, 0.0, 0.0)
    >>> what_question_confirms("Two numbers add up to 52 and differ by 8. What are they?", ["30", "22"], asked)
    '(x+y)=52; abs(x-y)=8'
    """
    view = analyse_question(question, asked)
    found = gold_values(values)
    if view.stated is None or found is None:
        return None
    said = question_says(view.stated, found, tuple(view.values), view.asks_several)
    return "; ".join(view.stated.equations) if said is Stance.CONFIRMS else None


def _wanted(stated: Stated, several: bool) -> tuple[Fraction, ...] | None:
    """The values that are surely asked for; None where that is not clear."""
    first, *others = stated.answers
    if stated.reader == "posed" and len(first) == 1:
        return tuple(dict.fromkeys(row[0] for row in stated.answers))
    if any(not same_answer(row, first) for row in others):
        return None
    return first if len(first) == 1 or several or stated.reader == "posed" else None


MOST: Final = 4
"""How many candidates of the ranking are hypotheses, and beside them the first that the question confirms."""
NAMES: Final = tuple(function.__name__ for function, _ in ANSWER_EVIDENCE)
SIGNS: Final = tuple(sign for _, sign in ANSWER_EVIDENCE)
"""1 for evidence that can only speak for a hypothesis, -1 for what can only speak against it, 0 for either."""


@dataclass(frozen=True)
class Scored:
    """A thread under the weights of both rankings: its view, the contenders best first, and their scores."""

    view: AnalysedThread
    order: tuple[int, ...]
    scores: tuple[float, ...]

    def led_by(self, place: int) -> "Scored":
        """The same with the candidate at a place put first; it takes the score of the first, so that scores fall."""
        rest, scores = self.order[:place] + self.order[place + 1 :], self.scores[:place] + self.scores[place + 1 :]
        return Scored(self.view, (self.order[place], *rest), (self.scores[0], *scores))


def scored(thread: ReadThread, local: Matrix, weights: Matrix) -> Scored:
    """Rank the contenders of a thread; ties go to the smaller set and then to the smaller values."""
    view = analyse_thread(thread, local)
    chosen = contenders(view)
    scores = (thread_rows(view, chosen) @ weights).tolist()
    order = sorted(range(len(chosen)), key=lambda place: (-scores[place], chosen[place]))
    return Scored(view, tuple(chosen[place] for place in order), tuple(scores[place] for place in order))


def hypotheses(found: Scored) -> list[Hypothesis]:
    """The first MOST candidates of a ranking, and the first that the question confirms; none without candidates."""
    says = _said(found)
    confirmed = [place for place, said in enumerate(says) if said is Stance.CONFIRMS]
    places = list(range(min(MOST, len(found.order))))
    places += [place for place in confirmed[:1] if place >= MOST]
    return [
        Hypothesis(found.view, found.order, found.scores, place, says[place], any(one != place for one in confirmed))
        for place in places
    ]


def _said(found: Scored) -> list[Stance]:
    """What the question says of each candidate; SILENT where it was not surely read."""
    question = found.view.question
    if question.stated is None:
        return [Stance.SILENT] * len(found.order)
    given, several = tuple(question.values), question.asks_several
    return [question_says(question.stated, found.view.values_of(one), given, several) for one in found.order]


def evidence_rows(offered: Sequence[Hypothesis]) -> Matrix:
    """A row for each hypothesis of a thread, a column for each of NAMES, on the grid."""
    if not offered:
        return np.zeros((0, len(NAMES)))
    return on_grid([[function(one) for function, _ in ANSWER_EVIDENCE] for one in offered])
