"""Self-contained HTML pages: about a version, and about corpora side by side, with charts drawn as SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audits.rendering import EvidenceMark, answer_marks, question_marks, render, segments
from audits.sheets.audit_sheets import web_address
from corpus.canonical import sha256_text
from corpus.errors import VersionError
from corpus.folders.files import Folder
from corpus.outputs import DROPPED
from corpus.records import Post, Problem
from corpus.versioning.gate_verdicts import audit_lines
from corpus.versioning.manifest import last_retrieval
from corpus.versioning.manifest_record import Manifest
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import STAGE_NAMES, RunRows
from curation.near_texts.diversity import BINS, DiversityReport
from evaluation.corpus_figures.comparison import PUBLISHED_HEAD, Comparison, stats
from evaluation.corpus_figures.paper_figures import CorpusFigures
from evaluation.metrics.gold_scores import AnswerScore, QualityReport
from evaluation.solvers.probes import Probes

WIDTH, HEIGHT, FOOT = 300, 120, 22
BAR, LABEL = 18, 104


def _columns(values: Sequence[int], labels: Sequence[str]) -> dict[str, Any]:
    """Upright bars of equal width: geometry in pixels; heights are shares of the highest."""
    highest = max(values, default=0) or 1
    width = WIDTH / max(len(values), 1)
    bars = [
        {
            "x": round(place * width + 1, 1),
            "y": round(HEIGHT * (1 - value / highest), 1),
            "width": round(width - 2, 1),
            "height": round(HEIGHT * value / highest, 1),
            "title": f"{label}: {value}",
        }
        for place, (value, label) in enumerate(zip(values, labels, strict=True))
    ]
    return {"bars": bars, "width": WIDTH, "height": HEIGHT + FOOT, "base": HEIGHT, "highest": highest}


def diversity_chart(report: DiversityReport, measure: str = "LD") -> dict[str, Any]:
    """Problems by lexicon or syntactic diversity, in 20 bins from 0 to 1."""
    labels = [f"{measure} {place / BINS:.2f} to {(place + 1) / BINS:.2f}" for place in range(BINS)]
    return _columns(report.histogram, labels) | {"measure": measure}


def _rows(pairs: Sequence[tuple[str, float, str]], label_width: int = LABEL) -> dict[str, Any]:
    """Lying bars: label, length as a share of 1, and what to write behind."""
    longest = WIDTH - label_width
    bars = [
        {"y": place * BAR, "label": label, "width": round(longest * share, 1), "value": value}
        for place, (label, share, value) in enumerate(pairs)
    ]
    return {"bars": bars, "width": WIDTH + 60, "height": len(bars) * BAR + 4, "label": label_width}


def frequency_chart(figures: CorpusFigures) -> dict[str, Any]:
    """Share of the problems by how often their template occurs (DRAW, Figure 2)."""
    shares = [(one.label, one.problems.value or 0.0) for one in figures.bins]
    return _rows([(label, share, f"{100 * share:.1f} %") for label, share in shares])


def top_chart(figures: CorpusFigures) -> dict[str, Any]:
    """Shares of the most frequent templates; lengths are relative to the most frequent one."""
    shares = [share.value or 0.0 for _, _, share in figures.top_templates]
    most = max(shares, default=0.0) or 1.0
    return _rows([(f"top {n}", share / most, f"{100 * share:.1f} %") for n, share in enumerate(shares, 1)])


def probe_chart(probes: Probes) -> dict[str, Any]:
    """Share of the problems that each shallow probe solves."""
    shares = [(one.name.partition(", numbers")[0], one.proportion.value or 0.0) for one in probes.shares]
    return _rows([(label, share, f"{100 * share:.1f} %") for label, share in shares], 2 * LABEL)


def _mean(name: str, report: DiversityReport) -> str:
    return "" if report.cld is None else f"{name} {report.cld:.3f}, N={report.n}"


def comparison_html(comparison: Comparison) -> str:
    """The page's HTML: charts for each corpus, then the tables."""
    charts = [
        {
            "name": one.name,
            "problems": one.problems,
            "cld": _mean("CLD", one.diversity),
            "sd": _mean("SD", one.syntax),
            "diversity": diversity_chart(one.diversity) if one.diversity.n else None,
            "syntax": diversity_chart(one.syntax, "SD") if one.syntax.n else None,
            "frequency": frequency_chart(one) if one.with_template else None,
            "top": top_chart(one) if one.with_template else None,
            "templates": [text for _, text, _ in one.top_templates],
            "probes": probe_chart(column.probes) if column.probes else None,
        }
        for column in comparison.columns
        for one in (column.figures,)
    ]
    return render(
        "comparison.html",
        title=" · ".join(comparison.names),
        names=comparison.names,
        charts=charts,
        sections=[(title, frame.itertuples(name=None)) for title, frame in comparison.sections()],
        head=PUBLISHED_HEAD,
        published=comparison.published().to_numpy(),
    )


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
    chosen: dict[tuple[int, str], tuple[str, str]] = {}
    for place, stage in enumerate(STAGE_NAMES):
        table = rows.table(stage, name=DROPPED, columns=["post_id", "reason"])
        for post_id, reason in zip(table["post_id"].to_pylist(), table["reason"].to_pylist(), strict=True):
            ranked = (sha256_text(post_id), post_id)
            chosen[place, reason] = min(chosen.get((place, reason), ranked), ranked)
    found = []
    for (place, reason), (_, post_id) in sorted(chosen.items()):
        stage, post = STAGE_NAMES[place], rows.post(post_id)
        text = segments((post.question if post else "")[:300], ())
        found.append({"stage": stage, "reason": reason, "row": rows.drop(stage, post_id), "question": text})
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


def _precision(manifest: Manifest, quality: Sequence[QualityReport]) -> tuple[str, str]:
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
