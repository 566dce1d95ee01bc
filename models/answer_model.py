"""The answer model: which numbers of a thread are its answer, and how sure that is (Dolphin18K, section 3.2).

Four linear parts. The first scores each mention by the words and signs around it; the ranking SVM (Herbrich et al.)
orders the candidates by evidence that follows from these scores and from the systems; a logistic function of the
evidence of the first, its score and its lead is its probability; another one says how likely a system is beside it.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from math import exp, fsum, log
from typing import Any, Final, NamedTuple

from extractors.answers.answer_candidates import Mention, Role
from extractors.real_numbers.values import format_value
from models.gold_values import hold
from models.hypotheses import BOUND, NAMES, WeighedThread, evidence_rows
from models.linear import Matrix, NamedLogistic, odds, on_grid
from models.mention_words import MentionRow, mention_words
from models.read_threads import NOTHING, ReadThread, Solved, analyse_thread

SYSTEM_NAMES: Final = ("system_odds", "odds_of_its_answer", "gives_the_answer")
SYSTEM_SIGNS: Final = (1, 1, 1)


def system_rows(solved: Solved, values: Sequence[Fraction], confidence: float) -> Matrix:
    """A row for each of ``solved.systems``, a column for each of SYSTEM_NAMES, on the grid.

    They are the log odds of the system by itself; whether it gives the answer that is read, ``values``; and, where it
    does, the log odds of this.
    """
    rows = []
    for chance, solutions in solved.systems:
        gives = bool(values) and hold(solutions, values)
        rows.append((odds(chance), odds(confidence) * gives, float(gives)))
    return on_grid(rows).reshape(len(rows), len(SYSTEM_NAMES))


RANKED: Final = 5
MANY_DECIMALS: Final = 10**9
"""A denominator of this size is that of a decimal."""
LONE_LEAD: Final = 5.0
"""How far the only candidate of a thread is ahead."""
CONFIDENCE_NAMES: Final = ("score", "lead", "log_share", *NAMES)
ANSWER_PARTS: Final = {"ranking": NAMES, "confidence": CONFIDENCE_NAMES, "systems": SYSTEM_NAMES}
"""The parts of a model with a fixed number of features, and the names of these."""


@dataclass(frozen=True, slots=True)
class NumberSpan:
    """Where a value of the answer stands: characters ``[start, end)`` of answer number ``answer`` as it was posted."""

    answer: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the model makes of a thread; ``values`` is the first of ``ranked`` and empty if there are no candidates.

    ``ranked`` holds at most five candidates with their scores, best first. ``spans`` shows the values where they are
    claimed. ``bounds`` says what the bounds on candidates left out. ``threshold`` is the confidence from which the
    model returns an answer.
    """

    values: tuple[str, ...]
    confidence: float
    ranked: tuple[tuple[tuple[str, ...], float], ...]
    spans: tuple[NumberSpan, ...]
    bounds: tuple[str, ...] = ()
    threshold: float = 1.0

    def sure(self, least: float | None = None) -> bool:
        """Whether the confidence reaches ``least``: that of a build, or for None the model's threshold."""
        return bool(self.ranked) and self.confidence >= (self.threshold if least is None else least)


class Ordered(NamedTuple):
    """The candidates of a thread, best first, with their scores, and the evidence of the first beside its score, its
    lead and the logarithm of its share of the odds."""

    order: tuple[int, ...]
    scores: tuple[float, ...]
    row: Matrix


def weighed(read: ReadThread, words: Sequence[Sequence[MentionRow]], part: NamedLogistic) -> WeighedThread:
    """A thread with the scores of its mentions, which have these words."""
    scores = [[max(-BOUND, min(BOUND, part.score(row))) for row in rows] for rows in words]
    return WeighedThread(read, scores)


def ordered(rows: Matrix, weights: Matrix) -> Ordered | None:
    """The order of candidates with this evidence; ties go to the smaller set. None without candidates."""
    if not len(rows):
        return None
    found = (rows @ weights).tolist()
    order = sorted(range(len(found)), key=lambda place: (-found[place], place))
    scores = [found[place] for place in order]
    lead = scores[0] - scores[1] if len(scores) > 1 else LONE_LEAD
    share = -log(fsum(exp(score - scores[0]) for score in scores))
    return Ordered(tuple(order), tuple(scores), on_grid([scores[0], lead, share, *rows[order[0]]]))


