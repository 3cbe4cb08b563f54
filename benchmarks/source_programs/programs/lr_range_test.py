"""A learning-rate range test with a restored model, and a one-cycle run at the rate that it suggests."""
import copy
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.optim.lr_scheduler import _LRScheduler
from torch.utils.data import DataLoader, TensorDataset


class ExponentialLR(_LRScheduler):
    """From the base rate to end_lr in num_iter steps."""

    def __init__(self, optimizer, end_lr, num_iter, last_epoch=-1):
        self.end_lr = end_lr
        self.num_iter = num_iter
        super(ExponentialLR, self).__init__(optimizer, last_epoch)

    def get_lr(self):
        r = self.last_epoch / (self.num_iter - 1)
        return [base_lr * (self.end_lr / base_lr) ** r for base_lr in self.base_lrs]


class InfiniteLoader:
    def __init__(self, loader):
        self.loader = loader
        self._iterator = iter(loader)

    def get_batch(self):
        try:
            return next(self._iterator)
        except StopIteration:
            self._iterator = iter(self.loader)
            return next(self._iterator)


class LRFinder:
    def __init__(self, model, optimizer, criterion, folder):
        self.model, self.optimizer, self.criterion = model, optimizer, criterion
        self.history = {"lr": [], "loss": []}
        self.best_loss = None
        self.path = os.path.join(folder, "state.pt")
        torch.save({"model": model.state_dict(), "optimizer": copy.deepcopy(optimizer.state_dict())}, self.path)

    def reset(self):
        state = torch.load(self.path, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])

    def range_test(self, loader, end_lr=1.0, num_iter=10, smooth_f=0.05, diverge_th=5):
        schedule = ExponentialLR(self.optimizer, end_lr, num_iter)
        wrapper = InfiniteLoader(loader)
        for iteration in range(num_iter):
            loss = self._train_batch(*wrapper.get_batch())
            self.history["lr"].append(schedule.get_last_lr()[0])
            schedule.step()
            if iteration == 0:
                self.best_loss = loss
            else:
                if smooth_f > 0:
                    loss = smooth_f * loss + (1 - smooth_f) * self.history["loss"][-1]
                if loss < self.best_loss:
                    self.best_loss = loss
            self.history["loss"].append(loss)
            if loss > diverge_th * self.best_loss:
                print("Stopping early, the loss has diverged")
                break

    def _train_batch(self, inputs, labels):
        self.model.train()
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(inputs), labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def suggestion(self):
        lrs, losses = np.array(self.history["lr"]), np.array(self.history["loss"])
        gradients = np.gradient(losses)
        return lrs[gradients.argmin()], gradients


def build():
    net = nn.Sequential(nn.Linear(5, 16), nn.ELU(), nn.LayerNorm(16), nn.Linear(16, 3))
    with torch.no_grad():
        for i, p in enumerate(net.parameters()):
            if p.dim() == 2:
                p.copy_(torch.from_numpy(np.cos(np.arange(p.numel()) * 1.1 + i)).view(p.shape) * 0.3)
            elif i != 2:
                p.zero_()
    return net


def main():
    rng = np.random.RandomState(0)
    inputs = rng.randn(30, 5).astype("float32")
    labels = inputs[:, :3].argmax(1)
    loader = DataLoader(TensorDataset(torch.tensor(inputs), torch.tensor(labels)), batch_size=6)
    model, criterion = build(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    with tempfile.TemporaryDirectory() as folder:
        finder = LRFinder(model, optimizer, criterion, folder)
        finder.range_test(loader)
        finder.reset()
    for lr, loss in zip(finder.history["lr"], finder.history["loss"]):
        print(f"{lr:.5f} {loss:.4f}")
    lr, gradients = finder.suggestion()
    print("suggested", f"{lr:.5f}", int(gradients.argmin()), optimizer.param_groups[0]["lr"])
    for group in optimizer.param_groups:
        group["lr"] = float(lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.2, epochs=3, steps_per_epoch=len(loader), div_factor=10, cycle_momentum=True)
    for epoch in range(3):
        total = 0.0
        for inputs, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item() * len(labels)
        momentum = optimizer.param_groups[0]["momentum"]
        print(epoch, f"{total / 30:.4f} {scheduler.get_last_lr()[0]:.5f} {momentum:.4f}")


if __name__ == "__main__":
    main()
