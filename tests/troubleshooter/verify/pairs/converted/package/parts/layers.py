from msconvert.runtime import nn, ops


class Head(nn.Cell):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.CellDict({f"size{n}": nn.Dense(4, n) for n in sizes})

    def construct(self, x):
        return ops.cat([layer(x) for layer in self.layers.values()], axis=1)
