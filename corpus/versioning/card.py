"""The dataset card: README.md of a version, in the form that dataset hubs read."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from corpus.shown_text import markdown_line, spdx_id
from corpus.versioning.release import ReleaseTally, stated
from corpus.versioning.version_tables import BESIDE, DATA, MEANINGS, PROBLEMS, config_name, splits_of

ROWS = {
    "data/*.parquet": "problem",
    "full/*.parquet": "problem",
    "posts.parquet": "problem",
    "answers.parquet": "answer that a problem rests on",
    "provenance.parquet": "question and answer",
}
_SPANS = (
    "`answer_exact`, `solutions` and `numbers` hold exact rationals as strings (`7/2`). Spans are half-open",
    "character offsets: `numbers` and `alignment` point into `question`, `answer_spans` and",
    "`equation_spans` into the `text` of the answer they name in `answers.parquet`; replaying `cleaning_steps` on",
    "the posted question in `posts.parquet` gives `question`.",
    "",
)
_LIMITS = (
    "## Limits",
    "",
    "Labels are extracted, not annotated: `confidence` is a calibrated probability, and what people judged of this",
    "version stands under Precision, if anybody did. Validation and test hold only what is surest. Rows keep the",
    "license and attribution of the post they came from. English only; elementary problems only; who asks such",
    "questions is who visits these sites.",
    "",
)
_PROVENANCE = (
    "## Provenance",
    "",
    "`provenance.parquet` has a row for the question of every problem and for each answer it rests on",
    "(`answer_id`): address, license, attribution, when the page or file was fetched, its SHA-256, and which",
    "parser read it. `posts.parquet` and `answers.parquet` hold the texts themselves, in the order of the",
    "problems. Answers of one thread can have other licenses than its question. Authors are named where",
    "the attribution leads, not here: names, mail addresses and phone numbers are taken out of texts before",
    "anything else is done with them.",
    "",
)
_NOT_IN_BIBTEX = r"[^\w .,:;()/-]+"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def _front_matter(title: str, files: Sequence[str], tally: ReleaseTally) -> list[str]:
    """The card's YAML, by which hubs find a dataset and ``datasets`` its tables."""
    from huggingface_hub import DatasetCardData  # here, for only a publication needs it

    configs: list[dict[str, Any]] = []
    for folder in PROBLEMS:
        name = {"config_name": "default", "default": True} if folder == DATA else {"config_name": folder}
        paths = [{"split": split, "path": f"{folder}/{split}-*.parquet"} for split in splits_of(files)]
        configs.append({**name, "data_files": paths})
    configs += [{"config_name": config_name(path), "data_files": [{"split": "full", "path": path}]} for path in BESIDE]
    data = DatasetCardData(
        pretty_name=title.encode(errors="replace").decode(),
        **_licenses(tally),
        language=["en"],
        annotations_creators=["machine-generated"],
        language_creators=["found"],
        multilinguality=["monolingual"],
        source_datasets=["original"],
        task_categories=["question-answering"],
        tags=["math-word-problems"],
        size_categories=[next((label for bound, label in SIZES if tally.rows < bound), "n>1M")],
        configs=configs,
    )
    return ["---", data.to_yaml(), "---", ""]


def _licenses(tally: ReleaseTally) -> dict[str, Any]:
    """The license of the whole, if every question and answer has the same known one; else ``other`` and the names."""
    names = tally.stated_licenses()
    if len(names) == 1 and tally.has_license_throughout and (found := spdx_id(names[0])):
        return {"license": found.lower()}
    told = sorted({spdx_id(name) or "others" for name in names}) or ["not stated"]
    return {"license": "other", "license_name": ", ".join(told)}


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


def promise_lines(promise: Mapping[str, Any]) -> list[str]:
    """What precision was promised, on which posts, and what breaks the promise; nothing where none was."""
    if not promise:
        return []
    sets = ", ".join(f"{markdown_line(name)} {count}" for name, count in promise["sets"].items())
    return [
        "## What was promised",
        "",
        f"At least {100 * promise['precision']:g} % of posts like those below that this build publishes are one "
        "elementary problem with the right answer and, where there is one, a right equation system, with 95 % "
        f"confidence. The threshold, a probability of {promise['threshold']:.4f}, was chosen on labels "
        f"({markdown_line(promise['labels'])}): {promise['calibration']} posts of {promise['sites']} sites and askers "
        f"({sets}), which no model that judged them had learned from. {promise['posts']} of them are above it, "
        f"{promise['right']} right.",
        "",
        "Posts of another kind break the promise: other sites, other ways to ask or to answer. For those label 100 to "
        "300 posts as they come and run `wordquarry calibrate`.",
        "",
    ]


