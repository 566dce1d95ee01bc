"""HTML as others wrote it, parsed into an lxml tree: recovering, bounded, without network and without entities.

A mathematical ``<`` is told from a tag before parsing: ``x<y`` would otherwise open an element ``y`` and swallow
everything up to the next ``>``.
"""

import re
from collections.abc import Iterator

from lxml import etree

from crawlers.html_reading.charsets import legible
from extractors.extraction_errors import LimitError
from extractors.text.wordlists import read_list, words

Element = etree._Element

MAX_CHARACTERS = 8 * 1024 * 1024

_ELEMENTS = frozenset(words(read_list("crawlers/element_names")))
_OPENING = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,40})")
# The same, past the tags that most of a page consists of and that are tags beyond doubt.
_DOUBTFUL = re.compile(
    r"<(?!/?(?:[abipABIP]|li|span|div|br|BR|t[dr]|T[DR]|ul|img|su[pb])(?:>| [A-Za-z][A-Za-z-]{0,30}=))/?"
    r"([A-Za-z][A-Za-z0-9:-]{0,40})"
)
# A one-letter element needs the look of a tag: "x<a and b" is maths, "<b>" and '<a href="..">' are markup.
_ONE_LETTER = "/?(?i:[abgipqsu])(?![A-Za-z0-9:-])(?!\\s*+(?:/?>|[A-Za-z][\\w:-]{0,40}\\s*+=))"
_MATHS_LETTER = re.compile(f"<(?={_ONE_LETTER})")
_MAX_NAMES = 200
_NO_NAMES: frozenset[str] = frozenset()
_MATHML_PREFIX = re.compile(r"<(/?)(?:m|mml|mathml):(?=[A-Za-z])")
_UNUSABLE = re.compile("[\x80-\x9f\ufffe\uffff]")
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])


def parse_document(html: str) -> Element | None:
    """The root element of a page or fragment, or None when it holds nothing.

    Broken markup is recovered from; a text above MAX_CHARACTERS or nested too deeply raises LimitError.

    >>> root = parse_document("<p>if x<y then <b>2</b>")
    >>> "".join(root.itertext())
    'if x<y then 2'
    """
    if len(html) > MAX_CHARACTERS:
        raise LimitError(f"page of {len(html)} characters; at most {MAX_CHARACTERS} are read")
    text = html if _is_clean(html) else legible(html)
    text = _escape_maths(_MATHML_PREFIX.sub(r"<\1", text) if ":math" in text else text)
    if not text.strip():
        return None
    parser = etree.HTMLParser(
        recover=True, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True, encoding="utf-8"
    )
    root = etree.fromstring(text.encode("utf-8"), parser)
    if any("depth" in entry.message for entry in parser.error_log):
        raise LimitError("page is nested too deeply to be read in full; it is refused")
    return root


def parse_fragment(html: str) -> Element | None:
    """Like parse_document, for a piece of a page: loose text and inline elements stay in one container."""
    return parse_document(f"<div>{html}</div>") if html.strip() else None


def classes(element: Element) -> frozenset[str]:
    """The class names of an element."""
    names = element.get("class")
    return frozenset(names.split()) if names else _NO_NAMES


def find_all(root: Element, tag: str, class_name: str) -> Iterator[Element]:
    """Elements ``tag`` ("*" for any) that carry a class, in document order."""
    return (element for element in root.iter(tag) if _has_class(element, class_name))


def _has_class(element: Element, class_name: str) -> bool:
    names = element.get("class")
    return names is not None and class_name in names and class_name in names.split()


def by_class(root: Element) -> dict[str, list[Element]]:
    """Every class name below an element with the elements that carry it, in document order.

    One walk instead of one for each name that is looked for.
    """
    found: dict[str, list[Element]] = {}
    for element in root.iter():
        if names := element.get("class"):
            for name in names.split():
                found.setdefault(name, []).append(element)
    return found


def find_first(root: Element, tag: str, class_name: str) -> Element | None:
    """The first element with a class, or None."""
    return next(find_all(root, tag, class_name), None)


def flat(element: Element | None) -> str:
    """All characters below an element on one line, formulas as the page flattens them: for names, ids and counts."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


def first_time(element: Element) -> str:
    """The first time in an element that is marked for machines, as it is written; empty where there is none."""
    return next((said for node in element.iter("time") if (said := node.get("datetime"))), "")


def inner_html(element: Element) -> str:
    """The markup inside an element."""
    inside = [element.text or ""]
    inside += [etree.tostring(child, encoding="unicode", method="html") for child in element]
    return "".join(inside).strip()


def link_to(root: Element, relation: str) -> str | None:
    """Where the page's first ``<link>`` of a relation points, or None."""
    links = (link for link in root.iter("link") if relation in (link.get("rel") or "").lower().split())
    return next((href for link in links if (href := (link.get("href") or "").strip())), None)


def _is_clean(html: str) -> bool:
    """Whether a text holds no character that is refused; told from its bytes, which are searched faster than text."""
    try:
        raw = html.encode("utf-8")
    except UnicodeEncodeError:
        return False
    if len(raw.translate(None, _CONTROLS)) < len(raw):
        return False
    return len(raw) == len(html) or _UNUSABLE.search(html) is None


def _escape_maths(html: str) -> str:
    """The markup with every ``<`` escaped that opens no element; a page of clean markup is only searched."""
    names = {*_DOUBTFUL.findall(html)}
    unknown = sorted(name for name in names - _ELEMENTS if not _is_element(name))
    if not unknown:
        return _MATHS_LETTER.sub("&lt;", html) if any(len(name) == 1 for name in names) else html
    if len(unknown) > _MAX_NAMES:
        html = _OPENING.sub(lambda match: match[0] if _is_element(match[1]) else "&lt;" + match[0][1:], html)
        return _MATHS_LETTER.sub("&lt;", html)
    alternatives = "|".join(map(re.escape, unknown))
    return re.sub(f"<(?=/?(?:{alternatives})(?![A-Za-z0-9:-])|{_ONE_LETTER})", "&lt;", html)


def _is_element(name: str) -> bool:
    return name.lower() in _ELEMENTS or name.find("-") > 1 or ":" in name
