"""A solver by verb categories, after ARIS (Hosseini et al., EMNLP 2014), for one addition or subtraction.

A verb says what happens to an amount: it is observed, it grows, it shrinks, or it passes from the one who acts to
another one. The paper's categories are labelled by hand and its entities come from a parser; here the categories are
those that solve most of the training problems, and who acts is told by the words before the verb. What the training
problems do not show to be one addition or subtraction is left to other solvers.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.arithmetic.expression_trees import WordedClassifier, predicted_tree, taught
from evaluation.solvers.arithmetic.monotonic_trees import OperandChain, Tree, chain_of, value_of
from evaluation.solvers.arithmetic.quantity_schemas import ReadQuestion, TextQuantity, read_question
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.sim import NUMBER, lemma

CATEGORIES: Final = ("observation", "positive", "transfer", "negative")
ROUNDS: Final = 3
OFTEN: Final = 2
"""Verbs that fewer statements have share one category."""
RARE: Final = ""
_GATE_PENALTY: Final = 0.1
_HELPERS: Final = frozenset({"is", "are", "was", "were", "has", "have", "had", "did", "does", "do", "be", "been"})
_TOTAL: Final = frozenset({"altogether", "total", "together", "all", "both", "sum", "combined"})
_COMPARED: Final = frozenset({"more", "fewer", "less", "difference", "taller", "longer", "higher", "older", "shorter"})
_LEFT: Final = frozenset({"left", "remain", "remaining", "remained", "still", "rest"})
_FEWER: Final = frozenset({"fewer", "less"})
_START: Final = frozenset({"start", "begin", "beginning", "first", "originally", "initially", "before"})
_UNTOLD: Final = frozenset({"some", "several", "more"})
_PRONOUNS: Final = frozenset({"he", "him", "her", "she", "they", "them", "their", "us", "me", "i"})
_RECEIVERS: Final = frozenset({"him", "them", "us", "me"})
_STATED: Final = frozenset({"be", "have", "do", RARE})
"""Verbs that only tell an amount."""

Categories = Mapping[str, str]


class VerbStatement(NamedTuple):
    """A quantity with the verb of its clause, and whether the one who acts is not asked about, but another one is."""

    quantity: int
    verb: str
    passive: bool


class Story(NamedTuple):
    """Two statements, what is asked, whether a change is not told, and which amount is the larger one.

    ``compared`` says of a statement that compares ("has 5 more than") whether what is asked is the sum.
    """

    statements: tuple[VerbStatement, VerbStatement]
    asked: str
    untold: bool
    compared: bool | None
    larger_first: bool


def story_of(read: ReadQuestion) -> Story | None:
    """What is told of two quantities of a question; None where it has not two quantities of one kind."""
    places = list(range(len(read.quantities)))
    if len(places) > 2:
        places = [index for index in places if read.quantities[index].unit in ("", read.asked_unit)]
    if len(places) != 2:
        return None
    first, second = (_statement(read, index) for index in places)
    values = [read.quantities[index].value for index in places]
    return Story((first, second), _asked(read), _is_untold(read), _compared(read), values[0] >= values[1])


def _statement(read: ReadQuestion, index: int) -> VerbStatement:
    """The statement of a quantity: it is passive where someone who is asked about stands right behind its verb."""
    place = _verb_place(read, read.quantities[index])
    if place is None:
        return VerbStatement(index, RARE, False)
    following = read.tokens[place + 1 : place + 3]
    names = set(read.tokens[slice(*read.asked)]) - _HELPERS - {"her", "the"}
    receives = bool(set(following[:1]) & (_RECEIVERS | names)) or following == ("her", NUMBER)
    return VerbStatement(index, read.lemmas[place], receives)


def _compared(read: ReadQuestion) -> bool | None:
    """Whether the question asks for the larger one of two that are compared; None where nothing is compared."""
    tokens = read.tokens[: read.asked[0]]
    for place, word in enumerate(tokens):
        kind = next((cue for cue in reversed(tokens[max(0, place - 4) : place]) if cue in _FEWER | {"more"}), "")
        if word == "than" and kind:
            behind = bool(set(tokens[place + 1 : place + 3]) & set(read.tokens[slice(*read.asked)]))
            return behind == (kind != "more")
    return None


def _verb_place(read: ReadQuestion, one: TextQuantity) -> int | None:
    """The nearest verb before a number in its clause, or else the first one behind it, or else the last one before."""
    before = [
        place for place in range(*one.clause) if place < one.place and _is_verb(read.tokens[place], inflected=True)
    ]
    behind = [place for place in range(one.place + 1, one.clause[1]) if _is_verb(read.tokens[place], inflected=False)]
    earlier = [place for place in range(one.clause[0]) if _is_verb(read.tokens[place], inflected=False)]
    return next((found for found in (before[-1:], behind[:1], earlier[-1:]) if found), [None])[0]


def _is_verb(token: str, *, inflected: bool) -> bool:
    """Whether a token looks like a verb: a helper, a past form, or, where no plural stands, a form in "s"."""
    if token in _PRONOUNS:
        return False
    if token in _HELPERS or (token.endswith("ed") and len(token) > 3):
        return True
    return token.isalpha() and lemma(token) != token and (inflected or not token.endswith("s"))


def _asked(read: ReadQuestion) -> str:
    words = set(read.tokens[slice(*read.asked)])
    kinds = (("start", _START), ("comparison", _COMPARED), ("left", _LEFT), ("total", _TOTAL))
    found = next((kind for kind, cues in kinds if words & cues), "state")
    if found != "state":
        return found
    return "left" if "rest" in read.tokens else "change" if "did" in words and "have" not in words else found


def _is_untold(read: ReadQuestion) -> bool:
    """Whether a change is told without a number ("some more apples"), from the first quantity on."""
    tokens = read.tokens
    places = range(read.quantities[0].sentence[0], read.asked[0])
    return any(tokens[place] in _UNTOLD and NUMBER not in tokens[max(0, place - 2) : place + 2] for place in places)


def story_tree(story: Story, categories: Categories) -> Tree:
    """What a story comes to: its two amounts added, or one taken from the other."""
    first, second = story.statements
    added = chain_of("+", [first.quantity, second.quantity], [])
    taken = chain_of("+", [first.quantity], [second.quantity])
    apart = taken if story.larger_first else chain_of("+", [second.quantity], [first.quantity])
    if story.compared is not None and story.asked in ("state", "change"):
        return added if story.compared else apart
    signs = [_sign(one, categories) for one in story.statements]
    if story.asked == "total":
        return apart if story.untold else added
    if story.asked in ("comparison", "left") or (story.untold and story.asked in ("state", "change")):
        return apart
    if story.asked == "change" and second.verb in _STATED:
        return apart
    if story.asked == "start":
        return apart if 1 in signs else added
    return apart if signs[1] < 0 else added


def _sign(statement: VerbStatement, categories: Categories) -> int:
    """What a statement does to the amount asked about: 1, -1, or 0 where it only tells it."""
    category = categories.get(statement.verb, categories.get(RARE, CATEGORIES[0]))
    if statement.verb in _STATED:
        return 0
    if category == "transfer":
        return 1 if statement.passive else -1
    return {"positive": 1, "negative": -1}.get(category, 0)


class Aris:
    """The solver; it abstains where a classifier of the question's words expects more than one sum or difference."""

    def __init__(self) -> None:
        self._gate: WordedClassifier | None = None
        self.categories: dict[str, str] = {}

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Learn categories and the gate from problems with one equation over the numbers of the question."""
        examples = list(taught(problems))
        plain = [_is_plain(gold.tree) for _, gold in examples]
        rows = [(_words(read), str(fits)) for (read, _), fits in zip(examples, plain, strict=True)]
        self._gate = WordedClassifier(rows, _GATE_PENALTY) if rows else None
        told = [
            (story, gold.tree)
            for (read, gold), fits in zip(examples, plain, strict=True)
            if fits and (story := story_of(read)) is not None
        ]
        self.categories = learned_categories(told)

    def solve(self, question: str) -> Prediction | None:
        """One sum or difference of two quantities; None for other questions."""
        read = read_question(question)
        story = None if read is None else story_of(read)
        if read is None or story is None or self._gate is None:
            return None
        (scores,) = self._gate.scores([_words(read)])
        if scores.get("True", 0.0) < scores.get("False", -1.0):
            return None
        tree = story_tree(story, self.categories)
        value = value_of(tree, [one.value for one in read.quantities])
        return None if value is None else predicted_tree(read, tree, value, "")


def _is_plain(tree: Tree) -> bool:
    """Whether a tree is one sum or difference of two quantities."""
    return (
        isinstance(tree, OperandChain) and tree.op == "+" and [type(p) for p in (*tree.front, *tree.back)] == [int, int]
    )


def _words(read: ReadQuestion) -> list[str]:
    words = read.words(read.asked)
    return [f"count {len(read.quantities)}", *(f"asked {word}" for word in words), *(f"text {w}" for w in read.lemmas)]


def learned_categories(told: Sequence[tuple[Story, Tree]]) -> dict[str, str]:
    """For each verb the category that solves most stories, verb by verb, the frequent ones first, in some rounds."""
    counts = Counter(one.verb for story, _ in told for one in story.statements)
    known = [verb for verb, count in counts.items() if count >= OFTEN and verb != RARE]
    verbs = [*sorted(known, key=lambda verb: (-counts[verb], verb)), RARE]
    stories = {verb: [one for one in told if any(s.verb == verb for s in one[0].statements)] for verb in known}
    stories[RARE] = [one for one in told if any(counts[s.verb] < OFTEN or s.verb == RARE for s in one[0].statements)]
    categories = dict.fromkeys(verbs, CATEGORIES[1])
    for _ in range(ROUNDS):
        for verb in verbs:
            hits = {
                name: sum(story_tree(story, categories | {verb: name}) == tree for story, tree in stories[verb])
                for name in CATEGORIES
            }
            categories[verb] = max(CATEGORIES, key=lambda name: (hits[name], name == categories[verb]))
    return categories
