"""ConvNeXt as model zoos write it: channels-first LayerNorm, layer scale, Erf-based GELU."""

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Constant, TruncatedNormal, initializer

SHAPE = (2, 3, 32, 32)


class ConvNextLayerNorm(nn.LayerNorm):
    def __init__(self, normalized_shape, epsilon: float, norm_axis: int = -1) -> None:
        super().__init__(normalized_shape=normalized_shape, epsilon=epsilon)
        assert norm_axis in (-1, 1), "ConvNextLayerNorm's norm_axis must be 1 or -1."
        self.norm_axis = norm_axis

    def construct(self, input_x: Tensor) -> Tensor:
        if self.norm_axis == -1:
            y, _, _ = self.layer_norm(input_x, self.gamma, self.beta)
        else:
            input_x = ops.transpose(input_x, (0, 2, 3, 1))
            y, _, _ = self.layer_norm(input_x, self.gamma, self.beta)
            y = ops.transpose(y, (0, 3, 1, 2))
        return y


class Block(nn.Cell):
    def __init__(self, dim: int, layer_scale_init_value: float = 1e-6) -> None:
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, kernel_size=7, group=dim, has_bias=True)
        self.norm = ConvNextLayerNorm((dim,), epsilon=1e-6)
        self.pwconv1 = nn.Dense(dim, 4 * dim)
        self.act = nn.GELU()
        self.pwconv2 = nn.Dense(4 * dim, dim)
        self.gamma_ = Parameter(
            Tensor(layer_scale_init_value * ops.ones((dim), ms.float32)), requires_grad=True
        )

    def construct(self, x: Tensor) -> Tensor:
        downsample = x
        x = ops.transpose(self.dwconv(x), (0, 2, 3, 1))
        x = self.pwconv2(self.act(self.pwconv1(self.norm(x))))
        if self.gamma_ is not None:
            x = self.gamma_ * x
        return downsample + ops.transpose(x, (0, 3, 1, 2))


class ConvNeXt(nn.Cell):
    def __init__(self, dims=(8, 16), depths=(1, 2), num_classes=5):
        super().__init__()
        self.downsample_layers = nn.CellList()
        self.downsample_layers.append(
            nn.SequentialCell(
                nn.Conv2d(3, dims[0], kernel_size=4, stride=4, has_bias=True),
                ConvNextLayerNorm((dims[0],), epsilon=1e-6, norm_axis=1),
            )
        )
        self.downsample_layers.append(
            nn.SequentialCell(
                [
                    ConvNextLayerNorm((dims[0],), epsilon=1e-6, norm_axis=1),
                    nn.Conv2d(dims[0], dims[1], kernel_size=2, stride=2, has_bias=True),
                ]
            )
        )
        self.stages = nn.CellList(
            [
                nn.SequentialCell([Block(dim) for _ in range(depth)])
                for dim, depth in zip(dims, depths)
            ]
        )
        self.norm = ConvNextLayerNorm((dims[-1],), epsilon=1e-6)
        self.head = nn.Dense(dims[-1], num_classes)
        for _, cell in self.cells_and_names():
            if isinstance(cell, (nn.Dense, nn.Conv2d)):
                cell.weight.set_data(
                    initializer(TruncatedNormal(sigma=0.02), cell.weight.shape, cell.weight.dtype)
                )
                if isinstance(cell, nn.Dense) and cell.bias is not None:
                    cell.bias.set_data(initializer(Constant(0), cell.bias.shape, cell.bias.dtype))

    def construct(self, x: Tensor) -> Tensor:
        for i in range(2):
            x = self.stages[i](self.downsample_layers[i](x))
        return self.head(self.norm(x.mean([-2, -1])))


def network() -> nn.Cell:
    return ConvNeXt()
