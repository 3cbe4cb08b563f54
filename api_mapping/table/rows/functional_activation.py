"""torch.nn.functional: activations."""

from dataclasses import replace

from ..rule import Rule

SLOPE = "MindSpore's default slope is 0.2: PyTorch's is always written out."
IMPLIED = "without dim PyTorch takes axis 0 of 0, 1 or 3 axes, else axis 1"


def in_place(signature: str, of: Rule) -> Rule:
    """The row of a function that writes into its input: the value is that of the plain one."""
    name = signature.partition("(")[0].rpartition(".")[2]
    plain = name.removesuffix("_")
    changed = tuple(
        f"t = x + 0\n{example.replace(f'F.{plain}(x', f'F.{name}(t')}\nt" for example in of.examples
    )
    return replace(of, signature=signature, writes=True, example=changed)


RELU = Rule(
    "torch.nn.functional.relu(input, inplace=False)",
    "ops.relu(input)",
    mint="mint.nn.functional.relu(input)",
    example="F.relu(x)",
)
IN_PLACE = replace(
    RELU,
    example=(
        "F.relu(x)",
        "t = x + 0\nF.relu(t, inplace=True)\nt",
        "t = x + 0\nF.relu(t, True)\nt",
    ),
)
LEAKY_RELU = Rule(
    "torch.nn.functional.leaky_relu(input, negative_slope=0.01, inplace=False)",
    "ops.leaky_relu(input, alpha=always(negative_slope))",
    mint="mint.nn.functional.leaky_relu(input, negative_slope)",
    note=SLOPE,
    example=("F.leaky_relu(x)", "F.leaky_relu(x, 0.3)"),
)
ELU = (
    Rule(
        "torch.nn.functional.elu(input, *, inplace=False)",
        "ops.elu(input)",
        mint="mint.nn.functional.elu(input)",
        example="F.elu(x)",
    ),
    Rule(  # ops.elu takes no alpha but 1
        "torch.nn.functional.elu(input, alpha, inplace=False)",
        "compat.elu(input, alpha)",
        mint="mint.nn.functional.elu(input, alpha)",
        example=("F.elu(x, alpha=0.5)", "F.elu(x, 1.5)"),
    ),
)
CELU = Rule(
    "torch.nn.functional.celu(input, alpha=1.0, inplace=False)",
    "ops.celu(input, alpha)",
    example=("F.celu(x)", "F.celu(x, alpha=0.5)"),
)
SELU = Rule(  # the gradient of ops.selu is wrong on the CPU where the input is negative
    "torch.nn.functional.selu(input, inplace=False)",
    "compat.selu(input)",
    mint="mint.nn.functional.selu(input)",
    example=("F.selu(x)", "slopes(lambda t: F.selu(t), x)"),
)
HARDTANH = Rule(
    "torch.nn.functional.hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False)",
    "ops.hardtanh(input, min_val, max_val)",
    mint="mint.nn.functional.hardtanh(input, min_val, max_val)",
    example=("F.hardtanh(x)", "F.hardtanh(x, -0.5, max_val=0.2)"),
)
THRESHOLD = Rule(
    "torch.nn.functional.threshold(input, threshold, value, inplace=False)",
    "ops.threshold(input, threshold, value)",
    mint="mint.nn.functional.threshold(input, threshold, value)",
    example="F.threshold(x, 0.1, 2.0)",
)
RRELU = Rule(
    "torch.nn.functional.rrelu(input, lower=1 / 8, upper=1 / 3, training=False, inplace=False)",
    "compat.rrelu(input, lower, upper, training=training)",
    example=("F.rrelu(x)", "F.rrelu(x, 0.1, upper=0.3)"),
)

RELUS = (
    IN_PLACE,
    in_place("torch.nn.functional.relu_(input)", RELU),
    LEAKY_RELU,
    in_place("torch.nn.functional.leaky_relu_(input, negative_slope=0.01)", LEAKY_RELU),
    *ELU,
    in_place("torch.nn.functional.elu_(input)", ELU[0]),
    in_place("torch.nn.functional.elu_(input, alpha)", ELU[1]),
    CELU,
    in_place("torch.nn.functional.celu_(input, alpha=1.0)", CELU),
    SELU,
    in_place("torch.nn.functional.selu_(input)", SELU),
    HARDTANH,
    in_place("torch.nn.functional.hardtanh_(input, min_val=-1.0, max_val=1.0)", HARDTANH),
    THRESHOLD,
    in_place("torch.nn.functional.threshold_(input, threshold, value)", THRESHOLD),
    RRELU,
    in_place("torch.nn.functional.rrelu_(input, lower=1 / 8, upper=1 / 3, training=False)", RRELU),
    Rule(
        "torch.nn.functional.relu6(input, inplace=False)",
        "ops.relu6(input)",
        mint="mint.nn.functional.relu6(input)",
        example="F.relu6(x)",
    ),
    Rule(
        "torch.nn.functional.prelu(input, weight)",
        "ops.prelu(input, weight)",
        mint="mint.nn.functional.prelu(input, weight)",
        example=("F.prelu(x, v)", "F.prelu(a, v[:3])"),
    ),
)

