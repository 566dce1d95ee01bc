"""From a gate's decisions to the version: its manifest carries them, and ``latest`` follows (corpus.latest)."""

from collections.abc import Sequence
from dataclasses import dataclass

from audits.acceptance.gate_report import GateReport
from corpus.gate_verdicts import asked_of, missing_stages
from corpus.versions import Version
from corpus.workspace import Workspace


@dataclass(frozen=True)
class Released:
    """What ``latest`` of a version's dataset is after its gate was asked, and in a sentence what became of it."""

    latest: str | None
    sentence: str


def record_verdicts(workspace: Workspace, version: Version, reports: Sequence[GateReport]) -> Released:
    """Attach decisions to the version, and let ``latest`` name the newest accepted one.

    VersionError where a file of the version is not as published: verdicts on other rows are none of its.
    """
    versions = workspace.versions
    versions.mend_card(version)
    version.check()
    before, latest = versions.judge(version, [one.as_audit() for one in reports])
    judged = versions.open(version.label)
    return Released(latest, f"{version.label} {_standing(judged, before, latest)}")


def _standing(version: Version, before: str | None, latest: str | None) -> str:
    """What a version is after its gate was asked: a candidate, accepted, or the latest."""
    names, missing = latest or "none", missing_stages(version.manifest)
    if missing:
        what = f"is a candidate ({', '.join(missing)} not accepted)"
        now = f"latest is {names} now" if before != latest else f"latest stays {latest}"
        return f"{what}; {now if before or latest else 'there is no latest'}"
    if latest == version.version_id:
        return "was latest before" if before == latest else f"is latest now; before: {before or 'none'}"
    gate = "is accepted" if asked_of(version.manifest) else "was built without a gate"
    return f"{gate}; latest is {names}"
