"""The duplicate report of one corpus: groups of exact and near duplicates, and the pairs that make them, with texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.benchmarks.gold_problems import Corpus
from curation.duplicates import THRESHOLD, DuplicatePair, duplicate_pairs
from curation.grouping import Components
from curation.plain_tokens import normal_tokens
from evaluation.metrics.proportions import Proportion
from evaluation.table_text import aligned

Groups = tuple[tuple[str, ...], ...]
KINDS = (("exact", "kept"), ("near", "kept"), ("exact", "masked"), ("near", "masked"))


@dataclass(frozen=True)
class DuplicateReport:
    """Duplicates inside a corpus; ``groups`` are connected by pairs with their numbers kept, ``alike`` also by others.

    ``texts`` holds the problems that could be compared; ``without_text`` counts the others.
    """

    corpus: str
    texts: Mapping[str, str]
    without_text: int
    pairs: tuple[DuplicatePair, ...]
    groups: Groups
    alike: Groups

    def shares(self) -> list[tuple[str, Proportion]]:
        """Problems in a pair of each kind, and those in a group of either."""
        rows = [
            (f"{kind}, numbers {numbers}", self._proportion(_members(self.pairs, kind, numbers)))
            for kind, numbers in KINDS
        ]
        for label, groups in (("numbers kept", self.groups), ("numbers masked", self.alike)):
            members = {member for group in groups for member in group}
            rows.append((f"in {len(groups)} groups, {label}", self._proportion(members)))
        return rows

    def _proportion(self, members: set[str]) -> Proportion:
        return Proportion(len(members), len(self.texts))

    def text(self) -> str:
        """Plain lines; pairs that only agree without their numbers are counted, and listed in the plain data."""
        head = f"{self.corpus}: {len(self.texts)} problems compared, {self.without_text} without a text"
        rows = [["problems", ""], *([label, str(share)] for label, share in self.shares())]
        lines = [head, "", *aligned(rows), "", RULE]
        for pair in self.pairs:
            if pair.numbers == "kept":
                how = "exact" if pair.kind == "exact" else f"near, {pair.similarity:.2f} of the shingles"
                lines += ["", f"{pair.first} ~ {pair.second}: {how}"]
                lines += [f"  {' '.join(self.texts[one].split())}" for one in (pair.first, pair.second)]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data with every group and every pair."""
        return {
            "corpus": self.corpus,
            "compared": len(self.texts),
            "without_text": self.without_text,
            "threshold": THRESHOLD,
            "shares": {label: share.as_dict() for label, share in self.shares()},
            "groups": self.groups,
            "groups_numbers_masked": self.alike,
            "pairs": [
                vars(pair) | {"first_text": self.texts[pair.first], "second_text": self.texts[pair.second]}
                for pair in self.pairs
            ],
        }


RULE = (
    f"Exact: the same words and numbers. Near: the same numbers, and at least {THRESHOLD} of all three-word shingles. "
    "Masked: the same or nearly the same words with other numbers, which is one wording and no duplicate. Of identical "
    "texts each is paired with the first, and only the first with texts that are like it."
)


def duplicate_report(corpus: Corpus) -> DuplicateReport:
    """Duplicates inside a corpus; problems without words and numbers are left out and counted."""
    texts = {one.problem_id: one.question for one in corpus.problems if normal_tokens(one.question)}
    pairs = duplicate_pairs(list(texts.items()))
    return DuplicateReport(
        corpus.name,
        texts,
        len(corpus.problems) - len(texts),
        pairs,
        _connected(pair for pair in pairs if pair.numbers == "kept"),
        _connected(pairs),
    )


def _connected(pairs: Iterable[DuplicatePair]) -> Groups:
    linked: Components[str] = Components()
    for pair in pairs:
        linked.join(pair.first, pair.second)
    return tuple(sorted(tuple(sorted(group)) for group in linked.components()))


def _members(pairs: Iterable[DuplicatePair], kind: str, numbers: str) -> set[str]:
    chosen: Sequence[DuplicatePair] = [one for one in pairs if (one.kind, one.numbers) == (kind, numbers)]
    return {one.first for one in chosen} | {one.second for one in chosen}
