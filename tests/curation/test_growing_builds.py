"""A build that grew has the bytes of one made from nothing, and looks at what is new alone."""

import errno
import gc
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from corpus import outputs as outputs_of
from corpus.canonical import RETRIEVAL, bucket_of, modulo_bucket_of, set_digest, with_digest
from corpus.outputs import DROPPED, KEPT, WENT
from corpus.post_store.deposit import upsert
from corpus.records import Answer, Post
from corpus.strict_json import load_json
from corpus.takedowns.forgetting import forget
from corpus.workspace import Workspace
from curation.building import making, running
from curation.building.earlier_rows import StageRows
from curation.building.making import make_parts
from curation.building.publishing import Build, publish
from curation.building.run_rows import KINDS as STAGE_KINDS
from curation.building.run_rows import RunRows, run_of
from curation.building.running import Recipe, recipe_of
from curation.near_texts import diversity
from curation.near_texts.greedy import UNKNOWN, GreedyResult, found_greedily
from curation.near_texts.ngrams import DistinctTexts
from curation.stages.diversity_stage import PostDiversity
from curation.stages.registry import STAGES, BuildConfig
from curation.stages.stage import Stage, Trail
from extractors.text.edits import MARKS
from tests.tiers import in_turn
from tests.worlds import build_world

pytestmark = pytest.mark.slow

MORE_FILES = {*outputs_of.MORE.values(), outputs_of.WENT}
EVERY = {"posts", *(stage.name for stage in STAGES)}
STEADY = EVERY - {"diversity", "release"}
"""The stages whose rows do not tell of the nearest other one, which may be another after a change.

How many rows of those two change hangs on the fourth digit of confidences: ``MANY`` has fives that differ in place and
numbers alone, and the four others name the surest of them. If that one goes five rows change, if another goes one does.
"""
THINGS = ("pears", "stamps", "lamps", "kites", "bricks", "ropes", "coins", "shirts")


def thread(number: int, day: int = 1) -> Post:
    """A problem in one of three forms; each third one is none at all."""
    thing, first, second = THINGS[number % 8], 11 + number, 3 + number * 7 % 50
    if number % 3 == 0:
        question, said = (
            f"The sum of two numbers is {first + second} and they differ by {first - second}. Find them.",
            (f"x + y = {first + second}\nx - y = {first - second}\nso x = {first} and y = {second}"),
        )
    elif number % 3 == 1:
        question = (
            f"A box of {thing} costs ${first}. Ann buys {second} boxes of {thing}. How much does she pay for them?"
        )
        said = f"{first}*{second} = {first * second}. She pays ${first * second}."
    else:
        question, said = f"Why are {thing} sold in year {first}?", "Nobody knows."
    answer = Answer(answer_id="1", text=said, is_best=True)
    return Post(
        post_id=f"site:{number}",
        source="site",
        url=f"https://site.example/{number}",
        retrieved_at=f"2026-01-{day:02d}T00:00:00Z",
        question=question,
        answers=(answer, answer.model_copy(update={"answer_id": "2", "is_best": False})),
    )


def recipe(data: Path, shards: int, config: BuildConfig | None = None) -> Recipe:
    """The recipe of a build of what a data folder's store holds."""
    snapshot = Workspace(str(data)).posts.snapshot()
    return recipe_of(str(data), ("posts", snapshot.snapshot_id), config or BuildConfig(), shards)


def built(data: Path, shards: int, config: BuildConfig | None = None) -> None:
    """Every part of a build, and its version."""
    made, config = recipe(data, shards, config), config or BuildConfig()
    publish(Build(made.data, "grown", "posts", made.snapshot_id, config, made.stage_keys, make_parts(made)))


def files(data: Path, folder: str) -> dict[str, bytes]:
    """Every file below a folder."""
    found = (data / folder).rglob("*")
    return {str(path.relative_to(data)): path.read_bytes() for path in found if path.is_file()}


