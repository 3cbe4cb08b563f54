"""RepVGG: three branches while training, one convolution afterwards."""

from collections import OrderedDict

import numpy as np
from mindspore import Tensor, nn, ops

from ..layers import GlobalAvgPooling
from ..registry import register_model


def conv_bn(in_channels, out_channels, kernel_size, stride, padding, group=1):
    conv = nn.Conv2d(in_channels, out_channels, kernel_size, stride, padding=padding, group=group,
                     pad_mode="pad", has_bias=False)
    return nn.SequentialCell(OrderedDict([("conv", conv), ("bn", nn.BatchNorm2d(out_channels))]))


class RepVGGBlock(nn.Cell):
    def __init__(self, in_channels, out_channels, stride=1, group=1, deploy=False):
        super().__init__()
        self.in_channels, self.group, self.deploy = in_channels, group, deploy
        self.nonlinearity = nn.ReLU()
        if deploy:
            self.rbr_reparam = nn.Conv2d(in_channels, out_channels, 3, stride, padding=1, group=group,
                                         pad_mode="pad", has_bias=True)
        else:
            self.rbr_reparam = None
            self.rbr_identity = nn.BatchNorm2d(in_channels) if out_channels == in_channels and stride == 1 else None
            self.rbr_dense = conv_bn(in_channels, out_channels, 3, stride, 1, group)
            self.rbr_1x1 = conv_bn(in_channels, out_channels, 1, stride, 0, group)

    def construct(self, inputs):
        if self.deploy:
            return self.nonlinearity(self.rbr_reparam(inputs))
        if self.rbr_identity is None:
            id_out = 0
        else:
            id_out = self.rbr_identity(inputs)
        return self.nonlinearity(self.rbr_dense(inputs) + self.rbr_1x1(inputs) + id_out)

    def _fuse(self, branch):
        if branch is None:
            return 0, 0
        if isinstance(branch, nn.SequentialCell):
            kernel, bn = branch.conv.weight, branch.bn
            if kernel.shape[-1] == 1:
                kernel = ops.pad(kernel, (1, 1, 1, 1))
        else:
            bn = branch
            width = self.in_channels // self.group
            array = np.zeros((self.in_channels, width, 3, 3), np.float32)
            for i in range(self.in_channels):
                array[i, i % width, 1, 1] = 1
            kernel = Tensor(array)
        t = (bn.gamma / ops.sqrt(bn.moving_variance + bn.eps)).reshape((-1, 1, 1, 1))
        return kernel * t, bn.beta - bn.moving_mean * t.reshape(-1)

    def switch_to_deploy(self):
        found = [self._fuse(b) for b in (self.rbr_dense, self.rbr_1x1, self.rbr_identity)]
        kernel, bias = (sum(parts) for parts in zip(*found))
        dense = self.rbr_dense.conv
        self.rbr_reparam = nn.Conv2d(dense.in_channels, dense.out_channels, 3, dense.stride, padding=1,
                                     group=dense.group, pad_mode="pad", has_bias=True)
        self.rbr_reparam.weight.set_data(Tensor(kernel.asnumpy()))
        self.rbr_reparam.bias.set_data(Tensor(bias.asnumpy()))
        for name in ("rbr_dense", "rbr_1x1", "rbr_identity"):
            if name in self._cells:
                self.__delattr__(name)
        self.deploy = True


class RepVGG(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.stage0 = RepVGGBlock(in_channels, 8, 2)
        self.stage1 = nn.SequentialCell([RepVGGBlock(8, 12, 2), RepVGGBlock(12, 12, group=2)])
        self.stage2 = nn.SequentialCell([RepVGGBlock(12, 16, 2)])
        self.gap = GlobalAvgPooling()
        self.linear = nn.Dense(16, num_classes)

    def construct(self, x):
        return self.linear(self.gap(self.stage2(self.stage1(self.stage0(x)))))


def repvgg_model_convert(model):
    for _, cell in model.cells_and_names():
        if hasattr(cell, "switch_to_deploy"):
            cell.switch_to_deploy()
    return model


@register_model
def repvgg_a0(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return RepVGG(num_classes, in_channels)
