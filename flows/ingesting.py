"""What ``ingest`` and the commands of ``store`` do: no flows, each is one read and one write."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.canonical import canonical_json
from corpus.errors import InputError, StoreError
from corpus.post_store.deposit import Deposit
from corpus.post_store.recovery import Recovery, recover
from corpus.takedowns.forgetting import Traces
from corpus.takedowns.takedown import LOG, read_key
from corpus.workspace import Workspace
from crawlers.dumps.tally import Tally
from crawlers.ingest import LineReading, deposit_posts, read_posts
from crawlers.posts import Removed, file_origin, file_source
from crawlers.thread_records import DEFAULT_SOURCE
from flows.console import Reporter

INGESTS, JSONL = "ingests", "jsonl"


@dataclass(frozen=True)
class IngestRequest:
    """What the command was asked for."""

    data: str
    file: Path
    file_format: str = JSONL
    source: str | None = None
    retrieved_at: str | None = None
    skip_bad: bool = False
    tags: tuple[str, ...] = ()
    columns: str = ""
    archives: Path | None = None
    workers: int = 1


def run_ingest(request: IngestRequest) -> None:
    """Posts of a file into the post store; what is left out is named on standard error."""
    if request.file_format == JSONL and not request.columns:
        _ingest_lines(request)
    else:
        _ingest_dump(request)


def _ingest_lines(request: IngestRequest) -> None:
    """JSON Lines as ``export`` writes them: all or, with ``skip_bad``, all that can be read."""
    file, reporter = request.file, Reporter()
    origin = file_origin(file, read_posts.__module__)

    def complete(row: dict[str, Any]) -> None:
        row["retrieved_at"] = row["retrieved_at"] or request.retrieved_at
        if row["response_sha256"] is None:
            row.update(response_sha256=origin.response_sha256, parser=row["parser"] or origin.parser)

    store = Workspace(request.data).posts
    store.source = file_source([file], sha256=origin.response_sha256, source=request.source)
    how = LineReading(
        request.skip_bad,
        request.source or DEFAULT_SOURCE,
        complete,
        lambda line: reporter.line(line.message),
        request.workers,
    )
    with Deposit(store) as deposit:
        read = deposit_posts(file, deposit, how=how)
        done = deposit.commit()
    used = read.used + read.merged
    tally = Tally(used + read.rejected.total(), used, read.rejected, read.removed)
    _record(request, origin.response_sha256, tally.counts() | {"posts": done.counts(), "whole": True})
    reporter.text(
        f"{file}: {read.used - done.forgotten} posts ({done.new} new, {done.changed} changed, {done.unchanged} "
        f"unchanged), {done.forgotten} forgotten before, {read.merged} duplicates merged, {read.rejected.total()} "
        "lines rejected"
    )
    reporter.text(_removed(read.removed))


def _ingest_dump(request: IngestRequest) -> None:
    """A dump, streamed: what can be read is stored, and then a fault is an error unless ``skip_bad`` allows it."""
    from crawlers.dumps.loading import load
    from crawlers.dumps.tables import parse_columns
    from crawlers.dumps.tally import Options

    options = Options(
        source=(request.source or "").lower(),
        retrieved_at=request.retrieved_at,
        tags=frozenset(tag.lower() for tag in request.tags),
        columns=parse_columns(request.columns),
        archives=request.archives,
    )
    reporter = Reporter()
    loaded = load(request.file, request.file_format, options, Workspace(request.data).posts, reporter.line)
    taken, tally = loaded.taken, loaded.tally
    refused = ", ".join(f"{reason.value} {count}" for reason, count in sorted(tally.refused.items())) or "none"
    reporter.text(
        f"{request.file}: {taken.posts} posts ({taken.new} new, {taken.changed} changed, {taken.unchanged} unchanged), "
        f"{taken.forgotten} forgotten before, {len(taken.refused)} contradicting"
    )
    reporter.text(f"records: {tally.read} read, {tally.used} used, refused: {refused}")
    if tally.mended:
        reporter.text(f"mended: {tally.mended} characters that the format does not allow were left out or rewritten")
    reporter.text(_removed(tally.removed))
    if loaded.removed:
        reporter.text(f"removed by the site (404 or 410): {loaded.removed} posts, not in the next version")
    _record(request, loaded.sha256, tally.counts() | {"posts": taken.counts(), "whole": loaded.failure is None})
    if loaded.failure is not None:
        raise InputError(f"{loaded.failure}; {taken.posts} posts read before it are stored") from loaded.failure
    if loaded.faults and not request.skip_bad:
        raise InputError(
            f"{loaded.first_fault}; {loaded.faults} such faults in all, everything else is stored "
            "(--skip-bad accepts them)"
        )


def _record(request: IngestRequest, sha256: str | None, counts: dict[str, Any]) -> None:
    """Keep what an ingest counted beside the store, under the digest of its file, if that could be read."""
    record = {"file": request.file.name, "format": request.file_format, "sha256": sha256, **counts}
    if sha256:
        Workspace(request.data).folder.write(f"{INGESTS}/{sha256[:16]}.json", canonical_json(record).encode())


def _removed(removed: Removed) -> str:
    others = [
        f"{count} {what}"
        for what, count in (
            ("handles", removed.handles),
            ("personal numbers", removed.numbers),
            ("addresses", removed.places),
        )
        if count
    ]
    known = f"removed: {removed.mails} mails, {removed.phones} phone numbers, {removed.names} names"
    return ", ".join([known, *others])


def run_forget(data: str, post: str, key: Path | None, send: bool) -> None:
    """The command ``store forget``; StoreError at its end where something was not done, so that it has to go on."""
    from corpus.takedowns.takedown import TAKEDOWNS, take_down
    from crawlers.crawl_forgetting import clear_crawls

    workspace, reporter = Workspace(data), Reporter()
    crawls = workspace.folder / "crawls"

    def clear(traces: Traces) -> int:
        return clear_crawls(Path(crawls.path), traces) if crawls.local else 0

    done = take_down(workspace, post, clear, key=read_key(key), send=send)
    found = ", ".join(done.forgotten.post_ids) or "nothing is stored under it; it will not be stored later either"
    reporter.text(f"forgotten: {found}")
    reporter.text(f"batches rewritten: {done.forgotten.batches}, stage outputs removed: {done.forgotten.outputs}")
    reporter.text(f"pages, records and lines removed from the files of crawls: {done.forgotten.kept}")
    for line in done.versions:
        reporter.text(f"version: {line}")
    searched, sought = done.searched, done.sought
    reporter.text(
        f"searched: {searched.files} files, {searched.size} bytes, for {len(sought.ids)} ids, {len(sought.urls)} "
        f"addresses and {len(sought.runs)} runs of words; {len(searched.shared)} of these other posts have too; "
        f"{len(searched.found) or 'no'} files hold one of the others"
    )
    for path, kinds in sorted(searched.found.items()):
        reporter.text(f"still there: {path} ({', '.join(sorted(kinds))}); {_to_do(path)}")
    for told, lines in (("pushed", done.pushed), ("perhaps", done.doubtful), ("left", done.to_push)):
        for line in lines:
            reporter.text(f"{told}: {line}")
    if done.line is not None:
        signed = "signed" if key else "not signed"
        reporter.text(f"line {done.line} of {workspace.folder}/{TAKEDOWNS}/{LOG}, {signed}")
    elif not done.failed:
        reporter.text("not ended: do what is left, or run the command again with --push; then run it once more")
    if done.failed:
        raise StoreError(f"{'; '.join(done.failed)}; what is left is done when the command is run again")


def _to_do(path: str) -> str:
    """What to do about a file that still holds a post."""
    return _TO_DO.get(path.partition("/")[0], "remove it if it must not")


_TO_DO = {
    "audits": "a sheet, page or log of people's verdicts: take the row out by hand, or remove the file",
    "crawls": "a listing page or a log: remove the file; a later crawl fetches what it needs",
    "reports": "remove it; the new version gives a new one",
    "versions": "another row has these words or this address: forget its post too, or let it stay",
}


def run_recover(data: str, given: list[Path], *, accept: bool) -> None:
    """The command ``store recover``, over every store of the data folder.

    StoreError as long as something is missed that was not given up.
    """
    from crawlers.recovery_sources import places

    workspace, reporter = Workspace(data), Reporter()
    missed, gone = 0, 0
    for name, store in workspace.stores().items():
        looked = places(workspace, store, given, reporter.line)
        for done in recover(store.folder, looked, accept=accept):
            reporter.text(f"{name}: {_sentence(done)}")
            for post_id in done.gone:
                reporter.text(f"gone: {post_id}")
            missed += not (done.whole or done.accepted)
            gone += len(done.gone)
    if missed:
        raise StoreError(
            f"{missed} batches of {workspace.folder} are incomplete and {gone} posts are gone; name places to read "
            "them from with --from, or accept the loss with --accept-loss"
        )
    reporter.text("nothing is missing" if not gone else f"{gone} posts are lost, and versions built from now on say so")


def _sentence(done: Recovery) -> str:
    rows = f"{done.rows} rows" if done.known else "the number of rows is unknown"
    found = ", ".join(f"{count} from {where}" for where, count in sorted(done.found.items()))
    back = f"{done.found.total()} came back ({found})" if found else "none came back"
    end = "whole again" if done.whole else "the loss is accepted" if done.accepted else "incomplete"
    lost = f", {len(done.gone)} are gone" if done.gone else ""
    return f"{done.batch}.parquet ({done.state}, {rows}): {back}{lost}; {end}"
