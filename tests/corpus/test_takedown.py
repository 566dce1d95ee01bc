"""Taking posts down: every version that held one is made anew without it, whatever cuts the work short."""

import contextlib
import gzip
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from corpus.canonical import set_digest
from corpus.delivery.push_places import FolderTarget
from corpus.delivery.pushing import push
from corpus.errors import InputError, StoreError
from corpus.folders.files import Folder
from corpus.takedowns.absence import Sought, runs_of, search
from corpus.takedowns.takedown import LOG, TAKEDOWNS, TakedownLog, TakenDown, read_key, take_down
from corpus.takedowns.version_takedown import PostsMeant, without_posts
from corpus.versioning.manifest import faults, file_facts
from corpus.versioning.verification import lost_spans
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.release_stage import problem_id
from tests.corpus.crashing import countdown, in_child
from tests.s3 import new_bucket, s3_server
from tests.tiers import tier
from tests.worlds import Plan, build_world

GONE, OTHER = "site:p03", "site:p04"
KEY = b"a key of thirty-two bytes, about"


def two_versions(data: str) -> list[Version]:
    """Of 19 posts and of 18 posts, with ten problems each; the second is the latest."""
    return [build_world(data, Plan(posts=posts))[1] for posts in (19, 18)]


def down(data: str, name: str = GONE, key: bytes | None = None, *, send: bool = False) -> TakenDown:
    return take_down(Workspace(data), name, lambda _: 0, key=key, send=send)


def rows(version: Version, *, without: str = "") -> dict[str, list[dict[str, object]]]:
    """Every row of every table of a version, but for those of one post."""
    tables = {path: version.folder.read(path) for path in version.manifest["files"] if path.endswith(".parquet")}
    plain = {path: pq.read_table(pa.BufferReader(content)).to_pylist() for path, content in tables.items()}
    own = {without, problem_id(without)}
    return {
        path: [row for row in found if row.get("post_id", row.get("id")) not in own] for path, found in plain.items()
    }


def standing(data: str) -> list[Version]:
    versions = Workspace(data).versions
    return [versions.open(f"quarry/{one}") for one in versions.ids("quarry")]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls a plug here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(params=["local", pytest.param("s3", marks=pytest.mark.full)])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "local":
        yield str(tmp_path / "data")
        return
    with s3_server():
        yield f"{new_bucket()}/data"


def test_both_versions_are_made_anew_and_every_other_row_stays(data: str) -> None:
    old = two_versions(data)
    before = [rows(version, without=GONE) for version in old]
    done = down(data)
    new = standing(data)
    assert {version.manifest["takedown"]["made_from"] for version in new} == {version.label for version in old}
    assert {version.label for version in old}.isdisjoint(version.label for version in new)
    for version in new:
        assert rows(version) in before
        assert version.manifest["rows"] == 9
        assert version.manifest["rows_sha256"] == set_digest(version.problems())
        assert not faults(version.folder, version.manifest)
        assert not list(lost_spans(version.folder, version.manifest))
        assert "9 math word problems" in version.folder.read("README.md").decode()
        assert f"version 1.0.0+{version.version_id}" in version.folder.read("croissant.json").decode()
        assert GONE not in version.folder.read("manifest.json").decode()
    latest = Workspace(data).versions.open("quarry")
    assert latest.manifest["takedown"]["made_from"] == old[1].label
    assert (done.line, done.failed, done.searched.found) == (1, (), {})


