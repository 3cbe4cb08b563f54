from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    lr: float = 1e-3
    batch_size: int = 8
    epochs: int = 2
    grad_clip: float = 1.0
    log_every: int = 5


class SpiralDataset(Dataset):
    def __init__(self, n=80):
        rng = np.random.RandomState(0)
        t = rng.rand(n) * 4
        which = np.arange(n) % 2
        angle = t * 2 + np.pi * which
        self.points = np.stack([t * np.cos(angle), t * np.sin(angle)], 1).astype(np.float32)
        self.labels = which.astype(np.int64)

    def __len__(self):
        return self.labels.shape[0]

    def __getitem__(self, index):
        return {"points": self.points[index], "labels": self.labels[index]}


class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for n_in, n_out in zip(sizes[:-2], sizes[1:-1]):
            layers += [nn.Linear(n_in, n_out), nn.SiLU()]
        layers.append(nn.Linear(sizes[-2], sizes[-1]))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


class Trainer:
    """Everything that training needs."""

    def __init__(self, model, config, train_set):
        self.config = config
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config.lr)
        self.train_loader = DataLoader(train_set, batch_size=config.batch_size)
        self.global_step = 0
        self.losses = []

    def train_step(self, batch):
        points = batch["points"].to(self.device)
        labels = batch["labels"].to(self.device)

        self.optimizer.zero_grad()
        logits = self.model(points)
        loss = self.criterion(logits, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_clip)
        self.optimizer.step()

        correct = (logits.argmax(dim=-1) == labels).sum()
        return loss.item(), correct.item()

    def train_epoch(self, epoch):
        self.model.train()
        total_correct = 0
        for batch in self.train_loader:
            loss, correct = self.train_step(batch)
            self.losses.append(loss)
            total_correct += correct
            self.global_step += 1
            if self.global_step % self.config.log_every == 0:
                print(f"step {self.global_step}: loss={loss:.4f}")
        print(f"epoch {epoch}: accuracy {total_correct / len(self.train_loader.dataset):.3f}")

    def fit(self):
        for epoch in range(self.config.epochs):
            self.train_epoch(epoch)
        return self.losses


if __name__ == "__main__":
    cfg = Config(lr=5e-3)
    trainer = Trainer(MLP([2, 32, 32, 2]), cfg, SpiralDataset())
    losses = trainer.fit()
