"""Noise taken out of images step by step: a U with times as scale and shift, weighted losses."""

import math

import mindspore as ms
from mindspore import nn, ops
import _ms_compat as compat


def times(t, width):
    half = width // 2
    rates = ops.exp(-math.log(10000.0) * ops.arange(half).float() / half)
    angles = t.float()[:, None] * rates[None, :]
    return ops.cat([ops.cos(angles), ops.sin(angles)], axis=-1)


def schedule(steps):
    """The share of the image that is left after each step."""
    x = ops.linspace(0, steps, steps + 1) / steps
    left = ops.cos((x + 0.008) / 1.008 * math.pi * 0.5) ** 2
    left = left / left[0]
    beta = (1 - left[1:] / left[:-1]).clamp(0.0001, 0.999)
    return ops.cumprod(1.0 - beta, 0)


class Block(nn.Cell):
    def __init__(self, enter, leave):
        super().__init__()
        self.norm1 = nn.GroupNorm(4, enter)
        self.conv1 = nn.Conv2d(enter, leave, 3, pad_mode="pad", padding=1, has_bias=True)
        self.time = nn.Dense(16, 2 * leave)
        self.norm2 = nn.GroupNorm(4, leave, affine=False)
        self.conv2 = nn.Conv2d(leave, leave, 3, pad_mode="pad", padding=1, has_bias=True)
        self.skip = nn.Conv2d(enter, leave, 1, pad_mode="valid", has_bias=True)

    def construct(self, x, t):
        h = self.conv1(ops.silu(self.norm1(x)))
        scale, shift = self.time(ops.silu(t))[:, :, None, None].chunk(2, 1)
        h = self.norm2(h) * (1 + scale) + shift
        h = self.conv2(ops.silu(h))
        return (self.skip(x) + h) / math.sqrt(2.0)


class Mixing(nn.Cell):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.GroupNorm(4, width)
        self.qkv = nn.Conv2d(width, 3 * width, 1, pad_mode="valid", has_bias=True)
        self.out = nn.Conv2d(width, width, 1, pad_mode="valid", has_bias=True)

    def construct(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, 3, c, h * w).unbind(1)
        scores = compat.einsum("bci,bcj->bij", q, k) * c**-0.5
        shares = ops.softmax(scores - scores.amax(-1, keepdims=True), axis=-1)
        mixed = compat.einsum("bij,bcj->bci", shares, v).reshape(b, c, h, w)
        return x + self.out(mixed)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.time1 = nn.Dense(16, 16)
        self.time2 = nn.Dense(16, 16)
        self.enter = nn.Conv2d(3, 8, 3, pad_mode="pad", padding=1, has_bias=True)
        self.down1 = Block(8, 8)
        self.shrink = nn.Conv2d(8, 12, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.middle = Block(12, 12)
        self.mixing = Mixing(12)
        self.up1 = Block(20, 8)
        self.leave_norm = nn.GroupNorm(2, 8)
        self.leave = nn.Conv2d(8, 3, 3, pad_mode="pad", padding=1, has_bias=True)

    def construct(self, images, noise, t):
        left = schedule(20)[t].view(-1, 1, 1, 1)
        noisy = left.sqrt() * images + (1.0 - left).sqrt() * noise
        e = self.time2(ops.silu(self.time1(times(t, 16))))
        x = self.enter(noisy)
        kept = self.down1(x, e)
        x = self.mixing(self.middle(self.shrink(kept), e))
        x = compat.interpolate(x, scale_factor=2.0, mode="nearest")
        x = self.up1(ops.cat([x, kept], axis=1), e)
        guess = self.leave(ops.silu(self.leave_norm(x)))
        wanted = left.sqrt() * noise - (1.0 - left).sqrt() * images
        ratio = (left / (1.0 - left)).view(-1)
        weight = ops.minimum(ratio, ops.full_like(ratio, 5.0)) / (ratio + 1.0)
        each = ops.mse_loss(guess, wanted, reduction="none").mean((1, 2, 3))
        clean = (left.sqrt() * noisy - (1.0 - left).sqrt() * guess).clamp(-1.0, 1.0)
        return clean, (weight * each).mean()


def build():
    return Net()


def inputs():
    return ops.randn(2, 3, 8, 8), ops.randn(2, 3, 8, 8), ms.tensor([4, 15])
