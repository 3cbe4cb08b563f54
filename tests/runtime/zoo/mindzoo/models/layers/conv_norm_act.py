"""Convolution, normalisation and activation as one cell."""

from typing import Optional

from mindspore import nn


class Conv2dNormActivation(nn.Cell):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int = 3,
        stride: int = 1,
        pad_mode: str = "same",
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        norm: Optional[nn.Cell] = nn.BatchNorm2d,
        activation: Optional[nn.Cell] = nn.ReLU,
        has_bias: Optional[bool] = None,
        **kwargs,
    ) -> None:
        super().__init__()
        if pad_mode == "pad":
            if padding is None:
                padding = (kernel_size - 1) // 2 * dilation
        else:
            padding = 0
        if has_bias is None:
            has_bias = norm is None
        layers = [
            nn.Conv2d(in_channels, out_channels, kernel_size, stride, pad_mode=pad_mode,
                      padding=padding, dilation=dilation, group=groups, has_bias=has_bias, **kwargs)
        ]
        if norm:
            layers.append(norm(out_channels))
        if activation:
            layers.append(activation())
        self.features = nn.SequentialCell(layers)

    def construct(self, x):
        return self.features(x)


class ConvNormAct(nn.SequentialCell):
    """The same, derived from the container."""

    def __init__(self, in_channels, out_channels, kernel_size=1, stride=1, padding=0, group=1, act=nn.ReLU):
        super().__init__(
            nn.Conv2d(in_channels, out_channels, kernel_size, stride, "pad", padding, group=group),
            nn.BatchNorm2d(out_channels, eps=1e-3, momentum=0.99),
            act() if act is not None else nn.Identity(),
        )
        self.out_channels = out_channels


class DepthwiseSeparable(nn.Cell):
    def __init__(self, in_channels, out_channels, kernel_size=3, stride=1, act=nn.ReLU):
        super().__init__()
        pad = kernel_size // 2
        self.depthwise = nn.Conv2d(in_channels, in_channels, kernel_size, stride, "pad", pad,
                                   group=in_channels)
        self.bn1 = nn.BatchNorm2d(in_channels)
        self.pointwise = nn.Conv2d(in_channels, out_channels, 1)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.act = act()

    def construct(self, x):
        x = self.act(self.bn1(self.depthwise(x)))
        return self.act(self.bn2(self.pointwise(x)))
