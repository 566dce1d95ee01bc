"""Sheets of ambiguous slots, there and back; the alignments were worked out by hand."""

import base64
import hashlib
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from audits.sheets.label_sheets import read_slot_sheet, write_slot_sheet
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus
from corpus.errors import InputError
from curation.equivalence.open_slots import SlotSheet, apply_slot_sheet, slot_sheet
from tests.flows.command import one_line_failure, wordquarry

PIZZA = "Two pizzas and one cake cost 30 . One pizza and two cakes cost 27 ."
TEXTS = {
    "p1": (PIZZA, ("2*x + y*1 = 30", "x*1 + 2*y = 27")),
    "p2": ("Ann has 6 red pens . She gives 2 of the 6 red pens away .", ("x = 6 - 2",)),
    "p3": ("A sum of 12 and 12 is taken off 40 .", ("x = 40 - 12",)),
    "p4": ("Nothing to solve 5 and 5 .", ("x = (5",)),
}


def _corpus(**changes: object) -> Corpus:
    problems = tuple(
        GoldProblem(problem_id=name, native_id=name, origin="gold", question=text, equations=equations)
        for name, (text, equations) in TEXTS.items()
    )
    problems = tuple(one.model_copy(update=changes) for one in problems)
    return Corpus("made", "gold", len(problems), problems)


def _fill(path: Path, choices: dict[tuple[str, str], list[int] | None]) -> None:
    first, *rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    filled = [row | {"choice": choices.get((row["problem_id"], row["slot"]))} for row in rows]
    path.write_text("".join(json.dumps(one) + "\n" for one in (first, *filled)), encoding="utf-8")


def test_only_ambiguous_slots_are_asked(tmp_path: Path) -> None:
    sheet = write_slot_sheet(_corpus(), tmp_path / "sheet.jsonl")
    # 30 and 27 stand once; the two 6 of p2 are one quantity restated; p4 has no system.
    assert [(row.problem_id, row.slot, row.value) for row in sheet.rows] == [
        ("p1", "a", "2"),
        ("p1", "b", "1"),
        ("p1", "d", "1"),
        ("p1", "e", "2"),
        ("p3", "b", "12"),
    ]
    assert [one.context for one in sheet.rows[0].candidates] == [
        "[Two] pizzas and one cake cost 30 . One pizza",
        "as and one cake cost 30 . One pizza and [two] cakes cost 27 .",
    ]
    assert read_slot_sheet(tmp_path / "sheet.jsonl") == sheet


def test_choices_become_alignment_and_equivalent_numbers(tmp_path: Path) -> None:
    path = tmp_path / "sheet.jsonl"
    write_slot_sheet(_corpus(), path)
    # "Two" is meant both times, and the two 12 are said to be one quantity, the second standing for both.
    _fill(path, {("p1", "a"): [1], ("p1", "b"): [1], ("p1", "d"): [1], ("p1", "e"): [2], ("p3", "b"): [2, 1]})
    applied = apply_slot_sheet(_corpus(), read_slot_sheet(path))
    first, second, third, fourth = applied.problems
    assert (applied.decided, applied.still_open) == (2, 0)
    assert first.template == ("a * m + b * n = c", "d * m + a * n = e")
    found = {one.slot: PIZZA[one.start : one.end] for one in first.alignment}
    assert found == {"a": "Two", "b": "one", "c": "30", "d": "One", "e": "27"}
    assert third.template == ("m = a - b",)
    assert [(one.start, one.end) for one in third.alignment] == [(32, 34), (16, 18)]
    assert [[(one.start, one.end) for one in group] for group in third.equivalent_numbers] == [[(9, 11), (16, 18)]]
    assert (first.ambiguous, third.ambiguous) == (False, False)
    assert (second, fourth) == (_corpus().problems[1], _corpus().problems[3])
    again = Corpus("made", "gold", 4, applied.problems)
    assert slot_sheet(again).rows == ()


def test_half_a_problem_stays_open_and_choices_survive_writing_again(tmp_path: Path) -> None:
    path = tmp_path / "sheet.jsonl"
    write_slot_sheet(_corpus(), path)
    _fill(path, {("p1", "a"): [1]})
    sheet = write_slot_sheet(_corpus(), path)
    assert [row.choice for row in sheet.rows] == [(1,), None, None, None, None]
    assert sheet.decided == 1
    applied = apply_slot_sheet(_corpus(), sheet)
    assert (applied.problems, applied.decided, applied.still_open) == (_corpus().problems, 0, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choice": [3]}, r"choice \[3\] must be numbers of its 2 candidates"),
        ({"choice": []}, "must be numbers of its 2 candidates"),
        ({"choice": [1, 1]}, "each once"),
        ({"choice": "1"}, "choice: must be a list"),
        ({"value": "7"}, "change only choice and note"),
        ({"extra": 1}, "this is not a line of a sheet of slots"),
    ],
)
def test_a_spoiled_sheet_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "sheet.jsonl"
    write_slot_sheet(_corpus(), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | change)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_slot_sheet(path)