def test_a_post_that_no_version_holds_changes_none(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    two_versions(data)
    before = [version.label for version in standing(data)]
    assert down(data, "site:p77").versions == ()
    assert [version.label for version in standing(data)] == before


def test_a_version_of_nothing_else_goes_and_latest_names_another(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    whole = build_world(data, Plan(posts=5))[1]
    single = build_world(data, Plan(posts=1))[1]
    done = down(data, "site:p00")
    assert [version.manifest["takedown"]["made_from"] for version in standing(data)] == [whole.label]
    assert any(line.startswith(f"{single.label} -> nothing") for line in done.versions)
    assert Workspace(data).versions.open("quarry").manifest["rows"] == 4


def test_a_post_is_told_by_its_address_even_where_only_versions_hold_it(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    two_versions(data)
    Folder.at(data).remove("inputs")
    down(data, "http://www.forum.example/03")
    assert all(version.manifest["rows"] == 9 for version in standing(data))


def targets(data: str, place: Path, versions: list[Version]) -> list[Path]:
    """Two places, each with one of the versions."""
    found = [place / f"there{number}" for number in range(len(versions))]
    for path, version in zip(found, versions, strict=True):
        push(Workspace(data), version, FolderTarget(Folder.at(path)))
    return found


def holding(place: Path) -> list[str]:
    """The tables of a place that hold the post."""
    tables = sorted(place.rglob("*.parquet"))
    return [path.name for path in tables if {GONE, problem_id(GONE)} & set(own_ids(pq.read_table(path)))]


def own_ids(table: pa.Table) -> list[str]:
    """The posts that the rows of a table are of, or the problems where it names no posts."""
    names = table.column_names
    return list(table["post_id" if "post_id" in names else "id"].to_pylist())


def test_pushes_are_listed_then_done_and_a_place_that_is_away_is_done_later(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    first, second = targets(data, tmp_path, two_versions(data))
    done = down(data)
    assert done.line is None
    commands = [f"{version.label} --to {place} --yes" for version in standing(data) for place in (first, second)]
    assert len([line for line in done.to_push if any(line.endswith(command) for command in commands)]) == 2
    assert holding(first)
    away = tmp_path / "away"
    first.rename(away)
    first.write_text("in the way")
    done = down(data, send=True)
    assert (len(done.pushed), len(done.failed), done.line) == (1, 1, None)
    assert "a file is where a folder should be" in done.failed[0]
    assert not holding(second)
    first.unlink()
    away.rename(first)
    done = down(data, key=KEY, send=True)
    assert (len(done.pushed), done.failed, done.line) == (1, (), 1)
    assert not holding(first)
    assert {(place / "manifest.json").read_bytes() for place in (first, second)} == {
        version.folder.read("manifest.json") for version in standing(data)
    }
    assert Folder.at(f"{data}/{TAKEDOWNS}").names() == [LOG]


def test_a_place_that_was_pushed_to_by_hand_is_done(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    old = two_versions(data)[1]
    (place,) = targets(data, tmp_path, [old])
    assert down(data).line is None
    push(Workspace(data), Workspace(data).versions.open("quarry"), FolderTarget(Folder.at(place)))
    assert down(data).line == 1


def test_a_takedown_of_what_another_has_made_anew_sends_what_stands_now(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    (place,) = targets(data, tmp_path, [two_versions(data)[1]])
    down(data)
    assert down(data, OTHER).to_push, "the place has what both are of"
    assert down(data, send=True).line == 1
    assert down(data, OTHER, send=True).line == 2
    assert json.loads((place / "manifest.json").read_bytes())["rows"] == 8


def kept_of(folder: Path) -> dict[str, str]:
    """Every file of the data folder and the places but locks, turns of builds, and logs that grow."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix not in (".lock",)]
    found = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    return {
        path: digest
        for path, digest in found.items()
        if not path.endswith((LOG, "batches.jsonl")) and "turns" not in path
    }


@pytest.mark.slow
def test_a_kill_at_any_step_is_made_good_by_the_same_command(tmp_path: Path) -> None:
    """Steps are calls that change the disk, some two hundred of them."""
    root, kept = tmp_path / "root", tmp_path / "kept"
    data = str(root / "data")
    targets(data, root, two_versions(data))
    shutil.copytree(root, kept)
    down(data, send=True)
    wanted, steps, status = kept_of(root), 2, 1
    while status:
        shutil.rmtree(root)
        shutil.copytree(kept, root)

        def act(steps: int = steps) -> None:
            countdown(steps, root)
            down(data, send=True)

        status = in_child(act)
        assert status == 0 or os.WTERMSIG(status) == signal.SIGKILL
        for version in standing(data):
            assert not faults(version.folder, version.manifest), steps
        done = down(data, send=True)
        assert (done.failed, done.searched.found, done.line) == ((), {}, 1 if status else 2), steps
        assert kept_of(root) == wanted, steps
        steps += tier(7, 37)
    assert steps > 150


def small_table(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": table["problem_id"], "question": table["question"]}), sink)
    return bytes(sink.getvalue())


def test_every_table_of_a_version_is_told_by_its_columns(tmp_path: Path) -> None:
    """A version with a small table of an ``id`` in ``data`` and all columns in ``full``, in two files of three rows."""
    whole = build_world(tmp_path / "data", Plan(posts=5))[1]
    files = {path: whole.folder.read(path) for path in whole.manifest["files"]}
    del files["data/train-00000-of-00001.parquet"]
    table = pq.read_table(pa.BufferReader(files.pop("full/train-00000-of-00001.parquet")))
    table = table.set_column(
        table.column_names.index("nearest_id"), "nearest_id", pa.array([GONE, None, "site:p00", None, None])
    )
    for number, part in enumerate((table.slice(0, 3), table.slice(3, 1), table.slice(4))):
        sink = pa.BufferOutputStream()
        pq.write_table(part, sink)
        files[f"full/train-0000{number}-of-00003.parquet"] = bytes(sink.getvalue())
        files[f"data/train-0000{number}-of-00003.parquet"] = small_table(part)
    facts = {path: file_facts(content, 0) for path, content in files.items()}
    facts = {
        path: {**one, "rows": pq.read_metadata(pa.BufferReader(files[path])).num_rows}
        if path.endswith(".parquet")
        else {name: one[name] for name in ("bytes", "sha256")}
        for path, one in facts.items()
    }
    place = Folder.at(tmp_path / "crafted")
    for path, content in files.items():
        place.write(path, content)
    crafted = Version("quarry", "crafted", place, {**whole.manifest, "files": facts})
    made = without_posts(crafted, PostsMeant(frozenset([GONE])))
    assert made is not None
    assert made.made is not None
    left = {
        path: pq.read_table(pa.BufferReader(content)).to_pylist()
        for path, content in made.made[1].items()
        if path.endswith(".parquet")
    }
    full = [row for path in sorted(left) if path.startswith("full/") for row in left[path]]
    assert sorted(path for path in left if path.startswith("full/")) == [
        "full/train-00000-of-00002.parquet",
        "full/train-00001-of-00002.parquet",
    ]
    wanted = [row for row in table.to_pylist() if row["post_id"] != GONE]
    assert wanted[0].pop("nearest_id") == GONE
    assert full[0].pop("nearest_id") is None
    assert full == wanted
    small = [row["id"] for path in sorted(left) if path.startswith("data/") for row in left[path]]
    assert small == [row["problem_id"] for row in wanted]
    assert json.loads(made.made[1]["manifest.json"])["takedown"]["references"] == 1
    assert pa.BufferReader(made.made[1]["full/train-00000-of-00002.parquet"]).size() > 0


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("audits/page.html", b"<b>Ann has 12 red apples &amp; buys</b> <i>30 more</i> of them <p>at the fair</p>"),
        ("audits/sheet.jsonl", rb'{"q": "Ann has 12\nred apples & buys 30\u2003more of them at the fair"}'),
        ("crawls/x/a.warc.gz", gzip.compress(b"Ann has 12 red apples & buys 30 more of them at the fair", mtime=0)),
        ("prefect/log.txt", b"2024 forum:7 was read"),
        ("runs.log", b"GET http://www.forum.example/q/7 200"),
        ("odd.json", rb'"https:\/\/forum.example\/q\/7"'),
    ],
)
def test_the_search_reads_every_form(name: str, content: bytes, tmp_path: Path) -> None:
    text = "Ann has 12 red apples & buys 30 more of them at the fair"
    sought = Sought(frozenset(["forum:7"]), frozenset(["forum.example/q/7"]), runs_of([text]))
    folder = Folder.at(tmp_path)
    for other in (b"forum:77 forum:7-b xforum:7", b"forum.example/q/71", b"Ann has 12 red apples"):
        folder.write(f"others/{len(other)}.txt", other)
    assert search(folder, sought, ()).found == {}
    folder.write(name, content)
    assert list(search(folder, sought, ()).found) == [name]


def test_the_search_reads_columns_and_databases(tmp_path: Path) -> None:
    text = "Ann has 12 red apples and buys 30 more of them at the fair"
    sought = Sought(frozenset(["forum:7"]), frozenset(), runs_of([text]))
    folder = Folder.at(tmp_path)
    nested = [[{"content": "Hm. " + text, "n": 1}], []]
    for name, column in (("id", ["forum:7", "forum:8"]), ("text", nested), ("none", ["forum:70", "forum:"])):
        pq.write_table(pa.table({"n": [1, 2], "c": column}), tmp_path / f"{name}.parquet")
    with contextlib.closing(sqlite3.connect(tmp_path / "cache.sqlite")) as database:
        database.execute("CREATE TABLE pages (body BLOB)")
        database.execute("INSERT INTO pages VALUES (?)", (zlib.compress(text.encode()),))
        database.commit()
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    found = {path: sorted(kinds) for path, kinds in search(folder, sought, ()).found.items()}
    assert found == {
        "id.parquet": ["id"],
        "text.parquet": ["words"],
        "cache.sqlite": ["words"],
        "bad.parquet": ["cannot be read"],
    }


def test_words_that_other_posts_have_are_no_trace(tmp_path: Path) -> None:
    """The store, which the posts have left, says which words are others' as well."""
    text, more = "a farm has 12 hens and 30 cows in a barn", "Ann asks how many of them lay an egg every day"
    for name, words in (("posts/a.parquet", text), ("versions/b.parquet", text), ("reports/c.parquet", more)):
        (tmp_path / name).parent.mkdir()
        pq.write_table(pa.table({"text": [words]}), tmp_path / name)
    done = search(Folder.at(tmp_path), Sought(frozenset(), frozenset(), runs_of([text, more])), ())
    assert list(done.found) == ["reports/c.parquet"]
    assert len(done.shared) == 2


def test_the_log_is_a_chain_and_a_key_has_to_fit(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path)
    assert [TakedownLog(folder, KEY).add({"takedown": name}) for name in "abb"] == [1, 2, 2]
    assert TakedownLog(folder, None).add({"takedown": "c"}) == 3
    assert [line["takedown"] for line in TakedownLog(folder, KEY).check()] == ["a", "b", "c"]
    with pytest.raises(InputError, match=r"^line 1 of .+ is signed with another key, or was changed; give the key"):
        TakedownLog(folder, b"another key of some bytes").check()
    whole = folder.read(LOG)
    folder.write(LOG, whole + b'{"half')
    assert len(TakedownLog(folder, KEY).check()) == 3
    for changed in (whole.replace(b'"a"', b'"x"'), whole.partition(b"\n")[2], b"{}\n" + whole):
        folder.write(LOG, changed)
        with pytest.raises((StoreError, InputError), match=r"line \d of .+ (is not as it was written|is signed)"):
            TakedownLog(folder, KEY).check()


def test_a_key_that_is_too_short_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"short\n")
    with pytest.raises(InputError, match=r"holds 5 bytes, too few for a key; make one: openssl rand -hex 32"):
        read_key(tmp_path / "key")
