"""The command ``recover``: what can be read of broken stores, and what is gone."""

from pathlib import Path

from corpus.errors import StoreError
from corpus.recovery import Recovery, recover
from corpus.workspace import Workspace
from crawlers.recovery_sources import places
from flows.console import Reporter


def run_recover(data: str, given: list[Path], *, accept: bool) -> None:
    """The command: every store of the data folder; StoreError as long as something is missed that was not given up."""
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
