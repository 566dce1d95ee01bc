"""The rules of reading and voting, each measured on and off over threads with gold answers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from audits.intervals import Proportion
from audits.matching import RULE
from audits.threads import Thread, is_right
from extractors.equations.rules import DEFAULT_RULES, VoteRules
from extractors.equations.votes import read_thread

ALL_ON, ALL_OFF = "all rules on", "all rules off (plain vote)"


class ThreadSet(NamedTuple):
    """Threads that are measured together, and the votes a system needs there."""

    name: str
    threads: Sequence[Thread]
    min_votes: int


class Outcome(StrEnum):
    """What the equations stage makes of a thread."""

    RIGHT = "right"
    WRONG = "wrong"
    NONE = "none"


@dataclass(frozen=True)
class VoteRow:
    """One set of rules over one set of threads, beside the same threads with all rules on."""

    rules: str
    outcomes: tuple[Outcome, ...]
    usual: tuple[Outcome, ...]

    @property
    def precision(self) -> Proportion:
        """Of the systems returned, the share with the gold answer within the solutions."""
        counts = Counter(self.outcomes)
        return Proportion(counts[Outcome.RIGHT], counts[Outcome.RIGHT] + counts[Outcome.WRONG])

    @property
    def coverage(self) -> Proportion:
        """Of the threads, the share for which a system is returned."""
        return Proportion(len(self.outcomes) - self.outcomes.count(Outcome.NONE), len(self.outcomes))

    def change(self, outcome: Outcome) -> str:
        """How many threads get this outcome only so, and how many only with all rules on: ``+1 -3``, ``=`` for none."""
        pairs = [(own is outcome, usual is outcome) for own, usual in zip(self.outcomes, self.usual, strict=True)]
        more, less = pairs.count((True, False)), pairs.count((False, True))
        return " ".join(f"{sign}{count}" for sign, count in (("+", more), ("-", less)) if count) or "="


@dataclass(frozen=True)
class VotesReport:
    """The rules over several sets of threads, a table each."""

    tables: tuple[tuple[ThreadSet, tuple[VoteRow, ...]], ...]

    def markdown(self) -> str:
        """The tables as Markdown."""
        lines = [
            "## Voting rules",
            "",
            "Every rule of `VoteRules` switched the other way by itself, the others as they are; the last row is the "
            "vote of the paper. Precision: the gold answer is within the solutions "
            f"(values match if {RULE}); coverage: threads with a system, of all threads with a gold answer. "
            "The last two columns compare thread by thread with all rules on: how many become and cease to be right, "
            "and wrong.",
        ]
        for group, rows in self.tables:
            votes = f"{group.min_votes} vote{'s' if group.min_votes > 1 else ''}"
            lines += ["", f"**{group.name}**, {len(group.threads)} threads with a gold answer, {votes}", ""]
            lines += ["| rules | precision | coverage | right | wrong |", "|---|---|---|---|---|", *map(_line, rows)]
        return "\n".join([*lines, ""])


def _line(row: VoteRow) -> str:
    changes = f"{row.change(Outcome.RIGHT)} | {row.change(Outcome.WRONG)}"
    return f"| {row.rules} | {row.precision} | {row.coverage} | {changes} |"


def measured_rules() -> dict[str, VoteRules]:
    """The settings that are compared: the default, each rule the other way, all off (a tolerance: zero)."""
    off = {field.name: Fraction(0) if field.name == "tolerance" else False for field in fields(VoteRules)}
    other = {name: value if getattr(DEFAULT_RULES, name) else True for name, value in off.items()}
    single = {
        f"`{name}` {'on' if value is True else 'off'}": replace(DEFAULT_RULES, **{name: value})  # type: ignore[arg-type]
        for name, value in other.items()
    }
    return {ALL_ON: DEFAULT_RULES, **single, ALL_OFF: VoteRules(**off)}  # type: ignore[arg-type]


def votes(groups: Sequence[ThreadSet]) -> VotesReport:
    """Every setting of the rules over every set of threads."""
    return VotesReport(tuple((group, tuple(_rows(group))) for group in groups))


def _rows(group: ThreadSet) -> list[VoteRow]:
    outcomes = {
        name: tuple(_outcome(t, group.min_votes, rules) for t in group.threads)
        for name, rules in measured_rules().items()
    }
    return [VoteRow(name, own, outcomes[ALL_ON]) for name, own in outcomes.items()]


def _outcome(thread: Thread, min_votes: int, rules: VoteRules) -> Outcome:
    found = read_thread(thread.question, thread.answers, min_votes, rules)
    if found.equations is None:
        return Outcome.NONE
    return Outcome.RIGHT if is_right(found, thread.gold) else Outcome.WRONG
