"""Stage read: what it drops and why, what it keeps, and what it says of records alone."""

import pytest

from corpus.records import Answer, CleanedPost, Dropped, Post, PostReading, Record
from curation.stages.read_stage import STAGE, ReadConfig
from curation.stages.stage import Context, Trail
from flows.stage_command import RecordContext, answers, equations
from models.shipped import shipped_model

QUESTION = "After a 6% raise Dana earns $44,520 a year. What was her salary before the raise?"
OF_THE_NEW = "44520 * 0.94 = 41848.80"
"""Takes the raise off the new salary, which is wrong."""
OF_THE_OLD = "1.06 s = 44520\ns = 42000"
CONTEXT = RecordContext(shipped_model)


def read(texts: list[str], config: ReadConfig | None = None) -> Record:
    """What the stage says of a post with these answers."""
    replies = tuple(Answer(answer_id=f"a{place}", text=text) for place, text in enumerate(texts))
    post = Post(post_id="t:1", source="t", question=QUESTION, answers=replies)
    cleaned = CleanedPost(post_id="t:1", question=QUESTION, steps=(), numbers=())
    models = {name: shipped_model(name) for name in STAGE.models}
    return STAGE.decide(Trail(post, {CleanedPost: cleaned}), Context(config or ReadConfig(), models))


def test_a_post_keeps_its_answer_and_the_system_that_gives_it() -> None:
    found = read([OF_THE_NEW, "It was $42,000", OF_THE_OLD])
    assert isinstance(found, PostReading)
    assert (found.values, found.equations, found.votes) == (("42000",), ("1.06*s=44520",), ("a1", "a2"))
    assert [(one.answer_id, one.raw) for one in found.spans] == [("a1", "42,000"), ("a2", "42000")]
    assert [(one.answer_id, one.status) for one in found.candidates] == [
        ("a0", "solved"),
        ("a1", "stated"),
        ("a2", "solved"),
    ]
    assert [one.raw for one in found.candidates[2].spans] == ["1.06 s = 44520"]


def test_a_post_without_a_system_is_kept_with_a_note_unless_one_is_required() -> None:
    found = read([OF_THE_NEW, "42000", "It was $42,000"])
    assert isinstance(found, PostReading)
    assert (found.values, found.equations, found.solutions, found.votes) == (("42000",), None, (), ())
    assert found.note is not None
    assert found.witness is not None
    assert (found.witness.answer_id, found.witness.equations) == ("a0", ("x=44520*0.94",))
    dropped = read([OF_THE_NEW, "42000", "It was $42,000"], ReadConfig(require=True))
    assert isinstance(dropped, Dropped)
    assert (dropped.reason, dropped.detail) == ("no_agreed_system", found.note)


@pytest.mark.rows(
    ("texts", "config", "reason"),
    [
        (["no idea", "ask her"], ReadConfig(), "nothing_to_read"),
        (["half of it"], ReadConfig(), "no_candidates"),
        ([OF_THE_OLD], ReadConfig(min_confidence=1.0), "low_confidence"),
        ([OF_THE_OLD], ReadConfig(min_votes=2, require=True), "no_agreed_system"),
        (["$42,000", OF_THE_OLD], ReadConfig(min_votes=2, require=True), None),
        ([OF_THE_OLD], ReadConfig(min_probability=1.0, require=True), "no_agreed_system"),
    ],
)
def test_what_is_dropped(texts: list[str], config: ReadConfig, reason: str | None) -> None:
    found = read(texts, config)
    assert (found.reason if isinstance(found, Dropped) else None) == reason


def test_alone_both_commands_read_by_both_models() -> None:
    record = {"question": QUESTION, "answers": [{"text": OF_THE_NEW}, {"text": "42000"}, {"text": "It was $42,000"}]}
    assert (equations(record, CONTEXT)["equations"], answers(record, CONTEXT)["answer"]) == (None, ["42000"])
    more = record | {"answers": [*record["answers"], {"text": OF_THE_OLD}]}
    assert (equations(more, CONTEXT)["equations"], answers(more, CONTEXT)["answer"]) == (["1.06*s=44520"], ["42000"])


def test_a_solution_of_thousands_of_digits_ends_no_run() -> None:
    record = {"question": "What is x, ten to the 4999 and then 7?", "answers": [{"text": "x = 10^4999"}]}
    assert answers(record, CONTEXT)["answer"] is None


def test_a_part_of_what_is_asked_is_less_likely() -> None:
    texts = [{"text": "26 miles a gallon, so it is 2.8 x 22.5 = $63."}, {"text": "$63"}]
    both = "How many gallons do I need for 585 miles at 26 miles a gallon, and how much will they cost at $2.80?"
    one = "How much will the gas for 585 miles cost at 26 miles a gallon and $2.80 a gallon?"
    found = [answers({"question": asked, "answers": texts}, CONTEXT) for asked in (both, one)]
    assert [one["ranked"][0]["answer"] for one in found] == [["63"], ["63"]]
    assert found[0]["confidence"] < found[1]["confidence"]
