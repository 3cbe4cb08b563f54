"""A tabular classifier whose evaluation is in NumPy: folds, confusion matrix, AUC, calibration, mixes of both."""
from collections import Counter

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, SubsetRandomSampler, TensorDataset, WeightedRandomSampler


class Tabular(Dataset):
    def __init__(self, cats, conts, target):
        self.cats = np.asarray(cats, dtype=np.int64)
        self.conts = np.asarray(conts, dtype=np.float32)
        self.target = np.asarray(target, dtype=np.int64)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.cats[i], self.conts[i], self.target[i]


class TabularModel(nn.Module):
    def __init__(self, sizes, n_cont, layers, n_class):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(n, d) for n, d in sizes])
        self.bn_cont = nn.BatchNorm1d(n_cont)
        width = sum(e.embedding_dim for e in self.embeds) + n_cont
        blocks = []
        for size in layers:
            blocks += [nn.Linear(width, size), nn.ReLU(inplace=True), nn.BatchNorm1d(size)]
            width = size
        self.layers = nn.Sequential(*blocks, nn.Linear(width, n_class))

    def forward(self, x_cat, x_cont):
        x = [e(x_cat[:, i]) for i, e in enumerate(self.embeds)]
        x = torch.cat(x, 1)
        return self.layers(torch.cat([x, self.bn_cont(x_cont)], 1))


def fill(model):
    rng = np.random.RandomState(42)
    for name, p in model.named_parameters():
        if p.dim() > 1:
            p.data = torch.from_numpy(rng.normal(scale=0.3, size=p.shape).astype(np.float32))
        elif name.endswith("bias"):
            p.data = torch.zeros(p.shape)


def confusion(y_true, y_pred, k):
    matrix = np.zeros((k, k), dtype=int)
    np.add.at(matrix, (y_true, y_pred), 1)
    return matrix


def auc(y_true, score):
    order = np.argsort(score)
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    pos = y_true == 1
    return (ranks[pos].sum() - pos.sum() * (pos.sum() + 1) / 2) / (pos.sum() * (~pos).sum())


def kfold(n, k):
    indices = np.arange(n)
    for i in range(k):
        yield np.setdiff1d(indices, indices[i::k]), indices[i::k]


def expected_calibration_error(probs, labels, bins=4):
    conf, pred = probs.max(axis=1), probs.argmax(axis=1)
    edges = np.linspace(0, 1, bins + 1)
    ece = 0.0
    for lo, hi in zip(edges[:-1], edges[1:]):
        inside = (conf > lo) & (conf <= hi)
        if inside.any():
            ece += inside.mean() * abs((pred[inside] == labels[inside]).mean() - conf[inside].mean())
    return ece


rng = np.random.RandomState(0)
n = 60
cats = np.stack([rng.randint(0, 4, n), rng.randint(0, 3, n)], 1)
conts = rng.randn(n, 3)
target = ((cats[:, 0] > 1) ^ (conts[:, 0] > 0.3)).astype(int)
data = Tabular(cats, conts, target)
print(Counter(target.tolist()), np.bincount(target).tolist())
weights = torch.tensor(1.0 / np.bincount(target), dtype=torch.float)
weights = weights / weights.sum() * 2
oof = np.zeros((n, 2))
for fold, (train_idx, valid_idx) in enumerate(kfold(n, 3)):
    model = TabularModel([(4, 3), (3, 2)], 3, [8, 6], 2)
    fill(model)
    criterion = nn.CrossEntropyLoss(weight=weights)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    train = torch.utils.data.Subset(data, train_idx)
    losses = []
    for epoch in range(4):
        model.train()
        for x_cat, x_cont, y in DataLoader(train, batch_size=10):
            optimizer.zero_grad()
            loss = criterion(model(x_cat, x_cont), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(torch.from_numpy(cats[valid_idx]), torch.from_numpy(conts[valid_idx]).float())
        oof[valid_idx] = torch.softmax(out, dim=1).numpy()
    print(f"fold {fold} loss {np.mean(losses[-4:]):.4f} auc {auc(target[valid_idx], oof[valid_idx, 1]):.4f}")
pred = oof.argmax(1)
matrix = confusion(target, pred, 2)
precision = matrix.diagonal() / matrix.sum(0)
recall = matrix.diagonal() / matrix.sum(1)
print(matrix.tolist(), precision.round(4).tolist(), recall.round(4).tolist())
print(round(expected_calibration_error(oof, target), 4), np.allclose(oof.sum(1), 1, atol=1e-5))
mixed = torch.from_numpy(conts).float().mean(0) * np.float32(2.0) + np.pi
print([round(v, 4) for v in mixed.tolist()], float(np.square(mixed.numpy()).sum().round(3)))
scale = np.array([1.0, 2.0, 3.0])
print((torch.ones(2, 3) * torch.as_tensor(scale)).sum().item(), np.stack([torch.ones(2), torch.zeros(2)]).shape)
sampler = SubsetRandomSampler(np.arange(6))
print(sorted(sampler), len(list(WeightedRandomSampler([0.0, 1.0, 0.0], 4, replacement=True))))
loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=4, sampler=range(5, -1, -1))
print([b[0].tolist() for b in loader])
