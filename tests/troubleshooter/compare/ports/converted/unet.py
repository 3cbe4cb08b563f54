from msconvert.runtime import nn, ops


class ConvBlock(nn.Cell):
    def __init__(self, i, o):
        super().__init__()
        self.norms = nn.CellList([nn.GroupNorm(2, o), nn.GroupNorm(2, o)])
        self.convs = nn.CellList(
            [
                nn.Conv2d(i, o, 3, pad_mode="pad", padding=1, has_bias=True),
                nn.Conv2d(o, o, 3, pad_mode="pad", padding=1, has_bias=True),
            ]
        )

    def construct(self, x):
        for conv, norm in zip(self.convs, self.norms):
            x = ops.silu(norm(conv(x)))
        return x


def up(i, o):
    return nn.Conv2dTranspose(i, o, 2, 2, pad_mode="pad", has_bias=True)


class UNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.decoder = nn.CellList([ConvBlock(32, 8), ConvBlock(16, 8)])
        self.ups = nn.CellList([up(16, 16), up(8, 8)])
        self.encoder = nn.CellList([ConvBlock(3, 8), ConvBlock(8, 16), ConvBlock(16, 16)])
        self.final = nn.Conv2d(8, 2, 1, has_bias=True)
        self.pool = nn.MaxPool2d(2, 2)

    def construct(self, x):
        held = []
        for i, block in enumerate(self.encoder):
            x = block(self.pool(x) if i else x)
            held.append(x)
        for i, block in enumerate(self.decoder):
            x = block(ops.concat((held[1 - i], self.ups[i](x)), 1))
        return self.final(x)


def build():
    return UNet()
