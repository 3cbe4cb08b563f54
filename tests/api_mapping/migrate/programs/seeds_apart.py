"""A seed of PyTorch leaves NumPy's numbers and Python's alone, and so do the weights drawn of it."""

import random

import numpy as np
import torch
from torch import nn

random.seed(5)
np.random.seed(6)
print(round(random.random(), 5), np.random.randint(0, 1000, 3).tolist())
torch.manual_seed(0)
print(round(random.random(), 5), np.random.randint(0, 1000, 3).tolist())
net = nn.Sequential(nn.Linear(3, 4), nn.Conv1d(2, 3, 3), nn.Embedding(4, 2))
nn.init.orthogonal_(net[0].weight)
nn.init.xavier_normal_(net[0].weight)
order = np.arange(8)
np.random.shuffle(order)
print(order.tolist(), round(random.random(), 5))
torch.cuda.manual_seed_all(1)
torch.randn(3)
print(np.random.rand(2).round(5).tolist(), random.randint(0, 100))
one = nn.Linear(2, 2)
torch.manual_seed(3)
first = nn.Linear(2, 2).weight.detach()
np.random.rand(5)
torch.manual_seed(3)
second = nn.Linear(2, 2).weight.detach()
print(bool((first == second).all()))
print(np.random.permutation(6).tolist())
