"""Nights of a schedule over a site that grows, changes and dies; a year of them is ``benchmarks.year``."""

import pytest

from benchmarks.year import Nights, both_runs
from tests.flows import warm
from tests.flows.command import warm_server
from tests.tiers import tier

pytestmark = pytest.mark.slow


@pytest.mark.skipif("sys.platform != 'linux'", reason="commands are forks of a warm process, which Linux alone has")
def test_nights_with_kills_and_full_disks_end_as_the_last_night_alone() -> None:
    command = tuple(warm.caller(warm_server(), warm.COMMANDS))
    end, kills = tier(30, 8), tier(8, 3)
    nights = Nights(end=end, kills=kills, full=2, upgrades=0, first=4, with_prefect=0, command=command)
    calm, disturbed = both_runs(nights, calm_from=end - 1)
    assert len(calm.posts) > end - 5
    assert disturbed.kills >= kills - 2
    assert (calm.kills, calm.full) == (0, 0)
    assert (calm.leftovers, disturbed.leftovers) == (0, 0)
    assert disturbed.batches < tier(30, 12)
