"""Pages of algebra.com: questions with their tutors' answers, the embedded form, the source view, and listings.

The site numbers questions and solutions. A question page names each answer's tutor and solution and shows its formulas
as images of ``plot-formula.mpl``; ``embed-solution.mpl`` is the same in lines of ``document.write``;
``show-question-source.mpl`` is what the tutor typed, without the question: it gives no post.
"""

import re
from urllib.parse import urljoin

from corpus.reasons import Reason
from crawlers.html_reading.html_text import element_text
from crawlers.html_reading.html_tree import Element, flat, parse_document
from crawlers.posts import ParsedAnswer, ParsedThread
from crawlers.threads import ThreadDraft, address_of, finished, numbered
from extractors.extraction_errors import ExtractionError

SITE = "algebra.com"
_QUESTION = re.compile(r"\bQuestion\s{1,4}#?(\d{1,9})\b[ \t]{0,9}:?\s{0,9}")
_FOUND = re.compile(r"\(?Found\s{1,4}(\d{1,4})\s{1,4}solutions?\s{1,4}by\s{1,4}[^\n]{1,2000}?:\)?[ \t]{0,9}(?=\n|\Z)")
_ANSWER = re.compile(
    r"(?:^|(?<=\n))[ \t]{0,9}(?:Algebra\.Com's )?Answer(?:\s{1,4}#(?P<number>\d{1,9}))?\s{1,4}by\s{1,4}"
    r"(?P<tutor>[^\n(]{1,80}?)\s{0,4}\(\d{1,9}\)"
)
_SHOWN = re.compile(r"\(\s{0,4}Show\s{1,4}Source\s{0,4}\)\s{0,4}:?")
_INVITATION = re.compile(
    r"You\s{1,4}can\s{1,4}put\s{1,4}this\s{1,4}solution\s{1,4}on\s{1,4}YOUR\s{1,4}website\s{0,4}!?\s{0,9}"
)
_SOLUTION = re.compile(r"(?:show-question-source|embed-solution)\.mpl\?(?:[^\"'#]{0,200}&)?solution=(\d{1,9})")
_WRITE = re.compile(r"""document\.write\(\s{0,8}(?:"((?>(?:[^"\\\n]|\\.)*))"|'((?>(?:[^'\\\n]|\\.)*))')\s{0,8}\)""")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.S)
_ESCAPED = {"n": "\n", "r": "", "t": "\t", "b": "", "f": "", "v": "", "0": ""}
_THREAD_LINK = re.compile(r"\.faq\.question\.(\d{1,9})\.html(?:\Z|[?#])")
_LISTING_LINK = re.compile(r"\.faq(?:\.hide_answers\.\d)?(?:\.html)?(?:\?[\w=&;-]{0,200})?\Z")
_AFTER = re.compile(r"\n[ \t]{0,9}RELATED QUESTIONS?\b")
_PRE = re.compile(r"(<pre\b(?>(?:[^<]|<(?!/pre))*)(?:</pre>)?)", re.I)
_BREAK = re.compile(r"(?:<br ?/?>[ \t]{0,9})?\n", re.I)
_MARKUP = re.compile(r"<(?:br|p|div|table|pre)\b", re.I)


def parse_thread(html: str, url: str) -> ParsedThread | None:
    """The thread of a question page or of an embedded solution; None for any other page of the site.

    Raises ExtractionError for a question page whose answers cannot be told apart or are fewer than it announces, and
    (code ``no_text``) for a source view: it holds a solution but no question of its own.
    """
    if "show-question-source.mpl" in url:
        raise ExtractionError(
            f"{url}: source view of a solution; the question has a page of its own", code=Reason.NO_TEXT
        )
    written = _written(html)
    root = parse_document(written or html)
    number = _question_number(root, url, bool(written)) if root is not None else None
    if root is None or number is None:
        return None
    return _thread(root, address_of(root, url), number, _embedded_id(html, url) if written else None)


def thread_links(html: str, url: str) -> tuple[str, ...]:
    """The addresses of question pages on a listing page, in page order, each once.

    >>> thread_links('<a href="/algebra/homework/word/age/Ages.faq.question.12.html">answer</a>', "https://a.example/")
    ('https://a.example/algebra/homework/word/age/Ages.faq.question.12.html',)
    """
    return _links(html, url, _THREAD_LINK)


def listing_links(html: str, url: str) -> tuple[str, ...]:
    """The addresses of listing pages that a page links to: sections, and older solutions of a section."""
    return _links(html, url, _LISTING_LINK)


