"""Scripts as people write them: every use is found and certain."""

from __future__ import annotations

from pathlib import Path

from .analysed import analysed, told

TRAINING = """
import torch, torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, act=nn.GELU):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.act = act()
        self.layers = nn.ModuleList([nn.Linear(3, 4) for _ in range(3)])

    def forward(self, x):
        x = F.relu(self.conv(x))
        for layer in self.layers:
            x = layer(x)
        return x.view(x.size(0), -1)


def train(model, loader, opt, device):
    model.train()
    for i, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()


def main():
    loader = DataLoader(TensorDataset(torch.randn(3, 4), torch.zeros(3)), batch_size=3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Net().to(device)
    train(net, loader, torch.optim.SGD(net.parameters(), lr=0.1), device)


main()
"""


def test_a_training_script_is_understood(tmp_path: Path) -> None:
    found = [told(use) for use in analysed(tmp_path, TRAINING).uses]
    assert found == [
        "7 base nn.Module",
        "8 reference nn.GELU",
        "10 call nn.Conv2d",
        "12 call nn.ModuleList",
        "12 call nn.Linear",
        "15 call nn.functional.relu",
        "18 call Tensor.view",
        "18 call Tensor.size",
        "22 call nn.Module.train",
        "24 call Tensor.to",
        "24 call Tensor.to",
        "25 call optim.Optimizer.zero_grad",
        "26 call nn.functional.cross_entropy",
        "27 call Tensor.backward",
        "28 call optim.Optimizer.step",
        "32 call utils.data.DataLoader",
        "32 call utils.data.TensorDataset",
        "32 call randn",
        "32 call zeros",
        "33 call device",
        "33 call cuda.is_available",
        "34 call nn.Module.to",
        "35 call optim.SGD",
        "35 call nn.Module.parameters",
    ]
