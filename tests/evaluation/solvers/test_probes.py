"""SIM and the probes made of it, and problems as probes see them; all figures and places were worked out by hand."""

import math
from pathlib import Path

import pytest

from audits.report.report_page import probe_chart
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from corpus.errors import InputError
from evaluation.corpus_figures import comparison
from evaluation.corpus_figures.comparison import Comparison, stats_of
from evaluation.solvers.cross_validation import bag_of_words, folds_of, question_start
from evaluation.solvers.probes import MAJORITY_TEMPLATE, majority_template_share, probes_of, written_template
from evaluation.solvers.sim import Sim, Text, TrainingProblem, edit_distance, example_of
from tests.flows.command import wordquarry

LESS = "Tom has {} red pens . He gave {} of them away . How many pens are left ?"
TIMES = "A box holds {} eggs . How many eggs are in {} boxes ?"
NEVER = "Every night {} owls and {} cats meet {} dogs , why ?"


def _text(words: str) -> Text:
    places = [place for place, word in enumerate(words.split()) if word == "#"]
    return Text(tuple(words.split()), tuple((place, place + 1) for place in range(len(places))), tuple(places))


def _example(words: str, template: str, slots: dict[str, int]) -> TrainingProblem:
    return TrainingProblem(_text(words), (template,), slots)


def _sim(*examples: TrainingProblem) -> Sim:
    sim = Sim()
    sim.learn(examples)
    return sim


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
    sim = _sim(*examples)
    # with the pairs "red pen" and "pen #" beside "red red", "red pen", "pen owl" and "owl #"
    pairs = sim.similarities(_text("red red pen owl #"))
    assert pairs == pytest.approx([(red + 2 * rare) / (2 * red + 7 * rare), red / (2 * red + 9 * rare)])
    # another count of numbers, and the pair "# #"
    several = sim.similarities(_text("red pen # #"))
    assert several == pytest.approx([0.7 * (red + 3 * rare) / (red + 4 * rare), 0.7 * red / (red + 7 * rare)])
    assert list(sim.similarities(_text("#"))) == [0, 0]


def test_slots_are_filled_as_in_the_nearest_words_of_the_template() -> None:
    # the first problem is the most like the text, the second fills the slots of the same template with fewer changes
    near = _example("tom has red pens and blue hats # more # less", "m = a - b", {"a": 0, "b": 1})
    other = _example("lost # and had #", "m = a - b", {"a": 1, "b": 0})
    filled = _sim(near, other).filled(_text("tom has red pens and blue hats lost # and had #"))
    assert filled == (other, [1, 0])


def test_numbers_follow_the_words_around_them() -> None:
    example = _example("adult ticket costs # dollars and # tickets were sold", "m = a * b", {"a": 0, "b": 1})
    other = _text("of # tickets were sold each ticket costs # dollars")
    assert Sim().fill(example, other)[1] == [1, 0]
    assert Sim().fill(example, _text("only #")) is None


def test_signs_stay_beside_numbers_and_words_that_are_numbers_stay_words() -> None:
    question = "Twice, Ann put 20% of 3.5 dollars in dimes; two remain."
    found = Text.of(question)
    assert " ".join(found.tokens) == "twice , ann put # % of # dollars in dimes ; # remain ."
    assert [question[start:end] for start, end in found.numbers] == ["Twice", "20", "3.5", "dimes", "two"]
    assert found.places == (0, 4, 7, 10, 12)


@pytest.mark.rows(
    ("first", "second", "distance"), [("", "", 0), ("a b c", "", 3), ("a b c", "a x c", 1), ("a b", "b a", 2)]
)
def test_edit_distance(first: str, second: str, distance: int) -> None:
    assert edit_distance(tuple(first.split()), tuple(second.split())) == distance
    assert edit_distance(tuple(second.split()), tuple(first.split())) == distance


def test_an_example_has_the_numbers_of_its_slots() -> None:
    whole = example_of(_problem("p", TIMES.format(6, 7), "x=6*7", "42"))
    assert whole is not None
    assert (whole.template, dict(whole.slots)) == (("m = a * b",), {"a": 0, "b": 1})
    assert whole.text.tokens[:5] == ("a", "box", "holds", "#", "eggs")
    assert example_of(_problem("p", TIMES.format(6, 7), "x=", "42")) is None


