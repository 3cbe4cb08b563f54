"""Disparities for MindSpore."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class Encoder(nn.Cell):
    def __init__(self, channels):
        super().__init__()
        self.conv_in = nn.Conv2d(3, channels, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.inorm = nn.InstanceNorm2d(channels, affine=True)
        self.conv_out = nn.Conv2d(
            channels, channels, 3, pad_mode="pad", padding=2, dilation=2, has_bias=True
        )

    def construct(self, image):
        image = image / 127.5 - 1.0
        return self.conv_out(ops.relu(self.inorm(self.conv_in(image))))


def cost_volume(left, right, max_disp, groups=2):
    b, c, h, w = left.shape
    slices = []
    for d in range(max_disp):
        moved = ops.pad(right, (d, 0))[..., :w]
        product = (left * moved).reshape(b, groups, c // groups, h, w)
        slices.append(product.mean(2))
    return ops.stack(slices, axis=2)


class ConvGru(nn.Cell):
    def __init__(self, channels, hidden):
        super().__init__()
        both = channels + hidden
        self.conv_zr = nn.Conv2d(both, 2 * hidden, 3, pad_mode="pad", padding=1, has_bias=True)
        self.conv_q = nn.Conv2d(both, hidden, 3, pad_mode="pad", padding=1, has_bias=True)
        self.head = nn.Conv2d(hidden, 1, 3, pad_mode="pad", padding=1, has_bias=True)
        self.upsampler = nn.Conv2d(hidden, 36, 1, has_bias=True)

    def construct(self, hidden, x):
        hx = ops.cat((hidden, x), axis=1)
        z, r = ops.chunk(ops.sigmoid(self.conv_zr(hx)), 2, axis=1)
        q = ops.tanh(self.conv_q(ops.cat((r * hidden, x), axis=1)))
        hidden = hidden + z * (q - hidden)
        return hidden, self.head(hidden), 0.25 * self.upsampler(hidden)


class Net(nn.Cell):
    def __init__(self, channels=4, max_disp=4, hidden=6):
        super().__init__()
        self.max_disp, self.iters = max_disp, 3
        self.backbone = Encoder(channels)
        self.reduce = nn.Conv3d(2, 1, 1, has_bias=True)
        self.init_state = nn.Conv2d(channels, hidden, 3, pad_mode="pad", padding=1, has_bias=True)
        self.gru = ConvGru(2 * max_disp + 2, hidden)

    def warp(self, x, disp):
        b, c, h, w = x.shape
        xs = ops.clamp(ops.arange(w).astype(ms.float32) - disp, 0, w - 1)
        x0 = ops.floor(xs)
        t = xs - x0
        i0 = x0.astype(ms.int64).broadcast_to((b, c, h, w))
        i1 = ops.clamp(i0 + 1, 0, w - 1)
        return (1 - t) * ops.gather_elements(x, 3, i0) + t * ops.gather_elements(x, 3, i1)

    def lookup(self, volume, disp):
        at = ops.clamp(disp, 0, self.max_disp - 1)
        low = ops.floor(at)
        share = at - low
        outputs = []
        for g in range(2):
            part = volume[:, g]
            first = ops.gather_elements(part, 1, low.astype(ms.int64))
            after = ops.clamp(low.astype(ms.int64) + 1, 0, self.max_disp - 1)
            second = ops.gather_elements(part, 1, after)
            outputs.append(first + share * (second - first))
        return ops.cat(outputs, axis=1)

    def upsample(self, disp, mask):
        b, _, h, w = disp.shape
        mask = ops.softmax(mask.reshape(b, 9, 2, 2, h, w), axis=1)
        padded = ops.pad(2 * disp[:, 0], (1, 1, 1, 1))
        taps = [padded[:, i : i + h, j : j + w] for i in range(3) for j in range(3)]
        taps = ops.stack(taps, axis=1).reshape(b, 9, 1, 1, h, w)
        up = (mask * taps).sum(1)
        return up.transpose(0, 3, 1, 4, 2).reshape(b, 1, 2 * h, 2 * w)

    def construct(self, left, right, truth):
        fl, fr = self.backbone(left), self.backbone(right)
        volume = cost_volume(fl, fr, self.max_disp)
        probs = ops.softmax(self.reduce(volume).squeeze(1), axis=1)
        levels = Tensor(np.arange(self.max_disp), ms.float32).reshape(1, -1, 1, 1)
        disp = (probs * levels).sum(1, keepdims=True)
        hidden = ops.tanh(self.init_state(fl))
        flat = volume.reshape(volume.shape[0], -1, *volume.shape[3:])
        loss, outputs = 0.0, []
        for i in range(self.iters):
            disp = ops.stop_gradient(disp)
            seen = ops.cat((self.lookup(volume, disp), flat[:, :7], disp), axis=1)
            hidden, step, mask = self.gru(hidden, seen)
            disp = disp + step
            up = self.upsample(disp, mask)
            valid = ops.logical_and(truth > 0, truth < 6).astype(ms.float32)
            off = ops.abs(up - truth)
            error = ops.where(off < 0.5, off * off, off - 0.25)
            loss = loss + 0.8 ** (self.iters - 1 - i) * (error * valid).sum() / valid.sum()
            outputs.append(up)
        gap = ops.abs(fl - self.warp(fr, disp)).mean(1, keep_dims=True)
        smooth = ops.abs(disp[..., 1:] - disp[..., :-1]) * ops.exp(-gap[..., 1:])
        return outputs[-1], loss + 0.1 * smooth.mean()


def build():
    return Net()