def parts(data: Path) -> dict[tuple[str, str], list[object]]:
    """What every stage part says, by stage and key, whichever files it is in."""
    outputs, found = Workspace(str(data)).outputs, dict[tuple[str, str], list[object]]()
    for stage in outputs.folder.names():
        for key in (outputs.folder / stage).names():
            part = outputs.find(stage, key)
            assert part is not None
            tables = [outputs.table(part, name).to_pylist() for name in (KEPT, DROPPED)]
            found[stage, key] = [replace(part, files={}), *tables]
    return found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls a plug here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The posts that each stage looks at, as they come."""
    seen: dict[str, list[str]] = {stage.name: [] for stage in STAGES}
    trail, by_tables = making.ShardPass._trail, making.ShardPass._decided_by_tables

    def noted(self: making.ShardPass, stage: Stage, post_id: str) -> Trail:
        seen[stage.name].append(post_id)
        return trail(self, stage, post_id)

    def noted_of_tables(self: making.ShardPass, stage: Stage, posts: Sequence[str]) -> StageRows:
        seen[stage.name] += posts
        return by_tables(self, stage, posts)

    monkeypatch.setattr(making.ShardPass, "_trail", noted)
    monkeypatch.setattr(making.ShardPass, "_decided_by_tables", noted_of_tables)
    return seen


BEFORE = [thread(number) for number in range(20)]
LATER = [thread(number, 2) for number in range(18, 25)]
CHANGED = thread(97, 2).model_copy(update={"post_id": "site:7"})
LENIENT = {"read": {"min_confidence": 0}, "publish": {"precision": 0}}
GONE = [("https://site.example/3", "2026-01-03T00:00:00Z")]


def test_a_grown_build_has_the_bytes_of_a_fresh_one(
    tmp_path: Path, looked_at: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Posts are added, seen again, changed and removed, while shards split and are merged; few are at hand at once."""
    grown, fresh = tmp_path / "grown", tmp_path / "fresh"
    upsert(Workspace(str(grown)).posts, BEFORE)
    with monkeypatch.context() as little:
        little.setattr(making, "AT_HAND", 2)
        built(grown, 2)
    upsert(Workspace(str(fresh)).posts, [*BEFORE, *LATER, CHANGED])
    upsert(Workspace(str(grown)).posts, [*LATER, CHANGED])
    for data in (grown, fresh):
        Workspace(str(data)).posts.bury(GONE)
    for shards, new in ((4, {"site:7", *(f"site:{number}" for number in range(20, 25))}), (2, set[str]())):
        for posts in looked_at.values():
            posts.clear()
        with monkeypatch.context() as little:
            little.setattr(making, "AT_HAND", 2)
            built(grown, shards)
        assert set(looked_at["clean"]) == new, "what is not new was looked at again"
        assert set(looked_at["templates"]) <= new
        built(fresh, shards)
    assert files(fresh, "versions").items() <= files(grown, "versions").items()
    made, held = parts(fresh), parts(grown)
    assert len(made) >= 60
    assert {address: held[address] for address in made} == made
    version = Workspace(str(grown)).versions.open("grown")
    assert version.manifest["rows_sha256"] == set_digest(version.problems())


def varied(number: int, day: int = 1) -> Post:
    """The same, each at a place of its own, so that hardly two are alike and every stage has many rows."""
    kinds = ("red", "old", "new", "big", "wet", "dry", "odd", "shy")
    places = ("hill", "lake", "farm", "shop", "park", "road", "mill", "fair")
    where, post = f"At the {kinds[number // 3 % 8]} {places[number // 24 % 8]}", thread(number, day)
    question = post.question.replace(". Ann", f". {where} Ann").replace("Find them", f"{where} find them")
    return post.model_copy(update={"question": question})


MANY = [varied(number) for number in range(120)]


