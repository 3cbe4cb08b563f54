"""Functions of torch.nn.functional that stand in torch, too."""

from ..families import renamed
from . import functional_convolution, functional_image, functional_normalization, functional_pooling

NAMES = frozenset(
    (
        "adaptive_avg_pool1d avg_pool1d bilinear channel_shuffle native_channel_shuffle conv1d "
        "conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d "
        "cosine_similarity pairwise_distance pdist pixel_shuffle pixel_unshuffle"
    ).split()
)

RULES = tuple(
    alias
    for module in (
        functional_convolution,
        functional_image,
        functional_normalization,
        functional_pooling,
    )
    for rule in module.RULES
    if rule.name.rpartition(".")[2] in NAMES and rule.name.startswith("torch.nn.functional.")
    for alias in renamed(rule, rule.name.replace(".nn.functional", ""))
)
