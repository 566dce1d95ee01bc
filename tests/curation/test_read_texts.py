"""Texts that a former run read: they are not read again, and give what they gave."""

import io

import pyarrow as pa

from corpus.canonical import sha256_text
from curation.near_texts.ngrams import TEXT_COLUMNS, ReadTexts
from curation.near_texts.plain_tokens import normal_tokens

TEXTS = ["Tom has 3 apples.", "ann has 5 apples", "tom has 3 apples!", "", "It's a lone \ud800 surrogate"]


def reading(texts, known=None):
    asked = []
    read = ReadTexts(lambda text: asked.append(text) or normal_tokens(text), known)
    for text in texts:
        read.add(text)
    return read, asked


def kept(table):
    """A table as it is after it was written and read."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def words_of(read):
    return [read.distinct.words([place])[place] for place in read.places]


def test_a_text_that_is_known_is_not_read_again():
    first, _ = reading(TEXTS)
    known = kept(first.table())
    assert known.schema == TEXT_COLUMNS
    assert known["tokens"].to_pylist()[:2] == [["tom", "has", "3", "apples"], ["ann", "has", "5", "apples"]]
    again, asked = reading(["a new one", *reversed(TEXTS)], known)
    assert asked == ["a new one"]
    assert words_of(again) == [["a", "new", "one"], *reversed(words_of(first))]
    assert len(again.distinct) == 5  # two of the texts have the same tokens
    assert again.places[-1] == again.places[-3]


def test_what_is_left_holds_only_what_was_added_and_its_words():
    known = kept(reading(TEXTS)[0].table())
    left = reading(["a new one", TEXTS[1]], known)[0].table()
    assert left.equals(reading(["a new one", TEXTS[1]])[0].table())
    assert left["tokens"].chunk(0).values.dictionary.to_pylist() == ["5", "a", "ann", "apples", "has", "new", "one"]
    assert left["text_sha256"].to_pylist() == [sha256_text("a new one"), sha256_text(TEXTS[1])]


def test_nothing_added_is_an_empty_table():
    assert kept(ReadTexts(str.split).table()).num_rows == 0
