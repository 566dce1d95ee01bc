"""Draws the sheet of a version: what a stage decided of its posts, in strata, and a sample of them.

Strata: for answers, the tercile of the confidence and the agreement verdict; for equations, the number of votes and
whether the system is linear; for in_scope, bins of the probability, over posts the stage kept and, as a second
population, over posts it dropped, so that recall can be told as well as precision.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from audits.inspect.problem_groups import ProblemTable
from audits.sheets.audit_sheets import (
    FORMAT,
    STAGES,
    Group,
    Sheet,
    SheetHeader,
    SheetRow,
    StratumHeader,
    check_stage,
    checked_log,
    identified,
    page_of,
    read_sheet,
    save_sheet,
)
from corpus.canonical import sha256_text
from corpus.errors import InputError
from corpus.folders.files import Folder
from corpus.outputs import DROPPED
from corpus.records import Answer, CleanedPost, Post, Problem, TextSpan
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import POSTS, RunRows


@dataclass(frozen=True)
class Draw:
    """What to draw: which stage's decisions, how many rows at most, and the seed of the hash."""

    stage: str
    n: int
    seed: int

    def __post_init__(self) -> None:
        check_stage(self.stage)
        if self.n < 1:
            raise InputError(f"cannot draw {self.n} rows; give --n of at least 1")


@dataclass(frozen=True)
class Unit:
    """One decision to be judged: what was claimed of a post, and the characters the claim rests on."""

    post_id: str
    stratum: str
    group: Group
    question: str = ""
    values: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    answers: tuple[Answer, ...] = ()
    spans: tuple[TextSpan, ...] = ()


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


def stratified(units: Sequence[Unit], n: int, seed: int) -> tuple[list[Unit], list[StratumHeader]]:
    """Draw up to ``n`` units; returns them in the order of their hashes, and every stratum with its sizes."""
    strata: dict[str, list[Unit]] = {}
    for unit in sorted(units, key=lambda unit: draw_order(seed, unit.post_id)):
        strata.setdefault(unit.stratum, []).append(unit)
    sizes = allocate({name: len(strata[name]) for name in sorted(strata)}, n)
    chosen = [unit for name in sorted(strata) for unit in strata[name][: sizes[name]]]
    drawn = [
        StratumHeader(stratum=name, group=units[0].group, population=len(units), sampled=sizes[name])
        for name, units in sorted(strata.items())
    ]
    return sorted(chosen, key=lambda unit: draw_order(seed, unit.post_id)), drawn


BINS = (0.1, 0.3, 0.5, 0.7, 0.9)
MANY_VOTES = 4


