"""JSON-LD as pages hold it, mended only outside of strings; microdata whose answers stand beside their question."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus.reasons import Reason
from crawlers.html_reading.structured import load_loose
from crawlers.parsers import pages, qapage
from crawlers.posts import ParsedThread
from extractors.extraction_errors import ExtractionError
from tests.crawlers.made import read_by
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
    thread = read_by(qapage, f"<body>{body}</body>", URL)
    assert thread is not None
    assert [(one.text, one.is_best) for one in thread.answers] == wanted


def test_two_questions_are_no_thread() -> None:
    assert read_by(qapage, f"<body>{ASKED}{ASKED}{BEST}</body>", URL) is None


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
    thread = read_by(qapage, opening + MARKED, url)
    assert thread is not None
    assert thread.url == url
    assert thread.native_id not in ("q/7", "")


@pytest.mark.rows("opening", ["<html>", '<html class="amp" lang="amp">', '<html><script src="/v0.js"></script>'])
def test_any_other_page_has_the_address_that_it_names(opening: str) -> None:
    thread = read_by(qapage, opening + MARKED, URL + "?view=print")
    assert thread is not None
    assert (thread.native_id, thread.url) == ("q/7", URL)


def test_an_amp_copy_of_a_forum_has_an_address_of_its_own() -> None:
    html = (Path(__file__).parent / "pages" / "discourse" / "page.html").read_text(encoding="utf-8")
    url = "https://talk.example/t/coins/12/amp"
    full, copy = pages.parse_thread(html, url), pages.parse_thread(html.replace("<html ", "<html amp ", 1), url)
    assert full is not None
    assert copy is not None
    assert (full.native_id, copy.native_id) == ("t/coins/12", "t/coins/12/amp")


REFERRED = """<html><body><div itemscope itemtype="https://schema.org/QAPage">
<div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question" itemref="a1 asked a1">
<h1 itemprop="name">Pens</h1></div></div>
<div id="asked"><div itemprop="text">Ann has 3<sup>2</sup> pens and buys 4. How many now?</div></div>
<div id="a1" itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer" itemref="votes said">1 of 1</div>
<p id="said" itemprop="text">9 + 4 = 13</p><p id="votes" itemprop="upvoteCount">2</p></body></html>"""


def test_parts_that_stand_elsewhere_are_those_that_itemref_names() -> None:
    thread = pages.parse_thread(REFERRED, URL)
    assert thread is not None
    assert thread.question == "Pens\nAnn has 3^2 pens and buys 4. How many now?"
    assert [(answer.text, answer.score) for answer in thread.answers] == [("9 + 4 = 13", 2)]


def test_a_question_that_names_a_part_which_is_not_there_is_no_post() -> None:
    with pytest.raises(ExtractionError, match="names a part 'asked' ") as caught:
        pages.parse_thread(REFERRED.replace('id="asked"', 'id="other"'), URL)
    assert caught.value.code == Reason.TRUNCATED


def test_parts_that_name_each_other_end() -> None:
    around = '<div id="asked" itemscope itemref="asked a1 asked" itemprop="about">'
    assert pages.parse_thread(REFERRED.replace('<div id="asked">', around), URL) is not None


def test_the_text_of_json_ld_is_taken_where_the_page_marks_a_headline_only() -> None:
    marked = '<div itemscope itemtype="https://schema.org/Question"><h1 itemprop="name">Pens</h1></div>'
    linked = json.dumps(QUESTION | {"name": "Pens", "text": "Ann has 3 pens. How many?"})
    page = f'<html><body>{marked}<script type="application/ld+json">{linked}</script></body></html>'
    thread = pages.parse_thread(page, URL)
    assert thread is not None
    assert thread.question == "Pens\nAnn has 3 pens. How many?"


def discussion(**more: Any) -> str:
    posting = {"@context": "https://schema.org", "@type": "DiscussionForumPosting", "headline": "Pens"} | more
    return f'<html><script type="application/ld+json">{json.dumps(posting)}</script><body><p>9</p></body></html>'


def test_a_discussion_in_json_ld_is_a_thread_with_its_comments_in_order() -> None:
    inner = [{"@type": "Comment", "text": "thanks"}]
    comments = [{"@type": "Comment", "text": "3 + 4 = 7", "upvoteCount": 3, "comment": inner}, {"text": "seven"}, "no"]
    thread = pages.parse_thread(discussion(text="3 pens and 4. How many?", comment=comments), URL)
    assert thread is not None
    assert thread.question == "Pens\n3 pens and 4. How many?"
    assert [(one.text, one.score, one.is_best) for one in thread.answers] == [
        ("3 + 4 = 7", 3, False),
        ("thanks", None, False),
        ("seven", None, False),
    ]


def test_a_discussion_without_its_text_and_a_listing_of_several_are_no_thread() -> None:
    assert pages.parse_thread(discussion(description="3 pens and ..."), URL) is None
    one = discussion(text="How many?")
    assert pages.parse_thread(one.replace("</html>", "") + one, URL) is None
    assert pages.parse_thread(one, f"{URL}?page=2") is None
