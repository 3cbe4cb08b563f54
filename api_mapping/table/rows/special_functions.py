"""torch.special, and the functions of it that torch and torch.Tensor have, too."""

from ..families import FLOATS, missing, pointwise
from ..rule import Rule

WIDE = "float16 raises a TypeError: .astype(ms.float32) before it."

METHODS = (
    *(
        row
        for name in ("digamma", "lgamma", "i0")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, *, out=None)",
                f"ops.{name}(input)",
                limit=FLOATS,
                floats="input",
                example=f"torch.{name}(p)",
            ),
        )
    ),
    *(
        row
        for name in ("igamma", "igammac")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"ops.{name}(input, other)",
                limit=WIDE,
                example=f"torch.{name}(p, u)",
            ),
        )
    ),
    *pointwise(
        Rule(
            "torch.mvlgamma(input, p)", "ops.mvlgamma(input, p)", example="torch.mvlgamma(p + 3, 2)"
        )
    ),
    *(
        Rule(
            f"torch.{name}(n, input, *, out=None)",
            "ops.polygamma(ms.tensor(n), input)",
            example=f"torch.{name}(2, p)",
        )
        for name in ("polygamma", "special.polygamma")
    ),
    Rule(
        "torch.Tensor.polygamma(self, n)",
        "ops.polygamma(ms.tensor(n), self)",
        example="p.polygamma(1)",
    ),
    Rule(
        "torch.Tensor.polygamma_(self, n)",
        "ops.polygamma(ms.tensor(n), self)",
        writes=True,
        example="p.polygamma_(1)\np",
    ),
    *(
        row
        for name in ("gcd", "lcm")
        for row in pointwise(
            Rule(
                f"torch.{name}(input, other, *, out=None)",
                f"ops.{name}(input, other)",
                example=f"torch.{name}(i, j)",
            ),
        )
    ),
    *pointwise(
        Rule(
            "torch.nextafter(input, other, *, out=None)",
            "ops.nextafter(*ms.numpy.broadcast_arrays(input, other))",
            limit=WIDE,
            example=("torch.nextafter(x, y)", "torch.nextafter(x[:1], y)"),
        ),
        fluent=False,
    ),
)

OF_ONE = {
    "bessel_j0": ("ops.bessel_j0(input)", "p"),
    "bessel_j1": ("ops.bessel_j1(input)", "p"),
    "bessel_y0": ("ops.bessel_y0(input)", "p"),
    "bessel_y1": ("ops.bessel_y1(input)", "p"),
    "digamma": ("ops.digamma(input)", "p"),
    "erf": ("ops.erf(input)", "x"),
    "erfc": ("ops.erfc(input)", "x"),
    "erfinv": ("ops.erfinv(input)", "u"),
    "exp2": ("ops.exp2(input)", "x"),
    "expit": ("ops.sigmoid(input)", "x"),
    "expm1": ("ops.expm1(input)", "x"),
    "gammaln": ("ops.lgamma(input)", "p"),
    "i0": ("ops.i0(input)", "x"),
    "i0e": ("ops.bessel_i0e(input)", "x"),
    "i1": ("ops.bessel_i1(input)", "x"),
    "i1e": ("ops.bessel_i1e(input)", "x"),
    "log1p": ("ops.log1p(input)", "p"),
    "modified_bessel_i0": ("ops.bessel_i0(input)", "x"),
    "modified_bessel_i1": ("ops.bessel_i1(input)", "x"),
    "modified_bessel_k0": ("ops.bessel_k0(input)", "p"),
    "modified_bessel_k1": ("ops.bessel_k1(input)", "p"),
    "psi": ("ops.digamma(input)", "p"),
    "scaled_modified_bessel_k0": ("ops.bessel_k0e(input)", "p"),
    "scaled_modified_bessel_k1": ("ops.bessel_k1e(input)", "p"),
    "sinc": ("ops.sinc(input)", "x"),
}
"""torch.special: the target and an input in the domain."""

