"""A tagger that works on packed data, as variational-dropout code does."""

import torch
from torch import nn, Tensor
from torch.nn.utils.rnn import (
    PackedSequence,
    pack_sequence,
    pad_packed_sequence,
    pack_padded_sequence,
)
from typing import Optional, Tuple


class PackedLinear(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.linear = nn.Linear(d_in, d_out)

    def forward(self, x: PackedSequence) -> PackedSequence:
        return PackedSequence(
            self.linear(x.data), x.batch_sizes, x.sorted_indices, x.unsorted_indices
        )


class Tagger(nn.Module):
    def __init__(self, vocab: int, dim: int, tags: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.RNN(dim, dim, nonlinearity="relu", num_layers=1, bidirectional=True)
        self.second = nn.GRU(2 * dim, dim, batch_first=True)
        self.head = PackedLinear(dim, tags)

    def forward(
        self, words: PackedSequence, h0: Optional[Tensor] = None
    ) -> Tuple[PackedSequence, Tensor]:
        emb = PackedSequence(
            self.emb(words.data), words.batch_sizes, words.sorted_indices, words.unsorted_indices
        )
        out, h = self.rnn(emb, h0)
        out = PackedSequence(
            torch.tanh(out.data), out.batch_sizes, out.sorted_indices, out.unsorted_indices
        )
        out, h2 = self.second(out)
        return self.head(out), h2


sentences = [
    torch.tensor([1, 4, 2]),
    torch.tensor([3, 5, 6, 7, 1]),
    torch.tensor([2]),
    torch.tensor([8, 8, 3]),
]
tags = [t % 3 for t in sentences]
words = pack_sequence(sentences, enforce_sorted=False)
gold = pack_sequence(tags, enforce_sorted=False)
print(words.data.tolist(), words.batch_sizes.tolist())
print(words.sorted_indices.tolist(), words.unsorted_indices.tolist())

net = Tagger(10, 4, 3)
with torch.no_grad():
    for i, p in enumerate(net.parameters()):
        p.copy_(torch.linspace(-0.5, 0.6, p.numel()).view(p.shape) * (1 if i % 2 else -1))
optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
criterion = nn.CrossEntropyLoss()
h0 = torch.linspace(-1, 1, 2 * 4 * 4).view(2, 4, 4)
for step in range(5):
    scores, last = net(words, h0)
    loss = criterion(scores.data, gold.data)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, round(loss.item(), 5))
scores, last = net(words, h0)
print([[round(v, 4) for v in r] for r in last[0].tolist()])
padded, lengths = pad_packed_sequence(scores, batch_first=True, padding_value=-1.0)
print(lengths.tolist(), round(padded.sum().item(), 4))
data, batch_sizes, sorted_idx, unsorted_idx = scores
print(tuple(data.shape), batch_sizes.tolist(), isinstance(scores, PackedSequence))
