"""What publishes and removes is killed with SIGKILL at random steps, looked at, and run again: ``release_kills``.

The commands are push, prune, the gate and forget; steps are those of ``store_kills``. Run as
``python -m benchmarks.release_kills KILLS SEED``: prints the kills by command, or fails with what it saw.
"""

import contextlib
import io
import sys
import tempfile
from pathlib import Path

from audits.acceptance.gate_report import judge, record_verdicts
from audits.sheets.audit_sheets import Verdict
from benchmarks.measuring import signature, table
from benchmarks.store_kills import KILLS, SCENARIOS, SEED, Scenario, kill_all, rows_of
from corpus.delivery.push_places import FolderTarget
from corpus.delivery.pushing import UNDER_WAY, push
from corpus.folders.files import Folder
from corpus.versioning.manifest import CARD, MANIFEST, faults, read_manifest
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.config_file import GateConfig
from flows.gating import PlanWish, plans_of, run_gate_plan
from tests.audits.acceptance.filling import fill
from tests.corpus.samples import problems, release, source_answers, source_post
from tests.worlds import Plan, build_world

PLACE = "there"
"""The folder that versions are sent to."""
MINE = "mine.txt"
"""A file of somebody else there."""
GATE = GateConfig.model_validate({"answers": {"min_precision": 0.9, "expected": 0.99}})
POSTS = (44, 45)
"""Of the older version and of the newer one."""


def _versions(folder: Path) -> list[Version]:
    """Two versions, the second without what the first one has more."""
    versions = Workspace(str(folder)).versions
    rows = [row for row in problems() if row.split != "validation"]
    posts = [source_post(row) for row in rows]
    answers = [answer for row in rows for answer in source_answers(row)]
    fewer = release(title="Fewer", rows=rows, posts=posts, answers=answers)
    return [versions.publish(one)[0] for one in (release(), fewer)]


def _send(folder: Path, version: Version) -> None:
    push(Workspace(str(folder)), version, FolderTarget(Folder.at(folder / PLACE)))


def _ready_to_push(folder: Path) -> None:
    """The first of two versions lies there, beside a file of somebody else."""
    _send(folder, _versions(folder)[0])
    (folder / PLACE / MINE).write_text("mine", encoding="utf-8")


def _push(folder: Path) -> None:
    _send(folder, Workspace(str(folder)).versions.open("demo"))


def _see_pushed(folder: Path) -> None:
    """A manifest stands for its files, and what is being changed says so."""
    place = Folder.at(folder / PLACE)
    assert place.read(MINE) == b"mine"
    if place.exists(MANIFEST):
        found = [fault for fault in faults(place, read_manifest(place)) if not fault.startswith((MINE, UNDER_WAY))]
        assert not found, found
    else:
        assert place.exists(UNDER_WAY)


def _ready_for_the_gate(folder: Path) -> None:
    """Two accepted versions, and verdicts by which the newer one, which is the latest, is to be refused."""
    for posts in POSTS:
        version = build_world(folder, Plan(posts=posts, fates={}, gate=GATE))[1]
        with contextlib.redirect_stdout(io.StringIO()):
            run_gate_plan(str(folder), version.label, PlanWish())
        (sheet,) = (folder / "audits").glob(f"{version.name}-{version.version_id}-*.jsonl")
        fill(sheet)
        _ask(folder, version)
    fill(sheet, Verdict.WRONG, 20)


def _ask(folder: Path, version: Version) -> None:
    plans = plans_of(folder / "audits", version)
    record_verdicts(Workspace(str(folder)), version, [judge(plan, folder / "audits") for plan in plans])


def _by_age(folder: Path) -> list[Version]:
    versions = Workspace(str(folder)).versions
    return sorted(
        (versions.open(f"quarry/{one}") for one in versions.ids("quarry")), key=lambda one: one.manifest["rows"]
    )


def _gate(folder: Path) -> None:
    _ask(folder, _by_age(folder)[-1])


def _see_judged(folder: Path) -> None:
    """Every version is whole but for a card that is still to be written, and the name opens one of them."""
    for version in _by_age(folder):
        found = [fault for fault in faults(version.folder, version.manifest) if not fault.startswith(CARD)]
        assert not found, found
    assert Workspace(str(folder)).versions.open("quarry").label in [one.label for one in _by_age(folder)]


RELEASE = {
    "push": Scenario(_ready_to_push, _push, _see_pushed),
    "prune": SCENARIOS["prune"],
    "gate": Scenario(_ready_for_the_gate, _gate, _see_judged),
    "forget": SCENARIOS["forget"],
}


def measure() -> str:
    """The table."""
    with tempfile.TemporaryDirectory() as folder:
        rows = rows_of(kill_all(KILLS, SEED, Path(folder), RELEASE))
    return table("Kills of what publishes and removes", rows, f"Seed {SEED}. {signature('pyarrow')}.")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        survived = kill_all(int(sys.argv[1]), int(sys.argv[2]), Path(scratch), RELEASE)
    print(" ".join(f"{name}:{kills}" for name, (kills, _) in survived.items()))
