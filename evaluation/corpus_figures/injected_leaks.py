"""Leaks put into public corpora on purpose: how many are found, and what else is taken for one."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.reading import read_file
from corpus.canonical import sha256_text
from curation.near_texts.benchmark_texts import items_of
from curation.near_texts.contamination import SHARE, Item, LeakKind, find_leaks
from curation.near_texts.plain_tokens import NormalTokens, normal_tokens
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from extractors.quantities.numbers import find_numbers

INJECTED = 100
"""Problems of each corpus that are put in for each kind of change."""
MIN_LENGTH = 8
"""Words and numbers of a text that is put in: what is left of it has to reach MIN_WORDS of the search."""
GRAM = 13
SOURCES = {
    "draw": "draw/draw.json",
    "asdiv": "asdiv/ASDiv.xml",
    "mathqa": "mathqa/mathqa_dev_first2000.jsonl",
    "aqua": "aqua/aqua_dev.jsonl",
}

_NUMBER = re.compile(r"\d")
_WORD = re.compile(r"[A-Za-z]{2,}")
Change = Callable[[str, int], str]


def _places(text: str) -> list[int]:
    """Places of the words that are no numbers."""
    tokens = enumerate(text.split())
    return [place for place, token in tokens if _WORD.fullmatch(token) and not find_numbers(token)]


def _with_word(text: str, chance: int, new: Callable[[str], Sequence[str]]) -> str:
    """The text with one of its words, chosen by chance, replaced by others."""
    tokens, places = text.split(), _places(text)
    place = places[chance % len(places)]
    return " ".join([*tokens[:place], *new(tokens[place]), *tokens[place + 1 :]])


def _twice(text: str, chance: int) -> str:
    return _with_word(_with_word(text, chance, lambda _: ["certain"]), chance // 97, lambda _: ["other"])


def _other_number(text: str, chance: int) -> str:
    found = list(_NUMBER.finditer(text))
    at = found[chance % len(found)].start()
    return f"{text[:at]}{(int(text[at]) + 1) % 9 + 1}{text[at + 1 :]}"


CHANGES: dict[str, Change] = {
    "unchanged": lambda text, _: text,
    "case, spaces and punctuation": lambda text, _: "  ".join(text.upper().split()).rstrip(".?! ") + " !!",
    "one word exchanged": lambda text, chance: _with_word(text, chance, lambda _: ["whatever"]),
    "one word left out": lambda text, chance: _with_word(text, chance, lambda _: []),
    "one word put in": lambda text, chance: _with_word(text, chance, lambda word: [word, "really"]),
}
REPORTED: dict[str, Change] = {"two words exchanged": _twice, "one number changed": _other_number}


def injected_leaks(shared: Path) -> ReadingReport:
    """Half of each public corpus as benchmark, the other half with changed copies of the first as the corpus."""
    changes = CHANGES | REPORTED
    hits: dict[str, list[bool]] = {name: [] for name in changes}
    clean: list[bool] = []
    flagged: list[Failure] = []
    missed: list[Failure] = []
    shared_grams: dict[str, list[bool]] = {}
    for name, path in SOURCES.items():
        items = items_of(read_file(shared / path, format_named(name), name).problems)
        benchmark, others = items[::2], items[1::2]
        leaks = find_leaks(others, {name: benchmark}, SHARE).leaks
        leaking = {leak.problem_id for leak in leaks if leak.kind is not LeakKind.STORY}
        clean += [item.item_id in leaking for item in others]
        flagged += [
            Failure(leak.problem_id, f"{leak.kind} in {name}", f"{leak.text} ~ {leak.benchmark_text}") for leak in leaks
        ]
        for change, found in hits.items():
            for item, hit in _inject(benchmark, (change, changes[change])):
                found.append(hit)
                if not hit and change in CHANGES:
                    missed.append(Failure(item.item_id, f"missed: {change}", item.text))
        held = {gram for item in benchmark for gram in _grams(item.text)}
        for change in changes:
            copies = _copies(benchmark, (change, changes[change]))
            shared_grams.setdefault(f"found: {change}", []).extend(
                not held.isdisjoint(_grams(copy.text)) for _, copy in copies
            )
        shared_grams.setdefault("flagged in the other half", []).extend(
            not held.isdisjoint(_grams(one.text)) for one in others
        )
    shares = [
        Share(f"found: {name}", Proportion.of(found), 100 if name in CHANGES else None) for name, found in hits.items()
    ]
    return ReadingReport(
        "Injected leaks",
        f"{INJECTED} problems of every corpus (all its problems where there are fewer) for each change, of texts with "
        f"at least {MIN_LENGTH} words and numbers, compared with the half of the corpus they come from. A problem is "
        "found if its own original is named. One number changed makes another problem, which is not a leak. The other "
        "half of the corpora is counted as it is; what is found there is listed and was read. 13-grams: any shared "
        "sequence of 13 tokens (Brown et al. 2020, appendix C) finds a problem if it flags it at all.",
        (
            *shares,
            Share("leaks in the other half", Proportion.of(clean)),
            *(Share(f"13-grams, {name}", Proportion.of(found)) for name, found in sorted(shared_grams.items())),
        ),
        tuple(missed + flagged),
    )


def _grams(text: str) -> set[NormalTokens]:
    """The sequences of 13 tokens of a text, by which others look for leaks."""
    tokens = normal_tokens(text)
    return {tokens[start : start + GRAM] for start in range(len(tokens) - GRAM + 1)}


def _copies(benchmark: Sequence[Item], change: tuple[str, Change]) -> list[tuple[Item, Item]]:
    """Some benchmark problems, each with a changed copy."""
    name, alter = change
    fit = [one for one in benchmark if len(normal_tokens(one.text)) >= MIN_LENGTH and len(_places(one.text)) > 1]
    if alter is _other_number:
        fit = [item for item in fit if _NUMBER.search(item.text)]
    chosen = sorted(fit, key=lambda item: sha256_text(name + item.item_id))[:INJECTED]
    texts = (alter(item.text, int(sha256_text(item.item_id + name)[:8], 16)) for item in chosen)
    return [
        (item, Item(f"copy of {item.item_id}", text, item.answer)) for item, text in zip(chosen, texts, strict=True)
    ]


def _inject(benchmark: Sequence[Item], change: tuple[str, Change]) -> list[tuple[Item, bool]]:
    """Changed copies of some benchmark problems, and whether each is found as a copy of its original."""
    pairs = _copies(benchmark, change)
    leaks = find_leaks([copy for _, copy in pairs], {"b": benchmark}, SHARE).leaks
    found = {(leak.problem_id, leak.benchmark_id) for leak in leaks if leak.kind is not LeakKind.STORY}
    return [(item, (copy.item_id, item.item_id) in found) for item, copy in pairs]
