import torch
import torch.nn.functional as F
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 8)
        self.fc2 = nn.Linear(8, 4)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.user_tower = Tower()
        self.item_tower = Tower()
        self.out = nn.Linear(8, 1)

    def forward(self, user, item):
        a, b = self.user_tower(user), self.item_tower(item)
        return self.out(torch.cat([a, b], 1)), (a * b).sum(1)


def build():
    return Net()


def inputs():
    return torch.randn(3, 6), torch.randn(3, 6)
