"""torch.nn.functional and torch.nn: activations."""

from ..rule import Rule

RULES = (
    Rule(
        "torch.nn.functional.leaky_relu(input, negative_slope=0.01, inplace=False)",
        "ops.leaky_relu(input, alpha=always(negative_slope))",
        mint="mint.nn.functional.leaky_relu(input, negative_slope)",
        note="MindSpore's default slope is 0.2: PyTorch's is always written out.",
        example=("F.leaky_relu(x)", "F.leaky_relu(x, 0.3)"),
    ),
    Rule(
        "torch.nn.LeakyReLU(negative_slope=0.01, inplace=False)",
        "nn.LeakyReLU(alpha=always(negative_slope))",
        note="MindSpore's default slope is 0.2: PyTorch's is always written out.",
        example="nn.LeakyReLU()(x)",
    ),
    Rule(
        "torch.nn.functional.relu(input, inplace=False)",
        "ops.relu(input)",
        mint="mint.nn.functional.relu(input)",
        example="F.relu(x)",
    ),
)
