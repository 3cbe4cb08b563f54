"""Random numbers: their shapes, element types and refusals; the rest is in test_random.py."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import only_here, refused, rows

PROBABILITIES = "ops.softmax(x(2, 3), -1)"
MASK = "x(3, 4, dtype='bool_')"
CLASSES = "x(2, 2, dtype='int64')"
ONE = "ms.Tensor([2, 3])"


def alike(*codes: str) -> None:
    """Shapes and element types agree."""
    for code in codes:
        rows(f"(lambda y: (y.shape, y.dtype))({code})")


alike(
    "ops.rand(2, 3)",
    "ops.rand((2, 3))",
    "ops.rand()",
    "ops.rand(2, dtype=ms.float16, seed=1)",
    "ops.rand_like(x(2, 3))",
    "ops.rand_like(x(2, dtype='int32'), dtype=ms.float64)",
    "ops.randn(2, 3, dtype=ms.float64)",
    "ops.randn([2, 3], seed=2)",
    "ops.randn_like(x(2, dtype='float16'))",
    "ops.randn_like(x(2), 3, dtype=ms.float16)",
    "ops.randint(0, 5, (2, 3))",
    "ops.randint(-5, 5, (2,), 1, dtype=ms.int8)",
    "ops.randint_like(x(2, 3, dtype='int32'), 0, 5)",
    "ops.randint_like(x(2), 0, 5, dtype=ms.int32)",
    "ops.randperm(5)",
    "ops.randperm(ms.Tensor([5]), 1, 2, ms.float16)",
    "P.RandpermV2()(5)",
    "ops.bernoulli(x(2, 3))",
    f"ops.bernoulli(x(2, 3, dtype='int32'), {PROBABILITIES}, 3)",
    "P.Bernoulli()(x(2, 3), ms.Tensor(0.5))",
    "ops.standard_normal((2, 3))",
    f"ops.standard_normal({ONE}, 5)",
    "P.StandardNormal(seed=1)((2,))",
    "ops.standard_laplace((2, 3))",
    f"ops.standard_laplace({ONE})",
    "P.StandardLaplace()((2,))",
    "ops.normal((2, 3), 0.0, 1.0)",
    "ops.normal((2, 1), x(3), x(3), seed=1)",
    "ops.normal((2,), 0, 1)",
    "ops.laplace((2, 3), ms.Tensor(0.0), ms.Tensor(1.0))",
    "ops.laplace((2, 1), x(3), x(3), 5)",
    "ops.uniform((2, 3), ms.Tensor(0.0), ms.Tensor(1.0))",
    "ops.uniform((2, 1), x(3), x(3))",
    "ops.uniform((2,), ms.Tensor(0, ms.int32), ms.Tensor(5, ms.int32), dtype=ms.int32)",
    "P.UniformInt()((2, 3), ms.Tensor(0, ms.int32), ms.Tensor(5, ms.int32))",
    "P.UniformReal(seed=2)((2, 3))",
    f"ops.random_poisson({ONE}, ms.Tensor(2.0))",
    f"ops.random_poisson({ONE}, ms.Tensor([2.0, 5.0]), 1, ms.int64)",
    f"ops.random_poisson({ONE}, 2.0)",
    f"P.RandomPoisson()({ONE}, ms.Tensor([2.0]))",
    f"ops.random_gamma({ONE}, ms.Tensor([2.0, 5.0]))",
    f"P.RandomGamma()({ONE}, ms.Tensor(2.0, ms.float64))",
    f"ops.multinomial({PROBABILITIES}, 4)",
    f"ops.multinomial({PROBABILITIES}[0], 4)",
    f"ops.multinomial({PROBABILITIES}, 2, False)",
    f"{PROBABILITIES}.multinomial(3)",
    f"P.Multinomial()({PROBABILITIES}, 4)",
    f"P.Multinomial(dtype=ms.int64)({PROBABILITIES}, 4)",
    f"ops.multinomial_with_replacement({PROBABILITIES}, 2, 3, 4, True)",
    f"P.MultinomialWithReplacement(2)({PROBABILITIES}[0], ms.Tensor(2), ms.Tensor(3))",
    "ops.random_categorical(x(2, 3), 4)",
    "ops.random_categorical(x(2, 3), 4, 2, ms.int32)",
    "x(2, 3).random_categorical(3)",
    "P.RandomCategorical(ms.int16)(x(2, 3), 3, 1)",
    "ops.shuffle(x(4, 3))",
    "ops.shuffle(x(), 3)",
    "P.RandomShuffle(seed=1)(x(4, dtype='int32'))",
    f"ops.choice_with_mask({MASK}, 3)[0]",
    f"ops.choice_with_mask({MASK})[1]",
    f"P.RandomChoiceWithMask(3)({MASK})[0]",
    "ops.gumbel_softmax(x(2, 3))",
    "ops.gumbel_softmax(x(2, 3, dtype='float16'), 0.5, True, 1)",
    "x(2, 3).cauchy()",
    "x(2, 3).cauchy(1.0, 2.0)",
    "P.Cauchy([2, 3])()",
    "x(2, 3).log_normal()",
    "x(2, 3).log_normal(1.0, 0.5)",
    "P.LogNormalReverse()(x(2, 3))",
    f"P.TruncatedNormal()({ONE})",
    f"P.TruncatedNormal(ms.float16)({ONE})",
    f"P.ParameterizedTruncatedNormal()({ONE}, *(ms.Tensor([k]) for k in (0.0, 1.0, -1.0, 1.0)))",
    f"P.NonDeterministicInts()({ONE})",
    f"P.NonDeterministicInts(ms.int32)({ONE})",
)
for part in range(3):
    alike(f"ops.uniform_candidate_sampler({CLASSES}, 2, 3, True, 10)[{part}]")
    alike(f"ops.log_uniform_candidate_sampler({CLASSES}, 2, 3, False, 10)[{part}]")
    alike(f"P.UniformCandidateSampler(2, 3, True, 10)(x(2, 2, dtype='int32'))[{part}]")
    alike(f"P.LogUniformCandidateSampler(2, 5, True, 6)({CLASSES})[{part}]")
rows(
    f"ops.log_uniform_candidate_sampler({CLASSES}, 2, 3, False, 10)[1]",
    "ops.sort(ops.randperm(7))[0]",
    "ops.sort(ops.shuffle(x(6)))[0]",
    "ops.bernoulli(x(2, 3), 1.0)",
    "ops.bernoulli(x(2, 3), 0.0)",
    "ops.randint(3, 4, (2,))",
    "ops.multinomial(ms.Tensor([0.0, 1.0, 0.0]), 4)",
    f"ops.sort(ops.multinomial({PROBABILITIES}[0], 3, False).astype(ms.float32))[0]",
    "ops.sum(ops.gumbel_softmax(x(2, 3), hard=True), 1)",
    gradient=False,
    because="what is drawn differs",
)
only_here(
    "P.Randperm(5, pad=-1)(ms.Tensor([3], ms.int32)).shape",
    "ops.gamma((2,), x(3, low=1.0), x(3, low=1.0)).shape",
    "ops.poisson((2, 3), x(3, low=1.0)).shape",
    "P.Gamma()((2,), x(3, low=1.0), x(3, low=1.0)).shape",
    "P.Poisson()((2, 3), x(3, low=1.0)).dtype",
    because="MindSpore's CPU build has no kernel",
)
refused(
    "ops.rand(2, dtype=ms.int32)",
    "ops.rand(2.0)",
    "ops.rand_like(x(2, dtype='int32'))",
    "ops.randn_like(3)",
)
refused(
    "ops.randint(0, 5, [2, 3])",
    "ops.randint(0.0, 5, (2,))",
    "ops.randint(5, 5, (2,))",
    "ops.randint(0, 5, (2,), dtype=ms.float32)",
    "ops.randint_like(x(2), 0, 5)",
)
refused(
    "ops.randperm(-1)",
    "ops.randperm(0)",
    "ops.randperm(2.5)",
    "ops.bernoulli(x(2, 3), 2.0)",
    "ops.bernoulli(x(2, 3), x(3))",
    "ops.bernoulli(x(2), seed=1.5)",
    "ops.bernoulli(x(2, 3), 1)",
)
refused(
    "ops.standard_normal((2, -1))",
    "ops.standard_laplace([2, 3])",
    "ops.standard_laplace(2)",
    "ops.normal([2, 3], 0.0, 1.0)",
    "ops.normal((2,), 'a', 1.0)",
    "ops.laplace((2,), 0.0, 1.0)",
)
refused(
    "ops.uniform((2,), 0.0, 1.0)",
    "ops.uniform((2,), ms.Tensor(0.0), ms.Tensor(1.0), dtype=ms.float64)",
    "ops.uniform((2,), ms.Tensor(0), ms.Tensor(5), dtype=ms.int32)",
    "P.UniformInt()((2,), ms.Tensor(5, ms.int32), ms.Tensor(0, ms.int32))",
)
refused(
    "ops.random_poisson((2,), ms.Tensor(2.0))",
    "ops.random_gamma((2,), ms.Tensor(2.0))",
    f"ops.multinomial({PROBABILITIES}, 4, False)",
    "ops.multinomial(x(1, 2, 3), 2)",
    "ops.random_categorical(x(3), 4)",
    "ops.random_categorical(x(2, 3), 0)",
)
refused(
    f"ops.multinomial_with_replacement({PROBABILITIES}, 2.0, 3, 4, True)",
    "ops.choice_with_mask(x(2, 3))",
    f"ops.choice_with_mask({MASK}, 0)",
    "x(2).cauchy('a')",
)
refused(
    "ops.gumbel_softmax(x(2, 3), 1)",
    "ops.gumbel_softmax(x(2, 3), -1.0)",
    "ops.gumbel_softmax(x(2, 3), dim=3)",
    "ops.gumbel_softmax(x(2, 3, dtype='float64'))",
)
refused(
    f"ops.uniform_candidate_sampler({CLASSES}, 2, 30, True, 10)",
    f"ops.uniform_candidate_sampler({CLASSES}, 1, 3, True, 10)",
    "P.Cauchy((2, 3))()",
)
