"""Skip-gram with negative sampling: a vocabulary with subsampling, noise by the 3/4 power, nearest words, an analogy."""
from collections import Counter

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

CORPUS = """the king rules the land and the queen rules the land with the king
a man walks the dog and a woman walks the dog in the land of the king
the queen and the woman talk while the king and the man talk
the dog runs and the cat runs and the man and the woman watch the cat and the dog""".split("\n")


class Vocab:
    def __init__(self, sentences, min_count=2):
        counts = Counter(w for s in sentences for w in s.split())
        self.itos = sorted((w for w, c in counts.items() if c >= min_count), key=lambda w: (-counts[w], w))
        self.stoi = {w: i for i, w in enumerate(self.itos)}
        self.freqs = np.array([counts[w] for w in self.itos], dtype=np.float64)

    def __len__(self):
        return len(self.itos)

    def encode(self, sentence):
        return [self.stoi[w] for w in sentence.split() if w in self.stoi]

    def noise(self):
        p = self.freqs ** 0.75
        return torch.from_numpy(p / p.sum()).float()


class SkipGramDataset(Dataset):
    def __init__(self, vocab, sentences, window=2, negatives=4, seed=0):
        rng = np.random.RandomState(seed)
        noise = vocab.noise().numpy().astype(np.float64)
        noise /= noise.sum()
        keep = np.minimum(1.0, np.sqrt(0.05 / (vocab.freqs / vocab.freqs.sum())))
        self.samples = []
        for sentence in sentences:
            ids = [i for i in vocab.encode(sentence) if rng.rand() < keep[i] + 0.3]
            for pos, center in enumerate(ids):
                for off in range(-window, window + 1):
                    if off == 0 or not 0 <= pos + off < len(ids):
                        continue
                    neg = rng.choice(len(vocab), size=negatives, p=noise)
                    self.samples.append((center, ids[pos + off], neg))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, idx):
        center, context, neg = self.samples[idx]
        return torch.tensor(center), torch.tensor(context), torch.LongTensor(neg)


class SkipGram(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.center = nn.Embedding(vocab_size, dim)
        self.context = nn.Embedding(vocab_size, dim)
        init = np.random.RandomState(1).uniform(-0.5 / dim, 0.5 / dim, (vocab_size, dim))
        self.center.weight.data.copy_(torch.from_numpy(init))
        self.context.weight.data.fill_(0.01)

    def forward(self, center, context, negatives):
        v = self.center(center)
        u = self.context(context)
        n = self.context(negatives)
        pos = F.logsigmoid(torch.sum(v * u, dim=1))
        neg = F.logsigmoid(-torch.bmm(n, v.unsqueeze(2)).squeeze(2)).sum(1)
        return -(pos + neg).mean()


@torch.no_grad()
def nearest(model, vocab, word, k=3):
    emb = F.normalize(model.center.weight, dim=1)
    sims = emb @ emb[vocab.stoi[word]]
    values, indices = sims.topk(k + 1)
    return [(vocab.itos[i], round(v, 3)) for v, i in zip(values.tolist(), indices.tolist()) if vocab.itos[i] != word][:k]


def analogy(model, vocab, a, b, c):
    w = model.center.weight.detach()
    target = w[vocab.stoi[b]] - w[vocab.stoi[a]] + w[vocab.stoi[c]]
    scores = F.cosine_similarity(w, target.unsqueeze(0), dim=-1)
    for skip in (a, b, c):
        scores[vocab.stoi[skip]] = -float("inf")
    best = scores.argmax().item()
    return vocab.itos[best], scores[best].item()


def main():
    vocab = Vocab(CORPUS)
    data = SkipGramDataset(vocab, CORPUS)
    loader = DataLoader(data, batch_size=32, shuffle=False, drop_last=True)
    print(len(vocab), len(data), vocab.itos[:5], [round(p, 4) for p in vocab.noise()[:4].tolist()])
    model = SkipGram(len(vocab), 12)
    optimizer = torch.optim.SparseAdam(model.parameters()) if model.center.sparse else torch.optim.Adagrad(model.parameters(), lr=0.3)
    for epoch in range(1, 7):
        running = 0.0
        for center, context, negatives in loader:
            optimizer.zero_grad()
            loss = model(center, context, negatives)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(center)
        if epoch % 2 == 0:
            print(f"epoch {epoch:2d} loss {running / (len(loader) * 32):.4f}")
    for word in ("king", "dog"):
        print(word, nearest(model, vocab, word))
    print("%s %.3f" % analogy(model, vocab, "man", "king", "woman"))
    print("norms", *(f"{n:.3f}" for n in model.center.weight.norm(dim=1)[:4]))


if __name__ == "__main__":
    main()
