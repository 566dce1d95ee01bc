"""The decoders: the LSTM with attention, and the goal-driven tree decoder.

The first is that of Seq2Seq and of the constrained model of SVAMP (Luong et al., EMNLP 2015), the second that of GTS
(Xie & Sun, IJCAI 2019, section 3), used by Graph2Tree as well: a goal gives a symbol; an operator divides its goal into
a left and a right one. The right goal is refined by the vector of the left subtree once that is written.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from evaluation.solvers.neural.network import Attention, EncodedQuestions
from evaluation.solvers.neural.network_settings import NetworkSettings
from evaluation.solvers.neural.problems import NetworkVocabulary, arity

LEAF_GAIN = 1.0


class _SequenceState(NamedTuple):
    """The hidden and cell states of the layers, and what was attended to last."""

    hidden: Tensor
    cell: Tensor
    attended: Tensor


class SequenceDecoder(nn.Module):
    """Prefix symbols one after another, each from the last symbol and from what was attended to before."""

    def __init__(self, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> None:
        super().__init__()
        size, symbols = settings.hidden, len(vocabulary.symbols)
        self._begin = symbols
        self._layers = settings.layers
        self._embedding = nn.Embedding(symbols + 1, settings.embedding)
        self._dropout = nn.Dropout(settings.dropout)
        self._start = nn.Linear(size, size)
        self._writer = nn.LSTM(settings.embedding + size, size, settings.layers, batch_first=True)
        self._attention = Attention(size)
        self._joined = nn.Linear(2 * size, size)
        self._scores = nn.Linear(size, symbols)

    def step(
        self, memory: EncodedQuestions, state: _SequenceState | None, last: Tensor | None
    ) -> tuple[Tensor, _SequenceState]:
        """The scores of the next symbol and the next state."""
        if state is None or last is None:
            hidden = torch.tanh(self._start(memory.whole)).expand(self._layers, -1, -1).contiguous()
            state = _SequenceState(hidden, torch.zeros_like(hidden), torch.zeros_like(memory.whole))
            last = torch.full_like(memory.whole[:, 0], self._begin, dtype=torch.long)
        given = torch.cat([self._dropout(self._embedding(last)), state.attended], 1).unsqueeze(1)
        written, (hidden, cell) = self._writer(given, (state.hidden, state.cell))
        query = written.squeeze(1)
        attended = torch.tanh(self._joined(torch.cat([query, self._attention(query, memory)], 1)))
        return self._scores(self._dropout(attended)), _SequenceState(hidden, cell, attended)


class _OpenOperator(NamedTuple):
    """An operator whose right operand is to be written: its vector, its right goal, its left subtree once written."""

    operator: Tensor
    right: Tensor
    left: Tensor | None


class _TreeState(NamedTuple):
    """The open operators, the goal of the symbol that was scored, its context, and the vectors of all leaves."""

    opened: tuple[_OpenOperator, ...]
    goal: Tensor
    context: Tensor
    leaves: Tensor


class _Gated(nn.Module):
    """A layer with a gate: ``tanh(Wx) * sigmoid(Vx)`` (equations 7 to 12)."""

    def __init__(self, given: int, size: int, dropout: float) -> None:
        super().__init__()
        self._value, self._gate = nn.Linear(given, size), nn.Linear(given, size)
        self._dropout = nn.Dropout(dropout)

    def forward(self, *parts: Tensor) -> Tensor:
        """The gated value of some vectors."""
        given = self._dropout(torch.cat(parts, 1))
        return torch.tanh(self._value(given)) * torch.sigmoid(self._gate(given))


class TreeDecoder(nn.Module):
    """Symbols from goals, top down and left to right."""

    def __init__(self, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> None:
        super().__init__()
        size, dropout = settings.hidden, settings.dropout
        self._operators = vocabulary.operators
        self._unary = [arity(symbol) == 1 for symbol in vocabulary.symbols]
        constants = len(vocabulary.symbols) - vocabulary.operators - vocabulary.places
        self._operator_vectors = nn.Embedding(max(1, self._operators), size)
        self._constant_vectors = nn.Parameter(torch.randn(1, constants, size))
        self._first, self._refined = _Gated(size, size, dropout), _Gated(2 * size, size, dropout)
        self._left, self._right = (_Gated(3 * size, size, dropout) for _ in range(2))
        self._merged = _Gated(3 * size, size, dropout)
        self._attention = Attention(size)
        self._dropout = nn.Dropout(dropout)
        self._operator_scores = nn.Linear(2 * size, self._operators)
        self._leaf_inner, self._leaf_score = nn.Linear(3 * size, size), nn.Linear(size, 1, bias=False)
        # Small weights leave tanh straight, and a straight score prefers the same leaf whatever the goal.
        nn.init.xavier_uniform_(self._leaf_inner.weight, LEAF_GAIN)

    def step(
        self, memory: EncodedQuestions, state: _TreeState | None, last: Tensor | None
    ) -> tuple[Tensor, _TreeState]:
        """The scores of the next symbol and the next state."""
        if state is None or last is None:
            constants = self._constant_vectors.expand(len(memory.whole), -1, -1)
            leaves = torch.cat([constants, memory.numbers], 1)
            opened: tuple[_OpenOperator, ...] = ()
            goal = self._first(memory.whole)
        else:
            leaves = state.leaves
            opened, goal = self._after(state, last)
        context = self._attention(self._dropout(goal), memory)
        return self._scores(goal, context, leaves), _TreeState(opened, goal, context, leaves)

    def _scores(self, goal: Tensor, context: Tensor, leaves: Tensor) -> Tensor:
        """Of operators by a layer, of leaves by comparing each vector with goal and context (equation 5)."""
        seen = self._dropout(torch.cat([goal, context], 1))
        each = torch.cat([seen.unsqueeze(1).expand(-1, leaves.shape[1], -1), self._dropout(leaves)], 2)
        compared = self._leaf_score(torch.tanh(self._leaf_inner(each))).squeeze(2)
        return torch.cat([self._operator_scores(seen), compared], 1)

    def _after(self, state: _TreeState, last: Tensor) -> tuple[tuple[_OpenOperator, ...], Tensor]:
        """The open operators and the next goal once a symbol is written for a goal."""
        symbol = int(last[0])
        if symbol < self._operators:
            vector = self._operator_vectors(last)
            left = self._left(state.goal, state.context, self._dropout(vector))
            right = self._right(state.goal, state.context, self._dropout(vector))
            if self._unary[symbol]:
                nothing = torch.zeros_like(right)
                return (*state.opened, _OpenOperator(vector, right, nothing)), self._refined(nothing, right)
            return (*state.opened, _OpenOperator(vector, right, None)), self._first(left)
        opened = list(state.opened)
        tree = state.leaves[torch.arange(len(last), device=last.device), last - self._operators]
        while opened and opened[-1].left is not None:
            done = opened.pop()
            tree = self._merged(done.operator, done.left, tree)
        if not opened:
            return (), state.goal
        opened[-1] = opened[-1]._replace(left=tree)
        return tuple(opened), self._refined(tree, opened[-1].right)
