"""Part-of-speech tags and syntactic diversity: tags written by hand, figures worked out by hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from audits.diversities import diversities_of, sample
from corpus.benchmarks.records import GoldProblem
from curation.diversity import corpus_diversity, diversity_against
from curation.profiles import PROFILES, normalise
from curation.tags import tags_of

CASES = Path(__file__).parents[1] / "cases" / "tags.jsonl"
RECORDS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def cases() -> list[object]:
    """Known failures fail strictly: a better tagger shortens the list."""
    failing = pytest.mark.xfail(strict=True)
    return [
        pytest.param(one, id=one["id"], marks=failing if one["label"] == "known failure" else ()) for one in RECORDS
    ]


@pytest.mark.parametrize("case", cases())
def test_tags_written_by_hand(case: dict[str, object]) -> None:
    assert list(normalise(str(case["text"]), PROFILES["tags"])) == case["expect"]


def test_share_of_right_tags() -> None:
    """What docs/corpora.md says."""
    sentences = [one for one in RECORDS if not one["label"].startswith("negative")]
    pairs = [
        pair for one in sentences for pair in zip(normalise(one["text"], PROFILES["tags"]), one["expect"], strict=True)
    ]
    assert (len(sentences), sum(found == expected for found, expected in pairs), len(pairs)) == (15, 111, 115)


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        (["They", "can't", "go"], ("PRP", "MD", "RB", "VB")),
        (["Wouldn't", "they'll"], ("MD", "RB", "PRP", "MD")),
        (["o'clock"], ("RB",)),
        (["'s"], ("POS",)),
        ([], ()),
    ],
)
def test_what_is_glued_to_a_word(words: list[str], tags: tuple[str, ...]) -> None:
    assert tags_of([words]) == tags


def test_syntactic_diversity() -> None:
    # Other words in the same syntax (NNP VBD CD NNS) are identical; the third text shares no four tags with them.
    found = corpus_diversity(["Tom had 9 pens.", "Ann ate 4 figs.", "What is the price of one ticket?"], profile="tags")
    assert found.lexicon_diversity == (0.0, 0.0, 1.0)
    assert (found.cld, found.identical_share) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert found.signature.startswith("tags:1|textblob-")
    assert diversity_against(["Ann ate 4 figs."], ["Tom had 9 pens."], "tags").cld == 0.0
    empty = corpus_diversity(["", "Why"], profile="tags")
    assert (empty.lexicon_diversity, empty.identical_share) == ((1.0, 1.0), 0.0)


def problem(name: str, question: str, kind: str = "") -> GoldProblem:
    return GoldProblem(problem_id=name, native_id=name, origin="gold", question=question, kind=kind)


def test_diversity_of_each_type() -> None:
    rows = [
        problem("a", "Tom had 9 pens.", "less"),
        problem("b", "Ann ate 4 figs.", "less"),
        problem("c", "Tom had 9 pens.", "more"),
    ]
    found = diversities_of(rows, "surface")
    # 'tom had 9 pens' stands twice in the corpus, once in each type; a type of one problem has nothing like it.
    assert (found.lexicon.cld, found.lexicon_inside and found.lexicon_inside.cld) == (pytest.approx(1 / 3), 1.0)
    assert [(one.kind, one.n, one.cld, one.tagged, one.sd) for one in found.kinds] == [
        ("less", 2, 1.0, 2, 0.0),
        ("more", 1, 1.0, 1, 1.0),
    ]
    assert diversities_of([*rows, problem("d", "Why")], "surface").kinds == ()
    assert diversities_of([], "default").syntax.cld is None


def test_syntax_of_a_sample() -> None:
    rows = [problem(str(n), "Tom had 9 pens.", "less" if n else "rare") for n in range(50)]
    chosen = sample(rows, 20)
    assert len(chosen) == 20
    assert chosen == sample(list(reversed(rows)), 20)[::-1]  # whatever the order they come in
    found = diversities_of(rows, "default", most=20)
    assert (found.lexicon.n, found.syntax.n, sum(one.tagged for one in found.kinds)) == (50, 20, 20)
    one_tagged = diversities_of(rows, "default", most=1).kinds
    assert sorted((one.tagged, one.sd) for one in one_tagged if one.tagged) == [(1, 1.0)]
    assert [one.sd for one in one_tagged if not one.tagged] == [None]


def test_other_profiles_do_not_load_the_tagger() -> None:
    code = (
        "import sys, flows.cli, curation.profiles as p\n"
        "p.normalise('Tom had 9 pens.')\n"
        "print('textblob' in sys.modules, 'nltk' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False"]
