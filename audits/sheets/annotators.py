"""A sheet for several annotators: each gets one, some rows are on all of them, and what they say comes back.

Who gets which row is decided by the sheet and the row, stratum by stratum: the first rows in the order of their digests
are everybody's, the others are dealt in turn.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from audits.sheets.audit_sheets import Sheet, SheetRow, Verdict, identified, page_of, read_sheet
from audits.sheets.keeping import Keeper, sole_writer
from audits.sheets.verdict_log import BLANK, GivenVerdict, Said
from corpus.canonical import sha256_text
from corpus.errors import InputError
from corpus.folders.result_files import write_results

ANNOTATOR = re.compile(r"[a-z0-9][a-z0-9_-]{0,29}")
ADJUDICATOR = "adjudicated"
"""The annotator of a sheet of disagreements: what it says settles them."""


@dataclass(frozen=True)
class Annotated:
    """What several people said of the rows of one sheet.

    ``said`` has the verdict and note of each judged row by annotator and post; ``settled`` those of a third verdict.
    """

    whole: str
    version: str
    stage: str
    rows: tuple[SheetRow, ...]
    said: Mapping[str, Mapping[str, Said]]
    settled: Mapping[str, Said] = field(default_factory=dict)

    def of(self, post_id: str) -> dict[str, Said]:
        """What each annotator said of a row."""
        return {name: rows[post_id] for name, rows in self.said.items() if post_id in rows}

    def disagreements(self) -> list[SheetRow]:
        """The rows with different verdicts, in the order of the sheet."""
        return [row for row in self.rows if len({verdict for verdict, _ in self.of(row.post_id).values()}) > 1]


def checked_annotators(names: Sequence[str]) -> tuple[str, ...]:
    """The names of annotators, if they can be names of files and are at least two; InputError otherwise."""
    for name in names:
        if not ANNOTATOR.fullmatch(name) or name == ADJUDICATOR:
            raise InputError(
                f"{name[:60]!r} cannot name an annotator; use up to 30 lower-case letters, digits, - and _, and not "
                f"{ADJUDICATOR}"
            )
    if len(set(names)) != len(names) or len(names) < 2:
        raise InputError(f"{len(set(names))} annotators in {len(names)} names; give at least two, each once")
    return tuple(names)


def part_of(sheet: Sheet, annotator: str, rows: Iterable[SheetRow]) -> Sheet:
    """A sheet of some rows of another one for an annotator, without verdicts."""
    header = sheet.header.model_copy(update={"annotator": annotator, "whole": sheet.header.sheet_id, "shows": None})
    return identified(header, tuple(row.saying(BLANK) for row in rows))


def split_sheet(sheet: Sheet, annotators: Sequence[str], overlap: float) -> dict[str, Sheet]:
    """A sheet for each annotator; the share ``overlap`` of every stratum (0 to 1, rounded up) is on all of them."""
    if sheet.header.whole is not None:
        raise InputError(f"sheet {sheet.header.sheet_id} is the part of an annotator already; split the whole sheet")
    names = checked_annotators(annotators)
    owners: dict[str, tuple[str, ...]] = {}
    dealt = 0
    for stratum in dict.fromkeys(row.stratum for row in sheet.rows):
        posts = [row.post_id for row in sheet.rows if row.stratum == stratum]
        posts.sort(key=lambda post_id: sha256_text(f"{sheet.header.sheet_id} {post_id}"))
        shared = math.ceil(overlap * len(posts))
        owners |= dict.fromkeys(posts[:shared], names)
        for post_id in posts[shared:]:
            owners[post_id] = (names[dealt % len(names)],)
            dealt += 1
    return {name: part_of(sheet, name, (row for row in sheet.rows if name in owners[row.post_id])) for name in names}


def part_path(sheet: Path, annotator: str) -> Path:
    """Where the sheet of an annotator stands: beside the whole one.

    >>> part_path(Path("audits/quarry.jsonl"), "ann").name
    'quarry.ann.jsonl'
    """
    return sheet.with_name(f"{sheet.stem}.{annotator}{sheet.suffix}")


def read_annotated(paths: Sequence[Path], *, alone: bool = False) -> Annotated:
    """What the sheets of several annotators say, and the one that settles their disagreements, if it is among them.

    InputError for a sheet that is nobody's, for parts of different sheets, for two verdicts of one annotator on a row,
    and for fewer than two annotators unless ``alone``.
    """
    said: dict[str, dict[str, Said]] = {}
    rows: dict[str, SheetRow] = {}
    first: tuple[Path, Sheet] | None = None
    for path in paths:
        sheet = read_sheet(path)
        first = first or (path, sheet)
        name = _annotator_of(path, sheet, first)
        held = said.setdefault(name, {})
        for row in sheet.rows:
            if name != ADJUDICATOR:
                rows.setdefault(row.post_id, row.saying(BLANK))
            if row.verdict is None:
                continue
            if held.setdefault(row.post_id, (row.verdict, row.note))[0] != row.verdict:
                raise InputError(f"{path}: {name} has two verdicts of {row.post_id}; leave one of the two sheets out")
    settled = said.pop(ADJUDICATOR, {})
    if first is None or (len(said) < 2 and not alone):
        raise InputError(f"sheets of {len(said)} annotators; give those of at least two (wordquarry sheet split)")
    header = first[1].header
    ordered = tuple(sorted(rows.values(), key=lambda row: row.row))
    return Annotated(str(header.whole), header.version, header.stage, ordered, said, settled)


def _annotator_of(path: Path, sheet: Sheet, first: tuple[Path, Sheet]) -> str:
    header = sheet.header
    if header.annotator is None or header.whole is None:
        raise InputError(f"{path} is no sheet of an annotator; make one for each with wordquarry sheet split")
    if header.whole != first[1].header.whole:
        raise InputError(
            f"{path} is a part of sheet {header.whole}, and {first[0]} of sheet {first[1].header.whole}; "
            "give parts of one sheet"
        )
    if sheet.unseen:
        counts, _ = sheet.unseen[0]
        raise InputError(f"{path}: {counts.row_id} was judged on two pages without sight of each other; judge it again")
    return header.annotator


def verdict_counts(annotated: Annotated, rows: Iterable[SheetRow]) -> list[list[int]]:
    """How many people gave each row each verdict, from right over unsure to wrong."""
    order = (Verdict.RIGHT, Verdict.UNSURE, Verdict.WRONG)
    given = ([verdict for verdict, _ in annotated.of(row.post_id).values()] for row in rows)
    return [[verdicts.count(verdict) for verdict in order] for verdicts in given]


MOST_NAMES = 40
"""Characters of who gave a verdict, in a log."""


def disagreement_sheet(whole: Sheet, annotated: Annotated) -> Sheet:
    """The rows on which annotators differ, each with what they said among its facts, for a third verdict."""
    _check(whole, annotated)
    rows = []
    for row in annotated.disagreements():
        said = {f"{name} says": _told(one) for name, one in annotated.of(row.post_id).items()}
        rows.append(row.model_copy(update={"facts": {**row.facts, **said}}))
    if not rows:
        raise InputError(f"the annotators of sheet {annotated.whole} agree on every row that they share")
    return part_of(whole, ADJUDICATOR, rows)


def _told(said: Said) -> str:
    verdict, note = said
    return f"{verdict} ({note})" if note else str(verdict)


def _check(whole: Sheet, annotated: Annotated) -> None:
    if whole.header.sheet_id != annotated.whole:
        raise InputError(f"the annotators judged parts of sheet {annotated.whole}, not of {whole.header.sheet_id}")


@dataclass(frozen=True)
class MergedVerdicts:
    """What a merge did: rows ``given`` a verdict, ``changed`` from another one, and ``open`` disagreements by post."""

    given: int
    changed: tuple[str, ...]
    open: tuple[str, ...]


def agreed_verdicts(annotated: Annotated) -> tuple[dict[str, tuple[Said, str]], tuple[str, ...]]:
    """The verdict of each row with who gave it, settled or of one mind, and the rows whose disagreement is open."""
    found = {post_id: (said, ADJUDICATOR) for post_id, said in annotated.settled.items()}
    still_open = []
    for row in annotated.rows:
        said = annotated.of(row.post_id)
        if row.post_id in annotated.settled:
            continue
        if len({verdict for verdict, _ in said.values()}) == 1:
            notes = [note for _, note in said.values() if note]
            verdict = next(iter(said.values()))[0]
            found[row.post_id] = ((verdict, notes[0] if notes else ""), ", ".join(said)[:MOST_NAMES])
        elif said:
            still_open.append(row.post_id)
    return found, tuple(still_open)


def merge_verdicts(path: Path, annotated: Annotated, say: Callable[[str], None]) -> MergedVerdicts:
    """Write what the annotators and the third verdict say into the whole sheet at ``path``, through its log.

    Rows with an open disagreement stay as they are. StoreError where the sheet is being served.
    """
    found, still_open = agreed_verdicts(annotated)
    given, changed = 0, []
    with sole_writer(path):
        keeper = Keeper(path, say)
        try:
            _check(keeper.sheet, annotated)
            for row in keeper.sheet.rows:
                said, by = found.get(row.post_id, ((row.verdict, row.note), ""))
                if said == (row.verdict, row.note):
                    continue
                given += 1
                changed += [row.post_id] if row.verdict not in (None, said[0]) else []
                keeper.take(GivenVerdict(row_id=row.post_id, verdict=said[0], note=said[1], by=by), seen=True)
        finally:
            keeper.close()
    return MergedVerdicts(given, tuple(changed), still_open)


def write_parts(parts: Mapping[Path, Sheet]) -> list[str]:
    """Write sheets with their pages; returns a line about each.

    InputError, and none written, where one is there that holds something else.
    """
    for path, part in parts.items():
        if path.exists() and read_sheet(path).lines() != part.lines():
            raise InputError(f"{path} is there already; move it away, its verdicts would be lost")
    pages = [(path.with_suffix(".html"), page_of(part)) for path, part in parts.items()]
    write_results([*((path, part.lines()) for path, part in parts.items()), *pages])
    return [f"{path}: {len(part.rows)} rows, {part.judged} judged" for path, part in parts.items()]
