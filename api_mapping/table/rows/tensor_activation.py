"""torch and torch.Tensor: activation functions that are not only in torch.nn.functional."""

from ..families import pointwise
from ..rule import Rule

NAN = "On the CPU NaN becomes 0; PyTorch gives NaN."
SAME_NAME = "Makes a new tensor under the same name: other names of the old one do not see it."


def writing(signature: str, target: str, *examples: str) -> Rule:
    """The row of a function of torch that writes into its first argument."""
    return Rule(
        signature,
        target,
        note=SAME_NAME,
        writes=True,
        example=tuple(f"{code}\nx" for code in examples),
    )


RULES = (
    *pointwise(
        Rule(
            "torch.relu(input)",
            "ops.relu(input)",
            mint="mint.nn.functional.relu(input)",
            note=NAN,
            example=("torch.relu(x)", "torch.relu(i)"),
        ),
        fluent=False,
    ),
    writing("torch.relu_(input)", "ops.relu(input)", "torch.relu_(x)"),
    writing("torch.selu_(input)", "compat.selu(input)", "torch.selu_(x)"),
    writing(
        "torch.celu_(input, alpha=1.0)",
        "ops.celu(input, alpha)",
        "torch.celu_(x)",
        "torch.celu_(x, alpha=0.5)",
    ),
    writing(
        "torch.threshold_(input, threshold, value)",
        "ops.threshold(input, threshold, value)",
        "torch.threshold_(x, 0.3, 2.0)",
    ),
    Rule(
        "torch.rrelu_(input, lower=1 / 8, upper=1 / 3, training=False)",
        "ops.leaky_relu(input, alpha=(always(lower) + upper) / 2)",
        reject={"training": "nn.RReLU draws slopes in training"},
        note=SAME_NAME,
        writes=True,
        example=("torch.rrelu_(x)\nx", "torch.rrelu_(x, 0.1, 0.3)\nx"),
    ),
    Rule(
        "torch.prelu(input, weight)",
        "ops.prelu(input, weight)",
        mint="mint.nn.functional.prelu(input, weight)",
        limit="A weight without axes raises a ValueError: .reshape(1).",
        example=("torch.prelu(x, v)", "torch.prelu(image, weight=v[:3])"),
    ),
    *pointwise(
        Rule(
            "torch.hardshrink(input, lambd=0.5, *, out=None)",
            "ops.hardshrink(input, lambd)",
            limit="float64 raises a TypeError: .astype(ms.float32) before it.",
            example=("torch.hardshrink(x)", "torch.hardshrink(x, lambd=0.3)"),
        ),
        inplace=False,
    ),
    Rule(
        "torch.dropout(input, p, train)",
        "ops.dropout(input, p=p, training=train)",
        mint="mint.nn.functional.dropout(input, p=p, training=train)",
        check="dtype",
        example=("torch.dropout(x, 0.5, True)", "torch.dropout(x, p=0.1, train=False)"),
    ),
    Rule(
        "torch.softmax(input, dim, dtype=None, *, out=None)",
        "ops.softmax(input, axis=dim, dtype=dtype)",
        mint="mint.softmax(input, dim, dtype=dtype)",
        example=("torch.softmax(x, -1)", "torch.softmax(x, dim=0, dtype=torch.float64)"),
    ),
    Rule(
        "torch.Tensor.softmax(self, dim, dtype=None)",
        "self.softmax(dim, dtype=dtype)",
        mint="mint.softmax(self, dim, dtype=dtype)",
        example=("x.softmax(-1)", "x.softmax(dim=0)", "x.softmax(1, dtype=torch.float64)"),
    ),
    *pointwise(
        Rule(
            "torch.log_softmax(input, dim, dtype=None, *, out=None)",
            "ops.log_softmax(input, axis=dim)",
            mint="mint.nn.functional.log_softmax(input, dim)",
            example=("torch.log_softmax(x, -1)", "torch.log_softmax(x, dim=0)"),
        ),
        fluent=False,
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.log_softmax(input, dim, dtype, *, out=None)",
            "ops.log_softmax(input.astype(dtype), axis=dim)",
            mint="mint.nn.functional.log_softmax(input, dim, dtype=dtype)",
            example="torch.log_softmax(x, 1, dtype=torch.float64)",
        ),
        fluent=False,
        inplace=False,
    ),
)
