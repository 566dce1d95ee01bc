"""What a build left beside its version: its record, ``runs/<name>/<id>.json``, and the rows that its stages wrote."""

import functools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import bucket_of, modulo_bucket_of
from corpus.errors import VersionError
from corpus.outputs import DROPPED, KEPT, OutputPart
from corpus.records import Dropped, Post, Record
from corpus.schema import RecordT
from corpus.strict_json import load_json
from corpus.versioning.manifest_record import StagesDone
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.stages.registry import STAGES

POSTS = "posts"
"""What stands before the first stage: the posts themselves, in parts like a stage's."""
RUNS = "runs"
NOTHING = "nothing"
"""What stands in the place of a version's id where the last build of a name dropped every post."""


class NothingPublishedError(VersionError):
    """A build dropped every post, so that there is no version; what it did is kept all the same."""


@dataclass(frozen=True)
class Unpublished:
    """The last build of a name, where it published nothing: of its manifest there are the stages and the funnel."""

    name: str
    manifest: StagesDone

    version_id = NOTHING

    @property
    def label(self) -> str:
        """What stands for ``NAME/ID``."""
        return f"{self.name}/{NOTHING}"


BuildOutcome = Version | Unpublished
"""What posts came to: a version, or a build without one."""


@dataclass(frozen=True)
class BuildRecord:
    """The record of a build beside its version: which parts each stage made, and the digest of what published them.

    ``keys`` are the addresses of the outputs of whole stages: those of the last build that gave the version, which may
    have been made by other code than the one in the manifest, of the same rows.
    ``nested`` says that posts lie in shards by ``bucket_of``, as they do since version 0.3.
    """

    name: str
    version_id: str
    store: str
    snapshot_id: str
    parts: Mapping[str, Sequence[OutputPart]]
    keys: Mapping[str, str]
    code: str | None
    nested: bool


