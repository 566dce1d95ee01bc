"""The one reader of JSON. It refuses what Python's own reads and JSON does not know: NaN, infinities, doubled keys.

Nobody can say which value of a doubled key is meant, and what is read with NaN in it cannot be written again.
"""

import json
import math
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


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:40]} is too large a number")
    return value


def load_json(content: str | bytes, **how: Any) -> Any:
    """The value of a JSON text; ``how`` as for ``json.loads``.

    Raises ValueError for what is no JSON or nested too deeply, for a number that is not finite and for a doubled key.

    >>> load_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    corpus.strict_json.DoubledKeyError: the key "a" comes twice in one object; keep one of the two
    """
    strictly = {"object_pairs_hook": unique_keys, "parse_constant": _no_constant, "parse_float": _finite}
    try:
        return json.loads(content, **strictly | how)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
