"""The gate: what the verdicts so far decide, in words, in the manifest, and as rows that are still asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audits.acceptance.betting import GateDecision, JudgedRound, decision, most_wrong
from audits.acceptance.plan_verdicts import verdicts_of, whole_rounds
from audits.acceptance.plans import GatePlan
from audits.acceptance.sizing import more_rows
from audits.sheets.audit_sheets import Verdict
from corpus.gate_verdicts import GATE, METHOD, floored

HUNDRED = 100


@dataclass(frozen=True)
class GateReport:
    """What a plan's verdicts decide.

    ``counted`` rows are those of whole rounds, of which ``right`` are right and ``unsure`` were called unsure (they
    count as wrong); ``open`` rows of its sheets have no verdict yet, ``wanted`` more rows are asked for beyond them.
    ``estimate`` and ``low`` are the precision weighted back to the population, and its lower bound.
    """

    plan: GatePlan
    verdict: GateDecision
    counted: int
    right: int
    unsure: int
    open: int
    wanted: int
    estimate: float | None
    low: float

    def text(self) -> str:
        """The report in plain lines."""
        plan = self.plan
        asked = (
            f"precision at least {_percent(plan.min_precision)}, error at most {_percent(plan.error)} over all looks"
        )
        lines = [
            f"Gate of {plan.version}, stage {plan.stage}: {asked}",
            f"{self.counted} rows of {plan.population} counted: {self.right} right, {self.counted - self.right} wrong "
            f"(of these {self.unsure} unsure); {self.open} rows on sheets without a verdict",
            f"precision {self.range_text}",
            self.sentence,
        ]
        return "\n".join(lines)

    @property
    def accepted(self) -> bool:
        """Whether the bound holds."""
        return self.verdict is GateDecision.ACCEPTED

    @property
    def range_text(self) -> str:
        """Estimate and lower bound."""
        if self.estimate is None:
            return "not known yet"
        return f"{_percent(self.estimate)}, at least {floored(HUNDRED * self.low, 2):g} %"

    @property
    def sentence(self) -> str:
        """The decision in one line: what it is, and what to do next."""
        plan = self.plan
        where = f"{plan.version}, stage {plan.stage}"
        if self.accepted:
            return f"accepted: {where}, after {self.counted} rows"
        if self.verdict is GateDecision.REFUSED:
            return (
                f"refused: {where}, has a precision below {_percent(plan.min_precision)} after {self.counted} rows; "
                "mend the stage and build again"
            )
        if self.open:
            return (
                f"not decided: {where}: {self.open} rows of {plan.sheets[-1].file} have no verdict; judge them with "
                "wordquarry sheet serve, then ask again"
            )
        return (
            f"not decided: {where}: {self.wanted} more rows are needed if it goes on like this; write them with "
            f"wordquarry gate plan {plan.version} --stage {plan.stage}"
        )

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        return {**self.as_audit(), "open": self.open, "wanted": self.wanted}

    def as_audit(self) -> dict[str, Any]:
        """The report as it stands in a version's manifest."""
        plan = self.plan
        return {
            "kind": GATE,
            "sheet_id": plan.plan_id,
            "version": plan.version,
            "stage": plan.stage,
            "verdict": self.verdict,
            "min_precision": plan.min_precision,
            "error": plan.error,
            "population": plan.population,
            "precision": {
                "hits": self.right,
                "n": self.counted,
                "value": None if self.estimate is None else round(self.estimate, 6),
                "low": floored(self.low, 6),
                "high": 1.0,
            },
            "unsure": self.unsure,
            "method": METHOD,
        }


def _percent(share: float) -> str:
    return f"{round(HUNDRED * share, 2):g} %"


def judge(plan: GatePlan, folder: Path, copies: tuple[Path, ...] = ()) -> GateReport:
    """What the verdicts on a plan's sheets decide; InputError for sheets that cannot be used."""
    verdicts = verdicts_of(plan, folder, copies)
    rounds = whole_rounds(plan, verdicts)
    terms = plan.terms
    verdict = decision(rounds, terms.population, terms.min_precision, terms.error)
    rows = [name for one in plan.rounds[: len(rounds)] for name, _ in one.rows]
    still = sum(name not in verdicts for one in plan.rounds for name, _ in one.rows)
    return GateReport(
        plan=plan,
        verdict=verdict,
        counted=len(rows),
        right=sum(one.right for one in rounds),
        unsure=sum(verdicts[name] is Verdict.UNSURE for name in rows),
        open=still,
        wanted=0 if verdict is not GateDecision.MORE or still else more_rows(terms, rounds, plan.expected),
        estimate=weighted_estimate(rounds, terms.population),
        low=1 - most_wrong(rounds, terms.population, terms.error) / terms.population,
    )


def weighted_estimate(rounds: list[JudgedRound], population: int) -> float | None:
    """The precision weighted back to the population: each round's estimate of all wrong rows, weighted by its rows.

    A row stands for its block, and rows of earlier rounds for themselves.

    >>> from audits.acceptance.betting import Blocks
    >>> weighted_estimate([JudgedRound(10, (Blocks(2, 1, 1), Blocks(3, 2, 0)))], 10)
    0.8
    """
    found, drawn, total = 0, 0, 0.0
    for one in rounds:
        total += one.rows * (found + sum(blocks.size * blocks.wrong for blocks in one.blocks))
        found, drawn = found + one.wrong, drawn + one.rows
    return 1 - total / drawn / population if drawn else None
