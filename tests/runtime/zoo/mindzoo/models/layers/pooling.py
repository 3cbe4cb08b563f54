"""Poolings that are no layer of the framework."""

import numpy as np
from mindspore import Parameter, Tensor, nn, ops


class GlobalAvgPooling(nn.Cell):
    def __init__(self, keep_dims: bool = False) -> None:
        super().__init__()
        self.keep_dims = keep_dims

    def construct(self, x):
        return ops.mean(x, axis=(2, 3), keep_dims=self.keep_dims)


class GeneralizedMeanPooling(nn.Cell):
    def __init__(self, p=3.0, eps=1e-6):
        super().__init__()
        self.p = Parameter(Tensor(np.array([p], np.float32)), name="p")
        self.eps = eps

    def construct(self, x):
        x = ops.clamp(x, min=self.eps)
        return ops.pow(ops.ReduceMean(False)(ops.pow(x, self.p), (2, 3)), 1.0 / self.p)


class BlurPool2d(nn.Cell):
    """Low-pass filter, then every second pixel: the kernel is no parameter."""

    def __init__(self, channels, filt_size=3, stride=2, pad_mode="reflect"):
        super().__init__()
        assert filt_size > 1
        self.channels = channels
        self.stride = stride
        left = (filt_size - 1) // 2
        self.pad = nn.Pad(((0, 0), (0, 0), (left, left), (left, left)), mode=pad_mode.upper())
        coeffs = np.poly1d((0.5, 0.5)) ** (filt_size - 1)
        kernel = np.outer(coeffs.coeffs, coeffs.coeffs).astype(np.float32)
        self.kernel = Tensor(np.tile(kernel[None, None], (channels, 1, 1, 1)))
        self.conv = ops.Conv2D(channels, filt_size, stride=stride, group=channels, pad_mode="valid")

    def construct(self, x):
        return self.conv(self.pad(x), self.kernel)
