"""Gradients that outlive a function: a trainer in methods, epochs that end in between, closures."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

rng = np.random.RandomState(0)
DATA = [(rng.randn(6, 5).astype(np.float32), rng.randn(6, 2).astype(np.float32)) for _ in range(5)]
batches = [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in DATA]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(5, 8)
        self.bn = nn.BatchNorm1d(8)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(torch.tanh(self.bn(self.fc1(x))))


class Trainer:
    """Backward, clipping and step are in methods of their own."""

    def __init__(self, model: nn.Module, accumulate=2):
        self.model = model
        self.optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        self.accumulate = accumulate
        self.losses = []

    def compute(self, x, y):
        loss = F.mse_loss(self.model(x), y) / self.accumulate
        loss.backward()
        self.losses.append(loss.item())

    def update(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def fit(self, epochs):
        self.model.train()
        self.optimizer.zero_grad()
        for epoch in range(epochs):
            for i, (x, y) in enumerate(batches):
                self.compute(x, y)
                if (i + 1) % self.accumulate == 0:
                    self.update()


def train_epoch(model: nn.Module, optimizer: optim.Optimizer, accumulate=2):
    """What the last batch leaves, the next epoch goes on from."""
    model.train()
    losses = []
    for i, (x, y) in enumerate(batches):
        loss = F.mse_loss(model(x), y)
        losses.append(loss.item())
        loss = loss / accumulate
        loss.backward()
        if (i + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
    return losses


net = Net()
trainer = Trainer(net)
trainer.fit(4)
method_losses = trainer.losses

other = Net()
opt = optim.Adam(other.parameters(), lr=0.01)
epoch_losses = []
for epoch in range(4):
    epoch_losses += train_epoch(other, opt)

third = Net()
sgd = optim.SGD(third.parameters(), lr=0.1)
closure_losses = []
for x, y in batches * 4:

    def closure():
        sgd.zero_grad()
        loss = F.mse_loss(third(x), y)
        loss.backward()
        return loss

    loss = sgd.step(closure)
    closure_losses.append(loss.item())
third.train(False)
closure_losses.append(third(batches[0][0]).sum().item())
