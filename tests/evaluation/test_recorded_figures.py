"""Figures as data: records hold what was measured, pages say what the records say, and what is outdated is named."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.errors import ConfigError, InputError
from curation.stages.registry import STAGES
from evaluation.recorded_figures import (
    QUALITY,
    Measurement,
    Pages,
    TableData,
    measured,
    outdated_pages,
    pages_of,
    read_records,
    write_record,
)
from flows.quality import FIGURES, RECORDS, Figure, run_quality

ROOT = Path(__file__).resolve().parents[2]
MARKDOWN = """## title

A value counts if
it is equal.

**answers**

| system | precision |
|---|---|
| published | 92.9 % (n=84) |
| floor | 62.4 % (n=93) |

| failures | n |
|---|---:|
| a\\|b | 3 |

Signature: `gold:12|x`
2 labels have no post
"""
RECORD = measured("small", "wordquarry quality small", MARKDOWN, {"posts": "1" * 32})


def pages(record: Measurement = RECORD, posts: str = "1" * 32) -> Pages:
    """Pages that quote one record."""
    rows = [["all", "{small / answers / published / precision} here"], ["none", ""]]
    headline = TableData("headline", ["what", "precision"], rows)
    return Pages({"small": record}, headline, {"posts": posts}, ROOT)


def test_a_record_holds_the_tables_and_the_signature(tmp_path: Path) -> None:
    write_record(tmp_path, QUALITY, RECORD)
    assert read_records(tmp_path) == {"small": RECORD}
    assert RECORD.command == "wordquarry quality small"
    assert RECORD.rule == "A value counts if it is equal.\n\n2 labels have no post"
    assert RECORD.signature == "gold:12|x"
    assert RECORD.tables == [
        TableData("answers", ["system", "precision"], [["published", "92.9 % (n=84)"], ["floor", "62.4 % (n=93)"]]),
        TableData("failures", ["failures", "n"], [["a|b", "3"]]),
    ]


def test_pages_are_filled_between_their_comments() -> None:
    page = (
        "before\n<!-- figures: small / answers = floor / failures -->\nold\n<!-- end of figures -->\n"
        "at <!-- figure: small / answers / published / precision -->old<!-- end of figure --> now\n"
        "<!-- figures: headline = all -->\n<!-- end of figures -->\n"
    )
    filled = (
        "before\n<!-- figures: small / answers = floor / failures -->\n\n"
        "**answers**\n\n| system | precision |\n|---|---|\n| floor | 62.4 % (n=93) |\n\n"
        "| failures | n |\n|---|---|\n| a\\|b | 3 |\n\n"
        "<!-- end of figures -->\n"
        "at <!-- figure: small / answers / published / precision -->92.9 % (n=84)<!-- end of figure --> now\n"
        "<!-- figures: headline = all -->\n\n| what | precision |\n|---|---|\n| all | 92.9 % (n=84) here |\n\n"
        "<!-- end of figures -->\n"
    )
    assert pages().filled(page) == filled
    assert pages().filled(filled) == filled


def test_figures_of_other_models_are_named() -> None:
    said = "Taken with earlier models than those that ship: posts."
    quotes = ["<!-- figures: small / answers -->\n", "<!-- figures: headline -->\n"]
    for quote in quotes:
        assert said not in pages().filled(f"{quote}<!-- end of figures -->")
        assert said in pages(posts="2" * 32).filled(f"{quote}<!-- end of figures -->")


def test_a_page_quotes_the_code_as_it_is() -> None:
    page = "<!-- code: curation/stages/registry.py / {} -->\n<!-- end of code -->\n"
    shown = pages().filled(page.format("STAGES"))
    assert shown.count(".STAGE,  # ") == len(STAGES)
    assert "```python\nSTAGES: tuple[Stage, ...] = in_order(\n    clean_stage.STAGE,  # " in shown
    assert pages().filled(shown) == shown
    with pytest.raises(InputError, match=r"registry\.py sets no RECIPE"):
        pages().filled(page.format("RECIPE"))


@pytest.mark.rows(
    ("comment", "message"),
    [
        ("<!-- figure: small / answers / nobody / precision -->", "has no rows 'nobody'"),
        ("<!-- figure: small / answers / published / recall -->", "no column 'recall'"),
        ("<!-- figure: small / questions / published / recall -->", "there are: 'answers', 'failures'"),
        ("<!-- figure: large / answers / published / recall -->", "wordquarry quality large --record"),
        ("<!-- figure: small / answers -->", "names no cell; write record / table / row / column"),
    ],
)
def test_a_comment_that_fits_no_record_is_an_error(comment: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pages().filled(f"{comment}<!-- end of figure -->")


def test_a_row_that_two_are_named_like_is_not_chosen() -> None:
    table = TableData("posts", ["posts", "precision"], [["floor", "1"], ["floor", "2"], ["all", "3"]])
    assert table.cell("all", "precision") == "3"
    with pytest.raises(InputError, match="has 2 rows 'floor'"):
        table.cell("floor", "precision")


def test_a_file_that_is_no_record_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "quality").mkdir()
    (tmp_path / "quality" / "small.json").write_text('{"figure": "small"}')
    with pytest.raises(InputError, match=r"small\.json is not a record of figures"):
        read_records(tmp_path)


def test_the_documentation_says_what_the_records_say() -> None:
    assert [path.name for path in outdated_pages(pages_of(ROOT))] == [], "run make figures"


def test_a_changed_record_changes_every_page_that_quotes_it() -> None:
    now = pages_of(ROOT)
    record = now.records["bundled"]
    cell = record.table("answers").cell("published", "precision")
    text = record.as_text().replace(cell, "12.3 % [4.5, 67.8] (n=9)")
    tables = [TableData(**table) for table in json.loads(text)["tables"]]
    other = replace(now, records={**now.records, "bundled": replace(record, tables=tables)})
    assert {"README.md", "quality.md"} <= {path.name for path in outdated_pages(other)}


def test_each_figure_has_a_record_with_the_models_it_reads_with() -> None:
    records = [record for record in read_records(RECORDS).values() if record.command.startswith("wordquarry quality ")]
    recorded = {record.figure: sorted(record.models) for record in records}
    assert recorded == {name: sorted(figure.models) for name, figure in FIGURES.items()}


class Small:
    """A report with one table."""

    def markdown(self) -> str:
        """The table."""
        return MARKDOWN


def test_quality_keeps_its_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = Figure(lambda _: Small(), shared=False, builds=False, models=("posts",))
    figures = {"small": small, "other": small, "third": small}
    run_quality(["small", "third"], str(tmp_path), as_json=False, records=tmp_path, figures=figures)
    found = read_records(tmp_path)
    assert list(found) == ["small", "third"]
    shipped = pages_of(ROOT).models["posts"]
    assert found["small"] == replace(RECORD, models={"posts": shipped})
    assert capsys.readouterr().out.count("92.9 %") == 2


def test_figures_are_recorded_in_a_checkout_only(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="run it in a checkout"):
        run_quality(["draw"], str(tmp_path), as_json=False, records=tmp_path / "none")
