"""torch and torch.Tensor: comparisons, tests of numbers, logic and bits."""

from ..families import inplace_of, pointwise
from ..rule import Rule

COMPLEX = "Complex tensors raise a TypeError: test .real() and .imag()."
ONE_TYPE = "Tensors of different element types raise a TypeError: .astype before it."

COMPARISONS = tuple(
    row
    for name, alias in (
        ("eq", ""),
        ("ne", "not_equal"),
        ("gt", "greater"),
        ("ge", "greater_equal"),
        ("lt", "less"),
        ("le", "less_equal"),
    )
    for row in pointwise(
        Rule(
            f"torch.{name}(input, other, *, out=None)",
            f"ops.{name}(input, other)",
            mint=f"mint.{name}(input, other)",
            example=(f"torch.{name}(i, j)", f"torch.{name}(x, 0.5)", f"torch.{name}(i, other=x)"),
        ),
        *filter(None, (alias,)),
        cast=True,
    )
)

CLOSENESS = (
    *pointwise(
        Rule(
            "torch.isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
            "ops.isclose(input, other, rtol, atol, equal_nan)",
            mint="mint.isclose(input, other, rtol, atol, equal_nan)",
            limit=COMPLEX,
            example=(
                "torch.isclose(x, x + 1e-9)",
                "torch.isclose(x, y, atol=0.5)",
                "torch.isclose(nans, nans, equal_nan=True)",
            ),
        ),
        inplace=False,
    ),
    Rule(
        "torch.allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
        "bool(ops.isclose(input, other, rtol, atol, equal_nan).all())",
        mint="mint.allclose(input, other, rtol, atol, equal_nan)",
        limit=COMPLEX,
        returns="bool",
        example=("torch.allclose(x, x)", "torch.allclose(x, y, atol=10)", "torch.allclose(x, y)"),
    ),
    Rule(
        "torch.Tensor.allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
        "self.allclose(other, rtol, atol, equal_nan)",
        limit=COMPLEX,
        returns="bool",
        example=("x.allclose(x)", "x.allclose(y, rtol=10)"),
    ),
    *pointwise(
        Rule(
            "torch.equal(input, other)",
            "compat.equal(input, other)",
            mint="mint.equal(input, other)",
            returns="bool",
            example=("torch.equal(x, x)", "torch.equal(x, v)", "torch.equal(i, i + 1)"),
        ),
        fluent=False,
        inplace=False,
    ),
    Rule(
        "torch.isin(elements, test_elements, *, assume_unique=False, invert=False, out=None)",
        "compat.isin(elements, test_elements, invert)",
        drop=("assume_unique",),
        example=(
            "torch.isin(i, j)",
            "torch.isin(i, 3, invert=True)",
            "torch.isin(index, order[:2], assume_unique=False)",
        ),
    ),
)

TESTS = (
    *pointwise(
        Rule(
            "torch.isnan(input)",
            "ops.isnan(input)",
            mint="mint.isnan(input)",
            limit="Complex tensors raise a TypeError: x.isnan() takes them.",
            example=("torch.isnan(nans)", "torch.isnan(i)"),
        ),
        inplace=False,
    ),
    *pointwise(
        Rule(
            "torch.isfinite(input)",
            "ops.isfinite(input)",
            mint="mint.isfinite(input)",
            limit=COMPLEX,
            example=("torch.isfinite(nans)", "torch.isfinite(i)"),
        ),
        inplace=False,
    ),
    *pointwise(
        Rule("torch.isreal(input)", "ops.isreal(input)", example=("torch.isreal(x)", "z.isreal()")),
        inplace=False,
    ),
    *(
        row
        for name, mint in (("isinf", True), ("isneginf", True), ("isposinf", False))
        for row in pointwise(
            Rule(
                f"torch.{name}(input)" if name == "isinf" else f"torch.{name}(input, *, out=None)",
                f"ops.{name}(input)",
                mint=f"mint.{name}(input)" if mint else "",
                limit="Integers and complex numbers raise a TypeError.",
                example=f"torch.{name}(nans)",
            ),
            inplace=False,
        )
    ),
)

LOGIC = (
    *(
        row
        for name in ("logical_and", "logical_or", "logical_xor")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"ops.{name}(input, other)",
                mint=f"mint.{name}(input, other)",
                example=(f"torch.{name}(b, c)", f"torch.{name}(x, i)"),
            ),
            cast=True,
        )
    ),
    *pointwise(
        Rule(
            "torch.logical_not(input, *, out=None)",
            "ops.logical_not(input)",
            mint="mint.logical_not(input)",
            example=("torch.logical_not(b)", "torch.logical_not(i)"),
        ),
        cast=True,
    ),
)

BITS = (
    *(
        row
        for name in ("bitwise_and", "bitwise_or", "bitwise_xor")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"ops.{name}(input, other)",
                mint=f"mint.{name}(input, other)",
                example=(f"torch.{name}(i, j)", f"torch.{name}(b, c)", f"torch.{name}(k, 3)"),
            ),
        )
    ),
    *pointwise(
        Rule(
            "torch.bitwise_not(input, *, out=None)",
            "compat.bitwise_not(input)",
            mint="mint.bitwise_not(input)",
            example=("torch.bitwise_not(i)", "torch.bitwise_not(b)"),
        ),
        fluent=False,
    ),
    *(
        row
        for name in ("bitwise_left_shift", "bitwise_right_shift")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"ops.{name}(input, other)",
                limit=ONE_TYPE,
                example=(f"torch.{name}(i, j)", f"torch.{name}(k, 2)"),
            ),
        )
    ),
)

CHOICES = (
    Rule(
        "torch.where(condition, input, other, *, out=None)",
        "ops.where(condition, input, other)",
        mint="mint.where(condition, input, other)",
        example=("torch.where(b, x, y)", "torch.where(b, x, 0)", "torch.where(x > 0, 1.0, i)"),
    ),
    Rule(
        "torch.where(condition)",
        "tuple(ops.nonzero(condition).T)",
        mint="mint.where(condition)",
        returns="tensors",
        example=("torch.where(b)", "torch.where(x > 0)[0]"),
    ),
    Rule(
        "torch.Tensor.where(self, condition, other)",
        "self.where(condition, other)",
        example=("x.where(b, y)", "i.where(i > 0, -1)"),
    ),
    *pointwise(
        Rule(
            "torch.heaviside(input, values, *, out=None)",
            "ops.heaviside(input, values)",
            limit=ONE_TYPE,
            example=("torch.heaviside(x, y)", "torch.heaviside(i, j)"),
        ),
    ),
)

CALLABLES = tuple(
    rule
    for method in (
        Rule(
            "torch.Tensor.apply(self, callable)",
            "ms.Tensor(np.vectorize(callable)(self.asnumpy()), self.dtype)",
            note="Calls Python for every number, outside of the gradient.",
            example="x.apply(lambda value: 2 * value)",
        ),
        Rule(
            "torch.Tensor.map(self, tensor, callable)",
            "ms.Tensor(np.vectorize(callable)(self.asnumpy(), tensor.asnumpy()), self.dtype)",
            note="Calls Python for every pair of numbers, outside of the gradient.",
            example="x.map(y, lambda a, b: a * b)",
        ),
    )
    for rule in (inplace_of(method),)
)

RULES = (*COMPARISONS, *CLOSENESS, *TESTS, *LOGIC, *BITS, *CHOICES, *CALLABLES)
