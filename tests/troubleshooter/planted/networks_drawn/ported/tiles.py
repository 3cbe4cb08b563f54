"""Tiles of an image: a bias for relative places, split by axes, dropped shortcuts, two poolings."""

import mindspore as ms
from mindspore import nn, ops
from mindspore.common.initializer import Normal
import _ms_compat as compat


def relative(side, table):
    """The rows of a table that belong to each distance of two places."""
    steps = ops.arange(side)
    away = steps[:, None] - steps[None, :] + side - 1
    return table[away]


def buckets(n, count, furthest):
    away = ops.arange(n)[None, :] - ops.arange(n)[:, None]
    sign = (away > 0).long() * count
    size = away.abs()
    near = count // 2
    ratio = ops.log(size.float().clamp(min=1.0) / near)
    far = near + (ratio / ops.log(ms.tensor(furthest / near)) * (count - near)).long()
    far = far.clamp(max=count - 1)
    return sign + ops.where(size < near, size, far)


class Attention(nn.Cell):
    def __init__(self, width, heads, side):
        super().__init__()
        self.heads = heads
        self.side = side
        self.scale = (width // heads) ** -0.5
        self.qkv = nn.Dense(width, 3 * width)
        self.proj = nn.Dense(width, width)
        self.high = ms.Parameter(ops.randn(2 * side - 1, width // heads) * 0.3)
        self.wide = ms.Parameter(ops.randn(2 * side - 1, width // heads) * 0.3)
        self.near = nn.Embedding(16, heads, embedding_table=Normal(1.0))

    def construct(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = (q * self.scale) @ k.transpose(-2, -1)
        grid = q.reshape(b, self.heads, self.side, self.side, -1)
        rows = compat.einsum("bhyxc,ykc->bhyxk", grid, relative(self.side, self.high))
        columns = compat.einsum("bhyxc,xkc->bhyxk", grid, relative(self.side, self.wide))
        places = rows[..., :, None] + columns[..., None, :]
        scores = scores + places.reshape(b, self.heads, n, n)
        bias = self.near(buckets(n, 8, 20.0)).permute(2, 0, 1)
        shares = (scores + bias).softmax(-1)
        mixed = (shares @ v).transpose(1, 2).reshape(b, n, c)
        return self.proj(mixed)


class Block(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm((width,), epsilon=1e-05)
        self.attention = Attention(width, 2, 4)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-05)
        self.up = nn.Dense(width, 2 * width)
        self.depth = nn.Conv2d(
            2 * width, 2 * width, 3, pad_mode="pad", padding=1, group=2 * width, has_bias=True
        )
        self.down = nn.Dense(2 * width, width)
        self.gamma = ms.Parameter(ops.rand(width) * 0.5 + 0.2)

    def construct(self, x):
        x = x + self.gamma * self.attention(self.norm1(x))
        y = ops.hardswish(self.up(self.norm2(x)))
        image = y.transpose(1, 2).reshape(x.shape[0], -1, 4, 4)
        y = y + self.depth(image).flatten(2).transpose(1, 2)
        return x + 0.7 * self.down(y)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.stem_norm = nn.BatchNorm2d(8)
        self.patch = nn.Conv2d(8, 12, 2, stride=2, pad_mode="valid", has_bias=True)
        self.places = ms.Parameter(ops.randn(1, 12, 2, 2))
        self.blocks = nn.SequentialCell(Block(12), Block(12))
        self.norm = nn.LayerNorm((12,), epsilon=1e-6)
        self.head = nn.Dense(24, 5)

    def construct(self, images):
        x = ops.relu6(self.stem_norm(self.stem(images)))
        x = self.patch(x)
        places = compat.interpolate(self.places, size=(4, 4), mode="bicubic", align_corners=False)
        x = (x + places).flatten(2).transpose(1, 2)
        x = self.norm(self.blocks(x))
        weight = ops.softmax(x.mean(-1) * 3.0, axis=1)
        gathered = ops.bmm(weight[:, None, :], x).squeeze(1)
        top = compat.topk(x, 3, 1)[0].mean(1)
        logits = self.head(ops.cat([gathered, top], axis=-1))
        return ops.sigmoid(logits), logits.argsort(-1, True).astype(ms.int64)


def build():
    return Net()


def inputs():
    return (ops.randn(2, 3, 16, 16),)
