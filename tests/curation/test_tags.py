"""Part-of-speech tags and syntactic diversity: tags written by hand, figures worked out by hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from curation.near_texts.diversity import corpus_diversity, diversity_against
from curation.near_texts.profiles import PROFILES, normalise
from curation.near_texts.tags import tags_of

CASES = Path(__file__).parents[1] / "cases" / "tags.jsonl"
RECORDS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def cases() -> list[object]:
    """Known failures fail strictly: a better tagger shortens the list."""
    failing = pytest.mark.xfail(strict=True)
    return [
        pytest.param(one, id=one["id"], marks=failing if one["label"] == "known failure" else ()) for one in RECORDS
    ]


@pytest.mark.rows("case", cases())
def test_tags_written_by_hand(case: dict[str, object]) -> None:
    assert list(normalise(str(case["text"]), PROFILES["tags"])) == case["expect"]


def test_share_of_right_tags() -> None:
    """What docs/corpora.md says."""
    sentences = [one for one in RECORDS if not one["label"].startswith("negative")]
    pairs = [
        pair for one in sentences for pair in zip(normalise(one["text"], PROFILES["tags"]), one["expect"], strict=True)
    ]
    assert (len(sentences), sum(found == expected for found, expected in pairs), len(pairs)) == (15, 111, 115)


@pytest.mark.rows(
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


def test_other_profiles_do_not_load_the_tagger() -> None:
    code = (
        "import sys, flows.cli, curation.near_texts.profiles as p\n"
        "p.normalise('Tom had 9 pens.')\n"
        "print('textblob' in sys.modules, 'nltk' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["False", "False"]
