"""Benchmark files in: what each format gives, and every record that it refuses."""

import json
from pathlib import Path

import pytest

from corpus.benchmarks.format_registry import FORMATS
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.benchmarks.reading import read_corpus, write_corpus
from corpus.errors import InputError
from corpus.reasons import Reason
from evaluation.gold_corpora.gold_labels import GoldAgreement, labels_of
from tests.tiers import in_turn

FILES = Path(__file__).parent / "files"
NAMES = {
    "draw": "draw.json",
    "asdiv": "asdiv.xml",
    "dolphin": "dolphin.json",
    "mathqa": "mathqa.json",
    "aqua": "aqua.jsonl",
    "svamp": "svamp.json",
    "mawps": "mawps.json",
    "gsm8k": "gsm8k.jsonl",
    "singleeq": "singleeq.json",
    "ai2": "ai2.txt",
    "il": "il.json",
    "cc": "cc.json",
    "allarith": "allarith.json",
    "dolphin1878": "dolphin1878.json",
}


def corpus(name: str) -> Corpus:
    """The small file of a format, written for these tests."""
    return read_corpus(f"{name}:{FILES / NAMES[name]}")


def problems(name: str) -> dict[str, GoldProblem]:
    """Its problems by id."""
    return {problem.problem_id: problem for problem in corpus(name).problems}


@pytest.mark.rows(
    ("name", "read", "refused"),
    [
        (
            "draw",
            ["draw:7001", "draw:7002", "draw:7002#2"],
            [("3", Reason.BAD_ALIGNMENT), ("4", Reason.MISSING_FIELD), ("6", Reason.MALFORMED_LINE)],
        ),
        ("asdiv", ["asdiv:t-1", "asdiv:t-2", "asdiv:t-3"], [("4", Reason.MISSING_FIELD)]),
        (
            "dolphin",
            ["dolphin:ours.1", "dolphin:ours.2", "dolphin:ours.5", "dolphin:ours.3"],
            [("5", Reason.MISSING_FIELD)],
        ),
        ("mathqa", ["mathqa:000001", "mathqa:000002", "mathqa:000003"], [("4", Reason.WRONG_FIELD)]),
        ("aqua", ["aqua:000001", "aqua:000002"], [("3", Reason.MALFORMED_LINE), ("4", Reason.WRONG_FIELD)]),
        ("svamp", ["svamp:ours-0", "svamp:ours-1"], [("3", Reason.WRONG_FIELD)]),
        ("mawps", ["mawps:0", "mawps:1", "mawps:2"], [("4", Reason.WRONG_FIELD)]),
        (
            "gsm8k",
            ["gsm8k:000001", "gsm8k:000002", "gsm8k:000003"],
            [("4", Reason.WRONG_FIELD), ("5", Reason.MALFORMED_LINE)],
        ),
        ("singleeq", ["singleeq:1", "singleeq:2"], [("3", Reason.WRONG_FIELD)]),
        ("ai2", ["ai2:1", "ai2:2"], [("8", Reason.MALFORMED_LINE), ("11", Reason.MALFORMED_LINE)]),
        ("il", ["il:501"], [("2", Reason.MISSING_FIELD)]),
        ("cc", ["cc:601"], []),
        ("allarith", ["allarith:701"], []),
        ("dolphin1878", ["dolphin1878:ours.11", "dolphin1878:ours.12"], [("3", Reason.WRONG_FIELD)]),
    ],
)
def test_every_record_is_read_or_refused(name: str, read: list[str], refused: list[tuple[str, Reason]]) -> None:
    found = corpus(name)
    assert [problem.problem_id for problem in found.problems] == read
    places = [(refusal.where.replace(":", " ").split()[-1], refusal.reason) for refusal in found.refused]
    assert places == refused
    assert found.records == len(read) + len(refused)


def test_draw() -> None:
    first = problems("draw")["draw:7001"]
    assert (first.gold, first.equations) == ((("20", "20"),), ("adult+child=40", "6*adult+2.5*child=170"))
    assert first.template == ("m + n = a", "b * m + c * n = d")
    spans = [(slot.slot, slot.value, first.question[slot.start : slot.end]) for slot in first.alignment]
    assert spans == [("a", "40", "40"), ("b", "6", "6"), ("c", "5/2", "2.5"), ("d", "170", "170")]
    ((one, other),) = first.equivalent_numbers
    assert (one.value, first.question[one.start :][:10], first.question[other.start :][:10]) == (
        "40",
        "40 tickets",
        "40 tickets",
    )
    assert one.start < other.start


