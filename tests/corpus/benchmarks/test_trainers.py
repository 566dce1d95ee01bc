"""Rows for trainers: the columns that each consumer documents, loaded as the trainers load them, and graded."""

import json
from pathlib import Path

import datasets
import pytest

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.benchmarks.trainers import TRAINER_FORMATS, write_rows
from evaluation.metrics.grading import Mark, grade

APPLES = GoldProblem(
    problem_id="ours:1", native_id="1", origin="ours", question="Ann has 3 apples and buys 4. How many has she?",
    answer="7 apples", gold=(("7",),), rationale="3 + 4 = 7.", license="MIT",
)  # fmt: skip
TWO = APPLES.model_copy(
    update={"problem_id": "ours:2", "answer": "see below", "gold": (("3/4", "2"),), "rationale": r"\boxed{3/4, 2}"}
)
TYPES = {
    "trl": {"id": str, "prompt": list, "completion": list, "messages": list, "solution": str},
    "verl": {"data_source": str, "prompt": list, "ability": str, "reward_model": dict, "extra_info": dict},
    "nemo-rl": {"problem": str, "answer": str},
    "lm-eval": {"question": str, "answer": str},
    "inspect": {"id": str, "input": str, "target": str, "metadata": dict},
}
"""Columns by the documentation of TRL 1.16, verl 0.9, NeMo-RL 0.7, lm-evaluation-harness 0.4 and inspect_ai 0.3."""


def right(said: str, gold: str) -> bool:
    return grade(said, gold).mark is Mark.RIGHT


@pytest.mark.parametrize("name", TRAINER_FORMATS)
def test_rows_load_with_their_columns_and_answers_that_are_right(name: str, tmp_path: Path) -> None:
    text, refused = write_rows([APPLES, TWO], TRAINER_FORMATS[name], right)
    assert refused == ()
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    loaded = datasets.load_dataset(
        "json", data_files=str(tmp_path / "rows.jsonl"), split="train", cache_dir=str(tmp_path / "cache")
    )
    for row, gold in zip(loaded, ("7", "3/4; 2"), strict=True):
        assert {column: type(row[column]) for column in TYPES[name]} == TYPES[name]
        assert all(right(said, gold) for said in TRAINER_FORMATS[name].answers(row))


def test_trl_rows_are_conversational_in_every_column() -> None:
    text, _ = write_rows([APPLES], TRAINER_FORMATS["trl"], right)
    row = json.loads(text)
    assert row["messages"] == row["prompt"] + row["completion"]
    assert row["completion"][0] == {"role": "assistant", "content": "3 + 4 = 7.\n\nThe answer is \\boxed{7 apples}."}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"question": " "}, "needs a text"),
        ({"gold": ()}, "needs an answer value"),
        ({"rationale": ""}, "needs a solution"),
        ({"rationale": r"It is \boxed{8}."}, "is graded right against 7"),
    ],
)
def test_what_a_row_lacks_is_named(change: dict[str, object], why: str) -> None:
    text, (refusal,) = write_rows([APPLES.model_copy(update=change)], TRAINER_FORMATS["trl"], right)
    assert text == ""
    assert why in str(refusal)
    assert "ours:1" in str(refusal)
