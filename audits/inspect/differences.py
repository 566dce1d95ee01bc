"""What changed between two versions, problem by problem, and the stage responsible."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audits.inspect.problem_groups import differing_posts, problem_changes
from corpus.errors import VersionError
from corpus.records import Dropped
from corpus.versioning.manifest import TAKEDOWN
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import KINDS, POSTS, RELEASE, WHOLE, RunRows

SHOWN = 20


@dataclass(frozen=True)
class Moved:
    """A problem that is in one version only: the stage that dropped its post in the other one, and why.

    ``stage`` is ``posts`` where the post was not among the other run's posts, None where nothing tells.
    """

    problem_id: str
    post_id: str
    stage: str | None
    reason: str
    detail: str


@dataclass(frozen=True)
class Changed:
    """A problem in both versions: the fields that differ as (old, new), and the first stage whose record differs."""

    problem_id: str
    post_id: str
    fields: Mapping[str, tuple[Any, Any]]
    stage: str | None


@dataclass(frozen=True)
class VersionDifference:
    """Everything that differs; ``causes`` are the changes of posts, configuration, code and models."""

    old: str
    new: str
    added: tuple[Moved, ...]
    removed: tuple[Moved, ...]
    changed: tuple[Changed, ...]
    unchanged: int
    causes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "old": self.old,
            "new": self.new,
            "causes": list(self.causes),
            "added": [vars(one) for one in self.added],
            "removed": [vars(one) for one in self.removed],
            "changed": [
                {**vars(one), "fields": {name: {"old": a, "new": b} for name, (a, b) in one.fields.items()}}
                for one in self.changed
            ],
            "unchanged": self.unchanged,
        }

    def text(self, shown: int = SHOWN) -> str:
        """In plain lines: the counts, what caused them, and the first problems of each kind."""
        counts = f"{len(self.added)} added, {len(self.removed)} removed, {len(self.changed)} changed"
        lines = [f"{self.old} -> {self.new}: {counts}, {self.unchanged} unchanged"]
        lines += [f"cause: {cause}" for cause in self.causes]
        for title, moved, other in (("added", self.added, self.old), ("removed", self.removed, self.new)):
            reasons = Counter(_where(one, other) for one in moved)
            lines += [f"{title}, {reason}: {count}" for reason, count in sorted(reasons.items())]
            lines += [f"  {title} {one.problem_id} ({one.post_id}): {one.detail}" for one in moved[:shown]]
            lines += _more(len(moved) - shown)
        stages = Counter(one.stage or "nothing on record" for one in self.changed)
        lines += [f"changed from stage {stage} on: {count}" for stage, count in sorted(stages.items())]
        for one in self.changed[:shown]:
            fields = "; ".join(f"{name} {_short(a)} -> {_short(b)}" for name, (a, b) in one.fields.items())
            lines.append(f"  changed {one.problem_id} ({one.post_id}), stage {one.stage or 'unknown'}: {fields}")
        return "\n".join([*lines, *_more(len(self.changed) - shown)])


def _where(one: Moved, side: str) -> str:
    if one.stage is None:
        return one.reason
    return f"not among the posts of {side}" if one.stage == POSTS else f"{side} dropped at {one.stage} ({one.reason})"


def _more(hidden: int) -> list[str]:
    return [f"  and {hidden} more (--json shows all)"] if hidden > 0 else []


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _rows(workspace: Workspace, version: Version) -> RunRows | None:
    if TAKEDOWN in version.manifest:  # stages of the version that it was made from would tell another story
        return None
    try:
        return RunRows.of(workspace, version)
    except VersionError:
        return None


def diff(workspace: Workspace, old: Version, new: Version) -> VersionDifference:
    """Compare two versions by problem; how a problem was made is not compared.

    A version whose run is not on record in the data folder is compared all the same, without responsible stages.
    """
    found = problem_changes(old, new)
    old_rows, new_rows = _rows(workspace, old), _rows(workspace, new)
    stages = first_differences(old_rows, new_rows, list(found.posts.values()), same_ways(old, new))
    changed = ((name, found.posts[name], found.changed[name]) for name in sorted(found.changed))
    return VersionDifference(
        old=old.label,
        new=new.label,
        added=_moved(found.added, old_rows),
        removed=_moved(found.removed, new_rows),
        changed=tuple(Changed(name, post_id, which, stages.get(post_id)) for name, post_id, which in changed),
        unchanged=found.common - len(found.changed),
        causes=causes(old, new),
    )


def same_ways(old: Version, new: Version) -> set[str]:
    """The stages that say the same of the same post in both versions, as long as they look at nothing but the post.

    Configuration, code and model of these are alike, and of such stages before them (docs/adr/0022).
    """
    later: dict[str, Mapping[str, Any]] = {stage["stage"]: stage for stage in new.manifest["stages"]}
    found = set[str]()
    for stage in (stage for stage in old.manifest["stages"] if stage["stage"] not in WHOLE):
        if any(stage[kind] != later.get(stage["stage"], {}).get(kind) for kind in ("config", "code", "model")):
            break
        found.add(stage["stage"])
    return found


def first_differences(
    old: RunRows | None, new: RunRows | None, ids: Sequence[str], alike: Collection[str] = ()
) -> dict[str, str]:
    """For each post the first stage, ``posts`` included, whose record of it differs between two runs, if one does.

    Stages that are ``alike`` are looked at only where neither the post's content nor another stage differs.
    """
    if old is None or new is None:
        return {}
    others = [stage for stage in KINDS if stage not in (*alike, RELEASE)]
    found = _first_of(others, (old, new), set(ids), {POSTS: ["post_id", "content_sha256"]})
    return found | _first_of(list(KINDS), (old, new), set(ids) - found.keys(), {})


def _first_of(
    stages: Sequence[str], runs: tuple[RunRows, RunRows], left: set[str], columns: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """The first of some stages whose record of a post differs, in all columns or those named."""
    found: dict[str, str] = {}
    for stage in stages:
        if left:
            tables = [rows.table(stage, left, columns=columns.get(stage)) for rows in runs]
            other = differing_posts(tables[0], tables[1], KINDS[stage])
            found |= dict.fromkeys(other, stage)
            left = left - other
    return found


def _moved(problems: Mapping[str, str], other: RunRows | None) -> tuple[Moved, ...]:
    """Why problems of one version, given with their posts, are not in the other."""
    if other is None:
        why = (
            "no record of the other run",
            "the other version was not built in this data folder, or was made by forget",
        )
        return tuple(Moved(*problem, None, *why) for problem in problems.items())
    ids = set(problems.values())
    there = set(other.table(POSTS, ids, columns=["post_id"])["post_id"].to_pylist()) if ids else set()
    dropped = other.dropped_at(there)
    return tuple(_moved_one(problem, there, dropped.get(problem[1])) for problem in problems.items())


def _moved_one(ids: tuple[str, str], there: Collection[str], found: tuple[str, Dropped] | None) -> Moved:
    if ids[1] not in there:
        return Moved(*ids, POSTS, "not_among_posts", "the post is not among the other version's posts")
    if found is None:
        return Moved(
            *ids, None, "not dropped", "the other run dropped it at no stage; its record may be of another run"
        )
    stage, row = found
    return Moved(*ids, stage, row.reason, f"{stage} dropped it: {row.reason}, {row.detail}")


def causes(old: Version, new: Version) -> tuple[str, ...]:
    """What went in differently: the posts, and the configuration, code or model of each stage."""
    found = []
    if old.manifest["snapshot"] != new.manifest["snapshot"]:
        found.append(f"other posts: {old.manifest['posts']} before, {new.manifest['posts']} now")
    later: dict[str, Mapping[str, Any]] = {stage["stage"]: stage for stage in new.manifest["stages"]}
    for stage in old.manifest["stages"]:
        other = later.get(stage["stage"], {})
        kinds = [kind for kind in ("config", "code", "model") if stage[kind] != other.get(kind)]
        if kinds:
            found.append(f"stage {stage['stage']}: {', '.join(kinds)} changed{_settings(stage, other)}")
    return tuple(found)


def _settings(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    before, after = old["config"], new.get("config", {})
    names = [name for name in before if before[name] != after.get(name)]
    return "".join(f"; {name} {before[name]} -> {after.get(name)}" for name in names)
