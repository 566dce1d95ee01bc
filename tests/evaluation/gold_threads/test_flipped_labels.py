"""Labels that are flipped by a rule, and which of them are suspected."""

import json
from fractions import Fraction
from pathlib import Path

from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from evaluation.gold_threads.version_quality import DETECTORS, GoldThread, JudgedThread, flipped, flipped_labels
from extractors.real_numbers.values import Value

BY_QUESTION, BY_ONE = "a", "b"
"""Post ids whose SHA-256 begins with ca and 3e."""


def test_a_label_becomes_another_number() -> None:
    assert flipped(BY_QUESTION, "She has 10 of 14 and 20.", Fraction(12)) == 10
    assert flipped(BY_QUESTION, "She has 12 of them.", Fraction(12)) == 13
    assert flipped(BY_ONE, "She has 10 of 14.", Fraction(12)) == 13


def thread(published: Value | None, ranked: Value | None, solution: Value | None) -> JudgedThread:
    def single(value: Value | None) -> tuple[Value, ...] | None:
        return None if value is None else (value,)

    return JudgedThread(
        gold=GoldThread("file:1", True, ((Fraction(7),),)),
        question="What is 3 and 4?",
        answers=("3 + 4 = 7", "I think 8"),
        let_through=True,
        ranked=single(ranked),
        published=single(published),
        solutions=None if solution is None else ((solution, Fraction(3)),),
        published_solutions=None,
    )


def suspecting(read: JudgedThread, label: int) -> list[str]:
    return [name for name, suspects in DETECTORS.items() if suspects(read, (Fraction(label),))]


def test_a_label_is_suspected_by_what_was_read() -> None:
    seven = Fraction(7)
    assert suspecting(thread(seven, seven, seven), 7) == []
    everything = ["published answer", "answer of the stage read", "solutions of the voted system", "any of these"]
    assert suspecting(thread(seven, seven, seven), 8) == everything
    assert suspecting(thread(None, seven, None), 8) == ["answer of the stage read", "any of these"]
    assert suspecting(thread(None, None, seven), 3) == []  # one of the values of a solution
    assert suspecting(thread(None, None, None), 8) == []  # nothing was read, and the vote of last numbers is a tie


def test_the_table_counts_labels_of_one_number(world: tuple[Workspace, Version], tmp_path: Path) -> None:
    """A problem of the world has two values: a label of one of them differs from it, right or flipped; one of both does
    not count."""
    workspace, version = world
    problem = version.problems()[0]
    source, _, name = problem.post_id.partition(":")
    path = tmp_path / "threads.jsonl"

    def table(gold: list[str]) -> dict[str, tuple[int, int]]:
        path.write_text(json.dumps({"id": name, "source": source, "gold_answer": gold}) + "\n", encoding="utf-8")
        report = flipped_labels(workspace, version, path)
        return {share.name: (share.proportion.hits, share.proportion.n) for share in report.shares}

    assert len(problem.answer_exact) == 2
    one = table([problem.answer_exact[0]])
    assert one["flipped labels found: published answer"] == one["right labels suspected: published answer"] == (1, 1)
    assert one["right labels suspected: solutions of the voted system"] == (0, 1)
    assert set(table(list(problem.answer_exact)).values()) == {(0, 0)}
