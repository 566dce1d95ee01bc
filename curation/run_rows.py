"""The rows that a run's stages wrote, by post: read part by part, as they are asked for."""

import functools
from collections.abc import Iterator, Mapping

from corpus.canonical import bucket_of, modulo_bucket_of
from corpus.records import Dropped, Post, Record
from corpus.schema import RecordT
from corpus.versions import Version
from corpus.workspace import Workspace
from curation.publishing import BuildRecord, run_of
from curation.running import POSTS
from curation.stages.registry import STAGES

KINDS: Mapping[str, type[Record]] = {POSTS: Post, **{stage.name: stage.record for stage in STAGES}}


class RunRows:
    """What each stage of one run said of each post.

    A post lies in the part its id is hashed to, so asking for one post reads one part of each stage.
    """

    def __init__(self, workspace: Workspace, run: BuildRecord) -> None:
        self._outputs = workspace.outputs
        self.run = run
        self._kept = functools.cache(self._read_kept)
        self._dropped = functools.cache(self._read_dropped)

    @classmethod
    def of(cls, workspace: Workspace, version: Version) -> "RunRows":
        """The rows behind a version; VersionError if this data folder has no record of its run."""
        return cls(workspace, run_of(workspace, version))

    def _read_kept(self, stage: str, shard: int) -> dict[str, Record]:
        rows = self._outputs.kept(self.run.parts[stage][shard], KINDS[stage])
        return {str(getattr(row, "post_id")): row for row in rows}  # noqa: B009 - every stage record has it

    def _read_dropped(self, stage: str, shard: int) -> dict[str, Dropped]:
        return {row.post_id: row for row in self._outputs.dropped(self.run.parts[stage][shard])}

    def _shard(self, stage: str, post_id: str) -> int:
        rule = bucket_of if self.run.nested else modulo_bucket_of
        return rule(post_id, len(self.run.parts[stage]))

    def post(self, post_id: str) -> Post | None:
        """The post as the run saw it, None if it was not among its posts."""
        found = self._kept(POSTS, self._shard(POSTS, post_id)).get(post_id)
        return found if isinstance(found, Post) else None

    def record(self, stage: str, post_id: str) -> Record | None:
        """The record of a stage that kept the post."""
        return self._kept(stage, self._shard(stage, post_id)).get(post_id)

    def drop(self, stage: str, post_id: str) -> Dropped | None:
        """The row of a stage that dropped the post."""
        return self._dropped(stage, self._shard(stage, post_id)).get(post_id)

    def dropped_at(self, post_id: str) -> tuple[str, Dropped] | None:
        """The stage that dropped a post and the row that says why; None for a post that was released or never in."""
        for stage in STAGES:
            row = self.drop(stage.name, post_id)
            if row is not None:
                return stage.name, row
        return None

    def kept(self, stage: str, kind: type[RecordT]) -> Iterator[RecordT]:
        """Every row a stage kept."""
        for shard in range(len(self.run.parts[stage])):
            for row in self._kept(stage, shard).values():
                assert isinstance(row, kind)
                yield row

    def dropped(self, stage: str) -> Iterator[Dropped]:
        """Every row a stage dropped."""
        for shard in range(len(self.run.parts[stage])):
            yield from self._dropped(stage, shard).values()

    def post_ids(self) -> list[str]:
        """The ids of all posts of the run, sorted."""
        return sorted(post.post_id for post in self.kept(POSTS, Post))
