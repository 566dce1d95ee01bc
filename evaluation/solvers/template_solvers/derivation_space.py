"""All derivations of a question under the templates of a training corpus, scored at once.

A derivation is a template with a number of the question in each slot. Its score is a sum over the words of the question
(for the template), over each slot with its number, over each pair of slots with their numbers, and over what its
solution is like: the factors of Kushman et al. (ACL 2014, section 4) and Zhou et al. (EMNLP 2015, section 3). Weights
of slots are kept for the slot of one template and for its role, which templates share.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from evaluation.solvers.template_solvers.question_features import MAX_NUMBERS, NumberedQuestion
from evaluation.solvers.template_solvers.template_bank import Doubles, Indexes, SolverTemplate, alignments, as_double

LEAST = 2
"""How many training problems have a feature that is kept."""
SOLUTION_KINDS = 8
"""Kinds of solutions: unknown, and by whether all values are positive, whole, and below one."""
MAX_DERIVATIONS = 400_000
"""Derivations of a question that are scored; templates with most slots are left out above."""

KEPT_SOLUTIONS = 500_000
"""Templates with the numbers of a question that stay solved from fold to fold: 300 templates by 1,300 questions fit."""


class FilledTemplate(NamedTuple):
    """A template, by its place in the bank, with the number of each of its slots."""

    template: int
    numbers: tuple[int, ...]


class TemplateGroup(NamedTuple):
    """The templates with one number of slots: their places, and the columns of their slots and of pairs of these."""

    slots: int
    templates: Indexes
    own: Indexes
    role: Indexes
    pair: Indexes
    pair_role: Indexes


class GroupDerivations(NamedTuple):
    """The derivations of a question by one group: rows of numbers, and for each template what the solutions are."""

    group: TemplateGroup
    rows: Indexes
    kinds: npt.NDArray[np.uint8]
    solutions: tuple[Doubles, ...]


class Encoded(NamedTuple):
    """A question in the features of a space: indexes of its words, rows for each number and each pair of numbers."""

    numbers: int
    words: Indexes
    single: csr_array
    pairs: csr_array
    candidates: tuple[GroupDerivations, ...]

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """Templates and rows of each group."""
        return [one.kinds.shape for one in self.candidates]


Scores = list[Doubles]
"""For each group a row for each template, a column for each row of numbers."""
Masks = Sequence[npt.NDArray[np.bool_]]
"""The same shape: which derivations are meant."""


@dataclass(frozen=True)
class WeightTables:
    """One vector of weights as tables: features by templates, slots, roles, pairs of slots, roles of pairs."""

    whole: Doubles
    own: Doubles
    role: Doubles
    pair: Doubles
    pair_role: Doubles
    solution: Doubles


class DerivationSpace:
    """Templates and features of a training corpus."""

    def __init__(self, templates: Sequence[SolverTemplate], questions: Sequence[NumberedQuestion]) -> None:
        self.templates = tuple(templates)
        self._whole = _kept(question.words for question in questions)
        self._single = _kept(set(chain.from_iterable(question.single)) for question in questions)
        self._pair = _kept(set(chain.from_iterable(chain.from_iterable(question.pairs))) for question in questions)
        roles = _numbered(role for template in templates for role in template.roles)
        pair_roles = _numbered(role for template in templates for role in template.pair_roles)
        sizes = [len(template.slots) for template in templates]
        starts = np.cumsum([0, *sizes])
        pair_starts = np.cumsum([0, *(size * (size - 1) // 2 for size in sizes)])
        self.groups = tuple(
            _group(size, [place for place, one in enumerate(sizes) if one == size], (starts, pair_starts),
                   (self.templates, roles, pair_roles))
            for size in sorted(set(sizes))
        )  # fmt: skip
        self._tables = (
            (len(self._whole), len(templates)),
            (len(self._single), int(starts[-1])),
            (len(self._single), len(roles)),
            (len(self._pair), int(pair_starts[-1])),
            (len(self._pair), len(pair_roles)),
            (SOLUTION_KINDS, 1),
        )
        self.size = sum(rows * columns for rows, columns in self._tables)

    def blocks(self, weights: Doubles) -> WeightTables:
        """The tables of a vector; what is written to them is written to the vector."""
        ends = np.cumsum([rows * columns for rows, columns in self._tables])
        starts = [0, *ends[:-1]]
        parts = zip(starts, ends, self._tables, strict=True)
        return WeightTables(*(weights[start:end].reshape(shape) for start, end, shape in parts))

    def encode(self, question: NumberedQuestion) -> Encoded | None:
        """The question with its derivations; None where it has no numbers, or too many."""
        count = len(question.numbers)
        if not 1 <= count <= MAX_NUMBERS:
            return None
        values = tuple(as_double(value) for value in question.values)
        candidates, left = [], MAX_DERIVATIONS
        for group in self.groups:
            rows = alignments(group.slots, count)
            left -= len(rows) * len(group.templates)
            if left < 0:
                break
            if len(rows):
                found = [solutions_of(self.templates[place], values) for place in group.templates]
                kinds = np.stack([_kinds(one) for one in found])
                candidates.append(GroupDerivations(group, rows, kinds, tuple(found)))
        words = np.array([self._whole[word] for word in question.words if word in self._whole], dtype=np.intp)
        pairs = [features for row in question.pairs for features in row]
        return Encoded(count, words, _rows(question.single, self._single), _rows(pairs, self._pair), tuple(candidates))

    def scores(self, question: Encoded, blocks: WeightTables) -> Scores:
        """The score of each derivation."""
        whole = blocks.whole[question.words].sum(axis=0)
        own, role = question.single @ blocks.own, question.single @ blocks.role
        pair, pair_role = question.pairs @ blocks.pair, question.pairs @ blocks.pair_role
        found = []
        for group, rows, kinds, _ in question.candidates:
            scores = whole[group.templates][:, None] + blocks.solution[kinds, 0]
            for slot in range(group.slots):
                scores += (own[:, group.own[:, slot]] + role[:, group.role[:, slot]])[rows[:, slot]].T
            for place, (first, second) in enumerate(combinations(range(group.slots), 2)):
                both = rows[:, first] * question.numbers + rows[:, second]
                scores += (pair[:, group.pair[:, place]] + pair_role[:, group.pair_role[:, place]])[both].T
            found.append(scores)
        return found

    def features(self, question: Encoded, derivation: FilledTemplate) -> Indexes:
        """The places in a vector of weights of the features of one derivation, one that counts twice stands twice."""
        place, template, row = self.find(question, derivation)
        candidates, numbers = question.candidates[place], derivation.numbers
        group = candidates.group
        columns = [(question.words, derivation.template, 0)]
        for slot, number in enumerate(numbers):
            features = _row(question.single, number)
            columns += [(features, group.own[template, slot], 1), (features, group.role[template, slot], 2)]
        for place, (first, second) in enumerate(combinations(numbers, 2)):
            features = _row(question.pairs, first * question.numbers + second)
            columns += [(features, group.pair[template, place], 3), (features, group.pair_role[template, place], 4)]
        columns.append((np.array([candidates.kinds[template, row]], dtype=np.intp), 0, 5))
        ends = np.cumsum([0, *(rows * columns for rows, columns in self._tables)])
        return np.concatenate(
            [ends[table] + found * self._tables[table][1] + column for found, column, table in columns]
        )

    def find(self, question: Encoded, derivation: FilledTemplate) -> tuple[int, int, int]:
        """The place of a derivation's group, that of its template in the group, and that of its row of numbers."""
        sizes = [candidates.group.slots for candidates in question.candidates]
        place = sizes.index(len(derivation.numbers))
        candidates = question.candidates[place]
        template = int(np.searchsorted(candidates.group.templates, derivation.template))
        return place, template, int((candidates.rows == derivation.numbers).all(axis=1).argmax())

    def best(self, question: Encoded, scores: Scores, allowed: Masks | None = None) -> FilledTemplate | None:
        """The derivation with the highest score, of those that are allowed; the first of equals. None without any."""
        return next(iter(self.likeliest(question, scores, 1, allowed)), None)

    def likeliest(
        self, question: Encoded, scores: Scores, count: int, allowed: Masks | None = None
    ) -> list[FilledTemplate]:
        """The ``count`` derivations with the highest scores, of those that are allowed; of equals the first."""
        flat = np.concatenate([one.ravel() for one in scores]) if scores else np.zeros(0)
        if allowed is not None:
            flat = np.where(np.concatenate([one.ravel() for one in allowed]), flat, -np.inf)
        order = [int(flat.argmax())] if count == 1 and len(flat) else np.argsort(-flat, kind="stable")[:count].tolist()
        ends = np.cumsum([one.size for one in scores])
        return [_at(question, ends, place) for place in order if flat[place] > -np.inf]


