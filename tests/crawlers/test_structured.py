"""JSON-LD as pages hold it, mended only outside of strings; microdata whose answers stand beside their question."""

import json
from pathlib import Path
from typing import Any

import pytest

from crawlers.parsers import pages, qapage
from crawlers.posts import ParsedThread
from crawlers.structured import load_loose
from tests.growth.counting import assert_linear
from tests.tiers import in_turn

URL = "https://forum.example/q/7"
ANSWERS: list[dict[str, Any]] = [
    {"@type": "Answer", "text": "9, // not 8,] or /* 7 */", "upvoteCount": 2},
    {"@type": "Answer", "text": "x = 9", "upvoteCount": 5},
]
QUESTION = {"@type": "Question", "name": "How old?", "text": "Ann is 9, {half} of Bob, [now]"}
THREAD: dict[str, Any] = {
    "@context": "https://schema.org",
    "@type": "QAPage",
    "mainEntity": QUESTION | {"suggestedAnswer": ANSWERS[:1], "acceptedAnswer": ANSWERS[1]},
}
PLAIN = json.dumps(THREAD)
INDENTED = json.dumps(THREAD, indent=1)


def read(script: str, kind: str = "application/ld+json") -> ParsedThread | None:
    page = f'<html><head><script type="{kind}">{script}</script></head><body><p>9</p></body></html>'
    return pages.parse_thread(page, URL)


def untyped(thread: dict[str, Any]) -> str:
    entity = {name: value for name, value in thread["mainEntity"].items() if name != "@type"}
    return json.dumps(thread | {"mainEntity": entity})


FORMS = {
    "plain": PLAIN,
    "cdata": f"<![CDATA[{PLAIN}]]>",
    "commented cdata": f"//<![CDATA[\n{PLAIN}\n//]]>",
    "starred cdata": f"/*<![CDATA[*/{PLAIN}/*]]>*/",
    "spaced cdata": f"\n// <![CDATA[\n{PLAIN}\n// ]]>\n",
    "html comment": f"<!--\n{PLAIN}\n//-->",
    "a remark": f"<!-- made by a plugin -->\n{PLAIN}",
    "line comments": "// one\n" + INDENTED.replace("\n", " // and, so } on\n"),
    "block comments": INDENTED.replace("\n", "/* , ] */\n"),
    "byte order mark": "\ufeff" + PLAIN,
    "byte order mark after a line": "\n\ufeff\n" + PLAIN,
    "trailing commas": INDENTED.replace("\n ]", ",\n ]").replace("\n}", ",\n}").replace("}\n   ]", "},\n   ]"),
    "comma before a comment": PLAIN[:-1] + ", // end\n}",
    "semicolon": PLAIN + ";",
    "escaped": PLAIN.replace("&", "&amp;").replace('"', "&quot;"),
    "line ends in strings": PLAIN.replace("[now]", "[now]").replace("9, {half}", "9,\t{half}"),
    "no type of the question": untyped(THREAD),
    "prefixed types": PLAIN.replace('"Question"', '"schema:Question"').replace('"QAPage"', '"schema:QAPage"'),
    "types as addresses": PLAIN.replace('"Question"', '"http://schema.org/Question"'),
    "a list": f"[{PLAIN}]",
    "a graph": json.dumps({"@context": "https://schema.org", "@graph": [{"@type": "WebPage"}, THREAD]}),
}


@pytest.mark.rows("script", FORMS.values(), ids=FORMS)
def test_linked_data_is_read_in_every_form(script: str) -> None:
    thread = read(script)
    assert thread is not None
    assert " ".join(thread.question.split()) == "How old? Ann is 9, {half} of Bob, [now]"
    assert [(one.text, one.is_best, one.score) for one in thread.answers] == [
        ("x = 9", True, 5),
        ("9, // not 8,] or /* 7 */", False, 2),
    ]


@pytest.mark.rows(
    "kind",
    ["application/ld+json; charset=utf-8", "application/ld+json;charset=UTF-8", " Application/LD+JSON ; profile=x"],
)
def test_the_media_type_may_have_parameters(kind: str) -> None:
    assert read(PLAIN, kind) == read(PLAIN)


@pytest.mark.rows(
    ("script", "kind"),
    [
        (PLAIN, "application/json"),
        (PLAIN, "application/ld+json2"),
        (PLAIN[:-1], "application/ld+json"),
        (PLAIN + PLAIN, "application/ld+json"),
        (PLAIN.replace('": "', '" "'), "application/ld+json"),
        ("[1,,2]", "application/ld+json"),
        (json.dumps(THREAD | {"mainEntity": {"name": "How old?", "text": "9"}}), "application/ld+json"),
        (json.dumps(THREAD | {"mainEntity": QUESTION | {"@type": "Product"}}), "application/ld+json"),
        (json.dumps(THREAD | {"mainEntity": "https://forum.example/q/8"}), "application/ld+json"),
        (json.dumps(THREAD | {"@type": "FAQPage"}), "application/ld+json"),
    ],
)
def test_what_is_no_linked_data_of_a_thread_is_left_alone(script: str, kind: str) -> None:
    assert read(script, kind) is None


