"""The networks by name, behind the extra ``neural``: PyTorch is imported where one is made, and nowhere else."""

import importlib

from corpus.errors import ConfigError
from evaluation.solvers.neural.network_settings import PUBLISHED, SMALL, NetworkSettings
from evaluation.solvers.solver import Solver


def neural_solver(name: str, settings: NetworkSettings | None = None, *, published: bool = False) -> Solver:
    """A solver of a name: ``seq2seq``, ``gts``, ``graph2tree``, ``transformer`` or ``ffn-lstm``.

    ``published`` are the sizes of the papers instead of those for two cores; ``settings`` are sizes of one's own.
    ConfigError for another name, and where PyTorch is not installed.
    """
    if name not in SMALL:
        raise ConfigError(f"{name} is no network; give one of {', '.join(SMALL)}")
    try:
        importlib.import_module("torch")
    except ImportError as error:
        raise ConfigError(f"the solver {name} needs PyTorch: pip install 'wordquarry[neural]'") from error
    from evaluation.solvers.neural.network_training import NeuralSolver

    return NeuralSolver(name, settings or (PUBLISHED if published else SMALL)[name])
