"""Names that a person gives as his own or signs with, whosoever it is. People of a problem keep theirs.

"my name is Gertrude" and "Regards, Gertrude" are of the one who writes; "Gertrude is 3 times as old as Marcus" is not.

The names of a thread's authors, where a text mentions them; a name that could be of the problem stays elsewhere.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from extractors.privacy.cues import cues_in
from extractors.text.edits import MARKS, Found
from extractors.text.wordlists import read_list, words

_PART: Final = r"(?:(?:[OD]['’]|Mc|Mac|Al-)?[^\W\d_a-zß-öø-ÿ][^\W\d_]{1,20}+(?:['’-][^\W\d_]{2,20}+){0,2})"
_TITLE: Final = r"(?:Dr|Mr|Mrs|Ms|Prof|Professor|Miss|Sir|Aunt|Uncle)\b\.? "
_NAME: Final = (
    rf"(?P<name>(?:{_TITLE})?(?:[A-Z]\. ?){{0,2}}{_PART}(?: (?:(?:van|von|de|der|da|la|del|bin"
    rf"|al) ){{0,2}}(?:{_PART}|[A-Z]\b\.?)){{0,3}})"
)
_END: Final = (
    r"(?=[ \t]*(?:[.,!;:)\n<&~-]|\Z|[ ](?i:and|from|but|i|im|i['’]m|pls|please|plz|here|who|age|aged|in|thanks)\b))"
)
_RELATIVE: Final = (
    r"(?:son|daughter|kid|child|boy|girl|brother|sister|wife|husband|mother|father|mom|mum|dad|friend|niece"
    r"|nephew|tutor"
    r"|teacher|student|grandson|granddaughter)"
)
_GREETING: Final = (
    r"\b(?i:hi|hello|hey|hiya|greetings|yo|everyone|everybody|all|guys|there|folks|sir|good morning"
    r"|good evening|good afternoon)"
)
_START: Final = r"(?:\A|[.!?\n>(][ \t]{0,2})"
_SAID: Final = re.compile(
    rf"\b(?i:my (?:{_RELATIVE}['’]?s? )?(?:full |first |last |real |user)?(?:name|surname))"
    rf"(?:(?i: is called| is|['’]s|s| =|:)?(?i: is)? {_NAME}"
    rf"|(?i: is called| is|['’]s|s| =|:)(?i: is)? (?P<low>[a-z]{{3,14}}(?: [a-z]{{3,14}})?){_END})"
    rf"|\b(?i:the name['’]s|me llamo|mi nombre es|mein name ist|ich bin|ich hei(?:ß|ss)e|je m['’]appelle|mi chiamo"
    rf"|(?:o )?meu nome [ée]|jag heter|mam na imię) (?P<other>{_NAME.replace('?P<name>', '?:')}){_END}"
)
_CALLED: Final = re.compile(
    rf"\b(?:(?i:i am|i['’]m|im) called|(?i:calls? me|named me|i go by|you can call me)) {_NAME}{_END}"
)
_I_AM: Final = re.compile(
    rf"(?:{_START}|{_GREETING}[ \t,.!:]{{0,3}})(?i:i am|i['’]?m|my self|myself) {_NAME}"
    r"(?=[ \t]*(?:,(?! (?!(?i:i|and i)\b)(?:\w+ ){0,2}(?:is|are|has|have)\b)|\n|\Z|[ ](?i:from|and (?:i|my"
    r"|this)|here|years)\b))"
    rf"|{_GREETING}[ \t,.!:]{{0,3}}(?i:i am|i['’]?m) (?P<greeted>{_NAME.replace('?P<name>', '?:')})(?=[.!])"
)
_LISTED: Final = re.compile(
    rf"(?:{_START}|{_GREETING}[ \t,.!:]{{0,3}})(?i:i am|i['’]?m|this is"
    rf"|it['’]?s) (?P<name>[^\W\d_]{{3,14}}){_END}(?![ \t]?[=:])"
)
_THIS_IS: Final = re.compile(
    rf"(?:{_START}|{_GREETING}[ \t,.!:]{{0,3}})"
    rf"(?i:this is|it['’]s|its) {_NAME}(?:(?= (?i:here|again|from|speaking)\b)|(?=, (?i:how|i|can|what|please"
    rf"|could|need)\b))"
)
_HERE: Final = re.compile(
    rf"(?:{_START}|(?P<greeting>\b(?i:hi|hello|hey|hiya))(?i: guys| all| everyone| there"
    rf"| folks)?[,!]?[ \t]{{1,3}}){_NAME}"
    r" here(?=[,.!;:]|[ \t]*(?:\n|\Z)| (?i:from|again|with)\b)"
)
_FIELD: Final = re.compile(
    rf"(?:\A|\n|<p>)[ \t]{{0,4}}(?i:(?:full |student |first |last |my |your )?name|student|submitted by"
    rf"|author)[ \t]?[:=][ \t]{{0,3}}{_NAME}[ \t]*(?=\n|\Z|<|,)"
)
_THANKS: Final = (
    r"(?:thanks?|thank (?:you|u)|thankyou|thx|thnx|thanx|tnx|tks|ty|tysm|tia|gracias|merci|danke|grazie|obrigad[oa])"
)
_CLOSED: Final = re.compile(
    r"(?:\A|[\n.!?,;)] ?)[ \t]{0,4}(?i:(?:with )?(?:kind(?:est)?|best|warm(?:est)?|many)? ?(?:regards|wishes)"
    r"|best|all the best"
    r"|hope (?:this|that|it) help(?:s|ed)|sincerely(?: yours)?|yours(?: truly| sincerely| faithfully)?"
    r"|signed|cheers|love|hugs|peace|xoxo|respectfully|cordially|your friend|ciao|take care|greetings|god bless"
    r"|have a (?:nice|good|great) day"
    rf"|(?:many |much )?{_THANKS}(?: (?:so much|a lot|again|very much|in advance|everyone|all|you|guys"
    rf"|for (?:the|your|any) help)){{0,2}})"
    rf"[ \t]?(?:[,!.~–-]{{0,3}}|:\))(?:[ \t]{{0,3}}\n{{1,2}}[ \t]{{0,4}}"
    rf"|[ \t](?:from )?)[-–—~]{{0,2}} ?{_NAME}[.!]?[ \t]*(?:[:;]-?[)D]|x{{1,3}}\b|<3)?[ \t]*(?=\n|\Z|<)"
)
_DASHED: Final = re.compile(rf"(?:\A|\n|[.!?)] )[ \t]{{0,4}}[-–—~]{{1,3}}[ \t]?{_NAME}[.!]?[ \t\n]*\Z")
_BULLET: Final = re.compile(r"(?:\A|\n)[ \t]{0,4}(?:[-–—~*•][ \t]?\w|[A-Za-z\d][).:])[^\n]*\n")
_DASH: Final = re.compile("[-–—~]")
_LEAVE: Final = re.compile(
    r"\b(?:thank|thx|hope|help|cheers|luck|regards|bye|best|please|pls|\[mail\]|\[phone\])", re.I
)
_BY_LINE: Final = re.compile(
    rf"\b(?i:posted|written|submitted|answered|solved|asked|solution|answer) by:? {_NAME}[.!]?[ \t]*(?=\n|\Z|<)"
)
_REPORTED: Final = re.compile(
    rf"\b(?i:my {_RELATIVE}),? {_NAME},? (?:says|thinks|claims|insists|told me) (?=the answer|it\b|its\b|that it|i )"
)
_NO_NAMES: Final = frozenset(words(read_list("extractors/no_names")))
_GIVEN_NAMES: Final = frozenset(words(read_list("extractors/given_names")))
_FORMS: Final = {
    "said": _SAID,
    "called": _CALLED,
    "i am": _I_AM,
    "listed": _LISTED,
    "this is": _THIS_IS,
    "here": _HERE,
    "field": _FIELD,
    "by-line": _BY_LINE,
    "reported": _REPORTED,
    "closed": _CLOSED,
}
"""Each form by its cues, of which one stands in a text that it is to match."""
_TRIGGERS: Final = frozenset(words(read_list("extractors/name_cues")))
"""A text with none of these words gives and signs no name, but for a last line after a dash."""
_BLANKS: Final = str.maketrans(dict.fromkeys(',.;:!?\n\t()<>=-–—~"“”*/', " "))


def find_people(text: str) -> Iterator[Found]:
    """Names that the writer gives himself or those at his side ("my daughter's name is"), and signs with.

    >>> texts = "my name is Gertrude", "My name is a word of 5 letters"
    >>> [text[a:b] for text in texts for a, b, _ in find_people(text)]
    ['Gertrude']
    """
    if _can_end_in_a_name(text) and _DASH.search(text[-160:].rstrip().rpartition("\n")[2]):
        yield from _named(_DASHED, text, max(0, len(text) - 160))
    cues = cues_in(text)
    if _FORMS.keys().isdisjoint(cues) or _TRIGGERS.isdisjoint(text.lower().translate(_BLANKS).split()):
        return
    for name, form in _FORMS.items():
        if name in cues:
            yield from _named(form, text)


def _can_end_in_a_name(text: str) -> bool:
    """Whether a letter ends the text, but for stops: a sum that ends in its result is signed by nobody."""
    last = text[-160:].rstrip().rstrip(".!")[-1:]
    return last.isalnum() and not last.isdecimal()


def _named(form: re.Pattern[str], text: str, start: int = 0) -> Iterator[Found]:
    for match in form.finditer(text, start):
        group = next(group for group, value in match.groupdict().items() if value and group != "greeting")
        words = match[group].split()
        first = words[0].lower().strip(".'’")
        if group == "low":
            words = words[:1] if len(words) > 1 and words[1] in _NO_NAMES else words
        if first in _NO_NAMES or (form is _I_AM and first.endswith(("ing", "ed"))):
            continue
        if form is _CLOSED and "\n" not in match[0].strip() and _is_plain(words):
            continue
        if form is _LISTED and first not in _GIVEN_NAMES:
            continue
        if form is _HERE and first not in _GIVEN_NAMES and not match["greeting"]:
            continue
        if (
            form is _DASHED
            and len(words) < 2
            and first not in _GIVEN_NAMES
            and not _is_closing(text, start, match.start())
        ):
            continue
        low = match.start(group)
        end = low + len(" ".join(words))
        if not _is_of_a_problem(text, end):
            yield Found(low, end, "names")


def _is_plain(words: list[str]) -> bool:
    """Whether a lone word by its ending is one of the language: "Thanks everyone, Solved"."""
    return (
        len(words) == 1
        and words[0].lower() not in _GIVEN_NAMES
        and words[0].lower().endswith(("ed", "ing", "ly", "ion"))
    )


def _is_closing(text: str, start: int, end: int) -> bool:
    """Whether a lone word after a dash signs the text: the writer takes leave before it, and it is no point of"
    " a list."""
    return _LEAVE.search(text, start, end) is not None and _BULLET.search(text, start, end + 1) is None


