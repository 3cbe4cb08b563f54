"""torch.distributions: random numbers with their densities."""

from ..families import missing
from ..rule import Check, Rule

D = "torch.distributions."
ALLOWED = "x.masked_fill(b, -math.inf)"  # classes that are ruled out
NORMAL = f"it = {D}Normal(x, p)\n"
MIXTURE = "it = D.MixtureSameFamily(D.Categorical(logits=logits), D.Normal(logits, 2.0))\n"
OWN = "Distribution."


def distribution(signature: str, *examples: str) -> Rule:
    """A class of `compat` that has PyTorch's methods."""
    rule = Rule(f"{D}{signature}")
    given = [p for p in rule.params if p.name != "validate_args"]
    handed = [p.name if p.default is None else f"{p.name}={p.name}" for p in given]
    name = rule.name.removeprefix(D)
    return Rule(
        rule.signature,
        f"compat.{name}({', '.join(handed)})",
        example=tuple(code.replace("D.", D) for code in examples),
    )


def member(signature: str, code: str, check: Check = "value", returns: str = "tensor") -> Rule:
    """A method or value of a distribution: MindSpore code has it under the same name."""
    rule = Rule(f"{D}{OWN}{signature}")
    handed = ", ".join(p.name for p in rule.params[1:])
    call = f"({handed})" if rule.is_callable else ""
    return Rule(
        rule.signature,
        f"self.{rule.name.rpartition('.')[2]}{call}",
        limit="The classes of compat have it: Normal, Uniform, Exponential, Bernoulli, "
        "Categorical, Beta, Independent and others.",
        returns=returns,
        example=f"{NORMAL}{code}",
        check=check,
    )


