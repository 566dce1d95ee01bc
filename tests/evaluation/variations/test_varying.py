"""Each kind of variation on problems of our own; texts, equations and answers were worked out by hand."""

from collections import Counter
from fractions import Fraction

import pytest

from corpus.benchmarks.format_registry import format_named
from corpus.benchmarks.gold_problems import GoldProblem
from corpus.benchmarks.reading import write_corpus
from corpus.errors import ConfigError
from curation.equivalence.reconciliation import template_id
from evaluation.variations.source_problem import AbstainedError, Abstention, SourceProblem
from evaluation.variations.turned_questions import isolated
from evaluation.variations.variation_proof import faults
from evaluation.variations.varying import KINDS, Variations, kinds_named, vary
from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import Name
from extractors.quantities.numbers import find_numbers
from extractors.solve.tree_evaluation import evaluate_tree
from extractors.templates.induction import induce
from tests.evaluation.variations.samples import (
    BOXES,
    LISTED_PROBLEM,
    NUMBERS_PROBLEM,
    OWNERS,
    PACKED,
    ROPE,
    STOCK,
    STOCK_PROBLEM,
    TICKETS_PROBLEM,
    problem,
)

SEEDS = range(1, 13)


def _made(source: GoldProblem, kind: str, seed: int = 1) -> GoldProblem:
    found = vary([source], kinds_named([kind]), seed)
    assert [one.faults for one in found.refused] == []
    (one,) = found.made
    return one.varied


@pytest.mark.rows(
    ("source", "kind", "text", "equation", "gold"),
    [
        (
            STOCK_PROBLEM,
            "reversed_question",
            "Nora had some shells. She lost 5 of them. Nora has 9 shells left. How many shells did Nora have at first?",
            "x=9+5",
            "14",
        ),
        (
            STOCK_PROBLEM,
            "invert_operation",
            "Nora had 14 shells. She lost some of them. Nora has 9 shells left. How many shells did she lose?",
            "x=14-9",
            "5",
        ),
        (
            LISTED_PROBLEM,
            "same_object_different_structure",
            "Nora has 12 red beads and 7 blue beads. How many more red beads than blue beads does Nora have?",
            "x=12-7",
            "5",
        ),
        (
            LISTED_PROBLEM,
            "reversed_question",
            "Nora has 12 red beads and some blue beads. Nora has 19 beads in all. How many blue beads does Nora have?",
            "x=19-12",
            "7",
        ),
        (
            LISTED_PROBLEM,
            "order_of_objects",
            "Nora has 7 blue beads and 12 red beads. How many beads does Nora have in all?",
            "x=12+7",
            "19",
        ),
        (
            problem(OWNERS, "x=12-7", "5"),
            "order_of_phrases",
            "Omar has 7 beads. Nora has 12 beads. How many more beads does Nora have than Omar?",
            "x=12-7",
            "5",
        ),
    ],
)
def test_what_a_rule_makes(source: GoldProblem, kind: str, text: str, equation: str, gold: str) -> None:
    varied = _made(source, kind)
    assert (varied.question, varied.equations, varied.gold) == (text, (equation,), ((gold,),))


def test_an_answer_without_end_is_not_told() -> None:
    assert vary([problem(STOCK, "x=(14-5)/27", "1/3")], kinds_named(["reversed_question"]), 1).made == []


