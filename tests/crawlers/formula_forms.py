"""Expression trees written as formula renderers leave them in pages: TeX, MathML, sup and sub, images of formulas."""

import html
from collections.abc import Callable
from urllib.parse import quote

from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, render, render_number

_STRENGTH = {"+": 10, "-": 10, "±": 10, "*": 20, "/": 20, "^": 30}


def tex(node: Node | Equation) -> str:
    """TeX as people type it: fractions over a bar, products without a sign where that is usual."""
    if isinstance(node, Equation):
        return f"{tex(node.left)} {node.relation} {tex(node.right)}"
    if isinstance(node, Num):
        value = render_number(node.value)
        return r"\frac{" + "}{".join(value.split("/")) + "}" if "/" in value else value
    if isinstance(node, Name):
        head, _, index = node.name.partition("_")
        return f"{head}_{{{index}}}" if index else node.name
    if isinstance(node, Unary):
        return "-" + _tex_operand(node.operand, 25)
    if isinstance(node, Call):
        assert node.name == "sqrt"
        return rf"\sqrt{{{tex(node.args[0])}}}"
    return _tex_binary(node)


def _tex_binary(node: Binary) -> str:
    if node.op == "/":
        return rf"\frac{{{tex(node.left)}}}{{{tex(node.right)}}}"
    if node.op == "^":
        return f"{_tex_operand(node.left, 31)}^{{{tex(node.right)}}}"
    own = _STRENGTH[node.op]
    left, right = _tex_operand(node.left, own), _tex_operand(node.right, own + 1)
    sign = {"*": r" \cdot ", "-": " - ", "+": " + "}[node.op]
    if node.op == "*" and isinstance(node.left, Num) and right[0] not in "0123456789-\\":
        sign = ""
    return left + sign + right


def _tex_operand(node: Node, least: int) -> str:
    text = tex(node)
    return text if _strength(node) >= least else rf"\left({text}\right)"


def _strength(node: Node) -> int:
    if isinstance(node, Num):
        return 50 if node.value >= 0 and "/" not in render_number(node.value) else 20 if node.value >= 0 else 10
    if isinstance(node, Unary):
        return 24
    return _STRENGTH[node.op] if isinstance(node, Binary) else 50


def mathml(node: Node | Equation) -> str:
    """Presentation MathML, as MathJax and word processors write it."""
    if isinstance(node, Equation):
        return f"{mathml(node.left)}<mo>{html.escape(node.relation)}</mo>{mathml(node.right)}"
    if isinstance(node, Num):
        value = render_number(node.value)
        top, _, bottom = value.partition("/")
        return f"<mfrac><mn>{top}</mn><mn>{bottom}</mn></mfrac>" if bottom else f"<mn>{value}</mn>"
    if isinstance(node, Name):
        head, _, index = node.name.partition("_")
        return f"<msub><mi>{head}</mi><mn>{index}</mn></msub>" if index else f"<mi>{head}</mi>"
    if isinstance(node, Unary):
        return f"<mo>&minus;</mo>{_mathml_operand(node.operand, 25)}"
    if isinstance(node, Call):
        return f"<msqrt>{mathml(node.args[0])}</msqrt>"
    return _mathml_binary(node)


def _mathml_binary(node: Binary) -> str:
    if node.op == "/":
        return f"<mfrac><mrow>{mathml(node.left)}</mrow><mrow>{mathml(node.right)}</mrow></mfrac>"
    if node.op == "^":
        return f"<msup><mrow>{_mathml_operand(node.left, 31)}</mrow><mrow>{mathml(node.right)}</mrow></msup>"
    own = _STRENGTH[node.op]
    sign = {"*": "&#x2062;", "-": "&#x2212;", "+": "+"}[node.op]
    return f"{_mathml_operand(node.left, own)}<mo>{sign}</mo>{_mathml_operand(node.right, own + 1)}"


def _mathml_operand(node: Node, least: int) -> str:
    text = mathml(node)
    return text if _strength(node) >= least else f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"


def raised(node: Node | Equation) -> str:
    """HTML with sup and sub, italic unknowns and typographic signs."""
    if isinstance(node, Equation):
        return f"{raised(node.left)} {html.escape(node.relation)} {raised(node.right)}"
    if isinstance(node, Name):
        head, _, index = node.name.partition("_")
        return f"<i>{head}</i><sub>{index}</sub>" if index else f"<i>{head}</i>"
    if isinstance(node, Binary) and node.op == "^":
        return f"{_raised_operand(node.left, 31)}<sup>{raised(node.right)}</sup>"
    if isinstance(node, Binary):
        own, sign = _STRENGTH[node.op], {"*": "&times;", "-": " &minus; ", "+": " + ", "/": "/"}[node.op]
        return f"{_raised_operand(node.left, own)}{sign}{_raised_operand(node.right, own + 1)}"
    if isinstance(node, Unary):
        return f"&minus;{_raised_operand(node.operand, 25)}"
    return html.escape(render(node))


def _raised_operand(node: Node, least: int) -> str:
    text = raised(node)
    return text if _strength(node) >= least else f"({text})"


def _mathjax(equation: Equation) -> str:
    return (
        '<span class="MathJax_Preview" style="color: inherit;"></span><span class="MathJax" id="Frame-1">'
        f'<nobr>{raised(equation)}</nobr></span><script type="math/tex" id="MathJax-Element-1">{tex(equation)}</script>'
    )


def _mathjax3(equation: Equation) -> str:
    return (
        '<mjx-container class="MathJax" jax="CHTML"><mjx-math aria-hidden="true"><mjx-mi>x</mjx-mi></mjx-math>'
        f'<mjx-assistive-mml unselectable="on" display="inline"><math>{mathml(equation)}</math></mjx-assistive-mml>'
        "</mjx-container>"
    )


def _katex(equation: Equation) -> str:
    source = html.escape(tex(equation), quote=False)
    return (
        '<span class="katex"><span class="katex-mathml"><math xmlns="http://www.w3.org/1998/Math/MathML"><semantics>'
        f'<mrow>{mathml(equation)}</mrow><annotation encoding="application/x-tex">{source}</annotation></semantics>'
        '</math></span><span class="katex-html" aria-hidden="true"><span class="mord">junk 12</span></span></span>'
    )


FORMS: dict[str, Callable[[Equation], str]] = {
    "dollars": lambda equation: f"$${tex(equation)}$$",
    "delimiters": lambda equation: rf"\({html.escape(tex(equation), quote=False)}\)",
    "mathjax": _mathjax,
    "mathjax3": _mathjax3,
    "katex": _katex,
    "mathml": lambda equation: f"<math>{mathml(equation)}</math>",
    "sup-sub": raised,
    "codecogs": lambda equation: (
        f'<img src="https://latex.codecogs.com/gif.latex?{quote(tex(equation), safe="+=()")}">'
    ),
    "wordpress": lambda equation: f'<img src="https://s0.wp.com/latex.php?latex={quote(tex(equation))}&bg=ffffff">',
    "alternative": lambda equation: f'<img class="tex" src="/f.png" alt="${html.escape(tex(equation))}$">',
    "algebra.com": lambda equation: (
        f'<IMG SRC="/cgi-bin/plot-formula.mpl?expression={quote(render(equation))}&x=0003" ALT="formula">'
    ),
    "braces": lambda equation: "{{{" + html.escape(render(equation), quote=False) + "}}}",
}
"""How an equation stands in a page, by the software that put it there."""
