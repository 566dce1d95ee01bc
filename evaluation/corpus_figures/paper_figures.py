"""The figures that papers print of a corpus, from any corpus.

Dolphin18K Tables 2 to 4 (problems, templates, templates by size, words and sentences), DRAW (Upadhyay and Chang 2015)
Figure 2 (how many problems fall on frequent and on rare templates), ASDiv section 3 (lexicon diversity, identical
problems, formulas that contradict their answers), Annotating Derivations Table 2 (templates before and after
reconciliation, problems with an ambiguous alignment).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from curation.near_texts.diversity import DiversityReport
from curation.rules import license_counts
from evaluation.corpus_figures.diversities import KindDiversity, diversities_of
from evaluation.gold_corpora.gold_labels import GoldAgreement, Labels, labels_of
from evaluation.metrics.proportions import Proportion
from evaluation.published import PublishedFigure, published_figures

TOP = 10
AT_LEAST = (2, 5, 6, 10, 20, 50, 100)
BINS = ((1, 1), (2, 5), (6, 10), (11, 20), (21, 50), (51, None))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TOKEN = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.?!]+(?=\s|$)")


def count_sentences(text: str) -> int:
    """Sentences: stretches that end in ``.``, ``?`` or ``!`` before a space, and what is left at the end.

    >>> count_sentences("It costs 2.50. How much for 3? Thanks")
    3
    """
    ends = list(_SENTENCE_END.finditer(text))
    rest = text[ends[-1].end() :] if ends else text
    return len(ends) + bool(rest.strip())


@dataclass(frozen=True)
class TemplateShare:
    """How many templates are meant, and how many problems fall on them."""

    label: str
    templates: int
    problems: Proportion


@dataclass(frozen=True)
class CorpusFigures:
    """The figures of one corpus; averages are None where there is nothing to average.

    ``templates_before`` counts templates as written, ``templates`` classes of equivalent ones; ``with_template`` are
    the problems that fall on them. ``sizes`` are templates of at least so many problems, ``bins`` templates by
    frequency. ``consistent`` counts agreement among the problems whose formula and answer could be compared.
    ``diversity`` is in words, ``syntax`` in part-of-speech tags; ``by_kind`` and ``syntax_by_kind`` compare problems
    inside their solution type only, where the corpus has types, and ``kinds`` give the means of each type. ``unread``
    counts what was not understood, ``notes`` name the problems and say what. ``linear_templates`` are those of the
    linear problems alone. Words, sentences and vocabulary are of the problems with a text.
    """

    name: str
    origin: str
    records: int
    refused: Mapping[str, int]
    problems: int
    with_text: int
    licenses: Mapping[str, int]
    template_source: Mapping[str, int]
    templates_before: int
    templates: int
    with_template: int
    single_templates: int
    sizes: tuple[TemplateShare, ...]
    bins: tuple[TemplateShare, ...]
    top_templates: tuple[tuple[str, str, Proportion], ...]
    with_equations: Proportion
    linear: Proportion
    linear_templates: int
    ambiguous: Proportion
    consistent: Proportion
    unread: Mapping[str, int]
    notes: tuple[tuple[str, str], ...]
    words: float | None
    sentences: float | None
    vocabulary: int
    operators: float | None
    operators_per_problem: float | None
    equations: int
    diversity: DiversityReport
    by_kind: DiversityReport | None
    syntax: DiversityReport
    syntax_by_kind: DiversityReport | None
    kinds: tuple[KindDiversity, ...]

    @property
    def per_template(self) -> float | None:
        """Problems per template."""
        return self.with_template / self.templates if self.templates else None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, proportions with n and interval."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)} | {
            "top_templates": [
                {"template_id": identifier, "template": text, **share.as_dict()}
                for identifier, text, share in self.top_templates
            ],
            "problems_per_template": self.per_template,
            "notes": [{"problem_id": identifier, "note": note} for identifier, note in self.notes],
            "syntax": _syntax(self.syntax),
            "syntax_by_kind": _syntax(self.syntax_by_kind) if self.syntax_by_kind else None,
        }


def _syntax(report: DiversityReport) -> dict[str, Any]:
    """A report on tags: its mean is SD, not CLD."""
    return {"sd" if name == "cld" else name: value for name, value in _plain(report).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Proportion):
        return value.as_dict()
    if isinstance(value, DiversityReport):
        shown = ("cld", "n", "identical_share", "histogram", "signature")
        return {name: _plain(getattr(value, name)) for name in shown}
    if isinstance(value, KindDiversity):
        return asdict(value)
    if isinstance(value, TemplateShare):
        return {"label": value.label, "templates": value.templates, **value.problems.as_dict()}
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value


def figures_of(corpus: Corpus, profile: str = "default") -> CorpusFigures:
    """The figures of a corpus; ConfigError for a diversity profile that is not there."""
    problems = corpus.problems
    texts = [problem for problem in problems if problem.question.strip()]
    diversities = diversities_of(texts, profile)
    labels = [labels_of(problem) for problem in problems]
    classes = Counter(label.template_id for label in labels if label.template_id)
    placed = sum(classes.values())
    read = [label for label in labels if label.linear is not None]
    compared = [label.agreement for label in labels if label.agreement is not GoldAgreement.CANNOT_TELL]
    aligned = [label.ambiguous for label in labels if label.ambiguous is not None]
    operators = [count for label in labels for count in label.operators]
    return CorpusFigures(
        name=corpus.name,
        origin=corpus.origin,
        records=corpus.records,
        refused=counts_of(refusal.reason.value for refusal in corpus.refused),
        problems=len(problems),
        with_text=len(texts),
        licenses=_licenses(corpus),
        template_source=counts_of(label.source for label in labels if label.source and label.template_id),
        templates_before=len({label.template for label in labels if label.template_id}),
        templates=len(classes),
        with_template=placed,
        single_templates=sum(count == 1 for count in classes.values()),
        sizes=tuple(_share(f"at least {least}", classes, (least, None)) for least in AT_LEAST),
        bins=tuple(_share(_range(bounds), classes, bounds) for bounds in BINS),
        top_templates=_top(problems, labels, classes),
        with_equations=Proportion.of(problem.equations for problem in problems),
        linear=Proportion.of(label.linear for label in read),
        linear_templates=len({label.template_id for label in read if label.linear and label.template_id}),
        ambiguous=Proportion.of(aligned),
        consistent=Proportion(compared.count(GoldAgreement.AGREE), len(compared)),
        unread=counts_of(note.partition(":")[0] for label in labels for note in label.notes),
        notes=tuple((p.problem_id, note) for p, label in zip(problems, labels, strict=True) for note in label.notes),
        words=_mean([len(_TOKEN.findall(problem.question)) for problem in texts]),
        sentences=_mean([count_sentences(problem.question) for problem in texts]),
        vocabulary=len({word.lower() for problem in texts for word in _WORD.findall(problem.question)}),
        operators=_mean(operators),
        operators_per_problem=_mean([sum(label.operators) for label in labels if label.operators]),
        equations=len(operators),
        diversity=diversities.lexicon,
        by_kind=diversities.lexicon_inside,
        syntax=diversities.syntax,
        syntax_by_kind=diversities.syntax_inside,
        kinds=diversities.kinds,
    )


def _licenses(corpus: Corpus) -> dict[str, int]:
    """Problems by license: their own, else the one that the corpus states."""
    if corpus.license is None or any(problem.license for problem in corpus.problems):
        return license_counts(corpus.problems)
    return {corpus.license: len(corpus.problems)}


def _share(label: str, classes: Counter[str], bounds: tuple[int, int | None]) -> TemplateShare:
    least, most = bounds
    sizes = [size for size in classes.values() if size >= least and (most is None or size <= most)]
    return TemplateShare(label, len(sizes), Proportion(sum(sizes), sum(classes.values())))


def _range(bounds: tuple[int, int | None]) -> str:
    least, most = bounds
    return f"{least}" if least == most else f"{least} to {most}" if most else f"{least} and more"


def counts_of(values: Iterable[str]) -> dict[str, int]:
    """How often each value occurs, in the order of the values."""
    return dict(sorted(Counter(values).items()))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _top(
    problems: Sequence[GoldProblem], labels: Sequence[Labels], classes: Counter[str]
) -> tuple[tuple[str, str, Proportion], ...]:
    """The most frequent templates: id, the template as its first problem has it, and its share."""
    texts: dict[str, str] = {}
    for _, label in sorted(zip(problems, labels, strict=True), key=lambda pair: pair[0].problem_id):
        if label.template_id:
            texts.setdefault(label.template_id, "; ".join(label.template))
    ranking = sorted(classes.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP]
    total = sum(classes.values())
    return tuple((identifier, texts[identifier], Proportion(count, total)) for identifier, count in ranking)


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