def _at(question: Encoded, ends: Indexes, place: int) -> FilledTemplate:
    """The derivation at a place of all groups behind each other."""
    group = int(np.searchsorted(ends, place, side="right"))
    candidates = question.candidates[group]
    template, row = divmod(place - int(ends[group - 1] if group else 0), len(candidates.rows))
    return FilledTemplate(int(candidates.group.templates[template]), tuple(candidates.rows[row].tolist()))


def _kept(questions: Iterable[Iterable[str]]) -> dict[str, int]:
    """The features that enough questions have, numbered by their names."""
    counts = Counter(feature for features in questions for feature in features)
    return {name: place for place, name in enumerate(sorted(name for name, n in counts.items() if n >= LEAST))}


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(dict.fromkeys(names))}


def _group(
    size: int,
    templates: Sequence[int],
    starts: tuple[Indexes, Indexes],
    named: tuple[Sequence[SolverTemplate], dict[str, int], dict[str, int]],
) -> TemplateGroup:
    bank, roles, pair_roles = named
    pairs = size * (size - 1) // 2
    return TemplateGroup(
        size,
        np.array(templates, dtype=np.intp),
        starts[0][templates][:, None] + np.arange(size),
        np.array([[roles[role] for role in bank[place].roles] for place in templates], dtype=np.intp),
        starts[1][templates][:, None] + np.arange(pairs),
        np.array([[pair_roles[role] for role in bank[place].pair_roles] for place in templates], dtype=np.intp).reshape(
            len(templates), pairs
        ),
    )


