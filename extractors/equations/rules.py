"""The rules of reading and voting, each a switch, so that every one can be measured on and off."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class VoteRules:
    """Switches; the defaults are what ``read_thread`` uses.

    - ``tolerance``: relative tolerance when solutions of two answers are compared (rounded values);
    - ``subsets``: an answer with fewer unknowns votes for the one larger solution that holds its values;
    - ``question_numbers``: a system that uses none of the numbers of the question is rejected;
    - ``foreign_numbers``: a system with an equation whose numbers all come from nowhere is rejected;
    - ``announced``: a system is rejected where the answer announces values and none of them is in its solution;
    - ``consistent``: a system that its own answer contradicts more often than it confirms it is rejected;
    - ``wants``: a system that the question rules out by the kind of value it asks for, or by a well-known mistake,
      is rejected (``objections.py``);
    - ``witness``: where the question itself is surely read, a system that it contradicts is rejected, and one that it
      confirms is kept whatever else speaks against it (``witness.py``);
    - ``question_votes``: a question that confirms the winning solution counts as a vote beside those of the answers, so
      that one answer is enough where two votes are wanted; off, as it changes what a vote is;
    - ``scope``: a question that holds several numbered problems, asks for a method in general, for calculus or for a
      proof gives nothing (``scope.py``);
    - ``asked``: a solution with fewer values than the question asks for is not returned;
    - ``positive``: where a solution has only positive values, solutions with others are set aside in comparisons;
    - ``stated``: an answer without equations that states the whole solution votes for it;
    - ``copied``: of the answers without equations, one that states a single number after the answer that works it out
      does not vote: it may have been copied;
    - ``seconded``: a system that is rejected because it uses none of the numbers of the question (often the last step
      of a working) votes for the solution of another answer, but for none of its own;
    - ``echoed``: equal counts of votes are decided by how many other answers state a value of the solution;
    - ``weighted``: what is still equal, at two votes or more, is decided by the agreement with the numbers
      of the question;
    - ``definitions``: announced quantities become unknowns of their own ("rest = 81 - a");
    - ``arithmetic``: answers without unknowns give ``x = arithmetic``;
    - ``lost_marks``: a double blank between operands is a minus and ``x2`` a power where that makes more of the
      answer's arithmetic true.
    """

    tolerance: Fraction = Fraction(3, 1000)
    subsets: bool = True
    question_numbers: bool = True
    foreign_numbers: bool = True
    announced: bool = True
    consistent: bool = True
    wants: bool = True
    witness: bool = True
    question_votes: bool = False
    scope: bool = True
    asked: bool = True
    positive: bool = True
    stated: bool = True
    copied: bool = True
    seconded: bool = True
    echoed: bool = True
    weighted: bool = True
    definitions: bool = True
    arithmetic: bool = True
    lost_marks: bool = True


DEFAULT_RULES = VoteRules()
