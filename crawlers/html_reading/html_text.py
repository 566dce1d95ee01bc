"""HTML to text that keeps mathematics: our own serialiser over the lxml tree.

Conventions, chosen so that the text reads as maths and nothing is invented:

- ``<sup>2</sup>`` becomes ``^2``, longer ones ``^(n+1)``; ordinals (1st), degrees and notes stay plain; ``<sub>``
  becomes ``_1``; ``<sup>1</sup>/<sub>2</sub>`` and boxes with a numerator over a denominator become ``1/2``;
- a ``<br>`` is a line break, blocks stand on lines of their own, paragraphs are set off by a blank line;
- list items get no mark (a dash would read as a minus, a number as a quantity); table cells are set apart by tabs;
- TeX stands between ``\\( \\)`` or ``\\[ \\]`` whatever rendered it; MathML becomes plain maths; formula images give
  their alternative text or source;
- asterisks of a product that were taken for emphasis, as in ``3<em>4</em>5``, are put back;
- letters in the Symbol font become the signs they show, pictures of Wingdings nothing;
- what a line stands over is one radicand after a root sign, and a repeating decimal elsewhere;
- a formula whose source is not on the page becomes ``[formula]``, never its flattened characters;
- ``<pre>``, ``<code>`` and ``{{{ }}}`` keep their characters; scripts, styles, forms, hidden elements and what is
  struck out are left out.
"""

import re
from collections.abc import Collection
from unicodedata import normalize

from lxml import etree

from crawlers.html_reading.formulas import TELLING_ATTRIBUTES, Formula, formula_of, is_renderer, without_script
from crawlers.html_reading.html_tree import Element, parse_fragment
from crawlers.html_reading.mathml import LOST
from crawlers.html_reading.styles import (
    EMPHASIS,
    LOWERED,
    OVER,
    OVERLINED,
    PRIVATE_SIGNS,
    RAISED,
    eaten_signs,
    face_of,
    in_face,
    is_bar,
    is_block,
    is_hidden,
    keeps_spaces,
    place_of,
)


class Frame:
    """Pieces of text under way: the page itself, or the inside of one superscript or subscript.

    ``placed`` says how the last piece was set, if it was raised or lowered: what follows may have to be kept off it.
    """

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.placed = ""

    def last(self) -> str:
        """The last character, or the empty string."""
        return self.parts[-1][-1] if self.parts else ""

    def add(self, piece: str) -> None:
        """Put a piece at the end."""
        if piece:
            self.parts.append(piece)
            self.placed = ""

    def strip_spaces(self) -> None:
        """Take away the spaces that end the text."""
        while self.parts and self.parts[-1].endswith(" "):
            self.parts[-1] = self.parts[-1].rstrip(" ")
            if not self.parts[-1]:
                self.parts.pop()

    def take_back(self, piece: str) -> None:
        """Take away the last piece, if it is this one, and the spaces behind it."""
        if "".join(self.parts[-2:]).rstrip(" ").endswith(piece):
            self.strip_spaces()
            if self.last() and self.parts[-1] == piece:
                self.parts.pop()

    def strip_number(self) -> None:
        """Take away the number that ends the text."""
        if self.parts:
            self.parts[-1] = self.parts[-1].rstrip("0123456789.,")
            if not self.parts[-1]:
                self.parts.pop()

    def strip_lines(self, start: int) -> None:
        """Take away the line breaks and spaces that end the text, but none before piece ``start``."""
        while len(self.parts) > start and not self.parts[-1].strip(" \n"):
            self.parts.pop()
        if len(self.parts) > start:
            self.parts[-1] = self.parts[-1].rstrip(" \n")

    def newlines(self) -> int:
        """How many line breaks the text ends in."""
        if self.last() != "\n":
            return 0
        count = 0
        for piece in reversed(self.parts):
            bare = piece.rstrip("\n")
            count += len(piece) - len(bare)
            if bare:
                break
        return count

    def ends_in_base(self) -> bool:
        """Whether the text ends in what can be raised to a power, a space after it or not: bracket or lone letter."""
        tail = "".join(self.parts[-3:]).rstrip(" ")[-2:]
        return tail[-1:] in (")", "]") or (tail[-1:].isalpha() and not tail[:-1].isalpha())

    def would_run_on(self, following: str) -> bool:
        """Whether the next character would be read into what was raised or lowered: 2³4 is not 2 to the 34."""
        last = self.last()
        if not last.isalnum():
            return False
        if self.placed == LOWERED and not following.isdigit():
            base = self.parts[-2][-1] if len(self.parts) > 1 else ""
            return not (base.isupper() and following.isupper())  # H2O is one word
        return following.isdigit() or last.isalpha()