SPECIAL = (
    *(
        Rule(
            f"torch.special.{name}(input, *, out=None)",
            target,
            mint=f"mint.{target[4:]}" if name in ("erf", "erfc", "exp2", "expm1", "log1p") else "",
            limit=FLOATS,
            floats="input",
            example=f"torch.special.{name}({value})",
        )
        for name, (target, value) in OF_ONE.items()
    ),
    Rule(
        "torch.special.spherical_bessel_j0(input, *, out=None)",
        "ops.sinc(input / np.pi)",
        note="sinc(x) is sin(pi * x) / (pi * x): the argument is divided.",
        example="torch.special.spherical_bessel_j0(x)",
    ),
    Rule(
        "torch.special.logit(input, eps=None, *, out=None)",
        "ops.logit(input, eps)",
        limit=FLOATS,
        floats="input",
        example=("torch.special.logit(u)", "torch.special.logit(x, eps=1e-3)"),
    ),
    Rule(
        "torch.special.round(input, *, decimals=0, out=None)",
        "ops.round(input)",
        mint="mint.special.round(input)",
        example="torch.special.round(x)",
    ),
    Rule(
        "torch.special.round(input, *, decimals, out=None)",
        "ops.round(input * 10 ** decimals) / 10 ** decimals",
        mint="mint.round(input, decimals=decimals)",
        example="torch.special.round(x, decimals=2)",
    ),
    Rule(
        "torch.special.multigammaln(input, p, *, out=None)",
        "ops.mvlgamma(input, p)",
        example="torch.special.multigammaln(p + 3, 2)",
    ),
    Rule(
        "torch.special.gammainc(input, other, *, out=None)",
        "ops.igamma(input, other)",
        limit=WIDE,
        example="torch.special.gammainc(p, u)",
    ),
    Rule(
        "torch.special.gammaincc(input, other, *, out=None)",
        "ops.igammac(input, other)",
        limit=WIDE,
        example="torch.special.gammaincc(p, u)",
    ),
    Rule(
        "torch.special.xlogy(input, other, *, out=None)",
        "compat.xlogy(input, other)",
        note="float16 with a number gives float32.",
        example=(
            "torch.special.xlogy(x, p)",
            "torch.special.xlogy(torch.tensor([0.0, 0.0, 2.0]), torch.tensor([0.0, -1.0, 3.0]))",
            "torch.special.xlogy(x, 2)",
        ),
    ),
    Rule(
        "torch.special.xlog1py(input, other, *, out=None)",
        "compat.xlogy(input, 1 + other)",
        note="Numbers that vanish beside 1 count as 0.",
        example=("torch.special.xlog1py(x, p)", "torch.special.xlog1py(x, 0.5)"),
    ),
    Rule(
        "torch.special.zeta(input, other, *, out=None)",
        "ops.zeta(input, other)",
        example=("torch.special.zeta(p + 1, p)", "torch.special.zeta(p + 1, 2.0)"),
    ),
    Rule(
        "torch.special.entr(input, *, out=None)",
        "compat.entr(input)",
        example=("torch.special.entr(x)", "torch.special.entr(p)"),
    ),
    Rule(
        "torch.special.ndtr(input, *, out=None)",
        "0.5 * ops.erfc(input * -0.5 ** 0.5)",
        example="torch.special.ndtr(x)",
    ),
    Rule(
        "torch.special.log_ndtr(input, *, out=None)",
        "ops.log(0.5 * ops.erfc(input * -0.5 ** 0.5))",
        note="-inf below -13 in float32, where PyTorch goes on.",
        example="torch.special.log_ndtr(x)",
    ),
    Rule(
        "torch.special.ndtri(input, *, out=None)",
        "2 ** 0.5 * ops.erfinv(2 * input - 1)",
        note="Less exact near 0.",
        example="torch.special.ndtri(u)",
    ),
    Rule(
        "torch.special.erfcx(input, *, out=None)",
        "ops.exp(input * input) * ops.erfc(input)",
        note="NaN above 9 in float32, where PyTorch goes on.",
        example="torch.special.erfcx(x)",
    ),
    Rule(
        "torch.special.logsumexp(input, dim, keepdim=False, *, out=None)",
        "compat.logsumexp(input, dim, keepdim)",
        mint="mint.logsumexp(input, dim, keepdim)",
        example=(
            "torch.special.logsumexp(x, 1)",
            "torch.special.logsumexp(a, (0, -1), keepdim=True)",
        ),
    ),
    Rule(
        "torch.special.softmax(input, dim, *, dtype=None)",
        "ops.softmax(input, axis=dim, dtype=dtype)",
        example=(
            "torch.special.softmax(x, -1)",
            "torch.special.softmax(x, 0, dtype=torch.float64)",
        ),
    ),
    Rule(
        "torch.special.log_softmax(input, dim, *, dtype=None)",
        "ops.log_softmax(input, axis=dim)",
        example="torch.special.log_softmax(x, 0)",
    ),
    Rule(
        "torch.special.log_softmax(input, dim, *, dtype)",
        "ops.log_softmax(input.astype(dtype), axis=dim)",
        example="torch.special.log_softmax(x, 1, dtype=torch.float64)",
    ),
)

RECURRENCES = {
    "chebyshev_polynomial_t": "p, q = q, 2 * x * q - p, from 1 and x",
    "chebyshev_polynomial_u": "p, q = q, 2 * x * q - p, from 1 and 2 * x",
    "chebyshev_polynomial_v": "p, q = q, 2 * x * q - p, from 1 and 2 * x - 1",
    "chebyshev_polynomial_w": "p, q = q, 2 * x * q - p, from 1 and 2 * x + 1",
    "shifted_chebyshev_polynomial_t": "p, q = q, (4 * x - 2) * q - p, from 1 and 2 * x - 1",
    "shifted_chebyshev_polynomial_u": "p, q = q, (4 * x - 2) * q - p, from 1 and 4 * x - 2",
    "shifted_chebyshev_polynomial_v": "p, q = q, (4 * x - 2) * q - p, from 1 and 4 * x - 3",
    "shifted_chebyshev_polynomial_w": "p, q = q, (4 * x - 2) * q - p, from 1 and 4 * x - 1",
    "hermite_polynomial_h": "p, q = q, 2 * (x * q - k * p), from 1 and 2 * x; k = 1, 2...",
    "hermite_polynomial_he": "p, q = q, x * q - k * p, from 1 and x; k = 1, 2...",
    "laguerre_polynomial_l": "p, q = q, ((2 * k + 1 - x) * q - k * p) / (k + 1), from 1 and 1 - x",
    "legendre_polynomial_p": "p, q = q, ((2 * k + 1) * x * q - k * p) / (k + 1), from 1 and x",
}

MISSING = (
    *(
        row
        for name, step in RECURRENCES.items()
        for row in missing(
            f"write the recurrence for a known degree: {step}",
            f"torch.special.{name}(input, n, *, out=None)",
        )
    ),
    *missing(
        "compute it with scipy.special.airy on x.asnumpy(), outside of the gradient",
        "torch.special.airy_ai(input, *, out=None)",
    ),
    *missing("hash the bytes: hash(x.asnumpy().tobytes())", "torch.hash_tensor(input)"),
)

RULES = (*METHODS, *SPECIAL, *MISSING)
