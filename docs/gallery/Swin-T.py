"""SwinTransformer, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  image  float32 (batch, 3, 224, 224)
Outputs: linear_51  float32 (batch, 1000)
Weights: model.ckpt, named as in weight_map_of_model.json.
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("model.ckpt")


def onnx_roll(x, shifts, axes):
    """x moved by `shifts` along `axes`: what leaves at one end comes in at the other."""
    for shift, axis in zip(shifts, axes):
        cut = -shift % x.shape[axis]
        first, rest = ops.split(x, (cut, x.shape[axis] - cut), axis=axis)
        x = ops.concat((rest, first), axis=axis)
    return x


class ShiftedWindowAttention(nn.Cell):
    """x (batch, c, h, w) -> (batch, c, h, w)."""

    def __init__(self, shape, size):
        super().__init__()
        self.shape = shape
        self.size = size
        self.bias_table = ms.Parameter(ops.zeros((shape, 169), ms.float32))
        self.index = ms.Parameter(ops.zeros((49, 49), ms.int64), requires_grad=False)
        self.qkv = nn.Dense(24 * shape, 72 * shape)
        self.proj = nn.Dense(24 * shape, 24 * shape)

    def construct(self, x):
        out = ops.gather(self.bias_table, self.index, 1)
        x = x.reshape((-1, self.size, 7, self.size, 7, 24 * self.shape))
        x = x.swapaxes(2, 3).reshape((-1, 49, 24 * self.shape))
        x = self.qkv(x).reshape((-1, 49, 3, self.shape, 24))
        x = x.transpose((2, 0, 3, 1, 4))
        q, k, v = x[0], x[1], x[2]
        out = ops.matmul(q * 0.20412415, k.swapaxes(2, 3)) + out
        out = ops.matmul(ops.softmax(out, axis=-1), v).swapaxes(1, 2)
        out = out.reshape((-1, self.size, self.size, 7, 7, 24 * self.shape))
        out = self.proj(out).swapaxes(2, 3)
        return out.reshape((-1, 7 * self.size, 7 * self.size, 24 * self.shape))


class MLP(nn.SequentialCell):
    """x (batch, c, h, in_channels) -> (batch, c, h, in_channels)."""

    def __init__(self, in_channels):
        super().__init__(
            nn.Dense(in_channels, 4 * in_channels),
            nn.GELU(approximate=False),
            nn.Identity(),
            nn.Dense(4 * in_channels, in_channels),
        )


class ShiftedWindowAttention1(nn.Cell):
    """x (batch, c, h, w) -> (batch, c, h, w)."""

    def __init__(self, shape=4, mask_shape=4, size=2):
        super().__init__()
        self.shape = shape
        self.mask_shape = mask_shape
        self.size = size
        self.bias_table = ms.Parameter(ops.zeros((shape, 169), ms.float32))
        self.index = ms.Parameter(ops.zeros((49, 49), ms.int64), requires_grad=False)
        self.mask = ms.Parameter(
            ops.zeros((1, mask_shape, 1, 49, 49), ms.bool_), requires_grad=False
        )
        self.qkv = nn.Dense(24 * shape, 72 * shape)
        self.proj = nn.Dense(24 * shape, 24 * shape)

    def construct(self, x):
        out = ops.gather(self.bias_table, self.index, 1)
        chosen = ops.where(self.mask, -100.0, 0.0)
        x = onnx_roll(x, (-3, -3), (1, 2))
        x = x.reshape((-1, self.size, 7, self.size, 7, 24 * self.shape))
        x = x.swapaxes(2, 3).reshape((-1, 49, 24 * self.shape))
        x = self.qkv(x).reshape((-1, 49, 3, self.shape, 24))
        x = x.transpose((2, 0, 3, 1, 4))
        q, k, v = x[0], x[1], x[2]
        out = ops.matmul(q * 0.20412415, k.swapaxes(2, 3)) + out
        out = out.reshape((-1, self.mask_shape, self.shape, 49, 49)) + chosen
        out = ops.softmax(out.reshape((-1, self.shape, 49, 49)), axis=-1)
        out = ops.matmul(out, v).swapaxes(1, 2)
        out = out.reshape((-1, self.size, self.size, 7, 7, 24 * self.shape))
        out = self.proj(out).swapaxes(2, 3)
        out = out.reshape((-1, 7 * self.size, 7 * self.size, 24 * self.shape))
        return onnx_roll(out, (3, 3), (1, 2))


class PatchMerging(nn.Cell):
    """x (batch, c, h, w) -> (batch, c2, h2, w2)."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm((channels,), epsilon=1e-05)
        self.reduction = nn.Dense(channels, channels // 2, has_bias=False)

    def construct(self, x):
        out = x[:, ::2, ::2]
        y = x[:, 1::2, ::2]
        out = ops.concat((out, y, x[:, ::2, 1::2], x[:, 1::2, 1::2]), axis=3)
        out = self.norm(out)
        return self.reduction(out)


class SwinTransformerBlock(nn.Cell):
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, size):
        super().__init__()
        self.norm1 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.attn = ShiftedWindowAttention(channels // 24, size)
        self.norm2 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.mlp = MLP(channels)

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SwinTransformerBlock1(nn.Cell):
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, mask_shape=4, size=2):
        super().__init__()
        self.norm1 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.attn = ShiftedWindowAttention1(
            shape=channels // 24,
            mask_shape=mask_shape,
            size=size,
        )
        self.norm2 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.mlp = MLP(channels)

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SwinTransformer(nn.Cell):
    """image (batch, 3, 224, 224) -> (batch, 1000)."""

    def __init__(self):
        super().__init__()
        self.features = nn.CellList(
            [
                nn.CellList(
                    [
                        nn.Conv2d(3, 24, 4, 4, pad_mode="valid", has_bias=True),
                        nn.Identity(),
                        nn.LayerNorm((24,), epsilon=1e-05),
                    ]
                ),
                nn.SequentialCell(
                    SwinTransformerBlock(24, 8),
                    SwinTransformerBlock1(24, mask_shape=64, size=8),
                ),
                PatchMerging(96),
                nn.SequentialCell(
                    SwinTransformerBlock(48, 4),
                    SwinTransformerBlock1(48, mask_shape=16, size=4),
                ),
                PatchMerging(192),
                nn.SequentialCell(
                    SwinTransformerBlock(96, 2),
                    SwinTransformerBlock1(96),
                    SwinTransformerBlock(96, 2),
                    SwinTransformerBlock1(96),
                    SwinTransformerBlock(96, 2),
                    SwinTransformerBlock1(96),
                ),
                PatchMerging(384),
                nn.SequentialCell(
                    SwinTransformerBlock(192, 1),
                    SwinTransformerBlock(192, 1),
                ),
            ]
        )
        self.norm = nn.LayerNorm((192,), epsilon=1e-05)
        self.head = nn.Dense(192, 1000)

    def construct(self, image):
        x = self.features[0][2](self.features[0][0](image).transpose((0, 2, 3, 1)))
        for i in range(1, len(self.features)):
            x = self.features[i](x)
        x = self.norm(x)
        return self.head(ops.mean(x, (1, 2)))


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = SwinTransformer()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
