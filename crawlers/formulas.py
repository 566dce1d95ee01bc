"""Formulas a page shows through a renderer, an image or a script, as text between TeX delimiters or as plain maths.

TeX is delimited by ``\\( \\)`` and ``\\[ \\]``: a dollar sign is also a currency in hundreds of word problems.
"""

import html
import re
from dataclasses import dataclass

from crawlers.formula_images import image_source, wiris_mathml
from crawlers.markup import Element, classes, parse_fragment
from crawlers.mathml import LOST, mathml_text, tex_annotation

MAX_FORMULA = 20_000

_KATEX = frozenset(("katex", "katex-display"))
_MATHJAX = frozenset(
    ["MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_SVG_Display", "MathJax_CHTML", "MJXc-display", "mjx-chtml"]
)
_RENDERERS = _MATHJAX | _KATEX
_KEEPERS = frozenset(("math", "math-inline", "math-display", "math-tex", "latex", "tex", "katex-formula"))
_TEX_ATTRIBUTES = ("data-latex", "data-tex", "data-math", "data-expr")
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

    >>> from crawlers.markup import parse_document
    >>> page = '<p><script type="math/tex; mode=display">x<9</script></p>'
    >>> formula_of(next(parse_document(page).iter("script")))
    Formula(text='\\\\[x<9\\\\]', display=True)
    """
    tag = element.tag
    if tag == "script":
        return _from_script(element)
    if tag == "math":
        return _from_math(element)
    if tag == "img":
        return _from_image(element)
    if tag == "mjx-container":
        return _from_attribute(element) or _from_rendered(element, element.get("display") == "true")
    names = classes(element)
    return _from_named(element, names, inside_renderer) if names else None


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
    source = tex_annotation(element)
    return _tex(source, display) if source else Formula(mathml_text(element), display)


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


def _from_rendered(element: Element, display: bool) -> Formula:
    math = _math_in(element)
    if math is None:
        held = next((made for node in element.iter() if (made := _from_attribute(node)) is not None), NOT_READ)
        return Formula(held.text, display)
    formula = _from_math(math)
    return Formula(formula.text, display or formula.display)


def _from_mathjax(element: Element, display: bool) -> Formula | None:
    if _math_in(element) is not None:
        return _from_rendered(element, display)
    for child in element.iter():
        source = child.get("data-mathml")
        if source:
            return _from_markup(source, display)
    holds_source = any((node.get("type") or "").startswith("math/") for node in element.iter("script"))
    return None if holds_source else Formula(LOST, display)


def _from_katex(element: Element, display: bool) -> Formula:
    math = _math_in(element)
    if math is None:
        return _from_rendered(element, display)
    source = tex_annotation(math)
    return _tex(source, display) if source else _from_rendered(element, display)


def _from_image(element: Element) -> Formula:
    if (said := _from_attribute(element)) is not None:
        return said
    if mathml := wiris_mathml(element):
        return _from_markup(mathml)
    found = image_source(element)
    if found is None:
        return NOTHING
    kind, source = found
    if kind == "tex":
        return _tex(source)
    if kind == "braces":
        return Formula(f"{{{{{{{source}}}}}}}") if source else NOTHING
    return Formula(source[:MAX_FORMULA]) if kind == "plain" else NOT_READ


def _from_attribute(element: Element) -> Formula | None:
    """TeX that a renderer left in an attribute of what it made."""
    source = next((value for name in _TEX_ATTRIBUTES if (value := element.get(name))), None)
    return _tex(source, element.get("display") == "true") if source else None


def _from_mathquill(element: Element) -> Formula:
    source = next((node.text for node in element.iter("span") if "mq-selectable" in classes(node)), None)
    return _tex(source) if source else NOT_READ
