"""Stratified samples of what a stage decided, drawn by hashing so that no order of rows can change them.

Strata: for answers, the tercile of the confidence and the agreement verdict; for equations, the number of votes and
whether the system is linear; for in_scope, bins of the probability, over posts the stage kept and, as a second
population, over posts it dropped, so that recall can be told as well as precision.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from audits.ways import RunRows
from corpus.canonical import sha256_text
from corpus.errors import InputError
from corpus.records import Answer, ClassifiedPost, CleanedPost, Problem, TextSpan
from corpus.versions import Version
from corpus.workspace import Workspace

Group = Literal["kept", "dropped"]
BINS = (0.1, 0.3, 0.5, 0.7, 0.9)
MANY_VOTES = 4


@dataclass(frozen=True)
class Draw:
    """What to draw: which stage's decisions, how many rows at most, and the seed of the hash."""

    stage: str
    n: int
    seed: int

    def __post_init__(self) -> None:
        if self.stage not in POPULATIONS:
            raise InputError(f"cannot audit stage {self.stage!r}; there are: {', '.join(POPULATIONS)}")
        if self.n < 1:
            raise InputError(f"cannot draw {self.n} rows; give --n of at least 1")


@dataclass(frozen=True)
class Unit:
    """One decision to be judged: what was claimed of a post, and the characters the claim rests on."""

    post_id: str
    stratum: str
    group: Group
    question: str
    values: tuple[str, ...]
    facts: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    answers: tuple[Answer, ...] = ()
    spans: tuple[TextSpan, ...] = ()


@dataclass(frozen=True)
class Sampled:
    """A stratum: where it belongs, how many units it has, and how many were drawn."""

    stratum: str
    group: Group
    population: int
    sampled: int


