"""How zoos set weights once the network is there."""

import math

import mindspore.common.initializer as init
from mindspore import nn


def make_divisible(v, divisor=8, min_value=None, round_limit=0.9):
    min_value = min_value or divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < round_limit * v:
        new_v += divisor
    return new_v


def trunc_normal_(parameter, std=0.02):
    parameter.set_data(init.initializer(init.TruncatedNormal(std), parameter.shape, parameter.dtype))


def init_like_conv_zoo(net):
    for _, cell in net.cells_and_names():
        if isinstance(cell, nn.Conv2d):
            n = cell.kernel_size[0] * cell.kernel_size[1] * cell.out_channels
            cell.weight.set_data(
                init.initializer(init.Normal(math.sqrt(2.0 / n)), cell.weight.shape, cell.weight.dtype))
            if cell.has_bias:
                cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))
        elif isinstance(cell, (nn.BatchNorm2d, nn.GroupNorm)):
            cell.gamma.set_data(init.initializer("ones", cell.gamma.shape, cell.gamma.dtype))
            cell.beta.set_data(init.initializer(init.Constant(0), cell.beta.shape, cell.beta.dtype))
        elif isinstance(cell, nn.Dense):
            cell.weight.set_data(
                init.initializer(init.Uniform(1.0 / math.sqrt(cell.weight.shape[0])),
                                 cell.weight.shape, cell.weight.dtype))
            if cell.bias is not None:
                cell.bias.set_data(init.initializer("zeros", cell.bias.shape, cell.bias.dtype))


def init_like_vit_zoo(net):
    for name, cell in net.cells_and_names():
        if isinstance(cell, nn.Dense):
            cell.weight.set_data(
                init.initializer(init.TruncatedNormal(sigma=0.02), cell.weight.shape, cell.weight.dtype))
            if isinstance(cell, nn.Dense) and cell.bias is not None:
                cell.bias.set_data(init.initializer(init.Zero(), cell.bias.shape, cell.bias.dtype))
        elif isinstance(cell, nn.LayerNorm):
            cell.gamma.set_data(init.initializer(init.One(), cell.gamma.shape, cell.gamma.dtype))
            cell.beta.set_data(init.initializer(init.Zero(), cell.beta.shape, cell.beta.dtype))
        elif isinstance(cell, nn.Conv2d):
            cell.weight.set_data(
                init.initializer(init.XavierUniform(), cell.weight.shape, cell.weight.dtype))