@pytest.mark.parametrize(
    ("name", "native", "equation", "answer", "kept"),
    [
        ("singleeq", "2", "6*4=x", "24", {}),
        ("ai2", "2", "X = 2.50 + 3", "11/2", {}),
        ("il", "501", "X=(7.0+5.0)", "12", {"lAlignments": [11, 33]}),
        ("cc", "601", "X=((15.0-6.0)+9.0)", "18", {"lAlignments": [12, 28, 38]}),
        ("allarith", "701", "X=(36.0 * 4.0)", "144", {"quants": [4.0, 36.0], "lAlignments": [1, 0], "rates": [0]}),
    ],
)
def test_arithmetic_corpora(name: str, native: str, equation: str, answer: str, kept: dict[str, object]) -> None:
    found = problems(name)[f"{name}:{native}"]
    assert (found.equations, found.gold, found.details) == ((equation,), ((answer,),), kept)
    assert labels_of(found).agreement is GoldAgreement.AGREE


def test_places_of_numbers_stay_where_they_were() -> None:
    found = problems("il")["il:501"]
    assert [found.question[place] for place in (11, 33)] == ["7", "5"]


def test_ai2_may_also_be_a_list_of_records(tmp_path: Path) -> None:
    path = tmp_path / "addsub.json"
    path.write_text((FILES / "singleeq.json").read_text(encoding="utf-8"), encoding="utf-8")
    assert [problem.problem_id for problem in read_corpus(f"ai2:{path}").problems] == ["ai2:1", "ai2:2"]


def test_dolphin1878() -> None:
    first = problems("dolphin1878")["dolphin1878:ours.11"]
    assert (first.equations, first.unknowns, first.gold) == (("x-y=5", "x+y=13"), ("x", "y"), (("9", "4"),))
    assert first.question.startswith("The difference of two numbers")
    assert (first.url, first.details["ans_simple"]) == ("https://forum.example/11", [9, 4])


def test_gsm8k() -> None:
    found = problems("gsm8k")
    first, second, third = found.values()
    assert (first.answer, first.gold, first.equations) == ("18", (("18",),), ())
    assert first.rationale.endswith("So 48-30=<<48-30=18>>18 are left.")
    assert (second.answer, second.gold) == ("2,500", (("2500",),))
    assert (third.gold, third.notes) == ((), ("the answer holds no number",))


def test_asdiv() -> None:
    found = problems("asdiv")
    first, second, third = found["asdiv:t-1"], found["asdiv:t-2"], found["asdiv:t-3"]
    assert first.question == (
        "Seven red kites and two green kites fly over the hill. How many kites fly over the hill?"
    )
    assert (first.gold, first.equations, first.unknowns, first.kind) == ((("9",),), ("x=7+2",), ("x",), "Addition")
    assert second.question.startswith("47 pupils go by bus & each")
    assert second.equations == ("x=47-6*floor(47/6)",)
    assert second.details["Solution-Type@"] == {"UnitTrans": "none", "Subgoal-1": "Floor-Division"}
    assert (third.gold, third.equations) == ((), ())
    assert len(third.notes) == 2


def test_dolphin() -> None:
    found = problems("dolphin")
    first, second, third = found["dolphin:ours.1"], found["dolphin:ours.2"], found["dolphin:ours.3"]
    assert (first.gold, first.unknowns) == ((("9", "14"),), ("x", "y"))
    assert (first.equations, first.url) == (("x + y = 23", "x = 5 + y"), "https://forum.example/1")
    assert (second.gold, second.question[:8]) == ((("10",), ("-4",)), "A number")
    assert (third.gold, third.equations, len(third.notes)) == ((), (), 2)
    assert found["dolphin:ours.5"].question == "3 and 4 are how many"


def test_multiple_choice() -> None:
    found = problems("mathqa")
    first, second, third = (found[f"mathqa:00000{number}"] for number in (1, 2, 3))
    assert first.options == ("24", "80 km / h", "1,585", "none of these", "90")
    assert (first.correct, first.gold, first.equations) == (1, (("80",),), ("x=120/1.5",))
    assert (second.options, second.gold) == (("3", "4 π"), (("3",),))
    assert (third.equations, third.notes[0][:16]) == ((), "program not read")
    aqua = problems("aqua")
    assert (aqua["aqua:000001"].gold, aqua["aqua:000001"].options[4]) == ((("15",),), "75")
    assert (aqua["aqua:000002"].gold, aqua["aqua:000002"].answer) == ((), "II & III")


def test_svamp_and_mawps() -> None:
    svamp, mawps = problems("svamp"), problems("mawps")
    assert svamp["svamp:ours-0"].question == ("Tom had 9 pens. He gave 4 of them away. How many pens does he have now?")
    assert svamp["svamp:ours-1"].equations == ("x=( ( 3.0 * 2.5 ) - 1.0 )",)
    assert svamp["svamp:ours-1"].gold == (("13/2",),)
    assert [problem.gold for problem in mawps.values()] == [(("5",),), (("7",),), (("5",),)]
    assert mawps["mawps:2"].equations == ("total=2+3=5",)