def test_a_sheet_of_another_corpus_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sheet.jsonl"
    write_slot_sheet(_corpus(), path)
    _fill(path, {("p1", "a"): [1]})
    sheet = read_slot_sheet(path)
    smaller = Corpus("less", "gold", 1, _corpus().problems[2:3])
    with pytest.raises(InputError, match="asks for p1, which less does not hold"):
        apply_slot_sheet(smaller, sheet)
    with pytest.raises(InputError, match="asks other questions about p1"):
        apply_slot_sheet(_corpus(equations=("x = 1",)), sheet)
    with pytest.raises(InputError, match="1 choices or notes that are no longer asked for, such as slot a of p1"):
        write_slot_sheet(smaller, path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="is empty"):
        read_slot_sheet(path)


def test_the_commands(tmp_path: Path) -> None:
    corpus, sheet, out = tmp_path / "corpus.lines.jsonl", tmp_path / "sheet.jsonl", tmp_path / "out.jsonl"
    corpus.write_text("".join(one.model_dump_json() + "\n" for one in _corpus().problems), encoding="utf-8")
    result = wordquarry("sheet", "slots", f"gold:{corpus}", sheet, "--data", tmp_path)
    said = f"{sheet}: 5 slots of 2 problems, 0 with a choice already; choose in {sheet.with_suffix('.html')}\n"
    assert (result.returncode, result.stderr) == (0, said)
    _fill(sheet, {("p3", "b"): [1]})
    result = wordquarry("sheet", "apply", f"gold:{corpus}", sheet, "--out", out, "--data", tmp_path)
    assert (result.returncode, result.stderr) == (0, "1 problems decided, 1 of the sheet still need a person\n")
    problems = read_corpus(f"gold:{out}").problems
    assert [one.ambiguous for one in problems] == [None, None, False, None]
    sheet.write_text("{}", encoding="utf-8")
    assert "not a line of a sheet" in one_line_failure(wordquarry("sheet", "apply", f"gold:{corpus}", sheet))


@pytest.mark.shared
def test_the_released_alignment_decides_released_classes(shared_data: Path) -> None:
    corpus = read_corpus(f"alg514:{shared_data / 'alg514' / 'kushman.json'}")
    sheet = slot_sheet(corpus)
    assert 80 < sheet.header.problems < 120  # the paper: 23 % of 514
    first = tuple(row.model_copy(update={"choice": (1,)}) for row in sheet.rows)
    applied = apply_slot_sheet(corpus, SlotSheet(sheet.header, first))
    assert (applied.decided, applied.still_open) == (sheet.header.problems, 0)


class _Page(HTMLParser):
    """What a page holds: its boxes, the marked numbers of each row, and its data and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.boxes: list[tuple[str, bool]] = []
        self.texts: dict[str, list[str]] = {}
        self.policy = ""
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("type") == "checkbox":
            self.boxes.append((f"{given['name']}={given['value']}", "checked" in given))
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        self._open.append("json" if given.get("id") == "payload" else tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)


def test_the_page_of_a_sheet(tmp_path: Path) -> None:
    path = tmp_path / "sheet.jsonl"
    write_slot_sheet(_corpus(), path)
    _fill(path, {("p3", "b"): [2]})
    sheet = write_slot_sheet(_corpus(), path)
    page = _Page((tmp_path / "sheet.html").read_text(encoding="utf-8"))
    # Five rows with two candidates each; the second one of the last row is chosen.
    assert page.boxes == [(f"choice-{row}={n}", (row, n) == (5, 2)) for row in range(1, 6) for n in (1, 2)]
    assert page.texts["mark"] == ["Two", "two", "one", "One", "one", "One", "Two", "two", "12", "12"]
    assert page.texts["small"] == [" #1", " #2", " #1", " #2", " #2", " #1", " #2", " #1", " #1", " #2"]
    payload = json.loads("".join(page.texts["json"]))
    lines = [json.dumps(record) for record in (payload["header"], *payload["rows"])]
    (tmp_path / "downloaded.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert read_slot_sheet(tmp_path / "downloaded.jsonl") == sheet
    digest = base64.b64encode(hashlib.sha256("".join(page.texts["script"]).encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page.policy


def test_hostile_questions_stay_text(tmp_path: Path) -> None:
    text = "</script><script>alert(1)</script><img src=x> 12 and 12 off 40 ."
    problem = GoldProblem(problem_id="<b>", native_id="h", origin="gold", question=text, equations=("x = 40 - 12",))
    write_slot_sheet(Corpus("<i>", "gold", 1, (problem,)), tmp_path / "sheet.jsonl")
    page = (tmp_path / "sheet.html").read_text(encoding="utf-8")
    assert page.count("<script") == 2
    for tag in ("<img", "<b>", "<i>"):
        assert tag not in page
    assert "<math><mi>x</mi><mo>=</mo><mn>40</mn><mo>−</mo><mn>12</mn></math>" in page


def test_a_sheet_named_like_its_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sheet\.html would hold two things at once"):
        write_slot_sheet(_corpus(), tmp_path / "sheet.html")
