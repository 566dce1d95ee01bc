"""A small Transformer (Vaswani et al., NeurIPS 2017)."""

import math

import torch
from torch import Tensor, nn

from evaluation.solvers.neural.network import Batch, EncodedQuestions
from evaluation.solvers.neural.network_settings import NetworkSettings
from evaluation.solvers.neural.problems import NetworkVocabulary

HEADS = 4
WIDER = 2
"""How much wider the inner layer is."""


def positions(length: int, size: int) -> Tensor:
    """Sines and cosines of the positions [length, size]."""
    angles = torch.arange(length).unsqueeze(1) * torch.exp(torch.arange(0, size, 2) * (-math.log(10_000) / size))
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)[:, :size]


class TransformerEncoder(nn.Module):
    """Words with their positions through layers of self-attention."""

    def __init__(self, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> None:
        super().__init__()
        self._places, self._size = vocabulary.places, settings.hidden
        self._embedding = nn.Embedding(len(vocabulary.words) + 2, settings.hidden, padding_idx=0)
        self._dropout = nn.Dropout(settings.dropout)
        layer = nn.TransformerEncoderLayer(
            settings.hidden, HEADS, WIDER * settings.hidden, settings.dropout, batch_first=True
        )
        self._layers = nn.TransformerEncoder(layer, settings.layers, enable_nested_tensor=False)

    def forward(self, batch: Batch) -> EncodedQuestions:
        """The memory of a batch; nothing stands for the whole."""
        places = positions(batch.words.shape[1], self._size).to(batch.words.device)
        words = self._embedding(batch.words) * math.sqrt(self._size) + places
        words = self._layers(self._dropout(words), src_key_padding_mask=~batch.mask)
        return EncodedQuestions.of(batch, words, words[:, 0], self._places)


class TransformerDecoder(nn.Module):
    """Prefix symbols, each from all symbols before it; the state is these symbols."""

    def __init__(self, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> None:
        super().__init__()
        self._size, self._begin = settings.hidden, len(vocabulary.symbols)
        self._embedding = nn.Embedding(len(vocabulary.symbols) + 1, settings.hidden)
        self._dropout = nn.Dropout(settings.dropout)
        layer = nn.TransformerDecoderLayer(
            settings.hidden, HEADS, WIDER * settings.hidden, settings.dropout, batch_first=True
        )
        self._layers = nn.TransformerDecoder(layer, settings.layers)
        self._scores = nn.Linear(settings.hidden, len(vocabulary.symbols))

    def step(self, memory: EncodedQuestions, state: Tensor | None, last: Tensor | None) -> tuple[Tensor, Tensor]:
        """The scores of the next symbol and the symbols so far."""
        if state is None or last is None:
            symbols = torch.full_like(memory.whole[:, :1], self._begin, dtype=torch.long)
        else:
            symbols = torch.cat([state, last.unsqueeze(1)], 1)
        length = symbols.shape[1]
        places = positions(length, self._size).to(symbols.device)
        later = torch.ones(length, length, dtype=torch.bool, device=symbols.device).triu(1)
        written = self._layers(
            self._dropout(self._embedding(symbols) * math.sqrt(self._size) + places),
            memory.words,
            tgt_mask=later,
            memory_key_padding_mask=~memory.mask,
        )
        return self._scores(written[:, -1]), symbols
