"""The classifier of stuck.py in PyTorch, where a slope has been left in its activation."""

from torch import nn


class Classifier(nn.Module):
    def __init__(self, slope=0.01):
        super().__init__()
        self.hidden = nn.Linear(20, 64)
        self.relu = nn.LeakyReLU(slope)
        self.logits = nn.Linear(64, 4)

    def forward(self, x):
        return self.logits(self.relu(self.hidden(x)))
