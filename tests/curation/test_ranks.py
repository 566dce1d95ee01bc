"""Builds by several ranks over one store: the bytes of one process, whatever is ended, started again or not alike."""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from corpus.errors import CorpusError, StoreError
from corpus.folders.files import Folder
from corpus.post_store.deposit import upsert
from corpus.workspace import Workspace
from curation.building import ranks
from curation.building.ranks import NoticeBoard, Rank, RunState
from curation.building.running import code_here, for_this_code
from curation.stages.registry import STAGES
from flows.pipelines import build_steps
from flows.pipelines.build_steps import build_as_rank
from flows.pipelines.requests import BuildRequest
from tests.curation.test_growing_builds import built, recipe, thread
from tests.s3 import new_bucket, s3_server

pytestmark = pytest.mark.slow

POSTS = [thread(number) for number in range(16)]

OF_RANK = 2 * sum(not stage.whole for stage in STAGES)
"""Parts that one of two ranks makes of four shards."""


class KilledError(BaseException):
    """What ends a rank in the middle, as a kill does: nothing is said to anybody."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls a plug here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The version that one process makes of the posts."""
    data = tmp_path_factory.mktemp("alone")
    upsert(Workspace(str(data)).posts, POSTS)
    built(data, 4)
    return contents(Folder.at(data))


@pytest.fixture
def data(tmp_path: Path) -> str:
    upsert(Workspace(str(tmp_path / "data")).posts, POSTS)
    return str(tmp_path / "data")


def contents(folder: Folder) -> dict[str, bytes]:
    """Every file of the versions below a data folder."""
    root = f"{folder.path}/versions"
    return {path.removeprefix(root).lstrip("/"): folder.fs.cat_file(path) for path in folder.fs.find(root)}


def start(data: str, number: int, of: int = 2, wait: float = 20, shards: int = 4) -> Callable[[], Any]:
    """Start a rank in a thread; gives what waits for its result, or for its failure as an exception.

    Signs of life come ten times a second.
    """
    said: list[Any] = []

    def work() -> None:
        try:
            asked = BuildRequest(data=data, name="grown", shards=shards)
            said.append(build_as_rank(asked, Rank(number, of, wait, beat_seconds=0.1, look_seconds=0.02)))
        except (CorpusError, OSError, KilledError) as error:
            said.append(error)

    running = threading.Thread(target=work)
    running.start()

    def result() -> Any:
        running.join()
        return said[0]

    return result


def test_two_ranks_make_the_bytes_of_one_process_and_leave_nothing(data: str, alone: dict[str, bytes]) -> None:
    second = start(data, 1)
    first = start(data, 0)()
    assert second() == {"version": first["version"], "parts": OF_RANK, "reused": 0}
    assert contents(Folder.at(data)) == alone
    assert [path.name for path in Path(data, "ranks").rglob("*") if path.is_file()] == ["grown.json"]
    late = start(data, 1, wait=1)()
    assert late["version"] == first["version"]


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with s3_server():
        yield f"{new_bucket()}/data"


@pytest.mark.full
def test_two_ranks_over_a_bucket_make_the_bytes_of_one_process(bucket: str, alone: dict[str, bytes]) -> None:
    upsert(Workspace(bucket).posts, POSTS)
    second = start(bucket, 1, wait=60, shards=2)
    first = start(bucket, 0, wait=60, shards=2)()
    assert second()["version"] == first["version"]
    assert contents(Folder.at(bucket)) == alone
    Workspace(bucket).versions.open("grown").check()
    assert (Folder.at(bucket) / "locks" / "building").names() == []


