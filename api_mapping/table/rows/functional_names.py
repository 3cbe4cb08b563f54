"""torch: functions of torch.nn.functional that torch has under the same name."""

from dataclasses import replace

from ..rule import Rule
from . import (
    functional_activation,
    functional_convolution,
    functional_image,
    functional_normalization,
    functional_pooling,
)

NAMES = frozenset(
    "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc bilinear "
    "avg_pool1d adaptive_avg_pool1d cosine_similarity pairwise_distance pdist pixel_shuffle "
    "pixel_unshuffle channel_shuffle native_channel_shuffle selu celu threshold rrelu layer_norm "
    "group_norm rms_norm max_pool1d max_pool2d max_pool3d".split()
)
TABLES = (
    functional_activation,
    functional_convolution,
    functional_image,
    functional_normalization,
    functional_pooling,
)


def in_torch(rule: Rule) -> Rule:
    """The row of `F.conv2d` as that of `torch.conv2d`."""
    return replace(
        rule,
        signature=rule.signature.replace("torch.nn.functional.", "torch."),
        example=tuple(
            code.replace("F.", "torch.")
            for code in rule.examples
            if "return_indices" not in code and "inplace" not in code
        ),
    )


RULES = tuple(
    in_torch(rule)
    for table in TABLES
    for rule in table.RULES
    if rule.name.removeprefix("torch.nn.functional.") in NAMES
)