def tercile_cuts(values: Sequence[float]) -> tuple[float, float]:
    """Bounds of the lowest and the middle third; equal values always fall on the same side.

    >>> tercile_cuts([0.9, 0.1, 0.5])
    (0.1, 0.5)
    """
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 3], ordered[2 * (len(ordered) - 1) // 3]


def _tercile(value: float, cuts: tuple[float, float]) -> str:
    return "low" if value <= cuts[0] else "middle" if value <= cuts[1] else "high"


def _from_problem(problem: Problem, stratum: str, values: tuple[str, ...], spans: Sequence[TextSpan]) -> Unit:
    facts = {
        "answer": ", ".join(problem.gold_answer),
        "confidence": f"{problem.answer_confidence:.3f}",
        "agreement": problem.agreement,
        "equations": "; ".join(problem.equations or ()) or "none",
        "solutions": " or ".join(
            ", ".join(f"{one.unknown} = {one.value}" for one in solution.assignments) for solution in problem.solutions
        ),
    }
    return Unit(problem.post_id, stratum, "kept", problem.question, values, facts, problem.url, (), tuple(spans))


def answer_units(_rows: RunRows, problems: Sequence[Problem]) -> list[Unit]:
    """The answers of a version's problems."""
    cuts = tercile_cuts([problem.answer_confidence for problem in problems])
    return [
        _from_problem(
            problem,
            f"confidence {_tercile(problem.answer_confidence, cuts)}, {problem.agreement}",
            problem.gold_answer,
            problem.answer_spans,
        )
        for problem in problems
    ]


def equation_units(_rows: RunRows, problems: Sequence[Problem]) -> list[Unit]:
    """The equation systems of a version's problems, where they have one."""
    units = []
    for problem in problems:
        if problem.equations is None:
            continue
        shape = {True: "linear", False: "not linear", None: "linear unknown"}[problem.linear]
        votes = f"{MANY_VOTES} or more" if len(problem.votes) >= MANY_VOTES else str(len(problem.votes))
        stratum = f"votes {votes}, {shape}"
        units.append(_from_problem(problem, stratum, problem.equations, problem.equation_spans))
    return units


def probability_bin(value: float) -> str:
    """The bin of a probability, as text.

    >>> probability_bin(0.3), probability_bin(1.0)
    ('0.3 to 0.5', '0.9 to 1')
    """
    ends = (0.0, *BINS, 1.0)
    place = sum(value >= bound for bound in BINS)
    return f"{ends[place]:g} to {ends[place + 1]:g}"


def scope_units(rows: RunRows, _problems: Sequence[Problem]) -> list[Unit]:
    """The decisions of stage classify, over posts it kept and posts it dropped."""
    units = []
    for kept in rows.kept("classify", ClassifiedPost):
        facts = {"decision": "one elementary problem", "probability": f"{kept.probability:.3f}"}
        stratum = f"kept, probability {probability_bin(kept.probability)}"
        units.append(Unit(kept.post_id, stratum, "kept", _question(rows, kept.post_id), ("in scope",), facts))
    for row in rows.dropped("classify"):
        facts = {"decision": f"dropped, {row.reason}", "probability": f"{row.score or 0:.3f}", "why": row.detail}
        stratum = f"dropped, probability {probability_bin(row.score or 0.0)}"
        units.append(Unit(row.post_id, stratum, "dropped", _question(rows, row.post_id), ("out of scope",), facts))
    return units


def _question(rows: RunRows, post_id: str) -> str:
    cleaned = rows.record("clean", post_id)
    return cleaned.question if isinstance(cleaned, CleanedPost) else ""


POPULATIONS: Mapping[str, Callable[[RunRows, Sequence[Problem]], list[Unit]]] = {
    "answers": answer_units,
    "equations": equation_units,
    "in_scope": scope_units,
}


def allocate(populations: Mapping[str, int], n: int) -> dict[str, int]:
    """How many rows each stratum gets: half of them spread evenly, the rest by population, all if there are few.

    >>> allocate({"a": 90, "b": 10, "c": 1}, 20)
    {'a': 14, 'b': 5, 'c': 1}
    """
    rows = min(n, sum(populations.values()))
    even = _share_out(rows // 2, populations, dict.fromkeys(populations, 1))
    room = {name: populations[name] - even[name] for name in populations}
    rest = _share_out(rows - sum(even.values()), room, populations)
    return {name: even[name] + rest[name] for name in populations}


def _share_out(rows: int, room: Mapping[str, int], weights: Mapping[str, int]) -> dict[str, int]:
    """Share ``rows`` out by weight without passing any stratum's room; what does not divide goes to the heaviest."""
    given = dict.fromkeys(room, 0)
    while left := rows - sum(given.values()):
        names = sorted((name for name in room if given[name] < room[name]), key=lambda name: (-weights[name], name))
        total = sum(weights[name] for name in names)
        shares = {name: left * weights[name] // total for name in names}
        if not any(shares.values()):
            shares = dict.fromkeys(names[:left], 1)
        for name, share in shares.items():
            given[name] = min(room[name], given[name] + share)
    return given


def draw_order(seed: int, post_id: str) -> str:
    """The key by which units are drawn, and set on the sheet: a hash, so it knows nothing of their order or kind."""
    return sha256_text(f"{seed}\n{post_id}")


def stratified(units: Sequence[Unit], n: int, seed: int) -> tuple[list[Unit], list[Sampled]]:
    """Draw up to ``n`` units; returns them in the order of their hashes, and every stratum with its sizes."""
    strata: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda unit: draw_order(seed, unit.post_id)):
        strata.setdefault(unit.stratum, []).append(unit)
    sizes = allocate({name: len(strata[name]) for name in sorted(strata)}, n)
    chosen = [unit for name in sorted(strata) for unit in strata[name][: sizes[name]]]
    drawn = [Sampled(name, strata[name][0].group, len(strata[name]), sizes[name]) for name in sorted(strata)]
    return sorted(chosen, key=lambda unit: draw_order(seed, unit.post_id)), drawn


def sample(workspace: Workspace, version: Version, draw: Draw) -> tuple[list[Unit], list[Sampled]]:
    """The sample of a version: units complete with their posts' answers, and the strata.

    Raises InputError where the version has nothing to judge, VersionError if its run is not in the data folder.
    """
    rows = RunRows.of(workspace, version)
    problems = sorted(version.problems(), key=lambda problem: problem.post_id)
    units = POPULATIONS[draw.stage](rows, problems)
    if not units:
        raise InputError(f"{version.label} has nothing to audit at stage {draw.stage}; choose another stage or version")
    chosen, strata = stratified(units, draw.n, draw.seed)
    return [_with_post(unit, rows) for unit in chosen], strata


def _with_post(unit: Unit, rows: RunRows) -> Unit:
    post = rows.post(unit.post_id)
    assert post is not None, f"{unit.post_id} came through a stage, so it was among the posts"
    return Unit(**{**vars(unit), "url": post.url, "question": unit.question or post.question, "answers": post.answers})
