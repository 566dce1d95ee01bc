"""Training of a network on the processor or on a GPU, and its answers as a solver."""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import torch
from torch import nn

from corpus.benchmarks.gold_problems import GoldProblem
from evaluation.solvers.neural.decoders import SequenceDecoder, TreeDecoder
from evaluation.solvers.neural.encoders import BagEncoder, GraphEncoder, RecurrentEncoder
from evaluation.solvers.neural.network import Batch, Network
from evaluation.solvers.neural.network_settings import NetworkSettings
from evaluation.solvers.neural.problems import Asked, NetworkVocabulary, Prefix, example_of, tree_of, value_of
from evaluation.solvers.neural.transformer import TransformerDecoder, TransformerEncoder
from evaluation.solvers.predictions import Prediction
from extractors.expressions.tree import Equation, Name, render

_SLOTS = "abcdefghijkl"
STEPS = 3
"""How often the rate of learning is halved."""
LONGEST_GRADIENT = 5.0
ALIKE = 8
"""Batches that are drawn together and then divided by length."""

_Numbered = tuple[Asked, list[int]]

_PARTS: Final[dict[str, tuple[Any, Any]]] = {
    "seq2seq": (RecurrentEncoder, SequenceDecoder),
    "gts": (RecurrentEncoder, TreeDecoder),
    "graph2tree": (GraphEncoder, TreeDecoder),
    "transformer": (TransformerEncoder, TransformerDecoder),
    "ffn-lstm": (BagEncoder, SequenceDecoder),
}


class NeuralSolver:
    """One network as a solver; ``seed`` of its settings decides all that is drawn."""

    def __init__(self, name: str, settings: NetworkSettings) -> None:
        self.name, self.settings = name, settings
        self.epochs = 0
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._network: Network | None = None
        self._vocabulary = NetworkVocabulary({}, (), settings.numbered)

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Learn from the problems whose equation is arithmetic; the others are passed over."""
        found = [one for one in map(example_of, problems) if one is not None]
        self._network, self._vocabulary = None, NetworkVocabulary.of(found, self.settings.numbered)
        targets = [(one.asked, self._vocabulary.symbol_ids(one.target)) for one in found]
        examples = [(asked, target) for asked, target in targets if target is not None]
        if not examples:
            return
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # sums in another order give other weights, and small matrices gain nothing
        try:
            with torch.random.fork_rng():
                torch.manual_seed(self.settings.seed)
                self._network = make_network(self.name, self._vocabulary, self.settings).to(self._device)
                self._train(self._network, examples)
        finally:
            torch.set_num_threads(threads)

    def solve(self, question: str) -> Prediction | None:
        """The first expression of the beam that has a value, as a derivation; None without one."""
        asked = Asked.of(question)
        if self._network is None or not asked.text.tokens:
            return None
        batch = Batch.of([asked], self._vocabulary, self._device)
        for prefix in self._network.expressions(batch, self.settings.beam):
            value = value_of(prefix, asked.values)
            if value is not None:
                return _prediction(prefix, asked, value)
        return None

    def _train(self, network: Network, examples: Sequence[_Numbered]) -> None:
        settings, draw = self.settings, random.Random(self.settings.seed)  # noqa: S311
        optimiser = torch.optim.Adam(network.parameters(), settings.rate, fused=True)
        every = max(1, settings.epochs // (STEPS + 1))
        rates = torch.optim.lr_scheduler.StepLR(optimiser, every, 0.5)
        for epoch in range(1, settings.epochs + 1):
            self.epochs = epoch
            network.train()
            losses = [self._learn(network, optimiser, batch) for batch in _batches(examples, settings.batch, draw)]
            rates.step()
            if sum(losses) / len(losses) < settings.enough:
                break
        network.eval()

    def _learn(self, network: Network, optimiser: torch.optim.Optimizer, examples: Sequence[_Numbered]) -> float:
        optimiser.zero_grad()
        batch = Batch.of([asked for asked, _ in examples], self._vocabulary, self._device)
        loss = network.loss(batch, [target for _, target in examples])
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), LONGEST_GRADIENT)
        optimiser.step()
        return float(loss.detach())


def make_network(name: str, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> Network:
    """The network of a name of ``network_settings.SMALL``."""
    encoder, decoder = _PARTS[name]
    return Network(encoder(vocabulary, settings), decoder(vocabulary, settings), vocabulary)


def _batches(examples: Sequence[_Numbered], size: int, draw: random.Random) -> list[list[_Numbered]]:
    """Batches of an epoch in random order; questions that are about as long go together, so that little is filled."""
    order = draw.sample(examples, len(examples))
    block = size * ALIKE
    near = [sorted(order[k : k + block], key=lambda one: len(one[0].text.tokens)) for k in range(0, len(order), block)]
    batches = [part[k : k + size] for part in near for k in range(0, len(part), size)]
    draw.shuffle(batches)
    return batches


def _prediction(prefix: Prefix, asked: Asked, value: Fraction) -> Prediction:
    template = render(Equation(Name("x"), tree_of(prefix, lambda place: Name(_SLOTS[place]))))
    used = sorted({symbol for symbol in prefix if isinstance(symbol, int)})
    alignment = {_SLOTS[place]: ("span", *asked.text.numbers[place]) for place in used}
    return Prediction((template,), alignment, unknowns=("x",), solutions=(value,))