_PARAGRAPH_NAMES = "p h1 h2 h3 h4 h5 h6 ul ol dl table pre xmp listing blockquote figure hr fieldset"
_LINE_NAMES = """div li dt dd tr caption section article header footer main nav aside address center details summary
    figcaption form thead tbody tfoot"""
_LEFT_OUT_NAMES = """head title style script template svg iframe object select option textarea button noscript
    canvas audio video map datalist noframes del s strike rt rp"""
_PARAGRAPHS = frozenset(_PARAGRAPH_NAMES.split())
_LINES = frozenset(_LINE_NAMES.split())
_LEFT_OUT = frozenset(_LEFT_OUT_NAMES.split())
_CELLS = frozenset(("td", "th"))
_VERBATIM = frozenset(("code", "samp", "kbd", "tt"))
_PRE = frozenset(("pre", "xmp", "listing"))
_SPACED = _VERBATIM | _PRE
# What may be a formula, a raised or lowered place or another face without saying so by class or style.
_TELLING_NAMES = "script math img mjx-container font sup sub amp-img amp-anim amp-mathml object embed svg"
_TELLING = frozenset(_TELLING_NAMES.split())
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
# Letters and digits of mathematical alphabets are letters and digits; what is invisible between operands is not.
_MATHS_LETTERS = {code: normalize("NFKC", chr(code)) for code in range(0x1D400, 0x1D800)}
_CHARACTERS = str.maketrans(
    _MATHS_LETTERS
    | {"\u2061": "", "\u2062": "*", "\u2063": ",", "\u2064": "+"}
    | PRIVATE_SIGNS
    | dict.fromkeys("\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " ")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\u00ad\ufeff", "")
)
_PLAIN_SUP = re.compile(r"st|nd|rd|th|TM|SM|[®™*†‡′'\"]+|\[\w{1,4}\]", re.I)
_DEGREE = frozenset(("o", "°", "º", "∘", "O"))
_BARS = ("/", "⁄")
_ROOTS = frozenset("√∛∜")
_CENTS = re.compile(r"\d\d", re.A)
_NO_BASE = frozenset(("", " ", "\n", "\t", "(", "=", "+", "-", "−"))
_TAIL_BAR = re.compile(r"\s{0,3}[/⁄]\s{0,3}(?:\d|\Z)")
_ATOM = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]|\([^()]*\)")
_INDEX = re.compile(r"\w+")


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


def element_text(element: Element, left_out: Collection[Element] = ()) -> str:
    """The text below an element, by the same rules as html_to_text; its tail is not part of it.

    ``left_out`` are elements below it that are passed over with all they hold, such as quotations of other posts.
    """
    writer = _Writer(left_out)
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


