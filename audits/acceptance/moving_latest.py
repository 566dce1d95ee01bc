"""From a gate's decisions to the version: its manifest carries them, and ``latest`` moves once all have accepted."""

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
    """Attach decisions to the version; ``latest`` becomes it if it has a gate and every stage of that is accepted.

    VersionError where a file of the version is not as published: verdicts on other rows are none of its.
    """
    versions = workspace.versions
    versions.mend_card(version)
    version.check()
    for one in reports:
        versions.attach_audit(version, one.as_audit())
    judged = versions.open(version.label)
    before = versions.latest_id(version.name)
    if not asked_of(judged.manifest):
        return Released(before, f"{version.label} was built without a gate; latest is {before}")
    missing = missing_stages(judged.manifest)
    if missing:
        stays = f"latest stays {before}" if before else "there is no latest"
        return Released(before, f"{version.label} is a candidate ({', '.join(missing)} not accepted); {stays}")
    versions.make_latest(judged)
    was = "was latest before" if before == version.version_id else f"is latest now; before: {before or 'none'}"
    return Released(version.version_id, f"{version.label} {was}")
