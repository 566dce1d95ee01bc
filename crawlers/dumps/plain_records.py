"""Records of a dump in XML in the one layout that dumps have, taken apart without a parser where nothing is odd."""

import re

_NAMES = re.compile(rb'(?: [A-Za-z]+=")* [A-Za-z]+=')
_END = re.compile(rb'"[ \r\n]{0,9}/>[ \r\n]{1,99}')
_ODD = bytes([*range(32), 127])
_ODD_WIDE = re.compile(rb"\xc2[\x80-\x9f]|\xef\xbf[\xbe\xbf]")
"""What XML does not allow, or what is mended beside that."""
_REFERENCES = (
    (b"&lt;", b"<"), (b"&gt;", b">"), (b"&#xA;", b"\n"), (b"&quot;", b'"'), (b"&#xD;", b"\r"), (b"&#x9;", b"\t"),
    (b"&apos;", b"'"),
)  # fmt: skip
"""Those that give no ``&``."""


def plain_records(text: bytes, record: str) -> list[dict[str, str]]:
    r"""The attributes of records one after the other, as a parser reads them; none where anything in the text is odd.

    >>> plain_records(b'<row Id="1" Body="2 &lt; 3" />\n  <row Id="2" />\n  ', "row")
    [{'Id': '1', 'Body': '2 < 3'}, {'Id': '2'}]
    >>> plain_records(b'<row Id="1" Id="1" />\n', "row"), plain_records(b'<row Id="&#1;" />\n', "row")
    ([], [])
    """
    begin, end = f"<{record}".encode(), text.rfind(b'"')
    parts = text[len(begin) : end].split(b'"')
    values = b"\0".join(parts[1::2])
    is_plain = text.startswith(begin) and _END.fullmatch(text, end) and len(parts) % 2 == 0 and b"<" not in values
    if not is_plain or len(values.translate(None, _ODD)) != len(values) - len(parts) // 2 + 1:
        return []
    shapes = b'"'.join(parts[::2]).split(text[end:] + begin)
    names = {shape: shape.decode("latin-1")[1:-1].split('=" ') for shape in set(shapes)}
    if not all(_NAMES.fullmatch(shape) and len(set(own)) == len(own) for shape, own in names.items()):
        return []
    for reference, meant in _REFERENCES:
        values = values.replace(reference, meant) if b"&" in values else values
    left = values.count(b"&")
    read = values.replace(b"&amp;", b"&") if left else values
    if len(values) - len(read) != left * len("amp;") or not read.isascii() and _ODD_WIDE.search(read):
        return []
    try:
        found = iter(read.decode().split("\0"))
    except UnicodeDecodeError:
        return []
    return [dict(zip(names[shape], found, strict=False)) for shape in shapes]
