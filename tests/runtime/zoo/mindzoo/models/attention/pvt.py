"""Pyramid vision transformers, both versions: keys and values of smaller images."""

import math

from mindspore import Parameter, Tensor, nn, ops
from mindspore.common import initializer as weight_init

from ..layers import Mlp
from ..registry import register_model


class SpatialReductionAttention(nn.Cell):
    def __init__(self, dim, num_heads=1, sr_ratio=1, linear=False):
        super().__init__()
        self.dim, self.num_heads, self.sr_ratio, self.linear = dim, num_heads, sr_ratio, linear
        self.scale = Tensor((dim // num_heads) ** -0.5)
        self.q, self.kv = nn.Dense(dim, dim), nn.Dense(dim, dim * 2)
        self.qk_batmatmul = ops.BatchMatMul(transpose_b=True)
        self.batmatmul = ops.BatchMatMul()
        self.softmax = nn.Softmax(axis=-1)
        self.proj = nn.Dense(dim, dim)
        if linear:
            self.pool = nn.AdaptiveAvgPool2d(2)
            self.sr = nn.Conv2d(dim, dim, kernel_size=1, has_bias=True)
            self.act = nn.GELU(approximate=False)
            self.norm = nn.LayerNorm([dim])
        elif sr_ratio > 1:
            self.sr = nn.Conv2d(dim, dim, kernel_size=sr_ratio, stride=sr_ratio, has_bias=True)
            self.norm = nn.LayerNorm([dim])

    def construct(self, x, H, W):
        B, N, C = x.shape
        q = ops.transpose(self.q(x).reshape((B, N, self.num_heads, C // self.num_heads)), (0, 2, 1, 3))
        if self.linear:
            x_ = ops.reshape(ops.transpose(x, (0, 2, 1)), (B, C, H, W))
            x_ = ops.transpose(self.sr(self.pool(x_)).reshape((B, C, -1)), (0, 2, 1))
            x_ = self.act(self.norm(x_))
            kv = self.kv(x_)
        elif self.sr_ratio > 1:
            x_ = ops.reshape(ops.transpose(x, (0, 2, 1)), (B, C, H, W))
            x_ = ops.transpose(self.sr(x_).reshape((B, C, -1)), (0, 2, 1))
            kv = self.kv(self.norm(x_))
        else:
            kv = self.kv(x)
        kv = ops.transpose(ops.reshape(kv, (B, -1, 2, self.num_heads, C // self.num_heads)), (2, 0, 3, 1, 4))
        k, v = kv[0], kv[1]
        attn = self.softmax(self.qk_batmatmul(q, k) * self.scale)
        x = ops.transpose(self.batmatmul(attn, v), (0, 2, 1, 3))
        return self.proj(ops.reshape(x, (B, N, C)))


class DWConv(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, 3, 1, has_bias=True, group=dim)

    def construct(self, x, H, W):
        B, N, C = x.shape
        x = ops.transpose(x, (0, 2, 1)).view((B, C, H, W))
        return ops.transpose(self.dwconv(x).view((B, C, H * W)), (0, 2, 1))


class MlpWithConv(Mlp):
    def __init__(self, in_features, hidden_features):
        super().__init__(in_features, hidden_features, act_layer=nn.GELU)
        self.dwconv = DWConv(hidden_features)
        for name, cell in self.cells_and_names():
            if isinstance(cell, nn.Conv2d):
                fan_out = cell.kernel_size[0] * cell.kernel_size[1] * cell.out_channels // cell.group
                cell.weight.set_data(weight_init.initializer(
                    weight_init.Normal(sigma=math.sqrt(2.0 / fan_out)), cell.weight.shape))

    def construct(self, x, H, W):
        x = self.act(self.dwconv(self.fc1(x), H, W))
        return self.drop(self.fc2(x))


class PvtBlock(nn.Cell):
    def __init__(self, dim, num_heads, sr_ratio, v2=False, linear=False):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm([dim], epsilon=1e-6), nn.LayerNorm([dim], epsilon=1e-6)
        self.attn = SpatialReductionAttention(dim, num_heads, sr_ratio, linear)
        self.v2 = v2
        self.mlp = MlpWithConv(dim, dim * 2) if v2 else Mlp(dim, dim * 2)

    def construct(self, x, H, W):
        x = x + self.attn(self.norm1(x), H, W)
        if self.v2:
            return x + self.mlp(self.norm2(x), H, W)
        return x + self.mlp(self.norm2(x))


class PyramidVisionTransformer(nn.Cell):
    def __init__(self, num_classes, in_channels, v2=False, embed_dims=(8, 16), num_heads=(1, 2), sr_ratios=(4, 1)):
        super().__init__()
        self.num_stages, self.v2 = len(embed_dims), v2
        norms, pos = [], []
        self.block_list, self.embed_list = nn.CellList(), nn.CellList()
        side = 32
        for i in range(self.num_stages):
            chans = in_channels if i == 0 else embed_dims[i - 1]
            patch = 4 if i == 0 else 2
            side = side // patch
            if v2:
                self.embed_list.append(nn.Conv2d(chans, embed_dims[i], patch + 1, patch, "pad", patch // 2, has_bias=True))
            else:
                self.embed_list.append(nn.Conv2d(chans, embed_dims[i], patch, patch, has_bias=True))
                pos.append(Parameter(weight_init.initializer("normal", (1, side * side, embed_dims[i])), name=f"pos_embed{i}"))
            self.block_list.append(PvtBlock(embed_dims[i], num_heads[i], sr_ratios[i], v2, v2 and i == 1))
            norms.append(nn.LayerNorm([embed_dims[i]], epsilon=1e-6))
        self.norm_list = nn.CellList(norms)
        if not v2:
            self.pos_embed0, self.pos_embed1 = pos
        self.head = nn.Dense(embed_dims[-1], num_classes)

    def construct(self, x):
        for i in range(self.num_stages):
            x = self.embed_list[i](x)
            B, C, H, W = x.shape
            x = ops.transpose(ops.reshape(x, (B, C, H * W)), (0, 2, 1))
            if not self.v2:
                x = x + (self.pos_embed0 if i == 0 else self.pos_embed1)
            x = self.norm_list[i](self.block_list[i](x, H, W))
            if i != self.num_stages - 1:
                x = ops.transpose(ops.reshape(x, (B, H, W, -1)), (0, 3, 1, 2))
        return self.head(x.mean(axis=1))


@register_model
def pvt_tiny(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return PyramidVisionTransformer(num_classes, in_channels)


@register_model
def pvt_v2_b0(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return PyramidVisionTransformer(num_classes, in_channels, v2=True)
