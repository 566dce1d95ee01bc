"""Text of others inside Markdown of ours: shown as it is, never read as markup."""

import re

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MARKS = re.compile(r"[\\`*_\[\]|~$]")
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Controls, half characters, and what changes the direction of text or has no width."""


def markdown_line(text: str) -> str:
    """Text for one line of Markdown, or one cell of a table: no markup, no HTML, no characters that nobody sees.

    >>> print(markdown_line("[free](https://a.example) <b>a|b</b>"))
    \\[free\\](https://a.example) &lt;b&gt;a\\|b&lt;/b&gt;
    """
    seen = _UNSEEN.sub("", " ".join(text.split()))
    return _MARKS.sub(r"\\\g<0>", "".join(_HTML.get(char, char) for char in seen))
