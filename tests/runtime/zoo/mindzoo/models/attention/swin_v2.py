"""Swin V2: cosine attention in windows, positions by a small network."""

import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

from ..layers import Mlp
from ..registry import register_model


def window_partition(x, window_size):
    B, H, W, C = x.shape
    x = ops.reshape(x, (B, H // window_size, window_size, W // window_size, window_size, C))
    return ops.transpose(x, (0, 1, 3, 2, 4, 5)).view(-1, window_size, window_size, C)


def window_reverse(windows, window_size, H, W):
    B = windows.shape[0] // (H * W // window_size // window_size)
    x = windows.view(B, H // window_size, W // window_size, window_size, window_size, -1)
    return x.transpose(0, 1, 3, 2, 4, 5).view(B, H, W, -1)


class WindowAttention(nn.Cell):
    def __init__(self, dim, window_size, num_heads):
        super().__init__()
        self.dim, self.window_size, self.num_heads = dim, window_size, num_heads
        self.logit_scale = Parameter(Tensor(np.log(10 * np.ones((num_heads, 1, 1))), ms.float32), name="logit_scale")
        self.max = Tensor(np.log(1.0 / 0.01), ms.float32)
        self.cpb_mlp = nn.SequentialCell(
            nn.Dense(2, 8, has_bias=True), nn.ReLU(), nn.Dense(8, num_heads, has_bias=False))
        h = np.arange(-(window_size - 1), window_size, dtype=np.float32)
        table = np.stack(np.meshgrid(h, h, indexing="ij")).transpose(1, 2, 0)[None] / max(window_size - 1, 1) * 8
        table = np.sign(table) * np.log2(np.abs(table) + 1.0) / np.log2(8)
        self.relative_coords_table = Tensor(table.astype(np.float32))
        coords = np.stack(np.meshgrid(np.arange(window_size), np.arange(window_size), indexing="ij")).reshape(2, -1)
        relative = (coords[:, :, None] - coords[:, None]).transpose(1, 2, 0) + window_size - 1
        index = relative[:, :, 0] * (2 * window_size - 1) + relative[:, :, 1]
        self.relative_position_index = Tensor(index.reshape(-1), ms.int32)
        self.qkv = nn.Dense(dim, dim * 3, has_bias=False)
        self.q_bias, self.v_bias = Parameter(ops.zeros(dim, ms.float32)), Parameter(ops.zeros((dim,)))
        self.k_bias = Tensor(np.zeros(dim), ms.float32)
        self.proj = nn.Dense(dim, dim)
        self.l2_norm = ops.L2Normalize(axis=-1)

    def construct(self, x, mask=None):
        B_, N, C = x.shape
        qkv = ops.matmul(x, ops.transpose(self.qkv.weight, (1, 0)))
        qkv = qkv + ops.concat((self.q_bias, self.k_bias, self.v_bias))
        q, k, v = qkv.reshape(B_, N, 3, self.num_heads, -1).transpose(2, 0, 3, 1, 4).unbind(0)
        attn = ops.matmul(self.l2_norm(q), self.l2_norm(k).swapaxes(-2, -1))
        attn = attn * ops.exp(ops.minimum(self.logit_scale, self.max))
        bias = self.cpb_mlp(self.relative_coords_table).view(-1, self.num_heads)
        bias = ops.gather(bias, self.relative_position_index, 0).view(N, N, -1)
        attn = attn + ops.expand_dims(16 * ops.sigmoid(bias.transpose(2, 0, 1)), 0)
        if mask is not None:
            nW = mask.shape[0]
            attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + mask.expand_dims(1).expand_dims(0)
            attn = attn.view(-1, self.num_heads, N, N)
        x = ops.matmul(ops.softmax(attn, axis=-1), v).swapaxes(1, 2).reshape(B_, N, C)
        return self.proj(x)


class SwinBlock(nn.Cell):
    def __init__(self, dim, resolution, num_heads, window_size=4, shift_size=0):
        super().__init__()
        self.resolution, self.window_size, self.shift_size = resolution, window_size, shift_size
        self.attn = WindowAttention(dim, window_size, num_heads)
        self.norm1, self.norm2 = nn.LayerNorm([dim]), nn.LayerNorm([dim])
        self.mlp = Mlp(dim, dim * 2)
        if shift_size > 0:
            H = W = resolution
            img_mask = np.zeros((1, H, W, 1))
            cnt = 0
            for h in (slice(0, -window_size), slice(-window_size, -shift_size), slice(-shift_size, None)):
                for w in (slice(0, -window_size), slice(-window_size, -shift_size), slice(-shift_size, None)):
                    img_mask[:, h, w, :] = cnt
                    cnt += 1
            parts = img_mask.reshape(1, H // window_size, window_size, W // window_size, window_size, 1)
            parts = parts.transpose(0, 1, 3, 2, 4, 5).reshape(-1, window_size * window_size)
            mask = parts[:, None] - parts[:, :, None]
            self.attn_mask = Parameter(Tensor(np.where(mask == 0, 0.0, -100.0), ms.float32), name="attn_mask", requires_grad=False)
        else:
            self.attn_mask = None

    def construct(self, x):
        H = W = self.resolution
        B, L, C = x.shape
        shortcut = x
        x = ops.reshape(x, (B, H, W, C))
        if self.shift_size > 0:
            x = ms.numpy.roll(x, (-self.shift_size, -self.shift_size), (1, 2))
        windows = window_partition(x, self.window_size).view(-1, self.window_size * self.window_size, C)
        windows = self.attn(windows, mask=self.attn_mask)
        x = window_reverse(windows.view(-1, self.window_size, self.window_size, C), self.window_size, H, W)
        if self.shift_size > 0:
            x = ms.numpy.roll(x, (self.shift_size, self.shift_size), (1, 2))
        x = shortcut + self.norm1(x.view(B, H * W, C))
        return x + self.norm2(self.mlp(x))


class PatchMerging(nn.Cell):
    def __init__(self, resolution, dim):
        super().__init__()
        self.resolution = resolution
        self.reduction = nn.Dense(4 * dim, 2 * dim, has_bias=False)
        self.norm = nn.LayerNorm([2 * dim])

    def construct(self, x):
        H = W = self.resolution
        B, _, C = x.shape
        x = ops.reshape(x, (B, H // 2, 2, W // 2, 2, C))
        x = ops.transpose(x, (0, 1, 3, 4, 2, 5)).reshape(B, -1, 4 * C)
        return self.norm(self.reduction(x))


class SwinTransformerV2(nn.Cell):
    def __init__(self, num_classes, in_channels, dim=8):
        super().__init__()
        self.proj = nn.Conv2d(in_channels, dim, 4, 4, pad_mode="pad", has_bias=True)
        self.layers = nn.CellList([
            SwinBlock(dim, 8, 2), SwinBlock(dim, 8, 2, shift_size=2), PatchMerging(8, dim), SwinBlock(2 * dim, 4, 4)])
        self.norm = nn.LayerNorm([2 * dim], epsilon=1e-5)
        self.avgpool = ops.ReduceMean(keep_dims=False)
        self.head = nn.Dense(2 * dim, num_classes)

    def construct(self, x):
        x = self.proj(x)
        B, C = x.shape[:2]
        x = ops.transpose(x.view(B, C, -1), (0, 2, 1))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.avgpool(self.norm(x), 1))


@register_model
def swinv2_tiny(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return SwinTransformerV2(num_classes, in_channels)
