"""How figures, licenses and texts of others are shown where people read them."""

import re

_COMMONS = re.compile(r"cc[- ](by(?:[- ](?:sa|nd|nc|nc[- ]sa|nc[- ]nd))?)[- ]?v?(\d\.\d)")
_OTHERS = {
    "cc0": "CC0-1.0",
    "cc0 1.0": "CC0-1.0",
    "cc0-1.0": "CC0-1.0",
    "mit": "MIT",
    "mit license": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
}
_VERSIONS = ("1.0", "2.0", "2.5", "3.0", "4.0")


def spdx_id(license_name: str) -> str | None:
    """The SPDX identifier of a license as sites write it; None for other terms.

    >>> spdx_id("CC BY-SA 4.0"), spdx_id("cc-by-nc-sa-3.0"), spdx_id("all rights reserved")
    ('CC-BY-SA-4.0', 'CC-BY-NC-SA-3.0', None)
    """
    name = " ".join(license_name.lower().split())
    found = _COMMONS.fullmatch(name)
    if found and found[2] in _VERSIONS:
        return f"CC-{found[1].upper().replace(' ', '-')}-{found[2]}"
    return _OTHERS.get(name)


def spdx_address(license_name: str) -> str:
    """The address of a license's text where it has an SPDX identifier, else the license as it stands.

    >>> spdx_address("CC BY 4.0")
    'https://spdx.org/licenses/CC-BY-4.0.html'
    """
    found = spdx_id(license_name)
    return f"https://spdx.org/licenses/{found}.html" if found else license_name


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


MOST_DIGITS = 17
"""Two floats that differ still do with so many digits."""


def told_apart(value: float, limit: float) -> tuple[str, str]:
    """A figure with three decimals and its limit, or with as many as it takes to see which of them is more.

    >>> told_apart(0.4217, 0.9), told_apart(0.8999996, 0.9), told_apart(0.95, 0.95)
    (('0.422', '0.9'), ('0.8999996', '0.9'), ('0.950', '0.95'))
    """
    for digits in range(3, MOST_DIGITS):
        told = f"{value:.{digits}f}", f"{limit:.{max(digits, 6)}g}"
        if _order(*map(float, told)) == _order(value, limit):
            return told
    return repr(value), repr(limit)


def _order(first: float, second: float) -> int:
    return (first > second) - (first < second)
