"""Benchmark files out: read, written and read again they are the same; what a format cannot hold is refused."""

import json
from pathlib import Path

import pytest

from corpus.benchmarks.format_registry import FORMATS, format_named
from corpus.benchmarks.gold_problems import GoldProblem, RefusedRecord
from corpus.benchmarks.reading import read_corpus, read_file, rows_of, write_corpus
from corpus.errors import InputError
from corpus.reasons import Reason
from tests.corpus.benchmarks.test_reading import FILES, NAMES, corpus
from tests.tiers import in_turn

WRITABLE = [name for name, each in FORMATS.items() if each.write is not None]


def through(problems: tuple[GoldProblem, ...], name: str, folder: Path) -> tuple[dict[str, GoldProblem], list[str]]:
    """Problems written in a format and read again, in their order by their own ids; and the ids that were refused."""
    content, refused = write_corpus(problems, format_named(name))
    path = folder / f"{name}.file"
    path.write_text(content, encoding="utf-8", newline="")
    left_out = {refusal.where for refusal in refused}
    kept = [problem for problem in problems if problem.problem_id not in left_out]
    back = read_file(path, format_named(name), "back").problems if kept else ()
    return dict(zip([problem.problem_id for problem in kept], back, strict=True)), sorted(left_out)


@pytest.mark.parametrize("name", NAMES)
def test_round_trip(name: str, tmp_path: Path) -> None:
    found = corpus(name)
    content, refused = write_corpus(found.problems, format_named(name))
    path = tmp_path / NAMES[name]
    path.write_text(content, encoding="utf-8", newline="")
    assert refused == ()
    again = read_file(path, format_named(name), "again")
    assert (again.problems, again.refused) == (found.problems, ())
    if name != "asdiv":
        refusals = {refusal.where for refusal in found.refused}
        kept = [row for place, row in rows_of(FILES / NAMES[name], format_named(name)) if place not in refusals]
        assert [row for _, row in rows_of(path, format_named(name))] == kept


@pytest.mark.parametrize("source", NAMES)
@pytest.mark.parametrize("target", WRITABLE)
def test_no_format_changes_an_answer(source: str, target: str, tmp_path: Path) -> None:
    problems = corpus(source).problems
    back, refused = through(problems, target, tmp_path)
    assert len(back) + len(refused) == len(problems)
    for problem in problems:
        if problem.problem_id in back:
            assert back[problem.problem_id].gold == problem.gold


@pytest.mark.parametrize("target", [name for name in WRITABLE if name != "gold"])
def test_every_format_holds_license_and_address(target: str, tmp_path: Path) -> None:
    terms = {"license": "CC BY-SA 4.0", "url": "https://forum.example/q/7?a=1&b=2"}
    problem = corpus("gsm8k").problems[0].model_copy(update=terms)
    problem = problem.model_copy(update={"equations": ("x=2+3",), "unknowns": ("x",), "gold": (("5",),), "answer": "5"})
    problem = problem.model_copy(update={"question": "Ann has 2 pens and 3 cups. How many things has she?"})
    other = problem.model_copy(update={"origin": "problems"})
    content, refused = write_corpus([other], format_named(target))
    assert refused == ()
    (back,) = through((other,), target, tmp_path)[0].values()
    assert (back.license, back.url) == (terms["license"], terms["url"])
    assert content.count("forum.example") == 1
    bare, _ = write_corpus([other.model_copy(update=dict.fromkeys(terms))], format_named(target))
    assert "license" not in bare


def test_from_draw_to_the_others(tmp_path: Path) -> None:
    problems = corpus("draw").problems[:2]
    asdiv, _ = through(problems, "asdiv", tmp_path)
    assert asdiv["draw:7002"].parts == ("Three times a number is 21 .", "What is it ?")
    assert asdiv["draw:7002"].equations == ("3*x=21",)
    dolphin, _ = through(problems, "dolphin", tmp_path)
    assert dolphin["draw:7001"].unknowns == ("adult", "child")
    assert dolphin["draw:7001"].question == problems[0].question
    _, refused = through(problems, "mathqa", tmp_path)
    assert refused == ["draw:7001", "draw:7002"]  # two equations, and an equation that is no expression


def test_from_svamp_to_the_others(tmp_path: Path) -> None:
    problems = corpus("svamp").problems
    mathqa, _ = through(problems, "mathqa", tmp_path)
    assert mathqa["svamp:ours-1"].formula == "subtract(multiply(3, 2.5), 1)"
    assert (mathqa["svamp:ours-1"].options, mathqa["svamp:ours-1"].correct) == (("13/2",), 0)
    asdiv, _ = through(problems, "asdiv", tmp_path)
    assert (asdiv["svamp:ours-0"].formula, asdiv["svamp:ours-0"].equations) == ("9-4=5", ("x=9-4",))
    draw, _ = through(problems, "draw", tmp_path)
    assert draw["svamp:ours-0"].question == (
        "Tom had 9 pens . He gave 4 of them away . How many pens does he have now ?"
    )


