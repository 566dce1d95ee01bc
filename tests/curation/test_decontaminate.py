"""The stage decontaminate: what stands in a benchmark goes, variants are flagged, and without benchmarks nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from audits.inspect.explain import explain
from corpus.errors import ConfigError, DamageError, InputError
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.publishing import config_of
from curation.near_texts.benchmark_texts import keep_benchmark, read_benchmark
from curation.near_texts.contamination import Item, LeakSearch
from curation.stages.decontaminate_stage import DecontaminateConfig
from curation.stages.registry import BuildConfig
from flows.command_line.commands import run_build
from flows.pipelines.build_steps import build_here
from flows.pipelines.requests import BuildRequest
from flows.pipelines.taking import held_against
from tests.flows.command import wordquarry

QUESTIONS = (
    "Ann picked 12 red plums in the morning and 9 more after lunch. How many plums did Ann pick in all?",
    "A baker bakes 40 loaves of rye bread and sells 25 of them before noon. How many loaves are left over?",
    "Tom reads 15 pages of his book on each of 6 rainy days. How many pages of the book does Tom read?",
    "A tank holds 80 litres and a pump takes out 30 litres for the garden. How many litres stay in the tank?",
)
SUMS = ("12 + 9 = 21", "40 - 25 = 15", "15 * 6 = 90", "80 - 30 = 50")
BENCHMARK = (
    {"id": "copy", "question": QUESTIONS[0].upper(), "answer": "So. #### 21"},
    {"id": "near", "question": QUESTIONS[1].replace("sells", "gives away"), "answer": "So. #### 15"},
    {"id": "variant", "question": QUESTIONS[2].replace("15", "25").replace("Tom", "Mary"), "answer": "So. #### 150"},
)


@pytest.fixture
def posts(tmp_path: Path) -> Path:
    """Four threads, each of whose answers say the same."""
    path = tmp_path / "posts.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, (question, total) in enumerate(zip(QUESTIONS, SUMS, strict=True)):
            value = total.rpartition(" ")[2]
            answers = [
                {"text": f"{total}. So the answer is {value}."},
                {"text": f"x = {total.partition(' =')[0]}, x = {value}"},
            ]
            file.write(json.dumps({"id": str(number), "question": question, "answers": answers}) + "\n")
    return path


@pytest.fixture
def benchmark(tmp_path: Path) -> str:
    """A benchmark as the option takes one."""
    path = tmp_path / "benchmark.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in BENCHMARK), encoding="utf-8")
    return f"b=gsm8k:{path}"


def built(data: Path, posts: Path, *against: str, **stage: Any) -> Version:
    """A version of the posts; without the doubts of the models."""
    open_gate = {"classify": {"min_probability": 0.0}, "read": {"min_confidence": 0.0}}
    open_gate |= {"publish": {"precision": 0.0}, "diversity": {"ld_min": 0.0}}
    config = BuildConfig.model_validate({**open_gate, "decontaminate": stage})
    config = held_against(str(data), config, against)
    told = build_here(BuildRequest(data=str(data), name="quarry", posts=(str(posts),), config=config))
    return Workspace(str(data)).versions.open(told["version"])


def row_of(version: Version, stage: str) -> dict[str, Any]:
    return next(row for row in version.manifest["funnel"] if row["stage"] == stage)


def test_what_stands_in_a_benchmark_goes_and_variants_are_flagged(posts: Path, benchmark: str, tmp_path: Path) -> None:
    free = built(tmp_path / "data", posts)
    assert row_of(free, "decontaminate")["dropped"] == {}
    assert len(free.problems()) == 4
    assert {row.variant_of for row in free.problems()} == {None}

    held = built(tmp_path / "data", posts, benchmark)
    assert row_of(held, "decontaminate")["dropped"] == {"in_benchmark": 2}
    flagged = {row.post_id.rpartition(":")[2]: row.variant_of for row in held.problems()}
    assert flagged == {"2": "b gsm8k:variant", "3": None}
    assert "| decontaminate | 4 | 2 | 2 | `in_benchmark` 2 |" in held.folder.read("README.md").decode()
    (stage,) = [one for one in held.manifest["stages"] if one["stage"] == "decontaminate"]
    assert list(stage["config"]["benchmarks"]) == ["b"]
    dropped = next(row.post_id for row in free.problems() if row.post_id.endswith(":1"))
    told = explain(Workspace(str(tmp_path / "data")), held, dropped).text()
    assert "stands in b as gsm8k:near, but for 2 words" in told
    assert "gives away 25 of them" in told

    strict = built(tmp_path / "data", posts, benchmark, variants="drop")
    assert row_of(strict, "decontaminate")["dropped"] == {"in_benchmark": 2, "variant_in_benchmark": 1}


def test_a_rebuild_needs_no_benchmark_from_outside(posts: Path, benchmark: str, tmp_path: Path) -> None:
    version = built(tmp_path / "data", posts, benchmark)
    (tmp_path / "benchmark.jsonl").unlink()
    done = wordquarry("rebuild", version.label, "--verify", "--data", tmp_path / "data")
    assert done.returncode == 0, done.stderr
    assert "identical" in done.stdout
    digest = config_of(version).decontaminate.benchmarks["b"]
    again = built(tmp_path / "data", posts, benchmarks={"b": digest})
    assert again.label == version.label, "named by its digest, as a configuration file does"


def test_other_benchmarks_give_other_rows_and_old_ones_are_found_again(
    posts: Path, benchmark: str, tmp_path: Path
) -> None:
    first = built(tmp_path / "data", posts, benchmark)
    free = built(tmp_path / "data", posts)
    assert first.version_id != free.version_id
    assert built(tmp_path / "data", posts, benchmark).version_id == first.version_id


@pytest.mark.parametrize(
    ("against", "error", "told"),
    [
        (["benchmark.jsonl"], InputError, r"--against benchmark\.jsonl has no name; give NAME=CORPUS"),
        (["Upper=gsm8k:{path}"], ConfigError, r"Upper: a benchmark's name has lower-case letters"),
        (["b=gsm8k:nowhere.jsonl"], InputError, "nowhere.jsonl"),
    ],
)
def test_what_is_no_benchmark_is_refused(
    against: list[str], error: type[Exception], told: str, benchmark: str, tmp_path: Path
) -> None:
    path = benchmark.partition(":")[2]
    with pytest.raises(error, match=told):
        held_against(str(tmp_path / "data"), BuildConfig(), [one.replace("{path}", path) for one in against])


def test_a_record_without_an_answer_still_holds_its_question(posts: Path, tmp_path: Path) -> None:
    path = tmp_path / "unanswered.jsonl"
    records = [
        {"question": QUESTIONS[0], "answer": "So. #### 21"},
        {"question": QUESTIONS[1]},
        {"question": QUESTIONS[2], "answer": 90},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in records), encoding="utf-8")
    held = built(tmp_path / "data", posts, f"b=gsm8k:{path}")
    assert row_of(held, "decontaminate")["dropped"] == {"in_benchmark": 3}


@pytest.mark.parametrize(
    ("format_name", "lines"),
    [
        (
            "gsm8k",
            [
                '{"question": "Two pens and 3 more?"}',
                '{"answer": "#### 3"}',
                "{broken",
                '{"question": " ", "answer": "#### 3"}',
            ],
        ),
        ("aqua", ['{"question": "Two pens and 3 more?"}', '{"options": []}', '{"question": 3}', "[]"]),
        (
            "svamp",
            ['{"Body": "Two pens", "Question": "and 3 more?"}', '{"Body": "Two pens."}', "3", '{"Question": null}'],
        ),
        ("dolphin", ['{"original_text": "Two pens and 3 more?"}', '{"text": ""}', '{"id": "a"}', '{"text": []}']),
    ],
)
def test_records_that_cannot_be_read_are_named_and_refused(
    format_name: str, lines: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, data = tmp_path / "benchmark.jsonl", str(tmp_path / "data")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    spec = [f"b={format_name}:{path}"]
    with pytest.raises(
        InputError, match=r"of 4 records 3 have no question that can be read.*give --incomplete-benchmark"
    ):
        held_against(data, BuildConfig(), spec)
    assert [f"{path}:{place}: " in capsys.readouterr().err for place in (2,)] == [True]
    config = held_against(data, BuildConfig(), spec, incomplete=True)
    assert config.decontaminate.unread == {"b": 3}
    assert config.model_dump(mode="json")["decontaminate"]["unread"] == {"b": 3}
    (kept,) = read_benchmark(Workspace(data).benchmarks, "b", config.decontaminate.benchmarks["b"])
    assert kept.text.replace("\n", " ") == "Two pens and 3 more?"


def test_a_title_that_asks_is_compared_as_well(posts: Path, benchmark: str, tmp_path: Path) -> None:
    first, question = QUESTIONS[0].split(". ")
    path = tmp_path / "titled.jsonl"
    answers = [{"text": "12 + 9 = 21. So the answer is 21."}, {"text": "x = 12 + 9, x = 21"}]
    titled = {"id": "t", "title": question, "question": f"{first}.", "answers": answers}
    path.write_text(f"{json.dumps(titled)}\n{posts.read_text().splitlines()[3]}\n", encoding="utf-8")
    version = built(tmp_path / "data", path, benchmark)
    assert row_of(version, "decontaminate")["dropped"] == {"in_benchmark": 1}


def test_a_kept_benchmark_that_is_gone_or_damaged_stops_the_build(posts: Path, benchmark: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    version = built(data, posts, benchmark)
    digest = config_of(version).decontaminate.benchmarks["b"]
    config = tmp_path / "config.toml"
    config.write_text(f'[decontaminate.benchmarks]\nb = "{digest}"\n', encoding="utf-8")
    file = data / "benchmarks" / f"{digest}.jsonl"
    content = file.read_bytes()
    file.write_bytes(content + b"{}\n")
    with pytest.raises(DamageError, match="is not benchmark b as it was kept; remove it and give the benchmark again"):
        run_build(str(data), "quarry", ([posts], config), {})
    file.unlink()
    with pytest.raises(InputError, match=r"benchmark b is not in .*; give it again: wordquarry build --against b="):
        run_build(str(data), "quarry", ([posts], config), {})


def test_a_benchmark_is_kept_once_by_what_it_holds(tmp_path: Path) -> None:
    folder = Workspace(str(tmp_path)).benchmarks
    items = [Item("b", "Two pens?", (2.0,)), Item("a", "One pen?")]
    digest = keep_benchmark(folder, items)
    assert keep_benchmark(folder, items[::-1]) == digest
    assert read_benchmark(folder, "x", digest) == items[::-1]
    assert folder.names() == [f"{digest}.jsonl"]
    with pytest.raises(InputError, match="a benchmark without problems says nothing"):
        keep_benchmark(folder, [])


def test_the_nearest_leak_counts_and_stories_are_none() -> None:
    shop = "A shop sells 25 boxes of nails. Each box holds 12 nails. How many nails does the shop sell?"
    near = Item("near", shop.replace("boxes", "crates"))
    exact = Item("exact", shop)
    story = Item("story", shop.replace("How many nails does the shop sell?", "How heavy are all boxes of this shop?"))
    search = LeakSearch({"first": [near, story], "second": [exact]})
    leak = search.leak(Item("a", shop))
    assert leak is not None
    assert (leak.benchmark, leak.benchmark_id, leak.edits) == ("second", "exact", 0)
    assert LeakSearch({"b": [story]}).leak(Item("a", shop)) is None
    assert search.variant(shop.replace("25", "7")) == ("second", "exact")
    assert search.variant("Another text without any of it 5 6") is None
    assert DecontaminateConfig().benchmarks == {}


def test_two_benchmarks_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        line = json.dumps({"question": f"Ann has {name} and 3 pens more. How many?", "answer": "#### 4"})
        (tmp_path / f"{name}.jsonl").write_text(line + "\n", encoding="utf-8")
    given = [f"g=gsm8k:{tmp_path}/{name}.jsonl" for name in ("one", "two")]
    with pytest.raises(InputError, match="--against names g twice"):
        held_against(str(tmp_path / "data"), BuildConfig(), given)
    assert set(held_against(str(tmp_path / "data"), BuildConfig(), given[:1]).of(DecontaminateConfig).benchmarks) == {
        "g"
    }
