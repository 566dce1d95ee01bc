"""Problems of two versions with many row groups, held against the problems themselves."""

import random
from pathlib import Path

import pytest

from audits.inspect.problem_groups import RowGroup, problem_changes
from corpus.folders.files import Folder
from corpus.records import Problem, SplitName
from corpus.versioning.row_groups import Cuts
from corpus.versioning.versions import Version, Versions
from tests.corpus.samples import bare_release, problem

SPLITS: tuple[SplitName, ...] = ("train", "validation", "test")


def published(folder: Path, problems: list[Problem]) -> Version:
    versions = Versions(Folder.at(folder), cuts=Cuts(least=2, often=3, most=9))
    return versions.publish(bare_release(problems))[0]


@pytest.mark.parametrize("seed", range(6))
def test_changes_are_those_of_the_problems(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    whole = [problem(number, draw.choice(SPLITS), full=number % 3 != 2) for number in range(80)]
    old = [one for one in whole if draw.random() > seed / 20]
    new = [one for one in whole if draw.random() > seed / 20]
    for place in draw.sample(range(len(new)), 4):
        new[place] = new[place].model_copy(update={"answer_exact": ("12",), "lexicon_diversity": 0.25})
    place = draw.randrange(len(new))
    moved = new[place].model_copy(update={"split": "test" if new[place].split == "train" else "train"})
    new[place] = moved  # into another file
    before, after = {one.problem_id: one for one in old}, {one.problem_id: one for one in new}
    versions = published(tmp_path, old), published(tmp_path, new)
    assert len(RowGroup.all_of(versions[1])) > 8
    found = problem_changes(*versions)
    assert found.added == {name: after[name].post_id for name in sorted(after.keys() - before.keys())}
    assert found.removed == {name: before[name].post_id for name in sorted(before.keys() - after.keys())}
    common = before.keys() & after.keys()
    expected = {
        name: {
            field: (then[field], now[field])
            for then, now in [(before[name].model_dump(mode="json"), after[name].model_dump(mode="json"))]
            for field in now
            if then[field] != now[field]
        }
        for name in common
        if before[name] != after[name]
    }
    assert (found.changed, found.common) == (expected, len(common))
    assert found.posts == {name: after[name].post_id for name in expected}
