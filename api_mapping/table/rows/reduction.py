"""Sums, means, spreads and norms: functions of torch and torch.linalg, and methods."""

from ..families import method_of, renamed, with_method
from ..rule import Rule

SUMS = (
    *with_method(
        Rule(
            "torch.sum(input, dim=None, keepdim=False, *, dtype=None, out=None)",
            "ops.sum(input, dim, keepdim=keepdim, dtype=dtype)",
            mint="mint.sum(input, dim, keepdim=keepdim, dtype=dtype)",
            example=(
                "torch.sum(x)",
                "torch.sum(b, 1)",
                "torch.sum(a, (0, -1), keepdim=True)",
                "torch.sum(x, dim=1, dtype=torch.float64)",
            ),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.nansum(input, dim=None, keepdim=False, *, dtype=None, out=None)",
            "ops.nansum(input, dim, keepdims=keepdim, dtype=dtype)",
            mint="mint.nansum(input, dim, keepdim=keepdim, dtype=dtype)",
            note="Of integers MindSpore keeps the type; PyTorch gives int64.",
            example=("torch.nansum(nans)", "torch.nansum(nans, 1, keepdim=True)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.prod(input, dim=None, keepdim=False, *, dtype=None, out=None)",
            "ops.prod(input, dim, keep_dims=keepdim, dtype=dtype)",
            mint="mint.prod(input, dim, keepdim=keepdim, dtype=dtype)",
            example=("torch.prod(x)", "torch.prod(j, 1)", "torch.prod(x, -1, True)"),
        ),
        "self.prod(dim, keepdim=keepdim, dtype=dtype)",
    ),
    *with_method(
        Rule(
            "torch.cumsum(input, dim, *, dtype=None, out=None)",
            "input.cumsum(dim, dtype=dtype)",
            mint="mint.cumsum(input, dim, dtype=dtype)",
            note="Of bool and narrow integers MindSpore gives int32, PyTorch int64.",
            example=("torch.cumsum(x, 1)", "torch.cumsum(i, dim=-1, dtype=torch.float32)"),
        ),
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.cumprod(input, dim, *, dtype=None, out=None)",
            "ops.cumprod(input, dim, dtype=dtype)",
            mint="mint.cumprod(input, dim, dtype=dtype)",
            example=("torch.cumprod(x, 1)", "torch.cumprod(x, -1, dtype=torch.float64)"),
        ),
        fluent=True,
        inplace=True,
    ),
    *with_method(
        Rule(
            "torch.logcumsumexp(input, dim, *, out=None)",
            "ops.logcumsumexp(input, dim)",
            example=("torch.logcumsumexp(x, 1)", "torch.logcumsumexp(x, dim=-1)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.logsumexp(input, dim, keepdim=False, *, out=None)",
            "compat.logsumexp(input, dim, keepdim=keepdim)",
            mint="mint.logsumexp(input, dim, keepdim=keepdim)",
            example=(
                "torch.logsumexp(x, 1)",
                "torch.logsumexp(a, (0, -1), keepdim=True)",
                "torch.logsumexp(torch.log(b.float() * (order == 1)[:, None]), 1)",
                "slopes(lambda t: torch.logsumexp(t, 0), x * 60)",
            ),
        ),
    ),
    *with_method(
        Rule(
            "torch.trace(input)",
            "input.trace()",
            mint="mint.trace(input)",
            example=("torch.trace(m)", "torch.trace(k[:, :3])"),
        ),
        fluent=True,
    ),
)

MEANS = (
    Rule(
        "torch.mean(input, dim=None, keepdim=False)",
        "ops.mean(input, dim, keep_dims=keepdim)",
        mint="mint.mean(input, dim, keepdim=keepdim)",
        example=("torch.mean(x)", "torch.mean(a, (0, 1), True)", "torch.mean(x, dim=[-1])"),
    ),
    Rule(
        "torch.mean(input, dim=None, keepdim=False, *, dtype=None, out=None)",
        "input.mean(dim, keepdim=keepdim, dtype=dtype)",
        mint="mint.mean(input, dim, keepdim=keepdim, dtype=dtype)",
        example="torch.mean(x, 1, dtype=torch.float64)",
    ),
    Rule(
        "torch.Tensor.mean(self, dim=None, keepdim=False, *, dtype=None)",
        "self.mean(dim, keepdim=keepdim, dtype=dtype)",
        example=("x.mean()", "a.mean([-1, -2], True)", "x.mean(axis=1, dtype=torch.float64)"),
    ),
    *with_method(
        Rule(
            "torch.nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None)",
            "ops.nanmean(input, dim, keepdims=keepdim, dtype=dtype)",
            example=("torch.nanmean(nans)", "torch.nanmean(nans, 0, keepdim=True)"),
        ),
        fluent=True,
    ),
)

DDOF = "MindSpore divides by n by default, PyTorch by n - 1: `ddof` is always written out."
STD = (
    Rule(
        "torch.std(input, unbiased=True)",
        "ops.std(input, ddof=ddof(unbiased))",
        mint="mint.std(input, correction=ddof(unbiased))",
        note=DDOF,
        kinds={"unbiased": "bool"},
        example=("torch.std(x)", "torch.std(x, False)"),
    ),
    Rule(
        "torch.std(input, dim, unbiased=True, keepdim=False)",
        "ops.std(input, axes(dim), ddof=ddof(unbiased), keepdims=keepdim)",
        mint="mint.std(input, dim, correction=ddof(unbiased), keepdim=keepdim)",
        note=DDOF,
        example=("torch.std(x, 1)", "torch.std(a, [0, 1], False, True)"),
    ),
    Rule(
        "torch.std(input, dim=None, *, correction=1, keepdim=False, out=None)",
        "ops.std(input, axes(dim), ddof=always(correction), keepdims=keepdim)",
        mint="mint.std(input, dim, correction=correction, keepdim=keepdim)",
        note=DDOF,
        example=("torch.std(x, 1, correction=2)", "torch.std(x, correction=0)"),
    ),
)
VAR = tuple(
    Rule(
        r.signature.replace("std", "var"),
        r.target.replace("std", "var"),
        mint=r.mint.replace("std", "var"),
        note=DDOF,
        kinds=r.kinds,
        example=tuple(code.replace("std", "var") for code in r.examples),
    )
    for r in STD
)
SPREADS = (
    *STD,
    *VAR,
    *(method_of(rule, fluent=True) for rule in (*STD, *VAR)),
    *(
        Rule(
            r.signature.replace("(", "_mean(", 1),
            r.target.replace("(", "_mean(", 1),
            mint=r.mint.replace("(", "_mean(", 1),
            note=DDOF,
            kinds=r.kinds,
            returns="tensors",
            example=tuple(code.replace("(", "_mean(", 1) for code in r.examples),
        )
        for r in (*STD, *VAR)
    ),
    *with_method(
        Rule(
            "torch.cov(input, *, correction=1, fweights=None, aweights=None)",
            "ops.cov(input, correction=correction, fweights=fweights, aweights=aweights)",
            note="Of float16 MindSpore gives float32.",
            example=("torch.cov(x)", "torch.cov(x, correction=0, fweights=index[0])"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            "torch.corrcoef(input)",
            "compat.corrcoef(input)",
            example=("torch.corrcoef(x)", "torch.corrcoef(d)"),
        )
    ),
)

TRUTH = "MindSpore's CPU kernel misreads every type but bool: other values are made bool first."
TRUTHS = tuple(
    row
    for name in ("any", "all")
    for row in (
        Rule(
            f"torch.{name}(input, dim=None, keepdim=False, *, out=None)",
            f"ops.{name}(truth(input), dim, keep_dims=keepdim)",
            mint=f"mint.{name}(truth(input), dim, keepdim=keepdim)",
            note=TRUTH,
            example=(
                f"torch.{name}(x)",
                f"torch.{name}(x > 0, 1, True)",
                f"torch.{name}(i, dim=-1)",
            ),
        ),
        Rule(
            f"torch.Tensor.{name}(self, dim=None, keepdim=False)",
            f"truth(self).{name}(dim, keepdim=keepdim)",
            note=TRUTH,
            example=(f"b.{name}()", f"(x > y).{name}(1)", f"i.{name}(-1, keepdim=True)"),
        ),
    )
)

COMPLEX = "Of complex numbers MindSpore's norm is complex: take their abs() first."
NORMS = (
    *with_method(
        Rule(
            "torch.norm(input, *, dim=None, keepdim=False, out=None, dtype=None)",
            "ops.norm(input, dim=dim, keepdim=keepdim, dtype=dtype)",
            mint="mint.norm(input, dim=dim, keepdim=keepdim, dtype=dtype)",
            note=COMPLEX,
            example=("torch.norm(a)", "torch.norm(x, dim=1, keepdim=True)"),
        ),
        fluent=True,
    ),
    *with_method(
        Rule(
            'torch.norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None)',
            "ops.vector_norm(input, vector_order(p), dim, keepdims=keepdim, dtype=dtype)",
            mint="mint.norm(input, p, dim, keepdim=keepdim, dtype=dtype)",
            note=f"PyTorch's norm is the one of vectors, over all of its axes. {COMPLEX}",
            example=(
                "torch.norm(x, 2)",
                "torch.norm(x, p=1, dim=1)",
                'torch.norm(a, "fro", (0, 1), True)',
                'torch.norm(a, float("inf"), -1, dtype=torch.float64)',
            ),
        )
    ),
    *with_method(
        Rule(
            'torch.norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None)',
            "ops.norm(input, p, dim, keepdim=keepdim, dtype=dtype)",
            mint="mint.norm(input, p, dim, keepdim=keepdim, dtype=dtype)",
            note=COMPLEX,
            example=('torch.norm(x, "nuc")', 'torch.norm(a, "nuc", dim=(0, 1))'),
        )
    ),
    Rule(
        "torch.linalg.norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None)",
        "ops.norm(A, ord, dim, keepdim=keepdim, dtype=dtype)",
        note=COMPLEX,
        example=(
            "torch.linalg.norm(a)",
            "torch.linalg.norm(x, 1)",
            'torch.linalg.norm(x, "nuc")',
            "torch.linalg.norm(a, 2, (0, 1), True)",
            "torch.linalg.norm(x, dim=-1, keepdim=True)",
        ),
    ),
    Rule(
        "torch.linalg.vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None)",
        "ops.vector_norm(x, ord, dim, keepdims=keepdim, dtype=dtype)",
        note=COMPLEX,
        mint="mint.linalg.vector_norm(x, ord, dim, keepdim=keepdim, dtype=dtype)",
        example=(
            "torch.linalg.vector_norm(a)",
            "torch.linalg.vector_norm(x, 3, 1, True)",
            'torch.linalg.vector_norm(a, float("inf"), dim=(0, 1))',
        ),
    ),
    Rule(
        'torch.linalg.matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, '
        "out=None)",
        "ops.matrix_norm(A, ord, dim, keepdims=keepdim, dtype=dtype)",
        note='Of float64 with `ord` 2, -2 or "nuc" MindSpore gives float32.',
        mint="mint.linalg.matrix_norm(A, ord, dim, keepdim=keepdim, dtype=dtype)",
        example=(
            "torch.linalg.matrix_norm(a)",
            "torch.linalg.matrix_norm(a, 2, (0, 1), True)",
            'torch.linalg.matrix_norm(x, "nuc")',
        ),
    ),
    *with_method(
        Rule(
            "torch.dist(input, other, p=2)",
            "ops.vector_norm(input - other, p)",
            mint="mint.norm(input - other, p)",
            note="The norm of the difference; ops.dist takes neither float64 nor every `p`.",
            example=("torch.dist(x, y)", "torch.dist(d, y, 1)", 'torch.dist(x, y, float("inf"))'),
        )
    ),
    *with_method(
        Rule(
            "torch.renorm(input, p, dim, maxnorm, *, out=None)",
            "ops.renorm(input, p, dim, fraction(maxnorm))",
            note="MindSpore takes `maxnorm` as a float only.",
            example=("torch.renorm(x, 2, 0, 1)", "torch.renorm(x, p=1, dim=1, maxnorm=0.5)"),
        ),
        inplace=True,
    ),
)

DIFFERENCES = (
    *with_method(
        Rule(
            "torch.diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None)",
            "compat.diff(input, n, dim, prepend, append)",
            mint="mint.diff(input, n, dim, prepend, append)",
            example=("torch.diff(x)", "torch.diff(x, 2, 0)", "torch.diff(x, dim=1, prepend=y)"),
        )
    ),
    Rule(
        "torch.trapezoid(y, x=None, *, dx=None, dim=-1)",
        "compat.trapezoid(y, x, dx, dim)",
        example=(
            "torch.trapezoid(x)",
            "torch.trapezoid(x, y)",
            "torch.trapezoid(x, dx=2.0, dim=0)",
        ),
    ),
    Rule(
        "torch.cumulative_trapezoid(y, x=None, *, dx=None, dim=-1)",
        "compat.cumulative_trapezoid(y, x, dx, dim)",
        example=("torch.cumulative_trapezoid(x)", "torch.cumulative_trapezoid(x, y, dim=0)"),
    ),
    Rule(
        "torch.gradient(input, *, spacing=1, dim, edge_order=1)",
        "[ms.numpy.gradient(input, spacing, axis=dim)]",
        returns="tensors",
        note="MindSpore gives float32.",
        kinds={"dim": "int"},
        reject={"edge_order": "MindSpore has differences of the first order at the edges only"},
        example="torch.gradient(x, dim=-1)",
    ),
    Rule(
        "torch.gradient(input, *, spacing=1, dim=None, edge_order=1)",
        "ms.numpy.gradient(input, spacing, axis=dim)",
        returns="tensors",
        note="MindSpore gives float32, and of a tensor of one axis the Tensor alone.",
        kinds={"dim": "none|shape|display"},
        reject={"edge_order": "MindSpore has differences of the first order at the edges only"},
        example=("torch.gradient(x)", "torch.gradient(x, dim=(0, 1))"),
    ),
)

RULES = (
    *SUMS,
    *MEANS,
    *SPREADS,
    *TRUTHS,
    *NORMS,
    *DIFFERENCES,
    *(
        alias
        for rule in DIFFERENCES
        if rule.name == "torch.trapezoid"
        for alias in renamed(rule, "torch.trapz")
    ),
)
