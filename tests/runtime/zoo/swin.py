"""A windowed transformer as model zoos write it: roll, masks, relative position tables, unfold."""

import mindspore as ms
import mindspore.common.initializer as weight_init
import mindspore.nn as nn
import mindspore.ops as ops
import mindspore.ops.operations as P
import numpy as np
from mindspore import Parameter, Tensor
from mindspore.common import dtype as mstype

SHAPE = (2, 3, 16, 16)


class WindowPartition(nn.Cell):
    def __init__(self, window_size):
        super().__init__()
        self.window_size = window_size

    def construct(self, x):
        b, h, w, c = x.shape
        x = ops.reshape(
            x,
            (
                b,
                h // self.window_size,
                self.window_size,
                w // self.window_size,
                self.window_size,
                c,
            ),
        )
        x = ops.transpose(x, (0, 1, 3, 2, 4, 5))
        return ops.reshape(
            x, (b * h * w // (self.window_size**2), self.window_size, self.window_size, c)
        )


class Roll(nn.Cell):
    """Without the kernel that MindSpore's CPU lacks."""

    def __init__(self, shift_size, shift_axis=(1, 2)):
        super().__init__()
        self.shift_size = (
            [shift_size] * len(shift_axis) if isinstance(shift_size, int) else shift_size
        )
        self.shift_axis = shift_axis

    def construct(self, x):
        for shift, axis in zip(self.shift_size, self.shift_axis):
            size = x.shape[axis]
            first, second = x.split([size - shift % size, shift % size], axis)
            x = ops.concat((second, first), axis)
        return x


class WindowReverse(nn.Cell):
    def construct(self, windows, window_size, h, w):
        b = windows.shape[0] // (h * w // window_size // window_size)
        x = ops.reshape(
            windows, (b, h // window_size, w // window_size, window_size, window_size, -1)
        )
        return ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4, 5)), (b, h, w, -1))


class RelativeBias(nn.Cell):
    def __init__(self, window_size, num_heads):
        super().__init__()
        self.window_size = window_size
        coords_h = (
            np.arange(window_size[0])
            .reshape(window_size[0], 1)
            .repeat(window_size[0], 1)
            .reshape(1, -1)
        )
        coords_w = (
            np.arange(window_size[1])
            .reshape(1, window_size[1])
            .repeat(window_size[1], 0)
            .reshape(1, -1)
        )
        coords = np.concatenate([coords_h, coords_w], axis=0)
        relative = (coords[:, :, np.newaxis] - coords[:, np.newaxis, :]).transpose(1, 2, 0)
        relative[:, :, 0] += window_size[0] - 1
        relative[:, :, 1] += window_size[1] - 1
        relative[:, :, 0] *= 2 * window_size[1] - 1
        self.relative_position_index = Tensor(np.sum(relative, axis=-1).reshape(-1))
        self.table = Parameter(
            Tensor(
                np.random.randn((2 * window_size[0] - 1) * (2 * window_size[1] - 1), num_heads),
                dtype=mstype.float32,
            )
        )
        self.one_hot = nn.OneHot(
            axis=-1, depth=(2 * window_size[0] - 1) * (2 * window_size[1] - 1), dtype=ms.float32
        )
        self.index = Parameter(self.one_hot(self.relative_position_index), requires_grad=False)

    def construct(self):
        out = ops.matmul(self.index, self.table)
        out = P.Reshape()(
            out,
            (
                self.window_size[0] * self.window_size[1],
                self.window_size[0] * self.window_size[1],
                -1,
            ),
        )
        return ops.expand_dims(P.Transpose()(out, (2, 0, 1)), 0)