def test_a_rank_that_is_killed_and_started_again_goes_on(
    data: str, alone: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    real, seen = ranks.run_shards, []

    def killed(*asked: Any) -> Any:
        number = asked[2][0][0]
        seen.append(number)
        if number == 3 and seen.count(3) == 1:
            raise KilledError
        return real(*asked)

    monkeypatch.setattr(ranks, "run_shards", killed)
    first, second = start(data, 0), start(data, 1)
    assert isinstance(second(), KilledError)
    again = start(data, 1)()
    assert again["version"] == first()["version"]
    assert again["reused"] == [stage.whole for stage in STAGES].index(True)  # the stages up to agree over shard 1
    assert contents(Folder.at(data)) == alone


def test_a_rank_0_that_is_killed_and_started_again_goes_on(
    data: str, alone: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    second = start(data, 1)
    monkeypatch.setattr(build_steps, "publish_and_tell", lambda _: (_ for _ in ()).throw(KilledError()))
    assert isinstance(start(data, 0)(), KilledError)
    monkeypatch.undo()
    again = start(data, 0)()
    assert again["reused"] == again["parts"] - OF_RANK  # those that the other rank has made meanwhile
    assert second()["version"] == again["version"]
    assert contents(Folder.at(data)) == alone


@pytest.mark.rows("error", [StoreError("cannot write x: disk full"), OSError("cannot write x: disk full")], ids=repr)
def test_a_rank_that_does_not_come_or_fails_is_named(
    data: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = r"^rank {} of 2 waited 0 s for rank {}, which shows no sign of life; start it again with --rank {} --of 2"
    for number, other in ((1, 0), (0, 1)):
        failed = start(data, number, wait=0.4)()
        with pytest.raises(StoreError, match=waited.format(number, other, other)):
            raise failed
    real = ranks.run_shards

    def failing(*asked: Any) -> Any:
        if asked[2][0][0] % 2:
            raise error
        return real(*asked)

    monkeypatch.setattr(ranks, "run_shards", failing)
    first, second = start(data, 0), start(data, 1)
    assert str(second()) == "cannot write x: disk full"
    told = r"^rank 1 of 2 failed \(cannot write x: disk full\); mend that and start all ranks again$"
    with pytest.raises(StoreError, match=told):
        raise first()
    assert not Path(data, "versions").exists()


def test_what_a_rank_has_made_is_waited_for_until_it_can_be_read(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, gone = ranks._plain, set()

    def late(folder: Folder, name: str) -> Any:
        if name.endswith(".json") and name[0].isdigit() and name not in gone:
            gone.add(name)
            return None
        return read(folder, name)

    monkeypatch.setattr(ranks, "_plain", late)
    first, second = start(data, 0), start(data, 1)
    assert first()["version"] == second()["version"]
    assert len(gone) > 2


def test_ranks_that_are_not_alike_are_refused(data: str) -> None:
    killed = pytest.MonkeyPatch()
    killed.setattr(build_steps, "_make", lambda _: (_ for _ in ()).throw(KilledError()))
    assert isinstance(start(data, 0)(), KilledError)
    killed.undo()
    assert "of 2 ranks, and this is rank 1 of 3; start all ranks with the same --of" in str(start(data, 1, of=3)())
    assert "with another configuration; start all ranks with the same options" in str(start(data, 1, shards=8)())
    board = NoticeBoard(Workspace(data), "grown")
    said = board.announced()
    assert said is not None
    board.announce(replace(said, code="0" * 32))
    refused = str(start(data, 1)())
    assert f"with other code (000000000000, here {code_here()[:12]}); install the same code" in refused
    board.announce(replace(said, state=RunState.FAILED, said="x"))
    assert "no sign of life" in str(start(data, 1, wait=0.2)())


def test_a_worker_with_other_code_or_another_model_makes_nothing(data: str) -> None:
    ours = recipe(Path(data), 4)
    assert for_this_code(ours, ["classify"]) is ours
    with pytest.raises(CorpusError, match=r"^a worker runs other code \(\w{12}\) than this command \(ffffffffffff\)"):
        for_this_code(replace(ours, made_for="f" * 32), [])
    elsewhere = replace(ours, made_for=code_here(), model={**ours.model, "classify": "f" * 32})
    with pytest.raises(CorpusError, match=r"^a worker has another model for stage classify \(\w{12}\) than"):
        for_this_code(elsewhere, ["classify"])


def test_a_part_that_was_damaged_between_runs_is_made_again(data: str, alone: dict[str, bytes]) -> None:
    second = start(data, 1)
    start(data, 0)()
    second()
    victim = sorted(Path(data, "stages", "clean").glob("*/kept.parquet"))[0]
    victim.write_bytes(victim.read_bytes()[:-9])
    second = start(data, 1)
    again = start(data, 0)()
    assert (again["new"], again["parts"] - again["reused"]) == (False, 1)
    assert second()["version"] == again["version"]
    assert contents(Folder.at(data)) == alone
    part = Workspace(data).outputs.find("clean", victim.parent.name)
    assert part is not None


def test_what_is_said_of_each_shard_is_of_that_shard() -> None:
    assert [list(Rank(number, 3).shards(8)) for number in range(3)] == [[0, 3, 6], [1, 4, 7], [2, 5]]
