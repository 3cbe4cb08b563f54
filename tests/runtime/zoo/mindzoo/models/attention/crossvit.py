"""CrossViT: two sizes of patches that look at each other; XCiT: attention between channels."""

from functools import partial

import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import TruncatedNormal, initializer

from ..layers import Attention, DropPath, LayerScale, Mlp, PatchEmbed
from ..registry import register_model


class CrossAttention(nn.Cell):
    def __init__(self, dim, num_heads=2):
        super().__init__()
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.wq, self.wk, self.wv = nn.Dense(dim, dim), nn.Dense(dim, dim), nn.Dense(dim, dim)
        self.proj = nn.Dense(dim, dim)

    def construct(self, x):
        B, N, C = x.shape
        q = ops.transpose(self.wq(x[:, 0:1, ...]).reshape(B, 1, self.num_heads, C // self.num_heads), (0, 2, 1, 3))
        k = ops.transpose(self.wk(x).reshape(B, N, self.num_heads, C // self.num_heads), (0, 2, 1, 3))
        v = ops.transpose(self.wv(x).reshape(B, N, self.num_heads, C // self.num_heads), (0, 2, 1, 3))
        attn = ops.Softmax(-1)(ops.BatchMatMul()(q, ops.transpose(k, (0, 1, 3, 2))) * self.scale)
        return self.proj(ops.transpose(ops.BatchMatMul()(attn, v), (0, 2, 1, 3)).reshape(B, 1, C))


class MultiScaleBlock(nn.Cell):
    def __init__(self, dims, norm_layer):
        super().__init__()
        self.num_branches = len(dims)
        self.blocks = nn.CellList([nn.SequentialCell([norm_layer((d,)), Attention(d), Mlp(d, d)]) for d in dims])
        self.projs, self.reverts, self.fusion = nn.CellList(), nn.CellList(), nn.CellList()
        for d in range(self.num_branches):
            other = dims[(d + 1) % self.num_branches]
            self.projs.append(nn.SequentialCell([norm_layer((dims[d],)), nn.GELU(), nn.Dense(dims[d], other)]))
            self.fusion.append(CrossAttention(other))
            self.reverts.append(nn.SequentialCell([norm_layer((other,)), nn.GELU(), nn.Dense(other, dims[d])]))

    def construct(self, x):
        outs_b = []
        for i in range(self.num_branches):
            outs_b.append(x[i] + self.blocks[i](x[i]))
        proj_cls_token = []
        for i in range(self.num_branches):
            proj_cls_token.append(self.projs[i](outs_b[i][:, 0:1]))
        outs = []
        for i in range(self.num_branches):
            tmp = ops.concat((proj_cls_token[i], outs_b[(i + 1) % self.num_branches][:, 1:, ...]), axis=1)
            tmp = self.reverts[i](proj_cls_token[i] + self.fusion[i](tmp))
            outs.append(ops.concat((tmp, outs_b[i][:, 1:, ...]), axis=1))
        return outs


class CrossViT(nn.Cell):
    def __init__(self, num_classes, in_channels, dims=(8, 12), patches=(8, 12), norm_layer=partial(nn.LayerNorm, epsilon=1e-6)):
        super().__init__()
        self.num_branches = 2
        self.sizes = (32, 24)
        self.patch_embed = nn.CellList([
            PatchEmbed(s, p, in_channels, d) for s, p, d in zip(self.sizes, patches, dims)])
        self.pos_embed = ms.ParameterTuple([
            Parameter(initializer(TruncatedNormal(0.02), (1, 1 + e.num_patches, d)), name=f"pos_embed_{i}")
            for i, (e, d) in enumerate(zip(self.patch_embed, dims))])
        self.cls_token = ms.ParameterTuple([
            Parameter(Tensor(np.zeros((1, 1, d)), ms.float32), name=f"cls_token_{i}") for i, d in enumerate(dims)])
        self.blocks = nn.CellList([MultiScaleBlock(dims, norm_layer)])
        self.norm = nn.CellList([norm_layer((d,)) for d in dims])
        self.head = nn.CellList([nn.Dense(d, num_classes) for d in dims])

    def construct(self, x):
        B = x.shape[0]
        xs = []
        for i in range(self.num_branches):
            x_ = x
            if self.sizes[i] != x.shape[-1]:
                x_ = ops.interpolate(x, size=(self.sizes[i], self.sizes[i]), mode="bilinear", align_corners=True)
            tmp = self.patch_embed[i](x_)
            cls_tokens = ops.BroadcastTo((B, -1, -1))(self.cls_token[i])
            xs.append(ops.concat((cls_tokens, tmp), axis=1) + self.pos_embed[i])
        for blk in self.blocks:
            xs = blk(xs)
        out = []
        for i in range(self.num_branches):
            out.append(self.head[i](self.norm[i](xs[i])[:, 0]))
        return ops.mean(ops.stack(out, axis=0), axis=0)


class XCA(nn.Cell):
    def __init__(self, dim, num_heads=2):
        super().__init__()
        self.num_heads = num_heads
        self.temperature = Parameter(ops.Ones()((num_heads, 1, 1), ms.float32))
        self.qkv, self.proj = nn.Dense(dim, dim * 3), nn.Dense(dim, dim)
        self.normalize = ops.L2Normalize(axis=-1, epsilon=1e-5)

    def construct(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape((B, N, 3, self.num_heads, C // self.num_heads)).transpose((2, 0, 3, 1, 4))
        q, k, v = ops.Split(0, 3)(qkv)
        q, k, v = q.squeeze(0).swapaxes(-2, -1), k.squeeze(0).swapaxes(-2, -1), v.squeeze(0).swapaxes(-2, -1)
        q, k = self.normalize(q), self.normalize(k)
        attn = ops.softmax(ops.matmul(q, k.swapaxes(-2, -1)) * self.temperature, axis=-1)
        return self.proj(ops.matmul(attn, v).transpose((0, 3, 1, 2)).reshape((B, N, C)))


class LPI(nn.Cell):
    """Local patch interaction."""

    def __init__(self, features):
        super().__init__()
        self.conv1 = nn.Conv2d(features, features, 3, 1, "pad", 1, group=features, has_bias=True)
        self.act, self.bn = nn.GELU(), nn.BatchNorm2d(features)

    def construct(self, x, H, W):
        B, N, C = x.shape
        x = x.permute(0, 2, 1).reshape(B, C, H, W)
        return self.bn(self.act(self.conv1(x))).reshape(B, C, N).permute(0, 2, 1)


class XCABlock(nn.Cell):
    def __init__(self, dim, eta=0.1):
        super().__init__()
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm([dim]), nn.LayerNorm([dim]), nn.LayerNorm([dim])
        self.attn, self.local_mp, self.mlp = XCA(dim), LPI(dim), Mlp(dim, dim * 2)
        self.drop_path = DropPath(0.0)
        self.gamma = nn.CellList([LayerScale(dim, eta) for _ in range(3)])

    def construct(self, x, H, W):
        x = x + self.drop_path(self.gamma[0](self.attn(self.norm1(x))))
        x = x + self.drop_path(self.gamma[1](self.local_mp(self.norm3(x), H, W)))
        return x + self.drop_path(self.gamma[2](self.mlp(self.norm2(x))))


class XCiT(nn.Cell):
    def __init__(self, num_classes, in_channels, dim=16):
        super().__init__()
        self.patch_embed = nn.SequentialCell([
            nn.Conv2d(in_channels, 8, 3, 2, "pad", 1), nn.BatchNorm2d(8), nn.GELU(), nn.Conv2d(8, dim, 3, 2, "pad", 1), nn.BatchNorm2d(dim)])
        scale, steps = 2 * np.pi, np.arange(1, 9, dtype=np.float32) / 8
        grid = np.stack([np.sin(steps * scale), np.cos(steps * scale)], -1)
        self.position = Tensor(np.concatenate([grid[:, None].repeat(8, 1), grid[None].repeat(8, 0)], -1).reshape(1, 64, 4))
        self.token_projection = nn.Dense(4, dim)
        self.blocks = nn.CellList([XCABlock(dim) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm([dim]), nn.Dense(dim, num_classes)

    def construct(self, x):
        x = self.patch_embed(x)
        B, C, H, W = x.shape
        x = x.reshape(B, C, -1).transpose(0, 2, 1) + self.token_projection(self.position)
        for blk in self.blocks:
            x = blk(x, H, W)
        return self.head(ops.reduce_mean(self.norm(x), 1))


@register_model
def crossvit_ti(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return CrossViT(num_classes, in_channels)


@register_model
def xcit_tiny(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return XCiT(num_classes, in_channels)
