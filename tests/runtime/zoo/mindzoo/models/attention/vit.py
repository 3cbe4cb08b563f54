"""ViT with a low-rank head in each block, and CaiT, whose class token comes late."""

from typing import Optional

import numpy as np
import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, TruncatedNormal, initializer

from ..layers import Attention, DropPath, LayerScale, LoRADense, Mlp, PatchEmbed, init_like_vit_zoo, trunc_normal_
from ..registry import register_model


class Block(nn.Cell):
    def __init__(self, dim, num_heads, mlp_ratio=2.0, init_values=None, drop_path=0.0, norm_layer=nn.LayerNorm):
        super().__init__()
        self.norm1 = norm_layer((dim,))
        self.attn = Attention(dim, num_heads=num_heads, qk_norm=True)
        self.ls1 = LayerScale(dim, init_values) if init_values else nn.Identity()
        self.drop_path1 = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
        self.norm2 = norm_layer((dim,))
        self.mlp = Mlp(dim, int(dim * mlp_ratio))
        self.mlp.fc1 = LoRADense(dim, int(dim * mlp_ratio))
        self.ls2 = LayerScale(dim, init_values) if init_values else nn.Identity()

    def construct(self, x):
        x = x + self.drop_path1(self.ls1(self.attn(self.norm1(x))))
        return x + self.ls2(self.mlp(self.norm2(x)))


class VisionTransformer(nn.Cell):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, embed_dim=16, depth=2, num_heads=2,
                 num_classes=10, global_pool="token", class_token=True, distilled=False):
        super().__init__()
        self.global_pool = global_pool
        self.num_prefix = 1 + int(distilled) if class_token else 0
        self.patch_embed = PatchEmbed(image_size, patch_size, in_channels, embed_dim)
        num_patches = self.patch_embed.num_patches
        self.cls_token = Parameter(initializer(TruncatedNormal(0.02), (1, 1, embed_dim))) if class_token else None
        self.dist_token = Parameter(initializer(Normal(0.02), (1, 1, embed_dim)), name="dist_token") if distilled else None
        self.pos_embed = Parameter(initializer(TruncatedNormal(0.02), (1, num_patches + self.num_prefix, embed_dim)))
        self.pos_drop = nn.Dropout(p=0.0)
        self.blocks = nn.CellList([Block(embed_dim, num_heads, init_values=0.1) for _ in range(depth)])
        self.norm = nn.LayerNorm((embed_dim,)) if global_pool == "token" else nn.Identity()
        self.fc_norm = nn.LayerNorm((embed_dim,)) if global_pool == "avg" else nn.Identity()
        self.head = nn.Dense(embed_dim, num_classes) if num_classes > 0 else nn.Identity()
        init_like_vit_zoo(self)

    def _pos_embed(self, x):
        bs = x.shape[0]
        if self.cls_token is not None:
            cls_tokens = ops.broadcast_to(self.cls_token, (bs, -1, -1)).astype(x.dtype)
            x = ops.concat((cls_tokens, x), axis=1)
        return self.pos_drop(x + self.pos_embed)

    def construct(self, x):
        x = self._pos_embed(self.patch_embed(x))
        for blk in self.blocks:
            x = blk(x)
        x = self.norm(x)
        if self.global_pool == "avg":
            x = x[:, self.num_prefix:].mean(axis=1)
        else:
            x = x[:, 0]
        return self.head(self.fc_norm(x))