CLASSES = (
    distribution(
        "Normal(loc, scale, validate_args=None)",
        "D.Normal(x, p).log_prob(y)",
        "D.Normal(0.0, 2.0).log_prob(x)",
        "D.Normal(x, scale=2.0).entropy()",
        "it = D.Normal(x, p)\n[it.mean, it.stddev, it.variance, it.perplexity(), it.cdf(y)]",
        "D.Normal(x, p).icdf(u)",
        "D.Normal(v, 1.0).log_prob(x)",
    ),
    distribution(
        "Uniform(low, high, validate_args=None)",
        "D.Uniform(0.0, 2.0).log_prob(u)",
        "it = D.Uniform(x, x + p)\n[it.mean, it.variance, it.entropy(), it.icdf(u), it.stddev]",
        "D.Uniform(x, x + p).cdf(x + p / 3)",
    ),
    distribution(
        "Exponential(rate, validate_args=None)",
        "D.Exponential(p).log_prob(u)",
        "it = D.Exponential(2.0)\n[it.mean, it.variance, it.entropy(), it.cdf(p), it.icdf(u)]",
    ),
    distribution(
        "Bernoulli(probs=None, logits=None, validate_args=None)",
        "D.Bernoulli(u).log_prob(b.float())",
        "D.Bernoulli(logits=x).log_prob(b.float())",
        "it = D.Bernoulli(logits=x)\n[it.mean, it.variance, it.mode, it.entropy(), it.logits]",
        "it = D.Bernoulli(u)\n[it.logits, it.probs, it.enumerate_support()]",
    ),
    distribution(
        "Categorical(probs=None, logits=None, validate_args=None)",
        "D.Categorical(logits=logits).log_prob(labels)",
        "D.Categorical(u).log_prob(order)",
        "it = D.Categorical(logits=logits)\n[it.entropy(), it.mode, it.probs, it.logits]",
        "it = D.Categorical(probs=p)\n[it.entropy(), it.probs, it.enumerate_support()]",
        f"D.Categorical(logits={ALLOWED}).entropy()",
        "D.Categorical(logits=logits).log_prob(torch.tensor([[1, 0, 2, 3], [0, 1, 1, 4]]))",
    ),
    distribution(
        "Beta(concentration1, concentration0, validate_args=None)",
        "D.Beta(p, 2.0).log_prob(u)",
        "it = D.Beta(p + 1, p + 2)\n[it.mean, it.variance, it.mode, it.stddev]",
    ),
    distribution(
        "Laplace(loc, scale, validate_args=None)",
        "D.Laplace(x, p).log_prob(y)",
        "it = D.Laplace(x, p)\n[it.mean, it.variance, it.stddev, it.entropy(), it.cdf(y)]",
        "D.Laplace(x, 2.0).icdf(u)",
    ),
    distribution(
        "Cauchy(loc, scale, validate_args=None)",
        "D.Cauchy(x, p).log_prob(y)",
        "it = D.Cauchy(x, p)\n[it.mean, it.variance, it.mode, it.entropy(), it.cdf(y)]",
        "D.Cauchy(x, 1.0).icdf(u)",
    ),
    distribution(
        "Gumbel(loc, scale, validate_args=None)",
        "D.Gumbel(x, p).log_prob(y)",
        "it = D.Gumbel(x, p)\n[it.mean, it.variance, it.stddev, it.entropy()]",
    ),
    distribution(
        "Gamma(concentration, rate, validate_args=None)",
        "D.Gamma(p, p + 1).log_prob(u)",
        "it = D.Gamma(p, 2.0)\n[it.mean, it.variance, it.mode, it.entropy()]",
    ),
    distribution(
        "Chi2(df, validate_args=None)",
        "D.Chi2(p).log_prob(u)",
        "it = D.Chi2(p)\n[it.mean, it.variance, it.entropy()]",
    ),
    distribution(
        "LogNormal(loc, scale, validate_args=None)",
        "D.LogNormal(x, u).log_prob(p)",
        "it = D.LogNormal(x, u)\n[it.mean, it.variance, it.mode, it.entropy(), it.cdf(p)]",
    ),
    distribution(
        "HalfNormal(scale, validate_args=None)",
        "D.HalfNormal(p).log_prob(u)",
        "it = D.HalfNormal(p)\n[it.mean, it.variance, it.entropy(), it.cdf(u), it.icdf(u)]",
    ),
    distribution(
        "Geometric(probs=None, logits=None, validate_args=None)",
        "D.Geometric(u).log_prob(j.float())",
        "it = D.Geometric(logits=x)\n[it.mean, it.variance, it.probs, it.entropy()]",
    ),
    distribution(
        "Poisson(rate, validate_args=None)",
        "D.Poisson(p).log_prob(j.float())",
        "it = D.Poisson(p)\n[it.mean, it.variance, it.mode, it.stddev]",
    ),
    distribution(
        "StudentT(df, loc=0.0, scale=1.0, validate_args=None)",
        "D.StudentT(p + 2).log_prob(x)",
        "it = D.StudentT(p + 2, x, 2.0)\n[it.mean, it.variance, it.mode, it.entropy()]",
        "D.StudentT(p).variance",
    ),
    distribution(
        "Dirichlet(concentration, validate_args=None)",
        "D.Dirichlet(p).log_prob(torch.softmax(x, 1))",
        "it = D.Dirichlet(p)\n[it.mean, it.variance, it.entropy()]",
    ),
    distribution(
        "MultivariateNormal(loc, covariance_matrix=None, precision_matrix=None, "
        "scale_tril=None, validate_args=None)",
        "D.MultivariateNormal(v, spd).log_prob(x)",
        "D.MultivariateNormal(v, precision_matrix=spd).entropy()",
        "it = D.MultivariateNormal(v, scale_tril=torch.linalg.cholesky(spd))\n"
        "[it.mean, it.variance, it.log_prob(w)]",
    ),
    distribution(
        "OneHotCategorical(probs=None, logits=None, validate_args=None)",
        "D.OneHotCategorical(logits=logits).log_prob(torch.eye(5)[labels])",
        "it = D.OneHotCategorical(p)\n[it.mean, it.variance, it.entropy(), it.mode]",
    ),
    distribution(
        "Binomial(total_count=1, probs=None, logits=None, validate_args=None)",
        "D.Binomial(3, u).log_prob(j.float())",
        "it = D.Binomial(4, logits=x)\n[it.mean, it.variance, it.probs]",
    ),
    distribution(
        "Multinomial(total_count=1, probs=None, logits=None, validate_args=None)",
        "D.Multinomial(6, p).log_prob(torch.tensor([1.0, 2.0, 3.0, 0.0]))",
        "it = D.Multinomial(6, logits=x)\n[it.mean, it.variance]",
    ),
    distribution(
        "Independent(base_distribution, reinterpreted_batch_ndims, validate_args=None)",
        "D.Independent(D.Normal(x, p), 1).log_prob(y)",
        "it = D.Independent(D.Normal(a, 1.0), 2)\n[it.entropy(), it.mean, it.variance]",
        "D.Independent(D.Normal(a, 1.0), 2).event_shape[1]",
    ),
    distribution(
        "MixtureSameFamily(mixture_distribution, component_distribution, validate_args=None)",
        f"{MIXTURE}[it.log_prob(x), it.mean, it.variance, it.stddev, it.cdf(x)]",
        f"{MIXTURE}list(it.sample((3,)).shape) + list(it.batch_shape) + list(it.event_shape)",
        "it = D.MixtureSameFamily(D.Categorical(p[0]), D.Independent(D.Normal(x.T, 1.0), 1))\n"
        "[it.log_prob(v[:3]), it.mean, it.variance, it.sample((2,)).shape[1]]",
    ),
    distribution(
        "TransformedDistribution(base_distribution, transforms, validate_args=None)",
        "it = D.TransformedDistribution(D.Normal(x, p), D.TanhTransform(cache_size=1))\n"
        "[it.log_prob(torch.tanh(y)), it.batch_shape[1]]",
        "base = D.Normal(x / 9, p / 9)\n"
        "it = D.TransformedDistribution(base, [D.TanhTransform(cache_size=1)])\n"
        "drawn = it.rsample()\n"
        "(it.log_prob(drawn) - base.log_prob(drawn.atanh()) + (1 - drawn**2).log()).abs() < 1e-3",
        "it = D.TransformedDistribution(\n"
        "    D.Independent(D.Normal(x, p), 1),\n"
        "    [D.AffineTransform(1.0, 2.0, event_dim=1), D.SigmoidTransform()],\n"
        ")\nit.log_prob(u)",
        "D.TransformedDistribution(D.Normal(0.5, 2.0), D.ExpTransform()).log_prob(p)",
    ),
    *(
        Rule(
            f"{D}{name}Transform({', '.join([*given, 'cache_size=0'])})",
            f"compat.{name}Transform({', '.join(handed)})",
            drop=("cache_size",),
            example=(
                f"it = {D}{name}Transform({made})\n[it(x), it.inv(it(x)), "
                "it.log_abs_det_jacobian(x, it(x))]"
            ),
        )
        for name, given, handed, made in (
            ("Affine", ("loc", "scale", "event_dim=0"), ("loc", "scale", "event_dim"), "1.0, p"),
            ("Exp", (), (), ""),
            ("Sigmoid", (), (), ""),
            ("Tanh", (), (), "cache_size=1"),
        )
    ),
    distribution(
        "Distribution(batch_shape=torch.Size(), event_shape=torch.Size(), validate_args=None)",
        "D.Distribution((2, 3), validate_args=False).batch_shape[1]",
    ),
    Rule(
        "torch.distributions.kl_divergence(p, q)",
        "compat.kl_divergence(p, q)",
        limit="Of two of a kind: Normal, Categorical, Bernoulli, Exponential, Independent.",
        returns="tensor",
        example=tuple(
            f"{D}kl_divergence({D}{one}, {D}{other})"
            for one, other in (
                ("Normal(x, p)", "Normal(y, 1.0)"),
                ("Categorical(logits=logits)", "Categorical(logits=logits * 2)"),
                (f"Categorical(logits={ALLOWED})", f"Categorical(logits=y + {ALLOWED})"),
                ("Bernoulli(u)", "Bernoulli(logits=x)"),
                ("Exponential(p)", "Exponential(2.0)"),
            )
        ),
    ),
)

