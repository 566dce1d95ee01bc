"""Label files: what is read, and what is said of lines that cannot be."""

from pathlib import Path

import pytest

from corpus.errors import InputError
from corpus.lines.labels import label_from, label_lines, read_labels, unique_labels
from corpus.records import Label

LABEL = Label(post_id="x:1", in_scope=True, scope_reason="ok", gold_answer=("7/2",), family="ages", author="ann")


def test_labels_come_from_files_and_folders(tmp_path: Path) -> None:
    other = LABEL.model_copy(update={"post_id": "x:2"})
    (tmp_path / "b.jsonl").write_text(label_lines([LABEL]))
    (tmp_path / "a.jsonl").write_text(label_lines([other]))
    assert read_labels([tmp_path]) == [LABEL, other]
    assert read_labels([tmp_path, tmp_path / "a.jsonl"]) == [LABEL, other]


def test_scope_and_reason_complete_each_other() -> None:
    assert label_from({"post_id": "a", "in_scope": True}, "f:1").scope_reason == "ok"
    assert label_from({"post_id": "a", "in_scope": False}, "f:1").scope_reason == "not_math"
    assert not label_from({"post_id": "a", "scope_reason": "college"}, "f:1").in_scope


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json\n", r"labels.jsonl:1: not a JSON object"),
        ('{"post_id": "a"}\n', r"labels.jsonl:1: label field in_scope: required"),
        ('{"in_scope": true}', r"labels.jsonl:1: label field post_id: missing"),
        ('{"post_id": "", "in_scope": true}', r"labels.jsonl:1: label field post_id: empty"),
        ('{"post_id": "a", "scope_reason": "boring"}', r"labels.jsonl:1: label field scope_reason: .*'college'"),
        (
            '{"post_id": "a", "in_scope": false, "scope_reason": "ok"}',
            r"labels.jsonl:1: a says in_scope False, .* correct",
        ),
        (
            '{"post_id": "a", "in_scope": true, "gold_answer": "7"}',
            r"labels.jsonl:1: label field gold_answer: must be a list",
        ),
        (
            '{"post_id": "a", "in_scope": true, "gold_answer": [7]}',
            r"labels.jsonl:1: label field gold_answer.0: must be a text",
        ),
        (
            '{"post_id": "a", "in_scope": true, "golds": []}',
            r"labels.jsonl:1: label unknown field 'golds'; did",
        ),
        (
            '{"post_id": "a", "in_scope": true}\n\n{"post_id": "a", "in_scope": false}',
            r"labels.jsonl:3: a has another label at .*labels.jsonl:1; keep one",
        ),
        ("", r"no labels in .*labels.jsonl; expected JSON Lines"),
    ],
)
def test_bad_labels_say_where_and_what(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_labels([path])


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read labels .*none\.jsonl: No such file"):
        read_labels([tmp_path / "none.jsonl"])


def test_contradicting_labels_are_refused() -> None:
    other = LABEL.model_copy(update={"gold_answer": ("4",)})
    assert unique_labels([LABEL, LABEL]) == {"x:1": LABEL}
    with pytest.raises(InputError, match="two labels of x:1 contradict"):
        unique_labels([LABEL, other])
