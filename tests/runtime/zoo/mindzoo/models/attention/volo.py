"""VOLO: outlook attention by unfolding and folding; MobileViT; ConvNeXt V2."""

import math

import mindspore as ms
from mindspore import Parameter, nn, ops
from mindspore.common.initializer import Zero, initializer

from ..layers import (Attention, CosineDense, DropPath, GeneralizedMeanPooling, LayerNorm2d, Mlp,
                      make_divisible)
from ..registry import register_model


class OutlookAttention(nn.Cell):
    def __init__(self, dim, num_heads=2, kernel_size=3, padding=1, stride=2):
        super().__init__()
        self.num_heads, self.kernel_size, self.stride = num_heads, kernel_size, stride
        self.padding = padding
        self.scale = (dim // num_heads) ** -0.5
        self.v = nn.Dense(dim, dim, has_bias=False)
        self.attn = nn.Dense(dim, kernel_size ** 4 * num_heads)
        self.proj = nn.Dense(dim, dim)
        self.pool = nn.AvgPool2d(kernel_size=stride, stride=stride)

    def construct(self, x):
        B, H, W, C = x.shape
        v = self.v(x).permute(0, 3, 1, 2)
        h, w = math.ceil(H / self.stride), math.ceil(W / self.stride)
        v = ops.unfold(v, kernel_size=self.kernel_size, padding=self.padding, stride=self.stride)
        v = v.reshape(B, self.num_heads, C // self.num_heads, self.kernel_size * self.kernel_size, h * w)
        v = v.permute(0, 1, 4, 3, 2)
        attn = self.pool(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        attn = self.attn(attn).reshape(
            B, h * w, self.num_heads, self.kernel_size * self.kernel_size,
            self.kernel_size * self.kernel_size).permute(0, 2, 1, 3, 4)
        attn = ops.softmax(attn * self.scale, axis=-1)
        x = ops.matmul(attn, v).permute(0, 1, 4, 3, 2).reshape(B, C * self.kernel_size * self.kernel_size, h * w)
        x = ops.fold(x, ms.Tensor((H, W), ms.int32), (self.kernel_size, self.kernel_size), 1,
                     self.padding, self.stride)
        return self.proj(x.permute(0, 2, 3, 1))


class Outlooker(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm([dim]), nn.LayerNorm([dim])
        self.attn, self.mlp = OutlookAttention(dim), Mlp(dim, dim * 2)

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class VOLO(nn.Cell):
    def __init__(self, num_classes, in_channels, dim=8):
        super().__init__()
        self.stem = nn.SequentialCell([nn.Conv2d(in_channels, dim, 4, 4, pad_mode="pad"), nn.BatchNorm2d(dim), nn.ReLU()])
        self.network = nn.CellList([Outlooker(dim)])
        self.post = nn.SequentialCell([nn.LayerNorm([dim]), Attention(dim)])
        self.aux_head, self.head = nn.Dense(dim, num_classes), nn.Dense(dim, num_classes)

    def construct(self, x):
        x = self.stem(x).permute(0, 2, 3, 1)
        for block in self.network:
            x = block(x)
        B, H, W, C = x.shape
        x = x.reshape(B, -1, C)
        x = x + self.post(x)
        return self.head(x.mean(1)) + 0.5 * self.aux_head(x).max(axis=1)


class MobileViTBlock(nn.Cell):
    def __init__(self, channels, dim, patch=2):
        super().__init__()
        self.conv_kxk = nn.SequentialCell([nn.Conv2d(channels, channels, 3), nn.BatchNorm2d(channels), nn.SiLU()])
        self.conv_1x1 = nn.Conv2d(channels, dim, 1)
        self.transformer = nn.SequentialCell([nn.LayerNorm((dim,)), Attention(dim), nn.LayerNorm((dim,)), Mlp(dim, dim * 2, act_layer=nn.SiLU)])
        self.conv_proj = nn.Conv2d(dim, channels, 1)
        self.conv_fusion = nn.Conv2d(2 * channels, channels, 3)
        self.patch = patch

    def construct(self, x):
        shortcut = x
        x = self.conv_1x1(self.conv_kxk(x))
        B, C, H, W = x.shape
        p = self.patch
        new_h, new_w = math.ceil(H / p) * p, math.ceil(W / p) * p
        interpolated = False
        if new_h != H or new_w != W:
            x = ops.ResizeBilinearV2()(x, (new_h, new_w))
            interpolated = True
        num_h, num_w = new_h // p, new_w // p
        x = x.reshape(B * C * num_h, p, num_w, p).swapaxes(1, 2)
        x = x.reshape(B, C, num_h * num_w, p * p).swapaxes(1, 3).reshape(B * p * p, num_h * num_w, -1)
        x = self.transformer(x)
        x = x.view(B, p * p, num_h * num_w, -1).swapaxes(1, 3)
        x = x.reshape(B * C * num_h, num_w, p, p).swapaxes(1, 2).reshape(B, C, new_h, new_w)
        if interpolated:
            x = ops.ResizeBilinearV2()(x, (H, W))
        return self.conv_fusion(ops.concat((shortcut, self.conv_proj(x)), axis=1))


class MobileViT(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        width = make_divisible(9, 4)
        self.stem = nn.SequentialCell(nn.Conv2d(in_channels, width, 3, 4), nn.BatchNorm2d(width), nn.SiLU())
        self.stages = nn.SequentialCell([MobileViTBlock(width, 12), nn.Conv2d(width, 12, 3, 3), MobileViTBlock(12, 16)])
        self.pool = GeneralizedMeanPooling()
        self.head = CosineDense(12, num_classes)

    def construct(self, x):
        return self.head(self.pool(self.stages(self.stem(x))))


class GRN(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.gamma = Parameter(initializer(Zero(), (1, 1, 1, dim)), name="gamma")
        self.beta = Parameter(initializer(Zero(), [1, 1, 1, dim]), name="beta")
        self.norm = ops.LpNorm(axis=[1, 2], p=2, keep_dims=True)

    def construct(self, x):
        gx = self.norm(x)
        nx = gx / (ops.mean(gx, axis=-1, keep_dims=True) + 1e-6)
        return self.gamma * (x * nx) + self.beta + x


class ConvNextBlock(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, kernel_size=7, group=dim, has_bias=True)
        self.norm = nn.LayerNorm((dim,), epsilon=1e-6)
        self.pwconv1, self.act_ = nn.Dense(dim, 4 * dim), nn.GELU(False)
        self.grn, self.pwconv2 = GRN(4 * dim), nn.Dense(4 * dim, dim)
        self.drop_path = DropPath(0.0)

    def construct(self, x):
        downsample = x
        x = ops.transpose(self.dwconv(x), (0, 2, 3, 1))
        x = self.pwconv2(self.grn(self.act_(self.pwconv1(self.norm(x)))))
        return downsample + self.drop_path(ops.transpose(x, (0, 3, 1, 2)))


class ConvNeXtV2(nn.Cell):
    def __init__(self, num_classes, in_channels, dims=(8, 12)):
        super().__init__()
        self.stem = nn.SequentialCell(nn.Conv2d(in_channels, dims[0], 4, 4, has_bias=True), LayerNorm2d(dims[0]))
        self.down = nn.SequentialCell([LayerNorm2d(dims[0]), nn.Conv2d(dims[0], dims[1], 2, 2, has_bias=True)])
        self.stages = nn.CellList([nn.SequentialCell([ConvNextBlock(d)]) for d in dims])
        self.feature = nn.SequentialCell([self.stem, self.stages[0], self.down, self.stages[1]])
        self.norm, self.classifier = nn.LayerNorm((dims[-1],), epsilon=1e-6), nn.Dense(dims[-1], num_classes)

    def construct(self, x):
        return self.classifier(self.norm(self.feature(x).mean([-2, -1])))


@register_model
def volo_d0(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return VOLO(num_classes, in_channels)


@register_model
def mobilevit_xxs(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return MobileViT(num_classes, in_channels)


@register_model
def convnextv2_atto(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return ConvNeXtV2(num_classes, in_channels)
