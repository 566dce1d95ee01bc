"""How diverse the texts of a corpus are, in words (LD) and in syntax (SD), as a whole and inside each solution type.

ASDiv, section 3.1 and appendix C. LD compares the tokens of a normaliser profile; SD is the same measure over
part-of-speech tags, profile ``tags``.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.benchmarks.records import GoldProblem
from curation.diversity import DiversityReport, corpus_diversity

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
            KindDiversity(kind, len(ld), _mean(ld), len(sd), _mean(sd) if sd else None) for kind, ld, sd in rows
        )
    return Diversities(lexicon, lexicon_inside, syntax, syntax_inside, kinds)


def sample(problems: Sequence[GoldProblem], most: int) -> Sequence[GoldProblem]:
    """All of the problems, or the ``most`` of them with the smallest digests of their ids, in their order."""
    if len(problems) <= most:
        return problems
    digests = [hashlib.sha256(one.problem_id.encode("utf-8", "surrogatepass")).digest() for one in problems]
    chosen = sorted(range(len(problems)), key=lambda place: (digests[place], place))[:most]
    return [problems[place] for place in sorted(chosen)]


def _reports(problems: Sequence[GoldProblem], profile: str) -> tuple[DiversityReport, DiversityReport | None]:
    texts, kinds = [one.question for one in problems], [one.kind for one in problems]
    typed = bool(kinds) and all(kinds)
    return corpus_diversity(texts, profile=profile), corpus_diversity(texts, kinds, profile) if typed else None


def _by_kind(problems: Sequence[GoldProblem], report: DiversityReport) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for problem, value in zip(problems, report.lexicon_diversity, strict=True):
        found.setdefault(problem.kind, []).append(value)
    return found


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
