from typing import Optional

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
from mindspore import Parameter, Tensor
from mindspore.common.initializer import initializer


class DropPath(nn.Cell):
    """DropPath (Stochastic Depth) regularization layers"""

    def __init__(self, drop_prob: float = 0.0, scale_by_keep: bool = True) -> None:
        super().__init__()
        self.keep_prob = 1.0 - drop_prob
        self.scale_by_keep = scale_by_keep
        self.dropout = nn.Dropout(p=drop_prob)

    def construct(self, x: Tensor) -> Tensor:
        if self.keep_prob == 1.0 or not self.training:
            return x
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        random_tensor = self.dropout(ops.ones(shape))
        if not self.scale_by_keep:
            random_tensor = ops.mul(random_tensor, self.keep_prob)
        return x * random_tensor


class GlobalAvgPooling(nn.Cell):
    def __init__(self, keep_dims: bool = False) -> None:
        super().__init__()
        self.keep_dims = keep_dims

    def construct(self, x):
        x = ops.mean(x, axis=(2, 3), keep_dims=self.keep_dims)
        return x


class SqueezeExcite(nn.Cell):
    def __init__(
        self,
        in_channels: int,
        rd_ratio: float = 1.0 / 16,
        rd_channels: Optional[int] = None,
        rd_divisor: int = 8,
        bias: bool = True,
        act_layer: nn.Cell = nn.ReLU,
        gate_layer: nn.Cell = nn.Sigmoid,
    ) -> None:
        super().__init__()
        self.bias = bias
        if not rd_channels:
            rd_channels = max(rd_divisor, int(in_channels * rd_ratio))
        self.conv_reduce = nn.Conv2d(in_channels, rd_channels, kernel_size=1, has_bias=self.bias)
        self.act = act_layer()
        self.conv_expand = nn.Conv2d(rd_channels, in_channels, kernel_size=1, has_bias=self.bias)
        self.gate = gate_layer()
        self.pool = GlobalAvgPooling(keep_dims=True)

    def construct(self, x: Tensor) -> Tensor:
        x_se = self.pool(x)
        x_se = self.conv_reduce(x_se)
        x_se = self.act(x_se)
        x_se = self.conv_expand(x_se)
        x_se = self.gate(x_se)
        x = x * x_se
        return x


class LayerScale(nn.Cell):
    def __init__(self, dim, init_values=1e-5):
        super().__init__()
        self.gamma = Parameter(initializer(init_values, (dim, 1, 1), ms.float32), name="gamma")

    def construct(self, x):
        return x * self.gamma
