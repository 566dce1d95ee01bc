"""What a build reads, which needs no scheduler: posts of a store, benchmarks; and whether it would change nothing."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.benchmarks.gold_problems import Corpus
from corpus.canonical import canonical_json, digest_of
from corpus.code import code_digest
from corpus.errors import ConfigError, InputError, StoreError, VersionError
from corpus.folders.open_files import open_file
from corpus.post_store.store import PostStore, Snapshot
from corpus.strict_json import load_json
from corpus.workspace import INPUTS, Workspace
from crawlers.ingest import LineReading, deposit_posts
from crawlers.posts import file_source
from curation.near_texts.benchmark_texts import keep_benchmark, read_benchmark
from curation.stages.decontaminate_stage import DecontaminateConfig
from curation.stages.registry import BuildConfig
from flows.console import name_refused
from flows.pipelines.requests import BuildRequest

TAKEN = "taken"
"""Where it stands which input files gave before."""


def take_posts(request: BuildRequest) -> tuple[str, Snapshot]:
    """The store a build reads, and its snapshot: the posts files given, or the post store.

    Files that the same code read before, and that lost nothing to a tombstone since, are not read again: their input is
    found by their bytes.
    """
    workspace = Workspace(request.data)
    if not request.posts:
        posts = PostStore(workspace.posts.folder, incomplete=request.incomplete_store)
        return "posts", posts.snapshot(_published(workspace, request.name))
    reading = _reading(request, workspace)
    known = _known(request, workspace, reading)
    if known is not None:
        return known
    paths = [Path(path) for path in request.posts]
    with workspace.input_deposit(incomplete=request.incomplete_store) as deposit:
        for number, path in enumerate(paths):
            deposit_posts(path, deposit, number, LineReading(request.skip_bad, workers=request.workers))
        store, snapshot = workspace.keep_input(deposit, file_source(paths), incomplete=request.incomplete_store)
    if _reading(request, workspace) == reading:  # nobody has changed a file meanwhile
        note = {"store": store, "snapshot": snapshot.snapshot_id}
        workspace.folder.write(f"{TAKEN}/{reading}.json", canonical_json(note).encode())
    return store, snapshot


def _published(workspace: Workspace, name: str) -> str:
    """The snapshot of the newest version of a name; empty where there is none that can be read."""
    try:
        return str(workspace.versions.open(name).manifest["snapshot"])
    except (VersionError, StoreError):
        return ""


def _reading(request: BuildRequest, workspace: Workspace) -> str:
    """A digest of what reading posts files depends on: their bytes, the code, what is forgotten and the options."""
    stones = PostStore(workspace.posts.folder, incomplete=request.incomplete_store).tombstones().stones
    buried = sorted(canonical_json(stone.model_dump(mode="json")) for stone in stones)
    files = [_digest(Path(path)) for path in request.posts]
    code = [code_digest("crawlers.ingest"), code_digest("corpus.workspace")]
    return digest_of([files, code, buried, request.skip_bad, request.incomplete_store])[:32]


def _digest(path: Path) -> str:
    try:
        with open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error


def _known(request: BuildRequest, workspace: Workspace, reading: str) -> tuple[str, Snapshot] | None:
    """The input that a note names and its snapshot; None where there is no such note, or no longer those posts."""
    name = f"{TAKEN}/{reading}.json"
    if not workspace.folder.exists(name):
        return None
    try:
        note = load_json(workspace.folder.read(name))
        store, snapshot_id = str(note["store"]), note["snapshot"]
    except (ValueError, KeyError, TypeError):
        return None
    if not store.startswith(f"{INPUTS}/") or not workspace.folder.exists(store):
        return None
    snapshot = PostStore(workspace.folder / store, incomplete=request.incomplete_store).snapshot()
    return (store, snapshot) if snapshot.snapshot_id == snapshot_id else None


def store_state(request: BuildRequest, store: str) -> Mapping[str, Any]:
    """What the store behind a build lacks, for the manifest; of a rebuild what the version says of its own."""
    if request.store_state is not None:
        return request.store_state
    return PostStore(Workspace(request.data).folder / store, incomplete=request.incomplete_store).state()


def held_against(data: str, config: BuildConfig, corpora: Sequence[str], *, incomplete: bool = False) -> BuildConfig:
    """The configuration with benchmarks that are given as ``NAME=CORPUS``, which the data folder keeps from now on.

    Those that the configuration names have to be there already. A record of which the question cannot be read is an
    InputError unless ``incomplete``; then the configuration says how many there are.
    """
    workspace, stage = Workspace(data), config.of(DecontaminateConfig)
    for name, digest in stage.benchmarks.items():
        if not any(spec.startswith(f"{name}=") for spec in corpora):
            read_benchmark(workspace.benchmarks, name, digest)
    if not corpora:
        return config
    from corpus.benchmarks.reading import read_questions
    from curation.near_texts.benchmark_texts import items_of

    given, unread = {}, {}
    for spec in corpora:
        name, found, corpus = spec.partition("=")
        if not found:
            raise InputError(f"--against {spec} has no name; give NAME=CORPUS")
        if name in given:
            raise InputError(f"--against names {name} twice; give each corpus a name of its own")
        benchmark = read_questions(corpus, workspace)
        unread[name] = _accepted(spec, benchmark, incomplete)
        given[name] = keep_benchmark(workspace.benchmarks, items_of(benchmark.problems))
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
