"""Recommendations by factors with biases: implicit negatives, a Bayesian ranking loss, hit rate and NDCG, early stopping."""
import argparse
import copy
import random

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils import data as torch_data


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--factors", type=int, default=6)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--patience", type=int, default=2)
    return parser.parse_args([])


class Pairs(torch_data.Dataset):
    def __init__(self, positives, n_items, negatives, training):
        super().__init__()
        self.positives, self.n_items = positives, n_items
        self.negatives, self.training = negatives, training
        self.rows = positives

    def sample(self, rng):
        seen = set(self.positives)
        self.rows = []
        for u, i in self.positives:
            for _ in range(self.negatives):
                j = rng.randrange(self.n_items)
                while (u, j) in seen:
                    j = rng.randrange(self.n_items)
                self.rows.append((u, i, j))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        row = self.rows[idx]
        return row if self.training else row[:2]


class BPR(nn.Module):
    def __init__(self, users, items, factors):
        super().__init__()
        self.embed_user = nn.Embedding(users, factors)
        self.embed_item = nn.Embedding(items, factors)
        self.item_bias = nn.Embedding(items, 1)
        for k, e in enumerate((self.embed_user, self.embed_item)):
            e.weight.data = torch.sin(torch.arange(e.weight.numel()).float() * (1.3 + k)).view(e.weight.size()) * 0.1
        nn.init.constant_(self.item_bias.weight, 0.0)

    def score(self, user, item):
        return (self.embed_user(user) * self.embed_item(item)).sum(-1) + self.item_bias(item).squeeze(-1)

    def forward(self, user, i, j):
        return self.score(user, i), self.score(user, j)


def evaluate(model, held, n_items, k=3):
    hits, gains = [], []
    with torch.no_grad():
        for user, item in held:
            scores = model.score(torch.full((n_items,), user, dtype=torch.long), torch.arange(n_items))
            _, top = torch.topk(scores, k)
            top = top.cpu().numpy().tolist()
            hits.append(float(item in top))
            gains.append(1 / np.log2(top.index(item) + 2) if item in top else 0.0)
    return np.mean(hits), np.mean(gains)


args = parse()
random.seed(1)
users, items = 8, 12
positives = [(u, (u * 2 + d) % items) for u in range(users) for d in (0, 1, 3)]
held = [(u, (u * 2 + 2) % items) for u in range(users)]
dataset = Pairs(positives, items, 2, True)
loader = torch_data.DataLoader(dataset, batch_size=12, shuffle=False, num_workers=0)
model = BPR(users, items, args.factors)
optimizer = optim.Adagrad(model.parameters(), lr=args.lr)
best, best_state, wait = -1.0, None, 0
rng = random.Random(7)
for epoch in range(args.epochs):
    model.train()
    loader.dataset.sample(rng)
    running = 0.0
    for user, i, j in loader:
        model.zero_grad()
        pos, neg = model(user, i, j)
        loss = -(pos - neg).sigmoid().log().sum()
        loss += 1e-3 * (model.embed_user(user).norm(2).pow(2) + model.embed_item(i).norm(2).pow(2))
        loss.backward()
        optimizer.step()
        running += loss.item()
    hit, ndcg = evaluate(model, held, items)
    print("epoch {:02d} loss {:.3f} HR {:.3f} NDCG {:.3f}".format(epoch, running, hit, ndcg))
    if ndcg > best:
        best, best_state, wait = ndcg, copy.deepcopy(model.state_dict()), 0
    else:
        wait += 1
        if wait >= args.patience:
            break
model.load_state_dict(best_state)
print("best", round(best, 3), round(evaluate(model, held, items)[1], 3))
