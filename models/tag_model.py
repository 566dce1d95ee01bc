"""The tag model: problem type and grade of a problem, each with a probability (ASDiv, Miao et al., ACL 2020).

Multinomial logistic regression over terms, once with the equations of a problem and once without. None ships: ASDiv,
which has both labels, may not be used commercially, and a user fits his own model (``wordquarry train tags``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import scipy

from models.linear import Softmax, in_steps, of_steps
from models.post_model import Vocabulary, matrix_of
from models.tag_terms import BLOCKS, TaggedText, read_equations, steps, terms_of, unknowns_of

TAGS: Final = ("problem_type", "grade")
COLUMNS: Final = (
    *(f"{tag}{part}" for tag in TAGS for part in ("", "_probability")),
    "difficulty_unknowns",
    "difficulty_steps",
)
TEXT, EQUATIONS = "text", "equations"
READINGS: Final = {TEXT: len(BLOCKS) - 1, EQUATIONS: len(BLOCKS)}
"""What is read of a problem, and how many blocks that is."""
TermLists = Sequence[Sequence[str]]


class Guess(NamedTuple):
    """The likeliest label and its probability."""

    label: str
    probability: float


@dataclass(frozen=True)
class TagFit:
    """The labels of a tag and a regression for each of READINGS."""

    labels: tuple[str, ...]
    by_reading: Mapping[str, Softmax]


@dataclass(frozen=True)
class TagModel:
    """``known`` terms by block, and a fit for each of TAGS that the corpus has labels of."""

    known: tuple[Vocabulary, ...]
    fits: Mapping[str, TagFit]
    notes: Mapping[str, str]

    def tags(self, problem: TaggedText) -> dict[str, Guess]:
        """The tags of a problem, from its equations too where they are understood."""
        terms = terms_of(problem)
        return {tag: self.guess(tag, terms) for tag in self.fits}

    def row(self, problem: TaggedText) -> dict[str, str | float | int | None]:
        """The columns of a problem: each tag and its probability, None for one that was not learned, and difficulty.

        Difficulty is how many unknowns and operations the equations have, None where they are not understood.
        """
        found, equations = self.tags(problem), read_equations(*problem[1:])
        told = [part for tag in TAGS for part in found.get(tag, (None, None))]
        difficulty = (len(unknowns_of(equations)), steps(equations)) if equations else (None, None)
        return dict(zip(COLUMNS, (*told, *difficulty), strict=True))

    def guess(self, tag: str, terms: TermLists, reading: str = EQUATIONS) -> Guess:
        """The likeliest label of a tag and its probability; from the text alone without terms of equations."""
        reading = reading if terms[-1] else TEXT
        fit, known = self.fits[tag], self.known[: READINGS[reading]]
        shares = fit.by_reading[reading].shares(rows_of([terms], known))[0]
        place = int(np.argmax(shares))
        return Guess(fit.labels[place], float(shares[place]))

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the model file; what lies on the grid is given in its steps."""
        return {
            "terms": {name: list(block.terms) for name, block in zip(BLOCKS, self.known, strict=True)},
            "rarity": {name: in_steps(block.rarity) for name, block in zip(BLOCKS, self.known, strict=True)},
            "tags": {
                tag: {
                    "labels": list(fit.labels),
                    "weights": {name: [in_steps(row) for row in one.weights] for name, one in fit.by_reading.items()},
                    "intercepts": {name: in_steps(one.intercepts) for name, one in fit.by_reading.items()},
                }
                for tag, fit in self.fits.items()
            },
            "notes": dict(self.notes),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TagModel":
        """A model from plain data; KeyError, TypeError or ValueError for data of another shape."""
        terms, rarity = data["terms"], data["rarity"]
        known = tuple(Vocabulary(tuple(terms[name]), of_steps(rarity[name])) for name in BLOCKS)
        if set(data["tags"]) - set(TAGS) or any(len(one.terms) != len(one.rarity) for one in known):
            raise ValueError(f"tags {', '.join(data['tags'])}")
        fits = {tag: _fit(found, [len(block.terms) for block in known]) for tag, found in data["tags"].items()}
        return cls(known, fits, dict(data["notes"]))


def _fit(data: Mapping[str, Any], sizes: Sequence[int]) -> TagFit:
    labels = tuple(map(str, data["labels"]))
    by_reading = {}
    for reading, blocks in READINGS.items():
        weights = np.array([of_steps(row) for row in data["weights"][reading]])
        intercepts = np.array(of_steps(data["intercepts"][reading]))
        if (weights.shape, intercepts.shape) != ((len(labels), sum(sizes[:blocks])), (len(labels),)):
            raise ValueError(f"not {len(labels)} labels with {sum(sizes[:blocks])} weights each")
        by_reading[reading] = Softmax(weights, intercepts)
    return TagFit(labels, by_reading)


def rows_of(problems: Sequence[TermLists], known: Sequence[Vocabulary]) -> "scipy.sparse.csr_matrix":
    """Problems as sparse rows: each block of length 1, side by side."""
    blocks = [
        matrix_of([block.row(terms[place]) for terms in problems], len(block.terms))
        for place, block in enumerate(known)
    ]
    return scipy.sparse.csr_matrix(scipy.sparse.hstack(blocks))