class TalkingHeadAttention(nn.Cell):
    def __init__(self, dim, num_heads=2):
        super().__init__()
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Dense(dim, dim * 3, has_bias=False)
        self.proj = nn.Dense(dim, dim, has_bias=False)
        self.proj_l, self.proj_w = nn.Dense(num_heads, num_heads), nn.Dense(num_heads, num_heads)
        self.softmax = nn.Softmax(axis=-1)

    def construct(self, x):
        B, N, C = x.shape
        qkv = ops.reshape(self.qkv(x), (B, N, 3, self.num_heads, C // self.num_heads)).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0] * self.scale, qkv[1], qkv[2]
        attn = ops.BatchMatMul(transpose_b=True)(q, k)
        attn = ops.transpose(self.proj_l(ops.transpose(attn, (0, 2, 3, 1))), (0, 3, 1, 2))
        attn = self.softmax(attn)
        attn = ops.transpose(self.proj_w(ops.transpose(attn, (0, 2, 3, 1))), (0, 3, 1, 2))
        x = ops.transpose(ops.BatchMatMul()(attn, v), (0, 2, 1, 3)).reshape(B, N, C)
        return self.proj(x)


class ClassAttention(nn.Cell):
    def __init__(self, dim, num_heads=2):
        super().__init__()
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.q, self.k, self.v = nn.Dense(dim, dim), nn.Dense(dim, dim), nn.Dense(dim, dim)
        self.proj = nn.Dense(dim, dim)

    def construct(self, x):
        B, N, C = x.shape
        q = self.q(x[:, 0]).expand_dims(1).reshape(B, 1, self.num_heads, -1).transpose(0, 2, 1, 3) * self.scale
        k = self.k(x).reshape(B, N, self.num_heads, -1).transpose(0, 2, 3, 1)
        v = self.v(x).reshape(B, N, self.num_heads, -1).transpose((0, 2, 1, 3))
        attn = ops.softmax(ops.matmul(q, k), -1)
        return self.proj(ops.matmul(attn, v).swapaxes(1, 2).reshape(B, 1, C))


class LayerScaleBlock(nn.Cell):
    def __init__(self, dim, for_class=False):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm([dim]), nn.LayerNorm([dim])
        self.for_class = for_class
        self.attn = ClassAttention(dim) if for_class else TalkingHeadAttention(dim)
        self.mlp = Mlp(dim, dim * 2)
        self.gamma_1 = Parameter(Tensor(0.1 * np.ones(dim), ms.float32))
        self.gamma_2 = Parameter(Tensor(0.1 * np.ones(dim), ms.float32))

    def construct(self, x, x_cls: Optional[Tensor] = None):
        if self.for_class:
            u = ops.concat((x_cls, x), axis=1)
            x_cls = x_cls + self.gamma_1 * self.attn(self.norm1(u))
            return x_cls + self.gamma_2 * self.mlp(self.norm2(x_cls))
        x = x + self.gamma_1 * self.attn(self.norm1(x))
        return x + self.gamma_2 * self.mlp(self.norm2(x))


class CaiT(nn.Cell):
    def __init__(self, num_classes, in_channels, embed_dim=16):
        super().__init__()
        self.patch_embed = PatchEmbed(32, 8, in_channels, embed_dim)
        self.cls_token = Parameter(ops.zeros((1, 1, embed_dim)))
        self.pos_embed = Parameter(ops.zeros((1, self.patch_embed.num_patches, embed_dim)))
        self.blocks = nn.CellList([LayerScaleBlock(embed_dim) for _ in range(2)])
        self.blocks_token_only = nn.CellList([LayerScaleBlock(embed_dim, True)])
        self.norm, self.head = nn.LayerNorm((embed_dim,)), nn.Dense(embed_dim, num_classes)
        trunc_normal_(self.pos_embed)
        trunc_normal_(self.cls_token)

    def construct(self, x):
        B = x.shape[0]
        x = self.patch_embed(x)
        cls_tokens = ops.tile(self.cls_token, (B, 1, 1))
        x = x + self.pos_embed
        for blk in self.blocks:
            x = blk(x)
        for blk in self.blocks_token_only:
            cls_tokens = blk(x, cls_tokens)
        x = self.norm(ops.concat((cls_tokens, x), axis=1))
        return self.head(x[:, 0])


@register_model
def vit_lora_tiny(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return VisionTransformer(num_classes=num_classes, in_channels=in_channels, **kwargs)


@register_model
def cait_xxs4(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return CaiT(num_classes, in_channels)
