"""The similarity solver and the probes made of it; similarities and fillings were worked out by hand."""

import math
from fractions import Fraction
from pathlib import Path

import pytest

from audits.report.report_page import probe_chart
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from corpus.errors import InputError
from evaluation.corpus_figures import corpus_statistics
from evaluation.corpus_figures.comparison import Comparison
from evaluation.corpus_figures.corpus_statistics import stats_of
from evaluation.solvers.cross_validation import folds_of
from evaluation.solvers.probes import probes_of
from evaluation.solvers.shown_problems import question_start
from evaluation.solvers.sim import Sim, Text, TrainingProblem, edit_distance, example_of, in_order
from extractors.quantities.numbers import find_numbers
from tests.flows.command import wordquarry

LESS = "Tom has {} red pens . He gave {} of them away . How many pens are left ?"
TIMES = "A box holds {} eggs . How many eggs are in {} boxes ?"
NEVER = "Every night {} owls and {} cats meet {} dogs , why ?"


def _text(words: str) -> Text:
    places = [place for place, word in enumerate(words.split()) if word == "#"]
    return Text(tuple(words.split()), tuple((place, place + 1) for place in range(len(places))), tuple(places))


def _example(words: str, template: str, slots: dict[str, int]) -> TrainingProblem:
    return TrainingProblem(_text(words), (template,), template, slots)


def _corpus(count: int = 10) -> Corpus:
    """Half take away, half multiply, and one problem like no other."""
    problems = []
    for n in range(count):
        take, first, second = n % 2 == 0, 20 + n, 3 + n
        question = (LESS if take else TIMES).format(first, second)
        equation, value = (f"x={first}-{second}", first - second) if take else (f"x={first}*{second}", first * second)
        problems.append(_problem(f"p{n}", question, equation, str(value)))
    problems.append(_problem("odd", NEVER.format(5, 7, 9), "x=5*7*9+1", "316"))
    return Corpus("made", "gold", len(problems), tuple(problems))


def _problem(name: str, question: str, equation: str, value: str) -> GoldProblem:
    return GoldProblem(
        problem_id=name, native_id=name, origin="gold", question=question, equations=(equation,), gold=((value,),)
    )


def test_weighted_jaccard() -> None:
    examples = [_example("red pen #", "m = a", {"a": 0}), _example("red hat #", "m = a", {"a": 0})]
    # idf of two problems: red log(3/2), pen and hat log(3/1), and so the pairs of tokens; a new word log 3 too.
    red, rare = math.log(1.5), math.log(3)
    text = _text("red red pen owl #")
    words = Sim(examples, ordered=False)
    assert words.similarities(text) == pytest.approx([(red + rare) / (2 * red + 2 * rare), red / (2 * red + 3 * rare)])
    # with the pairs "red pen" and "pen #" beside "red red", "red pen", "pen owl" and "owl #"
    pairs = Sim(examples).similarities(text)
    assert pairs == pytest.approx([(red + 2 * rare) / (2 * red + 7 * rare), red / (2 * red + 9 * rare)])
    assert list(words.similarities(_text("red pen # #"))) == pytest.approx([0.7, 0.7 * red / (red + 2 * rare)])
    assert list(words.similarities(_text("#"))) == [0, 0]


def test_slots_are_filled_as_in_the_nearest_words_of_the_template() -> None:
    # the first problem is the most like the text, the second fills the slots of the same template with fewer changes
    near = _example("tom has red pens and blue hats # more # less", "m = a - b", {"a": 0, "b": 1})
    other = _example("lost # and had #", "m = a - b", {"a": 1, "b": 0})
    filled = Sim([near, other]).filled(_text("tom has red pens and blue hats lost # and had #"))
    assert next(filled) == (other, [1, 0])


def test_numbers_follow_the_words_around_them() -> None:
    example = _example("adult ticket costs # dollars and # tickets were sold", "m = a * b", {"a": 0, "b": 1})
    other = _text("of # tickets were sold each ticket costs # dollars")
    assert Sim([example]).fill(example, other)[1] == [1, 0]
    assert Sim([example], ordered=False).fill(example, other)[1] == [0, 1]
    assert Sim([example]).fill(example, _text("only #")) is None
    assert in_order(example, _text("only #")) is None


def test_signs_stay_beside_numbers_and_words_that_are_numbers_stay_words() -> None:
    question = "Twice, Ann put 20% of 3.5 dollars in dimes; two remain."
    found = Text.of(question, [(number.start, number.end) for number in find_numbers(question)])
    assert " ".join(found.tokens) == "twice , ann put # % of # dollars in dimes ; # remain ."
    assert [question[start:end] for start, end in found.numbers] == ["Twice", "20", "3.5", "dimes", "two"]
    assert found.places == (0, 4, 7, 10, 12)


