"""Equation systems as mathematics: LaTeX for texts, MathML for pages, both printed from our own trees.

A system is read by our grammar and its trees are printed as they are, nothing worked out; no text of a post is taken
over. SymPy was tried as the printer, with nothing evaluated: its MathML loses the brackets of ``5 - (2 - x)``, and its
LaTeX writes ``4/(1/4)`` as ``4 \\frac{1}{\\frac{1}{4}}``, which reads as a mixed number. A system that the grammar does
not read, or that is too long to look at, has no mathematics, and its text has to do.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple

from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, render_number, walk
from extractors.extraction_errors import ExtractionError

MAX_NODES: Final = 120
_NAME = re.compile(r"([^\W\d_])_?(\d{0,3})")
_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = 10, 20, 25, 30, 50


class Printed(NamedTuple):
    """A printed tree: its text, the binding power of its outermost operator, and whether a digit or a sign is first."""

    text: str
    power: int
    first: str = ""


@dataclass(frozen=True)
class Notation:
    """How the parts of an equation are written; ``signs`` are those that differ from our own."""

    number: Callable[[str], str]
    letter: Callable[[str, str], str]
    word: Callable[[str], str]
    sign: Callable[[str], str]
    fraction: Callable[[str, str], str]
    raised: Callable[[str, str], str]
    root: Callable[[str], str]
    brackets: Callable[[str], str]
    absolute: Callable[[str], str]
    signs: Mapping[str, str]

    def printed(self, node: Node) -> Printed:
        """A tree in this notation."""
        if isinstance(node, Num):
            return Printed(self.number(render_number(node.value)), _ATOM, "digit")
        if isinstance(node, Name):
            return Printed(self._name(node.name), _ATOM)
        if isinstance(node, Unary):
            return Printed(self._sign(node.op) + self._bracketed(node.operand, _SIGN).text, _SIGN - 1, "sign")
        if isinstance(node, Call):
            return Printed(self._called(node), _ATOM)
        return self._operated(node)

    def equation(self, equation: Equation, equals: str) -> str:
        """An equation; ``equals`` stands before its sign."""
        left, right = self.printed(equation.left), self.printed(equation.right)
        return f"{left.text}{equals}{self._sign(equation.relation)}{right.text}"

    def _sign(self, op: str) -> str:
        return self.sign(self.signs.get(op, op))

    def _name(self, name: str) -> str:
        found = _NAME.fullmatch(name)
        return self.letter(found[1], found[2]) if found else self.word(name)

    def _called(self, node: Call) -> str:
        args = self._sign(",").join(self.printed(arg).text for arg in node.args)
        if node.name in ("sqrt", "abs"):
            return (self.root if node.name == "sqrt" else self.absolute)(args)
        if node.name == "pi":
            return self.letter(self.signs["pi"], "")
        return self.word(node.name) + (self.brackets(args) if args else "")

    def _operated(self, node: Binary) -> Printed:
        if node.op == "/":
            return Printed(
                self.fraction(self.printed(node.left).text, self.printed(node.right).text), _PRODUCT, "digit"
            )
        if node.op == "^":
            base = self._bracketed(node.left, _POWER + 1)
            return Printed(self.raised(base.text, self.printed(node.right).text), _POWER, base.first)
        power = _PRODUCT if node.op in "*%" else _SUM
        left, right = self._bracketed(node.left, power), self._bracketed(node.right, power + 1)
        if right.first == "sign":
            right = Printed(self.brackets(right.text), _ATOM)
        sign = "dot" if node.op == "*" and right.first == "digit" else node.op
        return Printed(left.text + self._sign(sign) + right.text, power, left.first)

    def _bracketed(self, node: Node, least: int) -> Printed:
        found = self.printed(node)
        return found if found.power >= least else Printed(self.brackets(found.text), _ATOM)


_MATHML = Notation(
    number=lambda text: f"<mn>{text}</mn>",
    letter=lambda letter, index: (
        f"<msub><mi>{escape(letter)}</mi><mn>{index}</mn></msub>" if index else f"<mi>{escape(letter)}</mi>"
    ),
    word=lambda name: f"<mi>{escape(name)}</mi>",
    sign=lambda sign: f"<mo>{sign}</mo>",
    fraction=lambda top, bottom: f"<mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>",
    raised=lambda base, exponent: f"<msup><mrow>{base}</mrow><mrow>{exponent}</mrow></msup>",
    root=lambda inner: f"<msqrt>{inner}</msqrt>",
    brackets=lambda inner: f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>",
    absolute=lambda inner: f"<mrow><mo>|</mo>{inner}<mo>|</mo></mrow>",
    signs={"-": "−", "*": "&#8290;", "dot": "·", "%": "mod", "<": "&lt;", ">": "&gt;", "<=": "≤", ">=": "≥", "pi": "π"},
)
_LATEX = Notation(
    number=str,
    letter=lambda letter, index: f"{letter}_{{{index}}}" if index else letter,
    word=lambda name: r"\mathrm{" + name.replace("_", r"\_") + "}",
    sign=lambda sign: f" {sign} " if sign else " ",
    fraction=lambda top, bottom: rf"\frac{{{top}}}{{{bottom}}}",
    raised=lambda base, exponent: f"{base}^{{{exponent}}}",
    root=lambda inner: rf"\sqrt{{{inner}}}",
    brackets=lambda inner: rf"\left({inner}\right)",
    absolute=lambda inner: rf"\left|{inner}\right|",
    signs={"*": "", "dot": r"\cdot", "%": r"\bmod", "±": r"\pm", "<=": r"\le", ">=": r"\ge", "pi": r"\pi"},
)
_RELATIONS: Final = frozenset({"=", "<", ">", "<=", ">="})


def _trees(equations: Sequence[str]) -> list[Equation]:
    """The equations as our grammar reads them; none where one is not read, or all are too long together."""
    try:
        found = [one for equation in equations for one in parse_equation(equation)]
    except ExtractionError:
        return []
    size = sum(1 for equation in found for side in equation[:2] for _ in walk(side))
    return found if size <= MAX_NODES and all(one.relation in _RELATIONS for one in found) else []


def mathml(equations: Sequence[str]) -> str | None:
    """A system as MathML, a ``math`` element for each equation; safe in a page: it holds nothing but our own tags.

    >>> mathml(["2*x=5"])
    '<math><mn>2</mn><mo>&#8290;</mo><mi>x</mi><mo>=</mo><mn>5</mn></math>'
    """
    return "".join(f"<math>{_MATHML.equation(tree, '')}</math>" for tree in _trees(equations)) or None


def latex(equations: Sequence[str]) -> str | None:
    r"""A system as a LaTeX ``aligned`` block.

    >>> latex(["s+b=15", "8*s+6*b=106"])
    '\\begin{aligned}s + b & = 15 \\\\ 8 s + 6 b & = 106\\end{aligned}'
    """
    lines = [_LATEX.equation(tree, " &") for tree in _trees(equations)]
    return r"\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}" if lines else None
