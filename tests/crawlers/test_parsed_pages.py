"""A folder of ``pages/`` is a case: a page in a site's markup, written by us, and the thread that is read from it.

``thread.json`` says where the page is served (``served_at``) and what its thread holds: every field but the markup of
texts, and how much personal data was taken out (kinds of which there is none are left out).
"""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from crawlers.parsers import pages

FOLDERS = sorted(path.parent for path in (Path(__file__).parent / "pages").glob("*/thread.json"))
ANSWER = ("answer_id", "text", "is_best", "score")
THREAD = ("native_id", "url", "license", "attribution", "tags", "question")


@pytest.mark.rows("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_page_gives_the_thread_beside_it(folder: Path) -> None:
    wanted = json.loads((folder / "thread.json").read_text(encoding="utf-8"))
    (page,) = folder.glob("page.*")
    thread = pages.parse_thread(page.read_text(encoding="utf-8"), wanted.pop("served_at"))
    assert thread is not None
    found = {name: getattr(thread, name) for name in THREAD} | {
        "tags": list(thread.tags),
        "answers": [{name: getattr(answer, name) for name in ANSWER} for answer in thread.answers],
        "removed": {kind: count for kind, count in asdict(thread.removed).items() if count},
    }
    assert found == wanted


def test_there_are_pages() -> None:
    assert len(FOLDERS) >= 13
