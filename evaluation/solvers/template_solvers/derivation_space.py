"""All derivations of a question under the templates of a training corpus, scored at once.

A derivation is a template with a number of the question in each slot. Its score is a sum over the words of the question
(for the template), over each slot with its number, over each pair of slots with their numbers, and over what its
solution is like: the factors of Kushman et al. (ACL 2014, section 4) and Zhou et al. (EMNLP 2015, section 3). Weights
of slots are kept for the slot of one template and for its role, which templates share. A derivation goes by its place
among all derivations of its question.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, combinations, pairwise
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


class TemplateGroup(NamedTuple):
    """The templates with one number of slots: their places, and the columns of their slots and of pairs of these.

    Each slot or pair has two columns, its own and that of its role: kinds by templates by slots or pairs.
    """

    slots: int
    templates: Indexes
    single: Indexes
    pair: Indexes


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

    def find(self, place: int) -> tuple[GroupDerivations, int, int]:
        """The group of a derivation, the place of its template in the group, and that of its row of numbers."""
        for candidates in self.candidates:
            if place < candidates.kinds.size:
                return candidates, *divmod(place, len(candidates.rows))
            place -= candidates.kinds.size
        raise IndexError(place)


SlotColumns = list[tuple[range, list[int]]]
"""For each template the columns of its slots, or of pairs of these: its own ones, and those of their roles."""
DerivationMask = npt.NDArray[np.bool_]
"""Which derivations of a question are meant."""


class WeightTables(NamedTuple):
    """One vector of weights as tables: features by templates, slots and roles, pairs of these, kinds of solutions."""

    whole: Doubles
    single: Doubles
    pair: Doubles
    solution: Doubles


class DerivationSpace:
    """Templates and features of a training corpus."""

    def __init__(self, templates: Sequence[SolverTemplate], questions: Sequence[NumberedQuestion]) -> None:
        self.templates = tuple(templates)
        self._whole = _kept(question.words for question in questions)
        self._single = _kept(set(chain.from_iterable(question.single)) for question in questions)
        self._pair = _kept(set(chain.from_iterable(chain.from_iterable(question.pairs))) for question in questions)
        singles, slots = _columns([template.roles for template in templates])
        pairs, slot_pairs = _columns([template.pair_roles for template in templates])
        sizes = [len(template.slots) for template in templates]
        places = {size: np.flatnonzero(np.equal(sizes, size)) for size in sorted(set(sizes))}
        self.groups = tuple(_group(size, found, (singles, pairs)) for size, found in places.items())
        self._tables = (
            (len(self._whole), len(templates)),
            (len(self._single), slots),
            (len(self._pair), slot_pairs),
            (SOLUTION_KINDS, 1),
        )
        self.size = sum(rows * columns for rows, columns in self._tables)
        self._ends = np.cumsum([0, *(rows * columns for rows, columns in self._tables)])

    def blocks(self, weights: Doubles) -> WeightTables:
        """The tables of a vector; what is written to them is written to the vector."""
        parts = zip(pairwise(self._ends), self._tables, strict=True)
        return WeightTables(*(weights[start:end].reshape(shape) for (start, end), shape in parts))

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

    def scores(self, question: Encoded, blocks: WeightTables) -> Doubles:
        """The score of each derivation."""
        whole = blocks.whole[question.words].sum(axis=0)
        single, pair = question.single @ blocks.single, question.pairs @ blocks.pair
        found = [np.zeros(0)]
        for group, rows, kinds, _ in question.candidates:
            scores = whole[group.templates][:, None] + blocks.solution[kinds, 0]
            for slot in range(group.slots):
                scores += single[:, group.single[:, :, slot]].sum(axis=1)[rows[:, slot]].T
            for place, (first, second) in enumerate(combinations(range(group.slots), 2)):
                both = rows[:, first] * question.numbers + rows[:, second]
                scores += pair[:, group.pair[:, :, place]].sum(axis=1)[both].T
            found.append(scores.ravel())
        return np.concatenate(found)

    def features(self, question: Encoded, derivation: int) -> Indexes:
        """The places in a vector of weights of the features of one derivation, one that counts twice stands twice."""
        (group, rows, kinds, _), template, row = question.find(derivation)
        columns, numbers = [(question.words, group.templates[template], 0)], rows[row].tolist()
        for slot, number in enumerate(numbers):
            columns += [(_row(question.single, number), column, 1) for column in group.single[:, template, slot]]
        for place, (first, second) in enumerate(combinations(numbers, 2)):
            features = _row(question.pairs, first * question.numbers + second)
            columns += [(features, column, 2) for column in group.pair[:, template, place]]
        columns.append((np.array([kinds[template, row]], dtype=np.intp), 0, 3))
        return np.concatenate(
            [self._ends[table] + found * self._tables[table][1] + column for found, column, table in columns]
        )

    def filled(self, question: Encoded, derivation: int) -> tuple[SolverTemplate, list[int]]:
        """The template of a derivation with the number of each slot."""
        candidates, template, row = question.find(derivation)
        return self.templates[candidates.group.templates[template]], candidates.rows[row].tolist()


def best(scores: Doubles, allowed: DerivationMask | None = None) -> int | None:
    """The derivation with the highest score, of those that are allowed; the first of equals. None without any."""
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    place = int(scores.argmax()) if len(scores) else 0
    return place if len(scores) and scores[place] > -np.inf else None


def likeliest(scores: Doubles, count: int, allowed: DerivationMask) -> list[int]:
    """The ``count`` derivations with the highest scores, of those that are allowed; of equals the first."""
    found = np.flatnonzero(allowed)
    order: list[int] = found[np.argsort(-scores[found], kind="stable")[:count]].tolist()
    return order


def _kept(questions: Iterable[Iterable[str]]) -> dict[str, int]:
    """The features that enough questions have, numbered by their names."""
    counts = Counter(feature for features in questions for feature in features)
    return {name: place for place, name in enumerate(sorted(name for name, n in counts.items() if n >= LEAST))}


def _group(size: int, templates: Indexes, columns: tuple[SlotColumns, SlotColumns]) -> TemplateGroup:
    single, pair = (np.array([table[place] for place in templates], dtype=np.intp).swapaxes(0, 1) for table in columns)
    return TemplateGroup(size, templates, single, pair)


def _columns(roles: Sequence[Sequence[str]]) -> tuple[SlotColumns, int]:
    """For each template the columns of its slots, its own ones and those of their roles; and how many there are."""
    ends = np.cumsum([0, *map(len, roles)]).tolist()
    shared = {role: ends[-1] + place for place, role in enumerate(dict.fromkeys(chain.from_iterable(roles)))}
    own = [range(start, end) for start, end in pairwise(ends)]
    found = [(mine, [shared[role] for role in names]) for mine, names in zip(own, roles, strict=True)]
    return found, ends[-1] + len(shared)


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
