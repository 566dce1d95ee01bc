"""Records as small as they may be, for what a test does not look at."""

from typing import Any, get_args, get_origin

from corpus.schema import RecordT

PLAIN = {bool: False, int: 0, float: 1.0, str: "", tuple: ()}


def sample(kind: type[RecordT], post_id: str, **given: Any) -> RecordT:
    """A record that says as little as its fields allow, but for what is given."""
    held = {name: _least(field.annotation) for name, field in kind.model_fields.items() if field.is_required()}
    return kind.model_validate({**held, "post_id": post_id, **given})


def _least(annotation: Any) -> Any:
    """None where it may be, else the first value of a choice, else nothing of its type."""
    choices = get_args(annotation)
    if type(None) in choices:
        return None
    origin = get_origin(annotation) or annotation
    return PLAIN[origin] if origin in PLAIN else choices[0] if choices else next(iter(annotation))
