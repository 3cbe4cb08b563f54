"""ReXNet: widths that grow, and only some of the channels get the shortcut."""

from math import ceil

from mindspore import nn, ops

from ..layers import Conv2dNormActivation, GlobalAvgPooling, SqueezeExcite
from ..registry import register_model


class LinearBottleneck(nn.Cell):
    def __init__(self, in_channels, out_channels, exp_ratio, stride, use_se=True, act_dw_layer=nn.ReLU6):
        super().__init__()
        self.use_shortcut = stride == 1 and in_channels <= out_channels
        self.in_channels = in_channels
        self.out_channels = out_channels
        dw_channels = in_channels * exp_ratio
        self.conv_exp = None
        if exp_ratio != 1:
            self.conv_exp = Conv2dNormActivation(in_channels, dw_channels, 1, activation=nn.SiLU)
        self.conv_dw = Conv2dNormActivation(dw_channels, dw_channels, 3, stride, pad_mode="pad", padding=1,
                                            groups=dw_channels, activation=None)
        self.se = SqueezeExcite(dw_channels, rd_ratio=1.0 / 4, norm=nn.BatchNorm2d) if use_se else None
        self.act_dw = act_dw_layer()
        self.conv_pwl = Conv2dNormActivation(dw_channels, out_channels, 1, activation=None)

    def construct(self, x):
        shortcut = x
        if self.conv_exp is not None:
            x = self.conv_exp(x)
        x = self.conv_dw(x)
        if self.se is not None:
            x = self.se(x)
        x = self.conv_pwl(self.act_dw(x))
        if self.use_shortcut:
            x[:, 0:self.in_channels] += shortcut
        return x


class ReXNetV1(nn.Cell):
    def __init__(self, num_classes, in_channels, width_mult=1.0):
        super().__init__()
        layers, strides = [1, 2], [1, 2]
        strides = sum([[s] + [1] * (layers[i] - 1) for i, s in enumerate(strides)], [])
        in_group, out_group, inplanes = [], [], 8 / width_mult
        for i in range(sum(layers)):
            in_group.append(int(round(8 * width_mult)) if i == 0 else int(round(inplanes * width_mult)))
            inplanes += 12 / (sum(layers) * 1.0)
            out_group.append(int(round(inplanes * width_mult)))
        self.stem = Conv2dNormActivation(in_channels, in_group[0], 3, 2, padding=1, pad_mode="pad", activation=nn.SiLU)
        feat = []
        for k, (i, o, s) in enumerate(zip(in_group, out_group, strides)):
            feat.append(LinearBottleneck(i, o, 1 if k == 0 else 3, s, use_se=k > 0))
        pen_channels = int(ceil(24 * width_mult))
        feat.append(Conv2dNormActivation(out_group[-1], pen_channels, 1, activation=nn.SiLU))
        feat.append(GlobalAvgPooling(keep_dims=True))
        self.features = nn.SequentialCell(*feat)
        self.cls = nn.SequentialCell(nn.Dropout(p=0.0), nn.Conv2d(pen_channels, num_classes, 1, has_bias=True))

    def construct(self, x):
        x = self.cls(self.features(self.stem(x)))
        return x.reshape((x.shape[0], -1))


@register_model
def rexnet_09(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return ReXNetV1(num_classes, in_channels, **kwargs)
