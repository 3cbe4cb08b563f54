"""A vision transformer as model zoos write it: compatible dropout, drop path, einops-free attention."""

import functools
import inspect

import mindspore as ms
import mindspore.common.initializer as init
import mindspore.numpy as mnp
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import TruncatedNormal, initializer

SHAPE = (2, 3, 16, 16)


class Dropout(nn.Dropout):
    """nn.Dropout of MindSpore 1.x and 2.x."""

    def __init__(self, p=0.5, dtype=ms.float32):
        sig = inspect.signature(super().__init__)
        if "keep_prob" in sig.parameters and "p" not in sig.parameters:
            super().__init__(keep_prob=1.0 - p, dtype=dtype)
        else:
            super().__init__(p=p, dtype=dtype)


class DropPath(nn.Cell):
    def __init__(self, drop_prob: float = 0.0, scale_by_keep: bool = True) -> None:
        super().__init__()
        self.keep_prob = 1.0 - drop_prob
        self.scale_by_keep = scale_by_keep
        self.dropout = Dropout(p=drop_prob)

    def construct(self, x: Tensor) -> Tensor:
        if self.keep_prob == 1.0 or not self.training:
            return x
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        random_tensor = self.dropout(ops.ones(shape, x.dtype))
        if not self.scale_by_keep:
            random_tensor = ops.mul(random_tensor, self.keep_prob)
        return x * random_tensor


class PatchEmbed(nn.Cell):
    def __init__(self, image_size=16, patch_size=4, in_chans=3, embed_dim=24) -> None:
        super().__init__()
        self.patches_resolution = [image_size // patch_size, image_size // patch_size]
        self.num_patches = self.patches_resolution[0] * self.patches_resolution[1]
        self.proj = nn.Conv2d(
            in_chans,
            embed_dim,
            kernel_size=patch_size,
            stride=patch_size,
            pad_mode="pad",
            has_bias=True,
            weight_init="TruncatedNormal",
        )

    def construct(self, x: Tensor) -> Tensor:
        x = self.proj(x)
        x = ops.Reshape()(x, (x.shape[0], x.shape[1], x.shape[2] * x.shape[3]))
        return ops.Transpose()(x, (0, 2, 1))


class Attention(nn.Cell):
    def __init__(
        self, dim: int, num_heads: int = 4, qkv_bias: bool = True, attn_drop: float = 0.0
    ) -> None:
        super().__init__()
        assert dim % num_heads == 0, "dim should be divisible by num_heads"
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = Tensor(self.head_dim**-0.5)
        self.qkv = nn.Dense(dim, dim * 3, has_bias=qkv_bias)
        self.attn_drop = Dropout(p=attn_drop)
        self.proj = nn.Dense(dim, dim)
        self.mul = ops.Mul()
        self.reshape = ops.Reshape()
        self.transpose = ops.Transpose()
        self.unstack = ops.Unstack(axis=0)
        self.attn_matmul_v = ops.BatchMatMul()
        self.q_matmul_k = ops.BatchMatMul(transpose_b=True)

    def construct(self, x: Tensor) -> Tensor:
        b, n, c = x.shape
        qkv = self.reshape(self.qkv(x), (b, n, 3, self.num_heads, self.head_dim))
        q, k, v = self.unstack(self.transpose(qkv, (2, 0, 3, 1, 4)))
        attn = self.mul(self.q_matmul_k(q, k), self.scale)
        attn = self.attn_drop(ops.softmax(attn.astype(ms.float32), axis=-1).astype(attn.dtype))
        out = self.transpose(self.attn_matmul_v(attn, v), (0, 2, 1, 3))
        return self.proj(self.reshape(out, (b, n, c)))


class LayerScale(nn.Cell):
    def __init__(self, dim: int, init_values: float = 1e-1) -> None:
        super().__init__()
        self.gamma = Parameter(initializer(init_values, dim))

    def construct(self, x: Tensor) -> Tensor:
        return self.gamma * x


class Mlp(nn.Cell):
    def __init__(
        self,
        in_features,
        hidden_features=None,
        act_layer=functools.partial(nn.GELU, approximate=False),
    ):
        super().__init__()
        hidden_features = hidden_features or in_features
        self.fc1 = nn.Dense(in_channels=in_features, out_channels=hidden_features, has_bias=True)
        self.act = act_layer()
        self.fc2 = nn.Dense(in_channels=hidden_features, out_channels=in_features, has_bias=True)

    def construct(self, x: Tensor) -> Tensor:
        return self.fc2(self.act(self.fc1(x)))


class Block(nn.Cell):
    def __init__(self, dim, num_heads, drop_path=0.0, norm_layer=nn.LayerNorm) -> None:
        super().__init__()
        self.norm1 = norm_layer((dim,))
        self.attn = Attention(dim, num_heads)
        self.ls1 = LayerScale(dim)
        self.drop_path1 = DropPath(drop_path) if drop_path > 0.0 else nn.Identity()
        self.norm2 = norm_layer((dim,))
        self.mlp = Mlp(dim, dim * 2)
        self.ls2 = LayerScale(dim)

    def construct(self, x: Tensor) -> Tensor:
        x = x + self.drop_path1(self.ls1(self.attn(self.norm1(x))))
        return x + self.ls2(self.mlp(self.norm2(x)))


class VisionTransformer(nn.Cell):
    def __init__(self, embed_dim=24, depth=2, num_heads=4, num_classes=5, drop_path_rate=0.1):
        super().__init__()
        self.patch_embed = PatchEmbed(embed_dim=embed_dim)
        self.cls_token = Parameter(
            initializer(TruncatedNormal(sigma=0.02), (1, 1, embed_dim), ms.float32)
        )
        self.pos_embed = Parameter(
            initializer(
                TruncatedNormal(sigma=0.02), (1, self.patch_embed.num_patches + 1, embed_dim)
            ),
            name="pos_embed",
        )
        dpr = [x.item() for x in ops.linspace(Tensor(0.0), Tensor(drop_path_rate), depth).asnumpy()]
        self.blocks = nn.CellList([Block(embed_dim, num_heads, dpr[i]) for i in range(depth)])
        self.norm = nn.LayerNorm((embed_dim,), epsilon=1e-6)
        self.head = nn.Dense(embed_dim, num_classes) if num_classes > 0 else nn.Identity()
        grid = mnp.stack(mnp.meshgrid(mnp.arange(2), mnp.arange(2), indexing="ij")).astype(
            ms.float32
        )
        self.bias_table = Parameter(Tensor(grid.sum(0).reshape(-1)[:1]), requires_grad=False)
        self.init_weights()

    def init_weights(self) -> None:
        for name, cell in self.cells_and_names():
            if isinstance(cell, nn.Dense):
                cell.weight.set_data(
                    init.initializer(init.XavierUniform(), cell.weight.shape, cell.weight.dtype)
                )
                if isinstance(cell, nn.Dense) and cell.bias is not None:
                    cell.bias.set_data(
                        init.initializer(init.Constant(0), cell.bias.shape, cell.bias.dtype)
                    )

    def construct(self, x: Tensor) -> Tensor:
        x = self.patch_embed(x)
        cls_tokens = ops.broadcast_to(self.cls_token, (x.shape[0], -1, -1))
        cls_tokens = ops.cast(cls_tokens, x.dtype)
        x = ops.concat((cls_tokens, x), axis=1) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0]) + self.bias_table


def network() -> nn.Cell:
    return VisionTransformer()
