"""JSON Lines: every line that is no object is refused by name and number, and the rest go on."""

import io

import pytest

from corpus.errors import InputError
from corpus.lines.jsonl import MAX_LINE, numbered_lines, parse_object, write_lines


@pytest.mark.rows(
    ("line", "why"),
    [
        (b'{"a": 1', "Expecting ',' delimiter"),
        (b"{'a': 1}", "Expecting property name"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b'{"a": 1e999}', "1e999 is too large a number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "Exceeds the limit"),
        (b'{"a": "\xff"}', "byte 0xff at 7 is not UTF-8"),
        (b'{"a": 1} {"b": 2}', "Extra data"),
        (b"\x00", "zero bytes"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        ("half \ud83d", "Expecting value"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_line_that_is_not_json(line: bytes | str, why: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_object(line, "posts.jsonl:7")
    message = str(refused.value)
    assert message.startswith("posts.jsonl:7: not a JSON object (")
    assert why in message
    assert message.endswith("); expected JSON Lines, one object per line")
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.rows(
    ("line", "key"),
    [
        (b'{"id": "a", "id": "b"}', '"id"'),
        ('{"answers": [{"text": "7", "score": 1, "text": "8"}]}', '"text"'),
        ('{"a": 1, "\\u0061": 2}', '"a"'),
        (f'{{"{"k" * 99}": 1, "{"k" * 99}": 2}}', f'"{"k" * 80}..."'),
    ],
    ids=["top", "within", "spelt otherwise", "long"],
)
def test_a_key_that_comes_twice_is_refused(line: bytes | str, key: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_object(line, "posts.jsonl:7")
    assert str(refused.value) == f"posts.jsonl:7: the key {key} comes twice in one object; keep one of the two"


@pytest.mark.rows(("line", "kind"), [("[1]", "list"), ("3", "int"), ('"a"', "str"), ("null", "NoneType")])
def test_a_line_that_is_no_object(line: str, kind: str) -> None:
    with pytest.raises(InputError, match=f"^x:1: a JSON {kind}, not an object; expected one object per line$"):
        parse_object(line, "x:1")


def test_lines_are_numbered_as_an_editor_numbers_them() -> None:
    source = io.BytesIO(b'{"a":1}\r\n\n  \n{"a":"\\n"}\n\xe2\x80\xa8\n{"a":3}')
    lines = list(numbered_lines(source, "f"))
    assert lines == [
        ("f:1", b'{"a":1}'), ("f:4", b'{"a":"\\n"}'), ("f:5", b"\xe2\x80\xa8"), ("f:6", b'{"a":3}'),
    ]  # fmt: skip
    source.seek(0)
    assert [where for where, _ in numbered_lines(source, "f", blank=True)] == [f"f:{number}" for number in range(1, 7)]
    assert list(numbered_lines(io.BytesIO(b""), "f")) == []


def test_an_overlong_line_is_refused_and_the_next_ones_are_read() -> None:
    just_fits = b'{"a":"' + b"x" * (MAX_LINE - 8) + b'"}'
    source = io.BytesIO(just_fits + b"\r\n" + just_fits[:-2] + b'x"}\n' + b"y" * (3 * MAX_LINE) + b'\n{"last":1}\n')
    (_, fits), (_, long), (where, longer), (last, end) = numbered_lines(source, "f")
    assert len(parse_object(fits, "f:1")["a"]) == MAX_LINE - 8
    for line in (long, longer):
        with pytest.raises(InputError, match=f"^f:2: line of more than {MAX_LINE} bytes; split or drop that record$"):
            parse_object(line, "f:2")
    assert len(longer) <= MAX_LINE + 2
    assert (where, last, end) == ("f:3", "f:4", b'{"last":1}')


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse_object(b'\xef\xbb\xbf{"a": 1}', "f:1") == {"a": 1}


@pytest.mark.rows("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_another_encoding_is_named_on_every_line(encoding: str) -> None:
    source = io.BytesIO('{"id": "a"}\n{"id": "b"}'.encode(encoding))
    for where, line in numbered_lines(source, "f"):
        with pytest.raises(
            InputError, match=r"object \(it holds zero bytes, as UTF-16 and binary files do; save it as UTF-8\);"
        ):
            parse_object(line, where)


def test_lines_are_written_canonically_whatever_the_text() -> None:
    file = io.BytesIO()
    sink = io.TextIOWrapper(file, encoding="utf-8", newline="")
    assert write_lines([{"b": "ü", "a": None}, {"c": "\ud83d\n"}], sink) == 2
    sink.flush()
    assert file.getvalue() == '{"a":null,"b":"ü"}\n{"c":"\\ud83d\\n"}\n'.encode()