def test_from_asdiv_to_svamp(tmp_path: Path) -> None:
    back, refused = through(corpus("asdiv").problems, "svamp", tmp_path)
    assert back["asdiv:t-1"].formula == "( 7.0 + 2.0 )"
    assert (back["asdiv:t-1"].kind, back["asdiv:t-1"].parts[1]) == ("Addition", "How many kites fly over the hill?")
    assert refused == ["asdiv:t-2", "asdiv:t-3"]  # a remainder is none of the four operations; a name is no number


def test_from_the_others_to_gsm8k(tmp_path: Path) -> None:
    content, refused = write_corpus(corpus("svamp").problems, format_named("gsm8k"))
    first = json.loads(content.splitlines()[0])
    assert (first["id"], first["answer"]) == ("svamp:ours-0", "#### 5")
    assert refused == ()
    aqua, _ = through(corpus("aqua").problems, "gsm8k", tmp_path)
    assert aqua["aqua:000001"].rationale == corpus("aqua").problems[0].rationale
    marked = corpus("gsm8k").problems[0].model_copy(update={"origin": "a", "rationale": "4 #### 5"})
    back, _ = through((marked,), "gsm8k", tmp_path)
    assert back["gsm8k:000001"].gold == (("18",),)


def test_alignments_follow_their_tokens(tmp_path: Path) -> None:
    problem = corpus("draw").problems[0]
    plain = problem.model_copy(update={"origin": "problems", "question": problem.question.replace(" .", ".")})
    shift = {
        slot.start: plain.question.index(slot_text)
        for slot, slot_text in zip(problem.alignment, ("40 tickets. A", "6 dollars", "2.5", "170"), strict=True)
    }
    moved = plain.model_copy(
        update={
            "alignment": tuple(
                slot.model_copy(update={"start": shift[slot.start], "end": shift[slot.start] + 2})
                for slot in problem.alignment
            ),
            "equivalent_numbers": (),
        }
    )
    back, _ = through((moved,), "draw", tmp_path)
    assert back[problem.problem_id].question == problem.question
    assert back[problem.problem_id].alignment == problem.alignment


def test_what_cannot_be_written() -> None:
    lonely = GoldProblem(
        problem_id="a:1", native_id="1", origin="a", question="What\x0bis it?", answer="7", gold=(("7",),)
    )
    reasons = {}
    for name in WRITABLE:
        _, refused = write_corpus([lonely], format_named(name))
        reasons[name] = [refusal.reason for refusal in refused]
    assert {name for name, found in reasons.items() if not found} == {
        "dolphin",
        "dolphin1878",
        "aqua",
        "gsm8k",
        "gold",
    }
    assert {reason for found in reasons.values() for reason in found} == {Reason.NOT_EXPRESSIBLE}
    _, (refusal,) = write_corpus([lonely.model_copy(update={"equations": ("x=7",)})], format_named("asdiv"))
    assert isinstance(refusal, RefusedRecord)
    assert "XML cannot hold" in str(refusal)
    with pytest.raises(InputError, match="written by builds only"):
        write_corpus([lonely], format_named("problems"))


def test_an_answer_that_a_format_would_change_is_refused() -> None:
    either = GoldProblem(
        problem_id="a:1", native_id="1", origin="a", question="Q?", gold=(("1",), ("2",)), equations=("x=1",)
    )
    content, refused = write_corpus([either], format_named("draw"))
    assert json.loads(content) == []
    assert "would change the answer" in refused[0].detail


@pytest.mark.shared
@pytest.mark.parametrize(
    "spec",
    in_turn(
        [
            "draw:draw/draw.json",
            "alg514:alg514/kushman.json",
            "asdiv:asdiv/ASDiv.xml",
            "dolphin:dolphin18k/dev_urls.json",
            "mathqa:mathqa/mathqa_dev_first2000.jsonl",
            "aqua:aqua/aqua_dev.jsonl",
        ],
        3,
    ),
)
def test_round_trip_of_the_published_files(shared_data: Path, spec: str, tmp_path: Path) -> None:
    name, _, file = spec.partition(":")
    found = read_corpus(f"{name}:{shared_data / file}")
    content, refused = write_corpus(found.problems, format_named(name))
    path = tmp_path / "written"
    path.write_text(content, encoding="utf-8", newline="")
    assert refused == ()
    assert read_file(path, format_named(name), "again").problems == found.problems
    if name != "asdiv":
        first, second = (rows_of(each, format_named(name)) for each in (shared_data / file, path))
        assert [row for _, row in first] == [row for _, row in second]