def _links(html: str, url: str, wanted: re.Pattern[str]) -> tuple[str, ...]:
    root = parse_document(html)
    links = () if root is None else (link.get("href") or "" for link in root.iter("a"))
    return tuple(dict.fromkeys(urljoin(url, href.partition("#")[0]) for href in links if wanted.search(href)))


def _written(html: str) -> str:
    """What the ``document.write`` calls of an embedded solution write; empty for a page without them."""
    if "document.write" not in html:
        return ""
    calls = [match[1] if match[1] is not None else match[2] for match in _WRITE.finditer(html)]
    text = "".join(_ESCAPE.sub(_unescape, call) for call in calls)
    if not _QUESTION.search(text):
        return ""
    return text if _MARKUP.search(text) else _lines(text)


def _embedded_id(html: str, url: str) -> str:
    found = _SOLUTION.search(url) or _SOLUTION.search(html)
    return found[1] if found else "embedded"


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)


def _lines(text: str) -> str:
    """Text as the site shows what was typed: line ends are line breaks, outside of ``<pre>`` too."""
    return "".join(
        part if part[:4].lower() == "<pre" else _BREAK.sub("<br>", part) for part in _PRE.split(text.strip())
    )


def _question_number(root: Element, url: str, embedded: bool) -> str | None:
    """The question a page sets out: the one of its address, else the only one; None on a listing and elsewhere."""
    marks = (_QUESTION.match(flat(mark)) for mark in root.iter("b", "strong"))
    numbers = list(dict.fromkeys(mark[1] for mark in marks if mark))
    asked = _THREAD_LINK.search(url.partition("#")[0])
    if asked and asked[1] in numbers:
        return asked[1]
    if not numbers and (alone := _QUESTION.match(flat(root))):
        return alone[1]
    return numbers[0] if len(numbers) == 1 or (embedded and numbers) else None


def _thread(root: Element, url: str, number: str, embedded: str | None) -> ParsedThread:
    """The thread of question ``number``; an embedded solution is only one of its answers and gets an id of its own."""
    text = element_text(root, _furniture(root))
    where = f"{url}: question {number}"
    found = next((match for match in _QUESTION.finditer(text) if match[1] == number), None)
    if found is None:
        raise ExtractionError(f"{where} is outside the page's text; the markup of the page has changed")
    after = _AFTER.search(text, found.end())
    text = text[found.end() : after.start() if after else len(text)]
    marks = list(_ANSWER.finditer(text))
    body = text[: marks[0].start()] if marks else text
    _check_count(where, body, text, len(marks))
    ids = _solution_ids(root, marks)
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    answers = [
        ParsedAnswer(answer_id, _answer_text(text[mark.end() : end]))
        for mark, end, answer_id in zip(marks, ends, ids, strict=True)
    ]
    draft = ThreadDraft(
        native_id=f"{number}-{embedded}" if embedded else number,
        url=url,
        title="",
        body=_FOUND.sub("", body).strip(),
        body_html=None,
        answers=numbered(answers),
        names=tuple(dict.fromkeys(mark["tutor"].strip() for mark in marks)),
    )
    return finished(draft)


def _check_count(where: str, body: str, text: str, shown: int) -> None:
    announced = _FOUND.search(body)
    if announced and int(announced[1]) != shown:
        raise ExtractionError(f"{where} announces {announced[1]} solutions and shows {shown}", code="truncated")
    if not shown and _INVITATION.search(text):
        raise ExtractionError(f"{where} has answers that cannot be told apart; the markup of the page has changed")


def _answer_text(text: str) -> str:
    opening = _SHOWN.search(text[:200])
    text = text[opening.end() :] if opening else text
    return _INVITATION.sub("", text, count=1).strip()


def _solution_ids(root: Element, marks: list[re.Match[str]]) -> list[str]:
    """The solutions' numbers in page order, or empty ids where they do not match the answers one to one."""
    addresses = (address for link in root.iter("a") if "solution=" in (address := link.get("href") or ""))
    ids = list(dict.fromkeys(found[1] for address in addresses if (found := _SOLUTION.search(address))))
    return ids if len(ids) == len(marks) else [mark["number"] or "" for mark in marks]


def _furniture(block: Element) -> list[Element]:
    """What the page carries around the thread: navigation above the question, forms and links below the answers."""
    return [
        element
        for element in block.iter("h1", "nav", "footer", "table", "div", "ul")
        if element.tag in ("h1", "nav", "footer") or _is_furniture(element)
    ]


def _is_furniture(element: Element) -> bool:
    marks = f"{element.get('class') or ''} {element.get('id') or ''}".lower().split()
    return any(mark in ("nav", "navigation", "breadcrumb", "menu", "footer", "ad", "ads", "related") for mark in marks)
