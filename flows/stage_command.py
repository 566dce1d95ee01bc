"""``wordquarry stage NAME [IN] [OUT]``: one stage alone over JSON Lines, one line out for each line in, in order.

A function takes a record as read and returns the fields of the answer, by what the stage of the build is made of. It
raises InputError where the record lacks what the stage needs, and ExtractionError where that is there but malformed.
"""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from corpus.canonical import canonical_json
from corpus.errors import CorpusError, InputError, store_errors
from corpus.folders.open_files import STANDARD_INPUT, reads
from corpus.folders.result_files import result_text
from corpus.lines.jsonl import fields_of, numbered_lines, parse_object
from corpus.records import Answer, CleanedPost, Dropped, Post
from corpus.workspace import Workspace
from crawlers.archives.containers import is_lines, opened_lines
from curation.config_file import load_config
from curation.equivalence.reconciliation import template_id
from curation.near_texts.diversity import corpus_diversity
from curation.stages.classify_stage import ClassifyConfig
from curation.stages.clean_stage import textual_number
from curation.stages.read_stage import ReadConfig
from curation.stages.registry import BY_NAME, STAGES, BuildConfig, way_to
from curation.stages.stage import ConfigT, Context, Stage, Trail
from curation.stages.templates_stage import TemplatesConfig, template_record
from evaluation.solvers.derivation_equivalence import derivation_line
from extractors.answers.parsing import parse_answer
from extractors.equations.thread_equations import AnswerSystem
from extractors.extraction_errors import MAX_TEXT, ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import Value, format_value
from extractors.solve.solving import solve_texts
from extractors.text.cleaning import clean_question
from flows.console import Reporter
from models.counts import likeliest
from models.storage import load_model
from models.tag_terms import TaggedText
from models.thread_reading import ThreadReader, ThreadReading

JsonRecord = Mapping[str, Any]
MAX_ANSWERS = 500


@dataclass(frozen=True)
class RecordContext:
    """What a line function may need besides the record: models by name, and the configuration of the build in which it
    is a stage."""

    model: Callable[[str], Any]
    config: BuildConfig = field(default_factory=BuildConfig)
    data: str = ""

    def of_stage(self, stage: Stage) -> Context[Any]:
        """What a stage of the build works with."""
        models = {name: self.model(name) for name in stage.models}
        return Context(self.config.of_stage(stage.name), models, data=self.data)


RecordFunction = Callable[[JsonRecord, RecordContext], dict[str, Any]]


def text_of(record: JsonRecord, field: str) -> str:
    """A text field; InputError if it is missing, not a string, or beyond the bound."""
    value = record.get(field)
    if not isinstance(value, str):
        raise InputError(f"field {field!r} must be a string; it is {_kind(value, record)}")
    if len(value) > MAX_TEXT:
        raise InputError(f"field {field!r} has {len(value)} characters; the limit is {MAX_TEXT}")
    return value


def _kind(value: object, record: JsonRecord) -> str:
    return f"missing ({fields_of(record)})" if value is None else f"a {type(value).__name__}"


def strings_of(record: JsonRecord, field: str) -> list[str]:
    """A list-of-strings field; InputError otherwise."""
    value = record.get(field)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"field {field!r} must be a list of strings; it is {_kind(value, record)}")
    return value


def answers_of(record: JsonRecord) -> list[str]:
    """The texts of ``answers[{text}]``; InputError naming the answer that has none."""
    value = record.get("answers")
    if not isinstance(value, list) or len(value) > MAX_ANSWERS:
        what = f"it is {_kind(value, record)}" if not isinstance(value, list) else f"it has {len(value)}"
        raise InputError(f"field 'answers' must be a list of at most {MAX_ANSWERS} objects with a text; {what}")
    texts = [answer.get("text") if isinstance(answer, dict) else None for answer in value]
    for number, text in enumerate(texts):
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise InputError(f"answers[{number}] needs a text of at most {MAX_TEXT} characters")
    return [str(text) for text in texts]


def numbers(record: JsonRecord, _context: RecordContext) -> dict[str, Any]:
    """``text`` -> ``numbers`` [{value, start, end, raw, kind, unit}]."""
    found = find_numbers(text_of(record, "text"))
    return {"numbers": [textual_number(number).model_dump(mode="json") for number in found]}


