"""Texts that are alike: the leak report of a corpus against benchmarks, and its duplicate report against itself.

Both count what was found, and show each pair with both texts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from corpus.benchmarks.gold_problems import Corpus
from corpus.errors import InputError
from curation.grouping import Components
from curation.near_texts.benchmark_texts import items_of
from curation.near_texts.contamination import MIN_WORDS, Contamination, Leak, LeakKind, find_leaks
from curation.near_texts.duplicates import THRESHOLD, DuplicatePair, duplicate_pairs
from curation.near_texts.plain_tokens import normal_tokens
from evaluation.metrics.proportions import Proportion
from evaluation.table_text import aligned, aligned_frame, markdown_frame


@dataclass(frozen=True)
class LeakReport:
    """What a comparison with benchmarks found."""

    corpus: str
    found: Contamination
    unread: Mapping[str, int]
    """Records of each benchmark of which the question could not be read."""

    @property
    def rule(self) -> str:
        """What counts as a leak, in a sentence."""
        return (
            f"Exact: the benchmark's words and numbers, whatever their spelling. Near: its numbers, and at most "
            f"{100 * self.found.share:g} % of its words changed (at least one; texts of {MIN_WORDS} words or more). "
            "What stands around them does not count. The same story with another question, and the same words with "
            "other numbers, are counted apart."
        )

    def counts(self) -> pd.DataFrame:
        """A row for each benchmark: its problems, our problems that leak, exact and near, and mere templates."""
        found = self.found
        rows = []
        for name, (texts, without) in found.sizes.items():
            share = Proportion(found.leaked(name), found.compared)
            exact, near, story = (found.leaked(name, kind) for kind in LeakKind)
            unread = self.unread.get(name, 0)
            rows.append((name, texts, without + unread, exact, near, share, story, found.same_template[name]))
        return pd.DataFrame(rows, columns=HEAD)

    def pairs(self) -> pd.DataFrame:
        """A row for each leak: both problems, how they are alike, and both texts."""
        rows = [
            (leak.problem_id, f"{leak.benchmark} {leak.benchmark_id}", _how(leak), leak.text, leak.benchmark_text)
            for leak in self.found.leaks
        ]
        return pd.DataFrame(rows, columns=PAIR)

    def text(self) -> str:
        """In plain lines, each leak with both texts."""
        lines = [f"{self.corpus}: {self.found.compared} problems compared, {self.found.without_text} without a text"]
        lines += ["", *aligned_frame(self.counts()), "", self.rule]
        for leak in self.found.leaks:
            lines += ["", f"{leak.problem_id} ~ {leak.benchmark} {leak.benchmark_id}: {_how(leak)}"]
            lines += [f"  ours:   {_line(leak.text)}", f"  theirs: {_line(leak.benchmark_text)}"]
        return "\n".join(lines)

    def markdown(self) -> str:
        """As Markdown tables."""
        counts, pairs = markdown_frame(self.counts()), markdown_frame(self.pairs())
        return "\n".join([f"### {self.corpus}: leaks", "", counts, self.rule, "", pairs])

    def as_dict(self) -> dict[str, Any]:
        """Plain data with every leak."""
        found = self.found
        return {
            "corpus": self.corpus,
            "compared": found.compared,
            "without_text": found.without_text,
            "share": found.share,
            "benchmarks": {
                name: {
                    "texts": texts,
                    "without_text": without,
                    "not_read": self.unread.get(name, 0),
                    "exact": found.leaked(name, LeakKind.EXACT),
                    "near": found.leaked(name, LeakKind.NEAR),
                    "leaked": Proportion(found.leaked(name), found.compared).as_dict(),
                    "same_story_other_question": found.leaked(name, LeakKind.STORY),
                    "same_words_other_numbers": found.same_template[name],
                }
                for name, (texts, without) in found.sizes.items()
            },
            "leaks": [vars(leak) for leak in found.leaks],
        }


HEAD = (
    *("benchmark", "texts", "not read", "exact", "near", "problems that leak"),
    *("same story, other question", "same words, other numbers"),
)
PAIR = ("problem", "benchmark problem", "how", "our text", "their text")


def leak_report(corpus: Corpus, benchmarks: Sequence[Corpus], share: float) -> LeakReport:
    """Compare a corpus with benchmarks; InputError where two benchmarks have one name."""
    names = [benchmark.name for benchmark in benchmarks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two benchmarks are named {twice}; say NAME=FORMAT:PATH for one of them")
    theirs = {one.name: items_of(one.problems) for one in benchmarks}
    found = find_leaks(items_of(corpus.problems), theirs, share)
    return LeakReport(corpus.name, found, {one.name: len(one.refused) for one in benchmarks})


def _how(leak: Leak) -> str:
    if leak.kind is LeakKind.EXACT:
        return "exact"
    near = "near" if leak.kind is LeakKind.NEAR else "same story, other question"
    return f"{near}, {leak.edits} words differ"


def _line(text: str) -> str:
    return " ".join(text.split())


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
