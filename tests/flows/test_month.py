"""A month of nights of a schedule over a site that grows, changes and dies; a year of them is ``benchmarks.year``."""

import pytest

from benchmarks.year import Nights, both_runs
from tests.flows import warm
from tests.flows.command import warm_server

pytestmark = pytest.mark.slow


@pytest.mark.skipif("sys.platform != 'linux'", reason="commands are forks of a warm process, which Linux alone has")
def test_a_month_with_kills_and_full_disks_ends_as_its_last_night_alone() -> None:
    command = tuple(warm.caller(warm_server(), warm.COMMANDS))
    month = Nights(end=30, kills=8, full=2, upgrades=0, first=4, with_prefect=0, command=command)
    calm, disturbed = both_runs(month, calm_from=29)
    assert len(calm.posts) > 25
    assert disturbed.kills >= 6
    assert (calm.kills, calm.full) == (0, 0)
    assert (calm.leftovers, disturbed.leftovers) == (0, 0)
    assert disturbed.batches < 30
