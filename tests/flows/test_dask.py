"""Builds by the workers of a Dask scheduler: the bytes of one process, and one line where they cannot be had."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from corpus.errors import ConfigError, CorpusError
from corpus.folders.files import Folder
from corpus.post_store.deposit import upsert
from corpus.workspace import Workspace
from flows.pipelines import cluster, prefect_flows
from flows.pipelines.requests import BuildRequest
from tests.curation.test_growing_builds import built
from tests.curation.test_ranks import POSTS, contents
from tests.flows.command import wordquarry

distributed = pytest.importorskip("distributed", reason="needs distributed: pip install 'wordquarry[cluster]'")
pytest.importorskip("prefect_dask", reason="needs prefect-dask: pip install 'wordquarry[cluster]'")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    """A scheduler on loopback with two workers in threads of this process."""
    from dask import config

    quiet = {"distributed.admin.tick.limit": "1h", "distributed.worker.profile.enabled": False}
    with (
        config.set(quiet),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            protocol="tcp://",
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
        ) as made,
    ):
        yield made


def asked(data: Path | str, runner: str) -> BuildRequest:
    return BuildRequest(data=str(data), name="grown", runner=runner)


@pytest.mark.full
def test_workers_make_the_bytes_of_one_process(scheduler: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        upsert(Workspace(str(tmp_path / name)).posts, POSTS)
    built(tmp_path / "one", 4)
    runner = scheduler.scheduler_address.replace("tcp://", "dask://")
    options = ["--name", "grown", "--shards", "4", "--data", str(tmp_path / "two"), "--runner", runner]
    done = wordquarry("build", *options)
    assert done.returncode == 0, done.stderr
    assert contents(Folder.at(tmp_path / "one")) == contents(Folder.at(tmp_path / "two"))
    assert not list(tmp_path.glob("two/probe-*"))


def test_a_scheduler_without_workers_and_none_at_all_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"^cannot reach a Dask scheduler at tcp://127\.0\.0\.1:1 \(.+\); start one"):
        cluster.check_workers(asked(tmp_path, "dask://127.0.0.1:1"), connect_seconds=1)

    class Nobody:
        def run(self, *_: Any) -> dict[str, Any]:
            return {}

    with pytest.raises(CorpusError, match=r"^the Dask scheduler at tcp://x:1 has no workers; start some \(dask worker"):
        cluster._asked(Nobody(), "tcp://x:1", cluster.reaches, "")


@pytest.mark.rows("runner", ["dask://", "dask://host", "dask://host:0", "dask://host:99999", "ray://host:1", ""])
def test_a_runner_that_is_none_is_refused(runner: str) -> None:
    with pytest.raises(
        ConfigError, match=r"^unknown runner '.*'; give auto, here, process, dask://HOST:PORT or dask\+tls://HOST:PORT"
    ):
        cluster.scheduler_of(runner)


def test_workers_that_are_not_like_us_are_refused(scheduler: Any, tmp_path: Path) -> None:
    request = asked(tmp_path, scheduler.scheduler_address.replace("tcp://", "dask://"))
    cluster.check_workers(request)
    (tmp_path / "health").touch()
    cluster.check_server_reached(request, tmp_path.as_uri())
    with pytest.raises(
        CorpusError, match=r"^the worker tcp://\S+ does not reach the Prefect server at http://127.0.0.1:1"
    ):
        cluster.check_server_reached(request, "http://127.0.0.1:1")
    with pytest.raises(CorpusError, match=r"^the worker tcp://w:1 runs other code \(0{12}\) than this command"):
        cluster.refuse_others({"tcp://w:1": ("0" * 32, True)}, request.data)
    with pytest.raises(
        CorpusError, match=r"^the worker tcp://w:1 does not see /\S+; mount that folder there, or use s3"
    ):
        cluster.refuse_others({"tcp://w:1": (cluster.code_here(), False)}, request.data)
    assert [path.name for path in tmp_path.iterdir()] == ["health"]


class Lost:
    """A future whose engine lost the work, or the news of it."""

    def __init__(self, *outcomes: Any) -> None:
        self._outcomes = list(outcomes)

    def result(self) -> Any:
        what = self._outcomes.pop(0)
        if isinstance(what, BaseException):
            raise what
        return what

    def submit(self, *_: Any) -> "Lost":
        return self


def test_what_the_engine_lost_is_asked_for_again_and_what_failed_is_not() -> None:
    given: Any = ({}, "clean", [])
    killed = distributed.KilledWorker("shards_part", SimpleNamespace(address="tcp://w:1"), 3)
    for first in (killed, None, ConnectionResetError("gone")):
        lost: Any = Lost(first, [{"made": 1}])
        assert prefect_flows.outcome(lost, given, lost) == [{"made": 1}]
    lost = Lost(None, killed)
    with pytest.raises(CorpusError, match=r"^the engine lost a part of stage clean twice \(.+\); look at its workers"):
        prefect_flows.outcome(lost, given, lost)
    failed: Any = Lost(CorpusError("x is damaged"), [{}])
    with pytest.raises(CorpusError, match=r"^x is damaged$"):
        prefect_flows.outcome(failed, given, failed)
