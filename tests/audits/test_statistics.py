"""The corpus's figures, counted by hand."""

import json
from pathlib import Path

import pytest

from audits.statistics import count_operators, count_sentences, stats
from corpus.errors import ConfigError
from corpus.versions import Version
from corpus.workspace import Workspace
from tests.audits.worlds import Plan, build_world


@pytest.mark.parametrize(
    ("text", "sentences"),
    [("", 0), ("One. Two!", 2), ("It is 2.5 m. How long?", 2), ("no end", 1), ("What?! Really", 2)],
)
def test_sentences(text: str, sentences: int) -> None:
    assert count_sentences(text) == sentences


@pytest.mark.parametrize(
    ("equation", "operators"),
    [("x+y=25", 1), ("-x=-5", 0), ("2*x+3*(y-1)=7/2", 5), ("x^2=2^-1", 2), ("sqrt(x)=4", 0)],
)
def test_operators(equation: str, operators: int) -> None:
    assert count_operators(equation) == operators


def test_figures_of_the_small_world(tmp_path: Path) -> None:
    _, version = build_world(tmp_path, Plan(answers={"site:p00": ("20",)}, without_equations=("site:p01",)))
    found = stats(version)
    assert (found.problems, found.splits, found.dimensions) == (10, {"train": 10}, {"1": 1, "2": 9})
    assert (found.templates, found.with_template, found.single_templates) == (1, 9, 0)
    ((identifier, template, share),) = found.top_templates
    assert (identifier, template, share.hits, share.n) == ("t-sum-difference", "m+n=a; m-n=b", 9, 9)
    assert (found.with_equations.hits, found.linear.hits, found.linear.n) == (9, 9, 9)
    assert (found.agreement["confirmed"].hits, found.agreement["undecided"].hits) == (9, 1)
    # "The sum of two numbers is 25 and they differ by 15. What are they?": 15 words, 2 sentences
    assert (found.words, found.sentences, found.operators) == (15, 2, 1)
    # the, sum, of, two, numbers, is, and, they, differ, by, what, are
    assert found.vocabulary == 12
    assert found.licenses == {"CC-BY-4.0": 10}
    assert (found.stored_ld, found.diversity.n) == (0.75, 10)
    assert found.diversity.cld == 0.0
    assert found.diversity.identical_share == 1.0


def test_renderings(world: tuple[Workspace, Version]) -> None:
    found = stats(world[1])
    assert "corpus lexicon diversity (CLD)" in found.text()
    assert "| problems | 10 |" in found.markdown()
    plain = json.loads(json.dumps(found.as_dict()))
    assert plain["linear"] == {"hits": 10, "n": 10, "value": 1.0, "low": 0.722467, "high": 1.0}
    assert plain["diversity"]["n"] == 10


def test_unknown_profile(world: tuple[Workspace, Version]) -> None:
    with pytest.raises(ConfigError, match="nonsense"):
        stats(world[1], profile="nonsense")