def parse_answer_line(record: JsonRecord, _context: RecordContext) -> dict[str, Any]:
    """``text``, an answer string -> ``alternatives`` [[value]]."""
    alternatives = parse_answer(text_of(record, "text"))
    return {"alternatives": [[format_value(value) for value in values] for values in alternatives]}


def _solutions(unknowns: Sequence[str], solutions: Sequence[Sequence[Value]]) -> list[dict[str, str]]:
    return [
        {unknown: format_value(value) for unknown, value in zip(unknowns, values, strict=True)} for values in solutions
    ]


def solve_line(record: JsonRecord, _context: RecordContext) -> dict[str, Any]:
    """``equations``, ``unknowns``? -> ``status``, ``unknowns``, ``solutions`` [{unknown: value}]."""
    wanted = strings_of(record, "unknowns") if record.get("unknowns") is not None else None
    result = solve_texts(strings_of(record, "equations"), wanted)
    return {
        "status": str(result.status),
        "unknowns": list(result.unknowns),
        "solutions": _solutions(result.unknowns, result.solutions),
        "detail": result.detail or None,
    }


def _candidate(system: AnswerSystem, texts: Sequence[str]) -> dict[str, Any]:
    text = texts[system.answer]
    return {
        "answer": system.answer,
        "equations": list(system.equations),
        "unknowns": list(system.unknowns),
        "solutions": _solutions(system.unknowns, system.solutions),
        "status": str(system.status),
        "spans": [{"start": start, "end": end, "raw": text[start:end]} for start, end in system.spans],
    }


def _thread(record: JsonRecord, context: RecordContext) -> tuple[list[str], ThreadReading]:
    texts, config = answers_of(record), context.config.of(ReadConfig)
    question = clean_question(text_of(record, "question")).text
    reader = ThreadReader(context.model("systems"), context.model("answers"))
    return texts, reader.read(question, texts, config.min_votes, config.min_probability)


