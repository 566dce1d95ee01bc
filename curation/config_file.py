"""Configurations are read from TOML, among them the gate: what a version has to reach before it is the latest.

Apart from the registry, so that no message and no bound changes the key of a stage.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError, model_validator

from corpus.config import CrawlConfig, StageConfig
from corpus.errors import ConfigError
from corpus.faults import fault_line
from corpus.folders.open_files import read_file
from curation.stages.registry import BuildConfig


class StageGate(StageConfig):
    """The precision that a stage's decisions must have, and the probability of a wrong acceptance over all looks.

    ``expected`` is the precision that the first sheet's size is made for; None is half the errors the bound allows.
    """

    min_precision: float = Field(gt=0, lt=1)
    error: float = Field(0.05, gt=0, le=0.5)
    expected: float | None = Field(None, gt=0, le=1)

    @model_validator(mode="after")
    def _expects_more(self) -> Self:
        if self.expected is not None and self.expected <= self.min_precision:
            raise ValueError("expected must be more than min_precision")
        return self

    @property
    def planned(self) -> float:
        """The precision that the first sheet's size is made for."""
        return round((1 + self.min_precision) / 2, 12) if self.expected is None else self.expected


class GateConfig(StageConfig):
    """The gate of a version: every stage that is named must be accepted; a stage that is not named is not judged."""

    answers: StageGate | None = None
    equations: StageGate | None = None
    in_scope: StageGate | None = None

    def stages(self) -> Mapping[str, StageGate]:
        """The stages that are judged, by name."""
        named = {"answers": self.answers, "equations": self.equations, "in_scope": self.in_scope}
        return {stage: one for stage, one in named.items() if one is not None}

    def as_dict(self) -> dict[str, dict[str, float | None]]:
        """As a manifest says it."""
        return {stage: one.model_dump() for stage, one in self.stages().items()}


class ConfigFile(BuildConfig):
    """All that a file may hold: the build, the crawls before it and the gate behind it."""

    crawl: CrawlConfig = CrawlConfig()
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


def load_gate_file(path: Path) -> GateConfig:
    """Read a file that was given for its gate; ConfigError as well where it asks for nothing."""
    gate = load_gate(path)
    if gate == GateConfig():
        raise ConfigError(f"{path} has no table [gate] with a stage; see docs/configuration.md")
    return gate


def _load(path: Path | None) -> ConfigFile:
    if path is None:
        return ConfigFile()
    try:
        return ConfigFile.model_validate(tomllib.loads(read_file(path).decode()))
    except OSError as error:
        raise ConfigError(f"cannot read configuration {path}: {error.strerror}; check the path") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path} is not TOML: {error}; see docs/configuration.md") from error
    except ValidationError as error:
        fault = fault_line(error, ConfigFile)
        raise ConfigError(f"{path}: {fault} (fields are listed in docs/configuration.md)") from error