MEMBERS = (
    member("sample(self, sample_shape=torch.Size())", "it.sample((2,))", "dtype"),
    member("rsample(self, sample_shape=torch.Size())", "it.rsample(sample_shape=(5, 2))", "dtype"),
    member("sample_n(self, n)", "it.sample_n(2)", "dtype"),
    member("log_prob(self, value)", "it.log_prob(y)"),
    member("cdf(self, value)", "it.cdf(y)"),
    member("icdf(self, value)", "it.icdf(u)"),
    member("entropy(self)", "it.entropy()"),
    member("perplexity(self)", "it.perplexity()"),
    member("mean", "it.mean"),
    member("mode", "it.mode"),
    member("stddev", "it.stddev"),
    member("variance", "it.variance"),
    *(
        Rule(
            f"torch.distributions.Distribution.{name}",
            f"self.{name}",
            limit="Only distributions that have such a parameter.",
            returns="tensor",
            example=f"it = {D}{made}\nit.{name}",
        )
        for name, made in (
            ("probs", "Bernoulli(logits=x)"),
            ("logits", "Categorical(probs=p)"),
            ("loc", "Normal(x, p)"),
            ("scale", "Normal(x, p)"),
            ("low", "Uniform(x, x + p)"),
            ("high", "Uniform(x, x + p)"),
            ("rate", "Exponential(p)"),
            ("concentration", "Gamma(p, 2.0)"),
            ("concentration0", "Beta(p, 2.0)"),
            ("concentration1", "Beta(p, 2.0)"),
            ("df", "StudentT(p)"),
            ("covariance_matrix", "MultivariateNormal(v, spd)"),
            ("scale_tril", "MultivariateNormal(v, spd)"),
        )
    ),
    member("batch_shape", "it.batch_shape[1]", returns="shape"),
    member("event_shape", "len(it.event_shape)", returns="shape"),
    Rule(
        "torch.distributions.Distribution.enumerate_support(self, expand=True)",
        "self.enumerate_support(expand)",
        limit="Bernoulli and Categorical have it.",
        returns="tensor",
        example=(
            f"it = {D}Bernoulli(u)\nit.enumerate_support()",
            f"it = {D}Categorical(logits=logits)\nit.enumerate_support(expand=False)",
        ),
    ),
    *missing(
        "make the distribution of parameters that have that shape",
        "torch.distributions.Distribution.expand(self, batch_shape, _instance=None)",
    ),
    *missing(
        "delete it: nothing is validated",
        *(
            f"torch.distributions.Distribution.{name}"
            for name in (
                *("arg_constraints", "support", "has_enumerate_support", "has_rsample"),
                "set_default_validate_args(value)",
            )
        ),
        "torch.distributions.biject_to(constraint)",
        "torch.distributions.transform_to(constraint)",
        "torch.distributions.register_kl(type_p, type_q)",
    ),
)


