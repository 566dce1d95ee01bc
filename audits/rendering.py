"""Pages: jinja2 templates with everything escaped, self-contained, and a policy that lets nothing else run."""

import base64
import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from corpus.mathematics import mathml

PAGES = Path(__file__).parent / "pages"


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(PAGES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["mathematics"] = _mathematics
    return environment


def _mathematics(equations: Sequence[str]) -> "_Raw | str":
    """A system as mathematics, and as its text where it has none."""
    shown = mathml(equations)
    return "; ".join(equations) if shown is None else _Raw(shown)


@functools.cache
def source_of(name: str) -> str:
    """The text of a style sheet or script beside the templates."""
    return (PAGES / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def render(template: str, scripts: Sequence[str] = (), *, connect: str = "'none'", **values: Any) -> str:
    """Fill a template; ``scripts`` name the parts of the one inline script its content policy allows, by digest.

    ``connect`` is what the script may ask for, in the words of the policy.

    Posts are hostile: every value is escaped, and a browser refuses any script but ours, and any other resource.
    """
    code = "".join(source_of(script) for script in scripts)
    allowed = f"script-src 'sha256-{_digest(code)}'" if code else "script-src 'none'"
    policy = (
        f"default-src 'none'; {allowed}; style-src 'sha256-{_digest(source_of('page.css'))}'; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    filled = _environment().get_template(template)
    return filled.render(policy=policy, style=_raw(source_of("page.css")), code=_raw(code), **values)


class _Raw:
    """What is ours and must reach the page unescaped: style sheet and script (their digests have to hold), MathML."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __html__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


def _raw(text: str) -> _Raw:
    return _Raw(text)
