"""How many pages a second the page parsers read: frozen pages in furniture of a usual size, beside bare lxml."""

import time
from collections.abc import Callable, Sequence

from lxml import etree

from benchmarks.measuring import ROOT, Row, signature, table
from crawlers.parsers.pages import parse_thread

FOLDER = ROOT / "tests" / "crawlers" / "pages"
ASKED = 1000
REPEATS = 60
ADDRESSES = {
    "algebra": "https://www.algebra.com/algebra/homework/word/mixtures/Mixture_Word_Problems.faq.question.900001.html",
}
NAMES = (
    "algebra", "qapage-linked", "qapage-marked", "stackexchange", "phpbb", "xenforo", "vbulletin", "discourse", "list",
    "yahoo-2009", "yahoo-2013", "yahoo-2018",
)  # fmt: skip
_LINK = (
    '<li class="menu-item"><a href="/section/{0}?sort=new" title="Section {0}">Section {0}</a> <span>{0}</span></li>\n'
)
_MENU = '<nav class="site-menu"><ul>' + "".join(_LINK.format(number) for number in range(120)) + "</ul></nav>"
_SCRIPT = "<script>" + "window.x = window.x || []; if (x.length<9) x.push({'a': 1});\n" * 80 + "</script>"
FURNITURE = _SCRIPT + _MENU


def page_of(name: str) -> str:
    """A frozen page with a menu and a script of the size that sites have."""
    html = (FOLDER / name / "page.html").read_text(encoding="utf-8")
    start = html.lower().index("<body")
    at = html.index(">", start) + 1
    return html[:at] + FURNITURE + html[at:]


def _seconds(call: Callable[[str], object], pages: Sequence[str], repeats: int) -> float:
    for page in pages:
        call(page)
    started = time.process_time()
    for _ in range(repeats):
        for page in pages:
            call(page)
    return time.process_time() - started


def _bare(html: str) -> object:
    return etree.fromstring(html.encode(), etree.HTMLParser(huge_tree=True, encoding="utf-8"))


def _rate(pages: Sequence[str], url: str, repeats: int) -> tuple[float, float]:
    """Pages a second of processor time, and that rate over the rate of lxml alone."""
    ours = _seconds(lambda html: parse_thread(html, url), pages, repeats)
    return len(pages) * repeats / ours, _seconds(_bare, pages, repeats) / ours


def measure(repeats: int = REPEATS) -> str:
    """A row per kind of page; pages without a thread; small thread pages; a mixture of one thread page in ten."""
    kinds = {name: ([page_of(name)], ADDRESSES.get(name, "https://forum.example/t/17")) for name in NAMES}
    other = "<html><head><title>About</title></head><body>" + FURNITURE + "<p>About us.</p></body></html>"
    kinds["no thread"] = ([other], "https://forum.example/about")
    bare = [(FOLDER / name / "page.html").read_text(encoding="utf-8") for name in NAMES if name not in ADDRESSES]
    kinds["threads without furniture"] = (bare, "https://forum.example/t/17")
    kinds["one thread page in ten"] = ([*[other] * 9, page_of("qapage-linked")], "https://forum.example/t/17")
    rows = []
    for name, (pages, url) in kinds.items():
        rate, ratio = _rate(pages, url, repeats)
        asked = name in ("one thread page in ten", "threads without furniture")
        size = sum(map(len, pages)) / len(pages) / 1000
        rows.append(
            Row(
                f"{name} ({size:.0f} kB)",
                len(pages) * repeats,
                f"{rate:,.0f} pages/s, {ratio:.2f} of bare lxml",
                f"at least {ASKED:,} pages/s" if asked else "",
                rate >= ASKED if asked else None,
            )
        )
    note = f"Processor time of one core, parsing to a post without personal data. {signature('lxml')}."
    return table("Page parsers", rows, note)


if __name__ == "__main__":
    print(measure())
