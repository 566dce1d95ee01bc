"""How diverse the texts of a corpus are, in words (LD) and in syntax (SD), as a whole and inside each solution type.

ASDiv, section 3.1 and appendix C. LD compares the tokens of a normaliser profile; SD is the same measure over
part-of-speech tags, profile ``tags``.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from curation.near_texts.diversity import DiversityReport, corpus_diversity, diversity_against
from evaluation.charts import histograms_svg
from evaluation.metrics.proportions import Proportion

SYNTAX = "tags"
MOST_TAGGED = 10_000
"""Texts whose syntax is compared: nearly all share some four tags, so time grows with nearly the square of them."""


@dataclass(frozen=True)
class KindDiversity:
    """Mean LD and SD of the problems of one solution type, each against the others of its type.

    ``n`` and ``tagged`` are the problems that each mean is over; ``sd`` is None where none of them was tagged.
    """

    kind: str
    n: int
    cld: float
    tagged: int
    sd: float | None


@dataclass(frozen=True)
class Diversities:
    """LD and SD of a corpus; ``..._inside`` compare inside a type only, None where the corpus has no types."""

    lexicon: DiversityReport
    lexicon_inside: DiversityReport | None
    syntax: DiversityReport
    syntax_inside: DiversityReport | None
    kinds: tuple[KindDiversity, ...]


def diversities_of(problems: Sequence[GoldProblem], profile: str, most: int = MOST_TAGGED) -> Diversities:
    """LD under a profile and SD of problems with a text; ConfigError for an unknown profile.

    Of more than ``most`` problems SD is that of a sample of so many, by digest of their ids.
    """
    tagged = sample(problems, most)
    lexicon, lexicon_inside = _reports(problems, profile)
    syntax, syntax_inside = _reports(tagged, SYNTAX)
    kinds: tuple[KindDiversity, ...] = ()
    if lexicon_inside is not None and syntax_inside is not None:
        words, tags = _by_kind(problems, lexicon_inside), _by_kind(tagged, syntax_inside)
        rows = ((kind, words[kind], tags.get(kind, [])) for kind in sorted(words))
        kinds = tuple(
            KindDiversity(kind, len(ld), fmean(ld), len(sd), fmean(sd) if sd else None) for kind, ld, sd in rows
        )
    return Diversities(lexicon, lexicon_inside, syntax, syntax_inside, kinds)


@dataclass(frozen=True)
class DiversityAgainst:
    """LD and SD of one corpus against another, as of a test part against its training part.

    ``against`` are the texts that each report compares with; SD is that of samples where either corpus is large.
    """

    names: tuple[str, str]
    lexicon: DiversityReport
    syntax: DiversityReport
    against: tuple[int, int]

    def as_dict(self) -> dict[str, Any]:
        """Plain data: the figures of LD, and those of SD under ``syntax``."""
        words, tags = _shown(self.lexicon), _shown(self.syntax)
        tags["sd"] = tags.pop("cld")
        return words | {"against": self.against[0], "syntax": tags | {"against": self.against[1]}}

    def text(self) -> str:
        """Plain lines."""
        first, second = self.names
        lines = [f"{first} against {second}:"]
        for measure, report, against in self._rows():
            mean = "n/a" if report.cld is None else f"{report.cld:.4f}"
            identical = Proportion(round(report.identical_share * report.n), report.n)
            lines += [
                f"{measure} {mean} (N={report.n} against {against}), identical {identical}, {report.signature}",
                f"  in 20 bins from 0 to 1: {' '.join(map(str, report.histogram))}",
            ]
        return "\n".join(lines)

    def picture(self) -> str:
        """Both histograms as SVG."""
        first, second = self.names
        panels = [
            (f"{first} against {second}: {measure.removeprefix('C')} of {report.n} problems", report.histogram)
            for measure, report, _ in self._rows()
        ]
        return histograms_svg(panels)

    def _rows(self) -> tuple[tuple[str, DiversityReport, int], ...]:
        return (("CLD", self.lexicon, self.against[0]), ("SD", self.syntax, self.against[1]))


def _shown(report: DiversityReport) -> dict[str, Any]:
    return {name: getattr(report, name) for name in ("cld", "n", "identical_share", "histogram", "signature")}


def diversity_of_parts(corpus: Corpus, against: Corpus, profile: str, most: int = MOST_TAGGED) -> DiversityAgainst:
    """LD under a profile and SD of the texts of one corpus against those of another; ConfigError as above."""
    mine, theirs = [[one for one in each.problems if one.question.strip()] for each in (corpus, against)]
    few, fewer = sample(mine, most), sample(theirs, most)
    return DiversityAgainst(
        (corpus.name, against.name),
        diversity_against(_texts(mine), _texts(theirs), profile),
        diversity_against(_texts(few), _texts(fewer), SYNTAX),
        (len(theirs), len(fewer)),
    )


def _texts(problems: Sequence[GoldProblem]) -> list[str]:
    return [one.question for one in problems]


def sample(problems: Sequence[GoldProblem], most: int) -> Sequence[GoldProblem]:
    """All of the problems, or the ``most`` of them with the smallest digests of their ids, in their order."""
    if len(problems) <= most:
        return problems
    digests = [hashlib.sha256(one.problem_id.encode("utf-8", "surrogatepass")).digest() for one in problems]
    chosen = sorted(range(len(problems)), key=lambda place: (digests[place], place))[:most]
    return [problems[place] for place in sorted(chosen)]


def _reports(problems: Sequence[GoldProblem], profile: str) -> tuple[DiversityReport, DiversityReport | None]:
    texts, kinds = _texts(problems), [one.kind for one in problems]
    typed = bool(kinds) and all(kinds)
    return corpus_diversity(texts, profile=profile), corpus_diversity(texts, kinds, profile) if typed else None


def _by_kind(problems: Sequence[GoldProblem], report: DiversityReport) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for problem, value in zip(problems, report.lexicon_diversity, strict=True):
        found.setdefault(problem.kind, []).append(value)
    return found
