import torch
from torch import nn


class Images(nn.Module):
    def __init__(self, outputs=5):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 8, 3, stride=2, padding=1)
        self.bn2 = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, outputs)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return self.head(x.mean((2, 3)))


class Rows(nn.Module):
    def __init__(self, outputs=4):
        super().__init__()
        self.embed = nn.Linear(6, 16)
        self.norm = nn.LayerNorm(16)
        self.hidden = nn.Linear(16, 16)
        self.head = nn.Linear(16, outputs)

    def forward(self, x):
        x = torch.tanh(self.norm(self.embed(x)))
        return self.head(x + torch.tanh(self.hidden(x)))
