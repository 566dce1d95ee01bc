"""Where a person lives, by street and number, and where a machine answers, by its IP address.

"Tom lives at 42 Maple Street" is a problem; "I live at 42 Maple Street", a house with its postcode and "send it to" are
not. So an address needs words of the one who writes, or the form of a postal address with town and postcode.
"""

import ipaddress
import re
from collections.abc import Iterator
from typing import Final

from extractors.privacy.cues import Lookout
from extractors.privacy.guard import in_expression
from extractors.text.edits import Found
from extractors.text.wordlists import phrases, read_list, words

_TYPE: Final = (
    r"(?:street|st|avenue|ave|av|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|terrace|ter|way"
    r"|circle|cir|square|sq"
    r"|close|crescent|cres|gardens?|grove|hill|highway|hwy|parkway|pkwy|row|walk|mews|park|trail|alley|marg"
    r"|nagar|colony|plaza|quay)\b\.?"
)
_WORD: Final = r"(?:[^\W\d_][\w'’.-]{0,20}+|\d{1,3}(?:st|nd|rd|th))"
_UNIT: Final = (
    r"(?:apt|apartment|flat|unit|suite|ste|room|rm|house|h\.? ?no|plot|no|building|bldg|block"
    r"|door no)\.?[ ]?#?[ ]?[\w/-]{1,6}"
)
_STREET: Final = (
    rf"(?:{_UNIT},? )?(?:#[ ]?)?\d{{1,5}}(?:[/-]\d{{1,4}})?[A-Za-z]?,? (?:[NSEW]{{1,2}}\.? |(?:North|South|East"
    rf"|West) )?(?:{_WORD} ){{1,4}}?{_TYPE}"
    rf"(?: [NSEW]{{1,2}}\b)?(?:,? {_UNIT})?"
)
_CONTINENTAL: Final = (
    r"(?:[^\W\d_][\w'’-]{2,30}(?:straße|strasse|str\.|weg|platz|gasse|allee|straat|laan|gatan|vej"
    r"|ulica)[ ]\d{1,4}[a-z]?"
    rf"|(?:(?:Via|Calle|Avenida|Av\.|Rua|Plaza|Piazza|Viale|Corso|Carrer|Ulica|ul\.|Jalan|Jl\.?"
    rf"|Rue)(?: {_WORD}){{1,4}}?,? (?:n[.º°o]? ?)?\d{{1,4}})"
    rf"|\d{{1,4}}(?: ?bis)?,? (?:rue|avenue|boulevard|place|allée|chemin|impasse|quai)(?: {_WORD}){{1,5}})"
)
_BOX: Final = r"(?:P\.? ?O\.? ?Box|Postfach|Box No\.?)[ ]#?\d{1,6}"
_POSTCODE: Final = (
    r"(?-i:[A-Z]{2}\.? \d{5}(?:-\d{4})?|\d{5}(?:-\d{4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
    r"|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{6}|[A-Z]{2,3} \d{4}|\d{4} ?[A-Z]{2})"
)
_TOWN: Final = (
    rf"(?:,? {_WORD}(?: {_WORD}){{0,2}}?){{1,3}}?,?[ -]{{1,3}}(?:{_POSTCODE})\b"
    rf"|, \d{{4,5}} (?-i:[A-ZÀ-Ý]){_WORD}(?: (?-i:[A-ZÀ-Ý]){_WORD})?"
)
_CAPITALS: Final = r"(?-i:, [A-Z][\w'’-]{1,20}(?: [A-Z][\w'’-]{1,20}){0,2}){0,2}"
_ANY: Final = rf"(?:{_STREET}|{_CONTINENTAL}|{_BOX})"
_TOLD: Final = re.compile(
    r"\b(?:(?:i|we|my \w{2,10})(?:['’]m|['’]re)? (?:(?:currently|now|still) )?(?:live|lives|stay|reside|am|are"
    r"|living|moved|staying|living now)(?: (?:at|on|in|to|near))"
    r"|(?:my|our) (?:(?:home|new|postal|mailing|street|shipping|work) )?(?:address|house|home|place|flat"
    r"|apartment)(?: (?:is|was)(?: (?:at|on|in))?|[:=])?"
    r"|(?:home |postal |mailing |street |shipping |delivery )?address[ ]?[:=-]|\baddress is"
    r"|(?:send|mail|ship|post|deliver|come|write|drop)(?: (?:it|them|me|the \w{2,12}|a \w{2,12}|by|over"
    r"|everything|your \w{2,12}|to me))* (?:to|at|by)(?: (?:me|us) at)?(?: my (?:house|home|place|address))?(?: at)?"
    r"|(?:meet|find|visit|pick)(?: (?:me|us))(?: up)? (?:at|on)|reside at|resident of|located at|come over to"
    r"|we['’]re at|i['’]m at)[ \t:]{0,2}\n?"
    rf"(?P<place>{_ANY}(?:{_TOWN}|{_CAPITALS}))",
    re.I,
)
_POSTAL: Final = re.compile(rf"(?<![\w.$/+*=^-])(?P<place>{_ANY}(?:{_TOWN}))", re.I)
_CODED: Final = re.compile(
    r"\b(?:(?:i|we) (?:live|stay|reside) (?:at|in|on)|(?:my|our) (?:\w{4,8} )?address(?: is)?|address)[ :=-]{1,3}"
    rf"(?P<place>(?=[^\n]{{0,40}}\d)[\w#][\w .#'’/-]{{2,60}}?,[\w ,.#'’/-]{{1,60}}? {_POSTCODE})(?!\w)",
    re.I,
)
_CODE: Final = re.compile(r"\d{5}|[A-Z]{1,2}\d[A-Z\d]? ?\d?[A-Z]|\d{4} ?[A-Z]{2}|[A-Z]{2,3} \d{4}|, \d{4}")
_CODE_DIGITS: Final = re.compile(r"\d(?:\d{3}|(?<=[A-Z].))")
"""What every match of ``_CODE`` holds, found in a fifth of the time."""
_STREETS: Final = frozenset(words(read_list("extractors/street_words")))
_TAILS: Final = (
    "straße ", "strasse ", "str ", "weg ", "platz ", "gasse ", "allee ", "straat ", "laan ", "gatan ", "vej ",
    "ulica ",
)  # fmt: skip
_BLANKS: Final = str.maketrans(",.;:!?\n\t()<>", " " * 12)
_CUES: Final = Lookout(
    {
        "told": phrases(read_list("extractors/address_cues")),
        "lives": (" live ", " stay ", "reside", "address"),
        "street": _TAILS,
    }
)
_DIGIT: Final = re.compile(r"\d")
_QUAD: Final = re.compile(r"(?<![\w.])(?P<host>\d{1,3}(?:\.\d{1,3}){3})(?::\d{2,5})?(?:/\d{1,2})?(?![\w]|\.\d)")
_SIX: Final = re.compile(r"(?<![\w:.])(?P<host>[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:])")
_HOST_WORD: Final = re.compile(
    r"\b(?:ips?|ipv[46]|server|host|address|router|gateway|ping|logged|vpn|dns|subnet|proxy|ssh|http|(?:posted"
    r"|logged in|login|connect(?:ed)?|visit(?:ed)?) (?:from|to))\b|://\Z",
    re.I,
)
_NUMBERED: Final = re.compile(
    r"\b(?:section|chapter|exercise|ex|version|v|theorem|lemma|problem|question|no|number|def|definition)\.?[ ]?\Z",
    re.I,
)