def test_a_division_comes_out_even_as_before() -> None:
    varied = _made(problem(PACKED, "x=48/6", "8"), "other_numbers")
    held, jars = (number.value for number in find_numbers(varied.question))
    assert jars != 48
    assert varied.gold == ((str(jars // held),),)
    assert jars % held == 0


@pytest.mark.rows("text", ["a+b", "b+a", "a-b", "b-a", "a*b", "b*a", "a/b", "b/a", "(c-b)*a+c", "c/(a-b)"])
def test_an_expression_is_solved_for_one_of_its_names(text: str) -> None:
    (equation,) = parse_equation(f"x={text}")
    given = {"a": Fraction(12), "b": Fraction(4), "c": Fraction(24)}
    answer = evaluate_tree(equation.right, given)
    assert evaluate_tree(isolated(equation.right, "b", Name("x")), {**given, "b": Fraction(99), "x": answer}) == 4


def test_a_multiplier_in_words_is_a_number_of_the_text() -> None:
    varied = _made(NUMBERS_PROBLEM, "other_numbers")
    assert "twice" in varied.question
    assert varied.template_id == template_id(["m - a * n = b", "m + n = c"])


def test_a_comparison_turns_round_where_the_other_answer_is_whole() -> None:
    # x = 2*y - 4 and x + y = 31 give y = 35/3
    found = vary([NUMBERS_PROBLEM], kinds_named(["change_information"]), 1)
    assert (found.made, dict(found.abstained)) == ([], {("change_information", "no other numbers fit"): 1})
    text = NUMBERS_PROBLEM.question.replace("4 more", "6 more").replace("31", "36")
    varied = _made(problem(text, "x=2*y+6", "26; 10", "x+y=36"), "change_information")
    assert varied.question.startswith("One number is 6 less than twice another .")
    assert varied.gold == (("22", "14"),)  # 22 = 2*14 - 6, and 22 + 14 = 36


def test_missing_information_leaves_no_answer() -> None:
    varied = _made(STOCK_PROBLEM, "missing_information")
    assert varied.gold == ()
    assert varied.answer == ""
    assert "some" in varied.question
    assert "missing" in varied.equations[0]
    _, refused = write_corpus([varied], format_named("svamp"))
    assert [one.reason.value for one in refused] == ["not_expressible"]


@pytest.mark.rows("seed", list(SEEDS))
def test_other_numbers_keep_their_kinds(seed: int) -> None:
    varied = _made(TICKETS_PROBLEM, "other_numbers", seed)
    tickets, adult, child, total = (number.value for number in find_numbers(varied.question))
    adults, children = map(int, varied.gold[0])
    assert adults + children == tickets
    assert adult * adults + child * children == total
    assert adults > 0
    assert children > 0
    assert adult > child > 1
    assert varied.question.startswith("The club sold ")
    assert varied.question.count("$ ") == 3


def test_decimals_are_for_measures_only() -> None:
    varied = _made(problem(ROPE, "x=23-9", "14"), "decimals")
    first, second = (number.value for number in find_numbers(varied.question))
    assert first.denominator != 1
    assert second.denominator != 1
    assert varied.gold[0]
    assert str(float(second - first)).rstrip("0").rstrip(".") == varied.gold[0][0]
    assert vary([STOCK_PROBLEM], kinds_named(["decimals"]), 1).made == [], "shells are counted"


def test_a_digit_more() -> None:
    varied = _made(STOCK_PROBLEM, "other_digits")
    had, lost = (int(number.value) for number in find_numbers(varied.question))
    assert 100 <= had <= 299
    assert 20 <= lost <= 99
    assert varied.gold == ((str(had - lost),),)


@pytest.mark.rows("kind", ["add_relevant_information", "one_more_operation"])
def test_one_number_more_is_used(kind: str) -> None:
    varied = _made(STOCK_PROBLEM, kind)
    first, second, added = (number.value for number in find_numbers(varied.question))
    left = first - second
    assert (first, second) == (14, 5)
    assert varied.gold == ((str(left + added if kind.startswith("add") else left / added),),)
    assert varied.details["distractors"] == []
    assert len(varied.alignment) == 3


def test_distractors_are_declared() -> None:
    varied = _made(STOCK_PROBLEM, "irrelevant_information")
    (span,) = varied.details["distractors"]  # type: ignore[misc]
    added = varied.question[span[0] : span[1]]  # type: ignore[index]
    assert f"has {added} " in varied.question
    assert varied.question.startswith("Nora had 14 shells. She lost 5 of them. ")
    assert varied.gold == STOCK_PROBLEM.gold
    assert varied.equations == ("x=14-5",)
    other = _made(STOCK_PROBLEM, "different_object_same_structure")
    assert len(other.details["distractors"]) == 2
    assert "shells" not in other.question.rpartition(".")[2]


def test_pairs_seeds_and_templates() -> None:
    varied = _made(STOCK_PROBLEM, "other_numbers", 5)
    said = {name: varied.details[name] for name in ("variation", "group", "seed", "original", "original_question")}
    assert said == {
        "variation": "other_numbers",
        "group": "numerical variation",
        "seed": 5,
        "original": "own:1",
        "original_question": STOCK_PROBLEM.question,
    }
    assert varied == _made(STOCK_PROBLEM, "other_numbers", 5)
    assert len({_made(STOCK_PROBLEM, "other_numbers", seed).question for seed in SEEDS}) > 3
    template = induce(varied.question, find_numbers(varied.question), varied.equations).template
    assert varied.template_id == template_id(template) == template_id(["m = a - b"])


@pytest.mark.rows(
    ("source", "reason"),
    [
        (problem("", "x=1+2", "3"), Abstention.NO_TEXT),
        (problem("Nora has 3 beads. How many has she?", "", "3"), Abstention.NO_EQUATIONS),
        (
            problem("Nora has " + ", ".join(map(str, range(2, 42))) + " beads.", "x=2+3", "5"),
            Abstention.TOO_MANY_NUMBERS,
        ),
        (problem("Nora has 0 or 3 beads. How many?", "x=3", "3"), Abstention.ZERO),
        (problem("Nora has 3 beads. How many?", "x=3+", "3"), Abstention.NOT_READ),
        (problem("Nora has 3 beads. How many?", "x+y=3", "3"), Abstention.NOT_UNIQUE),
        (problem("Nora has 3 beads. How many?", "x=3", "4"), Abstention.CONTRADICTED),
        (problem("Nora has 3 red beads, Omar has 3. How many?", "x=10-3", "7"), Abstention.AMBIGUOUS),
        (problem("Nora has 3 beads and loses 5. How many has she?", "x=3-5", "-2"), Abstention.NEGATIVE),
    ],
)
def test_what_is_not_sure_is_abstained_from(source: GoldProblem, reason: Abstention) -> None:
    with pytest.raises(AbstainedError) as raised:
        SourceProblem.of(source)
    assert raised.value.reason is reason
    found = vary([source], kinds_named(["all"]), 1)
    assert found.made == []
    assert set(found.abstained) == {(kind, reason.value) for kind in KINDS}


@pytest.mark.rows(
    ("text", "equation", "gold"),
    [
        ("At 8:15 Nora began. 14 minutes later she stopped. At what minute?", "x=15+14", "29"),
        ("The ratio of red to blue is 3 to 4. There are 28 beads. How many are red?", "x=28*3/(3+4)", "12"),
        ("Nora has 12 beads, 5 red and 7 blue. How many more blue than red?", "x=7-5", "2"),  # 12 is their sum
        ("A farm has 9 cows with 4 legs. How many legs are there?", "x=9*4", "36"),  # cows may be others, legs not
    ],
)
def test_numbers_that_hang_together_stay(text: str, equation: str, gold: str) -> None:
    made = vary([problem(text, equation, gold)], kinds_named(["other_numbers"]), 1).made
    assert [one.varied.question for one in made if "with 4 legs" not in one.varied.question] == []
    assert len(made) == ("legs" in text)


def test_kinds_are_named_and_counted() -> None:
    with pytest.raises(ConfigError, match=r"no kind of variation 'rhymes'; there are: all, same_object"):
        kinds_named(["rhymes"])
    assert [kind.name for kind in kinds_named(["decimals", "other_numbers"])] == ["other_numbers", "decimals"]
    found = Variations(abstained=Counter({("decimals", "no text"): 2, ("decimals", "no equations"): 3}))
    assert list(found.lines()) == ["decimals: 0 made, 5 abstained (no equations 3, no text 2)"]


def test_everything_that_is_made_has_no_fault() -> None:
    sources = [STOCK_PROBLEM, LISTED_PROBLEM, TICKETS_PROBLEM, NUMBERS_PROBLEM, problem(BOXES, "x=6*4", "24")]
    made = [one for seed in SEEDS[:4] for one in vary(sources, kinds_named(["all"]), seed).made]
    assert len(made) > 50
    assert len({one.kind for one in made}) > 10
    assert [faults(one.original, one.varied) for one in made if faults(one.original, one.varied)] == []
