import numpy as np

from msconvert.runtime import Parameter, Tensor, nn, ops


class ConvNextLayerNorm(nn.LayerNorm):
    def __init__(self, shape, epsilon, norm_axis=-1):
        super().__init__(shape, epsilon=epsilon)
        self.axis = norm_axis

    def construct(self, x):
        if self.axis == -1:
            return super().construct(x)
        return super().construct(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


class Block(nn.Cell):
    """Its linear layers are convolutions of one pixel."""

    def __init__(self, d):
        super().__init__()
        self.layer_scale = Parameter(Tensor(np.ones(d, np.float32)), name="layer_scale")
        self.conv_dw = nn.Conv2d(d, d, 7, pad_mode="pad", padding=3, group=d, has_bias=True)
        self.ln = ConvNextLayerNorm((d,), 1e-6, 1)
        self.conv1 = nn.Conv2d(d, 4 * d, 1, has_bias=True)
        self.conv2 = nn.Conv2d(4 * d, d, 1, has_bias=True)

    def construct(self, x):
        y = self.conv2(ops.gelu(self.conv1(self.ln(self.conv_dw(x)))))
        return x + self.layer_scale.reshape(1, -1, 1, 1) * y


class ConvNext(nn.Cell):
    def __init__(self, d=6):
        super().__init__()
        self.feature = nn.SequentialCell(
            nn.Conv2d(3, d, 2, 2, pad_mode="valid", has_bias=True),
            ConvNextLayerNorm((d,), 1e-6, 1),
            Block(d),
            Block(d),
            ConvNextLayerNorm((d,), 1e-6, 1),
            nn.Conv2d(d, 2 * d, 2, 2, pad_mode="valid", has_bias=True),
            Block(2 * d),
        )
        self.norm = ConvNextLayerNorm((2 * d,), 1e-6)
        self.classifier = nn.Dense(2 * d, 3)

    def construct(self, x):
        return self.classifier(self.norm(self.feature(x).mean((2, 3))))


def build():
    return ConvNext()
