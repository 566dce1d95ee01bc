"""The leak report over small corpora, and injected leaks over public ones."""

import json
from pathlib import Path

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.errors import InputError
from evaluation.corpus_figures.injected_leaks import CHANGES, injected_leaks
from evaluation.corpus_figures.leaks import leak_report

TEXT = "A shop sells pens in boxes of 12. How many boxes hold 300 pens?"


def corpus_of(name: str, *texts: str) -> Corpus:
    """A corpus of some texts."""
    problems = [
        GoldProblem(problem_id=f"{name}:{place}", native_id=str(place), origin=name, question=text)
        for place, text in enumerate(texts)
    ]
    return Corpus(name, name, len(problems), tuple(problems))


def test_report() -> None:
    mine = corpus_of("mine", TEXT.upper(), TEXT.replace("shop", "big shop"), "", TEXT.replace("12", "|20|"))
    report = leak_report(
        mine, [corpus_of("bench", TEXT, ""), corpus_of("other", "Nothing alike 7 times over here.")], 0.3
    )
    assert report.counts().astype(str).to_numpy().tolist() == [
        ["bench", "1", "1", "1", "1", "66.7 % [20.8, 93.9] (n=3)", "0", "1"],
        ["other", "1", "0", "0", "0", "0.0 % [0.0, 56.1] (n=3)", "0", "0"],
    ]
    text, markdown = report.text(), report.markdown()
    assert "mine:1 ~ bench bench:0: near, 1 words differ" in text
    assert f"  theirs: {TEXT}" in text
    assert "at most 30 % of its words" in text
    assert f"| mine:0 | bench bench:0 | exact | {TEXT.upper()} | {TEXT} |" in markdown
    plain = json.loads(json.dumps(report.as_dict()))
    assert plain["benchmarks"]["bench"]["leaked"]["hits"] == 2
    assert [leak["problem_id"] for leak in plain["leaks"]] == ["mine:0", "mine:1"]


def test_benchmarks_need_names_of_their_own() -> None:
    with pytest.raises(InputError, match="two benchmarks are named bench"):
        leak_report(corpus_of("mine", TEXT), [corpus_of("bench", TEXT), corpus_of("bench", TEXT)], 0.3)


@pytest.mark.shared
@pytest.mark.full
def test_injected_leaks_are_found(shared_data: Path) -> None:
    report = injected_leaks(shared_data)
    shares = {share.name: share.proportion for share in report.shares}
    assert all(share.met for share in report.shares), shares
    assert {shares[f"found: {name}"].n for name in CHANGES} == {400}
    assert shares["found: one number changed"].hits == 0
    assert shares["13-grams, found: one word exchanged"].hits < 380 < shares["13-grams, found: unchanged"].hits
    assert 19 <= shares["leaks in the other half"].hits <= 30  # all read by hand, see docs/quality.md
