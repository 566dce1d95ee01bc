"""Formulas a page shows through a renderer, an image or a script, as text between TeX delimiters or as plain maths.

TeX is delimited by ``\\( \\)`` and ``\\[ \\]``: a dollar sign is also a currency in hundreds of word problems.
"""

import html
import re
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote, unquote_plus

from crawlers.html_reading.chtml import decoded
from crawlers.html_reading.html_tree import Element, classes, parse_fragment
from crawlers.html_reading.mathml import LOST, mathml_text, tex_annotation
from extractors.extraction_errors import LimitError

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
_RENDERING = re.compile(
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

    >>> from crawlers.html_reading.html_tree import parse_document
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
    rendered = chart or _RENDERING.search(source) is not None or _is_named_formula(element)
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

    >>> from crawlers.html_reading.html_tree import parse_document
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


MAX_FORMULA = 20_000
_MAX_BELOW = 200
"""Elements of a fallback in which formulas are looked for."""

_KATEX = frozenset(("katex", "katex-display"))
_MATHJAX = frozenset(
    ["MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML", "MJXc-display", "mjx-chtml"]
)
_RENDERERS = _MATHJAX | _KATEX
_KEEPERS = frozenset(("math", "math-inline", "math-display", "math-tex", "latex", "tex", "katex-formula"))
_TEX_ATTRIBUTES = ("data-latex", "data-tex", "data-math", "data-expr")
TELLING_ATTRIBUTES = frozenset(("class", "style", "data-mathml", "hidden", *_TEX_ATTRIBUTES))
"""Attributes by which an element may be a formula, or be shown in a way of its own."""
_MAX_CHILDREN = 3
_TEX_COMMAND = re.compile(r"\\[A-Za-z]+")
_TEX_DRESSING = re.compile(
    r"\\(?:inline|displaystyle|textstyle|large|Large|LARGE|huge|small|dpi\{\d+\}|[fb][ng]_\w+)\s*"
)


@dataclass(frozen=True)
class Formula:
    """Text that stands for an element and all below it; empty for machinery that shows nothing itself."""

    text: str
    display: bool = False


NOTHING = Formula("")
NOT_READ = Formula(LOST)


def is_renderer(element: Element) -> bool:
    """Whether a formula renderer made this element; its source may stand anywhere below it."""
    return not classes(element).isdisjoint(_RENDERERS)


def formula_of(element: Element, inside_renderer: bool = False) -> Formula | None:
    """What an element shows, if it is a formula or a renderer's by-product; None for ordinary markup.

    ``inside_renderer`` says that a renderer around the element was searched in vain: it is not searched again.

    >>> from crawlers.html_reading.html_tree import parse_document
    >>> page = '<p><script type="math/tex; mode=display">x<9</script></p>'
    >>> formula_of(next(parse_document(page).iter("script")))
    Formula(text='\\\\[x<9\\\\]', display=True)
    """
    tag = element.tag
    if tag == "script":
        return _from_script(element)
    if tag == "math":
        return _from_math(element)
    if tag in IMAGES:
        return _from_image(element)
    if tag == "amp-mathml":
        return _from_amp(element)
    if tag == "svg":
        return NOT_READ if _is_drawn_formula(element) else None
    if tag == "mjx-container":
        return _from_attribute(element) or _from_rendered(element, display=element.get("display") == "true")
    names = classes(element)
    formula = _from_named(element, names, inside_renderer) if names else None
    return formula or _from_mathml_attribute(element, display=False) or _from_source_beside(element)


def _from_named(element: Element, names: frozenset[str], inside_renderer: bool) -> Formula | None:
    """What an element shows by the classes that renderers give what they make."""
    if names & _MATHJAX and _stands_before_source(element):
        return NOTHING
    if names & _MATHJAX and not inside_renderer:
        return _from_mathjax(element, any("isplay" in name for name in names))
    if names & _KATEX and not inside_renderer:
        return _from_katex(element, "katex-display" in names)
    if "MathJax_Preview" in names:
        return NOTHING
    if "ql-formula" in names and element.get("data-value"):
        return _tex(element.get("data-value") or "")
    if "mq-math-mode" in names:
        return _from_mathquill(element)
    return _from_attribute(element) if names & _KEEPERS else None


def _tex(source: str, display: bool = False) -> Formula:
    text = _TEX_DRESSING.sub("", source[:MAX_FORMULA]).strip()
    for opening, closing in (("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$", "$")):
        if len(text) > len(opening + closing) and text.startswith(opening) and text.endswith(closing):
            text = text[len(opening) : -len(closing)].strip()
    if not text:
        return NOTHING
    return Formula(f"\\[{text}\\]" if display else f"\\({text}\\)", display)


def _from_script(element: Element) -> Formula:
    kind = (element.get("type") or "").lower().replace(" ", "")
    source = (element.text or "").strip()
    if kind.startswith("math/tex"):
        # A "<" before a letter was escaped before parsing, and scripts are not unescaped by the parser.
        return _tex(
            source.replace("&lt;", "<").removeprefix("% <![CDATA[").removesuffix("%]]>"), "mode=display" in kind
        )
    if kind.startswith("math/asciimath"):
        return Formula(html.unescape(source))
    if kind.startswith("math/mml"):
        return _from_markup(source.replace("&lt;", "<"))
    return NOTHING


def _from_math(element: Element) -> Formula:
    display = element.get("display") == "block" or element.get("mode") == "display"
    source = tex_annotation(element) or _alternative_tex(element)
    return _tex(source, display) if source else Formula(mathml_text(element), display)


def _alternative_tex(element: Element) -> str:
    """The TeX that stands for a formula which holds nothing else, as LaTeXML leaves it; empty where there is none."""
    said = (element.get("alttext") or "").strip()
    return said if said and not any(text.strip() for text in element.itertext()) else ""


def _from_markup(source: str, display: bool = False) -> Formula:
    root = parse_fragment(source)
    math = next(root.iter("math"), None) if root is not None else None
    if math is None:
        return NOTHING
    formula = _from_math(math)
    return Formula(formula.text, display or formula.display)


def _stands_before_source(element: Element) -> bool:
    following = element.getnext()
    return following is not None and following.tag == "script" and "math/" in (following.get("type") or "")


def _math_in(element: Element) -> Element | None:
    return next((node for node in element.iter() if node.tag == "math"), None)


def _from_rendered(element: Element, *, display: bool) -> Formula:
    math = _math_in(element)
    if math is None:
        held = next((made for node in element.iter() if (made := _from_mathml_attribute(node, display=display))), None)
        held = held or next((made for node in element.iter() if (made := _from_attribute(node)) is not None), None)
        return Formula((held or _from_drawing(element)).text, display)
    formula = _from_math(math)
    return Formula(formula.text, display or formula.display)


def _from_mathjax(element: Element, display: bool) -> Formula | None:
    holds_source = any((node.get("type") or "").startswith("math/") for node in element.iter("script"))
    return None if holds_source and _math_in(element) is None else _from_rendered(element, display=display)


def _from_mathml_attribute(element: Element, *, display: bool) -> Formula | None:
    """MathML that a renderer keeps beside what it drew; None where there is none."""
    source = element.get("data-mathml") or ""
    return _from_markup(source, display) if "<math" in source[:40] else None


def _from_drawing(element: Element) -> Formula:
    """What MathJax drew of boxes and glyphs; its TeX is gone."""
    math = decoded(element)
    try:
        return NOT_READ if math is None else Formula(mathml_text(math))
    except LimitError:  # a drawing that goes too deep costs itself alone
        return NOT_READ


def _is_drawn_formula(element: Element) -> bool:
    """Whether a drawing is one of MathJax, whose glyphs are named after its fonts."""
    return any(
        node.get("data-mml-node") or (node.get("href") or node.get("xlink:href") or "").startswith("#MJ")
        for node in element.iter()
    )


def _from_katex(element: Element, display: bool) -> Formula:
    math = _math_in(element)
    source = None if math is None else tex_annotation(math)
    return _tex(source, display) if source else _from_rendered(element, display=display)


def _from_amp(element: Element) -> Formula:
    """The source that the formulas of AMP pages carry: TeX, MathML, or AsciiMath between backticks."""
    source = (element.get("data-formula") or "").strip()[:MAX_FORMULA]
    display = element.get("inline") is None
    if "<math" in source[:40]:
        return _from_markup(source, display)
    if len(source) > 2 and source.startswith("`") and source.endswith("`"):
        return Formula(source.strip("`").strip(), display)
    return _tex(source, display) if source else NOT_READ


def _from_image(element: Element) -> Formula:
    if (said := _from_attribute(element)) is not None:
        return said
    if mathml := wiris_mathml(element):
        return _from_markup(mathml)
    formula = _from_picture(element)
    held = _shown(_formulas_below(element)) if formula in (NOTHING, NOT_READ) and len(element) else []
    return held[0] if held else formula


def _from_picture(element: Element) -> Formula:
    """What an image itself says, without what stands in it for readers who do not see it."""
    found = image_source(element)
    if found is None:
        return NOTHING
    kind, source = found
    if kind == "tex":
        return _tex(source)
    if kind == "braces":
        return Formula(f"{{{{{{{source}}}}}}}") if source else NOTHING
    return Formula(source[:MAX_FORMULA]) if kind == "plain" else NOT_READ


def without_script(element: Element) -> tuple[list[Formula], Element | None]:
    """The formulas of a ``noscript`` that are to be shown, and the neighbour that cannot be read and gives its place.

    Pages that load pictures late repeat them for readers without scripts: a formula that a neighbour shows is not
    shown twice.
    """
    own = _shown(_formulas_below(element))
    before, after = element.getprevious(), element.getnext()
    if not own or (element.tail or "").strip():
        after = None
    if before is not None and (before.tail or "").strip():
        before = None
    lost = None
    for neighbour in (before, after):
        beside = [] if neighbour is None or neighbour.tag == "noscript" else _formulas_at(neighbour)
        if _shown(beside):
            return [], None
        lost = neighbour if beside and lost is None else lost
    return own, lost


def _shown(formulas: list[Formula]) -> list[Formula]:
    return [formula for formula in formulas if formula.text != LOST]


def _formulas_at(element: Element) -> list[Formula]:
    formula = formula_of(element)
    if formula is None:
        return _formulas_below(element)
    return [formula] if formula.text else []


def _formulas_below(element: Element) -> list[Formula]:
    """What the formulas below an element show, one that is drawn inside another only once."""
    found: list[Formula] = []
    waiting = list(reversed(element))[-_MAX_BELOW:]
    looked_at = 0
    while waiting and looked_at < _MAX_BELOW:
        looked_at += 1
        node = waiting.pop()
        formula = _from_picture(node) if node.tag in IMAGES else formula_of(node)
        if formula is None or formula in (NOTHING, NOT_READ):
            waiting.extend(reversed(node))
        if formula is not None and formula.text:
            found.append(formula)
    return found


def _from_attribute(element: Element) -> Formula | None:
    """TeX that a renderer left in an attribute of what it made."""
    source = next((value for name in _TEX_ATTRIBUTES if (value := element.get(name))), None)
    return _tex(source, element.get("display") == "true") if source else None


def _from_source_beside(element: Element) -> Formula | None:
    """TeX in an attribute of an element that shows only what a renderer made of it, or nothing yet."""
    source = next((value for name in _TEX_ATTRIBUTES if (value := element.get(name))), "")
    if not source:
        return None
    made = _holds_no_text(element) and all(_is_made(child) for child in element)
    return _from_attribute(element) if made or _is_flattened(element, source[:MAX_FORMULA]) else None


def _is_flattened(element: Element, source: str) -> bool:
    """Whether an element shows the letters and digits of a source and no others."""
    shown = "".join(islice(element.itertext(with_tail=False), _MAX_BELOW))
    return _bare(shown) == _bare(_TEX_COMMAND.sub("", source)) != ""


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _is_made(element: Element) -> bool:
    """Whether a renderer made an element, or all that it holds."""
    if is_renderer(element) or element.tag in ("math", "svg", "mjx-container", "img", "script"):
        return True
    few = 0 < len(element) <= _MAX_CHILDREN and _holds_no_text(element)
    return few and any(is_renderer(node) for node in element.iter())


def _holds_no_text(element: Element) -> bool:
    """Whether no text stands in an element beside what its children hold."""
    return not any((text or "").strip() for text in (element.text, *(child.tail for child in element)))


def _from_mathquill(element: Element) -> Formula:
    source = next((node.text for node in element.iter("span") if "mq-selectable" in classes(node)), None)
    return _tex(source) if source else NOT_READ
