"""Layers derived from the framework's own: what they hold inside is used."""

import math

import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import HeUniform, Normal, Zero, initializer


class StdConv2d(nn.Conv2d):
    """Weights are standardised before they are used."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0,
                 dilation=1, group=1, has_bias=False):
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation,
                         group, has_bias, weight_init=Normal(0.02))
        self.mean = ops.ReduceMean(keep_dims=True)

    def construct(self, x):
        w = self.weight
        m = self.mean(w, [1, 2, 3])
        v = w.var((1, 2, 3), keepdims=True)
        w = (w - m) / ops.sqrt(v + 1e-10)
        output = self.conv2d(x, w)
        if self.has_bias:
            output = self.bias_add(output, self.bias)
        return output


class ScaledStdConv2d(nn.Conv2d):
    """With a gain for each channel, as nets without normalisation have it."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, gamma=1.0, eps=1e-6, **kwargs):
        super().__init__(in_channels, out_channels, kernel_size, stride=stride, has_bias=True, **kwargs)
        self.gain = Parameter(Tensor(np.ones((self.out_channels, 1, 1, 1), np.float32)), name="gain")
        self.scale = gamma * self.weight[0].size ** -0.5
        self.eps = eps

    def construct(self, x):
        flat = self.weight.reshape(self.out_channels, -1)
        mean = flat.mean(axis=1, keep_dims=True)
        std = ops.sqrt(ops.mean(ops.square(flat - mean), 1, True) + self.eps)
        weight = ((flat - mean) / std).reshape(self.weight.shape) * (self.gain * self.scale)
        return ops.bias_add(self.conv2d(x, weight), self.bias)


class Conv2dSame(nn.Conv2d):
    """TensorFlow's padding by hand, where strides are two."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, group=1, has_bias=False):
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode="valid", group=group,
                         has_bias=has_bias)

    def construct(self, x):
        ih, iw = x.shape[-2:]
        kh, kw = self.kernel_size
        pad_h = max((math.ceil(ih / self.stride[0]) - 1) * self.stride[0] + kh - ih, 0)
        pad_w = max((math.ceil(iw / self.stride[1]) - 1) * self.stride[1] + kw - iw, 0)
        if pad_h > 0 or pad_w > 0:
            x = ops.pad(x, [pad_w // 2, pad_w - pad_w // 2, pad_h // 2, pad_h - pad_h // 2])
        return super().construct(x)


class CondConv2d(nn.Conv2d):
    """A weight for each sample, mixed of experts'."""

    def __init__(self, in_channels, out_channels, kernel_size, experts=3):
        super().__init__(in_channels, out_channels, kernel_size, pad_mode="pad", padding=kernel_size // 2)
        shape = (experts,) + tuple(self.weight.shape)
        self.experts = Parameter(initializer(HeUniform(math.sqrt(5)), shape), name="experts")
        self.routing = nn.Dense(in_channels, experts)

    def construct(self, x):
        routing = ops.sigmoid(self.routing(x.mean((2, 3)))).mean(0)
        mixed = (self.experts * routing.view(-1, 1, 1, 1, 1)).sum(0) + self.weight
        return self.conv2d(x, mixed)


class CosineDense(nn.Dense):
    """The head of margin losses: cosines between features and classes."""

    def __init__(self, in_channels, out_channels, scale=8.0):
        super().__init__(in_channels, out_channels, has_bias=False)
        self.scale = scale
        self.normalize = ops.L2Normalize(axis=1)

    def construct(self, x):
        return self.matmul(self.normalize(x), self.normalize(self.weight)) * self.scale


class LoRADense(nn.Dense):
    def __init__(self, in_channels, out_channels, rank=2, alpha=4, **kwargs):
        super().__init__(in_channels, out_channels, **kwargs)
        self.lora_a = Parameter(initializer(HeUniform(math.sqrt(5)), (rank, in_channels)), name="lora_a")
        self.lora_b = Parameter(initializer(Zero(), (out_channels, rank)), name="lora_b")
        self.scaling = alpha / rank

    def construct(self, x):
        out = super().construct(x)
        low = ops.matmul(ops.matmul(x, self.lora_a.T), self.lora_b.swapaxes(0, 1))
        return out + low * self.scaling


class GroupNormAct(nn.GroupNorm):
    def __init__(self, num_channels, num_groups=4, activation=nn.ReLU):
        super().__init__(num_groups, num_channels, eps=1e-5, affine=True)
        self.activation = activation() if activation is not None else None

    def construct(self, x):
        x = super().construct(x)
        if self.activation is not None:
            x = self.activation(x)
        return x


class FilterResponseNorm(nn.Cell):
    """Normalisation without means, then a threshold that is learnt."""

    def __init__(self, num_features, eps=1e-6):
        super().__init__()
        shape = (1, num_features, 1, 1)
        self.gamma = Parameter(initializer("ones", shape), name="gamma")
        self.beta = Parameter(initializer("zeros", shape), name="beta")
        self.tau = Parameter(initializer("zeros", shape), name="tau")
        self.eps = Tensor(eps, self.gamma.dtype)

    def construct(self, x):
        nu2 = ops.ReduceMean(True)(ops.Square()(x), (2, 3))
        x = x * ops.Rsqrt()(nu2 + self.eps)
        return ops.Maximum()(self.gamma * x + self.beta, self.tau)
