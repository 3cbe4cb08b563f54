"""torch.nn: activations."""

from ....formats.names.naming import SLOPE
from ..families import of_class
from ..rule import Rule


def plain(name: str, target: str = "", inputs: str = "x", arguments: str = "") -> Rule:
    """A layer without arguments that count."""
    return Rule(
        f"torch.nn.{name}({arguments})", f"nn.{target or name}()", example=f"nn.{name}()({inputs})"
    )


INPLACE = "inplace=False"

PLAIN = (
    plain("ReLU", arguments=INPLACE),
    plain("ReLU6", inputs="x * 5", arguments=INPLACE),
    plain("SiLU", arguments=INPLACE),
    Rule(
        "torch.nn.Mish(inplace=False)",
        "compat.Mish()",
        mint="mint.nn.Mish()",
        example=("nn.Mish()(x)", "nn.Mish()(x * 60)", "slopes(lambda t: nn.Mish()(t), x * 60)"),
    ),
    plain("Hardswish", "HSwish", inputs="x * 3", arguments=INPLACE),
    plain("Hardsigmoid", "HSigmoid", inputs="x * 3", arguments=INPLACE),
    plain("Sigmoid"),
    Rule(
        "torch.nn.LogSigmoid()",
        "compat.LogSigmoid()",
        mint="mint.nn.LogSigmoid()",
        example=("nn.LogSigmoid()(x)", "nn.LogSigmoid()(x * 99 - 99)"),
    ),
    plain("Tanh"),
    plain("Tanhshrink"),
    plain("Softsign"),
    plain("Softmax2d", inputs="image"),
)

SHAPED = (
    Rule(
        "torch.nn.SELU(inplace=False)",
        "compat.SELU()",
        note="On the CPU the gradient of MindSpore's nn.SeLU is wrong where the input is negative.",
        example=("nn.SELU()(x)", "slopes(lambda t: nn.SELU()(t), x)", "nn.SELU(inplace=True)(x)"),
    ),
    Rule(
        'torch.nn.GELU(approximate="none")',
        "nn.GELU(approximate=tanh_form(approximate))",
        mint="mint.nn.GELU(approximate)",
        note="MindSpore's default is the approximation by tanh: PyTorch's is written out.",
        example=(
            "nn.GELU()(x)",
            'a = "tanh"\nnn.GELU(a)(x)',
            'nn.GELU("tanh")(x)',
            'nn.GELU(approximate="none")(x)',
        ),
    ),
    Rule(
        "torch.nn.LeakyReLU(negative_slope=0.01, inplace=False)",
        "nn.LeakyReLU(alpha=always(negative_slope))",
        note="MindSpore's default slope is 0.2: PyTorch's is always written out.",
        example=("nn.LeakyReLU()(x)", "nn.LeakyReLU(0.3, inplace=False)(x)"),
    ),
    Rule(
        "torch.nn.PReLU(num_parameters=1, init=0.25, device=None, dtype=None)",
        "nn.PReLU(channel=num_parameters, w=init)",
        mint="mint.nn.PReLU(num_parameters, init)",
        state=SLOPE,
        example=("nn.PReLU()(x)", "nn.PReLU(3, init=0.1)(image)"),
    ),
    Rule(
        "torch.nn.ELU(alpha=1.0, inplace=False)",
        "nn.ELU()",
        mint="mint.nn.ELU()",
        example=("nn.ELU()(x)", "nn.ELU(1.0, inplace=True)(x)"),
    ),
    Rule(
        "torch.nn.ELU(alpha=1.0, inplace=False)",
        "compat.ELU(alpha=alpha)",
        mint="mint.nn.ELU(alpha)",
        example=("nn.ELU(0.5)(x)", "nn.ELU(alpha=2)(x)"),
    ),
    Rule(
        "torch.nn.CELU(alpha=1.0, inplace=False)",
        "nn.CELU(alpha=alpha)",
        example=("nn.CELU()(x)", "nn.CELU(alpha=0.5)(x)"),
    ),
    Rule(
        "torch.nn.Softplus(beta=1.0, threshold=20.0)",
        "compat.Softplus(beta=beta, threshold=threshold)",
        example=("nn.Softplus()(x * 30)", "nn.Softplus(beta=2, threshold=1)(x)"),
    ),
    Rule(
        "torch.nn.Threshold(threshold, value, inplace=False)",
        "nn.Threshold(threshold, value)",
        example=("nn.Threshold(0.1, 20.0)(x)", "nn.Threshold(value=-1.0, threshold=0.0)(x)"),
    ),
    Rule(
        "torch.nn.Hardtanh(min_val=-1.0, max_val=1.0, inplace=False)",
        "nn.Hardtanh(min_val=min_val, max_val=max_val)",
        example=("nn.Hardtanh()(x)", "nn.Hardtanh(-0.5, 0.2)(x)"),
    ),
    Rule(
        "torch.nn.Hardshrink(lambd=0.5)",
        "nn.HShrink(lambd=lambd)",
        example=("nn.Hardshrink()(x)", "nn.Hardshrink(0.2)(x)"),
    ),
    Rule(
        "torch.nn.Softshrink(lambd=0.5)",
        "nn.SoftShrink(lambd=lambd)",
        example=("nn.Softshrink()(x)", "nn.Softshrink(lambd=0.2)(x)"),
    ),
    Rule(
        "torch.nn.RReLU(lower=0.125, upper=1 / 3, inplace=False)",
        "compat.RReLU(lower=lower, upper=upper)",
        example=(
            "nn.RReLU(0.2, 0.2)(x)",
            "layer = nn.RReLU()\nlayer.eval()\nlayer(x)",
        ),
    ),
    Rule(
        "torch.nn.GLU(dim=-1)",
        "nn.GLU(axis=dim)",
        mint="mint.nn.GLU(dim)",
        example=("nn.GLU()(x)", "nn.GLU(1)(signal.reshape(2, 16, 3))"),
    ),
)


def over_axis(name: str) -> Rule:
    return Rule(
        f"torch.nn.{name}(dim=None)",
        f"nn.{name}(axis=axis(dim))",
        example=(f"nn.{name}(dim=1)(image)", f"nn.{name}(-1)(x)", f"nn.{name}(0)(x)"),
    )


HANDED_ON = (
    *(
        rule
        for name in ("ReLU", "ReLU6", "SiLU", "Mish", "Hardswish", "Hardsigmoid")
        for rule in of_class(name, "inplace=True", "x * 3")
    ),
    *of_class("GELU", "", "x"),
    *of_class("LeakyReLU", "0.2, inplace=True", "x"),
    *of_class("ELU", "0.5, inplace=True", "x"),
)

RULES = (*PLAIN, *SHAPED, *HANDED_ON, *map(over_axis, ("Softmax", "LogSoftmax", "Softmin")))