SMOOTH = (
    Rule(
        "torch.nn.functional.gelu(input, *, approximate='none')",
        "ops.gelu(input, approximate=approximate)",
        mint="mint.nn.functional.gelu(input, approximate=approximate)",
        example=("F.gelu(x)", "F.gelu(x, approximate='tanh')"),
    ),
    Rule(
        "torch.nn.functional.silu(input, inplace=False)",
        "ops.silu(input)",
        mint="mint.nn.functional.silu(input)",
        example="F.silu(x)",
    ),
    Rule(
        "torch.nn.functional.mish(input, inplace=False)",
        "compat.mish(input)",
        mint="mint.nn.functional.mish(input)",
        example=("F.mish(x)", "F.mish(x * 60)", "slopes(F.mish, x * 60)"),
    ),
    Rule(
        "torch.nn.functional.softplus(input, beta=1, threshold=20)",
        "ops.softplus(input, beta, threshold)",
        mint="mint.nn.functional.softplus(input, beta, threshold)",
        example=("F.softplus(x)", "F.softplus(x, beta=2, threshold=1)"),
    ),
    Rule(
        "torch.nn.functional.sigmoid(input)",
        "ops.sigmoid(input)",
        mint="mint.nn.functional.sigmoid(input)",
        example="F.sigmoid(x)",
    ),
    Rule(
        "torch.nn.functional.tanh(input)",
        "ops.tanh(input)",
        mint="mint.nn.functional.tanh(input)",
        example="F.tanh(x)",
    ),
    Rule(
        "torch.nn.functional.logsigmoid(input)",
        "compat.logsigmoid(input)",
        mint="mint.nn.functional.logsigmoid(input)",
        example=(
            "F.logsigmoid(x)",
            "F.logsigmoid(x * 99 - 99)",
            "slopes(lambda t: F.logsigmoid(t), x * 99 - 99)",
        ),
    ),
    Rule("torch.nn.functional.softsign(input)", "ops.softsign(input)", example="F.softsign(x)"),
    Rule(
        "torch.nn.functional.tanhshrink(input)", "ops.tanhshrink(input)", example="F.tanhshrink(x)"
    ),
    Rule(
        "torch.nn.functional.glu(input, dim=-1)",
        "ops.glu(input, dim)",
        mint="mint.nn.functional.glu(input, dim)",
        example=("F.glu(x)", "F.glu(m, dim=0)"),
    ),
)

PIECEWISE = (
    Rule(
        "torch.nn.functional.hardswish(input, inplace=False)",
        "ops.hardswish(input)",
        mint="mint.nn.functional.hardswish(input)",
        example="F.hardswish(x)",
    ),
    Rule(
        "torch.nn.functional.hardsigmoid(input, inplace=False)",
        "ops.hardsigmoid(input)",
        mint="mint.nn.functional.hardsigmoid(input)",
        example="F.hardsigmoid(x)",
    ),
    Rule(
        "torch.nn.functional.hardshrink(input, lambd=0.5)",
        "ops.hardshrink(input, lambd)",
        mint="mint.nn.functional.hardshrink(input, lambd)",
        example=("F.hardshrink(x)", "F.hardshrink(x, 0.2)"),
    ),
    Rule(
        "torch.nn.functional.softshrink(input, lambd=0.5)",
        "ops.softshrink(input, lambd)",
        mint="mint.nn.functional.softshrink(input, lambd)",
        example=("F.softshrink(x)", "F.softshrink(x, 0.2)"),
    ),
)


def over_axis(name: str, mint: str = "") -> tuple[Rule, ...]:
    """softmax and softmin: with an axis, and with the one that PyTorch then implies."""
    return (
        Rule(
            f"torch.nn.functional.{name}(input, dim, _stacklevel=3, dtype=None)",
            f"ops.{name}(input, axis=dim, dtype=dtype)",
            mint=mint,
            drop=("_stacklevel",),
            example=(f"F.{name}(x, dim=1)", f"F.{name}(a, -2)"),
        ),
        Rule(
            f"torch.nn.functional.{name}(input, *, _stacklevel=3, dtype=None)",
            f"ops.{name}(input, axis=compat.implied_axis(input), dtype=dtype)",
            drop=("_stacklevel",),
            note=IMPLIED,
            example=(f"F.{name}(x)", f"F.{name}(a)", f"F.{name}(image)"),
        ),
    )


SOFTMAXES = (
    *over_axis("softmax", "mint.nn.functional.softmax(input, dim=dim, dtype=dtype)"),
    *over_axis("softmin"),
    Rule(
        "torch.nn.functional.log_softmax(input, dim, _stacklevel=3)",
        "ops.log_softmax(input, axis=dim)",
        mint="mint.nn.functional.log_softmax(input, dim=dim)",
        drop=("_stacklevel",),
        example=("F.log_softmax(x, dim=1)", "F.log_softmax(a, -2)"),
    ),
    Rule(
        "torch.nn.functional.log_softmax(input, dim, _stacklevel=3, *, dtype)",
        "ops.log_softmax(input.astype(dtype), axis=dim)",
        mint="mint.nn.functional.log_softmax(input, dim=dim, dtype=dtype)",
        drop=("_stacklevel",),
        example="F.log_softmax(h, dim=1, dtype=torch.float32)",
    ),
    Rule(
        "torch.nn.functional.log_softmax(input, *, _stacklevel=3)",
        "ops.log_softmax(input, axis=compat.implied_axis(input))",
        drop=("_stacklevel",),
        note=IMPLIED,
        example=("F.log_softmax(x)", "F.log_softmax(a)"),
    ),
    Rule(
        "torch.nn.functional.gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1)",
        "ops.gumbel_softmax(logits, tau=tau, hard=hard, dim=dim)",
        drop=("eps",),
        example=("F.gumbel_softmax(x)", "F.gumbel_softmax(x, tau=0.5, hard=True, dim=0)"),
        check="dtype",
    ),
)

RULES = (*RELUS, *SMOOTH, *PIECEWISE, *SOFTMAXES)
