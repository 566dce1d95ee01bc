"""Word lists are files that some module reads: here is which, list by list."""

import ast
from pathlib import Path

import pytest

from corpus.code import PACKAGES, ROOT, lists_of
from extractors.text import wordlists

PERSONAL, CHATTER = "extractors.privacy", "extractors.text.cleaning"
PROFILES, ROLES = "curation.near_texts.plain_tokens", "crawlers.parsers.lists"
USERS = {
    "models/number_words": ["models.post_model"],
    "crawlers/aside_names": [ROLES],
    "crawlers/chtml_empty": ["crawlers.html_reading.chtml"],
    "crawlers/chtml_rows": ["crawlers.html_reading.chtml"],
    "crawlers/element_names": ["crawlers.html_reading.html_tree"],
    "crawlers/neutral_names": [ROLES],
    "crawlers/quiz_names": [ROLES],
    "curation/ambiguous_names": [PROFILES],
    "curation/masked_names": [PROFILES],
    "curation/masked_numbers": [PROFILES],
    "curation/stop_words": [PROFILES],
    "extractors/account_services": [f"{PERSONAL}.handles"],
    "extractors/actors": ["extractors.questions.wording"],
    "extractors/address_cues": [f"{PERSONAL}.places"],
    "extractors/blend_words": ["extractors.questions.mixtures"],
    "extractors/breaking_elements": ["extractors.text.markup"],
    "extractors/chatter_marks": [CHATTER],
    "extractors/chatter_words": [CHATTER],
    "extractors/clause_ends": ["extractors.questions.worded"],
    "extractors/clause_starts": ["extractors.questions.worded"],
    "extractors/closing_cues": [f"{PERSONAL}.cues"],
    "extractors/connectives": ["extractors.equations.answer_tokens"],
    "extractors/context_fillers": ["extractors.templates.matching"],
    "extractors/counting_words": ["extractors.questions.wording"],
    "extractors/currencies": ["extractors.quantities.units"],
    "extractors/denominators": ["extractors.quantities.numerals"],
    "extractors/fillers": ["extractors.questions.worded"],
    "extractors/form_guards": ["extractors.questions.stated"],
    "extractors/given_names": ["evaluation.variations.inserted_sentences", f"{PERSONAL}.people"],
    "extractors/greetings": [CHATTER],
    "extractors/handle_cues": [f"{PERSONAL}.cues"],
    "extractors/inline_elements": ["extractors.text.markup"],
    "extractors/investment_words": ["extractors.questions.mixtures"],
    "extractors/latex_layout": ["extractors.text.latex"],
    "extractors/latex_line_breaks": ["extractors.text.latex"],
    "extractors/latex_names": ["extractors.text.latex"],
    "extractors/latex_wrappers": ["extractors.text.latex"],
    "extractors/lean_words": ["extractors.questions.worded"],
    "extractors/mail_domains": [f"{PERSONAL}.mails"],
    "extractors/mail_providers": [f"{PERSONAL}.mails"],
    "extractors/measured_units": ["extractors.questions.worded"],
    "extractors/mixture_guards": ["extractors.questions.mixtures"],
    "extractors/mixture_words": ["extractors.questions.mixtures"],
    "extractors/multipliers": ["extractors.quantities.numerals"],
    "extractors/name_cues": [f"{PERSONAL}.people"],
    "extractors/no_author_names": [f"{PERSONAL}.people"],
    "extractors/no_handles": [f"{PERSONAL}.handles"],
    "extractors/no_mail_names": [f"{PERSONAL}.mails"],
    "extractors/no_names": [f"{PERSONAL}.people"],
    "extractors/not_a_unit": ["extractors.equations.answer_tokens"],
    "extractors/number_guards": ["extractors.equations.answer_tokens"],
    "extractors/number_units": ["extractors.quantities.numerals"],
    "extractors/other_parties": ["extractors.questions.compared"],
    "extractors/personal_number_cues": [f"{PERSONAL}.cues"],
    "extractors/posed_words": ["extractors.equations.given"],
    "extractors/phone_words": [f"{PERSONAL}.phones"],
    "extractors/scales": ["extractors.quantities.numerals"],
    "extractors/school_chatter": [CHATTER],
    "extractors/short_units": ["extractors.expressions.tokens"],
    "extractors/solving_chatter": ["extractors.equations.given"],
    "extractors/solving_words": ["extractors.equations.answer_tokens"],
    "extractors/street_words": [f"{PERSONAL}.places"],
    "extractors/tens": ["extractors.quantities.numerals"],
    "extractors/two_letter_words": ["extractors.equations.answer_tokens"],
    "extractors/two_price_guards": ["extractors.questions.mixtures"],
    "extractors/unit_spellings": ["extractors.quantities.units"],
    "extractors/unit_words": ["extractors.equations.answer_tokens"],
}
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).glob("wordlists/*"))
SOURCES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text(encoding="utf-8")
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
}
READERS = [name for name, source in SOURCES.items() if "read_list" in source and name != wordlists.__name__]


def test_every_list_has_the_users_that_are_named_here() -> None:
    users: dict[str, list[str]] = {}
    for module in sorted(READERS):
        for name in lists_of(module):
            users.setdefault(name, []).append(module)
    assert users == USERS


def test_every_file_is_a_list_that_some_module_reads() -> None:
    assert {f"{path.parents[1].name}/{path.stem}": path for path in FILES} == {
        name: wordlists.list_file(name) for name in USERS
    }


@pytest.mark.rows("path", FILES, ids=lambda path: path.stem)
def test_a_list_says_what_it_is_and_names_nothing_twice(path: Path) -> None:
    header, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    assert all(line.startswith("# ") for line in header.splitlines())
    running = len(text.split()) > 6 * text.count("\n")  # words a line; else each line is an entry
    entries = text.split() if running else text.splitlines()
    assert sorted(set(entries)) == sorted(entries)


@pytest.mark.rows("module", [name for name in READERS if name != "corpus.code"])
def test_lists_are_read_under_the_name_that_the_digest_of_code_looks_for(module: str) -> None:
    tree = ast.walk(ast.parse(SOURCES[module]))
    names = [node.id for node in tree if isinstance(node, ast.Name) and node.id == "read_list"]
    assert len(names) == len(lists_of(module)) > 0


def test_a_file_without_a_list_is_said(tmp_path: Path) -> None:
    (tmp_path / "models/wordlists").mkdir(parents=True)
    (tmp_path / "models/wordlists/school.txt").write_text("# Words of school.\nsum\n")
    with pytest.raises(ValueError, match=r"school\.txt holds no list; write one below a header and an empty line"):
        wordlists.read_list("models/school", tmp_path)
