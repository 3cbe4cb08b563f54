"""Images turned upright before they are read: a grid, samples of it, flows, convolution by unfold."""

import mindspore as ms
from mindspore import nn, ops
import _ms_compat as compat


def warped(x, flow):
    b, _, h, w = x.shape
    ys, xs = ops.meshgrid(ops.arange(h), ops.arange(w), indexing="ij")
    base = ops.stack([xs, ys], axis=0).float()
    there = base[None] + flow
    across = 2.0 * there[:, 0] / (w - 1) - 1.0
    along = 2.0 * there[:, 1] / (h - 1) - 1.0
    grid = ops.stack([across, along], axis=-1)
    return ops.grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=True)


class Turning(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(2, 6, 5, pad_mode="pad", padding=2, has_bias=True)
        self.conv2 = nn.Conv2d(6, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.fc1 = nn.Dense(8 * 16, 12)
        self.fc2 = nn.Dense(12, 4)

    def construct(self, x):
        h = self.pool(ops.relu(self.conv1(x)))
        h = self.pool(ops.relu(self.conv2(h)))
        found = self.fc2(ops.tanh(self.fc1(h.flatten(1))))
        angle = found[:, 0] * 0.5
        scale = 1.0 + 0.2 * ops.tanh(found[:, 1])
        cos, sin = ops.cos(angle) * scale, ops.sin(angle) * scale
        first = ops.stack([cos, -sin, found[:, 2] * 0.1], axis=1)
        second = ops.stack([sin, cos, found[:, 3] * 0.1], axis=1)
        return ops.stack([first, second], axis=1)


class Local(nn.Cell):
    """Another kernel at each place."""

    def __init__(self, enter, leave, places):
        super().__init__()
        self.weight = ms.Parameter(ops.randn(places, enter * 9, leave) * 0.2)
        self.bias = ms.Parameter(ops.randn(leave, places) * 0.1)

    def construct(self, x):
        b = x.shape[0]
        patches = ops.unfold(x, 3, padding=1, stride=2)
        y = compat.einsum("bkp,pkl->blp", patches, self.weight) + self.bias
        return y.reshape(b, -1, 8, 8)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.turning = Turning()
        self.flow = nn.Conv2d(2, 2, 3, pad_mode="pad", padding=1, has_bias=True)
        self.local = Local(2, 6, 64)
        self.norm = nn.BatchNorm2d(6)
        self.fuse = compat.Conv2d(12, 8, 3, padding=1, padding_mode="reflect")
        self.head = nn.Dense(16, 5)

    def construct(self, images):
        theta = self.turning(images)
        grid = ops.affine_grid(theta, (images.shape[0], 2, 16, 16), False)
        upright = ops.grid_sample(images, grid, padding_mode="border", align_corners=False)
        bent = warped(upright, 2.0 * ops.tanh(self.flow(upright)))
        x = ops.gelu(self.norm(self.local(bent)))
        around = ops.avg_pool2d(x, 3, 1, padding=1)
        x = self.fuse(ops.cat([x, x - around], axis=1))
        x = ops.pixel_shuffle(x, 2)
        x = ops.max_pool2d(x, 4, stride=4)
        x = compat.normalize(x, dim=1)
        spread = ops.cat([x[:, :, :2].flatten(1), x[:, :, 2:].flatten(1)], axis=1)
        level = spread.std(1, ddof=1, keepdims=True)
        return self.head(spread[:, :16] / (level + 1e-4)), theta


def build():
    return Net()


def inputs():
    return (ops.randn(2, 2, 16, 16),)
