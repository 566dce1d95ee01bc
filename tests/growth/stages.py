"""Each stage command, driven in this process over a text of some shape."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from corpus.errors import InputError
from corpus.records import (
    Answer,
    Assignment,
    CandidateSystem,
    ClassifiedPost,
    CleanedPost,
    Dropped,
    Post,
    PostAgreement,
    PostReading,
    Record,
    SystemSolution,
    TextSpan,
)
from corpus.schema import record_table
from curation.stages.clean_stage import CleanConfig
from curation.stages.read_stage import ReadConfig
from curation.stages.registry import BY_NAME, STAGES, BuildConfig
from curation.stages.stage import Context, Stage, Trail
from extractors.extraction_errors import MAX_TEXT, ExtractionError
from extractors.templates.induction import MAX_EQUATIONS, SLOT_LETTERS
from flows.stage_command import FUNCTIONS, RecordContext
from models.storage import load_model
from tests.growth.shapes import Shape
from tests.samples import sample

MODELS = Path(__file__).parents[2] / "data" / "models"
SYSTEM = ("x + y = 12", "x - y = 1/3 + 2*x")
SETTINGS = BuildConfig(
    clean=CleanConfig(max_characters=MAX_TEXT),
    read=ReadConfig(min_probability=0, min_confidence=0),
)
"""Nothing is too long, and nothing too unlikely: how likely a text is must not decide which stages have work."""


class Job(NamedTuple):
    """A stage with what it is given; ``run`` may be called again and again."""

    stage: str
    run: Callable[[], object]


@cache
def model_of(kind: str) -> Any:
    """A shipped model, read once."""
    return load_model(str(MODELS / f"{kind}.json"))


def jobs(post: Post) -> Iterator[Job]:
    """Every stage over one post, each with what the stages before said of it, or would have said; run each in turn."""
    records: dict[type[Record], Record] = {}
    for stage in STAGES:
        said: list[Record] = []
        yield Job(stage.name, _runner(stage, [Trail(post, dict(records))], said))
        records[stage.record] = said[0] if _says_something(said[0]) else _passed(stage, post)


def _says_something(record: Record) -> bool:
    """Whether the stages behind have something to do: the post was kept, and equations were found."""
    return not isinstance(record, Dropped) and not (isinstance(record, PostReading) and record.equations is None)


def line_jobs(shape: Shape, length: int, times: int) -> Iterator[Job]:
    """The stages over JSON Lines that no stage of a build is, and templates of equations of the shape."""
    text = shape.text(length, times)
    equations = [line for line in text.replace(", ", "\n").splitlines() if line][:MAX_EQUATIONS]
    derivation = {"template": equations, "alignment": dict.fromkeys(SLOT_LETTERS, 1)}
    records: dict[str, dict[str, object]] = {
        "numbers": {"text": text},
        "parse-answer": {"text": text},
        "solve": {"equations": equations},
        "templates": {"question": f"{text} 12 and 1/3", "equations": list(SYSTEM)},
        "templates of such equations": {"question": text, "equations": equations},
        "derivations": {"predicted": derivation, "gold": derivation, "equivalent_numbers": [[1, 2]]},
    }
    for name, record in records.items():
        yield Job(f"stage {name}", _line_runner(name, record))


def _line_runner(name: str, record: dict[str, object]) -> Callable[[], None]:
    context = RecordContext(model_of)

    def run() -> None:
        with suppress(ExtractionError, InputError):
            FUNCTIONS[name.partition(" ")[0]](record, context)

    return run


def corpus_jobs(posts: Sequence[Post]) -> Iterator[Job]:
    """The stages that see the corpus at once, over many posts that came through the others."""
    trails = [Trail(post, _all_passed(post)) for post in posts]
    yield from (Job(stage.name, _runner(stage, trails, [])) for stage in STAGES if stage.whole)


def post_of(shape: Shape, length: int, times: int) -> Post:
    """A post of the shape: the question, an answer that is alike, and a short one."""
    text = shape.text(length, times)
    texts = (f"{text}\nx + y = 9, so x = 5", f"2*7 = 14, so it is 14. {text}")
    answers = tuple(Answer(answer_id=str(place), text=answer) for place, answer in enumerate(texts))
    return Post(post_id="made:1", source="made", question=f"Find x. {text}", answers=answers)


def posts_of(shape: Shape, count: int) -> list[Post]:
    """So many short posts of the shape, one in three of them like another."""
    words = [f"{shape.text(60)} and {place % (2 * count // 3)} pens of Tom {place % 5}" for place in range(count)]
    return [Post(post_id=f"made:{place}", source="made", question=text) for place, text in enumerate(words)]


def post_with_answers(shape: Shape, count: int) -> Post:
    """A post with so many answers of the shape, which all vote for one system."""
    texts = [f"{shape.text(12)}\nx + y = 9\nx - y = 1\nso x = {place}" for place in range(count)]
    answers = tuple(Answer(answer_id=f"a{place}", text=text) for place, text in enumerate(texts))
    return Post(post_id="made:1", source="made", question="Two numbers add up to 9 and differ by 1.", answers=answers)


def _runner(stage: Stage, trails: Sequence[Trail], said: list[Record]) -> Callable[[], None]:
    context = Context(SETTINGS.of_stage(stage.name), {name: model_of(name) for name in stage.models})
    return lambda: said.extend(said_of(stage, trails, context))


def said_of(stage: Stage, trails: Sequence[Trail], context: Context[Any]) -> list[Record]:
    """What a stage says of some posts, in whichever way it decides: what it keeps, then what it drops."""
    if stage.decide is not None:
        return [stage.decide(trail, context) for trail in trails]
    if stage.decide_columns is not None:
        columns: dict[str, list[Any]] = {"post_id": [trail.post.post_id for trail in trails]}
        for name, column in stage.over:
            columns[column] = [getattr(trail.get(BY_NAME[name].record), column) for trail in trails]
        kept, dropped = stage.decide_columns(columns, context)
        gone = [Dropped.model_validate(row) for row in dropped.to_pylist()]
    else:
        kinds: dict[str, type[Record]] = {name: BY_NAME[name].record for name in stage.reads[1:]}
        tables = {name: record_table([trail.get(kind) for trail in trails], kind) for name, kind in kinds.items()}
        assert stage.decide_tables is not None
        posts = record_table([trail.post for trail in trails], Post)
        kept, gone = stage.decide_tables({"posts": posts, **tables}, context)
    return [*(stage.record.model_validate(row) for row in kept.to_pylist()), *gone]


def _all_passed(post: Post) -> dict[type[Record], Record]:
    return {stage.record: _passed(stage, post) for stage in STAGES}


def _passed(stage: Stage, post: Post) -> Record:
    """What a stage might have said of a post that it drops, so that the stages behind it have something to do."""
    name = post.post_id
    solution = SystemSolution(assignments=(Assignment(unknown="x", value="5"), Assignment(unknown="y", value="4")))
    spans = tuple(TextSpan(answer_id=answer.answer_id, start=0, end=1, raw=answer.text[:1]) for answer in post.answers)
    systems = tuple(
        CandidateSystem(
            answer_id=span.answer_id,
            equations=SYSTEM,
            unknowns=("x", "y"),
            solutions=(solution,),
            status="solved",
            probability=0.9,
            spans=(span,),
        )
        for span in spans
    )
    said: dict[type[Record], dict[str, Any]] = {
        CleanedPost: {"question": post.question},
        ClassifiedPost: {"in_scope": True, "outcome": "ok"},
        PostReading: {
            "values": ("5", "4"),
            "spans": spans,
            "equations": SYSTEM,
            "unknowns": ("x", "y"),
            "solutions": (solution,),
            "votes": tuple(span.answer_id for span in spans),
            "candidates": systems,
            "linear": True,
            "witness": systems[0] if systems else None,
        },
        PostAgreement: {
            "verdict": "confirmed",
            "answer_exact": ("5", "4"),
            "equations": SYSTEM,
            "unknowns": ("x", "y"),
            "solutions": (solution,),
            "asked": ("x", "y"),
        },
    }
    return sample(stage.record, name, **said.get(stage.record, {}))
