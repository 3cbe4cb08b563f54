"""Images turned upright before they are read: a grid, samples of it, flows, convolution by unfold."""

import torch
import torch.nn.functional as F
from torch import nn


def warped(x, flow):
    b, _, h, w = x.shape
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    base = torch.stack([xs, ys], dim=0).float()
    there = base[None] + flow
    across = 2.0 * there[:, 0] / (w - 1) - 1.0
    along = 2.0 * there[:, 1] / (h - 1) - 1.0
    grid = torch.stack([across, along], dim=-1)
    return F.grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True)


class Turning(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(2, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 8, 3, padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Linear(8 * 16, 12)
        self.fc2 = nn.Linear(12, 4)

    def forward(self, x):
        h = self.pool(F.relu(self.conv1(x)))
        h = self.pool(F.relu(self.conv2(h)))
        found = self.fc2(torch.tanh(self.fc1(h.flatten(1))))
        angle = found[:, 0] * 0.5
        scale = 1.0 + 0.2 * torch.tanh(found[:, 1])
        cos, sin = torch.cos(angle) * scale, torch.sin(angle) * scale
        first = torch.stack([cos, -sin, found[:, 2] * 0.1], dim=1)
        second = torch.stack([sin, cos, found[:, 3] * 0.1], dim=1)
        return torch.stack([first, second], dim=1)


class Local(nn.Module):
    """Another kernel at each place."""

    def __init__(self, enter, leave, places):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(places, enter * 9, leave) * 0.2)
        self.bias = nn.Parameter(torch.randn(leave, places) * 0.1)

    def forward(self, x):
        b = x.shape[0]
        patches = F.unfold(x, kernel_size=3, padding=1, stride=2)
        y = torch.einsum("bkp,pkl->blp", patches, self.weight) + self.bias
        return y.reshape(b, -1, 8, 8)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.turning = Turning()
        self.flow = nn.Conv2d(2, 2, 3, padding=1)
        self.local = Local(2, 6, 64)
        self.norm = nn.BatchNorm2d(6)
        self.fuse = nn.Conv2d(12, 8, 3, padding=1, padding_mode="reflect")
        self.head = nn.Linear(16, 5)

    def forward(self, images):
        theta = self.turning(images)
        grid = F.affine_grid(theta, (images.shape[0], 2, 16, 16), align_corners=False)
        upright = F.grid_sample(images, grid, padding_mode="border", align_corners=False)
        bent = warped(upright, 2.0 * torch.tanh(self.flow(upright)))
        x = F.gelu(self.norm(self.local(bent)))
        around = F.avg_pool2d(x, 3, stride=1, padding=1)
        x = self.fuse(torch.cat([x, x - around], dim=1))
        x = F.pixel_shuffle(x, 2)
        x = F.max_pool2d(x, 4, stride=4)
        x = F.normalize(x, dim=1)
        spread = torch.cat([x[:, :, :2].flatten(1), x[:, :, 2:].flatten(1)], dim=1)
        level = spread.std(dim=1, keepdim=True)
        return self.head(spread[:, :16] / (level + 1e-4)), theta


def build():
    return Net()


def inputs():
    return (torch.randn(2, 2, 16, 16),)
