"""Every stage command of the contract, on files and on pipes, with one malformed line in the middle."""

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

import wordquarry as wq
from curation.stages.registry import BY_NAME, STAGES, BuildConfig
from flows.stage_command import NAMES, RecordContext
from models.answer_model import Ranking
from models.post_model import ScopePrediction
from models.shipped import read_thread, shipped_model
from models.thread_reading import ThreadReader
from tests.flows.command import one_line_failure, wordquarry
from tests.models.test_tag_model import with_tag_model

THREAD = {
    "question": "The sum of two numbers is 31 and one of them is 7 more than the other. Find the numbers.",
    "answers": [
        {"text": "x + y = 31\nx - y = 7\n2x = 38\nx = 19 and y = 12"},
        {"text": "Let n be the smaller. n + (n + 7) = 31, so 2n = 24, n = 12. The numbers are 12 and 19."},
    ],
}
SYSTEM = {"question": THREAD["question"], "equations": ["x + y = 31", "x - y = 7"]}
LEFT = {"template": ["m + n = a", "m - n = b"], "alignment": [{"slot": "a", "number": 0}, {"slot": "b", "number": 1}]}
RIGHT = {"template": ["x - y = d", "x + y = c"], "alignment": [{"slot": "c", "number": 0}, {"slot": "d", "number": 1}]}

INPUTS: dict[str, dict[str, Any]] = {
    "classify": THREAD,
    "equations": THREAD,
    "answers": THREAD,
    "solve": {"equations": ["2x + y = 7/2", "y = x - 1"]},
    "parse-answer": {"text": "{9; 14}"},
    "numbers": {"text": "Half of 3.50 dollars"},
    "templates": SYSTEM,
    "tags": {"question": "Each box holds 12 caps. How many caps are in 4 boxes?", "equations": ["x=12*4"]},
    "derivations": {"predicted": LEFT, "gold": RIGHT, "equivalent_numbers": []},
    "diversity": {"text": "A train leaves the station at noon and meets another train at four."},
}
ALONE = [stage.name for stage in STAGES if stage.decide and stage.name not in INPUTS]
INPUTS |= dict.fromkeys(ALONE, THREAD)


def check(name: str, found: dict[str, Any]) -> None:
    """The fields of the contract, with values worked out by hand."""
    if name == "classify":
        assert found["in_scope"] is True
        assert 0.5 <= found["probability"] <= 1
        assert found["question_type"] == "open"
    elif name == "equations":
        assert found["votes"] == [0, 1]
        assert {value for solution in found["solutions"] for value in solution.values()} >= {"19", "12"}
        assert sorted(found["solutions"][0][expression] for expression in found["asked"]) == ["12", "19"]
        assert 0.5 <= found["probability"] <= 1
        for candidate in found["candidates"]:
            text = THREAD["answers"][candidate["answer"]]["text"]  # type: ignore[index]
            assert all(text[span["start"] : span["end"]] == span["raw"] for span in candidate["spans"])
    elif name == "answers":
        assert found["answer"] is None or sorted(found["answer"]) == ["12", "19"]
        assert 0 <= found["confidence"] <= 1
        assert 1 <= len(found["ranked"]) <= 5
        assert found["asked_count"] == 2
    elif name == "solve":
        assert found["status"] == "solved"
        assert found["solutions"] == [{"x": "3/2", "y": "1/2"}]
    elif name == "parse-answer":
        assert found["alternatives"] == [["9", "14"]]
    elif name == "numbers":
        assert [(number["value"], number["raw"]) for number in found["numbers"]] == [("1/2", "Half"), ("7/2", "3.50")]
    elif name == "templates":
        assert sorted(slot["value"] for slot in found["alignment"]) == ["31", "7"]
        assert found["ambiguous"] is False
        assert found["template_id"]
    elif name == "derivations":
        assert found["equivalent"] is True
    else:
        assert 0 <= found["lexicon_diversity"] <= 1


def test_every_stage_of_the_contract_has_a_case() -> None:
    assert set(INPUTS) == set(NAMES)


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_one_line_out_for_each_line_in(name: str, tmp_path: Path) -> None:
    first, last = {"id": "a", **INPUTS[name]}, {"id": 7, **INPUTS[name]}
    lines = f"{json.dumps(first)}\n{{broken\n{json.dumps({'id': 'empty'})}\n{json.dumps(last)}\n"
    source, sink = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(lines, encoding="utf-8")
    data = ()
    if name == "tags":
        with_tag_model(tmp_path)  # none ships
        data = ("--data", tmp_path)
    on_files = wordquarry("stage", name, source, sink, *data)
    on_pipes = wordquarry("stage", name, *data, given=lines)
    assert on_files.returncode == on_pipes.returncode == 0, on_files.stderr
    out = [json.loads(line) for line in sink.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in out] == ["a", None, "empty", 7]
    assert out[1]["error"]["code"] == out[2]["error"]["code"] == "bad_input"
    assert "in.jsonl:2" in out[1]["error"]["message"]
    assert "Traceback" not in on_files.stderr
    for row in (out[0], out[3]):
        assert "error" not in row
        if name in ALONE:
            assert row.keys() == {"id", "kept", *BY_NAME[name].record.model_fields} - {"post_id"}
            assert row["kept"] is True
        elif name != "tags":
            check(name, row)
        else:
            assert (row["problem_type"], row["grade"], row["difficulty_steps"]) == ("Multiplication", "3", 1)
            assert row["difficulty_solved"] is None
    piped = [json.loads(line) for line in on_pipes.stdout.splitlines()]
    assert [row for row in piped if "error" not in row] == [row for row in out if "error" not in row]


