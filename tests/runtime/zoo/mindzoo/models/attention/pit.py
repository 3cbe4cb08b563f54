"""PiT: a class token beside an image that is pooled by depthwise convolutions; PoolFormer; MLP-Mixer."""

from mindspore import Parameter, nn, ops
from mindspore.common.initializer import TruncatedNormal, initializer

from ..layers import Attention, Mlp, create_activation
from ..registry import register_model


class PitBlock(nn.Cell):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1, self.attn = nn.LayerNorm((dim,), epsilon=1e-6), Attention(dim, heads)
        self.norm2, self.mlp = nn.LayerNorm((dim,), epsilon=1e-6), Mlp(dim, dim * 2)

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ConvHeadPooling(nn.Cell):
    def __init__(self, in_feature, out_feature, stride):
        super().__init__()
        self.conv = nn.Conv2d(in_feature, out_feature, kernel_size=stride + 1, padding=stride // 2, stride=stride,
                              pad_mode="pad", group=in_feature, has_bias=True)
        self.fc = nn.Dense(in_feature, out_feature)

    def construct(self, x, cls_token):
        return self.conv(x), self.fc(cls_token)


class PoolingTransformer(nn.Cell):
    def __init__(self, num_classes, in_channels, dims=(8, 16)):
        super().__init__()
        self.patch_embed = nn.Conv2d(in_channels, dims[0], 8, 4, pad_mode="valid", has_bias=True)
        self.pos_embed = Parameter(initializer(TruncatedNormal(0.02), (1, dims[0], 7, 7)), name="pos_embed")
        self.cls_token = Parameter(initializer(TruncatedNormal(0.02), (1, 1, dims[0])), name="cls_token")
        self.transformers = nn.CellList([nn.SequentialCell([PitBlock(d, 2)]) for d in dims])
        self.pools = nn.CellList([ConvHeadPooling(dims[0], dims[1], 2)])
        self.norm, self.head = nn.LayerNorm((dims[-1],)), nn.Dense(dims[-1], num_classes)

    def through(self, cells, x, cls_tokens):
        b, c, h, w = x.shape
        tokens = ops.reshape(x, (b, c, h * w)).swapaxes(1, 2)
        token_length = cls_tokens.shape[1]
        tokens = cells(ops.concat((cls_tokens, tokens), axis=1))
        return tokens[:, token_length:].swapaxes(1, 2).reshape((b, c, h, w)), tokens[:, :token_length]

    def construct(self, x):
        x = self.patch_embed(x) + self.pos_embed
        cls_tokens = ops.repeat_elements(self.cls_token, x.shape[0], axis=0)
        for pool_layer, transformer in zip(self.pools, self.transformers[:-1]):
            x, cls_tokens = self.through(transformer, x, cls_tokens)
            x, cls_tokens = pool_layer(x, cls_tokens)
        _, cls_tokens = self.through(self.transformers[-1], x, cls_tokens)
        return self.head(self.norm(cls_tokens)[:, 0])


class Pooling(nn.Cell):
    def __init__(self, pool_size=3):
        super().__init__()
        self.pool = nn.AvgPool2d(pool_size, stride=1, pad_mode="pad", padding=pool_size // 2, count_include_pad=False)

    def construct(self, x):
        return self.pool(x) - x


class ConvMlp(nn.Cell):
    def __init__(self, dim, hidden, act="star_relu"):
        super().__init__()
        self.fc1, self.act = nn.Conv2d(dim, hidden, 1, has_bias=True), create_activation(act)()
        self.fc2 = nn.Conv2d(hidden, dim, 1, has_bias=True)

    def construct(self, x):
        return self.fc2(self.act(self.fc1(x)))


class PoolFormerBlock(nn.Cell):
    def __init__(self, dim):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(1, dim), nn.GroupNorm(1, dim)
        self.token_mixer, self.mlp = Pooling(), ConvMlp(dim, dim * 2)
        self.layer_scale_1 = Parameter(ops.ones(dim) * 0.1)
        self.layer_scale_2 = Parameter(ops.ones(dim) * 0.1)
        self.expand_dims = ops.ExpandDims()

    def construct(self, x):
        scale = self.expand_dims(self.expand_dims(self.layer_scale_1, -1), -1)
        x = x + scale * self.token_mixer(self.norm1(x))
        return x + self.layer_scale_2[:, None, None] * self.mlp(self.norm2(x))


class PoolFormer(nn.Cell):
    def __init__(self, num_classes, in_channels):
        super().__init__()
        self.patch_embed = nn.Conv2d(in_channels, 8, 7, 4, pad_mode="pad", padding=2, has_bias=True)
        self.network = nn.SequentialCell([PoolFormerBlock(8), nn.Conv2d(8, 12, 3, 2, "pad", 1, has_bias=True),
                                          PoolFormerBlock(12)])
        self.norm, self.head = nn.GroupNorm(1, 12), nn.Dense(12, num_classes)

    def construct(self, x):
        return self.head(self.norm(self.network(self.patch_embed(x))).mean([-2, -1]))


class TransPose(nn.Cell):
    def __init__(self, permutation=(0, 2, 1), embedding=False):
        super().__init__()
        self.permutation, self.embedding = permutation, embedding

    def construct(self, x):
        if self.embedding:
            x = ops.reshape(x, x.shape[:2] + (-1,))
        return ops.transpose(x, self.permutation)


class MixerBlock(nn.Cell):
    def __init__(self, n_patches, n_channels, token_dim, channel_dim):
        super().__init__()
        self.token_mix = nn.SequentialCell(
            nn.LayerNorm((n_channels,)), TransPose(), Mlp(n_patches, token_dim), TransPose())
        self.channel_mix = nn.SequentialCell(nn.LayerNorm((n_channels,)), Mlp(n_channels, channel_dim))

    def construct(self, x):
        x = x + self.token_mix(x)
        return x + self.channel_mix(x)


class MLPMixer(nn.Cell):
    def __init__(self, num_classes, in_channels, n_channels=16):
        super().__init__()
        self.to_patch_embedding = nn.SequentialCell(
            nn.Conv2d(in_channels, n_channels, 8, 8, pad_mode="pad", padding=0), TransPose((0, 2, 1), True))
        self.mixer_blocks = nn.SequentialCell(*[MixerBlock(16, n_channels, 8, 24) for _ in range(2)])
        self.layer_norm = nn.LayerNorm((n_channels,))
        self.mlp_head = nn.Dense(n_channels, num_classes)
        self.mean = ops.ReduceMean()

    def construct(self, x):
        x = self.mixer_blocks(self.to_patch_embedding(x))
        return self.mlp_head(self.mean(self.layer_norm(x), 1))


@register_model
def pit_ti(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return PoolingTransformer(num_classes, in_channels)


@register_model
def poolformer_s4(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return PoolFormer(num_classes, in_channels)


@register_model
def mlp_mixer_s(pretrained=False, num_classes=1000, in_channels=3, **kwargs):
    return MLPMixer(num_classes, in_channels)
