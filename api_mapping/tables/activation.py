"""torch.nn: activations."""

from ..rule import Rule

RULES = (
    Rule(
        "torch.nn.LeakyReLU(negative_slope=0.01, inplace=False)",
        "nn.LeakyReLU(alpha=always(negative_slope))",
        note="MindSpore's default slope is 0.2: PyTorch's is always written out.",
        example="nn.LeakyReLU()(x)",
    ),
)
