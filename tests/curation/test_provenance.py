"""Which question and answers a problem comes from, and what was taken out of posts."""

from corpus.records import Answer, Post, Problem, Provenance, TextSpan
from corpus.schema import record_table
from curation.provenance import provenance_of, removed_from
from extractors.text.edits import MARKS
from tests.corpus.samples import problem

POST = Post(
    post_id="forum:1",
    source="forum",
    url="https://forum.example/q/1",
    license="CC BY-SA 3.0",
    attribution="forum.example contributors, https://forum.example/q/1; CC BY-SA 4.0: 2",
    retrieved_at="2024-05-01T10:00:00Z",
    question="How old is Ann? Write to [mail]",
    answers=(
        Answer(answer_id="1", text="x + 2 = 9 [name]"),
        Answer(answer_id="2", text="7, thanks [name]", license="CC BY-SA 4.0", attribution="forum.example, a/2"),
        Answer(answer_id="3", text="no idea, call [phone]"),
        Answer(answer_id="4", text="7"),
    ),
    response_sha256="a" * 64,
    parser="pages@1",
)


def test_the_answers_a_problem_rests_on_come_with_their_own_terms() -> None:
    span = TextSpan(answer_id="4", start=0, end=1, raw="7")
    row = problem(1).model_copy(update={"votes": ("2", "1"), "answer_spans": (span,), "equation_spans": ()})
    question = Provenance(
        problem_id="p0001",
        post_id="forum:1",
        answer_id=None,
        url=POST.url,
        license="CC BY-SA 3.0",
        attribution=POST.attribution,
        retrieved_at=POST.retrieved_at,
        response_sha256="a" * 64,
        parser="pages@1",
    )
    own = {"answer_id": "2", "license": "CC BY-SA 4.0", "attribution": "forum.example, a/2"}
    found = provenance_of(record_table([row], Problem), record_table([POST], Post))
    assert [Provenance.model_validate(one) for one in found.to_pylist()] == [
        question,
        question.model_copy(update={"answer_id": "1"}),
        question.model_copy(update=own),
        question.model_copy(update={"answer_id": "4"}),
    ]


def test_what_was_taken_out_is_counted_by_its_marks() -> None:
    texts = [POST.question, *(answer.text for answer in POST.answers)]
    assert removed_from(texts) == {**dict.fromkeys(MARKS, 0), "mails": 1, "phones": 1, "names": 2}
    assert removed_from([]) == dict.fromkeys(MARKS, 0)