def find_places(text: str) -> Iterator[Found]:
    """Street addresses of the writer, postal addresses, and IP addresses.

    >>> texts = "I live at 42 Maple Street", "Tom lives at 42 Maple Street", "my ip is 192.168.1.20"
    >>> [text[a:b] for text in texts for a, b, _ in find_places(text)]
    ['42 Maple Street', '192.168.1.20']
    """
    if not _DIGIT.search(text):
        return
    yield from (Found(*span, "places") for span in _streets(text) if not in_expression(text, *span))
    forms = ((_QUAD, ".", 3), (_SIX, ":", 2))
    for form in (form for form, joint, least in forms if text.count(joint) >= least):
        yield from (Found(*match.span("host"), "places") for match in form.finditer(text) if _is_host(match))


def _streets(text: str) -> Iterator[tuple[int, int]]:
    folded = f" {text.lower().translate(_BLANKS)} "
    cues, code = _CUES.seen_in(folded), bool(_CODE_DIGITS.search(text) and _CODE.search(text))
    told, lives = "told" in cues, "lives" in cues
    street = (told or code) and ("street" in cues or not _STREETS.isdisjoint(folded.split()))
    for form, apt in ((_TOLD, street and told), (_POSTAL, street and code), (_CODED, lives and code)):
        if not apt:
            continue
        yield from (match.span("place") for match in form.finditer(text))


def _is_host(match: re.Match[str]) -> bool:
    """Whether digits with points are a machine's address and not the number of a section."""
    try:
        host = ipaddress.ip_address(match["host"])
    except ValueError:
        return False
    before = match.string[max(0, match.start() - 40) : match.start()]
    if _NUMBERED.search(before) or in_expression(match.string, *match.span()):
        return False
    if _HOST_WORD.search(before):
        return True
    return host.version == 6 and match["host"].count(":") > 2 and any(map(str.isalpha, match["host"]))
