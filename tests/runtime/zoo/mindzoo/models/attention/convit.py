"""ConViT: a gate between positions and content; Visformer: convolutions, then attention over images."""

import numpy as np
import mindspore as ms
import mindspore.common.initializer as init
from mindspore import Parameter, Tensor, nn, ops

from ..layers import Attention, LayerNorm2d, Mlp, PatchEmbed
from ..registry import register_model


class GPSA(nn.Cell):
    def __init__(self, dim, num_heads, num_patches):
        super().__init__()
        self.dim, self.num_heads = dim, num_heads
        self.scale = Tensor((dim // num_heads) ** -0.5, ms.float32)
        self.q, self.k = nn.Dense(dim, dim, has_bias=False), nn.Dense(dim, dim, has_bias=False)
        self.v, self.proj = nn.Dense(dim, dim, has_bias=False), nn.Dense(dim, dim)
        self.pos_proj = nn.Dense(3, num_heads)
        self.gating_param = Parameter(ops.ones((num_heads), ms.float32))
        self.softmax = nn.Softmax(axis=-1)
        self.rel_indices = self.get_rel_indices(num_patches)

    def get_rel_indices(self, num_patches):
        img_size = int(num_patches ** 0.5)
        rel_indices = np.zeros((1, num_patches, num_patches, 3))
        ind = np.arange(img_size).reshape(1, -1) - np.arange(img_size).reshape(-1, 1)
        indx = np.tile(ind, (img_size, img_size))
        indy = np.repeat(np.repeat(ind, img_size, axis=0), img_size, axis=1)
        rel_indices[:, :, :, 2] = indx ** 2 + indy ** 2
        rel_indices[:, :, :, 1] = indy
        rel_indices[:, :, :, 0] = indx
        return Tensor(rel_indices / 10, ms.float32)

    def local_init(self, locality_strength=1.0):
        self.v.weight.set_data(ops.eye(self.dim, self.dim, ms.float32), slice_shape=True)
        weight = self.pos_proj.weight.asnumpy().copy()
        weight[:, 2] = -locality_strength
        self.pos_proj.weight.set_data(Tensor(weight))

    def construct(self, x):
        B, N, C = x.shape
        q = ops.reshape(self.q(x), (B, N, self.num_heads, C // self.num_heads))
        k = ops.reshape(self.k(x), (B, N, self.num_heads, C // self.num_heads))
        v = ops.reshape(self.v(x), (B, N, self.num_heads, C // self.num_heads))
        q, k, v = ops.transpose(q, (0, 2, 1, 3)), ops.transpose(k, (0, 2, 1, 3)), ops.transpose(v, (0, 2, 1, 3))
        pos_score = ops.broadcast_to(self.rel_indices, (B, -1, -1, -1))
        pos_score = self.softmax(ops.transpose(self.pos_proj(pos_score), (0, 3, 1, 2)))
        patch_score = self.softmax(ops.mul(ops.BatchMatMul(transpose_b=True)(q, k), self.scale))
        gating = ops.reshape(self.gating_param, (1, -1, 1, 1))
        gating = ops.sigmoid(gating)
        attn = (1.0 - gating) * patch_score + gating * pos_score
        attn = attn / attn.sum(-1, keepdims=True)
        x = ops.transpose(ops.BatchMatMul()(attn, v), (0, 2, 1, 3)).reshape((B, N, C))
        return self.proj(x)


class ConViTBlock(nn.Cell):
    def __init__(self, dim, heads, patches, use_gpsa):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm((dim,)), nn.LayerNorm((dim,))
        self.attn = GPSA(dim, heads, patches) if use_gpsa else Attention(dim, heads, qkv_bias=False)
        self.mlp = Mlp(dim, dim * 2)
        self.use_gpsa = use_gpsa

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ConViT(nn.Cell):
    def __init__(self, num_classes, in_channels, dim=16):
        super().__init__()
        self.local_up_to_layer = 1
        self.patch_embed = PatchEmbed(32, 8, in_channels, dim, norm_layer=nn.LayerNorm)
        patches = self.patch_embed.num_patches
        self.pos_embed = Parameter(ops.zeros((1, patches, dim), ms.float32))
        self.cls_token = Parameter(ops.Zeros()((1, 1, dim), ms.float32))
        self.pos_embed.set_data(init.initializer(init.TruncatedNormal(sigma=0.02), self.pos_embed.shape))
        self.blocks = nn.CellList([ConViTBlock(dim, 2, patches, i < self.local_up_to_layer) for i in range(2)])
        self.norm, self.classifier = nn.LayerNorm((dim,)), nn.Dense(dim, num_classes)
        for _, cell in self.cells_and_names():
            if hasattr(cell, "local_init"):
                cell.local_init(locality_strength=1.0)

    def construct(self, x):
        x = self.patch_embed(x)
        x = x + self.pos_embed
        cls_tokens = ops.tile(self.cls_token, (x.shape[0], 1, 1))
        for u, blk in enumerate(self.blocks):
            if u == self.local_up_to_layer:
                x = ops.Cast()(x, cls_tokens.dtype)
                x = ops.concat((cls_tokens, x), 1)
            x = blk(x)
        return self.classifier(self.norm(x)[:, 0])


class ImageAttention(nn.Cell):
    def __init__(self, dim, num_heads=2, head_dim_ratio=0.5):
        super().__init__()
        self.num_heads = num_heads
        head_dim = round(dim // num_heads * head_dim_ratio)
        self.head_dim, self.scale = head_dim, head_dim ** -0.5
        self.qkv = nn.Conv2d(dim, head_dim * num_heads * 3, 1, 1, pad_mode="pad", padding=0)
        self.proj = nn.Conv2d(head_dim * num_heads, dim, 1, 1, pad_mode="pad", padding=0)

    def construct(self, x):
        B, C, H, W = x.shape
        qkv = self.qkv(x).reshape(B, 3, self.num_heads, self.head_dim, H * W).transpose(1, 0, 2, 4, 3)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = ops.softmax(ops.bmm(q, k.transpose(0, 1, 3, 2)) * self.scale, -1)
        x = ops.bmm(attn, v).transpose(0, 1, 3, 2).reshape(B, -1, H, W)
        return self.proj(x)


class VisformerBlock(nn.Cell):
    def __init__(self, dim, attention):
        super().__init__()
        self.norm = nn.BatchNorm2d(dim)
        self.attention = attention
        if attention:
            self.attn = ImageAttention(dim)
        else:
            self.conv = nn.Conv2d(dim, dim, 3, 1, pad_mode="pad", padding=1, group=4)
        self.mlp = nn.SequentialCell([LayerNorm2d(dim), nn.Conv2d(dim, dim * 2, 1), nn.GELU(), nn.Conv2d(dim * 2, dim, 1)])

    def construct(self, x):
        if self.attention:
            x = x + self.attn(self.norm(x))
        else:
            x = x + self.conv(self.norm(x))
        return x + self.mlp(x)


class Visformer(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.stem = nn.SequentialCell([nn.Conv2d(in_channels, 8, 4, 4, pad_mode="pad", padding=0), nn.BatchNorm2d(8), nn.ReLU()])
        self.stage1 = nn.CellList([VisformerBlock(8, False)])
        self.embed = nn.Conv2d(8, 16, 2, 2)
        self.pos_embed = Parameter(init.initializer(init.TruncatedNormal(0.02), [1, 16, 4, 4], ms.float32))
        self.stage2 = nn.CellList([VisformerBlock(16, True)])
        self.norm, self.global_pooling = nn.BatchNorm2d(16), nn.AdaptiveAvgPool2d(1)
        self.head = nn.Dense(16, num_classes)

    def construct(self, x):
        x = self.stem(x)
        for b in self.stage1:
            x = b(x)
        x = self.embed(x) + self.pos_embed
        for b in self.stage2:
            x = b(x)
        x = self.global_pooling(self.norm(x))
        return self.head(x.view(x.shape[0], -1))


@register_model
def convit_tiny(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return ConViT(num_classes, in_channels)


@register_model
def visformer_tiny(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return Visformer(num_classes, in_channels)
