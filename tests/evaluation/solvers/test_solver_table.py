"""Runs of solvers by folds, the command ``solve-eval``, and the table that goes on where it stopped."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.errors import ConfigError
from corpus.folders.files import Folder
from evaluation.solvers import solver_table
from evaluation.solvers.cross_validation import How, folds_of, tried
from evaluation.solvers.solver_table import kept_run, run_solver
from tests.evaluation.solvers.template_solvers.samples import LEFT, TOTAL, problem
from tests.flows.command import wordquarry


def _corpus() -> Corpus:
    things = ("pens", "hats", "cups", "cards", "nuts", "eggs", "keys", "dolls", "shells", "coins", "books", "balls")
    rows = []
    for place, thing in enumerate(things):
        had, lost = 20 + place, 2 + place
        left = f"Ann had {had} {thing}. She lost {lost} {thing}. How many {thing} are left?"
        rows.append(problem(f"l{place}", left, LEFT, "ab", "18"))
        total = f"There are {lost} boxes with {had} {thing} in each box. How many {thing} are there in all?"
        rows.append(problem(f"t{place}", total, TOTAL, "ab", str(lost * had)))
    return Corpus("made", "gold", len(rows), tuple(rows))


def test_every_problem_is_solved_by_one_that_has_not_seen_it() -> None:
    # each problem is the only one of its template
    story = "Ann has {} pens and Tom has {} pens. How many points do they get?"
    rows = [problem(str(k), story.format(k, 2), (f"m = {k} * a + b",), "ab", str(k * k + 2)) for k in range(11, 23)]
    found = run_solver(Corpus("made", "gold", len(rows), tuple(rows)), "td")
    assert (found.accuracy.predictions, found.accuracy.share("derivation").hits) == (12, 0)


class Listening:
    """A solver that has not seen what it is asked, or it fails."""

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        self.seen = {one.question for one in problems}
        assert len(self.seen) > 12

    def solve(self, question: str) -> None:
        assert question not in self.seen


def test_answers_of_another_corpus_are_not_those_to_be_found() -> None:
    corpus = _corpus()
    problems, found = tried(corpus.problems, folds_of(corpus, None)[0], Listening, How(answers_of=corpus))
    assert (problems, found) == (corpus.problems, {})


def test_a_run() -> None:
    found = run_solver(_corpus(), "td")
    assert found.folds == "5 folds by digest of the id"
    assert {measure: str(found.accuracy.share(measure)) for measure in ("derivation", "solution, relaxed")} == {
        "derivation": "100.0 % [86.2, 100.0] (n=24)",
        "solution, relaxed": "100.0 % [86.2, 100.0] (n=24)",
    }
    assert found.text().startswith("TD, 5 folds by digest of the id\nmade: 24 problems, 24 predictions")


def test_without_the_question_more_is_wrong() -> None:
    # what is asked alone tells the two templates apart here: the stories are the same
    rows = []
    for place in range(12):
        story = f"Ann has {20 + place} pens and Tom has {3 + place} pens."
        rows.append(problem(f"d{place}", f"{story} How many more pens has Ann?", ("m = a - b",), "ab", "17"))
        answer = str(23 + 2 * place)
        rows.append(problem(f"s{place}", f"{story} How many pens have they together?", ("m = a + b",), "ab", answer))
    corpus = Corpus("made", "gold", len(rows), tuple(rows))
    whole, removed = run_solver(corpus, "zdc"), run_solver(corpus, "zdc", None, How(question_removed=True))
    assert removed.solver == "ZDC, question removed"
    assert whole.accuracy.share("solution, relaxed").hits == 24
    assert removed.accuracy.share("solution, relaxed").hits < 18


def test_without_the_order_of_words_more_is_wrong() -> None:
    # only the order of the words tells who has more: both kinds have the same bag
    rows = []
    for place in range(12):
        first, second = f"{20 + place} pens", f"{3 + place} hats"
        less = f"Ann had {first} and found {second}. How many more pens than hats has she?"
        rows.append(problem(f"l{place}", less, LEFT, "ab", "17"))
        more = f"How many pens has Ann had? She found {first}, more than {second} and hats."
        rows.append(problem(f"m{place}", more, ("m = a + b",), "ab", str(23 + 2 * place)))
    corpus = Corpus("made", "gold", len(rows), tuple(rows))
    whole, bag = (run_solver(corpus, "td", None, How(bag_of_words=unordered)) for unordered in (False, True))
    assert bag.solver == "TD, bag of words"
    hits = [[run.accuracy.share(one).hits for run in (whole, bag)] for one in ("solution, relaxed", "derivation")]
    assert [pair[0] for pair in hits] == [24, 24]
    assert all(pair[1] < 18 for pair in hits)
    assert bag.accuracy.share("derivation").n == 24  # judged where the numbers stand in the bag
    both = run_solver(corpus, "td", None, How(question_removed=True, bag_of_words=True))
    assert (both.solver, both.accuracy.share("solution, relaxed").n) == ("TD, question removed, bag of words", 24)


def test_a_run_is_kept_by_its_content(tmp_path: Path) -> None:
    kept, corpus = Folder.at(tmp_path), _corpus()
    first = kept_run(corpus, "te", None, How(), kept)
    (file,) = tmp_path.iterdir()
    told = json.loads(file.read_text())
    assert first["solution, relaxed"] == tuple(told["solution, relaxed"]) == (24, 24)
    file.write_text(json.dumps(told | {"solution, relaxed": [1, 24]}))
    assert kept_run(corpus, "te", None, How(), kept)["solution, relaxed"] == (1, 24)  # it was not run again
    other = Corpus("made", "gold", 20, corpus.problems[:20])
    kept_run(other, "te", None, How(), kept)
    kept_run(corpus, "te", None, How(question_removed=True), kept)
    kept_run(corpus, "te", None, How(bag_of_words=True), kept)
    assert len(list(tmp_path.iterdir())) == 4


def test_unknown_solver() -> None:
    with pytest.raises(ConfigError, match="unknown solver 'kushman'; there are: sim, kazb, zdc"):
        run_solver(_corpus(), "kushman")


def test_cells_name_what_there_is() -> None:
    corpora = {solver_table.ALG, solver_table.DRAW, solver_table.ASDIV, solver_table.JOINED}
    assert {cell.corpus for cell in solver_table.CELLS} == corpora
    assert len({cell[:2] + cell[3:] for cell in solver_table.CELLS}) == len(solver_table.CELLS)


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "corpus.lines.jsonl"
    path.write_text("".join(one.model_dump_json() + "\n" for one in _corpus().problems), encoding="utf-8")
    corpus, data = f"made=gold:{path}", ("--data", tmp_path)
    result = wordquarry("solve-eval", corpus, "--solver", "te", "--json", *data)
    assert result.returncode == 0, result.stderr
    told = json.loads(result.stdout)
    assert (told["solver"], told["problems"]) == ("TE", 24)
    assert told["accuracy"]["derivation"]["hits"] == 24
    unordered = wordquarry("solve-eval", corpus, "--solver", "sim", "--bag-of-words", *data)
    assert unordered.stdout.startswith("SIM, bag of words, 5 folds by digest of the id\nmade: 24 problems")
    wrong = wordquarry("solve-eval", corpus, "--solver", "gpt", *data)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (1, 1)
    assert "unknown solver 'gpt'; there are: sim, " in wrong.stderr
