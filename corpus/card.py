"""The dataset card: README.md of a version, in the form that dataset hubs read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corpus.markdown import markdown_line, yaml_string
from corpus.release import ReleaseTally, stated


def _front_matter(name: str, title: str, files: Sequence[str], rows: int) -> list[str]:
    splits = sorted({path.removeprefix("data/").partition("-")[0] for path in files})
    size = next((label for bound, label in SIZES if rows < bound), "n>1M")
    lines = ["---", f"pretty_name: {yaml_string(title)}", "license: other", "language:", "- en", "task_categories:"]
    lines += ["- question-answering", "tags:", "- math-word-problems", "size_categories:", f"- {size}"]
    lines += ["configs:", f"- config_name: {yaml_string(name)}", "  data_files:"]
    for split in splits:
        lines += [f"  - split: {split}", f"    path: data/{split}-*.parquet"]
    return [*lines, "---", ""]


SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def funnel_lines(funnel: Sequence[Mapping[str, Any]]) -> list[str]:
    """The funnel as a Markdown table: stage, in, kept, dropped by reason."""
    lines = ["| stage | in | kept | dropped | reasons |", "|---|---:|---:|---:|---|"]
    for row in funnel:
        reasons = ", ".join(f"`{reason}` {count}" for reason, count in row["dropped"].items()) or "none"
        lines.append(f"| {row['stage']} | {row['in']} | {row['kept']} | {sum(row['dropped'].values())} | {reasons} |")
    return lines


def _counts(title: str, counts: Mapping[str | None, int], counted: str = "problems") -> list[str]:
    rows = (f"| {markdown_line(name)} | {count} |" for name, count in stated(counts).items())
    return [f"| {title} | {counted} |", "|---|---:|", *rows, ""]


def _systems(systems: Iterable[tuple[str, str]]) -> list[str]:
    """The equation systems of a few problems as mathematics."""
    lines = [line for name, shown in systems for line in (f"`{name}`: $${shown}$$", "")]
    return ["## Some systems", "", *lines] if lines else []


def dataset_card(
    names: tuple[str, str],
    tally: ReleaseTally,
    files: Sequence[str],
    funnel: Sequence[Mapping[str, Any]],
) -> str:
    """The card's text: what the rows are, how they were made, what they rest on, and what to beware of.

    ``names`` are the dataset's name and title.
    """
    name, title = names
    lines = _front_matter(name, title, files, tally.rows)
    lines += [
        f"# {markdown_line(title)}",
        "",
        f"{tally.rows} math word problems read out of community questions and answers.",
        "",
    ]
    lines += _counts("split", dict(tally.splits))
    lines += _counts("license", tally.licenses)
    used = tally.answer_licenses
    lines += _counts("license of answers", used, "answers used") if used else []
    lines += _systems(tally.systems)
    lines += ["## How the posts became problems", "", *funnel_lines(funnel), ""]
    lines += [
        "## Reading a row",
        "",
        "Numbers are exact: `gold_answer`, `solutions` and `numbers` hold rationals as strings (`7/2`). Spans are",
        "half-open character offsets: `numbers` and `alignment` point into `question`, `answer_spans` and",
        "`equation_spans` into the text of the answer they name; replaying `cleaning_steps` on the posted",
        "question gives `question`.",
        "",
        "## Limits",
        "",
        "Labels are extracted, not annotated: `answer_confidence` is a calibrated probability, and `manifest.json`",
        "holds the audits of this version with their intervals. Rows keep the license and attribution of the post",
        "they came from.",
        "",
        "## Provenance",
        "",
        "`provenance.parquet` has a row for the question of every problem and for each answer it rests on",
        "(`answer_id`): address, license, attribution, when the page or file was fetched, its SHA-256, and which",
        "parser read it. Answers of one thread can have other licenses than its question. Authors are named where",
        "the attribution leads, not here: names, mail addresses and phone numbers are taken out of texts before",
        "anything else is done with them.",
        "",
    ]
    return "\n".join(lines)