def test_tags_take_the_share_of_solvers_and_need_a_model(tmp_path: Path) -> None:
    line = json.dumps({"id": "a", **INPUTS["tags"], "solved": [True, False, False, True]}) + "\n"
    assert "wordquarry train tags" in one_line_failure(wordquarry("stage", "tags", "--data", tmp_path, given=line))
    with_tag_model(tmp_path)
    found = json.loads(wordquarry("stage", "tags", "--data", tmp_path, given=line).stdout)
    assert found["difficulty_solved"] == 0.5
    wrong = json.dumps({**INPUTS["tags"], "solved": "yes"}) + "\n"
    assert "list of true and false" in wordquarry("stage", "tags", "--data", tmp_path, given=wrong).stdout


def test_strict_stops_at_the_first_bad_record() -> None:
    lines = '{"id": "a", "text": "3 pens"}\nnot json\n{"id": "b", "text": "4 pens"}\n'
    result = wordquarry("stage", "numbers", "--strict", given=lines)
    assert ":2" in one_line_failure(result)
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == ["a"]


def test_votes_are_those_of_a_build_unless_asked_for_otherwise(tmp_path: Path) -> None:
    one = {"id": "a", "question": THREAD["question"], "answers": [{"text": "x + y = 31 and x - y = 7, x = 19, y = 12"}]}
    config, line = tmp_path / "two.toml", json.dumps(one) + "\n"
    config.write_text("[read]\nmin_votes = 2\n", encoding="utf-8")
    found = {}
    for options in ((), ("--min-votes", 2), ("--config", config), ("--config", config, "--min-votes", 1)):
        result = wordquarry("stage", "equations", *options, given=line)
        found[options] = json.loads(result.stdout)["equations"] is not None
    assert list(found.values()) == [True, False, False, True]


def test_every_default_is_that_of_the_build() -> None:
    config = BuildConfig()
    assert RecordContext(shipped_model).config == config
    for read in (wq.read_thread, read_thread, ThreadReader.read):
        assert inspect.signature(read).parameters["min_votes"].default == config.read.min_votes
    for sure in (Ranking.sure, ScopePrediction.sure):
        assert inspect.signature(sure).parameters["least"].default is None, "the model's own threshold"


@pytest.mark.rows("name", ["numbers", "diversity"])
@pytest.mark.rows(
    ("lines", "said"),
    [
        ("question,answer\nHow many?,4\n", "question,answer"),
        ('[{"id": "a", "text": "3 pens"},\n{"id": "b", "text": "4 pens"}]\n', "JSON list"),
        ("", "it is empty"),
        ("\n\n", "expected JSON Lines"),
    ],
    ids=["table", "array", "empty", "blank"],
)
def test_a_file_of_which_no_line_is_a_record_is_refused(name: str, lines: str, said: str) -> None:
    result = wordquarry("stage", name, given=lines)
    message = one_line_failure(result)
    assert "no line of standard input is a record" in message
    assert len(result.stdout.splitlines()) == len(lines.splitlines())


def test_a_field_that_is_missing_is_told_with_those_that_are_there() -> None:
    result = wordquarry("stage", "numbers", given='{"id": "a", "question": "3 pens"}\n')
    assert result.returncode == 0
    assert "field 'text' must be a string; it is missing (there are id, question)" in result.stderr
    assert "there are id, question" in json.loads(result.stdout)["error"]["message"]


def test_template_alone_gives_equal_ids_for_equivalent_templates() -> None:
    lines = "".join(json.dumps({"id": n, "template": side["template"]}) + "\n" for n, side in enumerate((LEFT, RIGHT)))
    found = [json.loads(line) for line in wordquarry("stage", "templates", given=lines).stdout.splitlines()]
    slots = wordquarry("stage", "templates", given='{"id": 1, "template": ["a * m = b"]}\n').stdout
    assert found[0]["template_id"] == found[1]["template_id"] != json.loads(slots)["template_id"]


def test_a_system_without_a_number_of_the_question_has_no_template() -> None:
    line = json.dumps({"question": "How many quarters are in $13.75?", "equations": ["x = 13*4 + 3"]})
    found = json.loads(wordquarry("stage", "templates", given=line + "\n").stdout)
    assert (found["template"], found["template_id"], found["alignment"]) == (None, None, [])
    assert found["note"].startswith("no slot, since no number of the equations is in the question: m = 55")


def test_missing_input_file_is_one_line(tmp_path: Path) -> None:
    assert "nothing.jsonl" in one_line_failure(wordquarry("stage", "solve", tmp_path / "nothing.jsonl"))


def test_lone_surrogates_and_nulls_do_no_harm() -> None:
    lines = '{"id": "a", "text": "\\ud800 3 pens \\u0000"}\n'
    result = wordquarry("stage", "numbers", given=lines)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["numbers"][0]["value"] == "3"
