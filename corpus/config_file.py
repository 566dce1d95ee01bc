"""Configurations are read from TOML. Apart from ``corpus.config``, so that no message changes the key of a stage."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from corpus.config import BuildConfig, ConfigFile, CrawlConfig
from corpus.errors import ConfigError
from corpus.faults import fault_line
from corpus.gate_config import GateConfig
from corpus.open_files import read_file


class _WholeFile(ConfigFile):
    """All that a file may hold; the gate stands here, so that no bound changes the key of a stage."""

    gate: GateConfig = GateConfig()


def load_config(path: Path | None) -> BuildConfig:
    """Read the configuration of a build; ``None`` gives the defaults.

    Raises ConfigError naming the file, the field and what is allowed.
    """
    file = _load(path)
    return BuildConfig(**{name: getattr(file, name) for name in BuildConfig.model_fields})


def load_crawl_config(path: Path | None, given: Mapping[str, object] | None = None) -> CrawlConfig:
    """Read the configuration of crawls, table ``crawl`` of the same file, with what is ``given`` in its place.

    Raises ConfigError as ``load_config`` does.
    """
    config = _load(path).crawl
    if not given:
        return config
    try:
        return CrawlConfig.model_validate(config.model_dump() | dict(given))
    except ValidationError as error:
        raise ConfigError(f"{fault_line(error, CrawlConfig)} (docs/configuration.md, crawl)") from error


def load_gate(path: Path | None) -> GateConfig:
    """Read what versions have to reach, table ``gate`` of the same file; without a file nothing is asked.

    Raises ConfigError as ``load_config`` does.
    """
    return _load(path).gate


def _load(path: Path | None) -> _WholeFile:
    if path is None:
        return _WholeFile()
    try:
        return _WholeFile.model_validate(tomllib.loads(read_file(path).decode()))
    except OSError as error:
        raise ConfigError(f"cannot read configuration {path}: {error.strerror}; check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not TOML: {error}; see docs/configuration.md") from error
    except ValidationError as error:
        fault = fault_line(error, _WholeFile)
        raise ConfigError(f"{path}: {fault} (fields are listed in docs/configuration.md)") from error
