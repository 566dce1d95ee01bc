"""Draws the sheet of a version: what a stage decided of its posts, in strata, and a sample of them.

Strata: for answers, the tercile of the confidence and the agreement verdict; for equations, the number of votes and
whether the system is linear; for in_scope, bins of the probability, over posts the stage kept and, as a second
population, over posts it dropped, so that recall can be told as well as precision.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from audits.sheets.audit_sheets import checked_log, make_sheet, page_of, read_sheet, save_sheet
from audits.sheets.sampling import Draw, Group, Sampled, Unit, stratified
from corpus.errors import InputError
from corpus.files import Folder
from corpus.records import ClassifiedPost, CleanedPost, Problem, TextSpan
from corpus.versions import Version
from corpus.workspace import Workspace
from curation.run_rows import RunRows

BINS = (0.1, 0.3, 0.5, 0.7, 0.9)
MANY_VOTES = 4


@dataclass(frozen=True)
class DrawnSheet:
    """Where a sheet and its page are, how many rows it has, and how many verdicts it holds already."""

    sheet: Path
    page: Path
    rows: int
    judged: int


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
    if problem.asked is not None:
        facts["asked"] = ", ".join(problem.asked)
    return Unit(problem.post_id, stratum, Group.KEPT, problem.question, values, facts, problem.url, (), tuple(spans))


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
        units.append(Unit(kept.post_id, stratum, Group.KEPT, _question(rows, kept.post_id), ("in scope",), facts))
    for row in rows.dropped("classify"):
        facts = {"decision": f"dropped, {row.reason}", "probability": f"{row.score or 0:.3f}", "why": row.detail}
        stratum = f"dropped, probability {probability_bin(row.score or 0.0)}"
        units.append(Unit(row.post_id, stratum, Group.DROPPED, _question(rows, row.post_id), ("out of scope",), facts))
    return units


def _question(rows: RunRows, post_id: str) -> str:
    cleaned = rows.record("clean", post_id)
    return cleaned.question if isinstance(cleaned, CleanedPost) else ""


POPULATIONS: Mapping[str, Callable[[RunRows, Sequence[Problem]], list[Unit]]] = {
    "answers": answer_units,
    "equations": equation_units,
    "in_scope": scope_units,
}


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


def sheet_name(version: Version, draw: Draw) -> str:
    """The file name of a sheet, without its ending."""
    return f"{version.name}-{version.version_id}-{draw.stage}-n{draw.n}-seed{draw.seed}"


def write_sample(workspace: Workspace, version: Version, draw: Draw, folder: Path) -> DrawnSheet:
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
    page = path.with_suffix(".html")
    Folder.at(folder).write(page.name, page_of(sheet).encode("utf-8"))
    return DrawnSheet(path, page, len(sheet.rows), sum(row.verdict is not None for row in sheet.rows))
