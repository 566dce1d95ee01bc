"""What a question, surely read (``extractors.questions.stated``), says of the values of an answer."""

from collections.abc import Sequence
from fractions import Fraction

from extractors.equations.given import Stance, same_size, stance
from extractors.questions.stated import Stated
from models.analysed_question import analyse_question
from models.gold_values import gold_values, same_answer, same_value


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