class _Writer:
    """Receives elements in document order; knows whether spaces are kept and which frame is written to."""

    def __init__(self, left_out: Collection[Element] = ()) -> None:
        self._frames = [Frame()]
        self._left_out = set(left_out)
        self._kept_spaces = 0
        self._skipped: Element | None = None
        self._renderer: Element | None = None
        self._places: list[tuple[Element, str]] = []
        self._faces: list[tuple[Element, str]] = []
        self._cells: list[int] = []
        self._spaced: list[Element] = []
        self._blocks: list[Element] = []
        self._signs: list[tuple[Element, str]] = []

    def result(self) -> str:
        lines = "".join(self._frames[0].parts).split("\n")
        return "\n".join(line.rstrip() for line in lines).strip("\n")

    def write(self, text: str) -> None:
        frame = self._frames[-1]
        if self._faces:
            text = in_face(text, self._faces[-1][1])
        if frame.placed and text[:1].isalnum() and frame.would_run_on(text[0]):
            frame.add(" ")
        if self._kept_spaces:
            frame.add(_plain_spaces(text.replace("\r\n", "\n")))
            return
        flowing = " " if text == "\n" else _SPACES.sub(" ", text)
        if flowing[:1] == " " and frame.last() in ("", " ", "\n", "\t"):
            flowing = flowing[1:]
        frame.add(_plain_spaces(flowing))

    def start(self, element: Element) -> bool:
        """Take the opening of an element; False if what stands below it is not to be visited."""
        tag = element.tag
        plain = tag not in _TELLING and (not element.attrib or TELLING_ATTRIBUTES.isdisjoint(element.keys()))
        if element in self._left_out:
            self._skipped = element
            return False
        if tag == "noscript":
            self._without_script(element)
        formula = None if plain else self._formula_of(element)
        hidden = element.get("hidden") is not None if plain else is_hidden(element)
        if (formula is not None and tag != "embed") or hidden or tag in _LEFT_OUT:
            self._skipped = element
            return False
        self._open(element, plain)
        if text := element.text:
            # The first line break inside <pre> belongs to the markup.
            self.write(re.sub(r"^\r?\n", "", text) if tag in _PRE else text)
        return True

    def _formula_of(self, element: Element) -> Formula | None:
        """What stands for the element as a formula, written already; notes a renderer that is to be looked into."""
        formula = formula_of(element, self._renderer is not None)
        if formula is not None:
            self._formula(formula)
        elif self._renderer is None and is_renderer(element):
            self._renderer = element
        return formula

    def _without_script(self, element: Element) -> None:
        """Show the formulas that a ``noscript`` alone gives, in place of a neighbour that cannot be read."""
        formulas, lost = without_script(element)
        if lost is not None and lost is element.getnext():
            self._left_out.add(lost)
        elif lost is not None:
            self._frames[-1].take_back(LOST)
        for formula in formulas:
            self._formula(formula)

    def end(self, element: Element) -> None:
        """Take the end of an element; its tail is written by the caller."""
        if self._skipped is element:
            self._skipped = None
            return
        if self._renderer is element:
            self._renderer = None
        tag = element.tag
        if self._signs and self._signs[-1][0] is element:
            self._frames[-1].add(self._signs.pop()[1])
        if self._faces and self._faces[-1][0] is element:
            self._faces.pop()
        if self._places and self._places[-1][0] is element:
            self._close_place(element, self._places.pop()[1])
        if tag in _SPACED or (self._spaced and self._spaced[-1] is element and self._spaced.pop() is element):
            self._kept_spaces -= 1
        if tag in _CELLS:
            self._frames[-1].strip_lines(self._cells.pop())
        elif tag == "q":
            self.write('"')
        if self._blocks and self._blocks[-1] is element:
            self._blocks.pop()
            tag = "div"
        self._block(tag)

    def _open(self, element: Element, plain: bool) -> None:
        tag = element.tag
        self._block(tag)
        if tag == "br":
            self._break(1)
        elif tag in _CELLS:
            if any(True for _ in element.itersiblings("td", "th", preceding=True)):
                self._frames[-1].strip_spaces()
                self._frames[-1].add("\t")
            self._cells.append(len(self._frames[-1].parts))
        elif tag == "q":
            self.write('"')
        elif tag in EMPHASIS:
            begin, end = eaten_signs(element, self._frames[-1].last())
            self._frames[-1].add(begin)
            self._signs.append((element, end))
        if tag in _SPACED:
            self._kept_spaces += 1
        if not plain:
            self._open_styled(element)

    def _open_styled(self, element: Element) -> None:
        if is_block(element) and element.tag not in _LINES | _PARAGRAPHS:
            self._blocks.append(element)
            self._block("div")
        if keeps_spaces(element) and element.tag not in _SPACED:
            self._spaced.append(element)
            self._kept_spaces += 1
        if place := place_of(element):
            self._places.append((element, place))
            self._frames.append(Frame())
        if face := face_of(element):
            self._faces.append((element, face))

    def _block(self, tag: object) -> None:
        if tag in _PARAGRAPHS:
            self._break(2 - self._frames[-1].newlines())
        elif tag in _LINES:
            self._break(1 - self._frames[-1].newlines())

    def _break(self, count: int) -> None:
        frame = self._frames[-1]
        if self._cells and len(frame.parts) <= self._cells[-1]:
            return  # nothing stands in the cell yet: its row goes on
        frame.strip_spaces()
        if frame.parts and count > 0 and frame.newlines() < 2:
            frame.add("\n" * count)

    def _formula(self, formula: Formula) -> None:
        if not formula.text:
            return
        if formula.display:
            self._break(1 - self._frames[-1].newlines())
        self._frames[-1].add(_plain_spaces(formula.text))
        if formula.display:
            self._break(1)

    def _close_place(self, element: Element, place: str) -> None:
        inner = " ".join("".join(self._frames.pop().parts).split())
        frame = self._frames[-1]
        if place == OVERLINED and inner.isdigit() and frame.last() not in _ROOTS:
            # 0.3 with a line over the 3 is 1/3: without the line it is another number.
            frame.strip_number()
            frame.add(LOST)
        else:
            piece = _placed(inner, place, frame, element)
            frame.add(piece)
            frame.placed = place if piece and (piece != inner or place != RAISED) else ""


