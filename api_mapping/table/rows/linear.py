"""torch.nn: linear layers, embeddings, and layers that only reshape."""

from ....formats.names.naming import EMBEDDED, EMBEDDED_BAG
from ..families import of_class
from ..rule import Rule

EMBEDDING_LIMITS = {
    "max_norm": "no such argument: scale the rows before they are looked up",
    "scale_grad_by_freq": "no such argument: gradients are not scaled by frequency",
}

LINEAR = (
    Rule(
        "torch.nn.Linear(in_features, out_features, bias=True, device=None, dtype=None)",
        "nn.Dense(in_features, out_features, has_bias=bias, dtype=element_type(dtype))",
        mint="mint.nn.Linear(in_features, out_features, bias=bias, dtype=dtype)",
        example=(
            "nn.Linear(4, 3)(x)",
            "nn.Linear(4, 2, bias=False)(a)",
            "t = None\nnn.Linear(4, 3, dtype=t)(x)",
            "type(nn.Linear(4, 3)) is nn.Linear, type(nn.ReLU()) in (nn.Linear, nn.GELU)",
        ),
    ),
    *of_class("Linear", "4, 3, bias=False", "x"),
    Rule(
        "torch.nn.Bilinear(in1_features, in2_features, out_features, bias=True, device=None, "
        "dtype=None)",
        "nn.BiDense(in1_features, in2_features, out_features, has_bias=bias, "
        "dtype=element_type(dtype))",
        example=("nn.Bilinear(4, 4, 3)(x, y)", "nn.Bilinear(4, 4, 3, bias=False)(x, y)"),
    ),
    Rule(
        "torch.nn.Identity(*args, **kwargs)",
        "nn.Identity()",
        mint="mint.nn.Identity()",
        drop=("args", "kwargs"),
        example=("nn.Identity()(x)", "nn.Identity(4, name=5)(x)"),
    ),
)

EMBEDDINGS = (
    Rule(
        "torch.nn.Embedding(num_embeddings, embedding_dim, padding_idx=None, max_norm=None, "
        "norm_type=2.0, scale_grad_by_freq=False, sparse=False, device=None, dtype=None)",
        "nn.Embedding(num_embeddings, embedding_dim, "
        "embedding_table=ms.common.initializer.Normal(1.0), dtype=element_type(dtype))",
        mint="mint.nn.Embedding(num_embeddings, embedding_dim, padding_idx=padding_idx, "
        "max_norm=max_norm, norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, "
        "dtype=dtype)",
        note="MindSpore begins with N(0, 0.01): PyTorch's N(0, 1) is written out.",
        reject=EMBEDDING_LIMITS,
        drop=("norm_type", "sparse"),
        state=EMBEDDED,
        example=("nn.Embedding(10, 4)(words)", "nn.Embedding(10, 4, None, sparse=True)(words)"),
    ),
    Rule(
        "torch.nn.Embedding(num_embeddings, embedding_dim, padding_idx=None, max_norm=None, "
        "norm_type=2.0, scale_grad_by_freq=False, sparse=False, device=None, dtype=None)",
        "compat.Embedding(num_embeddings, embedding_dim, padding_idx=padding_idx, "
        "dtype=element_type(dtype))",
        note="MindSpore trains the row of the padding, too: here it is not.",
        reject=EMBEDDING_LIMITS,
        drop=("norm_type", "sparse"),
        state=EMBEDDED,
        example=(
            "nn.Embedding(10, 4, padding_idx=0)(words)",
            "nn.Embedding(10, 4, -3, dtype=torch.float32)(words)",
        ),
    ),
    *of_class("Embedding", "10, 4, padding_idx=0", "words", state=EMBEDDED),
    Rule(
        "torch.nn.Embedding.from_pretrained(embeddings, freeze=True, padding_idx=None, "
        "max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False)",
        "compat.pretrained_embedding(embeddings, freeze=freeze, padding_idx=padding_idx)",
        reject=EMBEDDING_LIMITS,
        drop=("norm_type", "sparse"),
        state=EMBEDDED,
        example=(
            "nn.Embedding.from_pretrained(m)(order)",
            "nn.Embedding.from_pretrained(m, freeze=False, padding_idx=1)(order)",
        ),
    ),
    Rule(
        "torch.nn.EmbeddingBag(num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, "
        'scale_grad_by_freq=False, mode="mean", sparse=False, _weight=None, '
        "include_last_offset=False, padding_idx=None, device=None, dtype=None)",
        "compat.EmbeddingBag(num_embeddings, embedding_dim, mode=mode, "
        "include_last_offset=include_last_offset, padding_idx=padding_idx, "
        "dtype=element_type(dtype))",
        reject=EMBEDDING_LIMITS | {"_weight": "load it afterwards"},
        drop=("norm_type", "sparse"),
        state=EMBEDDED_BAG,
        example=(
            "nn.EmbeddingBag(10, 4)(words)",
            'nn.EmbeddingBag(10, 4, mode="sum")(words)',
            'nn.EmbeddingBag(10, 4, mode="max")(words)',
            "nn.EmbeddingBag(10, 4, padding_idx=2)(words.flatten(), torch.tensor([0, 1, 1, 3]))",
            'nn.EmbeddingBag(10, 4, mode="sum", include_last_offset=True)'
            "(words.flatten(), torch.tensor([0, 2, words.numel()]), torch.ones(words.numel()) * 2)",
        ),
    ),
)

SHAPES = (
    Rule(
        "torch.nn.Flatten(start_dim=1, end_dim=-1)",
        "nn.Flatten(start_dim=start_dim, end_dim=end_dim)",
        example=("nn.Flatten()(image)", "nn.Flatten(0, 1)(image)", "nn.Flatten(end_dim=2)(image)"),
    ),
    Rule(
        "torch.nn.Unflatten(dim, unflattened_size)",
        "nn.Unflatten(dim, unflattened_size)",
        example="nn.Unflatten(1, (2, 2))(x)",
    ),
    Rule(
        "torch.nn.PixelShuffle(upscale_factor)",
        "nn.PixelShuffle(upscale_factor)",
        example="nn.PixelShuffle(2)(image.reshape(2, 12, 4, 4))",
    ),
    Rule(
        "torch.nn.PixelUnshuffle(downscale_factor)",
        "nn.PixelUnshuffle(downscale_factor)",
        example="nn.PixelUnshuffle(2)(image)",
    ),
    Rule(
        "torch.nn.ChannelShuffle(groups)",
        "nn.ChannelShuffle(groups)",
        example="nn.ChannelShuffle(3)(image.reshape(2, 6, 4, 8))",
    ),
)

RULES = (*LINEAR, *EMBEDDINGS, *SHAPES)
