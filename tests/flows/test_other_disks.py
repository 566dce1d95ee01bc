"""A data folder on another file system: models are read from it, nothing of it lands in the working folder."""

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.config import CrawlConfig
from corpus.errors import StoreError
from corpus.workspace import BUNDLED, Workspace
from curation.building.running import stage_model_digest
from curation.stages.registry import BY_NAME
from flows.command_line.commands import run_crawl
from flows.command_line.judge_commands import sheet_verdicts
from flows.command_line.look_commands import explain
from flows.processes.loopback import DEFAULTS, prepare
from tests.worlds import build_world


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A data folder in memory, with an empty working folder and a cache of its own."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("PREFECT_HOME", *DEFAULTS):
        monkeypatch.setenv(name, "")
    workspace = Workspace(f"memory://elsewhere-{secrets.token_hex(4)}")
    yield workspace
    assert list((tmp_path / "here").iterdir()) == []


def test_own_models_are_used_and_prefect_has_a_local_home(elsewhere: Workspace, tmp_path: Path) -> None:
    shipped = stage_model_digest(BY_NAME["classify"], elsewhere)
    content = (BUNDLED / "models" / "posts.json").read_bytes() + b"\n"
    elsewhere.folder.write("models/posts.json", content)
    assert stage_model_digest(BY_NAME["classify"], elsewhere) != shipped
    assert elsewhere.model_file("posts").read_bytes() == content
    assert prepare(elsewhere.data).is_relative_to(tmp_path / "cache")


def test_what_needs_a_local_disk_is_refused(elsewhere: Workspace) -> None:
    with pytest.raises(StoreError, match=r"cannot keep crawled pages in memory://.+; they need a local disk"):
        run_crawl(elsewhere.data, ("bundled", None), CrawlConfig(), 15, False)
    with pytest.raises(StoreError, match=r"cannot keep sheets in memory://.+; they need a local disk"):
        sheet_verdicts("quarry", "answers", 5, 7, elsewhere.data)


def test_a_version_elsewhere_is_explained(elsewhere: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    build_world(elsewhere.data)
    explain("site:p00", data=elsewhere.data)
    assert "published as wq-" in capsys.readouterr().out
