"""The tag model: fitted on a corpus of our own, told out of fold, stored and read again, applied to rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.canonical import digest_of
from corpus.errors import InputError, ModelError
from evaluation.solvers.cross_validation import folds_of
from models.storage import load_model, model_bytes, save_model
from models.tag_model import COLUMNS, TagModel
from models.tag_terms import TaggedText, terms_of
from models.tag_training import held_out_tags, majority_hits, train_tags, typed_problems

NAMES = ("kites", "pens", "stamps", "plums", "caps")
MORE = "Ana has {a} {what} and Ben has {b}. How many {what} have they together?"
TIMES = "Each box holds {a} {what}. How many {what} are in {b} boxes?"


def typed_corpus(count: int = 30) -> Corpus:
    """Two additions of grade 1 to one multiplication of grade 3."""
    problems = []
    for n in range(count):
        times = n % 3 == 2
        a, b, what = 20 + n, 3 + n % 7, NAMES[n % 5]
        gold = a * b if times else a + b
        problems.append(
            GoldProblem(
                problem_id=f"own:{n}",
                native_id=str(n),
                origin="own",
                question=(TIMES if times else MORE).format(a=a, b=b, what=what),
                equations=(f"x={a}{'*' if times else '+'}{b}",),
                unknowns=("x",),
                gold=((str(gold),),),
                kind="Multiplication" if times else "Addition",
                details={"Grade": "3" if times else "1"},
            )
        )
    return Corpus("own", "own", count, tuple(problems))


def fitted(corpus: Corpus) -> TagModel:
    return train_tags(typed_problems(corpus), folds_of(corpus, None)[0], "own")[0]


def with_tag_model(data: Path) -> str:
    """Put a model of the small corpus into a data folder; returns its digest."""
    (data / "models").mkdir(parents=True)
    return save_model(fitted(typed_corpus()), str(data / "models" / "tags.json"))


@pytest.fixture(scope="module")
def model() -> TagModel:
    return fitted(typed_corpus())


def test_what_is_read_of_a_problem() -> None:
    question, asked, numbers, equations = terms_of(TaggedText("Tom has 24 pens. How many are 5%?", ["x=24*5/100"]))
    assert {"tom has", "0 pens", "pens"} <= set(question)
    assert {"how many are", "0 %"} <= set(asked)
    assert "tom" not in asked
    assert {"2 numbers", "percent", "largest of 5 bits", "the larger first", "does not divide"} <= set(numbers)
    assert "constant 100" in equations
    assert terms_of(TaggedText("Tom has 24 pens."))[-1] == []


def test_scores_out_of_fold_beside_the_floor() -> None:
    corpus = typed_corpus()
    problems, folds = typed_problems(corpus), folds_of(corpus, None)[0]
    _, report = train_tags(problems, folds, "own")
    rows = {row.name: (row.hits, row.n) for row in report.rows}
    assert rows["problem_type, floor: the most frequent"] == (20, 30)
    assert rows["problem_type, from text"] == rows["grade, from equations"] == (30, 30)
    assert {told for told, _ in majority_hits(problems, folds, "grade")} == {"1", "3"}
    held = held_out_tags(problems, folds, "grade")["text"]
    assert sorted(one.problem.problem_id for one in held) == sorted(one.problem_id for one in problems)


def test_a_model_has_never_seen_the_fold_that_it_is_tried_on() -> None:
    """A type that stands in one fold alone can't be told out of fold, and is learned by the model itself."""
    corpus = typed_corpus()
    asks: dict[str, object] = {
        "question": "Seven owls and 2 larks sit on a roof. What is their sum?",
        "kind": "Sum",
        "equations": (),
    }
    odd = [corpus.problems[0].model_copy(update={**asks, "problem_id": f"odd:{n}"}) for n in range(6)]
    problems = typed_problems(Corpus("own", "own", 36, (*corpus.problems, *odd)))
    folds = [{one.problem_id for one in problems[:30:2]}, {one.problem_id for one in problems[1:30:2]}]
    folds.append({one.problem_id for one in odd})
    held = held_out_tags(problems, folds, "problem_type")["text"]
    assert "Sum" not in {one.guess.label for one in held if one.problem.problem_id.startswith("odd")}
    model, _ = train_tags(problems, folds, "own")
    assert model.row(problems[-1].text)["problem_type"] == "Sum"


def test_a_model_survives_the_way_to_disk_whatever_the_order(model: TagModel, tmp_path: Path) -> None:
    corpus = typed_corpus()
    turned = Corpus("own", "own", corpus.records, corpus.problems[::-1])
    assert model_bytes(fitted(turned)) == model_bytes(model)
    path = str(tmp_path / "tags.json")
    save_model(model, path)
    assert model_bytes(load_model(path)) == model_bytes(model)


def test_columns_of_a_problem(model: TagModel) -> None:
    asks = "Each box holds 12 caps. How many caps are in 4 boxes?"
    row = model.row(TaggedText(asks, ["x=12*4"], ["x"]))
    assert tuple(row) == COLUMNS
    assert (row["problem_type"], row["grade"]) == ("Multiplication", "3")
    assert (row["difficulty_unknowns"], row["difficulty_steps"]) == (1, 1)
    assert 0.5 < float(row["grade_probability"] or 0) <= 1
    alone = model.row(TaggedText(asks))
    assert (alone["problem_type"], alone["difficulty_steps"]) == ("Multiplication", None)


def test_the_equations_say_what_the_text_does_not(model: TagModel) -> None:
    assert model.row(TaggedText("Caps and pens.", ["x=12*4"]))["problem_type"] == "Multiplication"
    assert model.row(TaggedText("Caps and pens.", ["x=12+4"]))["problem_type"] == "Addition"


def test_the_type_of_asdiv_does_not_reach_the_equations() -> None:
    """The same division with a remainder, whatever its type is said to be; the answer says what is asked."""
    for kind in ("Surplus", "Floor-Division", "Addition"):
        problem = GoldProblem(
            problem_id="asdiv:1",
            native_id="1",
            origin="asdiv",
            question="47 pupils go by bus. How many are left over?",
            equations=("x=floor(47/6)",),
            formula="47/6=7 r5",
            gold=(("5",),),
            kind=kind,
        )
        (typed,) = typed_problems(Corpus("one", "asdiv", 1, (problem,)))
        assert typed.text.equations == ("x=47-6*floor(47/6)",)


def test_corpora_that_say_nothing_are_refused() -> None:
    plain = Corpus("own", "own", 1, (typed_corpus(1).problems[0].model_copy(update={"kind": "", "details": {}}),))
    one_kind = typed_corpus(2)
    for corpus in (plain, one_kind):
        with pytest.raises(InputError, match="type or a grade, not 10 of two kinds"):
            fitted(corpus)


def test_damaged_files_are_refused(model: TagModel, tmp_path: Path) -> None:
    content: dict[str, Any] = json.loads(model_bytes(model))
    del content["content_sha256"]
    for change in ({"tags": {"mood": {}}}, {"terms": {}}, {"rarity": content["model"]["rarity"] | {"asked": []}}):
        changed = content | {"model": content["model"] | change}
        path = tmp_path / "tags.json"
        path.write_text(json.dumps(changed | {"content_sha256": digest_of(changed)}), encoding="utf-8")
        with pytest.raises(ModelError, match="refit it with wordquarry train tags"):
            load_model(str(path))
    content["model"]["tags"]["grade"]["intercepts"]["text"] = [0]
    path.write_text(json.dumps(content | {"content_sha256": digest_of(content)}), encoding="utf-8")
    with pytest.raises(ModelError, match="not 2 labels with"):
        load_model(str(path))