class WindowAttention(nn.Cell):
    def __init__(self, dim, window_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.scale = Tensor([(dim // num_heads) ** -0.5], mstype.float32)
        self.relative_bias = RelativeBias(window_size, num_heads)
        self.q = nn.Dense(dim, dim)
        self.k = nn.Dense(dim, dim)
        self.v = nn.Dense(dim, dim)
        self.softmax = nn.Softmax(axis=-1)
        self.matmul = P.BatchMatMul()

    def heads(self, x):
        b, n, c = x.shape
        return ops.transpose(
            ops.reshape(x, (b, n, self.num_heads, c // self.num_heads)), (0, 2, 1, 3)
        )

    def construct(self, x, mask=None):
        b_, n, c = x.shape
        q = self.heads(self.q(x)) * self.scale
        k, v = self.heads(self.k(x)), self.heads(self.v(x))
        attn = self.matmul(q, ops.transpose(k, (0, 1, 3, 2))) + self.relative_bias()
        if mask is not None:
            nw, ws2, _ = mask.shape
            mask = P.Reshape()(mask, (1, nw, 1, ws2, ws2))
            attn = P.Reshape()(attn, (b_ // nw, nw, self.num_heads, n, n)) + mask
            attn = P.Reshape()(attn, (-1, self.num_heads, n, n))
        x = ops.transpose(self.matmul(self.softmax(attn), v), (0, 2, 1, 3))
        return ops.reshape(x, (b_, n, c))


class SwinBlock(nn.Cell):
    def __init__(self, dim, resolution, num_heads, window_size=4, shift_size=0):
        super().__init__()
        self.resolution, self.window_size, self.shift_size = resolution, window_size, shift_size
        self.norm1 = nn.LayerNorm([dim], epsilon=1e-5)
        self.attn = WindowAttention(dim, (window_size, window_size), num_heads)
        self.partition, self.reverse = WindowPartition(window_size), WindowReverse()
        self.mlp = nn.SequentialCell(
            [
                nn.LayerNorm([dim]),
                nn.Dense(dim, 2 * dim),
                nn.GELU(approximate=False),
                nn.Dense(2 * dim, dim),
            ]
        )
        if self.shift_size > 0:
            self.roll, self.roll_back = Roll(-shift_size), Roll(shift_size)
            h, w = resolution
            img_mask = np.zeros((1, h, w, 1))
            slices = (
                slice(0, -window_size),
                slice(-window_size, -shift_size),
                slice(-shift_size, None),
            )
            cnt = 0
            for hs in slices:
                for ws in slices:
                    img_mask[:, hs, ws, :] = cnt
                    cnt += 1
            windows = Tensor(img_mask, mstype.float32)
            windows = self.partition(windows).asnumpy().reshape(-1, window_size * window_size)
            mask = windows[:, np.newaxis] - windows[:, :, np.newaxis]
            self.attn_mask = Parameter(
                Tensor(np.where(mask != 0, -100.0, 0.0), mstype.float32),
                name="attention_mask",
                requires_grad=False,
            )
        else:
            self.attn_mask = None

    def construct(self, x):
        h, w = self.resolution
        b, _, c = x.shape
        shortcut = x
        x = ops.reshape(self.norm1(x), (b, h, w, c))
        if self.shift_size > 0:
            x = self.roll(x)
        windows = ops.reshape(self.partition(x), (-1, self.window_size * self.window_size, c))
        attn = self.attn(windows, mask=self.attn_mask)
        attn = ops.reshape(attn, (-1, self.window_size, self.window_size, c))
        x = self.reverse(attn, self.window_size, h, w)
        if self.shift_size > 0:
            x = self.roll_back(x)
        x = shortcut + ops.reshape(x, (b, h * w, c))
        return x + self.mlp(x)


class PatchMerging(nn.Cell):
    def __init__(self, resolution, dim):
        super().__init__()
        self.h, self.w = resolution
        self.reduction = nn.Dense(4 * dim, 2 * dim, has_bias=False)
        self.norm = nn.LayerNorm([4 * dim])

    def construct(self, x):
        b, _, c = x.shape
        x = P.Reshape()(x, (b, self.h // 2, 2, self.w // 2, 2, c))
        x = P.Transpose()(x, (0, 1, 3, 4, 2, 5))
        return self.reduction(self.norm(P.Reshape()(x, (b, -1, 4 * c))))


class Swin(nn.Cell):
    def __init__(self, dim=8):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, kernel_size=2, stride=2, pad_mode="pad", has_bias=True)
        self.blocks = nn.SequentialCell(
            [SwinBlock(dim, (8, 8), 2), SwinBlock(dim, (8, 8), 2, shift_size=2)]
        )
        self.merge = PatchMerging((8, 8), dim)
        self.avgpool = P.ReduceMean(keep_dims=False)
        self.head = nn.Dense(2 * dim, 5)
        for _, cell in self.cells_and_names():
            if isinstance(cell, nn.Dense):
                cell.weight.set_data(
                    weight_init.initializer(
                        weight_init.TruncatedNormal(sigma=0.02),
                        cell.weight.shape,
                        cell.weight.dtype,
                    )
                )

    def construct(self, x):
        x = self.proj(x)
        x = P.Transpose()(P.Reshape()(x, x.shape[:2] + (-1,)), (0, 2, 1))
        return self.head(self.avgpool(self.merge(self.blocks(x)), 1))


def network():
    return Swin()
