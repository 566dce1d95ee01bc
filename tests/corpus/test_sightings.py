"""Whatever sightings go, every earlier state of a store has the content it had."""

from typing import NamedTuple

import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus.post_store.folding import needed
from corpus.post_store.tombstones import Tombstone, Tombstones

POST = "forum:1"


class Event(NamedTuple):
    """At a second: a content that came first (``own``) or was seen again, or, without one, that the post is no more."""

    content: str
    second: int
    own: bool
    folded: bool


def history(drawn: list[tuple[str, int, bool]]) -> list[Event]:
    """Events as a store takes them, in the order in which they come: a sighting is later than what was known."""
    known: dict[str, int] = {}
    events = []
    for content, second, folded in drawn:
        if not content or second > known.get(content, -1):
            events.append(Event(content, second, bool(content) and content not in known, folded))
            known[content] = second
    return events


def current(events: list[Event]) -> str:
    """The content of that state, empty if the post is gone."""
    contents = {event.content for event in events if event.own}
    seen = [(event.second, event.content) for event in events if event.content in contents]
    gone = [event.second for event in events if not event.content]
    return max(seen)[1] if seen and max(seen)[0] >= max(gone, default=-1) else ""


def table(events: list[Event]) -> pa.Table:
    columns = [[POST] * len(events), [event.content for event in events], [at(event) for event in events]]
    arrays = [pa.array(column, pa.string()) for column in columns]
    return pa.table(arrays, ["post_id", "content_sha256", "retrieved_at"])


def at(event: Event) -> str:
    return f"2024-05-01T10:00:{event.second:02d}Z"


CONTENTS, STEPS = st.sampled_from(["X", "Y", "X", "Y", "Z", ""]), st.sampled_from([0, 1, 1, 1, 2, -3])
FOLDED = st.sampled_from([True, True, True, False])


@st.composite
def drawn_events(draw: st.DrawFn) -> list[tuple[str, int, bool]]:
    """Contents, mostly later and later, some late arrivals."""
    found, second = [], 20
    for _ in range(draw(st.integers(3, 12))):
        second = max(0, second + draw(STEPS))
        found.append((draw(CONTENTS), second, draw(FOLDED)))
    return found


@settings(max_examples=150, deadline=None)
@given(drawn=drawn_events())
@example(drawn=[("X", 20, True), ("Y", 21, True), ("X", 22, True), ("X", 23, True)])
def test_no_earlier_state_is_another_without_the_sightings_that_go(drawn: list[tuple[str, int, bool]]) -> None:
    events = history(drawn)
    folded = [place for place, event in enumerate(events) if event.content and not event.own and event.folded]
    stones = [Tombstone(kind="removed", post_id=POST, noted_at=at(event)) for event in events if not event.content]
    kept = needed(
        table([events[place] for place in folded]),
        table([event for event in events if event.own]),
        Tombstones(stones),
    )
    gone = {place for place, keep in zip(folded, kept, strict=True) if not keep}
    for state in range(len(events) + 1):
        left = [event for place, event in enumerate(events[:state]) if place not in gone]
        assert current(left) == current(events[:state]), (state, events, gone)
    dates = {event.content: event.second for event in events}
    assert {event.content: event.second for place, event in enumerate(events) if place not in gone} == dates


def test_of_a_post_seen_daily_the_last_sighting_stays() -> None:
    events = history([("X", second, True) for second in range(10)])
    kept = needed(table(events[1:]), table(events[:1]), Tombstones(()))
    assert kept.tolist() == [False] * 8 + [True]
