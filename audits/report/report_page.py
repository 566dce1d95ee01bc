"""One self-contained HTML page about a version: funnel, quality, audits, figures, and problems with their evidence."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.evidence import EvidenceMark, answer_marks, question_marks, segments
from audits.rendering import render
from audits.sheets.sheet_page import web_address
from corpus.canonical import sha256_text
from corpus.errors import VersionError
from corpus.files import Folder
from corpus.gate_verdicts import audit_lines
from corpus.manifest import last_retrieval
from corpus.records import Dropped, Post, Problem
from corpus.versions import Version
from corpus.workspace import Workspace
from curation.run_rows import RunRows
from curation.stages.registry import STAGES
from evaluation.corpus_figures.comparison import Comparison, stats
from evaluation.metrics.gold_scores import AnswerScore, QualityReport

EXAMPLES = 6
TEXT_LIMIT = 1_500
PROBES_UP_TO = 1_000
"""Problems up to which the page shows what shallow probes solve, which takes ten seconds then."""


def funnel_bars(funnel: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The funnel with a bar for each stage: what it kept and what it dropped, in percent of the widest stage."""
    widest = max((row["in"] for row in funnel), default=0) or 1
    return [
        {
            **row,
            "bar": round(100 * row["kept"] / widest, 1),
            "rest": round(100 * sum(row["dropped"].values()) / widest, 1),
        }
        for row in funnel
    ]


def _cut(text: str, marks: Sequence[EvidenceMark]) -> Any:
    parts = segments(text[:TEXT_LIMIT], marks)
    return parts if len(text) <= TEXT_LIMIT else (*parts, *segments(" …", ()))


def example(problem: Problem, post: Post | None) -> dict[str, Any]:
    """A problem as the page shows it: question with its numbers, answers with what was read from them."""
    answers = []
    for answer in post.answers if post else ():
        marks = answer_marks(problem, answer.answer_id)
        answers.append({"id": answer.answer_id, "best": answer.is_best, "segments": _cut(answer.text, marks)})
    facts = {
        "answer": f"{', '.join(problem.answer_exact)} (confidence {problem.answer_confidence:.3f})",
        "solution": problem.solutions_text(),
        **({} if problem.asked is None else {"asked": ", ".join(problem.asked)}),
        "agreement": problem.agreement,
        "split": problem.split,
        "license": problem.license or "not stated",
    }
    return {
        "title": problem.problem_id,
        "post_id": problem.post_id,
        "url": web_address(problem.url),
        "question": _cut(problem.question, question_marks(problem)),
        "answers": answers,
        "facts": facts,
        "system": problem.equations or (),
        "template": problem.template or (),
    }


def _dropped_examples(rows: RunRows) -> list[dict[str, Any]]:
    """For each stage and reason one dropped post, the one whose id hashes lowest."""
    chosen: dict[tuple[int, str], tuple[str, Dropped]] = {}
    for place, stage in enumerate(STAGES):
        for row in rows.dropped(stage.name):
            held = chosen.get((place, row.reason))
            rank = sha256_text(row.post_id)
            if held is None or rank < held[0]:
                chosen[place, row.reason] = (rank, row)
    found = []
    for place, reason in sorted(chosen):
        row = chosen[place, reason][1]
        post = rows.post(row.post_id)
        text = segments((post.question if post else "")[:300], ())
        found.append({"stage": STAGES[place].name, "reason": reason, "row": row, "question": text})
    return found


def _rows_of(workspace: Workspace, version: Version) -> RunRows | None:
    try:
        return RunRows.of(workspace, version)
    except VersionError:
        return None


def report_html(workspace: Workspace, version: Version, quality: Sequence[QualityReport] = ()) -> str:
    """The page's HTML. A version without its run's record is shown without posts and dropped examples."""
    rows = _rows_of(workspace, version)
    problems = sorted(version.problems(), key=lambda problem: sha256_text(problem.problem_id))
    with_evidence = [problem for problem in problems if problem.equations] or problems
    examples = [example(problem, rows.post(problem.post_id) if rows else None) for problem in with_evidence[:EXAMPLES]]
    comparison = Comparison((stats(version, probed=len(problems) <= PROBES_UP_TO),))
    return render(
        "report.html",
        version=version,
        manifest=version.manifest,
        title=version.label,
        funnel=funnel_bars(version.manifest["funnel"]),
        quality=[(report, report.tables().items()) for report in quality],
        audits=audit_lines(version.manifest),
        cards=_cards(version, quality),
        sections=[(title, frame.iloc[:, 0].items()) for title, frame in comparison.sections()],
        examples=examples,
        dropped=_dropped_examples(rows) if rows else [],
    )


def _cards(version: Version, quality: Sequence[QualityReport]) -> list[tuple[str, str]]:
    """What a reader asks first: how much there is, how much of it is right, on what terms, and how new it is."""
    manifest = version.manifest
    retrieved = last_retrieval(manifest)
    return [
        (str(manifest["rows"]), f"problems out of {manifest['posts']} posts"),
        _precision(manifest, quality),
        (", ".join(manifest["licenses"]) or "not stated", "license"),
        (retrieved[:10] if retrieved else "not stated", "last post retrieved"),
    ]


def _precision(manifest: Mapping[str, Any], quality: Sequence[QualityReport]) -> tuple[str, str]:
    """The precision of the answers, its interval, and who judged it: people, else gold labels, else nobody yet."""
    audited = [(text, judged) for stage, judged, text in audit_lines(manifest) if stage == "answers"]
    rows = (row for report in quality for row in report.rows if (row.part, row.system) == ("answers", "published"))
    held = [(str(row.score.precision), "gold labels") for row in rows if isinstance(row.score, AnswerScore)]
    for text, judged in [*audited, *held]:
        value, mark, rest = text.partition(" [" if " [" in text else ": ")
        return value, f"{mark.strip(': ')}{rest}, answers by {judged}"
    return "not audited", "precision of the answers"


def write_report(workspace: Workspace, version: Version, path: Path, quality: Sequence[QualityReport] = ()) -> Path:
    """Write the page; StoreError if the place cannot be written."""
    page = report_html(workspace, version, quality)
    Folder.at(path.parent).write(path.name, page.encode("utf-8"))
    return path
