"""torch: the functions that write into their first argument, from the methods of their names."""

import re
from dataclasses import replace
from functools import partial

from ..rule import Rule
from . import arithmetic, elementary_functions, tensor_activation

NAMES = frozenset(
    "abs acos acosh asin asinh atan atanh arccos arccosh arcsin arcsinh arctan arctanh ceil clamp "
    "clamp_max clamp_min clip cos cosh deg2rad erf erfc exp exp2 expm1 fix floor frac log log10 "
    "log1p log2 logit nan_to_num neg negative rad2deg reciprocal round rsqrt sigmoid sin sinc sinh "
    "sqrt square tan tanh trunc xlogy zero fill".split()
)
CALL = re.compile(r"(\w+)\.(\w+)\((.*)\)")


def as_function(rule: Rule) -> Rule:
    """The row of `x.abs_()` as that of `torch.abs_(x)`."""
    owner, _, rest = rule.signature.partition("(self")
    return replace(
        rule,
        signature=f"{owner.replace('Tensor.', '')}(input{rest}",
        target=re.sub(r"\bself\b", "input", rule.target),
        example=partial(examples_of_function, rule),
    )


def examples_of_function(rule: Rule) -> tuple[str, ...]:
    return tuple(map(called, rule.examples))


def called(code: str) -> str:
    """`torch.abs_(x)` for `x.abs_()`."""
    return CALL.sub(lambda m: f"torch.{m[2]}({m[1]}, {m[3]})".replace(", )", ")"), code, count=1)


RULES = tuple(
    as_function(rule)
    for table in (arithmetic, elementary_functions, tensor_activation)
    for rule in table.RULES
    if rule.writes and rule.name.removeprefix("torch.Tensor.").removesuffix("_") in NAMES
    if rule.name.startswith("torch.Tensor.")
)
