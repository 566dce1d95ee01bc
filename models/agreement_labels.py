"""Labels without a person: threads in which the equations and the closing values agree, each for itself.

Two answers or more close with the same values, more than with any others, and the likeliest system has just these
values among its solutions. Either can be wrong; that both are, and the same, is rare.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from corpus.records import Label
from models.answer_training import SolveThread
from models.gold_values import same_value
from models.label_split import LabelledThread
from models.read_threads import ReadThread, read_thread

MIN_VOTES = 2
LIKELY = 0.5
"""A system that is less likely confirms nothing."""


def agreed_threads(posts: Iterable[tuple[str, str, Sequence[str]]], solve: SolveThread) -> list[LabelledThread]:
    """Of threads ``(post_id, question, answers)`` those that label themselves, with that label, by post id."""
    found = []
    for post_id, question, answers in sorted(posts):
        solved = solve(question, answers)
        sure = max((chance for chance, _ in solved.systems), default=0.0) >= LIKELY
        values = agreed_values(read_thread(question, answers, solved)) if sure else None
        if values is not None:
            gold = tuple(str(value) for value in values)
            label = Label(post_id=post_id, in_scope=True, scope_reason="ok", gold_answer=gold)
            found.append(LabelledThread(post_id, question, tuple(answers), label))
    return found


def agreed_values(read: ReadThread) -> tuple[Fraction, ...] | None:
    """The values on which the closing statements and the solutions of a thread agree, ascending; None without such."""
    closings = Counter(closing for view in read.analysed if (closing := _closing(read, view.conclusions)))
    ranked = closings.most_common(2)
    if not ranked or ranked[0][1] < MIN_VOTES or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return None
    values = ranked[0][0]
    return values if any(_among(values, solution) for solution in read.solved.likeliest) else None


def _closing(read: ReadThread, conclusions: Sequence[int]) -> tuple[Fraction, ...]:
    """The last values of an answer that are no operands, as many as the question asks for; none if there are fewer."""
    last = conclusions[: read.question.asked_size]
    return tuple(sorted(read.found.values[index] for index in last)) if len(last) == read.question.asked_size else ()


def _among(values: Sequence[Fraction], solution: Sequence[Fraction]) -> bool:
    return all(any(same_value(value, other) for other in solution) for value in values)
