"""Formula images: the alternative text or the source in the address of a renderer, else a mark that one was there."""

import re
from urllib.parse import unquote, unquote_plus

from crawlers.html_tree import Element, classes

MAX_ADDRESS = 20_000
IMAGES = frozenset(("img", "amp-img", "amp-anim", "object", "embed"))
"""Elements that show a picture by its address."""

# Renderers that take the formula as a named parameter, where a plus sign is a space.
_RENDERER = re.compile(
    r"(?:latex\.php|mimetex\.cgi|mathtex\.cgi|tex\.z-dn\.net/"
    r"|render/math|math\.now\.sh/?|(?:latex|tex|formula|equation)[\w.-]*/?)\Z"
)
_PARAMETER = re.compile(r"(?:\A|&)(?:latex|chl|tex|math|formula|from|f|eq)=([^&]+)")
# Google's charts are formulas where their type is "tx" alone.
_CHART = re.compile(r"(?:chart\.(?:apis\.)?google(?:apis)?\.com|google\.com)/chart\Z")
_CHART_TYPE = re.compile(r"(?:\A|&)cht=tx(?:&|:|\Z)")
_PATH_END = 200
"""Characters of a path in which the name of a renderer is sought."""
# Renderers that take the whole query as the formula: there a plus sign is a plus, "&space;" a space.
_WHOLE = re.compile(
    r"(?:codecogs\.com/[\w.]+|(?:mimetex|mathtex|latex)\.cgi|(?:gif|png|svg|eqn)\.(?:latex|image|download))\?([^#]+)"
)
_PATH = re.compile(r"(?:i\.upmath\.me|tex\.s2cms\.ru)/(?:svg|png)b?/([^?#]+)")
_ALGEBRA = re.compile(r"plot-formula\.mpl\?(?:[^#]*?&)?expression=([^#]*?)(?:&x=\d{1,6})?(?:#|\Z)")
_RENDERERS = re.compile(
    r"latex|codecogs|mathtex|mimetex|mathjax|tex\.z-dn\.net|i\.upmath\.me|/math/render/|plot-formula|/formulas?/|/equations?/",
    re.I,
)
_ADDRESSES = ("data-src", "data-lazy-src", "data-original", "data-lazy", "src", "data")
_WIRIS = str.maketrans({"«": "<", "»": ">", "¨": '"', "§": "&", "´": "'"})
_CLASS_WORDS = frozenset(
    ("tex", "latex", "math", "maths", "formula", "equation", "latex-formula", "texrender", "mwe-math", "wirisformula")
)
_TEX_SIGN = re.compile(r"\\[A-Za-z]|[\^_]\{")
_OPERANDS = re.compile(r"[\w)\]}][^\S\n]{0,9}[=+^√×÷][^\S\n]{0,9}[-−+(√.$\w]|√\s?[\w(]|\w[²³]|\d\s{0,9}[-/*]\s{0,9}\d")
_EMOTICON = re.compile(r"smil|emo[tj]|smiley", re.I)


def image_source(element: Element) -> tuple[str, str] | None:
    """What a formula image shows, as ("tex" | "plain" | "braces" | "lost", source); None for any other image.

    >>> from crawlers.html_tree import parse_document
    >>> def show(html: str) -> tuple[str, str] | None:
    ...     return image_source(next(parse_document(html).iter("img")))
    >>> show('<img src="https://latex.codecogs.com/gif.latex?x+1&space;=%209">')
    ('tex', 'x+1 = 9')
    >>> show('<img src="/cgi-bin/plot-formula.mpl?expression=x%5E2+%2B1&x=0003" alt="x%5E2">')
    ('braces', 'x^2 +1')
    >>> show('<img src="cat.jpg" alt="my cat =)">')
    """
    source, alt = _address(element), " ".join(_words_for(element).split())[:MAX_ADDRESS]
    if found := _ALGEBRA.search(source):
        return "braces", unquote_plus(found[1]).strip()
    path, _, query = source.partition("#")[0].partition("?")
    chart = _CHART.search(path[-_PATH_END:]) is not None
    if chart and not _CHART_TYPE.search(query):
        return None
    rendered = chart or _RENDERERS.search(source) is not None or _is_named_formula(element)
    if alt and (_TEX_SIGN.search(alt) or (rendered and alt.startswith("$"))):
        return "tex", alt
    if alt and (rendered or (_OPERANDS.search(alt) and not _EMOTICON.search(source))):
        return "plain", alt
    address = _from_address(source, chart)
    if address is not None:
        return "tex", address
    return ("lost", "") if rendered else None


def _address(element: Element) -> str:
    """Where the picture is; pages that load pictures late keep its address beside a blank one."""
    return next((value for name in _ADDRESSES if (value := element.get(name))), "")[:MAX_ADDRESS]


def wiris_mathml(element: Element) -> str:
    """The MathML that the WIRIS editor writes into its images, its brackets and quotes put back; else empty.

    >>> from crawlers.html_tree import parse_document
    >>> wiris_mathml(next(parse_document("<img data-mathml='«math»«mn»2«/mn»«/math»'>").iter("img")))
    '<math><mn>2</mn></math>'
    """
    written = element.get("data-mathml") or ""
    return written[:MAX_ADDRESS].translate(_WIRIS) if "math" in written[:12] else ""


def _words_for(element: Element) -> str:
    """The words that stand for a picture: those of an object stand in it."""
    if element.tag == "object" and not len(element):
        return element.get("aria-label") or element.text or element.get("title") or ""
    return element.get("alt") or element.get("aria-label") or ""


def _from_address(source: str, chart: bool) -> str | None:
    path, _, query = source.partition("#")[0].partition("?")
    if (chart or _RENDERER.search(path[-_PATH_END:])) and (found := _PARAMETER.search(query)):
        return unquote_plus(found[1])
    if found := _WHOLE.search(source):
        return unquote(found[1]).replace("&space;", " ").replace("&plus;", "+")
    found = _PATH.search(source)
    return unquote(found[1]) if found else None


def _is_named_formula(element: Element) -> bool:
    names = {name.lower() for name in classes(element)}
    return any(name in _CLASS_WORDS or name.startswith(("math-", "mwe-math", "tex-", "latex-")) for name in names)
