"""Which characters bytes stand for: one decision, whatever is declared; what nobody can tell is not read."""

import pytest

from corpus.reasons import Reason
from crawlers.archives.bounded_streams import RecordError
from crawlers.html_reading.charsets import page_text
from crawlers.thread_records import row_of
from crawlers.threads import ThreadDraft, finished
from extractors.extraction_errors import ExtractionError

TEXT = "A shirt costs £12 and a cap €3½ — “quick”: 2 × 1"
RUSSIAN = "Сколько яблок у Маши, если у неё было 3½"
JAPANESE = "りんごが三個あります。みかんは五個です。"


@pytest.mark.rows("declared", ["utf-8", "ISO-8859-1", "windows-1251", "gb2312", "utf8mb4", "", "shift_jis"])
@pytest.mark.rows("inside", [True, False])
def test_utf8_is_read_whatever_is_declared(declared: str, inside: bool) -> None:
    page = f'<meta charset="{declared}">{TEXT}' if inside else TEXT
    assert page_text(page.encode(), "" if inside else f"text/html; charset={declared}") == page


@pytest.mark.rows("declared", ["utf-8", "", "ISO-8859-1", "windows-1252", "utf8mb4"])
def test_what_is_no_utf8_is_read_as_windows_1252_where_a_western_charset_or_none_is_declared(declared: str) -> None:
    assert page_text(TEXT.encode("cp1252"), f"text/html; charset={declared}") == TEXT


@pytest.mark.rows(
    ("text", "name"),
    [
        (RUSSIAN[:-1], "windows-1251"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "iso-2022-jp"),
        ("苹果有三个，一共五个。" * 3, "gb2312"),
    ],
)
def test_a_declared_charset_is_used_for_what_is_no_utf8(text: str, name: str) -> None:
    assert page_text(text.encode(name), f"text/html; charset={name}") == text
    late = f'<html><head><!-- {"x" * 9000} --><meta charset="{name}">{text}'
    assert page_text(late.encode(name)) == late


def test_a_stray_byte_among_utf8_is_itself_alone() -> None:
    assert page_text(TEXT.encode() + b" 3\xbd") == TEXT + " 3½"
    assert page_text(TEXT.encode() + b" 3\xbd", "text/html; charset=windows-1251") == TEXT + " 3½"


def test_utf16_is_told_by_its_mark_or_its_zeros() -> None:
    for name in ("utf-16", "utf-16-le", "utf-16-be"):
        assert page_text(f"<p>{TEXT}".encode(name)) == f"<p>{TEXT}"


@pytest.mark.rows(
    ("body", "declared"),
    [
        (RUSSIAN.encode("cp1251", "ignore"), ""),
        (JAPANESE.encode("shift_jis"), "utf-8"),
        (TEXT.encode("cp1252"), "gb2312"),
    ],
)
def test_what_no_charset_fits_is_not_read(body: bytes, declared: str) -> None:
    with pytest.raises(ExtractionError, match="neither UTF-8 nor") as caught:
        page_text(body, f"text/html; charset={declared}")
    assert caught.value.code == Reason.LOST_CHARACTERS


@pytest.mark.rows("text", ["Ann has 3\ufffd cups", "she has \ufffd12", "3 \ufffd 4 = 12"])
def test_a_number_beside_a_lost_character_makes_no_post(text: str) -> None:
    with pytest.raises(ExtractionError, match="lost character") as caught:
        finished(ThreadDraft("7", "https://forum.example/7", "", text, None, ()))
    assert caught.value.code == Reason.LOST_CHARACTERS
    for row in ({"question": text, "answers": []}, {"question": "2 + 2?", "answers": [{"text": text}]}):
        with pytest.raises(RecordError, match="lost character"):
            row_of(row, "file:7")
    assert row_of({"question": "I don\ufffdt know 3 of them", "answers": []}, "file:7")