@pytest.mark.full
def test_rows_that_stay_stay_in_their_files(tmp_path: Path, looked_at: dict[str, list[str]]) -> None:
    """A post comes, one changes and one goes, twice; the rows of others are not written anew until many have.

    A part is written whole once eight times the rows that went and came since are more than the rows it had. Of 120
    posts every third is no problem, so ``posts``, ``clean`` and ``classify`` have 120 rows and the stages behind them
    80. Of problems 1 and 4 become what is none (191, 194), 2 and 5, which are none, go, and 240 and 360 come. The first
    three stages lose two rows and get two, twice: 8 * 8 = 64 is at most 120. Those behind them lose one and get one,
    twice; behind ``diversity`` 48 may go as well, as 240 says the same and one of both is a duplicate: 8 * 5 = 40 is at
    most 79. Then forty posts come, 720 to 759 without thirteen of them 27 problems, one of which says what 360 does:
    8 * 40 = 320 is more than 120, and 8 * 26 = 208 more than 80.
    """
    config = BuildConfig.model_validate({**LENIENT, "diversity": {"ld_min": 0}})
    grown, fresh = tmp_path / "grown", tmp_path / "fresh"
    upsert(Workspace(str(grown)).posts, MANY)
    built(grown, 1, config)
    there = {address[0] for address in parts(grown)}
    for number, least, most in ((1, STEADY, EVERY), (4, STEADY, EVERY), (13, set[str](), set[str]())):
        changed = varied(190 + number, 2).model_copy(update={"post_id": f"site:{number}"})
        come = [varied(200 + 40 * number + one, 2) for one in range(1 if least else 40)]
        for data, posts in ((grown, [changed, *come]), (fresh, [*(MANY if number == 1 else ()), changed, *come])):
            upsert(Workspace(str(data)).posts, posts)
            Workspace(str(data)).posts.bury([(f"https://site.example/{number + 1}", "2026-01-03T00:00:00Z")])
            looked_at["release"].clear()
            built(data, 1, config)
            assert set(looked_at["release"]) <= {post.post_id for post in posts}, "a nearest one alone is another"
        version = Workspace(str(grown)).versions.open("grown")
        run = run_of(Workspace(str(grown)), version)
        held = {stage for stage, (part,) in run.parts.items() if set(part.files) >= MORE_FILES}
        assert least <= held <= most
        rows = RunRows(Workspace(str(grown)), run)
        assert rows.record("clean", f"site:{number + 1}") is None
        assert rows.post(f"site:{number}") == with_digest(changed).model_copy(update=dict.fromkeys(RETRIEVAL))
        assert getattr(rows.record("clean", f"site:{number}"), "question", None) == changed.question
    assert there == set(STAGE_KINDS)
    made, found = parts(fresh), parts(grown)
    assert {address: found[address] for address in made} == made
    assert files(fresh, "versions").items() <= files(grown, "versions").items()
    forget(Workspace(str(grown)), "site:4")
    gone = (path.read_text() for path in (grown / "stages").rglob(outputs_of.WENT))
    assert not any('"site:4"' in text for text in gone), "a part names a forgotten post"


@pytest.mark.parametrize("name", in_turn(sorted(outputs_of.FILES), 5))
def test_a_damaged_file_of_a_part_that_changed_is_named_and_made_again(tmp_path: Path, name: str) -> None:
    upsert(Workspace(str(tmp_path)).posts, MANY)
    built(tmp_path, 1)
    upsert(Workspace(str(tmp_path)).posts, [varied(130)])
    built(tmp_path, 1)
    made = parts(tmp_path)
    (place,) = (path for path in (tmp_path / "stages" / "read").iterdir() if (path / outputs_of.WENT).exists())
    (place / name).unlink()  # the older part may hold the same file
    (place / name).write_bytes(b"no more")
    mended = [part.mended for part in make_parts(recipe(tmp_path, 1))["read"]]
    assert f"{name} is damaged" in mended[0]
    assert parts(tmp_path) == made