def _plain_spaces(text: str) -> str:
    return text if text.isascii() else text.translate(_CHARACTERS)


def _placed(inner: str, place: str, frame: Frame, element: Element) -> str:
    """What stands for a piece of text that is raised, lowered, over or under a bar, or has a line above."""
    before = frame.last()
    if place == RAISED:
        return _superscript(inner, frame, element)
    if place == LOWERED:
        return _subscript(inner, before)
    if place == OVERLINED:
        return _group(inner) if before in _ROOTS else inner
    if place == OVER:
        return (" " if before.isdigit() else "") + _group(inner)
    return _group(inner) if before in _BARS else f"/{_group(inner)}"


def _superscript(inner: str, frame: Frame, element: Element) -> str:
    before = frame.last()
    if not inner or _PLAIN_SUP.fullmatch(inner) or (before == "." and _CENTS.fullmatch(inner)):
        return inner
    if inner in _DEGREE and before.isdigit():
        return "°"
    if _is_numerator(element) or _is_half_raised(frame, element):
        return f" {_group(inner)}" if before.isdigit() else _group(inner)
    return f"^{_group(inner)}"


def _subscript(inner: str, before: str) -> str:
    if not inner:
        return ""
    if before in _BARS:
        return _group(inner)
    return f"_{inner}" if _INDEX.fullmatch(inner) else f"_{_group(inner)}"


def _is_numerator(element: Element) -> bool:
    """Whether a bar and something lowered follow, as in ``<sup>1</sup>/<sub>2</sub>``."""
    following, bar = element.getnext(), (element.tail or "").strip()
    if following is not None and not bar and is_bar(following):
        following, bar = following.getnext(), _BARS[0]
    return bar in _BARS and following is not None and place_of(following) == LOWERED


def _is_half_raised(frame: Frame, element: Element) -> bool:
    """Whether a fraction follows of which only the numerator is raised, as in ``1 <sup>1</sup>/2``."""
    alone = frame.last() in _NO_BASE and not frame.ends_in_base()
    return alone and _TAIL_BAR.match(element.tail or "") is not None


def _group(inner: str) -> str:
    return inner if _ATOM.fullmatch(inner) else f"({inner})"
