"""Names of classes: of layers of one kind and of several, in loops over networks."""

import torch
from torch import nn


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)


def block(n):
    layers = []
    for _ in range(n):
        layers.append(nn.Linear(4, 4))
        layers.append(nn.ReLU())
    return nn.Sequential(*layers)


net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Flatten())
other = nn.Sequential(nn.Linear(4, 4), block(1), Own())
X = torch.ones(2, 4)
for layer in net:
    X = layer(X)
    print(layer.__class__.__name__, "output shape:\t", tuple(X.shape))
for layer in other:
    print(layer.__class__.__name__)
    print(type(layer).__name__)
for name, m in other.named_modules():
    print(name, m.__class__.__name__, type(m).__name__)
for m in other.children():
    print(type(m).__name__)
