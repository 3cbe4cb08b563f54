"""Selective kernels."""

from mindspore import nn, ops

from .conv_norm_act import Conv2dNormActivation
from .pooling import GlobalAvgPooling


class SelectiveKernelAttn(nn.Cell):
    def __init__(self, channels, num_paths=2, attn_channels=8):
        super().__init__()
        self.num_paths = num_paths
        self.mean = GlobalAvgPooling(keep_dims=True)
        self.fc_reduce = nn.Conv2d(channels, attn_channels, kernel_size=1, has_bias=False)
        self.bn = nn.BatchNorm2d(attn_channels)
        self.act = nn.ReLU()
        self.fc_select = nn.Conv2d(attn_channels, channels * num_paths, kernel_size=1)
        self.softmax = nn.Softmax(axis=1)

    def construct(self, x):
        x = self.mean((x.sum(1)))
        x = self.act(self.bn(self.fc_reduce(x)))
        x = self.fc_select(x)
        b, c, h, w = x.shape
        x = x.reshape((b, self.num_paths, c // self.num_paths, h, w))
        return self.softmax(x)


class SelectiveKernel(nn.Cell):
    def __init__(self, in_channels, out_channels=None, kernel_size=(3, 5), stride=1, split_input=True):
        super().__init__()
        out_channels = out_channels or in_channels
        self.num_paths = len(kernel_size)
        self.split_input = split_input
        if split_input:
            assert in_channels % self.num_paths == 0
            in_channels = in_channels // self.num_paths
        dilation = [(k - 1) // 2 for k in kernel_size]
        self.paths = nn.CellList([
            Conv2dNormActivation(in_channels, out_channels, kernel_size=3, stride=stride, dilation=d)
            for d in dilation])
        self.attn = SelectiveKernelAttn(out_channels, self.num_paths)
        self.split = ops.Split(axis=1, output_num=self.num_paths)

    def construct(self, x):
        x_paths = []
        if self.split_input:
            x_split = self.split(x)
            for i, op in enumerate(self.paths):
                x_paths.append(op(x_split[i]))
        else:
            for op in self.paths:
                x_paths.append(op(x))
        x = ops.stack(x_paths, axis=1)
        x_attn = self.attn(x)
        x = x * x_attn
        return x.sum(1)
