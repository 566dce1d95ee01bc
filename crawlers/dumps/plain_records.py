"""Records of a dump in XML that are attributes alone, in the layout of dumps: read without a parser if none is odd."""

import re

_NAMES = re.compile(rb'(?: [A-Za-z]+=")* [A-Za-z]+=')
_END = re.compile(rb'"[ \r\n]{0,9}/>[ \r\n]{1,99}')
_ODD = bytes([*range(32), 127])
_ODD_LATIN, _ODD_WIDE = re.compile(rb"\xc2[\x80-\x9f]"), ("\ufffd", "\ufffe", "\uffff")
"""What XML does not allow, or what may be read as another character."""
_REFERENCES = {b"&lt;": b"<", b"&gt;": b">", b"&#xA;": b"\n", b"&quot;": b'"', b"&#xD;": b"\r", b"&#x9;": b"\t"}


def plain_records(text: bytes, record: str) -> list[dict[str, str]]:
    r"""The attributes of records one after the other, as a parser reads them; none where anything in the text is odd.

    >>> plain_records(b'<row Id="1" Body="2 &lt; 3" />\n  <row Id="2" />\n  ', "row")
    [{'Id': '1', 'Body': '2 < 3'}, {'Id': '2'}]
    >>> plain_records(b'<row Id="1" Id="1" />\n', "row"), plain_records(b'<row Id="&#1;" />\n', "row")
    ([], [])
    """
    begin, end = f"<{record}".encode(), text.rfind(b'"')
    parts = text[len(begin) : end].split(b'"')
    values, between = b"\0".join(parts[1::2]), len(parts) // 2 - 1
    is_plain = text.startswith(begin) and _END.fullmatch(text, end) and len(parts) % 2 == 0 and b"<" not in values
    if not is_plain or len(values) - len(values.translate(None, _ODD)) != between:
        return []
    shapes = b'"'.join(parts[::2]).split(text[end:] + begin)
    names = {shape: shape.decode("latin-1")[1:-1].split('=" ') for shape in set(shapes)}
    if not all(_NAMES.fullmatch(shape) and len(set(own)) == len(own) for shape, own in names.items()):
        return []
    for reference, meant in _REFERENCES.items():
        values = values.replace(reference, meant) if b"&" in values else values
    read = values.replace(b"&amp;", b"&") if (left := values.count(b"&")) else values
    found = read.decode("utf-8", "replace")
    is_odd = len(values) - len(read) != left * len("amp;") or any(one in found for one in _ODD_WIDE)
    if is_odd or not (found.isascii() or _ODD_LATIN.search(read) is None):
        return []
    each = iter(found.split("\0"))
    return [dict(zip(names[shape], each, strict=False)) for shape in shapes]
