"""Windows of a picture, shifted, with attention in each and a bias by relative position."""

import torch
import torch.nn.functional as F
from torch import nn

SIZE = 4


def partition(x):
    b, h, w, c = x.shape
    x = x.view(b, h // SIZE, SIZE, w // SIZE, SIZE, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, SIZE * SIZE, c)


def reverse(windows, h, w):
    b = windows.shape[0] // (h * w // SIZE // SIZE)
    x = windows.view(b, h // SIZE, w // SIZE, SIZE, SIZE, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, -1)


def places():
    rows, columns = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    flat = torch.stack([rows.flatten(), columns.flatten()])
    relative = flat[:, :, None] - flat[:, None, :]
    relative = relative.permute(1, 2, 0) + (SIZE - 1)
    return relative[..., 0] * (2 * SIZE - 1) + relative[..., 1]


class WindowAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.scale = (width // heads) ** -0.5
        self.table = nn.Parameter(torch.zeros((2 * SIZE - 1) ** 2, heads))
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x, mask):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        scores = (q * self.scale) @ k.transpose(-2, -1)
        bias = self.table[places().view(-1)].view(n, n, -1).permute(2, 0, 1)
        scores = scores + bias.unsqueeze(0)
        count = mask.shape[0]
        scores = scores.view(b // count, count, self.heads, n, n) + mask[None, :, None]
        scores = F.softmax(scores.view(-1, self.heads, n, n), dim=-1)
        return self.proj((scores @ v).transpose(1, 2).reshape(b, n, c))


class Block(nn.Module):
    def __init__(self, width, heads, shift):
        super().__init__()
        self.shift = shift
        self.norm = nn.LayerNorm(width)
        self.attention = WindowAttention(width, heads)
        self.fc1 = nn.Linear(width, 2 * width)
        self.fc2 = nn.Linear(2 * width, width)

    def regions(self, h, w):
        marks = torch.zeros(1, h, w, 1)
        count = 0
        cuts = (slice(0, -SIZE), slice(-SIZE, -self.shift), slice(-self.shift, None))
        for rows in cuts:
            for columns in cuts:
                marks[:, rows, columns, :] = count
                count += 1
        marks = partition(marks).squeeze(-1)
        apart = marks[:, None, :] - marks[:, :, None]
        return torch.where(apart == 0, 0.0, -100.0)

    def forward(self, x):
        _, h, w, _ = x.shape
        y = torch.roll(self.norm(x), shifts=(-self.shift, -self.shift), dims=(1, 2))
        windows = self.attention(partition(y), self.regions(h, w))
        y = reverse(windows, h, w)
        y = torch.roll(y, shifts=(self.shift, self.shift), dims=(1, 2))
        x = x + y
        return x + self.fc2(F.gelu(self.fc1(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(3, 16, 2, 2)
        self.block = Block(16, 2, 2)
        self.reduce = nn.Linear(64, 24)
        self.head = nn.Linear(24, 5)

    def merge(self, x):
        parts = [x[:, i::2, j::2, :] for j in (0, 1) for i in (0, 1)]
        return self.reduce(torch.cat(parts, dim=-1))

    def forward(self, x):
        x = self.embed(x).permute(0, 2, 3, 1)
        x = self.merge(self.block(x))
        x = F.normalize(x.flatten(1, 2).mean(dim=1), dim=-1)
        return self.head(x)


def build():
    return Net()


def inputs():
    return torch.randn(2, 3, 16, 16)