def precision_lines(promise: Mapping[str, Any], tally: ReleaseTally, splits: Sequence[str]) -> list[str]:
    """How many problems of each split are how sure, what calibration posts that were as sure say, and what follows."""
    bands = promise.get("bands")
    if not bands:
        return []
    held: Counter[tuple[str, int]] = Counter()
    for (split, sure), count in tally.confidences.items():
        held[split, max((k for k, one in enumerate(bands) if one["from"] <= sure), default=0)] += count
    lines = [
        "## Expected precision by split and confidence",
        "",
        "For each band of `confidence`: the calibration posts in it, the share of them that is right with its lower "
        "bound (95 % confidence), and the problems of each split. The last row weighs the shares by these numbers. "
        "People have not judged these problems, unless a part Precision stands below.",
        "",
        f"| confidence from | calibration posts | right | {' | '.join(splits)} |",
        "|---|---:|---:|" + "---:|" * len(splits),
    ]
    for k, one in enumerate(bands):
        share = f"{_percent(one['right'] / one['posts'])}, at least {_percent(one['bound'])}" if one["posts"] else ""
        counts = " | ".join(str(held[split, k]) for split in splits)
        lines.append(f"| {one['from']:.3f} | {one['posts']} | {share} | {counts} |")
    return [*lines, f"| expected | | | {' | '.join(_expected(bands, held, split) for split in splits)} |", ""]


def _expected(bands: Sequence[Mapping[str, Any]], held: Mapping[tuple[str, int], int], split: str) -> str:
    """The precision that the bands of a split lead to; empty where no calibration post speaks for one of them."""
    counts = [held[split, k] for k in range(len(bands))]
    if not sum(counts) or any(count and not one["posts"] for count, one in zip(counts, bands, strict=True)):
        return ""
    right = fsum(count * one["right"] / one["posts"] for count, one in zip(counts, bands, strict=True) if count)
    return _percent(right / sum(counts))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def dataset_card(title: str, tally: ReleaseTally, files: Sequence[str], making: Mapping[str, Any]) -> str:
    """The card's text: what the rows are, how they were made, what they rest on, and what to beware of.

    ``making`` is what decided the version, of which the funnel and the promise are told.
    """
    lines = _front_matter(title, files, tally)
    lines += [
        f"# {markdown_line(title)}",
        "",
        f"{tally.rows} math word problems read out of community questions and answers.",
        "",
    ]
    lines += _counts("split", {split: tally.splits[split] for split in splits_of(files)})
    lines += _counts("type of question", tally.types) if tally.types else []
    lines += _counts("license", tally.licenses)
    used, first = tally.answer_licenses, next(iter(splits_of(files)), "train")
    lines += _counts("license of answers", used, "answers used") if used else []
    lines += _systems(tally.systems)
    lines += ["## How the posts became problems", "", *funnel_lines(making["funnel"]), ""]
    promise = making.get("promise", {})
    lines += [*promise_lines(promise), *precision_lines(promise, tally, splits_of(files))]
    lines += [*_loading(first), "## Fields", "", *_fields(), *_SPANS, *_LIMITS, *_citation(title), *_PROVENANCE]
    return "\n".join(lines)


def _loading(split: str) -> list[str]:
    """How the tables are read, each by one line."""
    return [
        "## Loading it",
        "",
        "```python",
        "import datasets, duckdb, pandas, polars",
        "",
        'version = "path/to/this/folder"',
        f'problems = datasets.load_dataset(version, split="{split}")',
        f'everything = datasets.load_dataset(version, "full", split="{split}")',
        'posts = datasets.load_dataset(version, "posts", split="full")',
        'frame = pandas.read_parquet(f"{version}/data")',
        'lazy = polars.scan_parquet(f"{version}/data/*.parquet")',
        """answers = duckdb.sql(f"SELECT problem_id, text FROM '{version}/answers.parquet'")""",
        "```",
        "",
    ]


def _citation(title: str) -> list[str]:
    return [
        "## Citation",
        "",
        "```bibtex",
        f"@misc{{{re.sub('[^a-z0-9]+', '-', title.lower()).strip('-') or 'dataset'},",
        f"  title = {{{' '.join(re.sub(_NOT_IN_BIBTEX, ' ', title).split())}}},",
        "  note = {Built with wordquarry; manifest.json names the version and the digest of every file}",
        "}",
        "```",
        "",
    ]


def _fields() -> list[str]:
    """The fields of every table and what they hold."""
    lines = []
    tables = {**{f"{folder}/*.parquet": record for folder, record in PROBLEMS.items()}, **BESIDE}
    for path, record in tables.items():
        rows = (f"| `{field}` | {meaning} |" for field, meaning in MEANINGS[record].items())
        lines += [f"`{path}`, one row for each {ROWS[path]}:", "", "| field | holds |", "|---|---|", *rows, ""]
    return lines
