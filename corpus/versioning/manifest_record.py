"""What the manifest of a version says, as a record: it is written, read and compared as this."""

from typing import Any, NotRequired, TypedDict


class FileFacts(TypedDict):
    """A file: its size, its digest and, where it is a table, its rows."""

    bytes: int
    sha256: str
    rows: NotRequired[int]


class StageFacts(TypedDict):
    """How a stage was made: the address of its output, its configuration, and the digests of its code and models."""

    stage: str
    key: str
    config: dict[str, Any]
    code: str
    model: str | None


StageCounts = TypedDict("StageCounts", {"in": int, "kept": int, "dropped": dict[str, int], "content": str})
"""What a stage took in, kept and dropped by reason, and a digest of what it kept."""


class FunnelRow(StageCounts):
    """The same with the stage's name."""

    stage: str


class ProvenanceFacts(TypedDict):
    """Rows by license, posts by parser, and the first and last retrieval, if any is known."""

    rows_by_license: dict[str, int]
    posts_by_parser: dict[str, int]
    retrieved: list[str]


class TakedownFacts(TypedDict):
    """What was taken out of the version ``made_from``: problems, rows of all tables, references in other rows."""

    made_from: str
    problems: int
    rows: int
    references: int


class StagesDone(TypedDict):
    """What the stages of a build did, also of one that published nothing."""

    stages: list[StageFacts]
    funnel: list[FunnelRow]


class MakingFacts(StagesDone):
    """What decides a version: its posts, what the stages did, what the store lacks, and what is promised."""

    snapshot: str
    posts: int
    store: NotRequired[dict[str, Any]]
    promise: NotRequired[dict[str, Any]]
    takedown: NotRequired[TakedownFacts]


class Manifest(MakingFacts):
    """The manifest; ``card_sha256`` is of the card before gates and audits were told on it."""

    format: int
    name: str
    version: str
    rows: int
    rows_sha256: str
    licenses: list[str]
    metadata_sha256: str
    files: dict[str, FileFacts]
    provenance: ProvenanceFacts
    audits: list[dict[str, Any]]
    gate: NotRequired[dict[str, dict[str, Any]]]
    card_sha256: NotRequired[str]
    manifest_sha256: NotRequired[str]
