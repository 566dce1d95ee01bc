"""Posts.xml: threads joined and ordered, everything counted, and whatever breaks it named by its line."""

import bz2
import gzip
import lzma
import stat
import struct
import sys
import zipfile
import zlib
from collections import Counter
from pathlib import Path

import py7zr
import pytest

from corpus.errors import InputError
from corpus.reasons import Reason
from corpus.records import Post
from corpus.zstandard import zstd
from crawlers.archives import bounded_streams
from crawlers.dumps.stackexchange_dump import read_stack_exchange
from crawlers.dumps.tally import Options, Tally
from crawlers.thread_records import RejectedLine
from tests.crawlers.dump_files import QUESTION, answer, collect, posts_xml, row, thread_rows

SITE = "math.stackexchange.com"
DATED = Options(source=SITE, retrieved_at="2024-01-02T03:04:05Z")


def read(path: Path, options: Options = DATED) -> tuple[list[Post], list[RejectedLine], Tally, str]:
    """Posts, rejections, counts and the error that ended the reading, if any."""
    tally = Tally()
    posts, refused, failure = collect(read_stack_exchange(path, options, tally), tally)
    return posts, refused, tally, failure


def dump(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "Posts.xml"
    path.write_bytes(content)
    return path


def test_a_thread_is_joined_accepted_first_and_then_by_score_as_a_number(tmp_path: Path) -> None:
    posts, refused, tally, failure = read(dump(tmp_path, posts_xml(*thread_rows())))
    assert (refused, failure, tally.read, tally.used) == ([], "", 4, 4)
    (post,) = posts
    assert (post.post_id, post.source) == (f"{SITE}:4", SITE)
    assert post.url == f"https://{SITE}/questions/4"
    assert post.question == "How old is Ann?\nAnn is twice as old as Bob, who is 9.\n\nHow old is Ann?"
    assert post.question_html == QUESTION["Body"]
    assert post.tags == ("algebra", "word-problem")
    assert post.retrieved_at == "2024-01-02T03:04:05Z"
    shown = [(one.answer_id, one.text, one.is_best, one.score) for one in post.answers]
    assert shown == [("9", "x=18", True, -1), ("5", "2 · 9 = 18", False, 10), ("7", "x = 2^1 9", False, 9)]
    assert post.license == "CC BY-SA 3.0"
    assert post.attribution == f"{SITE} contributors, https://{SITE}/questions/4; CC BY-SA 4.0: 7"


def test_the_license_of_the_row_goes_before_the_one_of_its_date(tmp_path: Path) -> None:
    alone = row(**QUESTION | {"ContentLicense": "CC BY-SA 2.5", "AnswerCount": "0"})
    (post,), *_ = read(dump(tmp_path, posts_xml(alone)))
    assert (post.license, post.answers) == ("CC BY-SA 2.5", ())


def test_names_are_taken_out(tmp_path: Path) -> None:
    named = answer(Id="5", Score="1", Body="<p>Tomasz Q is right: 18</p>", OwnerDisplayName="Tomasz Q")
    posts, _, tally, _ = read(dump(tmp_path, posts_xml(row(**QUESTION | {"AnswerCount": "1"}), named)))
    assert "Tomasz" not in posts[0].model_dump_json()
    assert tally.removed.names == 1


def test_answers_before_their_question_and_far_behind_it_are_joined_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [one for number in (4, 5, 6) for one in thread_rows(number)]
    straight = read(dump(tmp_path, posts_xml(*rows)))
    monkeypatch.setattr("crawlers.dumps.xml.CHUNK", 100)
    backwards = read(dump(tmp_path, posts_xml(*rows[::-1])))
    assert [post.post_id for post in straight[0]] == [f"{SITE}:{number}" for number in (4, 14, 24)]
    assert straight[0] == backwards[0]


def test_tags_choose_threads_and_both_ways_of_writing_them_are_read(tmp_path: Path) -> None:
    other = [row(**QUESTION | {"Id": "40", "Tags": "|topology|", "AnswerCount": "1"}), answer("40", Id="41", Body="z")]
    piped = [row(**QUESTION | {"Id": "50", "Tags": "|Algebra|ages|", "AnswerCount": "0"})]
    path = dump(tmp_path, posts_xml(answer("40", Id="39", Body="early"), *thread_rows(), *other, *piped))
    posts, refused, tally, _ = read(path, Options(source=SITE, tags=frozenset(("algebra",))))
    assert [post.post_id for post in posts] == [f"{SITE}:4", f"{SITE}:50"]
    assert posts[1].tags == ("Algebra", "ages")
    assert (refused, tally.refused) == ([], Counter({Reason.NOT_CHOSEN: 3}))


def test_other_kinds_of_posts_and_answers_without_question_are_counted(tmp_path: Path) -> None:
    wiki = row(Id="60", PostTypeId="5", Body="about a tag")
    posts, _, tally, failure = read(dump(tmp_path, posts_xml(wiki, answer("77", Id="61", Body="18"), *thread_rows())))
    assert (len(posts), failure) == (1, "")
    assert tally.refused == Counter({Reason.NOT_A_THREAD: 1, Reason.NO_QUESTION: 1})


FAULTS = [
    ("no body", {"Body": None}, Reason.NO_TEXT, "row without Body"),
    ("empty", {"Body": " ", "Title": ""}, Reason.NO_TEXT, "neither title nor question"),
    ("long body", {"Body": "x" * 1_000_001}, Reason.TOO_LARGE, "Body of 1000001 characters"),
    ("score", {"Score": "ten"}, Reason.MALFORMED_LINE, "Score 'ten' is not a number"),
    ("huge score", {"Score": "9" * 5000}, Reason.MALFORMED_LINE, "is not a number"),
    ("id", {"Id": "-4"}, Reason.MALFORMED_LINE, "Id '-4' is not a number"),
    ("no id", {"Id": None}, Reason.MALFORMED_LINE, "Id '' is not a number"),
    ("date", {"CreationDate": "soon"}, Reason.MALFORMED_LINE, "CreationDate 'soon' is not a date"),
    ("accepted", {"AcceptedAnswerId": "x"}, Reason.MALFORMED_LINE, "AcceptedAnswerId 'x' is not a number"),
    ("fewer", {"AnswerCount": "4"}, Reason.WRONG_COUNT, "announces 4 answers, the dump holds 3"),
    ("more", {"AnswerCount": "2"}, Reason.WRONG_COUNT, "announces 2 answers, the dump holds 3"),
]


@pytest.mark.parametrize(("change", "reason", "message"), [case[1:] for case in FAULTS], ids=[one[0] for one in FAULTS])
def test_a_damaged_row_is_named_and_the_rest_is_read(
    change: dict[str, str | None], reason: Reason, message: str, tmp_path: Path
) -> None:
    fields = {name: value for name, value in (QUESTION | change).items() if value is not None}
    rows = [row(**fields), *thread_rows()[1:], *thread_rows(8)]
    posts, refused, tally, failure = read(dump(tmp_path, posts_xml(*rows)))
    assert [post.post_id for post in posts] == [f"{SITE}:44"]
    assert (refused[0].reason, refused[0].where) == (reason, f"{tmp_path}/Posts.xml:3")
    assert message in refused[0].message
    assert (failure, tally.read, tally.used) == ("", 8, 4)


def test_a_refused_answer_leaves_no_thread_without_it(tmp_path: Path) -> None:
    rows = thread_rows()
    rows[2] = answer(Id="7", Score="many", Body="x")
    posts, refused, tally, _ = read(dump(tmp_path, posts_xml(*rows)))
    assert posts == []
    assert [one.reason for one in refused] == [Reason.MALFORMED_LINE, Reason.WRONG_COUNT]
    assert tally.refused == Counter({Reason.MALFORMED_LINE: 1, Reason.WRONG_COUNT: 3})


def test_an_id_that_comes_twice_is_refused_the_second_time(tmp_path: Path) -> None:
    posts, refused, _, _ = read(dump(tmp_path, posts_xml(*thread_rows(), answer(Id="5", Score="99", Body="other"))))
    assert [one.score for one in posts[0].answers] == [-1, 10, 9]
    assert [one.message for one in refused] == [
        f"{tmp_path}/Posts.xml:7: id 5 is already on line 4; this one is left out"
    ]


def test_more_answers_than_are_read_is_no_post(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawlers.dumps.stackexchange_dump.MAX_ANSWERS", 2)
    monkeypatch.setattr("crawlers.threads.MAX_ANSWERS", 2)
    posts, refused, _, _ = read(dump(tmp_path, posts_xml(*thread_rows())))
    assert (posts, len(refused)) == ([], 1)
    assert "has 3 answers; at most 2 are read" in refused[0].message


WHOLE = posts_xml(*thread_rows(), *thread_rows(8))
CUT = WHOLE[: WHOLE.index(b' Id="49"')]


def seven_zip(path: Path, content: bytes, name: str = "Posts.xml") -> None:
    with py7zr.SevenZipFile(path, "w") as archive:
        archive.writestr(b"<users />" * 1000, "Users.xml")
        archive.writestr(content, name)


def zipped(path: Path, content: bytes, name: str = "dump/Posts.xml") -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.txt", "about")
        archive.writestr(name, content)


PACKERS = {
    "7z": seven_zip,
    "zip": zipped,
    "gz": lambda path, content: path.write_bytes(gzip.compress(content)),
    "bz2": lambda path, content: path.write_bytes(bz2.compress(content)),
    "xz": lambda path, content: path.write_bytes(lzma.compress(content)),
    "zst": lambda path, content: path.write_bytes(zstd.compress(content)),
}


@pytest.mark.parametrize("kind", sorted(PACKERS))
def test_packed_dumps_give_the_same_threads(kind: str, tmp_path: Path) -> None:
    plain = read(dump(tmp_path, WHOLE))
    packed = tmp_path / f"{SITE}.{kind}"
    PACKERS[kind](packed, WHOLE)
    assert read(packed)[0] == plain[0]
    assert len(plain[0]) == 2
    assert read(packed)[3] == ""


def test_a_short_read_names_its_line_and_what_was_whole_stays(tmp_path: Path) -> None:
    posts, refused, _, failure = read(dump(tmp_path, CUT))
    assert [post.post_id for post in posts] == [f"{SITE}:4"]
    assert failure.startswith(f"{tmp_path}/Posts.xml:10: damaged or cut short: ")
    assert [one.reason for one in refused] == [Reason.WRONG_COUNT], "the thread whose answers are cut off"


@pytest.mark.parametrize("kind", sorted(PACKERS))
def test_a_packed_file_cut_short_is_an_error(kind: str, tmp_path: Path) -> None:
    packed = tmp_path / f"x.{kind}"
    body = b"".join(thread.encode() for number in range(4, 400) for thread in thread_rows(number))
    PACKERS[kind](packed, posts_xml()[:-9] + body + b"</posts>")
    packed.write_bytes(packed.read_bytes()[: packed.stat().st_size * 3 // 4])
    assert "damaged" in read(packed)[3] or "cut short" in read(packed)[3]


def test_of_a_gzip_file_cut_short_everything_before_the_cut_is_read(tmp_path: Path) -> None:
    whole = posts_xml(*(one for number in range(4, 64) for one in thread_rows(number)))
    packed = tmp_path / "Posts.xml.gz"
    packed.write_bytes(gzip.compress(whole))
    everything = read(packed)[0]
    packed.write_bytes(packed.read_bytes()[:-20])
    posts, _, _, failure = read(packed)
    assert "damaged or cut short after" in failure
    assert posts == everything[: len(posts)]
    assert 50 < len(posts) < 60 == len(everything), "all of it is less than what is asked for at once"


def test_a_damaged_7z_gives_what_came_before_the_damage(tmp_path: Path) -> None:
    packed = tmp_path / "x.7z"
    body = b"".join(thread.encode() for number in range(4, 400) for thread in thread_rows(number))
    seven_zip(packed, posts_xml()[:-9] + body + b"</posts>")
    content = bytearray(packed.read_bytes())
    middle = len(content) * 2 // 3
    content[middle : middle + 40] = bytes(40)
    packed.write_bytes(content)
    posts, _, _, failure = read(packed)
    assert "x.7z!Posts.xml" in failure
    assert len({post.post_id for post in posts}) == len(posts) < 396


HOSTILE = [
    ("doctype", b'<!DOCTYPE posts [<!ENTITY a "b">]>\n<posts><row Id="&a;"/></posts>', ":1: has a DOCTYPE"),
    (
        "laughs in an attribute",
        b"<!DOCTYPE posts [<!ENTITY a 'ha'><!ENTITY b '" + b"&a;" * 1000 + b"'>]><posts><row Body='&b;'/></posts>",
        "has a DOCTYPE",
    ),
    ("external", b'<!DOCTYPE posts SYSTEM "file:///etc/passwd"><posts/>', "has a DOCTYPE"),
    ("deep", b"<posts>" + b"<row>" * 100_000, "damaged or cut short"),
    ("other xml", b"<html><body/></html>", "<html> where <posts> should be; is it Posts.xml?"),
    ("long tag", b"<posts><row Body='" + b"x" * (18 << 20), "a tag of more than 16 MiB"),
    ("empty", b"", "no element found"),
    ("binary", bytes(range(256)), "not well-formed"),
    ("encoding", b'<?xml version="1.0" encoding="utf-7"?><posts/>', "encoding"),
]


@pytest.mark.parametrize(("content", "message"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_hostile_xml_is_one_clear_error(content: bytes, message: str, tmp_path: Path) -> None:
    posts, _, _, failure = read(dump(tmp_path, content))
    assert posts == []
    assert message in failure


def test_hostile_archives_are_one_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_streams, "FREE_BYTES", 1 << 20)
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(b"<posts>" + b" " * (30 << 20)))
    assert "unpacks to more than 200 times its size" in read(bomb)[3]
    for kind in ("zip", "7z"):
        packed = tmp_path / f"bomb.{kind}"
        PACKERS[kind](packed, b"<posts>" + b" " * (30 << 20))
        assert "unpacks to more than 200 times its size" in read(packed)[3]
    zipped(tmp_path / "climb.zip", WHOLE, "../../Posts.xml")
    assert "member '../../Posts.xml' leads out of its folder" in read(tmp_path / "climb.zip")[3]
    for name in ("/etc/Posts.xml", "..\\..\\Posts.xml", "C:\\Posts.xml", "dump/../../../Posts.xml"):
        zipped(tmp_path / "away.zip", WHOLE, name)
        assert "leads out of its folder" in read(tmp_path / "away.zip")[3], name
    with py7zr.SevenZipFile(tmp_path / "climb.7z", "w") as archive:
        archive.set_encoded_header_mode(False)
        archive.writestr(WHOLE, "aa/bb/Posts.xml")
    packed = (tmp_path / "climb.7z").read_bytes()
    for old, new in (("aa/bb", "../.."), ("aa/bb/", "//////")):
        changed = packed.replace(old.encode("utf-16-le"), new.encode("utf-16-le"))
        assert changed != packed
        (tmp_path / "away.7z").write_bytes(with_header_sums(changed))
        assert "leads out of its folder" in read(tmp_path / "away.7z")[3], new
    zipped(tmp_path / "other.zip", WHOLE, "Comments.xml")
    assert "none of its 2 members is what was expected" in read(tmp_path / "other.zip")[3]
    (tmp_path / "torn.zip").write_bytes(b"PK\x03\x04 and no more")
    assert "damaged zip archive" in read(tmp_path / "torn.zip")[3]
    (tmp_path / "torn.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(40))
    assert "7z archive" in read(tmp_path / "torn.7z")[3]
    with py7zr.SevenZipFile(tmp_path / "secret.7z", "w", password="x") as archive:
        archive.writestr(WHOLE, "Posts.xml")
    assert "encrypted" in read(tmp_path / "secret.7z")[3]


def test_a_7z_without_its_library_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seven_zip(tmp_path / "x.7z", WHOLE)
    monkeypatch.delitem(sys.modules, "crawlers.archives.seven_zip", raising=False)
    monkeypatch.setitem(sys.modules, "py7zr", None)
    assert "x.7z: a 7z archive needs py7zr: pip install 'wordquarry[archives]'" in read(tmp_path / "x.7z")[3]


def with_header_sums(packed: bytes) -> bytes:
    """A 7z archive whose end header was changed, with checksums that fit it again."""
    offset, size = struct.unpack("<QQ", packed[12:28])
    header = packed[32 + offset : 32 + offset + size]
    start = packed[12:28] + struct.pack("<I", zlib.crc32(header))
    return packed[:8] + struct.pack("<I", zlib.crc32(start)) + start + packed[32:]


def test_a_link_in_an_archive_is_not_followed(tmp_path: Path) -> None:
    target = dump(tmp_path, WHOLE)
    link = zipfile.ZipInfo("dump/Posts.xml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, str(target))
    posts, _, _, failure = read(tmp_path / "link.zip")
    assert posts == []
    assert "link.zip!dump/Posts.xml:1: damaged or cut short" in failure


def test_a_row_of_very_many_attributes_is_one_record_and_the_next_is_read(tmp_path: Path) -> None:
    many = "<row " + " ".join(f'a{number}="x"' for number in range(200_000)) + " />\n"
    posts, _, tally, failure = read(dump(tmp_path, posts_xml(many, *thread_rows())))
    assert (len(posts), failure, tally.refused[Reason.NOT_A_THREAD]) == (1, "", 1)


def test_a_site_must_be_named(tmp_path: Path) -> None:
    assert "give it, as in --source math.stackexchange.com" in read(dump(tmp_path, WHOLE), Options())[3]
    assert "cannot read" in read(tmp_path / "none.xml")[3]


def test_scores_are_numbers_not_texts(tmp_path: Path) -> None:
    scores = {"21": "2", "22": "10", "23": "9", "24": "-5", "25": "-10", "26": "9"}
    rows = [row(**QUESTION | {"AnswerCount": "6"}), *(answer(Id=i, Score=n, Body=f"x={i}") for i, n in scores.items())]
    (post,), *_ = read(dump(tmp_path, posts_xml(*rows)))
    assert [one.answer_id for one in post.answers] == ["22", "23", "26", "21", "24", "25"]


@pytest.mark.parametrize(
    ("name", "site"),
    [
        ("math.stackexchange.com/Posts.xml", "math.stackexchange.com"),
        ("math.stackexchange.com/2024-04/Posts.xml", "math.stackexchange.com"),
        ("stackexchange.com/math.meta.stackexchange.com/Posts.xml", "math.meta.stackexchange.com"),
        ("Math.StackExchange.com-Posts.xml", "math.stackexchange.com"),
        ("mathoverflow.net.xml", "mathoverflow.net"),
        ("ru.stackoverflow.com/Posts.xml", "ru.stackoverflow.com"),
        ("dump.v1.2/Posts.xml", ""),
        ("forum.example/Posts.xml", ""),
        ("notstackoverflow.com.backup/Posts.xml", ""),
        ("math.stackexchange.com.evil.example/Posts.xml", ""),
    ],
)
def test_the_folder_of_a_dump_names_its_site(name: str, site: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(posts_xml(*thread_rows()))
    tally = Tally()
    entries = read_stack_exchange(path, Options(), tally)
    if not site:
        with pytest.raises(InputError, match="or keep the file in a folder of that name"):
            list(entries)
        return
    (post,) = entries
    assert isinstance(post, Post)
    assert (post.source, post.url) == (site, f"https://{site}/questions/4")


def test_the_source_that_is_given_goes_before_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "math.stackexchange.com" / "Posts.xml"
    path.parent.mkdir()
    path.write_bytes(posts_xml(*thread_rows()))
    (post,) = read_stack_exchange(path, Options(source="forum.example"), Tally())
    assert isinstance(post, Post)
    assert post.source == "forum.example"
