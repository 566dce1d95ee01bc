"""Structured data of pages, JSON-LD and microdata, as plain dictionaries; bounded, and nothing is fetched.

A record has its type under ``@type``; a property holds a list of values: text, numbers, records, and for microdata the
element whose text is the value, so that the caller decides how to read it.
"""

import contextlib
import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lxml import etree

from corpus.strict_json import load_json
from crawlers.html_reading.html_tree import Element

MAX_SCRIPT = 4_000_000
MAX_NODES = 20_000
_SHORT = re.compile(r"[/:#]")
MAX_REFERENCES = 50
MAX_ITEM_NODES = 5_000
"""Elements that are looked at for one item which names parts elsewhere; whatever comes behind them is missing."""
_NAMED = etree.XPath("id($name)")
_ITEMS = etree.XPath("descendant-or-self::*[@itemscope]")
StructuredItem = Mapping[str, Any]
Properties = dict[str, list[Any]]


def linked_data(root: Element) -> tuple[StructuredItem, ...]:
    """Every typed JSON-LD record of the page, outer ones first; scripts that are not JSON are passed over.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> page = '<script type="application/ld+json">{"@type": "QAPage", "mainEntity": {"@type": "Question"}}</script>'
    >>> [record["@type"] for record in linked_data(parse_document(page))]
    ['QAPage', 'Question']
    """
    records: list[StructuredItem] = []
    for script in root.iter("script"):
        if (script.get("type") or "").partition(";")[0].strip().lower() == "application/ld+json":
            records.extend(_records(_load(script.text or "")))
    return tuple(records)


def _load(text: str) -> object:
    if len(text) > MAX_SCRIPT:
        return None
    try:
        return load_loose(text)
    except (ValueError, RecursionError):
        return None


def _records(data: object) -> Iterator[StructuredItem]:
    """All typed objects, breadth first, at most MAX_NODES values looked at."""
    queue, seen = [data], 0
    while queue and seen < MAX_NODES:
        level, queue = queue, []
        for value in level:
            seen += 1
            if isinstance(value, list):
                queue.extend(value)
            elif isinstance(value, dict):
                if "@type" in value:
                    yield value
                queue.extend(value.values())


def has_type(record: object, name: str) -> bool:
    """Whether a value is a record of a schema.org type, by short name or address.

    >>> has_type({"@type": ["WebPage", "http://schema.org/QAPage"]}, "QAPage")
    True
    """
    if not isinstance(record, dict):
        return False
    types = record.get("@type")
    named = types if isinstance(types, list) else [types]
    return any(isinstance(entry, str) and _SHORT.split(entry.rstrip("/"))[-1] == name for entry in named)


def values(record: StructuredItem, name: str) -> list[Any]:
    """The values of a property, always as a list; an ``ItemList`` gives its elements."""
    value = record.get(name)
    found = value if isinstance(value, list) else [] if value is None else [value]
    if len(found) == 1 and has_type(found[0], "ItemList"):
        inner = values(found[0], "itemListElement")
        return [entry["item"] if has_type(entry, "ListItem") and "item" in entry else entry for entry in inner]
    return found


def microdata(root: Element, type_name: str) -> Iterator[tuple[Element, dict[str, list[Any]]]]:
    """Items of a schema.org type on the page with their elements, in document order; nested items are records."""
    found = _ITEMS(root)
    for element in found if isinstance(found, list) else ():
        if isinstance(element, Element) and is_item(element, type_name):
            yield element, item_of(element)


def is_item(element: Element, type_name: str) -> bool:
    """Whether an element is an item of a schema.org type."""
    types = (element.get("itemtype") or "").split()
    return any("schema.org/" in entry and entry.rpartition("/")[2] == type_name for entry in types)


