"""Configurations: the defaults, what a file may set, and one line for everything else."""

from pathlib import Path

import pytest

from corpus.config import CrawlConfig, HostConfig
from corpus.errors import ConfigError
from curation.config_file import load_config, load_crawl_config
from curation.stages.registry import BuildConfig


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "build.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_no_file_and_an_empty_file_are_the_defaults(tmp_path: Path) -> None:
    assert load_config(None) == BuildConfig() == load_config(written(tmp_path, ""))
    assert load_config(None).read.min_votes == 1


def test_a_file_sets_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    text = '[read]\nmin_votes = 3\n[release]\nallowed_licenses = ["CC0"]\n[diversity]\nld_min = 0\n'
    config = load_config(written(tmp_path, text))
    assert (config.read.min_votes, config.release.allowed_licenses, config.diversity.ld_min) == (3, ("CC0",), 0.0)
    assert config.clean == BuildConfig().clean
    assert BuildConfig.model_validate(config.model_dump(mode="json")) == config


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[reads]\nmin_votes = 3", "unknown field 'reads'; did you mean 'read'?"),
        ("[read]\nmin_vote = 3", "read: unknown field 'min_vote'; did you mean 'min_votes'?"),
        ("shards = 4", "unknown field 'shards'; there are: clean, classify, "),
        ('[read]\nmin_votes = "three"', "read.min_votes: must be a whole number"),
        ('[read]\nmin_votes = "3"', "read.min_votes: must be a whole number"),
        ("[read]\nmin_votes = true", "read.min_votes: must be a whole number"),
        ("[read]\nmin_votes = 0", "read.min_votes: must be at least 1"),
        ('[read]\nrequire = "yes"', "read.require: must be true or false"),
        ("[diversity]\nld_min = nan", "diversity.ld_min: must be a finite number"),
        ("[diversity]\nld_min = 1.5", "diversity.ld_min: must be at most 1"),
        ('[templates]\nsemantics = "bag"', "templates.semantics: must be 'multiset' or 'set'"),
        ('[release]\nallowed_licenses = "CC0"', "release.allowed_licenses: must be a list"),
        ("[split]\ntrain = 0.9\nvalidation = 0.2", "split: Value error, train and validation together are more than 1"),
        ("clean = 3", "clean: must be a group of fields"),
        ("[equations]\nmin_votes = 2", "Value error, the table equations is gone: move what it says to [read]"),
        ("[answers]\nmin_confidence = 0.5", "Value error, the table answers is gone: move what it says to [read]"),
        (
            "[agree]\n",
            "Value error, the table agree is gone: [publish] precision = 0.95 says what is published; remove",
        ),
    ],
)
def test_what_a_configuration_may_not_say(tmp_path: Path, text: str, where: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as refused:
        load_config(path)
    message = str(refused.value)
    assert message.startswith(f"{path}: {where}")
    assert message.endswith(" (fields are listed in docs/configuration.md)")
    assert "\n" not in message


@pytest.mark.parametrize(
    "text", ["[equations", "a = ", b"\xff\xfe", "a = 1\na = 2", "a = " + "[" * 5000], ids=lambda text: repr(text[:10])
)
def test_what_is_not_toml(tmp_path: Path, text: str | bytes) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as refused:
        load_config(path)
    assert str(refused.value).startswith(f"{path} is not TOML: ")
    assert str(refused.value).endswith("; see docs/configuration.md")
    assert "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(ConfigError) as refused:
        load_config(missing)
    assert str(refused.value) == f"cannot read configuration {missing}: No such file or directory; check the path"
    with pytest.raises(ConfigError, match=f"^cannot read configuration {tmp_path}: Is a directory; check the path$"):
        load_config(tmp_path)


def test_crawls_stand_in_the_same_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[crawl]\nmax_hours = 2\ndeny = ["/u/"]\n[crawl.hosts."www.a.example"]\ndelay = 3\n[split]\ntrain = 0.5\n',
    )
    config = load_crawl_config(path, {"max_pages": 7})
    assert (config.max_hours, config.max_pages, config.deny) == (2.0, 7, ("/u/",))
    assert config.host("A.example") == HostConfig(delay=3.0)
    assert CrawlConfig.model_validate(config.model_dump(mode="json")) == config
    assert load_config(path).split.train == 0.5
    assert load_crawl_config(None) == CrawlConfig()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[crawl]\nmax_page = 3", "crawl: unknown field 'max_page'; did you mean 'max_pages'?"),
        ("[crawl]\nmax_bytes = 0", "crawl.max_bytes: must be at least 1"),
        ("[crawl]\nmax_hours = 0", "crawl.max_hours: must be more than 0"),
        ("[crawl]\ndelay = -1", "crawl.delay: must be at least 0"),
        ('[crawl]\nallow = "/q/"', "crawl.allow: must be a list"),
        ('[crawl]\nallow = [".*"]', "crawl.allow.0: must match the pattern"),
        ('[crawl]\ndeny = ["/' + "a" * 500 + '"]', "crawl.deny.0: must have at most 500 characters"),
        ('[crawl]\ncontact = "me\\r\\nCookie: x"', "crawl.contact: must match the pattern"),
        ("[crawl.hosts.a]\ndelays = 3", "crawl.hosts.a: unknown field 'delays'; did you mean 'delay'?"),
        ("[crawl.hosts.a]\nconcurrency = 0", "crawl.hosts.a.concurrency: must be at least 1"),
    ],
)
def test_what_the_configuration_of_a_crawl_may_not_say(tmp_path: Path, text: str, where: str) -> None:
    path = written(tmp_path, text)
    for load in (load_crawl_config, load_config):
        with pytest.raises(ConfigError) as refused:
            load(path)
        assert str(refused.value).startswith(f"{path}: {where}")
