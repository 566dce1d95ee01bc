"""HTML to text that keeps mathematics: our own serialiser over the lxml tree.

Conventions, chosen so that the text reads as maths and nothing is invented:

- ``<sup>2</sup>`` becomes ``^2``, longer ones ``^(n+1)``; ordinals (1st), degrees and notes stay plain; ``<sub>``
  becomes ``_1``; ``<sup>1</sup>/<sub>2</sub>`` becomes ``1/2``;
- a ``<br>`` is a line break, blocks stand on lines of their own, paragraphs are set off by a blank line;
- list items get no mark (a dash would read as a minus, a number as a quantity); table cells are set apart by tabs;
- TeX stands between ``\\( \\)`` or ``\\[ \\]`` whatever rendered it; MathML becomes plain maths; formula images give
  their alternative text or source;
- ``<pre>``, ``<code>`` and ``{{{ }}}`` keep their characters; scripts, styles, forms and hidden elements are left out.
"""

import re

from lxml import etree

from crawlers.formulas import Formula, formula_of, is_renderer
from crawlers.markup import Element, parse_fragment

_PARAGRAPH_NAMES = "p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote figure hr fieldset"
_LINE_NAMES = """div li dt dd tr caption section article header footer main nav aside address center details summary
    figcaption form thead tbody tfoot"""
_LEFT_OUT_NAMES = """head title style script template svg iframe object embed select option textarea button noscript
    canvas audio video map datalist noframes"""