def test_only_what_stands_outside_of_strings_is_mended() -> None:
    text = '{"a": "x,]", "b": "// 1 /* 2 */ <!-- 3 --> ]]>", "c": "\\",}", "d": [1, 2,],}'
    assert load_loose(text) == {"a": "x,]", "b": "// 1 /* 2 */ <!-- 3 --> ]]>", "c": '",}', "d": [1, 2]}


@pytest.mark.rows(
    "text", in_turn(['"\\', "/*x", "/*", ",", ",/*x", '," ', "<!--", "//", ", ", "<!-- x", "[", '{"a":'], 3), ids=repr
)
def test_hostile_scripts_are_looked_at_once(text: str) -> None:
    def load(script: str) -> None:
        with pytest.raises((ValueError, RecursionError)):
            load_loose(script)

    load(text * (400_000 // len(text)))
    assert_linear(load, text)


def item(kind: str, prop: str, body: str, name: str = "") -> str:
    named, ident = f' itemprop="{prop}"' if prop else "", f' id="{name}"' if name else ""
    return f'<div itemscope itemtype="https://schema.org/{kind}"{named}{ident}>{body}</div>'


def text(words: str) -> str:
    return f'<p itemprop="text">{words}</p>'


ASKED = item("Question", "mainEntity", f'<h1 itemprop="name">How old?</h1>{text("Ann is 9")}')
FIRST, BEST = (
    item("Answer", "suggestedAnswer", text("no idea"), "a1"),
    item("Answer", "acceptedAnswer", text("9"), "a2"),
)
ALONE = item("Answer", "", text("9"), "a2")
LINK = '<link itemprop="acceptedAnswer" href="/q/7#a2">'


@pytest.mark.rows(
    ("body", "wanted"),
    [
        (ASKED + FIRST + BEST, [("no idea", False), ("9", True)]),
        (item("QAPage", "", ASKED + FIRST + BEST), [("no idea", False), ("9", True)]),
        (item("QAPage", "", BEST + ASKED + FIRST), [("9", True), ("no idea", False)]),
        (ASKED.replace("</div>", f"{BEST}</div>") + FIRST, [("9", True), ("no idea", False)]),
        (ASKED.replace("</div>", f"{FIRST}</div>") + BEST, [("no idea", False), ("9", True)]),
        (ASKED.replace("</div>", f"{LINK}</div>") + FIRST + ALONE, [("no idea", False), ("9", True)]),
        (ASKED + item("ItemList", "", FIRST + ALONE), [("no idea", False), ("9", False)]),
        (ASKED + FIRST.replace("</div>", f"{item('Answer', '', text('quoted'))}</div>"), [("no idea", False)]),
        (ASKED + FIRST + item("Comment", "comment", ALONE), [("no idea", False)]),
    ],
)
def test_answers_beside_their_question_keep_which_is_best(body: str, wanted: list[tuple[str, bool]]) -> None:
    thread = qapage.parse_thread(f"<body>{body}</body>", URL)
    assert thread is not None
    assert [(one.text, one.is_best) for one in thread.answers] == wanted


def test_two_questions_are_no_thread() -> None:
    assert qapage.parse_thread(f"<body>{ASKED}{ASKED}{BEST}</body>", URL) is None


MARKED = f'<link rel="canonical" href="/q/7"><body>{item("QAPage", "", ASKED + BEST)}</body>'


@pytest.mark.rows(
    ("opening", "url"),
    [
        ("<html amp>", "https://forum.example/q/7/amp"),
        ("<html \u26a1 lang=en>", "https://forum.example/q/7?amp=1"),
        ('<html><script async src="https://cdn.ampproject.org/v0.js"></script>', "https://forum.example/amp/q/7"),
    ],
)
def test_an_amp_copy_has_an_address_of_its_own(opening: str, url: str) -> None:
    thread = qapage.parse_thread(opening + MARKED, url)
    assert thread is not None
    assert thread.url == url
    assert thread.native_id not in ("q/7", "")


@pytest.mark.rows("opening", ["<html>", '<html class="amp" lang="amp">', '<html><script src="/v0.js"></script>'])
def test_any_other_page_has_the_address_that_it_names(opening: str) -> None:
    thread = qapage.parse_thread(opening + MARKED, URL + "?view=print")
    assert thread is not None
    assert (thread.native_id, thread.url) == ("q/7", URL)


def test_an_amp_copy_of_a_forum_has_an_address_of_its_own() -> None:
    html = (Path(__file__).parent / "pages" / "discourse" / "page.html").read_text(encoding="utf-8")
    url = "https://talk.example/t/coins/12/amp"
    full, copy = pages.parse_thread(html, url), pages.parse_thread(html.replace("<html ", "<html amp ", 1), url)
    assert full is not None
    assert copy is not None
    assert (full.native_id, copy.native_id) == ("t/coins/12", "t/coins/12/amp")
