"""A siamese network with meters, a best model kept as a copy, history as a table, and embeddings written to bytes."""
import copy
import io
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


class AverageMeter(object):
    """Computes and stores the average and current value"""

    def __init__(self, name, fmt=":f"):
        self.name = name
        self.fmt = fmt
        self.reset()

    def reset(self):
        self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        fmtstr = "{name} {val" + self.fmt + "} ({avg" + self.fmt + "})"
        return fmtstr.format(**self.__dict__)


class Tower(nn.Module):
    expansion = 2

    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(width, width * self.expansion), nn.BatchNorm1d(width * self.expansion), nn.ReLU(True),
            nn.Linear(width * self.expansion, width, bias=False))

    def forward(self, x):
        return x + self.net(x)


class Siamese(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.tower = Tower(width)
        self.register_buffer("scale", torch.ones(1) * 2.0)

    def forward_once(self, x):
        return F.normalize(self.tower(x), dim=-1)

    def forward(self, a, b):
        return self.forward_once(a), self.forward_once(b)


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, same):
        d = F.pairwise_distance(a, b)
        pos = same * torch.pow(d, 2)
        neg = (1 - same) * torch.pow(torch.clamp(self.margin - d, min=0.0), 2)
        return torch.mean(pos + neg)


def make_pairs(n=40):
    rng = np.random.RandomState(5)
    base = rng.randn(n, 6)
    same = (np.arange(n) % 2 == 0).astype(np.float32)
    other = np.where(same[:, None] > 0, base + 0.3 * rng.randn(n, 6), rng.randn(n, 6))
    return TensorDataset(*(torch.tensor(v, dtype=torch.float32) for v in (base, other, same)))


def run_epoch(model, loader, criterion, optimizer=None):
    training = optimizer is not None
    model.train(training)
    losses, acc = AverageMeter("Loss", ":.4e"), AverageMeter("Acc", ":6.2f")
    end = time.time()
    timer = AverageMeter("Time")
    with torch.set_grad_enabled(training):
        for a, b, same in loader:
            ea, eb = model(a, b)
            loss = criterion(ea, eb, same)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            hits = (F.pairwise_distance(ea, eb) < 0.8).float().eq(same).float().mean()
            losses.update(loss.item(), a.size(0))
            acc.update(hits.item() * 100, a.size(0))
            timer.update(time.time() - end)
    return losses, acc


full = make_pairs()
train_set, val_set = random_split(full, [28, 12], generator=torch.Generator().manual_seed(0))
train_set.indices, val_set.indices = list(range(28)), list(range(28, 40))
model = Siamese()
for i, p in enumerate(model.parameters()):
    if p.dim() > 1:
        nn.init.zeros_(p)
        p.data.add_(torch.sin(torch.arange(p.numel()).float() * 0.8 + i).view_as(p), alpha=0.3)
    else:
        p.data.fill_(1.0 if i == 2 else 0.1)
criterion = ContrastiveLoss()
optimizer = torch.optim.Adam(model.parameters(), 3e-2)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.8)
best_loss, best_model, history = float("inf"), None, []
for epoch in range(4):
    train_loss, _ = run_epoch(model, DataLoader(train_set, 7), criterion, optimizer)
    val_loss, val_acc = run_epoch(model, DataLoader(val_set, 6), criterion)
    scheduler.step()
    history.append((epoch, train_loss.avg, val_loss.avg))
    print(epoch, str(val_loss), str(val_acc))
    if val_loss.avg < best_loss:
        best_loss, best_model = val_loss.avg, copy.deepcopy(model)
print("\n".join("|".join(f"{v:8.4f}" for v in row) for row in history))
best_model.eval()
buffer = io.BytesIO()
torch.save({"model": best_model.state_dict(), "loss": best_loss}, buffer)
buffer.seek(0)
loaded = torch.load(buffer)
again = Siamese()
again.load_state_dict(loaded["model"])
again.eval()
a, b, _ = full[:5]
with torch.no_grad():
    print(torch.allclose(again(a, b)[0], best_model(a, b)[0]), round(loaded["loss"], 4), again.scale.item())
