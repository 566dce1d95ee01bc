"""The encoders: recurrent, recurrent with the graphs of Graph2Tree, and words without order."""

from itertools import combinations

import torch
from torch import Tensor, nn

from evaluation.solvers.neural.network import Batch, EncodedQuestions
from evaluation.solvers.neural.network_settings import NetworkSettings
from evaluation.solvers.neural.problems import Asked, NetworkVocabulary

CELL = 3
"""Words on each side of a number, within its clause, that belong to its cell."""
HEADS = 4
_STOPS = frozenset(".,;:?!")


class RecurrentEncoder(nn.Module):
    """Words read by LSTMs in both directions, the two sides added.

    The way back is a way ahead over the reversed words: what fills a batch up always comes last and changes nothing.
    """

    def __init__(self, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> None:
        super().__init__()
        size = settings.hidden
        self._places = vocabulary.places
        self._embedding = nn.Embedding(len(vocabulary.words) + 2, settings.embedding, padding_idx=0)
        self._dropout = nn.Dropout(settings.dropout)
        given = [settings.embedding, *(2 * size for _ in range(settings.layers - 1))]
        self._ahead = nn.ModuleList(nn.LSTM(one, size, batch_first=True) for one in given)
        self._back = nn.ModuleList(nn.LSTM(one, size, batch_first=True) for one in given)

    def forward(self, batch: Batch) -> EncodedQuestions:
        """The memory of a batch; its whole is the last state of each direction."""
        lengths = batch.mask.sum(1, keepdim=True)
        places = torch.arange(batch.words.shape[1], device=batch.words.device).unsqueeze(0)
        turned = torch.where(batch.mask, lengths - 1 - places, places).unsqueeze(2)
        read = self._embedding(batch.words)
        for ahead, back in zip(self._ahead, self._back, strict=True):
            read = self._dropout(read)
            there = ahead(read)[0]
            home = back(read.gather(1, turned.expand_as(read)))[0]
            read = torch.cat([there, home.gather(1, turned.expand_as(home))], 2)
        last = (lengths - 1).unsqueeze(2).expand(-1, 1, there.shape[2])
        whole = there.gather(1, last).squeeze(1) + home.gather(1, last).squeeze(1)
        return EncodedQuestions.of(batch, sum(read.chunk(2, 2)), whole, self._places)


class BagEncoder(nn.Module):
    """Each word through the same layers, without its order (SVAMP, section 4: the constrained model)."""

    def __init__(self, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> None:
        super().__init__()
        self._places = vocabulary.places
        self._layers = nn.Sequential(
            nn.Embedding(len(vocabulary.words) + 2, settings.embedding, padding_idx=0),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.embedding, settings.hidden),
            nn.ReLU(),
            nn.Linear(settings.hidden, settings.hidden),
        )

    def forward(self, batch: Batch) -> EncodedQuestions:
        """The memory of a batch; its whole is the mean of the words."""
        words = self._layers(batch.words)
        there = batch.mask.unsqueeze(2)
        whole = (words * there).sum(1) / there.sum(1)
        return EncodedQuestions.of(batch, words, whole, self._places)


class GraphEncoder(nn.Module):
    """A recurrent encoder whose words learn from the quantity graphs (Zhang et al., ACL 2020, sections 3.2 and 3.3).

    Each head is a graph convolution of two layers over one graph. Heads are added to what they read and go through a
    feed-forward layer, each step with a norm.
    """

    def __init__(self, vocabulary: NetworkVocabulary, settings: NetworkSettings) -> None:
        super().__init__()
        size = settings.hidden
        self._places = vocabulary.places
        self._reader = RecurrentEncoder(vocabulary, settings)
        self._first = nn.ModuleList(nn.Linear(size, size // 2) for _ in range(HEADS))
        self._second = nn.ModuleList(nn.Linear(size // 2, size // HEADS) for _ in range(HEADS))
        self._dropout = nn.Dropout(settings.dropout)
        self._forward = nn.Sequential(nn.Linear(size, size), nn.ReLU(), self._dropout, nn.Linear(size, size))
        self._norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(2))

    def forward(self, batch: Batch) -> EncodedQuestions:
        """The memory of a batch."""
        read = self._reader(batch)
        graphs = torch.stack([graphs_of(one, batch.words.shape[1]) for one in batch.asked], 1).to(batch.words.device)
        heads = []
        for graph, first, second in zip(graphs, self._first, self._second, strict=True):
            inner = self._dropout(torch.relu(torch.bmm(graph, first(read.words))))
            heads.append(torch.bmm(graph, second(inner)))
        words = self._norms[0](read.words + torch.cat(heads, 2))
        words = self._norms[1](words + self._forward(words))
        return EncodedQuestions.of(batch, words, read.whole, self._places)


def graphs_of(asked: Asked, size: int) -> Tensor:
    """The graphs of a question [HEADS, size, size], rows summing to one, each word with itself.

    Quantity cells: a number with the words around it, and the same word in two cells. Quantity comparison: from a
    number to the smaller ones, and to the larger ones. The last graph is the cells and both comparisons together. The
    paper takes the words of a cell from a parse; here they are those beside the number.
    """
    cells, down, up = (torch.eye(size) for _ in range(3))
    members: dict[str, list[int]] = {}
    for place in asked.places:
        for word in _cell(asked.text.tokens, place):
            cells[place, word] = cells[word, place] = 1
            members.setdefault(asked.text.tokens[word], []).append(word)
    for same in members.values():
        for left, right in combinations(same, 2):
            cells[left, right] = cells[right, left] = 1
    for left, right in combinations(range(len(asked.values)), 2):
        if asked.values[left] != asked.values[right]:
            large, small = (left, right) if asked.values[left] > asked.values[right] else (right, left)
            down[asked.places[large], asked.places[small]] = up[asked.places[small], asked.places[large]] = 1
    graphs = torch.stack([cells, down, up, (cells + down + up).clamp(max=1)])
    return graphs / graphs.sum(2, keepdim=True)


def _cell(tokens: tuple[str, ...], place: int) -> list[int]:
    """The words of a number's cell."""
    found: list[int] = []
    for step in (-1, 1):
        for word in range(place + step, place + step * (CELL + 1), step):
            if not 0 <= word < len(tokens) or tokens[word] in _STOPS:
                break
            found.append(word)
    return found
