"""torch and torch.Tensor: exponential, logarithmic, trigonometric and rounding functions."""

from ..families import FLOATS, pointwise
from ..rule import Rule

ANGLES = {
    "acos": "u",
    "acosh": "p + 1",
    "asin": "u",
    "asinh": "x",
    "atan": "x",
    "atanh": "u",
}
"""Functions that have a second name with `arc`, and an input in their domain."""

OTHERS = {
    "cos": "x",
    "cosh": "x",
    "erf": "x",
    "erfc": "x",
    "erfinv": "u",
    "exp": "x",
    "expm1": "x",
    "log": "p",
    "log10": "p",
    "log1p": "p",
    "log2": "p",
    "rsqrt": "p",
    "sigmoid": "x",
    "sin": "x",
    "sinh": "x",
    "tan": "x",
    "tanh": "x",
}


def of_floats(name: str, value: str, *aliases: str, mint: bool = True) -> tuple[Rule, ...]:
    """The rows of a function that both frameworks call alike, over floating point tensors."""
    row = Rule(
        f"torch.{name}(input, *, out=None)",
        f"ops.{name}(input)",
        mint=f"mint.{name}(input)" if mint else "",
        limit=FLOATS,
        floats="input",
        example=f"torch.{name}({value})",
    )
    return pointwise(row, *aliases)


FUNCTIONS = (
    *(row for name, value in ANGLES.items() for row in of_floats(name, value, f"arc{name[1:]}")),
    *(row for name, value in OTHERS.items() for row in of_floats(name, value)),
    *(row for name in ("deg2rad", "rad2deg") for row in of_floats(name, "x", mint=False)),
    *pointwise(
        Rule(
            "torch.exp2(input, *, out=None)",
            "ops.exp2(input)",
            mint="mint.exp2(input)",
            example=("torch.exp2(x)", "torch.exp2(i)"),
        ),
        fluent=False,
    ),
    *pointwise(
        Rule(
            "torch.sinc(input, *, out=None)",
            "ops.sinc(input)",
            mint="mint.sinc(input)",
            note="0 of a bool tensor gives NaN: .astype(ms.float32) before it.",
            example=("torch.sinc(x)", "torch.sinc(i)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.logit(input, eps=None, *, out=None)",
            "ops.logit(input, eps)",
            limit=FLOATS,
            floats="input",
            example=("torch.logit(u)", "torch.logit(x, eps=1e-3)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.atan2(input, other, *, out=None)",
            "ops.atan2(input, other)",
            mint="mint.atan2(input, other)",
            limit=FLOATS,
            example=("torch.atan2(x, y)", "torch.atan2(x, v)"),
        ),
        "arctan2",
    ),
    *(
        row
        for name in ("logaddexp", "logaddexp2")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"compat.{name}(input, other)",
                mint=f"mint.{name}(input, other)",
                limit=FLOATS,
                example=(
                    f"torch.{name}(x, y)",
                    f"torch.{name}(nans[0, 2:], nans[0, 2:])",
                    f"torch.{name}(torch.log(b.float()), torch.log(c.float()))",
                    f"slopes(torch.{name}, x, x + y.sign() * 99)",
                ),
            ),
            fluent=False,
            inplace=False,
        )
    ),
    *pointwise(
        Rule(
            "torch.xlogy(input, other, *, out=None)",
            "compat.xlogy(input, other)",
            note="float16 with a number gives float32.",
            example=(
                "torch.xlogy(x, p)",
                "torch.xlogy(torch.tensor([0.0, 0.0, 2.0]), torch.tensor([0.0, 2.0, 3.0]))",
                "torch.xlogy(x, 2)",
                "torch.xlogy(2, p)",
            ),
        ),
        fluent=False,
    ),
)

ROUNDING = (
    *(
        row
        for name in ("ceil", "floor")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, *, out=None)",
                f"ops.{name}(input)",
                mint=f"mint.{name}(input)",
                limit="Integers raise a TypeError; PyTorch hands them back.",
                example=f"torch.{name}(x)",
            ),
        )
    ),
    *pointwise(
        Rule(
            "torch.trunc(input, *, out=None)",
            "ops.trunc(input)",
            mint="mint.trunc(input)",
            example=("torch.trunc(x)", "torch.trunc(i)"),
        ),
        "fix",
    ),
    *pointwise(
        Rule(
            "torch.frac(input, *, out=None)",
            "ops.frac(input)",
            mint="mint.frac(input)",
            example="torch.frac(3 * x)",
        ),
    ),
    *pointwise(
        Rule(
            "torch.round(input, *, decimals=0, out=None)",
            "ops.round(input)",
            mint="mint.round(input)",
            example=("torch.round(x)", "torch.round(i)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.round(input, *, decimals, out=None)",
            "ops.round(input * 10 ** decimals) / 10 ** decimals",
            mint="mint.round(input, decimals=decimals)",
            example=("torch.round(x, decimals=2)", "torch.round(100 * x, decimals=-1)"),
        ),
        fluent=False,
    ),
)

RULES = (*FUNCTIONS, *ROUNDING)
