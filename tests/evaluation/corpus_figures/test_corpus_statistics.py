"""The figures of a version, counted by hand."""

import json
from pathlib import Path

import pytest

from corpus.errors import ConfigError
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from evaluation.corpus_figures.comparison import Comparison, stats
from tests.worlds import Plan, build_world


def test_figures_of_the_small_world(tmp_path: Path) -> None:
    _, version = build_world(tmp_path, Plan(answers={"site:p00": ("20",)}, without_equations=("site:p01",)))
    found = stats(version)
    figures, making = found.figures, found.making
    assert making is not None
    assert (figures.problems, making.splits, making.dimensions) == (10, {"train": 10}, {"1": 1, "2": 9})
    assert (figures.templates, figures.with_template, figures.single_templates) == (1, 9, 0)
    ((identifier, template, share),) = figures.top_templates
    assert (identifier, template, share.hits, share.n) == ("t-sum-difference", "m+n=a; m-n=b", 9, 9)
    assert (figures.with_equations.hits, figures.linear.hits, figures.linear.n) == (9, 9, 9)
    assert (figures.consistent.hits, figures.consistent.n) == (9, 9)
    assert (making.agreement["confirmed"].hits, making.agreement["undecided"].hits) == (9, 1)
    # "The sum of two numbers is 25 and they differ by 15. What are they?": 15 words, 2 sentences
    assert (figures.words, figures.sentences, figures.operators) == (15, 2, 1)
    # the, sum, of, two, numbers, is, and, they, differ, by, what, are
    assert figures.vocabulary == 12
    assert figures.licenses == {"CC-BY-4.0": 10}
    assert (making.stored_ld, figures.diversity.n) == (0.75, 10)
    assert figures.diversity.cld == 0.0
    assert figures.diversity.identical_share == 1.0


def test_renderings(world: tuple[Workspace, Version]) -> None:
    found = Comparison((stats(world[1]),))
    assert "corpus lexicon diversity (CLD)" in found.text()
    assert "| problems | 10 |" in found.markdown()
    plain = json.loads(json.dumps(found.columns[0].as_dict()))
    assert plain["version"] == world[1].label
    assert plain["linear"] == {"hits": 10, "n": 10, "value": 1.0, "low": 0.722467, "high": 1.0}
    assert plain["diversity"]["n"] == 10
    assert plain["top_templates"][0]["template"] == "m+n=a; m-n=b"


def test_unknown_profile(world: tuple[Workspace, Version]) -> None:
    with pytest.raises(ConfigError, match="nonsense"):
        stats(world[1], profile="nonsense")