@pytest.mark.rows(
    ("question", "body"),
    [
        ("Tom has 3 . Find the rest .", "Tom has 3 ."),
        ("A 2.5 kg bag. What? Why?", "A 2.5 kg bag."),
        ("Tom has 3 pens. How much do 3 pens at $2.50 each cost?", "Tom has 3 pens."),
        ("tom has 3 pens . how many are left ?", "tom has 3 pens ."),
        ("Tom meets Dr. Lee. What does Dr. Lee pay?", "Tom meets Dr. Lee."),
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
    assert Sim().solve("What is 1?") is None


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
    assert comparison.MOST_PROBED > 1_000
    monkeypatch.setattr(comparison, "MOST_PROBED", 12)
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
    path = tmp_path / "corpus.lines.jsonl"
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


def _bare(name: str, question: str, equation: str) -> GoldProblem:
    return GoldProblem(problem_id=name, native_id=name, origin="gold", question=question, equations=(equation,))


@pytest.mark.rows(
    ("question", "equation", "template"),
    [
        ("Ann has 3 pens and gets 5 more.", "x=3+5", "x=n0+n1"),
        ("Ann has 3 pens and gets 5 more.", "x=5+3", "x=n1+n0"),
        ("Ann has 4 pens, Bob has 4 and Cy has 4.", "x=4+4+4+4", "x=n0+n1+n2+n2"),
        ("Ann has 9 dimes and loses 2 of them.", "x=9-2", "x=n0-n1"),
        ("Ann and her 4 friends pay 1.5 dollars each.", "x1=1.5*(1+4)", "x1=n1*(1+n0)"),
    ],
)
def test_numbers_are_places_in_the_text(question: str, equation: str, template: str) -> None:
    assert written_template(_bare("p", question, equation)) == (template,)


def test_the_majority_of_the_other_folds(tmp_path: Path) -> None:
    less = [_bare(f"l{n}", f"Ann has {9 + n} pens and loses {n}.", f"x={9 + n}-{n}") for n in range(1, 5)]
    more = [_bare(f"m{n}", f"Ann has {9 + n} pens and finds {n}.", f"x={9 + n}+{n}") for n in range(1, 4)]
    (tmp_path / "0.txt").write_text("l1\nm1\nm2\n", encoding="utf-8")
    (tmp_path / "1.txt").write_text("l2\nl3\nl4\nm3\n", encoding="utf-8")
    found = probes_of(Corpus("made", "gold", 7, (*less, *more)), tmp_path)
    # The first fold is told "less" by the second one (3 of 4), the second one "more" by the first one (2 of 3).
    assert found.shares[-1].name == MAJORITY_TEMPLATE
    assert (found.shares[-1].proportion.hits, found.shares[-1].proportion.n) == (2, 7)


@pytest.mark.shared
def test_the_published_share_of_asdiv_a(shared_data: Path) -> None:
    folds = shared_data / "asdiv" / "nfolds" / "asdiv-a"
    corpus = read_corpus(f"asdiv:{shared_data / 'asdiv' / 'ASDiv.xml'}@{folds}")
    found = majority_template_share(corpus, folds_of(corpus, folds)[0])
    assert (found.hits, found.n) == (258, 1218)  # SVAMP prints 21.2 %


TEXT = "Ann has 20 red pens. She gives 5% of the 20 pens away; how many remain?"
BAG = "ann away gives has how many of pens pens red remain she the ; 20 ; 5 ; 20 ."


def _shown() -> GoldProblem:
    numbers = [{"value": "20", "start": at, "end": at + 2} for at in (8, 41)]
    slots = [{"slot": "a", **numbers[0]}, {"slot": "b", "value": "5", "start": 31, "end": 32}]
    fields = {"problem_id": "p", "native_id": "p", "origin": "gold", "template": ["m = a - 0.01 * a * b"]}
    return GoldProblem.model_validate({**fields, "question": TEXT, "alignment": slots, "equivalent_numbers": [numbers]})


def test_words_lose_their_order_and_numbers_keep_theirs() -> None:
    bag = bag_of_words(_shown())
    assert bag.question == BAG
    assert [(one.slot, bag.question[one.start : one.end]) for one in bag.alignment] == [("a", "20"), ("b", "5")]
    places = [(one.start, one.end) for one in bag.equivalent_numbers[0]]
    assert places == [(BAG.index("20"), BAG.index("20") + 2), (BAG.rindex("20"), BAG.rindex("20") + 2)]
    assert bag.alignment[0].start == places[0][0]


def test_problems_of_the_same_words_are_alike() -> None:
    other = "Away she gives 20 pens of the 5 red; how many pens remain? Ann has 20."
    shuffled = GoldProblem(problem_id="q", native_id="q", origin="gold", question=other)
    words, numbers = bag_of_words(shuffled).question.split(" ; ", 1)
    assert (words, numbers) == (BAG.split(" ; ", 1)[0], "20 ; 5 ; 20 .")
    assert bag_of_words(shuffled.model_copy(update={"question": ""})).question == " ."