def equations(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``answers`` -> the core of the likeliest system, what is asked as expressions over its unknowns,
    its solutions with the values of what the answer derives, its probability and votes, and every answer's candidate.
    """
    texts, (_, found, _) = _thread(record, context)
    core = found.core
    return {
        "equations": None if found.equations is None else list(core.equations),
        "unknowns": list(core.unknowns),
        "asked": list(core.asked),
        "solutions": [
            {name: format_value(value) for name, value in solution.items()}
            for solution in core.solutions(found.unknowns, found.solutions)
        ],
        "probability": round(found.probability, 12),
        "votes": list(found.votes),
        "candidates": [_candidate(system, texts) for system in found.candidates],
        "note": found.note,
    }


def _alone(config: ConfigT, gate: str) -> ConfigT:
    """The table of a stage that is run alone: no publication model decides behind it, so that its gate is the model's
    own threshold unless a configuration names another."""
    return config if gate in config.model_fields_set else config.model_copy(update={gate: None})


def _post(record: JsonRecord) -> Post:
    """The thread of a record; an answer without an id has its place for one."""
    texts, given = answers_of(record), record["answers"]
    answers = (Answer(answer_id=str(one.get("answer_id", n)), text=texts[n]) for n, one in enumerate(given))
    return Post(post_id="", source="", question=text_of(record, "question"), answers=tuple(answers))


def decided(stage: Stage, record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``answers`` -> ``kept``, and what the stage says of the post as in a build; where it is not kept,
    the row of the stage that drops it, this one or one before.
    """
    assert stage.decide is not None
    came = way_to(stage.name, _post(record), context.of_stage)
    row = came if isinstance(came, Dropped) else stage.decide(came, context.of_stage(stage))
    return {"kept": not isinstance(row, Dropped), **row.model_dump(mode="json", exclude={"post_id"})}


def classify(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``answers`` -> ``in_scope``, ``probability`` (0..1), likeliest outcome, and the question's type."""
    post, stage = _post(record), BY_NAME["classify"]
    cleaned = CleanedPost(post_id="", question=clean_question(post.question).text, steps=(), numbers=())
    gates = (_alone(context.config.of(ClassifyConfig), "min_probability"), ClassifyConfig(min_probability=0))
    assert stage.decide is not None
    decide = partial(stage.decide, Trail(post, {CleanedPost: cleaned}))
    rows = [decide(replace(context.of_stage(stage), config=gate)) for gate in gates]
    found = rows[1].model_dump(mode="json", exclude={"post_id"})
    return {**found, "in_scope": rows[0] == rows[1], "probability": round(found["probability"], 12)}


def answers(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``answers`` -> ``answer`` [value] or null, ``asked_count``, ``confidence``, the best five."""
    _, (ranking, found, _) = _thread(record, context)
    config = _alone(context.config.of(ReadConfig), "min_confidence")
    return {
        "answer": list(ranking.values) if ranking.sure(config.min_confidence) else None,
        "asked_count": likeliest(found.asked_counts),
        "confidence": round(ranking.confidence, 12),
        "ranked": [{"answer": list(values), "score": round(score, 12)} for values, score in ranking.ranked[:5]],
    }


def templates(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question`` and ``equations``, or ``template`` alone -> template, alignment, ambiguity and template id."""
    if record.get("template") is not None:
        template = strings_of(record, "template")
        key = template_id(template, context.config.of(TemplatesConfig).semantics)
        return {"template": template, "alignment": [], "ambiguous": False, "template_id": key}
    question = text_of(record, "question")
    unknowns = strings_of(record, "unknowns") if record.get("unknowns") is not None else None
    system = (strings_of(record, "equations"), unknowns)
    found = template_record("", question, find_numbers(question), system, context.config.of(TemplatesConfig).semantics)
    return {
        "template": None if found.template is None else list(found.template),
        "alignment": [slot.model_dump() for slot in found.alignment],
        "ambiguous": found.ambiguous,
        "template_id": found.template_id,
        "equivalent_numbers": [list(group) for group in found.equivalent_numbers],
        "note": found.note,
    }


def tags(record: JsonRecord, context: RecordContext) -> dict[str, Any]:
    """``question``, ``equations``?, ``unknowns``?, ``solved``? -> problem type and grade with probabilities, and
    difficulty; ``solved`` says of each solver whether it solves the problem, and becomes the share of those that do.
    """
    solved = record.get("solved") or []
    if not isinstance(solved, list) or not all(isinstance(one, bool) for one in solved):
        raise InputError(f"field 'solved' must be a list of true and false; it is {_kind(solved, record)}")
    given = [strings_of(record, name) if record.get(name) is not None else () for name in ("equations", "unknowns")]
    found = context.model("tags").row(TaggedText(text_of(record, "question"), *given))
    return {**found, "difficulty_solved": round(sum(solved) / len(solved), 12) if solved else None}


FUNCTIONS: dict[str, RecordFunction] = {
    "classify": classify,
    "equations": equations,
    "answers": answers,
    "solve": solve_line,
    "parse-answer": parse_answer_line,
    "numbers": numbers,
    "templates": templates,
    "tags": tags,
    "derivations": lambda record, _context: derivation_line(record),
}
FUNCTIONS |= {one.name: partial(decided, one) for one in STAGES if one.decide and one.name not in FUNCTIONS}
WHOLE = "diversity"
NAMES = (*FUNCTIONS, WHOLE)


@dataclass(frozen=True)
class StageOptions:
    """Options of the command: the data folder for models, the file of the configuration, votes a system needs if they
    are not those of the configuration, stop at the first bad record."""

    data: str
    config: Path | None
    min_votes: int | None
    strict: bool

    def build_config(self) -> BuildConfig:
        """The configuration of the build in which the stage would run."""
        config = load_config(self.config)
        if self.min_votes is None:
            return config
        read = config.of(ReadConfig).model_copy(update={"min_votes": self.min_votes})
        return config.model_copy(update={"read": read})


@dataclass
class Processed:
    """How many lines were read, how many of them were records, how many could not be processed, and why the first."""

    lines: int = 0
    records: int = 0
    failures: int = 0
    first: str = ""

    def failed(self, message: str) -> None:
        """Count a line that could not be processed."""
        self.failures += 1
        self.first = self.first or message


class StrictError(CorpusError):
    """The first record that could not be processed, where the caller wants to stop at it."""


def _lines(source: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    """Every line with its place; unlike in posts files, a blank line is a record that cannot be read."""
    return numbered_lines(source, getattr(source, "name", "") or "input", blank=True)


def _error(identifier: object, error: InputError | ExtractionError, where: str) -> dict[str, Any]:
    message = str(error)
    return {
        "id": identifier,
        "error": {"code": error.code, "message": message if where in message else f"{where}: {message}"},
    }


def _process(
    line: bytes, where: str, work: Callable[[dict[str, Any]], dict[str, Any]], done: Processed, strict: bool
) -> dict[str, Any]:
    """The output of one line: the fields of the stage behind the record's id, or an error."""
    identifier: object = None
    done.lines += 1
    try:
        record = parse_object(line, where)
        done.records += 1
        identifier = record.get("id")
        if identifier is not None and not isinstance(identifier, str | int):
            identifier, wrong = None, type(identifier).__name__
            raise InputError(f"field 'id' must be a string or a whole number; it is a {wrong}")
        return {"id": identifier, **work(record)}
    except (InputError, ExtractionError) as error:
        found = _error(identifier, error, where)
        message = found["error"]["message"]
        done.failed(message)
        if strict:
            raise StrictError(message) from error
        return found


def run_lines(
    name: str, source: IO[bytes], sink: IO[str], context: RecordContext, *, strict: bool = False
) -> Processed:
    """Run a line-by-line stage; StrictError at the first record that cannot be processed, if ``strict``."""
    done, function = Processed(), FUNCTIONS[name]
    for where, line in _lines(source):
        result = _process(line, where, lambda record: function(record, context), done, strict)
        sink.write(canonical_json(result) + "\n")
    return done


def _text_and_group(record: dict[str, Any]) -> dict[str, Any]:
    return {"text": text_of(record, "text"), "group": str(record.get("group") or "")}


def run_diversity(source: IO[bytes], sink: IO[str], report: IO[str], *, strict: bool = False) -> Processed:
    """Run the diversity stage, which needs every text before it can say anything of one."""
    done = Processed()
    rows = [_process(line, where, _text_and_group, done, strict) for where, line in _lines(source)]
    good = [row for row in rows if "error" not in row]
    groups = [row["group"] for row in good]
    found = corpus_diversity([row["text"] for row in good], groups)
    places = iter(range(len(good)))
    for row in rows:
        if "error" in row:
            sink.write(canonical_json(row) + "\n")
            continue
        place = next(places)
        nearest = found.nearest[place]
        result = {
            "id": row["id"],
            "lexicon_diversity": found.lexicon_diversity[place],
            "nearest_id": None if nearest is None else good[nearest]["id"],
        }
        sink.write(canonical_json(result) + "\n")
    cld = "none" if found.cld is None else f"{found.cld:.4f}"
    report.write(f"CLD {cld} (N={found.n}), identical {found.identical_share:.4f}, {found.signature}\n")
    report.write(f"histogram of LD in 20 bins from 0 to 1: {' '.join(map(str, found.histogram))}\n")
    return done


def run_stage_command(name: str, files: tuple[Path | None, Path | None], options: StageOptions) -> None:
    """Run a stage between files, or standard input and output where a file is None.

    What could not be processed is told on standard error; InputError where no line was a record at all.
    """
    where = "standard input" if files[0] is None else str(files[0])
    done = _run(name, files, options)
    if not done.records:
        found = f"; the first is not: {done.first}" if done.first else ", it is empty"
        raise InputError(f"no line of {where} is a record{found}; give JSON Lines, one object per line")
    if done.failures:
        told = f"{done.failures} of {done.lines} records could not be processed; the first: {done.first}"
        Reporter().line(f"wordquarry stage {name}: {told}")


def _run(name: str, files: tuple[Path | None, Path | None], options: StageOptions) -> Processed:
    workspace = Workspace(options.data)

    @functools.cache
    def model(kind: str) -> Any:
        return load_model(str(workspace.model_file(kind)))

    config = options.build_config()
    with ExitStack() as stack:
        source: IO[bytes] = sys.stdin.buffer
        if files[0] is not None:
            with store_errors("read", str(files[0])):
                source = stack.enter_context(opened_lines(files[0], is_lines))
        else:
            reads(STANDARD_INPUT)
        sink = stack.enter_context(result_text(files[1]))
        if name == WHOLE:
            return run_diversity(source, sink, sys.stderr, strict=options.strict)
        return run_lines(name, source, sink, RecordContext(model, config, options.data), strict=options.strict)