def _is_of_a_problem(text: str, end: int) -> bool:
    """Whether what follows makes it a person or thing of the problem: "Tom's age", "Algebra 2", "Ann is 5"."""
    return (
        re.match(
            r"['’]s\b|[ \t]?\d|[ \t]?[=+*/^]|[ ](?:is|has|and (?!this\b|i\b|my\b)\w+ (?:is|are|have)) (?!\w+ing\b)",
            text[end : end + 40],
        )
        is not None
    )


_MARK = MARKS["names"]
# Before a name: thanks, greetings, closings, by-lines. After it: what is said of people in threads, not in problems.
_BEFORE = (
    r"\b(?i:(?:thanks|thank (?:you|u)|thankyou|thx|tnx|ty|cheers|regards|sincerely|yours(?: truly)?|best wishes)"
    r"(?: (?:a lot|again|so much|very much|in advance))?|hi|hello|hey|dear|sorry|my name is|i agree with"
    r"|(?:posted|answered|solved|asked|written|submitted|edited|answer|solution|reply|comment) by)"
    r"[,:!.]?[ \t]{0,3}\n{0,2}[-–—~]{0,2} ?"
)
_AFTER = (
    r"(?:[ \t]+(?:wrote|pointed out|already (?:said|answered|explained))\b"
    r"|[ \t]+(?:said|says|writes|posted|replied|answered|commented|asked)[ \t]*:"
    r"|['’]s (?:answer|solution|comment|post|reply|explanation|hint)\b"
    r"|[ \t]+(?:is|was) (?:absolutely |totally |quite )?(?:right|correct|wrong|incorrect)\b(?! of))"
)
_SAYS = r" (?:said|says|wrote|noted|mentioned|explained|suggested|pointed|showed|did|has)\b"
_TEXT_END = r"\Z|\s{0,9}(?i:edit|p\.?s\.?|update)\b"
_QUOTING = re.compile(r"(?m)^[^\n]{0,200}?\b(?:wrote ?:|(?i:originally posted by)[^\n]{0,80})")
_MENTION = re.compile(
    r"(?<![\w.@)\]}$%])@(?:[A-Z][A-Za-z]\w{0,28}|[A-Za-z]\w{0,28}[_\d]\w{0,28})(?![\w@]|\.\w|\s*[=(^*/+])"
)
_SIGNED = re.compile(
    r"\b(?i:thanks|thank you|thx|cheers|regards|sincerely|best wishes)"
    r"(?: (?:a lot|again|so much|very much|in advance))?[,!.]?(?:[ \t]{1,3}|[ \t]{0,3}\n{1,2})[-–—~]{0,2} ?"
    r"(?P<name>[A-Z][a-z]{1,20}(?: [A-Z](?:[a-z]{1,20}|\.))?)[.!]?\s{0,9}\Z"
)
_LONGEST_SIGNED = 100
"""No match of ``_SIGNED`` is longer, and it ends the text."""
MAX_AUTHOR = 80
"""Characters of an author's name; what is longer is none, and its words are not sought."""
_NO_AUTHORS = frozenset(words(read_list("extractors/no_author_names")))
_HANDLE = re.compile(r"[A-Za-z]\w*[_.\d]\w*|\w*[a-z][A-Z]\w*")