def test_our_own_records_are_recognised_before_what_they_also_hold(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    text, _ = write_corpus(read_corpus(f"draw:{FILES / 'draw.json'}").problems, FORMATS["gold"])
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"it looks like gold$"):
        read_corpus(f"problems:{path}")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("svamp", '[{"id": 0, "original_text": "a", "equation": "x=1", "ans": 1}]', "it looks like mawps"),
        ("draw", '[{"a": 1}]', "is not DRAW-1K: its records have a; expected the fields iIndex"),
        ("draw", "[]", "holds no records"),
        ("draw", "a,b\n1,2\n", "holds no records .of 2, the first: .*not a JSON object"),
        ("draw", " \n", "is empty"),
        ("draw", "[1, 2", "not a JSON list"),
        ("draw", "[" * 100_000, "nested too deeply"),
        ("draw", "<a/>", "is it asdiv"),
        ("asdiv", "[]", "not an XML file"),
        ("asdiv", "<a><b></a>", "is not XML"),
        ("asdiv", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares a document type"),
        ("asdiv", '<?xml version="1.0" encoding="UTF-7"?><a/>', "declares the encoding UTF-7"),
        ("asdiv", "<a>" * 300 + "</a>" * 300, "is not XML"),
    ],
)
def test_files_of_another_kind(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / "corpus.file"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message) as raised:
        read_corpus(f"{name}:{path}")
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('[{"iIndex": "ü"}]'.encode("latin-1"), "not UTF-8: byte 13 is 0xfc"),
        ("[]".encode("utf-16"), "is UTF-16"),
        ("<!DOCTYPE a><a/>".encode("utf-16"), "is UTF-16"),
        (b"\x1f\x8b\x08\x00", "is gzip"),
        (b"PK\x03\x04", "is zip"),
    ],
)
def test_other_encodings(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "corpus.file"
    path.write_bytes(content)
    for name in ("draw", "asdiv"):
        with pytest.raises(InputError, match=message):
            read_corpus(f"{name}:{path}")


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "svamp.json"
    path.write_bytes(b"\xef\xbb\xbf" + (FILES / "svamp.json").read_bytes())
    assert len(read_corpus(f"svamp:{path}").problems) == 2


@pytest.mark.rows("spec", ["nothing:here.json", "draw", "some/version"])
def test_specifications_without_meaning(spec: str) -> None:
    with pytest.raises(InputError, match=r"there are: draw|with a format of: draw"):
        read_corpus(spec)


def test_numbers_beyond_the_bounds(tmp_path: Path) -> None:
    path = tmp_path / "svamp.json"
    good = json.loads((FILES / "svamp.json").read_text(encoding="utf-8"))[0]
    rows = [json.dumps(good | {"ID": f"a{place}", "Answer": 12321}) for place in range(3)]
    rows[0] = rows[0].replace("12321", "1" * 500)
    rows[1] = rows[1].replace("12321", "1e999")
    path.write_text(f"[{','.join(rows)}]", encoding="utf-8")
    found = read_corpus(f"svamp:{path}")
    places = [(refusal.where[-1], refusal.reason) for refusal in found.refused]
    assert places == [("1", Reason.MALFORMED_LINE), ("2", Reason.MALFORMED_LINE)]
    assert [problem.native_id for problem in found.problems] == ["a2"]


def test_parts_of_a_corpus(tmp_path: Path) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "fold0.txt").write_bytes(b"t-3\r\nt-1\r\n")
    (lists / "fold1.txt").write_bytes(b"t-4\n")
    found = read_corpus(f"mine=asdiv:{FILES / 'asdiv.xml'}@{lists}")
    assert (found.name, found.records, len(found.refused)) == ("mine", 3, 1)
    assert [problem.native_id for problem in found.problems] == ["t-1", "t-3"]
    (lists / "fold1.txt").write_bytes(b"t-9\n")
    with pytest.raises(InputError, match="1 ids that asdiv@lists does not have, for instance \\['t-9'\\]"):
        read_corpus(f"asdiv:{FILES / 'asdiv.xml'}@{lists}")


@pytest.mark.shared
@pytest.mark.rows(
    ("spec", "records", "most_notes"),
    in_turn(
        [
            ("draw:draw/draw.json", 800, 0),
            ("alg514:alg514/kushman.json", 514, 0),
            ("asdiv:asdiv/ASDiv.xml", 2305, 150),
            ("asdiv:asdiv/ASDiv.xml@asdiv/nfolds/asdiv-a", 1218, 1),
            ("dolphin:dolphin18k/dev_urls.json", 3728, 10),
            ("mathqa:mathqa/mathqa_dev_first2000.jsonl", 2000, 82),
            ("aqua:aqua/aqua_dev.jsonl", 254, 21),
        ],
        3,
    ),
)
def test_the_published_files(shared_data: Path, spec: str, records: int, most_notes: int) -> None:
    name, _, path = spec.partition(":")
    whole = "@".join(str(shared_data / part) for part in path.split("@"))
    found = read_corpus(f"{name}:{whole}")
    assert (found.records, len(found.problems), found.refused) == (records, records, ())
    assert sum(bool(problem.notes) for problem in found.problems) <= most_notes
    assert len({problem.problem_id for problem in found.problems}) == records
    assert set(FORMATS) >= {problem.origin for problem in found.problems}