def grow(data: Path) -> BuildConfig:
    """A build of many posts and one of one more, which leaves nearly all rows of every stage as they were."""
    config = BuildConfig.model_validate({**LENIENT, "diversity": {"ld_min": 0}})
    for posts in (MANY, [varied(130)]):
        upsert(Workspace(str(data)).posts, posts)
        built(data, 1, config)
    return config


@pytest.mark.parametrize("links", in_turn([True, False], 2))
def test_files_that_stay_are_not_written_again_where_a_disk_has_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    if not links:
        monkeypatch.setattr(os, "link", refused)
    grow(tmp_path)
    for stage in EVERY:
        first, second = sorted((tmp_path / "stages" / stage).iterdir(), key=lambda place: (place / WENT).exists())
        for name in (KEPT, DROPPED):
            assert (first / name).read_bytes() == (second / name).read_bytes()
            assert (first / name).samefile(second / name) is links


@pytest.mark.full
def test_a_damaged_file_of_two_parts_is_found_in_both(tmp_path: Path) -> None:
    """The build makes its own part again; the older one no longer counts, and nothing is taken from it."""
    config = grow(tmp_path)
    outputs, before = Workspace(str(tmp_path)).outputs, files(tmp_path, "versions")
    older, later = sorted((tmp_path / "stages" / "diversity").iterdir(), key=lambda place: (place / WENT).exists())
    part = outputs.look("diversity", later.name)
    assert part is not None
    rows = outputs.kept(part, PostDiversity)
    (older / KEPT).write_bytes(b"no more")
    assert (later / KEPT).read_bytes() == b"no more"
    (made,) = make_parts(recipe(tmp_path, 1, config))["diversity"]
    assert f"{KEPT} is damaged" in made.mended
    assert outputs.kept(made, PostDiversity) == rows
    assert outputs.look("diversity", older.name) is None
    built(tmp_path, 1, config)
    assert files(tmp_path, "versions") == before


def test_without_pointers_or_with_false_ones_a_build_has_the_same_bytes(tmp_path: Path) -> None:
    made: list[dict[str, bytes]] = []
    for spoil in (b"", b"[1]", b'[{"posts": "nothing", "stages": {}}]'):
        data = tmp_path / str(len(made))
        upsert(Workspace(str(data)).posts, BEFORE[:6])
        built(data, 2)
        for pointer in (data / "earlier").iterdir():
            pointer.write_bytes(spoil)
        upsert(Workspace(str(data)).posts, LATER)
        built(data, 2)
        made.append(files(data, "stages"))
    assert made[0] == made[1] == made[2]


