"""What every solver does, and the solvers by the names that commands take.

A solver learns from problems with gold labels and solves questions that it has not seen. Its modules are imported when
it is made.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.errors import ConfigError
from evaluation.solvers.predictions import Prediction


class Solver(Protocol):
    """A solver of word problems; the same problems in the same order give the same solver."""

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Learn from these problems; those that lack what the solver learns from are passed over."""

    def solve(self, question: str) -> Prediction | None:
        """What the solver says of a question: a derivation, equations or values; None where it abstains."""


MakeSolver = Callable[[], Solver]


class RegisteredSolver(NamedTuple):
    """A solver: what it is, and the class that makes it, with arguments."""

    title: str
    module: str
    maker: str
    arguments: Mapping[str, Any] = {}

    def make(self) -> Solver:
        """A new solver; ConfigError where a package is missing that it needs."""
        made: Callable[..., Solver] = getattr(import_module(self.module), self.maker)
        return made(**self.arguments)


_TEMPLATES = "evaluation.solvers.template_solvers.derivation_learners"
_NETWORKS = "evaluation.solvers.neural.neural_solver"
_TREES = "evaluation.solvers.arithmetic"
SOLVERS: Mapping[str, RegisteredSolver] = {
    "sim": RegisteredSolver("SIM", "evaluation.solvers.sim", "Sim"),
    "kazb": RegisteredSolver("KAZB", _TEMPLATES, "LogLinearSolver", {"taught": "equations"}),
    "zdc": RegisteredSolver("ZDC", _TEMPLATES, "MaxMarginSolver", {"taught": "equations"}),
    "te-as-written": RegisteredSolver(
        "TE, templates as equations are written",
        _TEMPLATES,
        "TemplateSolver",
        {"taught": "equations", "released": False},
    ),
    "te": RegisteredSolver("TE", _TEMPLATES, "TemplateSolver", {"taught": "equations"}),
    "td": RegisteredSolver("TD", _TEMPLATES, "TemplateSolver", {"taught": "derivation"}),
    "mixedsp": RegisteredSolver("MixedSP", _TEMPLATES, "MixedSolver"),
    "roy-roth": RegisteredSolver("Roy and Roth", f"{_TREES}.expression_trees", "RoyRoth"),
    "lca": RegisteredSolver("LCA++", f"{_TREES}.expression_trees", "LcaPlus"),
    "unitdep": RegisteredSolver("UnitDep", f"{_TREES}.unit_dependency", "UnitDep"),
    "aris": RegisteredSolver("verb categories (ARIS)", f"{_TREES}.verb_categories", "Aris"),
    "seq2seq": RegisteredSolver("LSTM Seq2Seq", _NETWORKS, "neural_solver", {"name": "seq2seq"}),
    "gts": RegisteredSolver("GTS", _NETWORKS, "neural_solver", {"name": "gts"}),
    "graph2tree": RegisteredSolver("Graph2Tree", _NETWORKS, "neural_solver", {"name": "graph2tree"}),
    "transformer": RegisteredSolver("Transformer", _NETWORKS, "neural_solver", {"name": "transformer"}),
    "ffn-lstm": RegisteredSolver("FFN and LSTM", _NETWORKS, "neural_solver", {"name": "ffn-lstm"}),
}


def solver_named(name: str) -> RegisteredSolver:
    """The solver of a name; ConfigError names the known ones."""
    if name not in SOLVERS:
        raise ConfigError(f"unknown solver {name!r}; there are: {', '.join(SOLVERS)}")
    return SOLVERS[name]
