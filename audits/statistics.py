"""The figures of a corpus that papers print (Dolphin18K Tables 2-4, DRAW Figure 2, ASDiv section 3)."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audits.gold import aligned
from audits.intervals import Proportion
from corpus.records import Problem
from corpus.versions import Version
from curation.diversity import DiversityReport, corpus_diversity
from curation.rules import license_counts

TOP = 10
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TOKEN = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"[.?!]+(?=\s|$)")
_OPERATOR = re.compile(r"(?<=[\w)%\]])\s*(?:\*\*|[-+*/^])")


def count_sentences(text: str) -> int:
    """Sentences: stretches that end in ``.``, ``?`` or ``!`` before a space, and what is left at the end.

    >>> count_sentences("It costs 2.50. How much for 3? Thanks")
    3
    """
    ends = list(_SENTENCE_END.finditer(text))
    rest = text[ends[-1].end() :] if ends else text
    return len(ends) + bool(rest.strip())


def count_operators(equation: str) -> int:
    """Operators between operands of an equation in normal form; a leading sign is none.

    >>> count_operators("-2*x + 3^2 = (y - 1)/4")
    5
    """
    return len(_OPERATOR.findall(equation))


@dataclass(frozen=True)
class Statistics:
    """The figures of one version. Averages are None where there is nothing to average.

    ``stored_ld`` is the mean of the lexicon diversity each problem had when it was accepted (against those before it);
    ``diversity`` compares every problem with all others of the version.
    """

    version: str
    problems: int
    splits: Mapping[str, int]
    dimensions: Mapping[str, int]
    licenses: Mapping[str, int]
    agreement: Mapping[str, Proportion]
    templates: int
    with_template: int
    top_templates: tuple[tuple[str, str, Proportion], ...]
    single_templates: int
    with_equations: Proportion
    linear: Proportion
    ambiguous: Proportion
    words: float | None
    sentences: float | None
    vocabulary: int
    operators: float | None
    equations: int
    stored_ld: float | None
    diversity: DiversityReport

    def sections(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Everything as named sections of label and value."""
        per_template = self.with_template / self.templates if self.templates else None
        found = self.diversity
        return [
            ("problems", [("problems", str(self.problems)), *_pairs("split", self.splits)]),
            (
                "templates",
                [
                    ("templates", str(self.templates)),
                    ("problems with a template", str(self.with_template)),
                    ("problems per template", _number(per_template)),
                    ("templates that occur once", str(self.single_templates)),
                    *(
                        (f"top {place}: {text}", str(share))
                        for place, (_, text, share) in _numbered(self.top_templates)
                    ),
                ],
            ),
            (
                "labels",
                [
                    *_pairs("answer values", self.dimensions),
                    *((f"agreement {name}", str(share)) for name, share in self.agreement.items()),
                    ("with equations", str(self.with_equations)),
                    ("linear, of those with equations", str(self.linear)),
                    ("ambiguous, of those with a template", str(self.ambiguous)),
                    ("operators per equation", f"{_number(self.operators)} (n={self.equations})"),
                ],
            ),
            (
                "text",
                [
                    ("words per problem", _number(self.words)),
                    ("sentences per problem", _number(self.sentences)),
                    ("vocabulary without numbers", str(self.vocabulary)),
                    ("corpus lexicon diversity (CLD)", f"{_number(found.cld, 4)} (N={found.n}, {found.signature})"),
                    ("identical texts", f"{100 * found.identical_share:.1f} %"),
                    ("lexicon diversity when accepted, mean", f"{_number(self.stored_ld, 4)} (N={self.problems})"),
                    ("histogram of LD, 20 bins", " ".join(map(str, found.histogram))),
                ],
            ),
            ("licenses", _pairs("", self.licenses)),
        ]

    def text(self) -> str:
        """In plain lines."""
        lines = [self.version]
        for title, pairs in self.sections():
            lines += ["", title, *aligned([[" ".join(label.split()), value] for label, value in pairs])]
        return "\n".join(lines)

    def markdown(self) -> str:
        """As Markdown tables."""
        lines = [f"### {self.version}", ""]
        for title, pairs in self.sections():
            rows = [f"| {_cell(label)} | {_cell(value)} |" for label, value in pairs]
            lines += [f"| {title} | |", "|---|---|", *rows, ""]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, proportions with n and interval."""
        plain = {
            name: _plain(value) for name, value in vars(self).items() if name not in ("diversity", "top_templates")
        }
        found = self.diversity
        plain["top_templates"] = [
            {"template_id": identifier, "template": text, **share.as_dict()}
            for identifier, text, share in self.top_templates
        ]
        plain["diversity"] = {
            "cld": found.cld,
            "n": found.n,
            "identical_share": found.identical_share,
            "histogram": list(found.histogram),
            "signature": found.signature,
        }
        return plain


def _plain(value: Any) -> Any:
    if isinstance(value, Proportion):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value


def _numbered(items: Sequence[Any]) -> list[tuple[int, Any]]:
    return list(enumerate(items, start=1))


def _pairs(prefix: str, counts: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(f"{prefix} {name}".strip(), str(count)) for name, count in counts.items()]


def _number(value: float | None, digits: int = 2) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def statistics_of(name: str, problems: Sequence[Problem], profile: str = "default") -> Statistics:
    """The figures of a list of problems; ConfigError for a diversity profile that is not there."""
    diversity = corpus_diversity([problem.question for problem in problems], profile=profile)
    equations = [equation for problem in problems for equation in problem.equations or ()]
    templates = Counter(problem.template_id for problem in problems if problem.template_id)
    modelled = [problem for problem in problems if problem.equations]
    sure = [problem for problem in problems if problem.template_id]
    verdicts = Counter(problem.agreement for problem in problems)
    return Statistics(
        version=name,
        problems=len(problems),
        splits=_counts(problem.split for problem in problems),
        dimensions=_counts(str(problem.answer_dim) for problem in problems),
        licenses=license_counts(problems),
        agreement={verdict: Proportion(verdicts[verdict], len(problems)) for verdict in sorted(verdicts)},
        templates=len(templates),
        with_template=len(sure),
        top_templates=_top(problems, templates),
        single_templates=sum(count == 1 for count in templates.values()),
        with_equations=Proportion(len(modelled), len(problems)),
        linear=Proportion(sum(bool(problem.linear) for problem in modelled), len(modelled)),
        ambiguous=Proportion(sum(problem.ambiguous for problem in sure), len(sure)),
        words=_mean([len(_TOKEN.findall(problem.question)) for problem in problems]),
        sentences=_mean([count_sentences(problem.question) for problem in problems]),
        vocabulary=len({word.lower() for problem in problems for word in _WORD.findall(problem.question)}),
        operators=_mean([count_operators(equation) for equation in equations]),
        equations=len(equations),
        stored_ld=_mean([problem.lexicon_diversity for problem in problems]),
        diversity=diversity,
    )


def _top(problems: Sequence[Problem], templates: Counter[str]) -> tuple[tuple[str, str, Proportion], ...]:
    """The most frequent templates: id, the template as its first problem has it, and its share."""
    texts: dict[str, str] = {}
    for problem in sorted(problems, key=lambda problem: problem.problem_id):
        if problem.template_id:
            texts.setdefault(problem.template_id, "; ".join(problem.template or ()))
    ranking = sorted(templates.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP]
    total = sum(templates.values())
    return tuple((identifier, texts[identifier], Proportion(count, total)) for identifier, count in ranking)


def stats(version: Version, profile: str | None = None) -> Statistics:
    """The figures of a version, by default with the normaliser profile it was built with."""
    stages = {stage["stage"]: stage["config"] for stage in version.manifest["stages"]}
    return statistics_of(version.label, version.problems(), profile or stages["diversity"]["profile"])
