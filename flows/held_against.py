"""The benchmarks that a build is held against: taken into the data folder, and named in its configuration."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.benchmarks.gold_problems import Corpus
from corpus.config import BuildConfig, DecontaminateConfig
from corpus.errors import ConfigError, InputError
from corpus.workspace import Workspace
from curation.benchmark_texts import keep_benchmark, read_benchmark
from flows.console import name_refused


def held_against(data: str, config: BuildConfig, corpora: Sequence[str], *, incomplete: bool = False) -> BuildConfig:
    """The configuration with benchmarks that are given as ``NAME=CORPUS``, which the data folder keeps from now on.

    Those that the configuration names have to be there already. A record of which the question cannot be read is an
    InputError unless ``incomplete``; then the configuration says how many there are.
    """
    workspace, stage = Workspace(data), config.decontaminate
    for name, digest in stage.benchmarks.items():
        if not any(spec.startswith(f"{name}=") for spec in corpora):
            read_benchmark(workspace.benchmarks, name, digest)
    if not corpora:
        return config
    from corpus.benchmarks.reading import read_questions
    from evaluation.corpus_figures.leaks import items_of

    given, unread = {}, {}
    for spec in corpora:
        name, found, corpus = spec.partition("=")
        if not found:
            raise InputError(f"--against {spec} has no name; give NAME=CORPUS")
        benchmark = read_questions(corpus, workspace)
        unread[name] = _accepted(spec, benchmark, incomplete)
        given[name] = keep_benchmark(workspace.benchmarks, items_of(benchmark))
    kept = {name: count for name, count in {**stage.unread, **unread}.items() if count}
    fields = {**stage.model_dump(), "benchmarks": {**stage.benchmarks, **given}, "unread": kept}
    return config.model_copy(update={"decontaminate": _checked(fields)})


def _accepted(spec: str, benchmark: Corpus, incomplete: bool) -> int:
    """How many records could not be read, each of which is named; InputError for any unless they are accepted."""
    unread = len(benchmark.refused)
    name_refused(benchmark.refused)
    if unread and not incomplete:
        raise InputError(
            f"--against {spec}: of {benchmark.records} records {unread} have no question that can be read, and what "
            "they ask could be published; mend the file, or give --incomplete-benchmark"
        )
    return unread


def _checked(fields: Mapping[str, Any]) -> DecontaminateConfig:
    """The stage's configuration; ConfigError for a name that cannot be one."""
    try:
        return DecontaminateConfig.model_validate(fields)
    except ValueError as error:
        names = ", ".join(fields["benchmarks"])
        raise ConfigError(f"{names}: a benchmark's name has lower-case letters, digits, '.', '-' and '_'") from error
