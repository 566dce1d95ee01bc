"""Reading of threads that were written in the manner of real sources before the reader saw them.

Every thread has the batch it was written in; between two batches the reader was mended on classes of failure, so the
table holds development figures. A trap is a thread with a tempting wrong value, or without a gold answer (``no_gold``
says why: whatever is returned for it is wrong); most of them show nothing right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.gold_threads.gold_posts import is_right
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_lines
from evaluation.metrics.value_matching import gold_alternatives
from models.shipped import read_thread

PRECISION, RECALL = 96.0, 75.0
"""Asked of real posts at one vote, in percent; recall is of the posts whose answers show equations."""


@dataclass(frozen=True)
class Outcome:
    """What the reader made of a thread."""

    record: dict[str, Any]
    returned: bool
    right: bool
    note: str | None

    @property
    def shows(self) -> bool:
        """Whether an answer shows equations from which the gold answer follows."""
        return bool(self.record["shows_equations"])


def thread_outcome(record: dict[str, Any], min_votes: int = 1) -> Outcome:
    """Reads one thread; right by the rule of ``gold_posts``, and never where there is no gold answer."""
    texts = [answer["text"] for answer in record["answers"]]
    found = read_thread(record["question"], texts, min_votes)
    gold = record["gold_answer"]
    right = found.equations is not None and gold is not None and is_right(found, gold_alternatives(gold))
    note = "the likeliest system is not likely enough" if found.probability > 0 else found.note
    return Outcome(record, found.equations is not None, right, note)


def authored_reading(path: Path) -> ReadingReport:
    """The table over a file of threads: precision and recall by batch and by style at one vote, failures by class."""
    records = read_lines(path)
    outcomes = [thread_outcome(record) for record in records]
    shares = [*_pair("all", outcomes, asked=True)]
    for batch in sorted({record["batch"] for record in records}):
        shares += _pair(f"batch {batch}", [o for o in outcomes if o.record["batch"] == batch])
    for style in sorted({record["style"] for record in records}):
        shares += _pair(style, [o for o in outcomes if o.record["style"] == style])
    fair = [o for o in outcomes if not o.record["trap"]]
    shares += _pair("no traps", fair)
    empty = [o for o in outcomes if o.record["trap"] and not o.shows]
    shares.append(Share("nothing returned, traps", Proportion(sum(not o.returned for o in empty), len(empty))))
    several = [thread_outcome(o.record, 2) for o in outcomes if len(o.record["answers"]) > 1]
    shares += _pair("two votes, two answers or more", several)
    return ReadingReport(
        "Threads in the manner of real posts, one vote",
        "Right: the gold answer is within the solutions. Precision is over what was returned, recall over the threads "
        "whose answers show equations.",
        tuple(shares),
        tuple(_failures(outcomes)),
    )


def _pair(name: str, outcomes: Sequence[Outcome], *, asked: bool = False) -> list[Share]:
    returned, showing = [o for o in outcomes if o.returned], [o for o in outcomes if o.shows]
    precision = Proportion(sum(o.right for o in returned), len(returned))
    recall = Proportion(sum(o.right for o in showing), len(showing))
    return [
        Share(f"precision, {name}", precision, PRECISION if asked else None),
        Share(f"recall, {name}", recall, RECALL if asked else None),
    ]


def _failures(outcomes: Iterable[Outcome]) -> Iterable[Failure]:
    for outcome in outcomes:
        if outcome.returned and not outcome.right:
            reason = outcome.record.get("known_failure", "unknown")
            yield Failure(outcome.record["id"], f"wrong: {reason}", outcome.record["topic"])
        elif outcome.shows and not outcome.right:
            yield Failure(outcome.record["id"], f"nothing: {outcome.note}", outcome.record["topic"])
