"""One build by several processes that share nothing but the store: ``build --rank I --of N``.

Rank 0 takes the posts, announces what is to be built, makes the stages that see the corpus at once, and publishes.
Each rank makes the shards that fall to it and says in a small file which parts these are; whoever needs those of others
waits for these files. The parts themselves are found by their contents as ever: a rank that is started again finds what
it has made. While a rank lives it raises a count in a file of its own, so that waiting ends where nobody is left to
wait for.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from corpus.canonical import canonical_json
from corpus.errors import StoreError
from corpus.folders.files import Folder
from corpus.outputs import OutputPart
from corpus.strict_json import load_json
from corpus.workspace import Workspace
from curation.building.making import Tell, of_shard, run_shards, run_whole
from curation.building.partitioning import partition_posts
from curation.building.run_rows import POSTS
from curation.building.running import Recipe, stage_groups
from curation.stages.registry import STAGES
from curation.stages.stage import Stage

RANKS = "ranks"
ShardParts = dict[str, dict[int, OutputPart]]
"""Parts by stage and shard."""


class RunState(StrEnum):
    """How a build by ranks stands."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


class SupersededError(Exception):
    """Rank 0 has begun another build, or ended this one: what was made stays."""


@dataclass(frozen=True)
class Rank:
    """One of so many processes of a build; ``wait_seconds`` is how long it waits for one that shows no sign of life.

    It shows one every ``beat_seconds``, and looks every ``look_seconds`` for what it waits for, less often in time.
    """

    number: int
    of: int
    wait_seconds: float = 600.0
    beat_seconds: float = 5.0
    look_seconds: float = 0.2

    def __str__(self) -> str:
        return f"rank {self.number} of {self.of}"

    def shards(self, count: int) -> range:
        """The shards that fall to it."""
        return range(self.number, count, self.of)


@dataclass(frozen=True)
class Announcement:
    """What rank 0 says: the build and its number, for how many ranks, how it stands and what came of it.

    ``code`` and ``asked`` are digests of the whole code and of what the command was asked for, ``inputs`` of the posts.
    """

    run: int
    of: int
    code: str
    asked: str
    inputs: str
    recipe: dict[str, Any]
    state: RunState = RunState.OPEN
    said: str = ""


