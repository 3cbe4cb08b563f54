"""RegNetY: widths by a rule, groups, squeeze and excitation."""

import numpy as np
from mindspore import nn

from ..layers import GlobalAvgPooling, SqueezeExcite
from ..registry import register_model


def generate_regnet(w_a, w_0, w_m, d, q=8):
    """Widths and depths of the stages."""
    assert w_a >= 0 and w_0 > 0 and w_m > 1 and w_0 % q == 0
    ws_cont = np.arange(d) * w_a + w_0
    ks = np.round(np.log(ws_cont / w_0) / np.log(w_m))
    ws_all = w_0 * np.power(w_m, ks)
    ws_all = np.round(np.divide(ws_all, q)).astype(int) * q
    ws, ds = np.unique(ws_all, return_counts=True)
    return ws.tolist(), ds.tolist()


class ResBottleneckBlock(nn.Cell):
    def __init__(self, w_in, w_out, stride, group_w, se_r=0.25):
        super().__init__()
        self.proj = None
        if (w_in != w_out) or (stride != 1):
            self.proj = nn.Conv2d(w_in, w_out, 1, stride=stride)
            self.bn = nn.BatchNorm2d(w_out, 1e-5, 0.9)
        self.a = nn.SequentialCell(nn.Conv2d(w_in, w_out, 1), nn.BatchNorm2d(w_out), nn.ReLU())
        self.b = nn.SequentialCell([
            nn.Conv2d(w_out, w_out, 3, stride, "pad", 1, group=w_out // group_w), nn.BatchNorm2d(w_out), nn.ReLU()])
        self.se = SqueezeExcite(w_out, rd_channels=int(round(w_in * se_r)))
        self.c = nn.SequentialCell(nn.Conv2d(w_out, w_out, 1), nn.BatchNorm2d(w_out))
        self.af = nn.ReLU()

    def construct(self, x):
        x_p = x if self.proj is None else self.bn(self.proj(x))
        return self.af(x_p + self.c(self.se(self.b(self.a(x)))))


class AnyNet(nn.Cell):
    def __init__(self, ws, ds, group_w, num_classes, in_channels):
        super().__init__()
        self.stem = nn.SequentialCell(
            nn.Conv2d(in_channels, 8, 3, 2, "pad", 1), nn.BatchNorm2d(8), nn.ReLU())
        w_in = 8
        for i, (w, d) in enumerate(zip(ws, ds)):
            stage = nn.SequentialCell([ResBottleneckBlock(w_in if k == 0 else w, w, 2 if k == 0 else 1, group_w)
                                       for k in range(d)])
            setattr(self, f"s{i + 1}", stage)
            w_in = w
        self.stages = len(ws)
        self.pool, self.head = GlobalAvgPooling(), nn.Dense(w_in, num_classes)

    def construct(self, x):
        x = self.stem(x)
        x = self.s1(x)
        x = self.s2(x)
        return self.head(self.pool(x))


@register_model
def regnet_y_tiny(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    ws, ds = generate_regnet(8.0, 8, 2.0, 3)
    return AnyNet(ws[:2], ds[:2], 4, num_classes, in_channels)
