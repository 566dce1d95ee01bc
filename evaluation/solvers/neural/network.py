"""What the networks have in common: a batch of questions, what an encoder gives, attention, and beam search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from evaluation.solvers.neural.problems import MAX_SYMBOLS, Asked, NetworkVocabulary, Prefix, arity


@dataclass(frozen=True)
class Batch:
    """Questions as numbers: words [batch, length], and which symbols each question has."""

    asked: tuple[Asked, ...]
    words: Tensor
    allowed: Tensor

    @classmethod
    def of(cls, asked: Sequence[Asked], vocabulary: NetworkVocabulary, device: Any) -> "Batch":
        """The batch of some questions, filled up to the longest."""
        ids = [torch.tensor(vocabulary.word_ids(one)) for one in asked]
        words = nn.utils.rnn.pad_sequence(ids, batch_first=True)
        allowed = [[not isinstance(s, int) or s < len(one.values) for s in vocabulary.symbols] for one in asked]
        return cls(tuple(asked), words.to(device), torch.tensor(allowed).to(device))

    @property
    def mask(self) -> Tensor:
        """Where there is a word."""
        return self.words != 0


@dataclass(frozen=True)
class EncodedQuestions:
    """What an encoder gives a decoder: a vector for each word, one for the whole, one for each place of a number."""

    words: Tensor
    mask: Tensor
    whole: Tensor
    numbers: Tensor
    allowed: Tensor

    @classmethod
    def of(cls, batch: Batch, words: Tensor, whole: Tensor, places: int) -> "EncodedQuestions":
        """The memory of encoded words; a number that a question lacks is a zero vector."""
        at = torch.zeros(len(batch.asked), places, dtype=torch.long)
        there = torch.zeros(len(batch.asked), places, 1)
        for row, one in enumerate(batch.asked):
            for k, place in enumerate(one.places[:places]):
                at[row, k], there[row, k] = place, 1
        rows = torch.arange(len(batch.asked)).unsqueeze(1)
        numbers = words[rows.to(words.device), at.to(words.device)] * there.to(words.device)
        return cls(words, batch.mask, whole, numbers, batch.allowed)

    def rows(self, chosen: Tensor) -> "EncodedQuestions":
        """The memory of some questions of the batch."""
        parts = (self.words, self.mask, self.whole, self.numbers, self.allowed)
        return EncodedQuestions(*(part[chosen] for part in parts))


class Encoder(Protocol):
    """Reads a batch."""

    def __call__(self, batch: Batch) -> EncodedQuestions:
        """What the decoder works from."""


class Decoder(Protocol):
    """Writes an expression symbol by symbol; all questions of a call have expressions of one shape so far."""

    def step(self, memory: EncodedQuestions, state: Any, last: Tensor | None) -> tuple[Tensor, Any]:
        """Scores of the next symbol [batch, symbols] after ``last``, None at the beginning; and the next state."""


class Network(nn.Module):
    """An encoder with a decoder."""

    def __init__(self, encoder: Encoder, decoder: Decoder, vocabulary: NetworkVocabulary) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self._vocabulary = vocabulary
        self._arities = [arity(symbol) for symbol in vocabulary.symbols]

    def loss(self, batch: Batch, targets: Sequence[Sequence[int]]) -> Tensor:
        """The mean cross entropy of a symbol of the targets."""
        memory = self.encoder(batch)
        shapes: dict[tuple[int, ...], list[int]] = {}
        for row, target in enumerate(targets):
            shapes.setdefault(tuple(self._arities[symbol] for symbol in target), []).append(row)
        losses = []
        for rows in shapes.values():
            part = memory.rows(torch.tensor(rows, device=memory.words.device))
            wanted = torch.tensor([targets[row] for row in rows], device=memory.words.device)
            state, last = None, None
            for place in range(wanted.shape[1]):
                scores, state = self.decoder.step(part, state, last)
                last = wanted[:, place]
                losses.append(nn.functional.cross_entropy(self._barred(scores, part), last, reduction="sum"))
        return torch.stack(losses).sum() / sum(len(target) for target in targets)

    def expressions(self, batch: Batch, beam: int) -> list[Prefix]:
        """Whole expressions for a batch of one question, the most probable first (beam search)."""
        with torch.no_grad():
            memory = self.encoder(batch)
            done: list[_Partial] = []
            partial = [_Partial(0.0, (), 1, None)]
            while partial and partial[0].score > max((one.score for one in done), default=float("-inf")):
                grown = [new for old in partial for new in self._grown(memory, old, beam)]
                best = sorted(grown, key=lambda one: -one.score)[:beam]
                done += [one for one in best if not one.missing]
                partial = [one for one in best if one.missing and len(one.symbols) + one.missing <= MAX_SYMBOLS]
        done.sort(key=lambda one: -one.score)
        return [tuple(self._vocabulary.symbols[symbol] for symbol in one.symbols) for one in done]

    def _grown(self, memory: EncodedQuestions, old: "_Partial", beam: int) -> list["_Partial"]:
        last = torch.tensor(old.symbols[-1:], device=memory.words.device) if old.symbols else None
        scores, state = self.decoder.step(memory, old.state, last)
        found = torch.log_softmax(self._barred(scores, memory), 1)[0].topk(min(beam, scores.shape[1]))
        return [
            _Partial(old.score + score, (*old.symbols, symbol), old.missing - 1 + self._arities[symbol], state)
            for score, symbol in zip(found.values.tolist(), found.indices.tolist(), strict=True)
            if score > float("-inf")
        ]

    @staticmethod
    def _barred(scores: Tensor, memory: EncodedQuestions) -> Tensor:
        return scores.masked_fill(~memory.allowed, float("-inf"))


@dataclass(frozen=True)
class _Partial:
    """The beginning of an expression: its log probability, its symbols, and how many operands are missing."""

    score: float
    symbols: tuple[int, ...]
    missing: int
    state: Any


class Attention(nn.Module):
    """Additive attention of a query over the words (Bahdanau et al., 2015)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._query, self._key = nn.Linear(size, size), nn.Linear(size, size, bias=False)
        self._score = nn.Linear(size, 1, bias=False)

    def forward(self, query: Tensor, memory: EncodedQuestions) -> Tensor:
        """The weighted mean of the words."""
        energy = torch.tanh(self._query(query).unsqueeze(1) + self._key(memory.words))
        weights = self._score(energy).squeeze(2).masked_fill(~memory.mask, float("-inf")).softmax(1)
        return torch.bmm(weights.unsqueeze(1), memory.words).squeeze(1)
