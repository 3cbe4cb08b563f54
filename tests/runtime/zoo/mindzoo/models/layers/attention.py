"""What transformers for images share."""

import collections.abc
from itertools import repeat
from typing import Optional

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


def _ntuple(n):
    def parse(x):
        if isinstance(x, collections.abc.Iterable):
            return x
        return tuple(repeat(x, n))

    return parse


to_2tuple = _ntuple(2)


class LayerNorm2d(nn.LayerNorm):
    """Over the channels of images: the layer of the framework between two transpositions."""

    def __init__(self, normalized_shape, epsilon=1e-6):
        super().__init__((normalized_shape,), epsilon=epsilon)

    def construct(self, input_x):
        x = ops.transpose(input_x, (0, 2, 3, 1))
        y, _, _ = self.layer_norm(x, self.gamma, self.beta)
        return ops.transpose(y, (0, 3, 1, 2))


class LayerScale(nn.Cell):
    def __init__(self, dim, init_values=1e-5):
        super().__init__()
        self.gamma = Parameter(init_values * ops.ones((dim,), ms.float32), requires_grad=True)

    def construct(self, x):
        return self.gamma * x


class Mlp(nn.Cell):
    def __init__(self, in_features: int, hidden_features: Optional[int] = None,
                 out_features: Optional[int] = None, act_layer: Optional[nn.Cell] = nn.GELU,
                 drop: float = 0.0) -> None:
        super().__init__()
        out_features = out_features or in_features
        hidden_features = hidden_features or in_features
        self.fc1 = nn.Dense(in_channels=in_features, out_channels=hidden_features, has_bias=True)
        self.act = act_layer()
        self.fc2 = nn.Dense(in_channels=hidden_features, out_channels=out_features, has_bias=True)
        self.drop = nn.Dropout(p=drop)

    def construct(self, x: Tensor) -> Tensor:
        x = self.fc1(x)
        x = self.act(x)
        x = self.drop(x)
        x = self.fc2(x)
        return self.drop(x)


class PatchEmbed(nn.Cell):
    def __init__(self, image_size=32, patch_size=8, in_chans=3, embed_dim=16, norm_layer=None):
        super().__init__()
        self.image_size = to_2tuple(image_size)
        self.patch_size = to_2tuple(patch_size)
        self.patches_resolution = [n // p for n, p in zip(self.image_size, self.patch_size)]
        self.num_patches = self.patches_resolution[0] * self.patches_resolution[1]
        self.proj = nn.Conv2d(in_channels=in_chans, out_channels=embed_dim, kernel_size=patch_size,
                              stride=patch_size, pad_mode="pad", has_bias=True, weight_init="TruncatedNormal")
        if norm_layer is not None:
            if isinstance(embed_dim, int):
                embed_dim = (embed_dim,)
            self.norm = norm_layer(embed_dim, epsilon=1e-5)
        else:
            self.norm = None

    def construct(self, x: Tensor) -> Tensor:
        B = x.shape[0]
        x = ops.Reshape()(self.proj(x), (B, -1, self.num_patches))
        x = ops.Transpose()(x, (0, 2, 1))
        if self.norm is not None:
            x = self.norm(x)
        return x


class Attention(nn.Cell):
    def __init__(self, dim, num_heads=2, qkv_bias=True, attn_drop=0.0, proj_drop=0.0, qk_norm=False):
        super().__init__()
        assert dim % num_heads == 0, "dim should be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = Tensor(self.head_dim ** -0.5)
        self.qkv = nn.Dense(dim, dim * 3, has_bias=qkv_bias)
        self.q_norm = nn.LayerNorm((self.head_dim,)) if qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm((self.head_dim,)) if qk_norm else nn.Identity()
        self.attn_drop = nn.Dropout(p=attn_drop)
        self.proj = nn.Dense(dim, dim)
        self.proj_drop = nn.Dropout(p=proj_drop)
        self.mul = ops.Mul()
        self.reshape = ops.Reshape()
        self.transpose = ops.Transpose()
        self.unstack = ops.Unstack(axis=0)
        self.attn_matmul_v = ops.BatchMatMul()
        self.q_matmul_k = ops.BatchMatMul(transpose_b=True)

    def construct(self, x):
        b, n, c = x.shape
        qkv = self.reshape(self.qkv(x), (b, n, 3, self.num_heads, self.head_dim))
        qkv = self.transpose(qkv, (2, 0, 3, 1, 4))
        q, k, v = self.unstack(qkv)
        q, k = self.q_norm(q), self.k_norm(k)
        attn = self.q_matmul_k(q, k)
        attn = self.mul(attn, self.scale)
        attn = attn.astype(ms.float32)
        attn = ops.softmax(attn, axis=-1)
        attn = self.attn_drop(attn)
        out = self.attn_matmul_v(attn, v)
        out = self.transpose(out, (0, 2, 1, 3))
        out = self.reshape(out, (b, n, c))
        return self.proj_drop(self.proj(out))