def test_of_a_grown_corpus_diversity_knows_what_it_found_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of texts that stay it is told what the last build found, unless that is damaged, forgotten or of another code."""
    told: list[int] = []

    def noted(texts: DistinctTexts, ld_min: float, former: GreedyResult, workers: int) -> GreedyResult:
        told.append(int(sum(former.nearest != UNKNOWN)))
        return found_greedily(texts, ld_min, former, workers)

    monkeypatch.setattr(diversity, "LARGE", 1)
    monkeypatch.setattr(diversity, "found_greedily", noted)
    grown, fresh = tmp_path / "grown", tmp_path / "fresh"
    memory = grown / "earlier" / "diversity.memory"
    for count in (8, 12, 16, 20):
        upsert(Workspace(str(grown)).posts, BEFORE[:count])
        built(grown, 2)
        assert (told.pop() > 0) is (count in (12, 20))
        if count == 12:
            memory.write_bytes(memory.read_bytes()[:-9] + b"otherwise")
    asked = recipe(grown, 2, BuildConfig.model_validate({"diversity": {"ld_min": 0.25}}))
    make_parts(asked)
    assert told.pop() == 0
    upsert(Workspace(str(fresh)).posts, BEFORE)
    built(fresh, 2)
    assert files(fresh, "versions").items() <= files(grown, "versions").items()
    forget(Workspace(str(grown)), "site:1")
    assert not memory.exists()


def test_by_day_what_an_earlier_build_accepted_stays(tmp_path: Path) -> None:
    """Two posts that say the same: without days the surer one stays, by day the one that was there first."""
    question = "Ann has 12 red apples and buys 5 green apples at the market. How many apples has she got now?"
    sure = Answer(answer_id="1", text="12 + 5 = 17. She has 17 apples.", is_best=True)
    doubtful = Answer(answer_id="1", text="17")
    first = BEFORE[1].model_copy(update={"post_id": "site:a", "question": question, "answers": (doubtful,)})
    later = first.model_copy(update={"post_id": "site:b", "retrieved_at": "2026-01-02T00:00:00Z"})
    later = later.model_copy(update={"answers": (sure, sure.model_copy(update={"answer_id": "2"}))})
    found = {}
    upsert(Workspace(str(tmp_path)).posts, [first, later])
    for by_day in (False, True):
        asked = BuildConfig.model_validate({**LENIENT, "diversity": {"by_day": by_day}})
        made = recipe(tmp_path, 2, asked)
        parts = make_parts(made)
        outputs = Workspace(str(tmp_path)).outputs
        kept = [row.post_id for part in parts["diversity"] for row in outputs.kept(part, PostDiversity)]
        found[by_day] = (kept, made.stage_keys["diversity"])
    assert (found[False][0], found[True][0]) == (["site:b"], ["site:a"])
    assert found[False][1] != found[True][1]
    upsert(Workspace(str(tmp_path)).posts, [first.model_copy(update={"retrieved_at": "2026-01-03T00:00:00Z"})])
    again = make_parts(recipe(tmp_path, 2, BuildConfig.model_validate(asked)))
    assert {part.stage for some in again.values() for part in some if not part.reused} >= {"diversity"}
    assert all(part.reused for name in ("posts", "clean", "agree") for part in again[name])


def test_runs_recorded_before_shards_nested_are_read_by_their_rule(tmp_path: Path) -> None:
    workspace, version = build_world(tmp_path)
    run = run_of(workspace, version)
    name = f"runs/{version.label}.json"
    workspace.folder.write(name, workspace.folder.read(name).replace(b'"nested":true,', b""))
    earlier = run_of(workspace, version)
    assert (run.nested, earlier.nested) == (True, False)
    names = [f"site:p{place:02d}" for place in range(19)]
    assert all(RunRows(workspace, run).post(post_id) for post_id in names)
    shards = len(run.parts["posts"])
    lost = [post_id for post_id in names if RunRows(workspace, earlier).post(post_id) is None]
    assert lost == [one for one in names if bucket_of(one, shards) != modulo_bucket_of(one, shards)]
    assert lost


def test_the_record_of_a_run_counts_what_was_taken_out_of_all_its_posts(tmp_path: Path) -> None:
    kept, dropped = thread(1), thread(2)
    named = tuple(answer.model_copy(update={"text": f"{answer.text} [name]"}) for answer in kept.answers)
    dropped = dropped.model_copy(update={"question": f"{dropped.question} Write to [mail]."})
    upsert(Workspace(str(tmp_path)).posts, [kept.model_copy(update={"answers": named}), dropped, thread(3)])
    built(tmp_path, 2, BuildConfig.model_validate(LENIENT))
    (record,) = (load_json(content) for content in files(tmp_path, "runs").values())
    assert record["removed"] == {**dict.fromkeys(MARKS, 0), "names": 2, "mails": 1}


def test_collections_are_rare_within_a_build_and_as_before_behind_it() -> None:
    usual = gc.get_threshold()
    with running.at_work():
        assert gc.get_threshold()[0] == running.BETWEEN_COLLECTIONS > usual[0]
    assert gc.get_threshold() == usual
