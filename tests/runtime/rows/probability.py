"""`mindspore.nn.probability`: each function of each distribution and bijection."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

D = "nn.probability.distribution"
B = "nn.probability.bijector"
T = "ms.Tensor({}, ms.float32)"
TWO = {
    "Normal": ("0.5, 2.0", T.format("[0.0, 1.0, 2.0]"), T.format("[1.0, 0.5, 2.0]")),
    "Cauchy": ("0.5, 2.0", T.format("[0.0, 1.0, 2.0]"), T.format("[1.0, 0.5, 2.0]")),
    "Logistic": ("0.5, 2.0", T.format("[0.0, 1.0, 2.0]"), T.format("[1.0, 0.5, 2.0]")),
    "LogNormal": ("0.5, 0.7", T.format("[0.0, 0.3, 0.2]"), T.format("[1.0, 0.5, 0.7]")),
    "Uniform": ("-1.5, 2.0", T.format("[-2.0, -3.0, -2.5]"), T.format("[3.0, 2.5, 2.0]")),
}
ONE = {
    "Exponential": ("0.7", T.format("[0.5, 1.0, 2.0]")),
    "Bernoulli": ("0.3", T.format("[0.5, 0.1, 0.8]")),
    "Geometric": ("0.3", T.format("[0.5, 0.1, 0.8]")),
}
OF_VALUE = "prob log_prob cdf log_cdf survival_function log_survival".split()
OF_PARAMETERS = "mean mode sd var entropy".split()
VALUES = {
    "LogNormal": "x(3, low=0.1)",
    "Exponential": "x(3)",
    "Bernoulli": T.format("[0.0, 1.0, 1.0]"),
    "Geometric": T.format("[0.0, 2.0, 1.0]"),
}

for name, (own, first, second) in TWO.items():
    value = VALUES.get(name, "x(3)")
    for function in OF_VALUE:
        rows(
            f"{D}.{name}({own}).{function}({value})",
            f"{D}.{name}()('{function}', {value}, {first}, {second})",
            f"{D}.{name}({own}).{function}({value}, {first})"
            if name != "Uniform"
            else f"{D}.{name}({own}).{function}({value}, {first}, {second})",
            tolerance=3e-5,
        )
    for function in OF_PARAMETERS:
        call = refused if name == "Cauchy" and function in ("mean", "sd", "var") else rows
        if name == "Uniform" and function == "mode":
            call = refused
        call(
            f"{D}.{name}({own}).{function}()",
            f"{D}.{name}()('{function}', {first}, {second})",
        )
    if name != "Logistic":
        for function in ("kl_loss", "cross_entropy"):
            rows(
                f"{D}.{name}({own}).{function}('{name}', {first}, {second})",
                f"{D}.{name}()('{function}', '{name}', {first}, {second}, {first}, {second})",
                tolerance=3e-5,
            )
        refused(f"{D}.{name}({own}).kl_loss('Other', {first}, {second})")
    rows(
        f"{D}.{name}({own}).sample((4, 2)).shape",
        f"{D}.{name}({own}).sample().shape",
        f"{D}.{name}({first}, {second}).sample((4,)).shape",
        f"{D}.{name}({own}).sample((2,)).dtype",
        f"{D}.{name}({own}).get_dist_type() if '{name}' != 'LogNormal' else 0",
        f"[{D}.{name}({own}).is_scalar_batch, {D}.{name}({first}, {second}).is_scalar_batch]",
        f"[{D}.{name}({own}).broadcast_shape, {D}.{name}({first}, {second}).broadcast_shape]",
        f"[{D}.{name}({own}).name, {D}.{name}({own}).dtype, {D}.{name}({own}, seed=3).seed]",
    )
    refused(
        f"{D}.{name}({own}).log_prob(3.0)",
        f"{D}.{name}()('log_prob', {value})",
        f"{D}.{name}({own}, dtype=ms.int32)",
        f"{D}.{name}({own}, seed=-1)",
        f"{D}.{name}({own}).sample(3)",
        f"{D}.{name}({own})('other')",
        f"{D}.{name}({own}, name=3)",
    )
for name, (own, first) in ONE.items():
    value = VALUES[name]
    for function in OF_VALUE:
        rows(
            f"{D}.{name}({own}).{function}({value})",
            f"{D}.{name}()('{function}', {value}, {first})",
            tolerance=3e-5,
        )
    for function in OF_PARAMETERS:
        codes = (f"{D}.{name}({own}).{function}()", f"{D}.{name}()('{function}', {first})")
        if (name, function) == ("Bernoulli", "mode"):
            only_here(*codes, because="MindSpore compares a number with a Tensor, and refuses it")
        else:
            rows(*codes)
    for function in ("kl_loss", "cross_entropy"):
        rows(
            f"{D}.{name}({own}).{function}('{name}', {first})",
            f"{D}.{name}()('{function}', '{name}', {first}, {first})",
            tolerance=3e-5,
        )
    rows(
        f"{D}.{name}({own}).sample((4, 2)).shape",
        f"{D}.{name}({own}).sample().shape",
        f"{D}.{name}({first}).sample((4,)).shape",
        f"{D}.{name}({own}).sample((2,)).dtype",
        f"[{D}.{name}({own}).is_scalar_batch, {D}.{name}({first}).broadcast_shape]",
        f"{D}.{name}({own}).get_dist_type()",
        f"{D}.{name}({own}).get_dist_args()",
        f"{D}.{name}({own}).get_dist_args({first})",
    )
    refused(
        f"{D}.{name}({own}).log_prob(3.0)",
        f"{D}.{name}()('log_prob', {value})",
        f"{D}.{name}(-1.0)",
        f"{D}.{name}(0.0)",
        f"{D}.{name}({own}, dtype=ms.bool_)",
        f"{D}.{name}('a')",
        f"{D}.{name}({own}).kl_loss('Other', {first})",
    )
PROBS = "[0.2, 0.3, 0.5]"
BATCH = T.format("[[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]")
OTHER = T.format("[0.4, 0.4, 0.2]")
for function in OF_VALUE:
    rows(
        f"{D}.Categorical({PROBS}).{function}({T.format('[0.0, 2.0, 1.0]')})",
        f"{D}.Categorical({PROBS}).{function}(ms.Tensor(1.0))",
        f"{D}.Categorical({BATCH}).{function}({T.format('[0.0, 2.0]')})",
        tolerance=3e-5,
    )
for function in OF_PARAMETERS:
    rows(f"{D}.Categorical({PROBS}).{function}()", f"{D}.Categorical({BATCH}).{function}()")
rows(
    f"{D}.Categorical({PROBS}).kl_loss('Categorical', {OTHER})",
    f"{D}.Categorical({PROBS}).cross_entropy('Categorical', {OTHER})",
    f"{D}.Categorical()('kl_loss', 'Categorical', {OTHER}, {T.format(PROBS)})",
    f"{D}.Categorical()('log_prob', {T.format('[0.0, 2.0]')}, {OTHER})",
    f"{D}.Categorical({PROBS}).log_prob({T.format('[-1.0, 5.0, 0.5, -0.5]')})",
    f"{D}.Categorical({PROBS}).cdf({T.format('[-1.0, 5.0, 0.5, -0.5]')})",
    f"{D}.Categorical({PROBS}).sample((4,)).shape",
    f"{D}.Categorical({PROBS}).sample((4,)).dtype",
    f"{D}.Categorical({PROBS}).sample().shape",
    f"[{D}.Categorical({PROBS}).is_scalar_batch, {D}.Categorical({BATCH}).broadcast_shape]",
    tolerance=3e-5,
)
refused(
    f"{D}.Categorical([0.5, 0.6])",
    f"{D}.Categorical(0.5)",
    f"{D}.Categorical([1.0, 0.0])",
    f"{D}.Categorical({PROBS}).kl_loss('Bernoulli', {OTHER})",
    f"{D}.Categorical()('mean')",
)
for function in ("prob", "log_prob"):
    rows(
        f"{D}.Laplace(0.5, 2.0).{function}(x(3))",
        f"{D}.Laplace()('{function}', x(3), {T.format('[0.0, 1.0, 2.0]')}, "
        f"{T.format('[1.0, 0.5, 2.0]')})",
        f"{D}.HalfNormal(0.0, 2.0).{function}(x(3, low=0.1))",
        f"{D}.HalfNormal(0.5, 2.0).{function}({T.format('[-1.0, 0.0, 1.0]')})",
        f"{D}.StudentT(3.0, 0.5, 2.0).{function}(x(3))",
        f"{D}.StudentT()('{function}', x(3), {T.format('[1.0, 2.0, 5.0]')}, "
        f"{T.format('[0.0, 1.0, 2.0]')}, {T.format('[1.0, 0.5, 2.0]')})",
        tolerance=3e-5,
    )
refused(
    f"{D}.Laplace(0.5, -2.0)", f"{D}.HalfNormal(0.0, 0.0)", f"{D}.StudentT(0.0, 0.0, 1.0)",
    f"{D}.Laplace(0.5, 2.0).mean()", f"{D}.HalfNormal(0.0, 1.0).cdf(x(3))",
    f"{D}.StudentT(3.0, 0.0, 1.0).sample((2,))", f"{D}.Laplace(0.5, 2.0).entropy()",
)  # fmt: skip
for function in OF_VALUE:
    rows(
        f"{D}.Gumbel(0.5, 2.0).{function}(x(3))",
        f"{D}.Gumbel({T.format('[0.0, 1.0, 2.0]')}, {T.format('[1.0, 0.5, 2.0]')})"
        f".{function}(x(3))",
        tolerance=3e-5,
    )
for function in OF_PARAMETERS:
    rows(f"{D}.Gumbel(0.5, 2.0).{function}()")
rows(
    f"{D}.Gumbel(0.5, 2.0).kl_loss('Gumbel', ms.Tensor(1.0), ms.Tensor(0.5))",
    f"{D}.Gumbel(0.5, 2.0).cross_entropy('Gumbel', ms.Tensor(1.0), ms.Tensor(0.5))",
    f"{D}.Gumbel(0.5, 2.0).sample((3,)).shape",
    f"[{D}.Gumbel(0.5, 2.0).loc, {D}.Gumbel(0.5, 2.0).scale]",
    tolerance=3e-5,
)

# bijections
BIJECTORS = {
    f"{B}.Exp()": "low=0.1",
    f"{B}.PowerTransform(0.5)": "low=0.1",
    f"{B}.PowerTransform(2.0)": "low=0.1",
    f"{B}.PowerTransform()": "low=0.1",
    f"{B}.ScalarAffine(2.0, 1.0)": "low=-2.0",
    f"{B}.ScalarAffine(-0.5)": "low=-2.0",
    f"{B}.ScalarAffine({T.format('[1.0, -2.0, 3.0]')}, {T.format('[0.5, 0.0, 1.0]')})": "low=-2.0",
    f"{B}.Softplus()": "low=0.1",
    f"{B}.Softplus(3.0)": "low=0.1",
    f"{B}.Invert({B}.Exp())": "low=0.1",
    f"{B}.Invert({B}.ScalarAffine(2.0, 1.0))": "low=-2.0",
}
OF_EXP = {
    *((f"{B}.{made}()", "forward_log_jacobian") for made in ("Exp", "PowerTransform")),
    (f"{B}.Invert({B}.Exp())", "inverse_log_jacobian"),
}
for made, low in BIJECTORS.items():
    for function in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
        why = "MindSpore's gradient is not a number, for the power 0 divides in what is not taken"
        odd = (made, function) in OF_EXP
        rows(
            f"{made}.{function}(x(3, {low}))",
            f"{made}('{function}', x(3, {low}))",
            tolerance=3e-5,
            gradient=not odd,
            because=why if odd else "",
        )
    rows(
        f"[{made}.name, {made}.is_constant_jacobian, {made}.is_injective, {made}.is_scalar_batch]",
        f"[{made}.batch_shape, {made}.dtype]",
    )
for function in ("forward", "forward_log_jacobian"):
    rows(f"{B}.GumbelCDF(0.5, 2.0).{function}(x(3))")
for function in ("inverse", "inverse_log_jacobian"):
    rows(f"{B}.GumbelCDF(0.5, 2.0).{function}(x(3, low=0.1) / 5)", tolerance=3e-5)
refused(
    f"{B}.PowerTransform(-1.0)", f"{B}.GumbelCDF(0.0, -1.0)", f"{B}.Exp().forward(3.0)",
    f"{B}.ScalarAffine(True)", f"{B}.ScalarAffine(1)", f"{B}.Invert(3)", f"{B}.Exp(name=3)",
    f"{B}.Exp().forward(x(3, dtype='int32'))", f"{B}.Softplus(None)",
)  # fmt: skip
MADE = f"{D}.TransformedDistribution({{}}, {D}.Normal(0.5, 2.0))"
for function in OF_VALUE:
    rows(
        f"{MADE.format(f'{B}.Exp()')}.{function}(x(3, low=0.1))",
        f"{MADE.format(f'{B}.ScalarAffine(2.0, 1.0)')}.{function}(x(3))",
        f"{B}.ScalarAffine(2.0, 1.0)({D}.Normal(0.5, 2.0)).{function}(x(3))",
        tolerance=3e-5,
    )
rows(
    f"{MADE.format(f'{B}.ScalarAffine(2.0, 1.0)')}.mean()",
    f"{MADE.format(f'{B}.Exp()')}.sample((3, 2)).shape",
    f"{MADE.format(f'{B}.Exp()')}.is_linear_transformation",
    f"{MADE.format(f'{B}.ScalarAffine(2.0, 1.0)')}.is_linear_transformation",
)
refused(
    f"{MADE.format(f'{B}.Exp()')}.mean()",
    f"{D}.TransformedDistribution(3, {D}.Normal(0.5, 2.0))",
    f"{D}.TransformedDistribution({B}.Exp(), 3)",
    f"{D}.TransformedDistribution({B}.Exp(), {D}.Bernoulli(0.5))",
)
USED = f"""
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.d = {D}.Normal(dtype=ms.float32)
        self.fc = nn.Dense(3, 4, 'ones', 'ones')
    def construct(self, v, seen):
        mean, sd = ops.split(self.fc(v), 2, -1)
        return -self.d.log_prob(seen, mean, ops.exp(sd * 0.1)).mean()
"""
rows(
    f"{USED}\nresult = Net()(x(4, 3), x(4, 2, seed=1))",
    f"{USED}\nresult = ms.grad(Net())(x(4, 3), x(4, 2, seed=1))",
    gradient=False,
    because="one of them is a gradient already",
)
