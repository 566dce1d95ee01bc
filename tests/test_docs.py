"""Docs are tests: every command, option, reason and configuration field is documented."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from corpus.config import CrawlConfig
from corpus.reasons import Reason
from corpus.records import Post, Problem
from crawlers.crawling.frontier import OUTCOMES
from curation.stages.registry import STAGES
from flows.cli import app
from flows.quality import FIGURES

ROOT = Path(__file__).resolve().parents[1]


def doc(name: str) -> str:
    """The text of one page."""
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def commands(group: Any, prefix: str = "wordquarry") -> list[tuple[str, Any]]:
    """Every command with its full name."""
    inner = getattr(group, "commands", None)
    if inner is None:
        return [(prefix, group)]
    return [pair for name, command in inner.items() for pair in commands(command, f"{prefix} {name}")]


COMMANDS = commands(typer.main.get_command(app))


@pytest.mark.rows(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_command_and_option_is_documented(name: str, command: Any) -> None:
    text = doc("commands.md")
    heading = re.search(rf"^## `{re.escape(name)}.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert heading, f"docs/commands.md has no section for {name}"
    for option in (flag for parameter in command.params for flag in parameter.opts if flag.startswith("--")):
        assert option in heading[0] or option in ("--help", "--data"), f"{name} {option}"


def test_every_field_of_the_configuration_of_crawls_is_documented() -> None:
    text = doc("configuration.md")
    assert [name for name in CrawlConfig.model_fields if f"| `crawl.{name}` |" not in text] == []


def test_reasons_are_told_apart_by_their_codes() -> None:
    codes = [reason.value for kind in (Reason, *(stage.reasons for stage in STAGES)) for reason in kind]
    assert len(codes) == len(set(codes)) > 30


@pytest.mark.rows("outcome", [*OUTCOMES, "failed/…"])
def test_every_outcome_of_a_request_is_documented(outcome: str) -> None:
    assert f"| `{outcome}` |" in doc("sources.md")


@pytest.mark.rows("record", [Post, Problem])
def test_every_field_of_the_published_records_is_documented(record: type[Post] | type[Problem]) -> None:
    text = doc("records.md")
    for field in record.model_fields:
        assert f"`{field}`" in text, field


def test_every_quality_figure_is_documented() -> None:
    section = doc("commands.md").partition("## `wordquarry quality`")[2].partition("\n## ")[0]
    assert [name for name in FIGURES if f"`{name}`" not in section] == []


def test_commands_in_the_readme_exist() -> None:
    known = {name for name, _ in COMMANDS}
    assert {"wordquarry build", "wordquarry sheet verdicts"} <= known
    shown = re.findall(r"^ {4}(wordquarry [^\n|>]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert shown
    for line in shown:
        words = shlex.split(line, comments=True)
        assert any(" ".join(words[:size]) in known for size in (2, 3)), line


def test_the_modules_that_contributors_are_led_to_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./]+(?:\.py|\.jsonl)|(?:extractors|tests|docs|curation)/[\w./]+)`", text)
    assert len(named) > 20
    tops = (path for path in ROOT.iterdir() if path.is_dir() and path.name not in (".venv", ".git", "build"))
    known = [f"/{path.relative_to(ROOT).as_posix()}" for top in tops for path in top.rglob("*")]
    assert [name for name in named if not any(path.endswith(f"/{name.rstrip('/')}") for path in known)] == []


def test_every_proof_is_a_test_of_its_tier() -> None:
    rows = [line.split("|")[2:4] for line in doc("tests.md").splitlines() if "`tests/" in line and line.startswith("|")]
    assert len(rows) > 40
    wrong = []
    for text, tier in rows:
        sources = []
        for proof in re.findall(r"`(tests/[\w/.:]+)`", text):
            path, _, name = proof.partition("::")
            sources.append((ROOT / path).read_text(encoding="utf-8"))
            alone = f"@pytest.mark.full\ndef {name}(" in sources[-1]
            if f"def {name}" not in sources[-1] or alone != ("full" in tier):
                wrong.append(proof)
        if "part" in tier and not any(re.search("tests.tiers|mark.full", source) for source in sources):
            wrong.append(text)
    assert wrong == []
