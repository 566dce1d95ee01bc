"""The figures of a corpus by the names that papers have for them, beside what they print."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from evaluation.corpus_figures.paper_figures import CorpusFigures
from evaluation.metrics.proportions import Proportion
from evaluation.published import PublishedFigure, published_figures

_NAMES: Final = {
    "draw": "DRAW", "alg514": "Alg-514", "asdiv": "ASDiv", "mathqa": "MathQA",
    "dolphin": "Dolphin18K", "mawps": "MAWPS", "svamp": "SVAMP",
}  # fmt: skip
_PARTS: Final = {
    ("asdiv", 1218): "ASDiv-A",
    ("dolphin", 976): "Dolphin18K, by hand",
    ("dolphin", 2752): "Dolphin18K, automatic",
}
"""Parts that are known by their records."""


def published_for(figures: CorpusFigures) -> tuple[PublishedFigure, ...]:
    """The published figures of the corpus that these figures are of, beside them."""
    name, values = published_name(figures), values_of(figures)
    return tuple(
        replace(one, here=values[one.label])
        for one in published_figures()
        if one.corpus == name and one.label in values and one.printed[:1].isdigit()
    )


def published_name(figures: CorpusFigures) -> str:
    """What papers call the corpus; empty where they have none of its format."""
    return _PARTS.get((figures.origin, figures.records), _NAMES.get(figures.origin, ""))


def values_of(figures: CorpusFigures) -> Mapping[str, str]:
    """Our figures by their labels, shares with n and interval."""
    identical = Proportion(round(figures.diversity.identical_share * figures.with_text), figures.with_text)
    wrong = Proportion(figures.consistent.n - figures.consistent.hits, figures.consistent.n)
    bare = Proportion(figures.with_equations.n - figures.with_equations.hits, figures.with_equations.n)
    found = {
        "problems": str(figures.problems),
        "solution types": str(len(figures.kinds)),
        "templates before reconciliation": str(figures.templates_before),
        "templates": str(figures.templates),
        "ambiguous alignment": str(figures.ambiguous),
        "problems without equations": f"{bare.hits}: {bare}",
        "linear problems": f"{figures.linear.hits}: {figures.linear}",
        "templates of linear problems": str(figures.linear_templates),
        "CLD": "n/a" if figures.diversity.cld is None else f"{figures.diversity.cld:.3f} (N={figures.diversity.n})",
        "identical texts": str(identical),
        "formulas that contradict the answer": str(wrong),
    }
    for share in (*figures.sizes, *figures.bins):
        problems = "problem" if share.label == "1" else "problems"
        found[f"templates of {share.label} {problems}"] = f"{share.templates}, with {share.problems}"
    return found
