"""Sheets filled in as a person would."""

from pathlib import Path

from audits.sheets.audit_sheets import Verdict, read_sheet, save_sheet


def fill(path: Path, first: Verdict = Verdict.RIGHT, count: int = 0, rows: int = 1000) -> None:
    """Judge the first ``rows`` of a sheet: ``count`` of them as ``first``, then all as right."""
    sheet = read_sheet(path)
    for place, row in enumerate(sheet.rows[:rows]):
        sheet = sheet.with_verdict(row.post_id, first if place < count else Verdict.RIGHT, "")
    save_sheet(sheet, path)
