"""Times as sites and files write them, and as posts have them: UTC in ISO 8601, to the second."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS_DIGITS = 11
"""Digits of seconds up to the year 5138."""


def stamp(moment: datetime) -> str:
    """A time as posts have it; one without a zone is UTC. OverflowError where it is beyond the years 1 to 9999 there.

    The year has four digits, which ``strftime`` does not promise.

    >>> stamp(datetime(999, 1, 2, 3, 4, 5, 6))
    '0999-01-02T03:04:05Z'
    """
    there = moment.astimezone(UTC) if moment.tzinfo else moment
    return there.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"


def iso_stamp(text: str) -> str:
    """The same of a time in ISO 8601; ValueError for none, or one beyond the years 1 to 9999.

    >>> iso_stamp("2024-05-06T09:08:09+02:00")
    '2024-05-06T07:08:09Z'
    """
    try:
        return stamp(datetime.fromisoformat(text))
    except OverflowError as error:
        raise ValueError(f"{text[:40]!r} is beyond the years 1 to 9999") from error


def era_stamp(seconds: object) -> str | None:
    """The same of seconds of the Unix era, a whole number or its digits; None for anything else.

    >>> era_stamp(1336872377), era_stamp("1336872377"), era_stamp("yesterday"), era_stamp(10**15)
    ('2012-05-13T01:26:17Z', '2012-05-13T01:26:17Z', None, None)
    """
    digits = str(seconds) if isinstance(seconds, int | str) and not isinstance(seconds, bool) else ""
    if not digits.isascii() or not digits.isdecimal() or len(digits) > _SECONDS_DIGITS:
        return None
    return stamp(datetime.fromtimestamp(int(digits), UTC))


def told_stamp(text: str) -> str | None:
    """The same where a text may be anything: None for what is no time in ISO 8601.

    >>> told_stamp("2014-02-03"), told_stamp("3 years ago")
    ('2014-02-03T00:00:00Z', None)
    """
    try:
        return iso_stamp(text.strip())
    except ValueError:
        return None


def header_moment(value: str) -> datetime | None:
    """The instant that a header such as ``Date`` or ``Expires`` names (RFC 9110, section 5.6.7), in UTC; None for none.

    A date without a zone, which RFC 5322 writes ``-0000``, is UTC whatever the zone of this machine.

    >>> header_moment("Mon, 15 Jan 2024 09:30:00 GMT")
    datetime.datetime(2024, 1, 15, 9, 30, tzinfo=datetime.timezone.utc)
    >>> [header_moment(value) for value in ("0", "Fri, 31 Dec 9999 23:59:59 -1200", "1 Jan 99999999999 00:00 GMT")]
    [None, None, None]
    """
    try:
        moment = parsedate_to_datetime(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, TypeError, OverflowError):
        return None
