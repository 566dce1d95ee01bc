"""The rows of a version that a gate judges, and the order in which rounds draw them.

Rows are sorted by confidence band, source, kind of thread and template size; a round cuts the rows that are left into
blocks of this order and draws one of each. So every group has its share of every round, to within one row at each end,
however small it is. Which row of a block is drawn is said by a hash of the version, the stage, the round and the post,
so nobody chooses the sample, and a mended version gets another one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from audits.acceptance.betting import block_sizes
from audits.acceptance.sizing import ROUND_ROWS
from audits.inspect.table_rows import ProblemTable
from audits.sheets.drawing import answer_units, equation_units, scope_units, tercile_cuts
from audits.sheets.sampling import Group, Unit
from corpus.canonical import sha256_text
from corpus.records import ClassifiedPost, PostReading, Problem
from curation.run_rows import RunRows

SMALL = 25
"""A group that is smaller than this part of the population is told with its neighbours."""
Traits = tuple[str, ...]


@dataclass(frozen=True)
class DrawnRound:
    """One round as it is drawn: how many rows were left before it, and of each row the post and its block's size."""

    left: int
    rows: tuple[tuple[str, int], ...]


def gate_units(rows: RunRows, problems: ProblemTable, stage: str) -> list[Unit]:
    """The decisions of a stage behind the version's problems, in the order of the groups that they belong to."""
    published = {problem.post_id: problem for problem in problems.problems(list(problems.places))}
    found = {
        unit.post_id: unit
        for unit in _UNITS[stage](rows, problems)
        if unit.group is Group.KEPT and unit.post_id in published
    }
    confidences = {post_id: _confidence(rows, published[post_id], stage) for post_id in found}
    if not found:
        return []
    cuts = tercile_cuts(list(confidences.values()))
    traits = {post_id: _traits(rows, published[post_id], confidences[post_id], cuts) for post_id in found}
    labels = merged_labels(traits)
    ordered = sorted(found, key=lambda post_id: (traits[post_id], post_id))
    return [replace(found[post_id], stratum=labels[post_id]) for post_id in ordered]


_UNITS = {"answers": answer_units, "equations": equation_units, "in_scope": scope_units}


def _confidence(rows: RunRows, problem: Problem, stage: str) -> float:
    """How sure the stage is of what it says: the probability of answer, system or scope."""
    if stage == "answers":
        return problem.answer_confidence
    if stage == "in_scope":
        classified = rows.record("classify", problem.post_id)
        return classified.probability if isinstance(classified, ClassifiedPost) else 0.0
    found = rows.record("read", problem.post_id)
    given = found.candidates if isinstance(found, PostReading) else ()
    return max((one.probability for one in given if one.answer_id in problem.votes), default=0.0)


def _traits(rows: RunRows, problem: Problem, confidence: float, cuts: tuple[float, float]) -> Traits:
    post = rows.post(problem.post_id)
    assert post is not None, f"{problem.post_id} came through a stage, so it was among the posts"
    band = sum(confidence > cut for cut in cuts)
    answers = "one answer" if len(post.answers) == 1 else "several answers"
    size = len(problem.template or ())
    equations = {0: "no template", 1: "1 equation", 2: "2 equations"}.get(size, "3 or more equations")
    return (
        ("confidence low", "confidence middle", "confidence high")[band],
        post.source,
        f"{answers}, {problem.agreement}",
        equations,
    )


def merged_labels(traits: Mapping[str, Traits]) -> dict[str, str]:
    """The group of each row, named by as many of its traits as leave it no smaller than a SMALL-th of all.

    >>> merged_labels({"a": ("low", "x"), "b": ("low", "x"), "c": ("low", "y")})["c"]
    'low; y'
    """
    least = -(-len(traits) // SMALL)
    sizes = Counter(one[:depth] for one in traits.values() for depth in range(1, len(one) + 1))
    found = {}
    for row, one in traits.items():
        depth = next((depth for depth in range(len(one), 0, -1) if sizes[one[:depth]] >= least), 0)
        found[row] = "; ".join([*one[:depth], *(["others"] if depth < len(one) else [])])
    return found


def _drawn(names: Sequence[str], key: str) -> str:
    """The post of a block that a round draws."""
    return min(names, key=lambda name: sha256_text(f"{key}\n{name}"))


def drawn_rounds(ordered: Sequence[str], seed: str, rows: int, size: int = ROUND_ROWS) -> list[DrawnRound]:
    """The first rounds of posts in this order, of at least ``rows`` rows or all; more rows begin with the same rounds.

    >>> [len(one.rows) for one in drawn_rounds([f"p{n}" for n in range(50)], "a", 41)]
    [20, 20, 10]
    """
    left, rounds = list(ordered), list[DrawnRound]()
    while left and sum(len(one.rows) for one in rounds) < rows:
        begin, chosen, key = 0, [], f"{seed}\n{len(rounds)}"
        for block in block_sizes(len(left), size):
            chosen.append((_drawn(left[begin : begin + block], key), block))
            begin += block
        rounds.append(DrawnRound(len(left), tuple(chosen)))
        gone = {name for name, _ in chosen}
        left = [name for name in left if name not in gone]
    return rounds
