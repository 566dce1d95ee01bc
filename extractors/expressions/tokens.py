"""The tokenizer: text to a list of symbol strings, in one pass of one linear-time expression."""

import re

from extractors.extraction_errors import LimitError

MAX_LENGTH = 2000
MAX_TOKENS = 600

NUMBER, NAME = "number", "name"

_TYPOGRAPHIC = str.maketrans(
    {
        "–": "-", "−": "-", "—": "-", "‐": "-", "‑": "-", "﹣": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*",
        "÷": "/", "⁄": "/", "∕": "/", "²": "^2", "³": "^3", "⁴": "^4", "⁵": "^5", "⁶": "^6", "，": ",", "；": ";",
        "（": "(", "）": ")", "＝": "=", "＋": "+", "π": " pi ", "≤": "<=", "≥": ">=", "≠": "!=", "º": "°", "˚": "°",
        "’": "'", "′": "'", "″": '"', "”": '"', "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3",
        "\u00a0": " ", "\u2009": " ", "\u202f": " ", "[": "(", "]": ")", "{": "(", "}": ")", "$": " ",
    }
)  # fmt: skip
_BRACKETS = str.maketrans("[]{}$", "()() ")

_PLAIN = r"(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d*)?|\.\d+"
_COMMA = r"(?:\d{1,3}(?:\.\d{3})+(?![\d.])|\d+)(?:,\d+)?|,\d+"
_EXPONENT = r"(?:\d+\.\d*[eE][+-]?\d+|\d+(?:e\d+|E[+-]?\d+))(?![\w(.])"
_REST = (
    r"|(?:arc(?:sin|cos|tan)|sin|cos|tan|cot|sqrt|log|ln)(?=\.?\d)|[A-Za-z_]\w*"
    r"|\*\*|<=|>=|==|!=|<>|\+/-|\S"
)
_TOKEN = re.compile(_PLAIN + _REST, re.ASCII)
_TOKEN_SCIENTIFIC = re.compile(_EXPONENT + "|" + _PLAIN + _REST, re.ASCII)
_TOKEN_COMMA = re.compile(_COMMA + _REST, re.ASCII)
_INDEX = re.compile(r"\b([A-Za-z])\[(\d{1,3})\]", re.ASCII)
_GLUED_E = re.compile(r"[\d.][eE][+-]?\d", re.ASCII)
_LONE_E = re.compile(r"(?<![A-Za-z_])[eE](?![A-Za-z_0-9+-])|(?<![A-Za-z_\d.])[eE](?![A-Za-z_])", re.ASCII)

KIND = dict.fromkeys("0123456789.", NUMBER) | dict.fromkeys(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", NAME
)
"""The kind of a token by its first character; operators are absent."""


def normalise(text: str) -> str:
    """Typographic operators, superscripts and brackets in ASCII; ``r[1]`` becomes ``r_1``."""
    if len(text) > MAX_LENGTH:
        raise LimitError(f"expression of {len(text)} characters; at most {MAX_LENGTH} are read")
    if "[" in text:
        text = _INDEX.sub(r"\1_\2", text)
    if text.isascii():
        return text.translate(_BRACKETS) if "[" in text or "{" in text or "$" in text else text
    return text.translate(_TYPOGRAPHIC)


def uses_scientific(text: str, declared: frozenset[str] | set[str]) -> bool:
    """Whether ``1e5`` in a text is a number: not where ``e`` is an unknown of the system."""
    if ("e" not in text and "E" not in text) or "e" in declared or "E" in declared:
        return False
    return _GLUED_E.search(text) is not None and not _LONE_E.search(text)


def tokenize(text: str, *, scientific: bool = False, decimal_comma: bool = False) -> list[str]:
    """The tokens of an expression, ending with an empty string.

    Numbers are ASCII digits with thousands commas taken out (``1,200`` gives ``1200``); ``$`` is dropped, brackets
    of all kinds become round. Raises ``LimitError`` for a text that is too long.

    >>> tokenize("$2.50x + 1,200(y)")
    ['2.50', 'x', '+', '1200', '(', 'y', ')', '']
    """
    text = normalise(text)
    pattern = _TOKEN_COMMA if decimal_comma else _TOKEN_SCIENTIFIC if scientific else _TOKEN
    tokens: list[str] = pattern.findall(text)
    if len(tokens) > MAX_TOKENS:
        raise LimitError(f"expression of {len(tokens)} tokens; at most {MAX_TOKENS} are read")
    if decimal_comma:
        tokens = [_point(symbol) for symbol in tokens]
    elif "," in text:
        tokens = _thousands(tokens)
    if "!=" in tokens:
        tokens = _factorials(tokens)
    tokens.append("")
    return tokens


def _point(symbol: str) -> str:
    """A number with a decimal comma in the usual spelling."""
    if symbol[0] not in "0123456789," or len(symbol) == 1:
        return symbol
    return symbol.replace(".", "").replace(",", ".")


def _thousands(tokens: list[str]) -> list[str]:
    """Takes thousands commas out of numbers; within the brackets of a function a comma separates arguments."""
    out: list[str] = []
    calls: list[bool] = []
    for symbol in tokens:
        if symbol == "(":
            calls.append(bool(out) and KIND.get(out[-1][0]) is NAME and len(out[-1]) > 1)
        elif symbol == ")" and calls:
            calls.pop()
        if len(symbol) > 1 and "," in symbol:
            if any(calls):
                for index, part in enumerate(symbol.split(",")):
                    out.extend((",", part) if index else (part,))
            else:
                out.append(symbol.replace(",", ""))
        else:
            out.append(symbol)
    return out


def _factorials(tokens: list[str]) -> list[str]:
    """``5!=120`` states a factorial, ``m!=6`` an inequality."""
    out: list[str] = []
    for symbol in tokens:
        if symbol == "!=" and out and (KIND.get(out[-1][0]) is NUMBER or out[-1] == ")"):
            out.extend(("!", "="))
        else:
            out.append(symbol)
    return out