def run_of(workspace: Workspace, version: BuildOutcome) -> BuildRecord:
    """The run that published a version; VersionError if its record is not in this data folder."""
    name = f"{RUNS}/{version.label}.json"
    if not workspace.folder.exists(name):
        raise VersionError(f"{workspace.folder} has no record of the run behind {version.label}; build it here again")
    try:
        record = load_json(workspace.folder.read(name))
        parts = {stage: [OutputPart(**part) for part in found] for stage, found in record["parts"].items()}
        keys = record.get("keys") or {one["stage"]: one["key"] for one in version.manifest.get("stages", ())}
        code, nested = record.get("code"), record.get("nested") is True
        return BuildRecord(
            version.name, version.version_id, record["store"], record["snapshot"], parts, keys, code, nested
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VersionError(f"{workspace.folder}/{name} is damaged; remove it and build {version.name} again") from error


def unpublished(workspace: Workspace, name: str) -> Unpublished | None:
    """The last build of a name if it published nothing; VersionError where what is kept of it is damaged."""
    place = f"{RUNS}/{name}/{NOTHING}.json"
    if not workspace.folder.exists(place):
        return None
    try:
        record = load_json(workspace.folder.read(place))
        return Unpublished(name, {"stages": record["stages"], "funnel": record["funnel"]})
    except (ValueError, KeyError, TypeError) as error:
        raise VersionError(f"{workspace.folder}/{place} is damaged; remove it and build {name} again") from error


def unpublished_names(workspace: Workspace) -> list[str]:
    """The names of which the last build published nothing."""
    runs = workspace.folder / RUNS
    return [name for name in runs.names() if (runs / name).exists(f"{NOTHING}.json")]


def published(workspace: Workspace, name: str) -> None:
    """Note that the last build of a name has a version."""
    runs = workspace.folder / RUNS / name
    if runs.exists(f"{NOTHING}.json"):
        runs.remove(f"{NOTHING}.json")


KINDS: Mapping[str, type[Record]] = {POSTS: Post, **{stage.name: stage.record for stage in STAGES}}
"""What the stages write, in their order."""
RELEASE = STAGES[-1].name
WHOLE = tuple(stage.name for stage in STAGES if stage.whole or stage.decide_tables)
"""Of these stages: those that see the corpus at once, and the one that hands on what they say."""
STAGE_NAMES = tuple(stage.name for stage in STAGES)
FEW = 4
"""Posts of a part that are looked up one by one before the part is read whole."""


class RunRows:
    """What each stage of one run said of each post.

    A post lies in the part its id is hashed to: who asks for one post decodes of each stage one row group of that part.
    """

    def __init__(self, workspace: Workspace, run: BuildRecord) -> None:
        self._outputs = workspace.outputs
        self.run = run
        self._part = functools.cache(self._read)
        self._row = functools.cache(self._find)
        self._asked: Counter[tuple[str, str, int]] = Counter()

    @classmethod
    def of(cls, workspace: Workspace, version: BuildOutcome) -> "RunRows":
        """The rows behind a version; VersionError without a record of its run here, or with one of other stages."""
        run = run_of(workspace, version)
        if set(run.parts) != set(KINDS):
            others = ", ".join(sorted(set(run.parts) ^ set(KINDS)))
            raise VersionError(f"{version.label} was built with other stages ({others}); build {version.name} again")
        return cls(workspace, run)

    def _read(self, stage: str, name: str, shard: int) -> Mapping[str, Record]:
        part = self.run.parts[stage][shard]
        if name == DROPPED:
            return {row.post_id: row for row in self._outputs.dropped(part)}
        rows = self._outputs.kept(part, KINDS[stage])
        return {str(getattr(row, "post_id")): row for row in rows}  # noqa: B009 - every stage record has it

    def _find(self, stage: str, name: str, post_id: str) -> Record | None:
        """The row of one post; a part of which many were asked for is read whole."""
        shard = self._shard(stage, post_id)
        self._asked[stage, name, shard] += 1
        if self._asked[stage, name, shard] > FEW:
            return self._part(stage, name, shard).get(post_id)
        kind: type[Record] = Dropped if name == DROPPED else KINDS[stage]
        found = self._outputs.rows(self.run.parts[stage][shard], [post_id], name).to_pylist()
        return kind.model_validate(found[0]) if found else None

    def _shard(self, stage: str, post_id: str) -> int:
        rule = bucket_of if self.run.nested else modulo_bucket_of
        return rule(post_id, len(self.run.parts[stage]))

    def post(self, post_id: str) -> Post | None:
        """The post as the run saw it, None if it was not among its posts."""
        found = self._row(POSTS, KEPT, post_id)
        return found if isinstance(found, Post) else None

    def record(self, stage: str, post_id: str) -> Record | None:
        """The record of a stage that kept the post."""
        return self._row(stage, KEPT, post_id)

    def drop(self, stage: str, post_id: str) -> Dropped | None:
        """The row of a stage that dropped the post."""
        found = self._row(stage, DROPPED, post_id)
        return found if isinstance(found, Dropped) else None

    def check(self, stage: str, post_id: str) -> None:
        """DamageError if the part that a post has to be in is not as it was written: for a post that is not found."""
        self._outputs.check(self.run.parts[stage][self._shard(stage, post_id)])

    def table(
        self, stage: str, ids: Collection[str] | None = None, name: str = KEPT, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """The rows of a stage as a table: of these posts, or of all; kept ones or dropped ones; all columns or some."""
        parts = self.run.parts[stage]
        places = range(len(parts)) if ids is None else sorted({self._shard(stage, post_id) for post_id in ids} or {0})
        wanted = None if ids is None else pa.array(ids, pa.string())
        tables = []
        for place in places:
            found = self._outputs.table(parts[place], name, columns)
            if wanted is not None:
                found = found.filter(pc.is_in(found["post_id"], value_set=wanted))
            tables.append(found)
        return pa.concat_tables(tables)

    def records(self, stage: str, kind: type[RecordT], ids: Collection[str]) -> dict[str, RecordT]:
        """The rows that a stage kept of these posts, as records."""
        return {row["post_id"]: kind.model_validate(row) for row in self.table(stage, ids).to_pylist()}

    def dropped_at(self, ids: Collection[str]) -> dict[str, tuple[str, Dropped]]:
        """The stage that dropped each of these posts, and the row that says why; without posts that none dropped."""
        found: dict[str, tuple[str, Dropped]] = {}
        for stage in STAGE_NAMES:
            left = set(ids) - found.keys()
            if left:
                rows = self.table(stage, left, DROPPED).to_pylist()
                found |= {row["post_id"]: (stage, Dropped.model_validate(row)) for row in rows}
        return found

    def post_ids(self) -> list[str]:
        """The ids of all posts of the run, sorted."""
        return sorted(self.table(POSTS, columns=["post_id"])["post_id"].to_pylist())
