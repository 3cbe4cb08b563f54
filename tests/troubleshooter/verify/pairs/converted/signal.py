from collections import OrderedDict

from msconvert.runtime import nn, ops


class Wave(nn.Cell):
    """Convolutions over a line, down and up again."""

    def __init__(self, channels=4, depth=2):
        super().__init__()
        layers = OrderedDict()
        for i in range(depth):
            layers[f"conv{i}"] = nn.Conv1d(
                channels, channels, 3, pad_mode="pad", padding=2 ** i, dilation=2 ** i, has_bias=True
            )
            layers[f"norm{i}"] = nn.BatchNorm1d(channels)
            layers[f"act{i}"] = nn.PReLU(channels)
        self.down = nn.SequentialCell(layers)
        self.up = nn.Conv1dTranspose(
            channels, 2, 4, stride=2, pad_mode="pad", padding=1, has_bias=True
        )

    def construct(self, x):
        return ops.leaky_relu(self.up(self.down(x)), 0.2)