@pytest.mark.rows(
    ("first", "second", "distance"), [("", "", 0), ("a b c", "", 3), ("a b c", "a x c", 1), ("a b", "b a", 2)]
)
def test_edit_distance(first: str, second: str, distance: int) -> None:
    assert edit_distance(tuple(first.split()), tuple(second.split())) == distance
    assert edit_distance(tuple(second.split()), tuple(first.split())) == distance


def test_a_number_in_the_removed_question_leaves_no_example() -> None:
    problem = _problem("p", TIMES.format(6, 7), "x=6*7", "42")
    whole = example_of(problem, "t", len(problem.question))
    assert whole is not None
    assert (whole.template, dict(whole.slots)) == (("m = a * b",), {"a": 0, "b": 1})
    assert whole.text.tokens[:5] == ("a", "box", "holds", "#", "eggs")
    assert example_of(problem, "t", question_start(problem.question)) is None


@pytest.mark.rows(
    ("question", "body"),
    [
        ("Tom has 3 . Find the rest .", "Tom has 3 ."),
        ("A 2.5 kg bag. What? Why?", "A 2.5 kg bag."),
        ("How many ?", ""),
        ("", ""),
    ],
)
def test_where_the_question_begins(question: str, body: str) -> None:
    assert question[: question_start(question)].strip() == body


def test_probes_solve_what_is_alike_and_nothing_else() -> None:
    found = {share.name: share.proportion for share in probes_of(_corpus()).shares}
    assert {proportion.n for proportion in found.values()} == {11}
    assert found["SIM"].hits == found["bag of words"].hits == 10
    # Without its question the second kind loses a number and cannot be solved; the first keeps both.
    assert found["SIM, question removed"].hits == found["bag of words, question removed"].hits == 5
    assert found["majority template, numbers in their order"].hits <= 10
    assert Sim([]).solve(_text("#"), {(0, 1): Fraction(1)}) == ()


def test_problems_without_a_text_teach_nothing() -> None:
    """Dolphin18K is published without texts: its templates have slots whose numbers stand nowhere."""
    blind = _problem("blind", "", "x=5*7*9+1", "316")
    rows = (*_corpus().problems, blind)
    found = {share.name: share.proportion for share in probes_of(Corpus("made", "gold", 12, rows)).shares}
    assert (found["SIM"].hits, found["SIM"].n) == (10, 11)
    assert probes_of(Corpus("blind", "gold", 1, (blind,))).shares[0].proportion.n == 0


def test_probes_in_the_figures_of_a_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = _corpus()
    shown = Comparison((stats_of(corpus, probed=None), stats_of(corpus, probed=False)))
    frame = dict(shown.sections())["solved by shallow probes"]
    assert list(frame.loc["SIM"]) == ["90.9 % [62.3, 98.4] (n=11)", ""]
    assert list(frame.loc["folds"]) == ["5 folds by digest of the id", ""]
    plain = shown.as_dict()["corpora"]
    assert (plain[0]["probes"]["SIM"]["hits"], plain[1]["probes"]) == (10, None)
    chart = probe_chart(probes_of(corpus))
    assert (chart["bars"][1]["label"], chart["bars"][1]["value"]) == ("SIM", "90.9 %")
    assert corpus_statistics.MOST_PROBED > 1_000
    monkeypatch.setattr(corpus_statistics, "MOST_PROBED", 12)
    large = Corpus("large", "gold", 13, corpus.problems[:1] * 13)
    assert stats_of(large, probed=None).probes is None


def test_folds(tmp_path: Path) -> None:
    corpus = _corpus(3)
    folds, _ = folds_of(corpus, None)
    assert sorted(name for fold in folds for name in fold) == ["odd", "p0", "p1", "p2"]
    (tmp_path / "0.txt").write_text("p0\r\np1\r\n", encoding="utf-8")
    (tmp_path / "1.txt").write_text("p2\r\nodd\r\n", encoding="utf-8")
    assert folds_of(corpus, tmp_path)[0] == [{"p0", "p1"}, {"p2", "odd"}]
    for spoiled in ("p2\n", "p2\nodd\np1\n"):
        (tmp_path / "1.txt").write_text(spoiled, encoding="utf-8")
        with pytest.raises(InputError, match="do not divide made"):
            folds_of(corpus, tmp_path)


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(one.model_dump_json() + "\n" for one in _corpus().problems), encoding="utf-8")
    result = wordquarry("solve-eval", "--solver", "probes", f"made=gold:{path}", "--data", tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("made: solved by shallow probes, 5 folds by digest of the id\n")
    assert "\nSIM: 90.9 % [" in result.stdout


@pytest.mark.shared
@pytest.mark.full
def test_sim_on_alg_514(shared_data: Path) -> None:
    corpus = read_corpus(f"alg514:{shared_data / 'alg514' / 'kushman.json'}")
    found = {share.name: share.proportion.hits for share in probes_of(corpus, shared_data / "alg514").shares}
    assert found["SIM"] > found["SIM, question removed"] > found["bag of words, question removed"]
    assert found["majority template, numbers in their order"] < 60
