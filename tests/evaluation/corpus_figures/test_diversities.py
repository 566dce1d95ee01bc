"""Lexicon and syntactic diversity of corpora, of each type, and of one corpus against another; worked out by hand."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from evaluation.charts import histograms_svg
from evaluation.corpus_figures.diversities import diversities_of, diversity_of_parts, sample
from tests.flows.command import one_line_failure, wordquarry


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


def corpus(name: str, *questions: str) -> Corpus:
    """Problems with these texts."""
    rows = tuple(problem(f"{name}{place}", question) for place, question in enumerate(questions))
    return Corpus(name, "gold", len(rows), rows)


def test_one_corpus_against_another() -> None:
    test = corpus("test", "Tom had 9 pens.", "Ann ate 4 figs.", "", "What is the price of one ticket?")
    train = corpus("train", "Tom had 9 pens.", " ", "How far is it?")
    found = diversity_of_parts(test, train, "surface")
    # Words: one text stands in the training part, the others share no four words with it. Tags: two of three do.
    assert (found.lexicon.lexicon_diversity, found.syntax.lexicon_diversity) == ((0.0, 1.0, 1.0), (0.0, 0.0, 1.0))
    assert found.text().splitlines()[1] == (
        "CLD 0.6667 (N=3 against 2), identical 33.3 % [6.1, 79.2] (n=3), surface:1|stop:0|numbers:0|names:0|lemma:0"
    )
    plain = found.as_dict()
    assert (plain["cld"], plain["against"], plain["syntax"]["sd"], plain["syntax"]["identical_share"]) == (
        2 / 3,
        2,
        1 / 3,
        2 / 3,
    )
    few = diversity_of_parts(test, train, "surface", most=1)
    assert (few.lexicon.n, few.syntax.n, few.against) == (3, 1, (2, 1))
    nothing = diversity_of_parts(corpus("none"), train, "default")
    assert nothing.text().splitlines()[1].startswith("CLD n/a (N=0 against 2)")
    assert nothing.picture().count("<rect") == 40


def test_histograms_as_a_picture() -> None:
    root = ET.fromstring(histograms_svg([("<A> & B", [3, 0, 6]), ("empty", [0, 0])]))
    bars = list(root.iter("{http://www.w3.org/2000/svg}rect"))
    # heights are shares of the highest, 110 pixels, in each panel
    assert [float(bar.attrib["height"]) for bar in bars] == [55.0, 0.0, 110.0, 0.0, 0.0]
    assert bars[0][0].text == "0.00 to 0.33: 3"
    titles = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert titles[0] == "<A> & B"


def test_the_command(tmp_path: Path) -> None:
    for one in (corpus("test", "Tom had 9 pens."), corpus("train", "Ann ate 4 figs.")):
        rows = "".join(problem.model_dump_json() + "\n" for problem in one.problems)
        (tmp_path / one.name).write_text(rows, encoding="utf-8")
    specs = (f"test=gold:{tmp_path / 'test'}", "--against", f"train=gold:{tmp_path / 'train'}", "--data", tmp_path)
    result = wordquarry("diversity", *specs, "--json", "--picture", tmp_path / "p.svg")
    plain = json.loads(result.stdout)
    assert (plain["cld"], plain["syntax"]["sd"]) == (1.0, 0.0)
    assert (tmp_path / "p.svg").read_text(encoding="utf-8").count("test against train: ") == 4  # two titles, twice each
    (tmp_path / "file").write_text("")
    assert "cannot write" in one_line_failure(wordquarry("diversity", *specs, "--picture", tmp_path / "file" / "p.svg"))
