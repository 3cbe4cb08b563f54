"""Metric learning with batch-hard triplets: pairwise distances, a balanced sampler, recall at k and a memory of centres."""
from collections import defaultdict

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, Sampler


class Clusters(Dataset):
    def __init__(self, classes=4, per_class=6, seed=3):
        rng = np.random.default_rng(seed)
        centres = rng.normal(size=(classes, 5)) * 1.5
        self.x = np.concatenate([c + rng.normal(size=(per_class, 5)) for c in centres]).astype("float32")
        self.y = np.repeat(np.arange(classes), per_class)

    def __getitem__(self, index):
        return torch.from_numpy(self.x[index]), int(self.y[index])

    def __len__(self):
        return self.x.shape[0]


class BalancedBatches(Sampler):
    def __init__(self, labels, n_classes, n_samples):
        self.by_label = defaultdict(list)
        for i, label in enumerate(labels):
            self.by_label[label].append(i)
        self.n_classes, self.n_samples = n_classes, n_samples

    def __iter__(self):
        keys = sorted(self.by_label)
        for start in range(len(self)):
            chosen = [keys[(start + j) % len(keys)] for j in range(self.n_classes)]
            batch = []
            for key in chosen:
                items = self.by_label[key]
                batch.extend(items[(start * self.n_samples + k) % len(items)] for k in range(self.n_samples))
            yield batch

    def __len__(self):
        return 6


class Embedder(nn.Module):
    def __init__(self, dim=4):
        super(Embedder, self).__init__()
        self.body = nn.Sequential(nn.Linear(5, 16), nn.PReLU(), nn.Linear(16, dim))

    def forward(self, x):
        return F.normalize(self.body(x), p=2, dim=1)


class BatchHardLoss(nn.Module):
    def __init__(self, margin=None):
        super().__init__()
        self.margin = margin

    def forward(self, emb, labels):
        dist = torch.cdist(emb, emb)
        same = labels.unsqueeze(0) == labels.unsqueeze(1)
        hardest_pos = (dist * same.float()).max(dim=1)[0]
        hardest_neg = dist.masked_fill(same, float("inf")).min(dim=1).values
        diff = hardest_pos - hardest_neg
        loss = F.softplus(diff) if self.margin is None else F.relu(diff + self.margin)
        return loss.mean(), (diff < 0).float().mean()


@torch.no_grad()
def recall_at(model, dataset, ks=(1, 2)):
    model.eval()
    x, y = zip(*[dataset[i] for i in range(len(dataset))])
    emb, y = model(torch.stack(x)), torch.as_tensor(y)
    sim = emb @ emb.T
    sim.fill_diagonal_(-2)
    result = {}
    for k in ks:
        near = sim.topk(k, dim=1).indices
        result[k] = (y[near] == y[:, None]).any(dim=1).float().mean().item()
    return result


if __name__ == "__main__":
    data = Clusters()
    loader = DataLoader(data, batch_sampler=BalancedBatches(data.y.tolist(), 3, 3))
    model = Embedder()
    for i, (name, p) in enumerate(model.named_parameters()):
        if p.ndim == 2:
            nn.init.constant_(p, 0.0)
            p.data += torch.sin(torch.arange(p.numel()).float() + i).reshape(p.shape) * 0.5
        elif "bias" in name:
            nn.init.zeros_(p)
    criterion = BatchHardLoss(margin=0.3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9, nesterov=True)
    centres = torch.zeros(4, 4)
    for epoch in range(4):
        model.train()
        losses, good = [], []
        for x, y in loader:
            emb = model(x)
            loss, share = criterion(emb, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            centres.index_add_(0, y, emb.detach() * 0.1)
            losses.append(loss.item()); good.append(share.item())
        print(epoch, f"{np.mean(losses):.4f} {np.mean(good):.3f}", round(centres.norm().item(), 4))
    print({k: round(v, 3) for k, v in recall_at(model, data).items()})
