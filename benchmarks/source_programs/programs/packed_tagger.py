"""A bidirectional LSTM tagger on packed sequences, with characters, masks and a bucketed sampler."""
from typing import Dict, List

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

WORDS = "the a dog cat bird sees chases old small runs".split()
TAGS = {"the": 1, "a": 1, "dog": 2, "cat": 2, "bird": 2, "sees": 3, "chases": 3, "runs": 3, "old": 4, "small": 4}
SENTENCES = ["the dog runs", "a small cat sees the old dog", "the bird chases a cat", "old dog runs",
             "a bird sees the small dog", "the cat chases the bird", "small bird runs", "the old cat sees a dog"]


class Vocab:
    def __init__(self, words: List[str]):
        self.itos = ["<pad>", "<unk>"] + sorted(set(words))
        self.stoi: Dict[str, int] = {w: i for i, w in enumerate(self.itos)}

    def __call__(self, word: str) -> int:
        return self.stoi.get(word, 1)

    def __len__(self):
        return len(self.itos)


class TagData(Dataset):
    def __init__(self, sentences, vocab):
        self.rows = [s.split() for s in sentences]
        self.vocab = vocab

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        words = self.rows[i]
        return torch.tensor([self.vocab(w) for w in words]), torch.tensor([TAGS[w] for w in words])


class BucketSampler(Sampler):
    def __init__(self, data, batch_size):
        self.order = sorted(range(len(data)), key=lambda i: (len(data.rows[i]), i))
        self.batch_size = batch_size

    def __iter__(self):
        for start in range(0, len(self.order), self.batch_size):
            yield self.order[start:start + self.batch_size]

    def __len__(self):
        return (len(self.order) + self.batch_size - 1) // self.batch_size


def collate_fn(batch):
    batch.sort(key=lambda pair: len(pair[0]), reverse=True)
    lengths = torch.tensor([len(x) for x, _ in batch])
    xs = torch.zeros(len(batch), int(lengths[0]), dtype=torch.long)
    ys = torch.zeros_like(xs)
    for row, (x, y) in enumerate(batch):
        xs[row, : len(x)] = x
        ys[row, : len(y)] = y
    return xs, ys, lengths


class Tagger(nn.Module):
    def __init__(self, vocab, tags, emb=8, hidden=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, tags)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True)
        assert isinstance(packed, PackedSequence)
        output, (h, c) = self.lstm(packed)
        output, out_lengths = pad_packed_sequence(output, batch_first=True, total_length=x.size(1))
        return self.out(output), h, out_lengths


def main():
    vocab = Vocab(WORDS)
    data = TagData(SENTENCES, vocab)
    loader = DataLoader(data, batch_sampler=BucketSampler(data, 4), collate_fn=collate_fn)
    model = Tagger(len(vocab), 5)
    rng = np.random.default_rng(0)
    for name, p in sorted(model.named_parameters()):
        p.data.copy_(torch.from_numpy(rng.uniform(-0.4, 0.4, size=tuple(p.shape))))
    model.emb.weight.data[0] = 0
    criterion = nn.CrossEntropyLoss(ignore_index=0, reduction="sum")
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for epoch in range(4):
        total, count = 0.0, 0
        for xs, ys, lengths in loader:
            model.zero_grad()
            scores, h, _ = model(xs, lengths)
            loss = criterion(scores.flatten(0, 1), ys.flatten())
            (loss / lengths.sum()).backward()
            optimizer.step()
            total += loss.item()
            count += lengths.sum().item()
        print(f"epoch {epoch} {total / count:.4f} {tuple(h.shape)}")
    model.eval()
    with torch.no_grad():
        right = np.zeros(5, dtype=int)
        for xs, ys, lengths in loader:
            scores, _, out_lengths = model(xs, lengths)
            assert torch.equal(out_lengths, lengths)
            mask = torch.arange(xs.size(1))[None, :] < lengths[:, None]
            hits = (scores.argmax(-1) == ys) & mask
            for tag in range(1, 5):
                right[tag] += int((hits & (ys == tag)).sum())
    print(right.tolist(), sum(len(r) for r in data.rows))


if __name__ == "__main__":
    main()
