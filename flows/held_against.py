"""The benchmarks that a build is held against: taken into the data folder, and named in its configuration."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.config import BuildConfig, DecontaminateConfig
from corpus.errors import ConfigError, InputError
from corpus.workspace import Workspace
from curation.benchmark_texts import keep_benchmark, read_benchmark


def held_against(data: str, config: BuildConfig, corpora: Sequence[str]) -> BuildConfig:
    """The configuration with benchmarks that are given as ``NAME=CORPUS``, which the data folder keeps from now on.

    Those that the configuration names have to be there already.
    """
    workspace, stage = Workspace(data), config.decontaminate
    for name, digest in stage.benchmarks.items():
        if not any(spec.startswith(f"{name}=") for spec in corpora):
            read_benchmark(workspace.benchmarks, name, digest)
    if not corpora:
        return config
    from corpus.benchmarks.reading import read_corpus
    from evaluation.corpus_figures.leaks import items_of

    given = {}
    for spec in corpora:
        name, found, corpus = spec.partition("=")
        if not found:
            raise InputError(f"--against {spec} has no name; give NAME=CORPUS")
        given[name] = keep_benchmark(workspace.benchmarks, items_of(read_corpus(corpus, workspace)))
    fields = {**stage.model_dump(), "benchmarks": {**stage.benchmarks, **given}}
    return config.model_copy(update={"decontaminate": _checked(fields)})


def _checked(fields: Mapping[str, Any]) -> DecontaminateConfig:
    """The stage's configuration; ConfigError for a name that cannot be one."""
    try:
        return DecontaminateConfig.model_validate(fields)
    except ValueError as error:
        names = ", ".join(fields["benchmarks"])
        raise ConfigError(f"{names}: a benchmark's name has lower-case letters, digits, '.', '-' and '_'") from error
