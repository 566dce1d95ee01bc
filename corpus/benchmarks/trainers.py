"""Formats that trainers and evaluation harnesses read and that are only written: TRL, verl, NeMo-RL, lm-eval, inspect.

An answer stands in them as the corpus writes it where that text is graded right against the gold values, else as these
values. A problem without what a format needs, and one whose answer no text states, is refused.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from corpus.benchmarks.gold_problems import GoldProblem, GoldRecordError, RefusedRecord
from corpus.reasons import Reason

TrainerRow = dict[str, Any]
Judge = Callable[[str, str], bool]
"""Whether an answer is graded right against a gold answer."""
_BOX = r"\boxed"
_TASK = """\
# Run in the folder of this file: lm_eval --include_path . --tasks {task} --model ...
task: {task}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {file}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}\\nEnd with a line that holds #### and the answer alone.\\n"
doc_to_target: "{{{{answer}}}}"
generation_kwargs:
  until: []
  do_sample: false
  max_gen_toks: 1024
filter_list:
  - name: stated
    filter:
      - function: regex
        regex_pattern: "####[ ]*(.*[^ .\\n])"
        group_select: -1
      - function: take_first
metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ignore_case: true
    regexes_to_ignore: ["[$,]"]
metadata:
  version: 1.0
"""


@dataclass(frozen=True)
class TrainerFormat:
    """A format that is only written: how a problem becomes a row, and the texts of a row that state its answer.

    ``task`` gives what stands beside the rows, from the stem and the name of their file.
    """

    name: str
    title: str
    write: Callable[[GoldProblem], TrainerRow]
    answers: Callable[[TrainerRow], tuple[str, ...]]
    task: Callable[[str, str], str] | None = None


def _trl(problem: GoldProblem) -> TrainerRow:
    """TRL 1.16, dataset formats: all columns conversational, since it looks at one of them to tell which form all have.

    ``solution`` is the column of its accuracy reward.
    """
    if not problem.rationale.strip():
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs a solution, the problem has none")
    worked = problem.rationale.strip()
    if _BOX not in worked:
        worked += f"\n\nThe answer is {_BOX}{{{problem.answer}}}."
    prompt, completion = _said("user", problem.question), _said("assistant", worked)
    texts = {"prompt": prompt, "completion": completion, "messages": prompt + completion, "solution": problem.answer}
    return {"id": problem.problem_id, **texts, **_terms(problem)}


def _verl(problem: GoldProblem) -> TrainerRow:
    """verl 0.9, "Prepare Data for Post-Training"; its RLHFDataset reads JSON Lines as well as parquet."""
    return {
        "data_source": problem.origin,
        "prompt": _said("user", problem.question),
        "ability": "math",
        "reward_model": {"style": "rule", "ground_truth": problem.answer},
        "extra_info": {"index": problem.problem_id, **_terms(problem)},
    }


def _nemo_rl(problem: GoldProblem) -> TrainerRow:
    """NeMo-RL's ResponseDataset, with ``input_key`` problem and ``output_key`` answer."""
    return {"id": problem.problem_id, "problem": problem.question, "answer": problem.answer, **_terms(problem)}


def _lm_eval(problem: GoldProblem) -> TrainerRow:
    return {"id": problem.problem_id, "question": problem.question, "answer": problem.answer, **_terms(problem)}


def _inspect(problem: GoldProblem) -> TrainerRow:
    """A Sample of inspect_ai, as its json_dataset reads it."""
    metadata = {"origin": problem.origin, **_terms(problem)}
    return {"id": problem.problem_id, "input": problem.question, "target": problem.answer, "metadata": metadata}


def _said(role: str, text: str) -> list[dict[str, str]]:
    return [{"role": role, "content": text}]


def _terms(problem: GoldProblem) -> dict[str, str | None]:
    return {"license": problem.license, "url": problem.url}


_ALL = (
    TrainerFormat("trl", "TRL rows", _trl, lambda row: (row["solution"], row["completion"][0]["content"])),
    TrainerFormat("verl", "verl rows", _verl, lambda row: (row["reward_model"]["ground_truth"],)),
    TrainerFormat("nemo-rl", "NeMo-RL rows", _nemo_rl, lambda row: (row["answer"],)),
    TrainerFormat(
        "lm-eval", "an lm-evaluation-harness task", _lm_eval, lambda row: (row["answer"],),
        lambda task, file: _TASK.format(task=json.dumps(task), file=json.dumps(file)),
    ),
    TrainerFormat("inspect", "inspect_ai samples", _inspect, lambda row: (row["target"],)),
)  # fmt: skip
TRAINER_FORMATS: Mapping[str, TrainerFormat] = MappingProxyType({each.name: each for each in _ALL})


def write_rows(
    problems: Iterable[GoldProblem], chosen: TrainerFormat, right: Judge
) -> tuple[str, tuple[RefusedRecord, ...]]:
    """The JSON Lines of some problems, and the problems that the format cannot hold with the reason for each."""
    lines, refused = [], []
    for problem in problems:
        try:
            lines.append(json.dumps(_graded(problem, chosen, right), ensure_ascii=False) + "\n")
        except GoldRecordError as error:
            refused.append(RefusedRecord(problem.problem_id, error.reason, str(error), problem.native_id))
    return "".join(lines), tuple(refused)


def _graded(problem: GoldProblem, chosen: TrainerFormat, right: Judge) -> TrainerRow:
    """The row whose answer is right against the gold, wherever it stands in the row."""
    if not problem.question.strip():
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs a text, the problem has none")
    if not problem.gold:
        raise GoldRecordError(Reason.NOT_EXPRESSIBLE, "the format needs an answer value, the problem has none")
    gold = " or ".join("; ".join(values) for values in problem.gold)
    for answer in dict.fromkeys((problem.answer.strip(), gold)):
        row = chosen.write(problem.model_copy(update={"answer": answer}))
        if answer and all(right(said, gold) for said in chosen.answers(row)):
            return row
    raise GoldRecordError(
        Reason.NOT_EXPRESSIBLE, f"no text of the answer {problem.answer[:60]!r} is graded right against {gold[:60]}"
    )
