"""SwinTransformer, converted from model.onnx (opset 20, made by pytorch 2.13.0+cpu).

Inputs:  image  float32 (batch, 3, 224, 224)
Outputs: linear_51  float32 (batch, 1000)
Weights: model.ckpt, named as in weight_map_of_model.json.
"""

from pathlib import Path

import msconvert.runtime as ms
from msconvert.runtime import nn, ops

CHECKPOINT = Path(__file__).with_name("model.ckpt")


class ShiftedWindowAttention(nn.Cell):
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, size=8):
        super().__init__()
        self.channels = channels
        self.size = size
        self.qkv = nn.Dense(channels, 3 * channels)
        self.unsqueeze = ms.Parameter(
            ops.zeros((1, channels // 24, 49, 49), ms.float32), requires_grad=False
        )
        self.proj = nn.Dense(channels, channels)

    def construct(self, x):
        x = x.reshape((-1, self.size, 7, self.size, 7, self.channels))
        x = x.swapaxes(2, 3).reshape((-1, 49, self.channels))
        x = self.qkv(x).reshape((-1, 49, 3, self.channels // 24, 24))
        x = ops.transpose(x, (2, 0, 3, 1, 4))
        q, k, v = x[0], x[1], x[2]
        x = ops.matmul(q * 0.20412415, k.swapaxes(2, 3)) + self.unsqueeze
        x = ops.matmul(ops.softmax(x, axis=-1), v).swapaxes(1, 2)
        x = x.reshape((-1, self.size, self.size, 7, 7, self.channels))
        x = self.proj(x).swapaxes(2, 3)
        return x.reshape((-1, 7 * self.size, 7 * self.size, self.channels))


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
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, size=8, shape=64, size_2=53):
        super().__init__()
        self.channels = channels
        self.size = size
        self.shape = shape
        self.size_2 = size_2
        self.qkv = nn.Dense(channels, 3 * channels)
        self.unsqueeze = ms.Parameter(
            ops.zeros((1, channels // 24, 49, 49), ms.float32), requires_grad=False
        )
        self.bias = ms.Parameter(
            ops.zeros((1, shape, 1, 49, 49), ms.float32),
            requires_grad=False,
        )
        self.proj = nn.Dense(channels, channels)

    def construct(self, x):
        out = x[:, :3]
        x = x[:, 3:]
        x = ops.concat((x, out), axis=1)
        out = x[:, :, :3]
        x = x[:, :, 3:]
        x = ops.concat((x, out), axis=2)
        x = x.reshape((-1, self.size, 7, self.size, 7, self.channels))
        x = x.swapaxes(2, 3).reshape((-1, 49, self.channels))
        x = self.qkv(x).reshape((-1, 49, 3, self.channels // 24, 24))
        x = ops.transpose(x, (2, 0, 3, 1, 4))
        q, k, v = x[0], x[1], x[2]
        x = ops.matmul(q * 0.20412415, k.swapaxes(2, 3)) + self.unsqueeze
        x = x.reshape((-1, self.shape, self.channels // 24, 49, 49))
        x = (x + self.bias).reshape((-1, self.channels // 24, 49, 49))
        x = ops.matmul(ops.softmax(x, axis=-1), v).swapaxes(1, 2)
        x = x.reshape((-1, self.size, self.size, 7, 7, self.channels))
        x = self.proj(x).swapaxes(2, 3)
        x = x.reshape((-1, 7 * self.size, 7 * self.size, self.channels))
        out = x[:, : self.size_2]
        x = x[:, self.size_2 :]
        x = ops.concat((x, out), axis=1)
        out = x[:, :, : self.size_2]
        x = x[:, :, self.size_2 :]
        return ops.concat((x, out), axis=2)


class PatchMerging(nn.Cell):
    """x (batch, c, h, w) -> (batch, c2, h2, w2)."""

    def __init__(self, channels):
        super().__init__()
        self.norm = nn.LayerNorm((channels,), epsilon=1e-05)
        self.reduction = nn.Dense(channels, channels // 2, has_bias=False)

    def construct(self, x):
        out = x[:, ::2]
        y = out[:, :, ::2]
        x = x[:, 1::2]
        y2 = x[:, :, ::2]
        out = out[:, :, 1::2]
        out = self.norm(ops.concat((y, y2, out, x[:, :, 1::2]), axis=3))
        return self.reduction(out)


class ShiftedWindowAttention2(nn.Cell):
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, size=2):
        super().__init__()
        self.channels = channels
        self.size = size
        self.qkv = nn.Dense(channels, 3 * channels)
        self.bias = ms.Parameter(
            ops.zeros((1, channels // 24, 49, 49), ms.float32), requires_grad=False
        )
        self.proj = nn.Dense(channels, channels)

    def construct(self, x):
        x = x.reshape((-1, self.size, 7, self.size, 7, self.channels))
        x = x.swapaxes(2, 3).reshape((-1, 49, self.channels))
        x = self.qkv(x).reshape((-1, 49, 3, self.channels // 24, 24))
        x = ops.transpose(x, (2, 0, 3, 1, 4))
        q, k, v = x[0], x[1], x[2]
        x = ops.matmul(q * 0.20412415, k.swapaxes(2, 3)) + self.bias
        x = ops.matmul(ops.softmax(x, axis=-1), v).swapaxes(1, 2)
        x = x.reshape((-1, self.size, self.size, 7, 7, self.channels))
        x = self.proj(x).swapaxes(2, 3)
        return x.reshape((-1, 7 * self.size, 7 * self.size, self.channels))


class ShiftedWindowAttention3(nn.Cell):
    """x (batch, 14, 14, 96), unsqueeze_17 (1, 4, 1, 49, 49) -> (batch, 14, 14, 96)."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Dense(96, 288)
        self.bias = ms.Parameter(
            ops.zeros((1, 4, 49, 49), ms.float32),
            requires_grad=False,
        )
        self.proj = nn.Dense(96, 96)

    def construct(self, x, unsqueeze_17):
        out = x[:, :3]
        x = x[:, 3:]
        x = ops.concat((x, out), axis=1)
        out = x[:, :, :3]
        x = ops.concat((x[:, :, 3:], out), axis=2).reshape((-1, 2, 7, 2, 7, 96))
        x = x.swapaxes(2, 3).reshape((-1, 49, 96))
        x = self.qkv(x).reshape((-1, 49, 3, 4, 24))
        x = ops.transpose(x, (2, 0, 3, 1, 4))
        q, k, v = x[0], x[1], x[2]
        x = ops.matmul(q * 0.20412415, k.swapaxes(2, 3)) + self.bias
        x = (x.reshape((-1, 4, 4, 49, 49)) + unsqueeze_17).reshape((-1, 4, 49, 49))
        x = ops.matmul(ops.softmax(x, axis=-1), v).swapaxes(1, 2)
        x = self.proj(x.reshape((-1, 2, 2, 7, 7, 96))).swapaxes(2, 3)
        x = x.reshape((-1, 14, 14, 96))
        out = x[:, :11]
        x = x[:, 11:]
        x = ops.concat((x, out), axis=1)
        out = x[:, :, :11]
        x = x[:, :, 11:]
        return ops.concat((x, out), axis=2)


class AdaptiveAvgPool2d(nn.Cell):
    """x (batch, 192, 7, 7), image (batch, 3, 224, 224) -> (batch, 192, 1, 1)."""

    def __init__(self):
        super().__init__()
        self.bias = ms.Parameter(
            ops.zeros((1, 192, 1, 1), ms.int64),
            requires_grad=False,
        )

    def construct(self, x, image):
        x = ops.mean(x, (2, 3), keep_dims=True).reshape((-1,))
        image = ops.arange(0, image.shape[0], 1, dtype=ms.int64) * 192
        image = image.reshape((-1, 1, 1, 1)) + self.bias
        return ops.gather(x, image, 0)


class SwinTransformerBlock(nn.Cell):
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, size=8):
        super().__init__()
        self.norm1 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.attn = ShiftedWindowAttention(channels, size=size)
        self.norm2 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.mlp = MLP(channels)

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SwinTransformerBlock1(nn.Cell):
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, size=8, shape=64, size_2=53):
        super().__init__()
        self.norm1 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.attn = ShiftedWindowAttention1(
            channels,
            size=size,
            shape=shape,
            size_2=size_2,
        )
        self.norm2 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.mlp = MLP(channels)

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SwinTransformerBlock2(nn.Cell):
    """x (batch, c, h, channels) -> (batch, c, h, channels)."""

    def __init__(self, channels, size=2):
        super().__init__()
        self.norm1 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.attn = ShiftedWindowAttention2(channels, size=size)
        self.norm2 = nn.LayerNorm((channels,), epsilon=1e-05)
        self.mlp = MLP(channels)

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class SwinTransformerBlock3(nn.Cell):
    """x (batch, 14, 14, 96), unsqueeze_17 (1, 4, 1, 49, 49) -> (batch, 14, 14, 96)."""

    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm((96,), epsilon=1e-05)
        self.attn = ShiftedWindowAttention3()
        self.norm2 = nn.LayerNorm((96,), epsilon=1e-05)
        self.mlp = MLP(96)

    def construct(self, x, unsqueeze_17):
        x = x + self.attn(self.norm1(x), unsqueeze_17)
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
                nn.SequentialCell(SwinTransformerBlock(24), SwinTransformerBlock1(24)),
                PatchMerging(96),
                nn.SequentialCell(
                    SwinTransformerBlock(48, size=4),
                    SwinTransformerBlock1(48, size=4, shape=16, size_2=25),
                ),
                PatchMerging(192),
                nn.CellList(
                    [
                        SwinTransformerBlock2(96),
                        SwinTransformerBlock3(),
                        SwinTransformerBlock2(96),
                        SwinTransformerBlock3(),
                        SwinTransformerBlock2(96),
                        SwinTransformerBlock3(),
                    ]
                ),
                PatchMerging(384),
                nn.SequentialCell(
                    SwinTransformerBlock2(192, size=1),
                    SwinTransformerBlock2(192, size=1),
                ),
            ]
        )
        self.unsqueeze_17 = ms.Parameter(
            ops.zeros((1, 4, 1, 49, 49), ms.float32), requires_grad=False
        )
        self.norm = nn.LayerNorm((192,), epsilon=1e-05)
        self.avgpool = AdaptiveAvgPool2d()
        self.flatten = nn.Flatten()
        self.head = nn.Dense(192, 1000)

    def construct(self, image):
        x = self.features[0][0](image)
        x = self.features[0][2](ops.transpose(x, (0, 2, 3, 1)))
        x = self.features[1](x)
        x = self.features[2](x)
        x = self.features[3](x)
        x = self.features[4](x)
        x = self.features[5][0](x)
        x = self.features[5][1](x, self.unsqueeze_17)
        x = self.features[5][2](x)
        x = self.features[5][3](x, self.unsqueeze_17)
        x = self.features[5][4](x)
        x = self.features[5][5](x, self.unsqueeze_17)
        x = self.features[6](x)
        x = self.features[7](x)
        x = self.norm(x)
        x = ops.transpose(x, (0, 3, 1, 2))
        x = self.avgpool(x, image)
        x = self.flatten(x)
        return self.head(x)


def load(checkpoint=CHECKPOINT):
    """The network with its converted weights, in inference mode."""
    net = SwinTransformer()
    weights = ms.load_checkpoint(str(checkpoint))
    missing, unused = ms.load_param_into_net(net, weights, strict_load=True)
    assert not missing and not unused, (missing, unused)
    return net.set_train(False)


if __name__ == "__main__":
    print(load()(ops.zeros((1, 3, 224, 224), ms.float32)).shape)
