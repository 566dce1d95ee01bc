"""The one reader of JSON: a key that comes twice in one object is an error, for nobody can say which value is meant."""

import json
from collections.abc import Sequence
from typing import Any


class DoubledKeyError(ValueError):
    """An object holds a key twice."""


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, for ``object_pairs_hook``; DoubledKeyError names the first key that comes again."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise DoubledKeyError(f"the key {doubled_key(pairs)} comes twice in one object; keep one of the two")
    return value


def doubled_key(pairs: Sequence[tuple[str, Any]]) -> str:
    """The first key that comes again, quoted for a message and cut where it is long; empty where none does.

    >>> doubled_key([("a", 1), ("b", 2), ("a", 3)])
    '"a"'
    """
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return json.dumps(key if len(key) <= 80 else f"{key[:80]}...")
        seen.add(key)
    return ""


def load_json(content: str | bytes, **how: Any) -> Any:
    """The value of a JSON text; ``how`` as for ``json.loads``.

    Raises ValueError for what is no JSON and for a doubled key, RecursionError for what is nested too deeply.

    >>> load_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    corpus.strict_json.DoubledKeyError: the key "a" comes twice in one object; keep one of the two
    """
    return json.loads(content, object_pairs_hook=unique_keys, **how)