_PARAGRAPHS = frozenset(_PARAGRAPH_NAMES.split())
_LINES = frozenset(_LINE_NAMES.split())
_LEFT_OUT = frozenset(_LEFT_OUT_NAMES.split())
_VERBATIM = frozenset(("code", "samp", "kbd", "tt"))
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
_CHARACTERS = str.maketrans(
    dict.fromkeys("\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\u00ad\ufeff", "")
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_PLAIN_SUP = re.compile(r"st|nd|rd|th|TM|SM|[®™*†‡′'\"]+|\[\w{1,4}\]", re.I)
_DEGREE = frozenset(("o", "°", "º", "∘", "O"))
_ATOM = re.compile(r"\w+|\d+\.\d+|\([^()]*\)")


def html_to_text(html: str) -> str:
    """The text of an HTML page or fragment, mathematics kept; lines end in no space, no blank lines around.

    Input above 8 MiB of characters or nested too deeply raises LimitError; broken markup is recovered from.

    >>> html_to_text("10<sup>2</sup>=100<br>35000.<br>5x = 35000.")
    '10^2=100\\n35000.\\n5x = 35000.'
    >>> html_to_text("<p>the 1<sup>st</sup> is x<sub>1</sub></p><ul><li>x &minus; 5</ul>")
    'the 1st is x_1\\n\\nx − 5'
    >>> html_to_text("3<sup>1</sup>/<sub>2</sub> cups &lt; 5 cups")
    '3 1/2 cups < 5 cups'
    >>> html_to_text("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> of <script type='math/tex'>x^2</script>")
    '1/2 of \\\\(x^2\\\\)'
    """
    root = parse_fragment(html)
    return "" if root is None else element_text(root)


def element_text(element: Element) -> str:
    """The text below an element, by the same rules as html_to_text; its tail is not part of it."""
    writer = _Writer()
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "start":
            if not writer.start(node):
                walk.skip_subtree()
        else:
            writer.end(node)
            if node is not element and node.tail:
                writer.write(node.tail)
    return writer.result()


class _Frame:
    """Pieces of text under way: the page itself, or the inside of one superscript or subscript."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def last(self) -> str:
        return self.parts[-1][-1] if self.parts else ""

    def add(self, piece: str) -> None:
        if piece:
            self.parts.append(piece)

    def strip_spaces(self) -> None:
        while self.parts and self.parts[-1].endswith(" "):
            self.parts[-1] = self.parts[-1].rstrip(" ")
            if not self.parts[-1]:
                self.parts.pop()

    def newlines(self) -> int:
        """How many line breaks the text ends in."""
        count = 0
        for piece in reversed(self.parts):
            bare = piece.rstrip("\n")
            count += len(piece) - len(bare)
            if bare:
                break
        return count


class _Writer:
    """Receives elements in document order; knows whether spaces are kept and which frame is written to."""

    def __init__(self) -> None:
        self._frames = [_Frame()]
        self._kept_spaces = 0
        self._skipped: Element | None = None
        self._renderer: Element | None = None

    def result(self) -> str:
        lines = "".join(self._frames[0].parts).split("\n")
        return "\n".join(line.rstrip() for line in lines).strip("\n")

    def write(self, text: str) -> None:
        frame = self._frames[-1]
        if self._kept_spaces:
            frame.add(text.replace("\r\n", "\n").translate(_CHARACTERS))
            return
        flowing = _SPACES.sub(" ", text)
        if frame.last() in ("", " ", "\n", "\t"):
            flowing = flowing.lstrip(" ")
        frame.add(flowing.translate(_CHARACTERS))

    def start(self, element: Element) -> bool:
        """Take the opening of an element; False if what stands below it is not to be visited."""
        tag = element.tag
        formula = formula_of(element, self._renderer is not None)
        if formula is not None:
            self._formula(formula)
        elif self._renderer is None and is_renderer(element):
            self._renderer = element
        if formula is not None or tag in _LEFT_OUT or _is_hidden(element):
            self._skipped = element
            return False
        self._open(element)
        if element.text:
            # The first line break inside <pre> belongs to the markup.
            self.write(re.sub(r"^\r?\n", "", element.text) if tag == "pre" else element.text)
        return True

    def end(self, element: Element) -> None:
        """Take the end of an element; its tail is written by the caller."""
        if self._skipped is element:
            self._skipped = None
            return
        if self._renderer is element:
            self._renderer = None
        tag = element.tag
        if tag in ("sup", "sub"):
            self._close_script(element)
        if tag == "pre" or tag in _VERBATIM:
            self._kept_spaces -= 1
        if tag == "q":
            self.write('"')
        self._block(element)

    def _open(self, element: Element) -> None:
        tag = element.tag
        self._block(element)
        if tag == "br":
            self._break(1)
        elif tag in ("td", "th") and any(True for _ in element.itersiblings("td", "th", preceding=True)):
            self._frames[-1].strip_spaces()
            self._frames[-1].add("\t")
        elif tag in ("sup", "sub"):
            self._frames.append(_Frame())
        elif tag == "q":
            self.write('"')
        if tag == "pre" or tag in _VERBATIM:
            self._kept_spaces += 1

    def _block(self, element: Element) -> None:
        if element.tag in _PARAGRAPHS:
            self._break(2 - self._frames[-1].newlines())
        elif element.tag in _LINES:
            self._break(1 - self._frames[-1].newlines())

    def _break(self, count: int) -> None:
        frame = self._frames[-1]
        frame.strip_spaces()
        if frame.parts and count > 0 and frame.newlines() < 2:
            frame.add("\n" * count)

    def _formula(self, formula: Formula) -> None:
        if not formula.text:
            return
        if formula.display:
            self._break(1 - self._frames[-1].newlines())
        self._frames[-1].add(formula.text)
        if formula.display:
            self._break(1)

    def _close_script(self, element: Element) -> None:
        inner = "".join(self._frames.pop().parts)
        before = self._frames[-1].last()
        make = _superscript if element.tag == "sup" else _subscript
        self._frames[-1].add(make(" ".join(inner.split()), before, element))


def _is_hidden(element: Element) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or (style is not None and _HIDDEN.search(style) is not None)


def _superscript(inner: str, before: str, element: Element) -> str:
    if not inner or _PLAIN_SUP.fullmatch(inner):
        return inner
    if inner in _DEGREE and before.isdigit():
        return "°"
    if _is_numerator(element):
        return f" {inner}" if before.isdigit() else inner
    return f"^{_group(inner)}"


def _subscript(inner: str, before: str, element: Element) -> str:
    if not inner:
        return ""
    return _group(inner) if before in ("/", "⁄") else f"_{_group(inner)}"


def _is_numerator(element: Element) -> bool:
    following = element.getnext()
    bar = (element.tail or "").strip() in ("/", "⁄")
    return bar and following is not None and following.tag == "sub"


def _group(inner: str) -> str:
    return inner if _ATOM.fullmatch(inner) else f"({inner})"