def _rows(rows: Sequence[Sequence[str]], known: dict[str, int]) -> csr_array:
    """A row of ones for the known features of each."""
    found = [sorted({known[name] for name in row if name in known}) for row in rows]
    starts = np.cumsum([0, *map(len, found)])
    columns = np.array(list(chain.from_iterable(found)), dtype=np.intp)
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(rows), len(known)))


def _row(table: csr_array, place: int) -> Indexes:
    return np.asarray(table.indices[table.indptr[place] : table.indptr[place + 1]], dtype=np.intp)


@lru_cache(maxsize=KEPT_SOLUTIONS)
def solutions_of(template: SolverTemplate, values: tuple[float, ...]) -> Doubles:
    """The solutions of a template for each row of ``alignments`` of these numbers."""
    rows = alignments(len(template.slots), len(values))
    return template.solutions(np.array(values)[rows])


def _kinds(solutions: Doubles) -> npt.NDArray[np.uint8]:
    """The kind of each solution, 0 where there is none."""
    known = np.isfinite(solutions).all(axis=1)
    safe = np.where(np.isfinite(solutions), solutions, 0.0)
    positive = (safe > 0).all(axis=1)
    whole = (np.abs(safe - np.round(safe)) < 1e-6).all(axis=1)
    kind = 1 + positive * 1 + whole * 2 + (positive & (safe < 1).any(axis=1)) * 3
    return np.where(known, kind, 0).astype(np.uint8)


def same_solution(solutions: Doubles, golds: Sequence[Sequence[float]], tolerance: float) -> npt.NDArray[np.bool_]:
    """For each row whether all values of one of the golds are among its values."""
    found = np.zeros(len(solutions), dtype=bool)
    for gold in golds:
        close = [np.isclose(solutions, value, rtol=tolerance, atol=tolerance).any(axis=1) for value in gold]
        found |= np.logical_and.reduce(close) if close else False
    return found