@dataclass(frozen=True)
class AnswerModel:
    """The weights of the words and signs of mentions, of the ranking, of the probability and of systems beside the
    answer; and from which probability on an answer, and a system, is returned."""

    words: NamedLogistic
    ranking: NamedLogistic
    confidence: NamedLogistic
    systems: NamedLogistic
    threshold: float
    system_threshold: float
    notes: dict[str, str]

    def system_chances(self, rows: Matrix) -> list[float]:
        """How likely each of the systems with these ``system_rows`` is right."""
        return self.systems.head(SYSTEM_NAMES).probability(rows).tolist()  # type: ignore[no-any-return]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "AnswerModel":
        """A model from plain data; KeyError, TypeError or ValueError for data of another shape."""
        words = NamedLogistic.from_dict(data["words"])
        ranked, sure, systems = (NamedLogistic.from_dict(data[name], names) for name, names in ANSWER_PARTS.items())
        thresholds = float(data["threshold"]), float(data["system_threshold"])
        return cls(words, ranked, sure, systems, *thresholds, dict(data["notes"]))

    def rank(self, question: str, answers: Sequence[str], solved: Solved = NOTHING) -> Ranking:
        """Rank the candidates of a thread.

        ``question`` is the cleaned question, ``answers`` the texts as posted, ``solved`` what its systems come to.
        """
        return self.rank_read(analyse_thread(question, answers, solved))

    def rank_read(self, read: ReadThread) -> Ranking:
        """Rank the candidates of a thread that is read already."""
        thread = weighed(read, mention_words(read), self.words)
        found, bounds = ordered(evidence_rows(thread), self.ranking.head(NAMES).weights), read.found.bounds
        if found is None:
            return Ranking((), 0.0, (), (), bounds)
        ranked = tuple(
            (_ordered_values(thread, candidate), score)
            for candidate, score in zip(found.order[:RANKED], found.scores, strict=False)
        )
        chance = float(self.confidence.head(CONFIDENCE_NAMES).probability(found.row[None, :])[0])
        return Ranking(ranked[0][0], chance, ranked, _spans(thread, found.order[0]), bounds, self.threshold)


def _shown(thread: WeighedThread, answer: int, candidate: int) -> list[Mention]:
    """One mention of each member that an answer states, in the order of the text.

    It is the last of those that are no operands, and a number rather than the letter of an option.
    """
    view = thread.read.answers[answer]
    mentions, chosen = view.mentions, []
    for value in dict.fromkeys(thread.read.found.candidates[candidate].values):
        places = view.by_value.get(value)
        if places is None:
            continue
        chosen.append(max(places, key=lambda place: (*_worth_showing(mentions[place]), place)))
    return [mentions[place] for place in sorted(chosen)]


def _worth_showing(mention: Mention) -> tuple[bool, bool]:
    return mention.role is not Role.OPERAND, mention.number.kind != "option"


def _ordered_values(thread: WeighedThread, candidate: int) -> tuple[str, ...]:
    """The values in the order in which the text states them, those that only equations give after them."""
    answer = thread.best_shown[candidate].answer
    shown = [mention.value for mention in _shown(thread, answer, candidate)]
    members = thread.read.found.candidates[candidate].values
    in_order = sorted(members, key=lambda index: (shown.index(index) if index in shown else len(shown), index))
    return tuple(_written(thread.read.found.values[index]) for index in in_order)


def _written(value: Fraction) -> str:
    """A rational as it is; the many decimals of an irrational solution as decimals."""
    if value.denominator < MANY_DECIMALS:
        return str(value)
    return format_value(Decimal(value.numerator) / Decimal(value.denominator))


def _spans(thread: WeighedThread, candidate: int) -> tuple[NumberSpan, ...]:
    """Where the answers that claim a candidate state its values; where none claims it, the one that shows it best."""
    answers = [answer for answer, claim in enumerate(thread.claims) if claim == candidate]
    spans = []
    for answer in answers or [thread.best_shown[candidate].answer]:
        read = thread.read.answers[answer]
        spans += [NumberSpan(answer, *read.source_span(mention)) for mention in _shown(thread, answer, candidate)]
    return tuple(spans)
