"""A translation transformer written out: layers beyond the first shared by a slice, label smoothing, beam search with lengths."""
import math
from typing import NamedTuple, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class Hypothesis(NamedTuple):
    tokens: torch.Tensor
    score: float
    finished: bool = False


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.dk = heads, d // heads
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def split(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.h, self.dk).transpose(1, 2)

    def forward(self, query, key, value, mask: Optional[torch.Tensor] = None):
        q, k, v = self.split(self.q(query)), self.split(self.k(key)), self.split(self.v(value))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.dk)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        out = torch.matmul(scores.softmax(-1), v).transpose(1, 2).contiguous()
        return self.o(out.view(out.size(0), -1, self.h * self.dk))


class Layer(nn.Module):
    def __init__(self, d, heads, cross=False):
        super().__init__()
        self.self_attn = Attention(d, heads)
        self.cross_attn = Attention(d, heads) if cross else None
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.norms = nn.ModuleList([nn.LayerNorm(d) for _ in range(3 if cross else 2)])

    def forward(self, x, mask, memory=None, memory_mask=None):
        y = self.norms[0](x)
        x = x + self.self_attn(y, y, y, mask)
        if self.cross_attn is not None:
            x = x + self.cross_attn(self.norms[1](x), memory, memory, memory_mask)
        return x + self.ff(self.norms[-1](x))


class Model(nn.Module):
    def __init__(self, vocab=11, d=16, heads=2, n=3):
        super().__init__()
        self.d = d
        self.src_embed, self.tgt_embed = nn.Embedding(vocab, d), nn.Embedding(vocab, d)
        self.encoder = nn.ModuleList([Layer(d, heads) for _ in range(n)])
        self.decoder = nn.ModuleList([Layer(d, heads, cross=True) for _ in range(n - 1)])
        self.generator = nn.Linear(d, vocab)
        pos = torch.arange(20).unsqueeze(1) * torch.exp(torch.arange(0, d, 2) * -(math.log(10000.0) / d))
        pe = torch.zeros(20, d)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(pos), torch.cos(pos)
        self.register_buffer("pe", pe.unsqueeze(0), persistent=False)
        for i, p in enumerate(self.parameters()):
            p.data = torch.cos(torch.arange(p.numel()).float() * 0.77 + i).view(p.size()) * 0.25

    def embed(self, table, x):
        return table(x) * math.sqrt(self.d) + self.pe[:, : x.size(1)]

    def encode(self, src, mask):
        x = self.encoder[0](self.embed(self.src_embed, src), mask)
        for layer in self.encoder[1:]:
            x = layer(x, mask)
        return x

    def decode(self, memory, src_mask, tgt):
        size = tgt.size(-1)
        mask = torch.tril(torch.ones(1, 1, size, size)).bool()
        x = self.embed(self.tgt_embed, tgt)
        for layer in self.decoder:
            x = layer(x, mask, memory, src_mask)
        return F.log_softmax(self.generator(x), dim=-1)

    def forward(self, src, tgt):
        mask = (src != 0).unsqueeze(1).unsqueeze(2)
        return self.decode(self.encode(src, mask), mask, tgt)


@torch.no_grad()
def beam_search(model, src, width=3, limit=6, end=2, alpha=0.6):
    mask = (src != 0)[:, None, None, :]
    memory = model.encode(src, mask)
    beams = [Hypothesis(torch.ones(1, 1, dtype=torch.long), 0.0)]
    for _ in range(limit):
        candidates = [b for b in beams if b.finished]
        for beam in beams:
            if beam.finished:
                continue
            log_probs = model.decode(memory, mask, beam.tokens)[0, -1]
            values, indices = torch.topk(log_probs, width)
            for value, index in zip(values, indices):
                tokens = torch.cat([beam.tokens, index.view(1, 1)], dim=1)
                candidates.append(Hypothesis(tokens, beam.score + value.item(), index.item() == end))
        beams = sorted(candidates, key=lambda b: b.score / (b.tokens.size(1) ** alpha), reverse=True)[:width]
        if all(b.finished for b in beams):
            break
    return beams[0]


model = Model()
names = [n for n, _ in model.named_parameters()]
src = torch.tensor([[3, 4, 5, 6, 0], [7, 8, 9, 10, 3], [5, 5, 6, 0, 0], [4, 9, 8, 3, 7]])
tgt = torch.cat([torch.ones(4, 1, dtype=torch.long), src.flip(1), torch.full((4, 1), 2)], dim=1)
criterion = nn.KLDivLoss(reduction="sum")
optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
rate = lambda step: 0.02 * min((step + 1) ** -0.5, (step + 1) * 4 ** -1.5)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
for step in range(8):
    out = model(src, tgt[:, :-1])
    gold = tgt[:, 1:]
    smooth = torch.full_like(out, 0.1 / 9)
    smooth.scatter_(2, gold.unsqueeze(-1), 0.9)
    smooth[gold == 0] = 0
    loss = criterion(out, smooth) / (gold != 0).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 2:
        print(step, round(loss.item(), 3), f"{schedule.get_last_lr()[0]:.5f}")
model.eval()
best = beam_search(model, src[1:2])
print(best.tokens.tolist(), round(best.score, 2), best.finished)
print(names == [n for n, _ in model.named_parameters()], len(names), len(model.encoder[:2]))
