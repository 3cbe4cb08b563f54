"""torch and torch.Tensor: sums, products, quotients, powers, bounds.

MindSpore's binary operators promote element types as PyTorch's do, with one exception: a tensor
without axes counts like any other (float16 with a float32 scalar tensor gives float32).
"""

from ..families import inplace_of, pointwise
from ..rule import Rule

SAME_TYPE = "Tensors of different element types raise a TypeError: .astype before it."
COMPLEX_SCALAR = "A complex tensor with a number or a real tensor raises on the CPU."
ALPHA = "The function has no alpha: the factor is written out."
NAN = "On the CPU NaN does not come through: the other operand does."
LEGACY = "The old order of arguments, which PyTorch warns of."

SUMS = (
    *pointwise(
        Rule(
            "torch.add(input, other, *, out=None)",
            "ops.add(input, other)",
            mint="mint.add(input, other)",
            limit="Two bool tensors raise a TypeError: ops.logical_or.",
            example=("torch.add(x, y)", "torch.add(i, 2.5)", "torch.add(k, other=j)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.sub(input, other, *, out=None)",
            "ops.sub(input, other)",
            mint="mint.sub(input, other)",
            example=("torch.sub(x, y)", "torch.sub(i, 2)"),
        ),
        "subtract",
    ),
)

OLD_SUMS = tuple(
    rule
    for name in ("add", "sub")
    for rule in pointwise(
        Rule(
            f"torch.{name}(input, alpha, other, *, out=None)",
            f"ops.{name}(input, alpha * other)",
            mint=f"mint.{name}(input, other, alpha=alpha)",
            note=LEGACY,
            example=f"torch.{name}(x, 2, y)",
        ),
    )
)

SCALED_SUMS = (
    Rule(
        "torch.add(input, other, *, alpha=1, out=None)",
        "ops.add(input, alpha * other)",
        mint="mint.add(input, other, alpha=alpha)",
        note=ALPHA,
        example=("torch.add(x, y, alpha=2)", "torch.add(x, y + 1, alpha=0.5)"),
    ),
    *(
        Rule(
            f"torch.{name}(input, other, *, alpha=1, out=None)",
            "ops.sub(input, alpha * other)",
            mint="mint.sub(input, other, alpha=alpha)",
            note=ALPHA,
            example=f"torch.{name}(x, y, alpha=2)",
        )
        for name in ("sub", "subtract")
    ),
    *(
        rule
        for name in ("add", "sub", "subtract")
        for method in (
            Rule(
                f"torch.Tensor.{name}(self, other, *, alpha=1)",
                f"self.{name.removesuffix('tract')}(other, alpha=alpha)",
                example=f"x.{name}(y, alpha=2)",
            ),
        )
        for rule in (method, inplace_of(method))
    ),
)

PRODUCTS = (
    *pointwise(
        Rule(
            "torch.mul(input, other, *, out=None)",
            "ops.mul(input, other)",
            mint="mint.mul(input, other)",
            limit=COMPLEX_SCALAR,
            example=("torch.mul(x, y)", "torch.mul(i, 2)", "torch.mul(z, z)"),
        ),
        "multiply",
    ),
    *pointwise(
        Rule(
            "torch.addcmul(input, tensor1, tensor2, *, value=1, out=None)",
            "ops.addcmul(input, tensor1, tensor2, value=value)",
            mint="mint.addcmul(input, tensor1, tensor2, value=value)",
            limit=SAME_TYPE,
            example=("torch.addcmul(x, y, v, value=0.5)", "torch.addcmul(x, y, p)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.addcmul(input, value, tensor1, tensor2, *, out=None)",
            "ops.addcmul(input, tensor1, tensor2, value=value)",
            mint="mint.addcmul(input, tensor1, tensor2, value=value)",
            note=LEGACY,
            limit=SAME_TYPE,
            example="torch.addcmul(x, 0.5, y, p)",
        ),
    ),
    *(
        row
        for parameters, factor, given, note, *examples in (
            ("tensor1, tensor2, *", "", "", "", "x, y, v", "x, y, p / 1e9"),
            ("tensor1, tensor2, *, value", "value * ", ", value=value", "", "x, y, p, value=0.5"),
            ("value, tensor1, tensor2, *", "value * ", ", value=value", LEGACY, "x, 0.5, y, p"),
        )
        for row in pointwise(
            Rule(
                f"torch.addcdiv(input, {parameters}, out=None)",
                f"input + {factor}tensor1 / tensor2",
                mint=f"mint.addcdiv(input, tensor1, tensor2{given})",
                note=note,
                example=tuple(f"torch.addcdiv({each})" for each in examples),
            ),
            fluent=False,
        )
    ),
    *pointwise(
        Rule(
            "torch.lerp(input, end, weight, *, out=None)",
            "ops.lerp(input, end, weight)",
            mint="mint.lerp(input, end, weight)",
            limit="float64 and complex tensors raise a TypeError: input + weight * (end - input).",
            example=("torch.lerp(x, y, 0.3)", "torch.lerp(x, y, weight=u)"),
        ),
    ),
)

QUOTIENTS = (
    Rule(
        "torch.rsub(input, other)",
        "ops.sub(other, input)",
        example=("torch.rsub(x, y)", "torch.rsub(x, 2)"),
    ),
    *pointwise(
        Rule(
            "torch.div(input, other, *, rounding_mode=None, out=None)",
            "ops.div(input, other)",
            mint="mint.div(input, other)",
            limit=COMPLEX_SCALAR,
            example=("torch.div(x, y)", "torch.div(i, 2)", "torch.div(k, j)"),
        ),
        "divide",
    ),
    *pointwise(
        Rule(
            "torch.div(input, other, *, rounding_mode, out=None)",
            "ops.floor_divide(input, other)",
            mint="mint.div(input, other, rounding_mode=rounding_mode)",
            kinds={"rounding_mode": "'floor'"},
            drop=("rounding_mode",),
            note="ops.div rounds int32 by a number wrongly on the CPU: another call is written.",
            example=(
                'torch.div(k, 2, rounding_mode="floor")',
                'torch.div(x, y, rounding_mode="floor")',
            ),
        ),
        "divide",
        fluent=False,
    ),
    *pointwise(
        Rule(
            "torch.div(input, other, *, rounding_mode, out=None)",
            "ops.div(input, other, rounding_mode=rounding_mode)",
            mint="mint.div(input, other, rounding_mode=rounding_mode)",
            kinds={"rounding_mode": "'trunc'"},
            example=(
                'torch.div(k, 2, rounding_mode="trunc")',
                'torch.div(x, y, rounding_mode="trunc")',
            ),
        ),
        "divide",
        fluent=False,
    ),
    *pointwise(
        Rule(
            "torch.div(input, other, *, rounding_mode, out=None)",
            "compat.divided(input, other, rounding_mode)",
            example=(
                'torch.div(k, 2, rounding_mode="floor" if True else None)',
                "torch.div(x, y, rounding_mode=None if True else 'trunc')",
            ),
        ),
        "divide",
        fluent=False,
    ),
    *pointwise(
        Rule(
            "torch.true_divide(input, other, *, out=None)",
            "ops.div(input, other)",
            mint="mint.div(input, other)",
            limit=COMPLEX_SCALAR,
            example=("torch.true_divide(x, 2)", "torch.true_divide(i, j)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.floor_divide(input, other, *, out=None)",
            "ops.floor_divide(input, other)",
            mint="mint.floor_divide(input, other)",
            example=("torch.floor_divide(i, -j)", "torch.floor_divide(x, 0.5)"),
        ),
        fluent=False,
    ),
    *pointwise(
        Rule(
            "torch.remainder(input, other, *, out=None)",
            "ops.remainder(input, other)",
            mint="mint.remainder(input, other)",
            example=("torch.remainder(i, -3)", "torch.remainder(x, y)", "torch.remainder(5, x)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.fmod(input, other, *, out=None)",
            "ops.fmod(input, other)",
            mint="mint.fmod(input, other)",
            example=("torch.fmod(i, -3)", "torch.fmod(x, y)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.reciprocal(input, *, out=None)",
            "ops.reciprocal(input)",
            mint="mint.reciprocal(input)",
            example=("torch.reciprocal(x)", "torch.reciprocal(j)"),
        ),
    ),
)

POWERS = (
    *pointwise(
        Rule(
            "torch.pow(input, exponent, *, out=None)",
            "ops.pow(input, exponent)",
            mint="mint.pow(input, exponent)",
            example=("torch.pow(x, 2)", "torch.pow(p, y)", "torch.pow(2, x)", "torch.pow(p, -0.5)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.float_power(input, exponent, *, out=None)",
            "ops.float_power(input, exponent)",
            mint="mint.float_power(input, exponent)",
            example=(
                "torch.float_power(d, 2)",
                "torch.float_power(x, y)",
                "torch.float_power(2, i)",
            ),
        ),
        fluent=False,
    ),
    *pointwise(
        Rule(
            "torch.square(input, *, out=None)",
            "ops.square(input)",
            mint="mint.square(input)",
            example=("torch.square(x)", "torch.square(i)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.sqrt(input, *, out=None)",
            "ops.sqrt(input)",
            mint="mint.sqrt(input)",
            example=("torch.sqrt(p)", "torch.sqrt(j)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.ldexp(input, other, *, out=None)",
            "ops.ldexp(input, other)",
            note="Of float16 MindSpore gives float32.",
            example="torch.ldexp(x, j)",
        ),
    ),
    *pointwise(
        Rule(
            "torch.frexp(input, *, out=None)",
            "compat.frexp(input)",
            returns="tensors",
            example="torch.frexp(x)",
        ),
        fluent=False,
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.hypot(input, other, *, out=None)",
            "ops.hypot(input, other)",
            limit="Two float16 tensors raise a TypeError: .astype(ms.float32) before it.",
            example="torch.hypot(x, y)",
        ),
    ),
)

SIGNS = (
    *pointwise(
        Rule(
            "torch.abs(input, *, out=None)",
            "ops.abs(input)",
            mint="mint.abs(input)",
            note="Of a complex tensor it gives a complex one: .real() behind it.",
            example=("torch.abs(x)", "torch.abs(i)"),
        ),
        "absolute",
    ),
    Rule(
        "torch.ComplexTensor.abs(self)",
        "self.abs().real()",
        note="Of a tensor that is known to be complex.",
        example=("wave = torch.fft.rfft(x)\nwave.abs()", "wave = z * 2\nwave.abs()"),
    ),
    *pointwise(
        Rule(
            "torch.neg(input, *, out=None)",
            "ops.neg(input)",
            mint="mint.neg(input)",
            example=("torch.neg(x)", "torch.neg(i)"),
        ),
        "negative",
    ),
    *pointwise(
        Rule("torch.positive(input)", "ops.positive(input)", example="torch.positive(x)"),
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.sign(input, *, out=None)",
            "ops.sign(input)",
            mint="mint.sign(input)",
            limit="bool tensors raise a TypeError: they are their own sign.",
            example=("torch.sign(x)", "torch.sign(i)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.sgn(input, *, out=None)",
            "ops.sgn(input)",
            limit="bool tensors raise a TypeError: they are their own sign.",
            example=("torch.sgn(x)", "torch.sgn(z)"),
        ),
    ),
    *pointwise(
        Rule(
            "torch.signbit(input, *, out=None)",
            "ops.signbit(input)",
            example=("torch.signbit(x)", "torch.signbit(i)"),
        ),
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.copysign(input, other, *, out=None)",
            "ops.copysign(input, other)",
            note="The result has the type of the first tensor also where the second is wider.",
            limit="bool tensors raise a TypeError: .astype(ms.float32) before it.",
            example=("torch.copysign(x, y)", "torch.copysign(i, -1)"),
        ),
    ),
)

BOUNDS = (
    *(
        rule
        for name in ("clamp", "clip")
        for bounds, given in (("min, max", "min, max"), ("min=None, max=None", "min=min, max=max"))
        for rule in pointwise(
            Rule(
                f"torch.{name}(input, {bounds}, *, out=None)",
                f"ops.clamp(input, {given})",
                mint=f"mint.clamp(input, {given})",
                note=NAN,
                example=(
                    (f"torch.{name}(x, -1, 1)", f"torch.{name}(i, min=-2.5, max=3)")
                    if bounds == given
                    else (f"torch.{name}(x, max=0.3)", f"torch.{name}(x, min=y)")
                ),
            )
        )
    ),
    *(
        rule
        for bound in ("min", "max")
        for rule in pointwise(
            Rule(
                f"torch.clamp_{bound}(input, {bound}, *, out=None)",
                f"ops.clamp(input, {bound}={bound})",
                mint=f"mint.clamp(input, {bound}={bound})",
                note=NAN,
                example=f"torch.clamp_{bound}(x, 0.3)",
            ),
        )
    ),
    *(
        rule
        for name in ("maximum", "minimum")
        for rule in pointwise(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"ops.{name}(input, other)",
                mint=f"mint.{name}(input, other)",
                note=NAN,
                example=(f"torch.{name}(x, y)", f"torch.{name}(i, x)"),
            ),
            inplace=False,
        )
    ),
    *pointwise(
        Rule(
            "torch.fmax(input, other, *, out=None)",
            "ops.fmax(input, other)",
            example=(
                "torch.fmax(x, y)",
                "torch.fmax(nans, v)",
                "slopes(lambda s, t: torch.fmax(s, t), nans, v)",
            ),
        ),
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.fmin(input, other, *, out=None)",
            "-ops.fmax(-input, -other)",
            note="ops.fmin has no CPU kernel. uint8 has no negatives: use ops.minimum for it.",
            limit="bool tensors raise a TypeError: ops.logical_and.",
            example=(
                "torch.fmin(x, y)",
                "torch.fmin(nans, v)",
                "slopes(lambda s, t: torch.fmin(s, t), nans, v)",
            ),
        ),
        fluent=False,
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.nan_to_num(input, nan=0.0, posinf=None, neginf=None, *, out=None)",
            "ops.nan_to_num(input, nan=nan, posinf=posinf, neginf=neginf)",
            mint="mint.nan_to_num(input, nan=nan, posinf=posinf, neginf=neginf)",
            limit="float64 and integers raise a TypeError: ops.where(ops.isnan(x), 0.0, x).",
            example=("torch.nan_to_num(nans)", "torch.nan_to_num(nans, 1.0, posinf=2.0)"),
        ),
    ),
)

RULES = (*SUMS, *OLD_SUMS, *SCALED_SUMS, *PRODUCTS, *QUOTIENTS, *POWERS, *SIGNS, *BOUNDS)