FORMULAS = (
    *missing(
        "write its formulas with ops (log_prob, and sample from NumPy's generators)",
        *(
            f"torch.distributions.{signature}"
            for signature in (
                "ContinuousBernoulli(probs=None, logits=None, lims=(0.499, 0.501), "
                "validate_args=None)",
                "ExponentialFamily(batch_shape=torch.Size(), event_shape=torch.Size(), "
                "validate_args=None)",
                "FisherSnedecor(df1, df2, validate_args=None)",
                "GeneralizedPareto(loc, scale, concentration, validate_args=None)",
                "HalfCauchy(scale, validate_args=None)",
                "InverseGamma(concentration, rate, validate_args=None)",
                "Kumaraswamy(concentration1, concentration0, validate_args=None)",
                "LKJCholesky(dim, concentration=1.0, validate_args=None)",
                "LogisticNormal(loc, scale, validate_args=None)",
                "LowRankMultivariateNormal(loc, cov_factor, cov_diag, validate_args=None)",
                "NegativeBinomial(total_count, probs=None, logits=None, validate_args=None)",
                "OneHotCategoricalStraightThrough(probs=None, logits=None, validate_args=None)",
                "Pareto(scale, alpha, validate_args=None)",
                "RelaxedBernoulli(temperature, probs=None, logits=None, validate_args=None)",
                "RelaxedOneHotCategorical(temperature, probs=None, logits=None, "
                "validate_args=None)",
                "VonMises(loc, concentration, validate_args=None)",
                "Weibull(scale, concentration, validate_args=None)",
                "Wishart(df, covariance_matrix=None, precision_matrix=None, scale_tril=None, "
                "validate_args=None)",
            )
        ),
    ),
    *missing(
        "write the function, its inverse and the logarithm of its slope with ops",
        *(
            f"torch.distributions.{name}Transform({parameters}cache_size=0)"
            for name, parameters in (
                ("Abs", ""),
                *(("Cat", "tseq, dim=0, lengths=None, "), ("Compose", "parts, ")),
                *(("CorrCholesky", ""), ("CumulativeDistribution", "distribution, ")),
                ("Independent", "base_transform, reinterpreted_batch_ndims, "),
                *(("LowerCholesky", ""), ("PositiveDefinite", ""), ("Power", "exponent, ")),
                *(("Reshape", "in_shape, out_shape, "), ("Softmax", "")),
                *(("Softplus", ""), ("Stack", "tseq, dim=0, "), ("StickBreaking", "")),
                ("", ""),
            )
        ),
        "torch.distributions.identity_transform(x)",
    ),
)

RULES = (*CLASSES, *MEMBERS, *FORMULAS)
