"""JSON as pages hold it in scripts: with comments, commas before an end, markers of CDATA, or escaped for HTML.

Strict JSON is tried first; what is mended after that stands outside of strings, so that no text changes.
"""

import contextlib
import html
import re

from corpus.strict_json import load_json

_PIECE = re.compile(
    r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
    r"|(?P<comment>//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|<!--(?:[^\n{\[<>]{0,500}-->)?|-->|<!\[CDATA\[|\]\]>)"
    r"|(?P<comma>,)(?=(?:\s|//[^\n]*+(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*+\*/){0,200}+[}\]])",
    re.S,
)
_ENTITY = re.compile(r"&(?:quot|#34|#x22);")


def load_loose(text: str) -> object:
    """The value of a JSON text; ValueError for what is none even so, RecursionError for what is nested too deeply.

    >>> load_loose('\\ufeff//<![CDATA[\\n{"a": "// no, ]", /* x */ "b": [1, 2,],}\\n//]]>')
    {'a': '// no, ]', 'b': [1, 2]}
    >>> load_loose('{&quot;a&quot;: &quot;5 &amp;lt; x&quot;};')
    {'a': '5 &lt; x'}
    """
    bare = text.strip().lstrip("\ufeff").strip()
    with contextlib.suppress(ValueError):
        return load_json(bare, strict=False)
    if '"' not in bare and _ENTITY.search(bare):
        bare = html.unescape(bare)
    return load_json(mended(bare).strip().rstrip(";").strip(), strict=False)


def mended(text: str) -> str:
    """A text without what JSON does not know: comments, their markers, and commas before an end.

    >>> mended('[1, /* two */ "a, ]" , // three\\n]')
    '[1,  "a, ]"  \\n]'
    """
    return _PIECE.sub(lambda found: "" if found["comment"] or found["comma"] else found[0], text)
