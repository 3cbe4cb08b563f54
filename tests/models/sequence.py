"""Recurrent and one-dimensional networks, and models of unusual structure."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LSTMClassifier(nn.Module):
    """tokens (batch, seq) below 100 -> logits (batch, 4), from the last hidden state."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(100, 24)
        self.lstm = nn.LSTM(24, 32, num_layers=2, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(0.3)
        self.fc = nn.Linear(64, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        embedded = self.embedding(tokens)
        _, (hidden, _) = self.lstm(embedded)
        hidden = torch.cat([hidden[-2], hidden[-1]], dim=1)
        return self.fc(self.dropout(hidden))


class GRUTagger(nn.Module):
    """tokens (batch, seq) below 50 -> tag log probabilities (batch, seq, 7)."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.gru = nn.GRU(16, 20, batch_first=True)
        self.tag = nn.Linear(20, 7)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.gru(self.embed(tokens))
        return F.log_softmax(self.tag(states), dim=2)


class TemporalBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int, dilation: int) -> None:
        super().__init__()
        self.padding = 2 * dilation
        self.conv1 = nn.Conv1d(c_in, c_out, 3, padding=self.padding, dilation=dilation)
        self.conv2 = nn.Conv1d(c_out, c_out, 3, padding=self.padding, dilation=dilation)
        self.relu = nn.ReLU()
        self.dropout = nn.Dropout(0.2)
        self.downsample = nn.Conv1d(c_in, c_out, 1) if c_in != c_out else None

    def forward(self, x: Tensor) -> Tensor:
        out = self.dropout(self.relu(self.conv1(x)[:, :, : -self.padding]))
        out = self.dropout(self.relu(self.conv2(out)[:, :, : -self.padding]))
        residual = x if self.downsample is None else self.downsample(x)
        return self.relu(out + residual)


class TCN(nn.Module):
    """signal (batch, 4, steps) -> next value (batch, 2), causal dilated convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.network = nn.Sequential(
            TemporalBlock(4, 12, 1), TemporalBlock(12, 12, 2), TemporalBlock(12, 12, 4)
        )
        self.linear = nn.Linear(12, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(self.network(x)[:, :, -1])


class SharedLayer(nn.Module):
    """One layer called three times: x (batch, 12) -> y (batch, 12)."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(12, 12)
        self.norm = nn.LayerNorm(12)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(3):
            x = self.norm(x + torch.tanh(self.inner(x)))
        return x


class TwoTowers(nn.Module):
    """image (batch, 3, 8, 8), features (batch, 6) -> score, joint (batch, 16), best (batch,)."""

    def __init__(self) -> None:
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(36, 8))
        self.table = nn.Sequential(nn.Linear(6, 8), nn.GELU())
        self.score = nn.Linear(16, 1)

    def forward(self, image: Tensor, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        joint = torch.cat([self.image(image), self.table(features)], dim=1)
        return torch.sigmoid(self.score(joint)), joint, joint.argmax(dim=1)
