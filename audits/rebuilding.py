"""Does a rebuilt version have the same bytes, and if not, which stage made the difference and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpus.versions import Version


@dataclass(frozen=True)
class RebuildVerdict:
    """``identical``: every data file; ``stage``: the first whose kept rows differ; ``causes``: what changed."""

    identical: bool
    differing_files: tuple[str, ...]
    stage: str | None
    causes: tuple[str, ...]

    def sentence(self, version: Version) -> str:
        """The verdict in one line."""
        if self.identical:
            return f"{version.label}: identical, {len(version.manifest['files'])} data files byte for byte"
        where = f"first different stage: {self.stage}" if self.stage else "every stage kept the same rows"
        causes = "; ".join(self.causes) or "no change of posts, configuration, code or model explains it"
        return f"{version.label}: different files {', '.join(self.differing_files)}; {where}; {causes}"


def _changed(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    if old[kind] == new.get(kind):
        return None
    return f"{kind} of stage {old['stage']} changed"


def compare_rebuild(old: Version, new: Version) -> RebuildVerdict:
    """Compare a version with its rebuild, by the digests of their data files and of each stage's kept rows."""
    files, again = old.manifest["files"], new.manifest["files"]
    differing = tuple(sorted(path for path in files.keys() | again.keys() if files.get(path) != again.get(path)))
    again_by_stage = {row["stage"]: row["content"] for row in new.manifest["funnel"]}
    rows = old.manifest["funnel"]
    stage = next((row["stage"] for row in rows if again_by_stage.get(row["stage"]) != row["content"]), None)
    causes = [] if old.manifest["snapshot"] == new.manifest["snapshot"] else ["the posts are not the same"]
    made = {row["stage"]: row for row in new.manifest["stages"]}
    for before in old.manifest["stages"]:
        after = made.get(before["stage"], {})
        found = (_changed(kind, before, after) for kind in ("config", "code", "model"))
        causes += [cause for cause in found if cause]
    return RebuildVerdict(not differing, differing, stage if differing else None, tuple(causes))
