"""A third verdict where annotators differ, and the verdicts of all of them on the one sheet that is reported."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from audits.several.annotators import ADJUDICATOR, Annotated, part_of
from audits.sheets.audit_sheets import Sheet
from audits.sheets.keeping import Keeper, sole_writer
from audits.sheets.verdict_log import GivenVerdict, Said
from corpus.errors import InputError

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
    found, still_open = {}, []
    for row in annotated.rows:
        said = annotated.of(row.post_id)
        if row.post_id in annotated.settled:
            found[row.post_id] = (annotated.settled[row.post_id], ADJUDICATOR)
        elif len({verdict for verdict, _ in said.values()}) == 1:
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
