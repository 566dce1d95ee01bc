"""The LSTM decoder with attention of Seq2Seq and of the constrained model of SVAMP (Luong et al., EMNLP 2015)."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from evaluation.solvers.neural.network import Attention, EncodedQuestions
from evaluation.solvers.neural.network_settings import NetworkSettings
from evaluation.solvers.neural.problems import NetworkVocabulary


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