def tercile_cuts(values: Sequence[float]) -> tuple[float, float]:
    """Bounds of the lowest and the middle third; equal values always fall on the same side.

    >>> tercile_cuts([0.9, 0.1, 0.5])
    (0.1, 0.5)
    """
    ordered = sorted(values)
    return ordered[(len(ordered) - 1) // 3], ordered[2 * (len(ordered) - 1) // 3]


def _tercile(value: float, cuts: tuple[float, float]) -> str:
    return "low" if value <= cuts[0] else "middle" if value <= cuts[1] else "high"


def answer_units(_rows: RunRows, problems: ProblemTable) -> list[Unit]:
    """The answers of a version's problems, by post and stratum alone."""
    found = problems.columns("post_id", "answer_confidence", "agreement")
    cuts = tercile_cuts([confidence for _, confidence, _ in found])
    return [
        Unit(post_id, f"confidence {_tercile(confidence, cuts)}, {agreement}", Group.KEPT)
        for post_id, confidence, agreement in found
    ]


def equation_units(_rows: RunRows, problems: ProblemTable) -> list[Unit]:
    """The equation systems of a version's problems, where they have one, by post and stratum alone."""
    units = []
    for post_id, equations, linear, votes in problems.columns("post_id", "equations", "linear", "votes"):
        if equations is None:
            continue
        shape = {True: "linear", False: "not linear", None: "linear unknown"}[linear]
        count = f"{MANY_VOTES} or more" if len(votes) >= MANY_VOTES else str(len(votes))
        units.append(Unit(post_id, f"votes {count}, {shape}", Group.KEPT))
    return units


def probability_bin(value: float) -> str:
    """The bin of a probability, as text.

    >>> probability_bin(0.3), probability_bin(1.0)
    ('0.3 to 0.5', '0.9 to 1')
    """
    ends = (0.0, *BINS, 1.0)
    place = sum(value >= bound for bound in BINS)
    return f"{ends[place]:g} to {ends[place + 1]:g}"


def scope_units(rows: RunRows, _problems: ProblemTable) -> list[Unit]:
    """The decisions of stage classify, over posts it kept and posts it dropped."""
    units = []
    kept = rows.table("classify", columns=["post_id", "probability"])
    for post_id, probability in zip(*(column.to_pylist() for column in kept.columns), strict=True):
        facts = {"decision": "one elementary problem", "probability": f"{probability:.3f}"}
        units.append(
            Unit(post_id, f"kept, probability {probability_bin(probability)}", Group.KEPT, "", ("in scope",), facts)
        )
    for row in rows.table("classify", name=DROPPED).to_pylist():
        score = row["score"] or 0.0
        facts = {"decision": f"dropped, {row['reason']}", "probability": f"{score:.3f}", "why": row["detail"]}
        stratum = f"dropped, probability {probability_bin(score)}"
        units.append(Unit(row["post_id"], stratum, Group.DROPPED, "", ("out of scope",), facts))
    return units


POPULATIONS: Mapping[str, Callable[[RunRows, ProblemTable], list[Unit]]] = {
    "answers": answer_units,
    "equations": equation_units,
    "in_scope": scope_units,
}


def sample(workspace: Workspace, version: Version, draw: Draw) -> tuple[list[Unit], list[StratumHeader]]:
    """The sample of a version: units complete with their posts' answers, and the strata.

    All units are looked at by a few columns; only those drawn are read whole. Raises InputError where the version has
    nothing to judge, VersionError if its run is not in the data folder.
    """
    rows, problems = RunRows.of(workspace, version), ProblemTable.of(version)
    units = POPULATIONS[draw.stage](rows, problems)
    if not units:
        raise InputError(f"{version.label} has nothing to audit at stage {draw.stage}; choose another stage or version")
    chosen, strata = stratified(units, draw.n, draw.seed)
    return whole_units(draw.stage, chosen, rows, problems), strata


def whole_units(stage: str, units: Sequence[Unit], rows: RunRows, problems: ProblemTable) -> list[Unit]:
    """Units with all that a person needs to judge them: what the stage said, the question and the answers."""
    told = _with_questions(units, rows) if stage == "in_scope" else _with_problems(stage, units, problems)
    return _with_posts(told, rows)


def _with_questions(units: Sequence[Unit], rows: RunRows) -> list[Unit]:
    cleaned = rows.records("clean", CleanedPost, [unit.post_id for unit in units])
    return [replace(unit, question=cleaned[unit.post_id].question) for unit in units]


def _with_problems(stage: str, units: Sequence[Unit], problems: ProblemTable) -> list[Unit]:
    names = dict(problems.columns("post_id", "problem_id"))
    found = problems.problems([names[unit.post_id] for unit in units])
    return [_with_problem(stage, unit, problem) for unit, problem in zip(units, found, strict=True)]


def _with_problem(stage: str, unit: Unit, problem: Problem) -> Unit:
    facts = {
        "answer": ", ".join(problem.answer_exact),
        "confidence": f"{problem.answer_confidence:.3f}",
        "agreement": problem.agreement,
        "equations": "; ".join(problem.equations or ()) or "none",
        "solutions": problem.solutions_text(),
    }
    if problem.asked is not None:
        facts["asked"] = ", ".join(problem.asked)
    answers = stage == "answers"
    values = problem.answer_exact if answers else problem.equations or ()
    spans = problem.answer_spans if answers else problem.equation_spans
    return replace(unit, question=problem.question, values=values, facts=facts, spans=spans)


def _with_posts(units: Sequence[Unit], rows: RunRows) -> list[Unit]:
    posts = rows.records(POSTS, Post, [unit.post_id for unit in units])
    return [
        replace(unit, url=post.url, question=unit.question or post.question, answers=post.answers)
        for unit, post in ((unit, posts[unit.post_id]) for unit in units)
    ]


def sheet_name(version: Version, draw: Draw) -> str:
    """The file name of a sheet, without its ending."""
    return f"{version.name}-{version.version_id}-{draw.stage}-n{draw.n}-seed{draw.seed}"


def write_sample(workspace: Workspace, version: Version, draw: Draw, folder: Path) -> tuple[Path, Sheet]:
    """Draw a sample and write ``<name>.jsonl`` and ``<name>.html``; a sheet that is there already stays as it is.

    Raises InputError for a stage that cannot be audited, for a version with nothing to judge, and for a file in the
    way that is not this sheet.
    """
    units, strata = sample(workspace, version, draw)
    sheet = make_sheet(version.label, draw, units, strata)
    path = folder / f"{sheet_name(version, draw)}.jsonl"
    if path.exists():
        held = read_sheet(path)
        if held.header.sheet_id != sheet.header.sheet_id:
            raise InputError(f"{path} is sheet {held.header.sheet_id}, not {sheet.header.sheet_id}; move it away")
        sheet = held
    else:
        sheet = sheet.showing(checked_log(sheet, path))
        save_sheet(sheet, path)
    Folder.at(folder).write(path.with_suffix(".html").name, page_of(sheet).encode("utf-8"))
    return path, sheet


def make_sheet(version: str, draw: Draw, units: Sequence[Unit], strata: Sequence[StratumHeader]) -> Sheet:
    """A sheet without verdicts."""
    rows = tuple(
        SheetRow(row=number, **{name: value for name, value in vars(unit).items() if name != "group"})
        for number, unit in enumerate(units, start=1)
    )
    header = SheetHeader(
        format=FORMAT,
        sheet_id="",
        version=version,
        stage=draw.stage,
        n=draw.n,
        seed=draw.seed,
        question=STAGES[draw.stage].question,
        strata=tuple(strata),
    )
    return identified(header, rows)