def scrub_authors(text: str, names: Iterable[str]) -> tuple[str, int]:
    """The text without mentions of ``names``, and how many there were.

    >>> scrub_authors("Tom has 9 pens, @Tom said. thanks math_fan22", ["Tom", "math_fan22"])
    ('Tom has 9 pens, [name] said. thanks [name]', 2)
    """
    whole = {name for given in names if len(name := given.strip()) <= MAX_AUTHOR}
    parts = {part for name in whole if " " in name for part in re.findall(r"[^\W\d_]{3,}", name)}
    total, folded = 0, text.casefold() if whole else ""
    for name in sorted(whole | parts, key=lambda name: (-len(name), name)):
        if len(name) >= 2 and name.casefold() in folded:
            text, count = _scrub_name(text, name)
            total, folded = total + count, text.casefold()
    text, mentioned = _MENTION.subn(_MARK, text) if "@" in text else (text, 0)
    total += mentioned
    found = _SIGNED.search(text, max(0, len(text) - _LONGEST_SIGNED)) if _can_end_in_a_name(text) else None
    if found is None or found["name"].split()[0].lower() in _NO_AUTHORS:
        return text, total
    return text[: found.start("name")] + _MARK, total + 1


def _scrub_name(text: str, name: str) -> tuple[str, int]:
    """Without one name: a handle or full name wherever it stands, a word that could be of the problem as a mention."""
    quoted, handle = re.escape(name), bool(_HANDLE.fullmatch(name))
    count = 0

    def marked(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return (match["before"] or "") + _MARK

    anywhere = rf"|(?<![\w@]){quoted}(?!\w)" if handle or (" " in name and not name.islower()) else ""
    quiet = rf"(?:{quoted}(?!\w)|{re.escape(name.lower())}(?=[ \t]*(?:[.!,;:)\n]|\Z)))"
    forms = (
        rf"(?P<before>(?<=\n))[ \t]{{0,9}}[-–—~]{{0,3}} ?(?i:{quoted})[.!]?[ \t]{{0,9}}(?={_TEXT_END})",
        rf"(?P<before>){'(?i:' if handle else '(?:'}@(?i:{quoted})(?!\w){anywhere})",
        rf"(?P<before>{_BEFORE}){quiet}",
        rf"(?P<before>(?<!\w)){quoted}(?={_AFTER})",
        rf"(?P<before>\b(?i:as|like) ){quoted}(?={_SAYS})",
    )
    for form in forms:
        text = re.sub(form, marked, text)
    lines = _QUOTING.sub(lambda line: re.sub(rf"(?P<before>(?<!\w)){quoted}(?!\w)", marked, line[0]), text)
    return lines, count
