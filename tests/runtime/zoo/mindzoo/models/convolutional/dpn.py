"""Dual path networks: a residual path beside a dense one."""

from mindspore import nn, ops

from ..layers import GlobalAvgPooling
from ..registry import register_model


class BottleBlock(nn.Cell):
    def __init__(self, in_channel, num_1x1_a, num_3x3_b, num_1x1_c, inc, g, key_stride):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(in_channel, eps=1e-3, momentum=0.9)
        self.conv1 = nn.Conv2d(in_channel, num_1x1_a, 1, stride=1)
        self.bn2 = nn.BatchNorm2d(num_1x1_a, eps=1e-3, momentum=0.9)
        self.conv2 = nn.Conv2d(num_1x1_a, num_3x3_b, 3, key_stride, pad_mode="pad", padding=1, group=g)
        self.bn3 = nn.BatchNorm2d(num_3x3_b, eps=1e-3, momentum=0.9)
        self.conv3_r = nn.Conv2d(num_3x3_b, num_1x1_c, 1, stride=1)
        self.conv3_d = nn.Conv2d(num_3x3_b, inc, 1, stride=1)
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.conv1(self.relu(self.bn1(x)))
        x = self.conv2(self.relu(self.bn2(x)))
        x = self.relu(self.bn3(x))
        return self.conv3_r(x), self.conv3_d(x)


class DualPathBlock(nn.Cell):
    def __init__(self, in_channel, num_1x1_a, num_3x3_b, num_1x1_c, inc, g, _type="normal", cat_input=True):
        super().__init__()
        self.num_1x1_c = num_1x1_c
        key_stride = 2 if _type == "down" else 1
        self.has_proj = _type in ("proj", "down")
        self.cat_input = cat_input
        if self.has_proj:
            self.c1x1_w_bn = nn.BatchNorm2d(in_channel, eps=1e-3)
            self.c1x1_w_relu = nn.ReLU()
            self.c1x1_w_r = nn.Conv2d(in_channel, num_1x1_c, kernel_size=1, stride=key_stride, pad_mode="pad")
            self.c1x1_w_d = nn.Conv2d(in_channel, 2 * inc, kernel_size=1, stride=key_stride, pad_mode="pad")
        self.layers = BottleBlock(in_channel, num_1x1_a, num_3x3_b, num_1x1_c, inc, g, key_stride)
        self.add = ops.Add()

    def construct(self, x):
        if self.cat_input:
            data_in = ops.concat(x, axis=1)
        else:
            data_in = x
        if self.has_proj:
            data_o = self.c1x1_w_relu(self.c1x1_w_bn(data_in))
            data_o1, data_o2 = self.c1x1_w_r(data_o), self.c1x1_w_d(data_o)
        else:
            data_o1, data_o2 = x[0], x[1]
        out = self.layers(data_in)
        summ = self.add(data_o1, out[0])
        dense = ops.concat((data_o2, out[1]), axis=1)
        return summ, dense


class DPN(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.conv1 = nn.SequentialCell([
            nn.Conv2d(in_channels, 8, 7, 2, pad_mode="pad", padding=3), nn.BatchNorm2d(8, eps=1e-3), nn.ReLU(),
            nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")])
        self.conv2_1 = DualPathBlock(8, 8, 8, 16, 4, 2, "proj", cat_input=False)
        self.conv2_2 = DualPathBlock(28, 8, 8, 16, 4, 2, "normal")
        self.conv3_1 = DualPathBlock(32, 8, 8, 20, 4, 2, "down")
        self.concat = ops.Concat(axis=1)
        self.bn = nn.BatchNorm2d(32, eps=1e-3)
        self.avg_pool = GlobalAvgPooling()
        self.classifier = nn.Dense(32, num_classes)

    def construct(self, x):
        x = self.conv3_1(self.conv2_2(self.conv2_1(self.conv1(x))))
        x = ops.relu(self.bn(self.concat(x)))
        return self.classifier(self.avg_pool(x))


@register_model
def dpn14(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return DPN(num_classes, in_channels)
