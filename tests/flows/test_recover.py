"""The lost batch: no command goes on in silence, and ``recover`` brings back what is anywhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import DamageError, StoreError
from corpus.records import Post
from corpus.workspace import Workspace
from crawlers.dumps.loading import load
from crawlers.dumps.tally import Options
from crawlers.ingest import read_posts
from curation.building.publishing import Build, making
from curation.stages.registry import STAGES
from flows.command_line.commands import run_build
from flows.command_line.look_commands import export
from flows.ingesting import IngestRequest, run_ingest, run_recover
from flows.pipelines.build_steps import make_version
from flows.pipelines.crawl_steps import store as store_crawled
from flows.pipelines.requests import BuildRequest
from flows.pipelines.taking import store_state


def rows(first: int, count: int) -> str:
    """Threads as lines."""
    lines = []
    for n in range(first, first + count):
        question = f"Ann has {n} apples and buys 3. How many apples does she have?"
        answers = [{"text": f"{n} + 3 = {n + 3}. So the answer is {n + 3} apples."}] * 2
        lines.append(json.dumps({"id": str(n), "question": question, "answers": answers}) + "\n")
    return "".join(lines)


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A data folder with 200 posts in two batches, read from two files beside it."""
    for first, count in ((1, 80), (81, 120)):
        file = tmp_path / f"from-{first}.jsonl"
        file.write_text(rows(first, count), encoding="utf-8")
        run_ingest(IngestRequest(str(tmp_path / "data"), file))
    return str(tmp_path / "data")


def lose(data: str, count: int = 120) -> Path:
    """Remove the batch of so many posts."""
    entries = Workspace(data).posts.list.entries().values()
    path = Path(data) / "posts/batches" / f"{next(one.batch for one in entries if one.rows == count)}.parquet"
    path.unlink()
    return path


def test_a_lost_batch_comes_back_from_the_file_it_was_read_from(
    data: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = Workspace(data).posts.posts()
    path = lose(data)
    with pytest.raises(DamageError, match=r"lacks 1 of 2 batches: .*\(120 rows\); run wordquarry store recover"):
        export("posts", tmp_path / "out.jsonl", data=data)
    capsys.readouterr()
    run_recover(data, [], accept=False)
    said = capsys.readouterr().out.splitlines()
    source = tmp_path / "from-81.jsonl"
    assert said == [
        f"posts: {path.name} (missing, 120 rows): 120 came back (120 from {source}); whole again",
        "nothing is missing",
    ]
    assert Workspace(data).posts.posts() == before


def test_what_is_gone_is_named_and_has_to_be_accepted(
    data: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lose(data)
    (tmp_path / "from-81.jsonl").write_text(rows(81, 100), encoding="utf-8")
    with pytest.raises(StoreError, match=r"1 batches of .* are incomplete and 20 posts are gone; name places .*, or"):
        run_recover(data, [], accept=False)
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if line.startswith("gone: ")] == [f"gone: file:{n}" for n in range(181, 201)]
    run_recover(data, [], accept=True)
    assert "20 posts are lost, and versions built from now on say so" in capsys.readouterr().out
    assert len(Workspace(data).posts.posts()) == 180
    copy = tmp_path / "copy.jsonl"
    copy.write_text(rows(181, 20), encoding="utf-8")
    run_recover(data, [copy], accept=False)
    assert len(Workspace(data).posts.posts()) == 200
    assert Workspace(data).posts.state() == {}


def test_a_build_goes_on_only_with_a_flag_that_stands_in_the_manifest(data: str) -> None:
    path = lose(data)
    with pytest.raises(
        DamageError, match=rf"lacks 1 of 2 batches: {path.name} \(120 rows\); run wordquarry store recover"
    ):
        run_build(data, "quarry", ([], None), {})
    part = Workspace(data).outputs.save(("clean", "a" * 32), Post, [], [])
    parts = {name: [part] for name in ("posts", *(stage.name for stage in STAGES))}
    made: list[dict[str, Any]] = []

    def publish(asked: Build) -> dict[str, Any]:
        made.append(making(asked))
        return {"path": "", "version": "quarry/1", "rows": 0, "new": True, "not_accepted": []}

    request = BuildRequest(data=data, name="quarry", incomplete_store=True)
    make_version(request, lambda _: parts, publish)
    lacks = {"broken": [{"batch": path.stem, "posts": 120, "state": "missing"}]}
    again = request.model_copy(update={"incomplete_store": False, "store_state": lacks, "data": str(path.parent)})
    assert store_state(again, "posts") == lacks, "a rebuild says what the version says"
    run_recover(data, [], accept=False)
    make_version(BuildRequest(data=data, name="quarry"), lambda _: parts, publish)
    assert [one.get("store") for one in made] == [lacks, None]


def test_other_places_are_looked_through(data: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The file is gone; a crawl, a store of a build from files and a stage output have a part each."""
    source = tmp_path / "from-81.jsonl"
    posts = read_posts(source).posts
    source.unlink()
    crawl = Path(data) / "crawls/forum/posts.jsonl"
    crawl.parent.mkdir(parents=True)
    crawl.write_text(rows(81, 20), encoding="utf-8")
    workspace = Workspace(data)
    workspace.add_input([one for one in posts if int(one.post_id[5:]) < 131])
    lose(data)
    workspace.outputs.save(
        ("posts", "a" * 32), type(posts[0]), [one for one in posts if int(one.post_id[5:]) > 120], []
    )
    run_recover(data, [], accept=False)
    out, err = capsys.readouterr()
    assert "120 came back (20 from crawls/forum, 30 from inputs/" in out
    assert "70 from stages/posts); whole again" in out
    assert f"cannot read {source}: No such file or directory; check the path" in err


def test_every_way_into_the_store_says_where_from(tmp_path: Path) -> None:
    data, dump, crawl = str(tmp_path / "data"), tmp_path / "dump.jsonl", tmp_path / "data/crawls/forum/posts.jsonl"
    dump.write_text(rows(1, 2), encoding="utf-8")
    crawl.parent.mkdir(parents=True)
    crawl.write_text(rows(3, 3), encoding="utf-8")
    load(dump, "jsonl", Options(columns=(("id", "id"), ("question", "question"))), Workspace(data).posts, print)
    store_crawled(data, str(crawl), [])
    sources = [entry.source for entry in Workspace(data).posts.list.entries().values()]
    assert sources[0] is not None
    assert {"kind": "file", "paths": [str(dump)], "format": "jsonl"}.items() <= sources[0].items()
    assert sources[1] == {"kind": "crawl", "folder": "crawls/forum"}
    lose(data, 2)
    run_recover(data, [], accept=False)
    assert len(Workspace(data).posts.posts()) == 5