class NoticeBoard:
    """Where the ranks of a dataset's builds tell each other what is to do and what is done."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        self._folder, self._name = workspace.folder / RANKS, name

    def announced(self) -> Announcement | None:
        """What rank 0 said last; None if it has never said anything that can be read."""
        found = _plain(self._folder, f"{self._name}.json")
        try:
            return Announcement(**{**found, "state": RunState(found["state"])}) if found else None
        except (TypeError, KeyError, ValueError):
            return None

    def announce(self, said: Announcement) -> None:
        """Say what is to be built, or how it went; what was said of earlier builds goes with the end of one."""
        self._folder.write(f"{self._name}.json", canonical_json(asdict(said)).encode())
        if said.state != RunState.OPEN:
            self._folder.remove(self._name)

    def clear(self, run: int) -> None:
        """Remove what ranks wrote for a build that is over: one may have written after rank 0 removed it."""
        said = self.announced()
        if said is None or said.run != run or said.state != RunState.OPEN:
            (self._folder / self._name).remove(str(run))

    def place(self, run: int) -> Folder:
        """Where the ranks of one build write."""
        return self._folder / self._name / str(run)


class RankAtWork:
    """One rank at work on one build that was announced."""

    def __init__(self, rank: Rank, board: NoticeBoard, said: Announcement, data: str) -> None:
        self.rank, self._board, self._said = rank, board, said
        recipe = Recipe(**said.recipe)
        keys = {stage.name: recipe.stage_keys[stage.name] for stage in STAGES}  # rows list them in this order
        self.recipe = replace(recipe, data=data, stage_keys=keys)
        self._place = board.place(said.run)

    @contextlib.contextmanager
    def at_work(self) -> Iterator["RankAtWork"]:
        """Show signs of life inside this block, and say with what it failed."""
        over = threading.Event()
        beating = threading.Thread(target=self._beat, args=(over,), daemon=True)
        if self._place.exists(f"{self.rank.number}.failed"):
            self._place.remove(f"{self.rank.number}.failed")
        beating.start()
        try:
            yield self
        except SupersededError:
            raise
        except Exception as error:
            self._write(f"{self.rank.number}.failed", str(error) or repr(error))
            raise
        finally:
            over.set()
            beating.join()
            self._board.clear(self._said.run)

    def _beat(self, over: threading.Event) -> None:
        beat = 0
        while not over.is_set():
            with contextlib.suppress(StoreError):  # the next one may arrive
                self._write(f"{self.rank.number}.beat", beat)
            beat += 1
            over.wait(self.rank.beat_seconds)

    def _write(self, name: str, what: Any) -> None:
        self._place.write(name, canonical_json(what).encode())

    def make_parts(self, tell: Tell) -> ShardParts:
        """All parts that this rank makes or needs; rank 0 has them all in the end."""
        parts: ShardParts = {}
        for number, stages in enumerate((None, *stage_groups())):
            if stages is None or stages[0].whole:
                made = self._alone(number, stages[0] if stages else None, parts)
            else:
                made = self._shared(number, stages, parts)
            for name, some in made.items():
                shards = sorted(some)
                parts[name] = dict(zip(shards, tell(name, [some[shard] for shard in shards]), strict=True))
        return parts

    def _alone(self, group: int, stage: Stage | None, parts: ShardParts) -> ShardParts:
        """What rank 0 makes for all: posts (no stage), or a stage that sees the corpus at once."""
        if self.rank.number != 0:
            return self._parts_of(0, group)
        recipe = self.recipe
        if stage is None:
            made = partition_posts(recipe.data, recipe.store, recipe.snapshot_id, recipe.shards)
        else:
            made = run_whole(recipe, stage.name, {name: list(parts[name].values()) for name in stage.reads})
        return self._tell(group, {stage.name if stage else POSTS: dict(enumerate(made))})

    def _shared(self, group: int, stages: Sequence[Stage], parts: ShardParts) -> ShardParts:
        """What every rank makes of its own shards; rank 0 waits for the others' as well."""
        names = [stage.name for stage in stages]
        made: ShardParts = {name: {} for name in names}
        for shard in self.rank.shards(self.recipe.shards):
            self._still_wanted()
            given = [(shard, of_shard(parts, stages, shard))]
            for name, part in run_shards(self.recipe, names, given)[0].items():
                made[name][shard] = part
        self._tell(group, made)
        if self.rank.number == 0:
            for other in range(1, self.rank.of):
                for name, some in self._parts_of(other, group).items():
                    made[name] |= some
        return made

    def _tell(self, group: int, made: ShardParts) -> ShardParts:
        said = {name: {str(shard): part.as_dict() for shard, part in some.items()} for name, some in made.items()}
        self._write(f"{group}.{self.rank.number}.json", said)
        return made

    def _parts_of(self, other: int, group: int) -> ShardParts:
        """What another rank has made in a group of stages, as soon as it has."""
        name = f"{group}.{other}.json"
        said = self.wait_for(lambda: _plain(self._place, name), other)
        return {stage: {int(shard): OutputPart(**part) for shard, part in some.items()} for stage, some in said.items()}

    def wait_for(self, there: Callable[[], Any], other: int) -> Any:
        """What is waited for, once it is there; StoreError if the rank that it comes from fails or shows no life."""
        beat, since, pause = None, time.monotonic(), self.rank.look_seconds
        while not (found := there()):
            self._still_wanted()
            failed = _plain(self._place, f"{other}.failed")
            if failed is not None:
                raise StoreError(
                    f"rank {other} of {self.rank.of} failed ({failed}); mend that and start all ranks again"
                )
            shown = self._place.tagged(f"{other}.beat")
            if shown != beat:
                beat, since = shown, time.monotonic()
            if time.monotonic() - since > self.rank.wait_seconds:
                raise silent(other, self.rank)
            time.sleep(pause)
            pause = min(2 * pause, 10 * self.rank.look_seconds)
        return found

    def _still_wanted(self) -> None:
        """SupersededError if rank 0 has announced another build or ended this one, StoreError if it has failed."""
        now = self._board.announced()
        if now is None or now.run != self._said.run:
            raise SupersededError
        if self.rank.number == 0:
            return
        if now.state == RunState.DONE:
            raise SupersededError
        if now.state == RunState.FAILED:
            raise StoreError(f"rank 0 of {self.rank.of} failed ({now.said}); mend that and start all ranks again")

    def wait_for_end(self) -> None:
        """Wait until rank 0 has published; SupersededError once it has, see ``_still_wanted``."""
        self.wait_for(lambda: False, 0)


def silent(other: int, rank: Rank) -> StoreError:
    """That another rank was waited for in vain."""
    return StoreError(
        f"{rank} waited {rank.wait_seconds:.0f} s for rank {other}, which shows no sign of life; start it again with "
        f"--rank {other} --of {rank.of}, then this one: what is done is kept"
    )


def refuse_other(said: Announcement, rank: Rank, code: str, asked: str) -> None:
    """StoreError if rank 0 builds for another number of ranks, with other code, or something else than this rank."""
    where = "rank 0 announced a build"
    if said.of != rank.of:
        raise StoreError(f"{where} of {said.of} ranks, and this is {rank}; start all ranks with the same --of")
    if said.code != code:
        raise StoreError(
            f"{where} with other code ({said.code[:12]}, here {code[:12]}); install the same code and libraries for "
            "all ranks"
        )
    if said.asked != asked:
        raise StoreError(f"{where} with another configuration; start all ranks with the same options")


def _plain(folder: Folder, name: str) -> Any:
    """A small file of plain data; None if it is not there or being written."""
    found = folder.tagged(name)
    try:
        return None if found is None else load_json(found.content)
    except ValueError:
        return None
