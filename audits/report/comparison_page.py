"""The comparison as one self-contained HTML page with charts drawn as SVG."""

from collections.abc import Sequence
from typing import Any

from audits.rendering import render
from curation.diversity import BINS, DiversityReport
from evaluation.corpus_figures.comparison import PUBLISHED_HEAD, Comparison
from evaluation.corpus_figures.paper_figures import CorpusFigures
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
