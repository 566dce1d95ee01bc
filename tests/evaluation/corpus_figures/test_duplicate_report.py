"""The duplicate report, counted by hand on a small corpus and pinned where the data notes tell the counts."""

import json
from pathlib import Path

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from evaluation.corpus_figures.leaks import duplicate_report
from tests.flows.command import wordquarry
from tests.tiers import in_turn

LONG = (
    "Ann drives from the lake to the farm at 40 miles per hour and comes back along the same road at 60 miles per hour"
)
TEXTS = {
    "a": LONG,
    "b": LONG.upper() + " !",
    "c": LONG + " today.",
    "d": LONG.replace("40", "45"),
    "e": "A shop sells pens in boxes of 12. How many boxes hold 300 pens?",
    "f": "",
    "g": "?!",
}


def made() -> Corpus:
    """Problems with these texts."""
    rows = [GoldProblem(problem_id=name, native_id=name, origin="gold", question=text) for name, text in TEXTS.items()]
    return Corpus("made", "gold", len(rows), tuple(rows))


def test_report() -> None:
    found = duplicate_report(made())
    assert (len(found.texts), found.without_text) == (5, 2)
    assert (found.groups, found.alike) == ((("a", "b", "c"),), (("a", "b", "c", "d"),))
    assert [(label, share.hits, share.n) for label, share in found.shares()] == [
        ("exact, numbers kept", 2, 5),
        ("near, numbers kept", 2, 5),
        ("exact, numbers masked", 2, 5),
        ("near, numbers masked", 0, 5),
        ("in 1 groups, numbers kept", 3, 5),
        ("in 1 groups, numbers masked", 4, 5),
    ]
    text = found.text()
    assert f"a ~ b: exact\n  {TEXTS['a']}\n  {TEXTS['b']}" in text
    assert "a ~ c: near, 0.96 of the shingles" in text  # 22 shingles of 24 words and one more
    assert "a ~ d" not in text
    assert duplicate_report(Corpus("none", "gold", 0, ())).shares()[0][1].n == 0


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "made.jsonl"
    path.write_text("".join(one.model_dump_json() + "\n" for one in made().problems), encoding="utf-8")
    result = wordquarry("leaks", "--inside", f"made=gold:{path}", "--json", "--data", tmp_path)
    plain = json.loads(result.stdout)
    assert [(one["first"], one["second"], one["numbers"]) for one in plain["pairs"]] == [
        ("a", "b", "kept"),
        ("a", "c", "kept"),
        ("a", "d", "masked"),
    ]
    assert plain["pairs"][2]["second_text"] == TEXTS["d"]
    assert wordquarry("leaks", "--inside", f"gold:{path}", "--data", tmp_path).stdout.startswith("made: 5 problems")


@pytest.mark.shared
@pytest.mark.rows(("spec", "exact"), in_turn([("draw:draw/draw.json", 2 + 7 * 2), ("asdiv:asdiv/ASDiv.xml", 2)], 2))
def test_the_duplicates_that_are_known(shared_data: Path, spec: str, exact: int) -> None:
    """The notes of the data: one record twice and seven pairs with one text in DRAW, one pair in ASDiv."""
    name, _, path = spec.partition(":")
    found = duplicate_report(read_corpus(f"{name}:{shared_data / path}"))
    assert found.shares()[0][1].hits == exact