def item_of(element: Element) -> dict[str, list[Any]]:
    """The properties of one microdata item; an item below it that is no property is not part of it.

    Parts that stand elsewhere on the page are those that ``itemref`` names; the names of which there is no part are
    under ``@missing``.
    """
    item: Properties = {"@type": (element.get("itemtype") or "").split()}
    stack = [(_parts(element, item), item)]
    seen, refers = {element}, element.get("itemref") is not None
    while stack:
        nodes, owner = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
        elif node not in seen:
            seen.add(node)
            refers = refers or node.get("itemref") is not None
            if refers and len(seen) > MAX_ITEM_NODES:
                item.setdefault("@missing", []).append("of a page that is too large")
                break
            stack.append(_entered(node, owner))
    return item


def _entered(node: Element, owner: Properties) -> tuple[Iterator[Element], Properties]:
    """Note the properties of an item that an element is; the parts to look at next, and whose properties they are."""
    nested = node.get("itemscope") is not None
    inner: Properties = {"@type": (node.get("itemtype") or "").split(), "@element": [node]} if nested else owner
    for name in (node.get("itemprop") or "").split():
        owner.setdefault(name, []).append(inner if nested else node)
    return (_parts(node, inner) if nested else iter(node)), inner


def _parts(element: Element, item: Properties) -> Iterator[Element]:
    """What stands in an item, and what it names."""
    yield from element
    for name in (element.get("itemref") or "").split()[:MAX_REFERENCES]:
        found = _NAMED(element.getroottree(), name=name)
        if isinstance(found, list) and found and isinstance(found[0], Element):
            yield found[0]
        else:
            item.setdefault("@missing", []).append(name)


def plain_value(value: object) -> str:
    """A value as one line of text: what a microdata element says by attribute or text, or the text itself."""
    if isinstance(value, Element):
        for name in ("content", "data-value", "datetime", "href", "src"):
            if (said := value.get(name)) is not None:
                return said.strip()
        return " ".join("".join(value.itertext()).split())
    if isinstance(value, bool) or value is None:
        return ""
    return str(value).strip() if isinstance(value, str | int | float) else ""


def first_value(record: StructuredItem, name: str) -> str:
    """The first value of a property as text, or empty."""
    return next((text for value in values(record, name) if (text := plain_value(value))), "")


_PIECE = re.compile(
    r'"(?>(?:[^"\\]|\\.)*)(?:"|\\?\Z)'
    r"|(?P<comment>//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)(?:\*/|\Z)|<!--(?:[^\n{\[<>]{0,500}-->)?|-->|<!\[CDATA\[|\]\]>)"
    r"|(?P<comma>,)(?=(?>(?:\s|//[^\n]*+(?:\n|\Z)|/\*(?>(?:[^*]|\*(?!/))*)\*/){0,200})[}\]])",
    re.S,
)
_ENTITY = re.compile(r"&(?:quot|#34|#x22);")


_LOOSE: Final[Mapping[str, Any]] = {"strict": False, "parse_constant": lambda _name: None, "parse_float": float}
"""What pages may have that is no JSON: characters of control in texts, and NaN, which says nothing."""


def load_loose(text: str) -> object:
    """The value of a JSON text; ValueError for what is none even so, RecursionError for what is nested too deeply.

    >>> load_loose('\\ufeff//<![CDATA[\\n{"a": "// no, ]", /* x */ "b": [1, 2,],}\\n//]]>')
    {'a': '// no, ]', 'b': [1, 2]}
    >>> load_loose('{&quot;a&quot;: &quot;5 &amp;lt; x&quot;};')
    {'a': '5 &lt; x'}
    """
    bare = text.strip().lstrip("\ufeff").strip()
    with contextlib.suppress(ValueError):
        return load_json(bare, **_LOOSE)
    if '"' not in bare and _ENTITY.search(bare):
        bare = html.unescape(bare)
    return load_json(mended(bare).strip().rstrip(";").strip(), **_LOOSE)


def mended(text: str) -> str:
    """A text without what JSON does not know: comments, their markers, and commas before an end.

    >>> mended('[1, /* two */ "a, ]" , // three\\n]')
    '[1,  "a, ]"  \\n]'
    """
    return _PIECE.sub(lambda found: "" if found["comment"] or found["comma"] else found[0], text)
