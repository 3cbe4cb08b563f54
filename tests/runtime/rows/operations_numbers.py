"""What the constructors of linear algebra, special and random classes refuse."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused, rows

for name in (
    "StandardNormal StandardLaplace UniformReal UniformInt RandomGamma RandomShuffle Multinomial "
    "RandomPoisson TruncatedNormal ParameterizedTruncatedNormal RandomChoiceWithMask"
).split():
    refused(f"P.{name}(seed=1.5)", f"P.{name}(seed2='a')")
    if name[:8] not in ("RandomPo", "Truncate", "Paramete", "RandomCh"):
        refused(f"P.{name}(seed=-1)")
for name in ("BartlettWindow", "BlackmanWindow", "HammingWindow", "TruncatedNormal", "RandpermV2"):
    refused(f"P.{name}(dtype='a')", f"P.{name}(dtype=3)")
refused("P.BartlettWindow(dtype=ms.int32)", "P.Multinomial(dtype=ms.float32)")
refused("P.RandomCategorical(ms.float32)", "P.NonDeterministicInts(ms.float32)")
refused("P.RandomChoiceWithMask(0)", "P.RandomChoiceWithMask('a')", "P.Cauchy((2,))", "P.Cauchy(2)")
refused("P.MultinomialWithReplacement(-1)", "P.MultinomialWithReplacement('a')")
refused("P.UniformCandidateSampler(0, 3, True, 10)", "P.UniformCandidateSampler(1, 3, 1, 10)")
refused("P.UniformCandidateSampler(1, 30, True, 10)", "P.LogUniformCandidateSampler(1, 0)")
refused("P.LogUniformCandidateSampler(seed=-1)", "P.LogUniformCandidateSampler(range_max=3)")
refused("P.Mvlgamma(p=0)", "P.Mvlgamma(p=1.5)", "P.MatrixPower(n=1.5)", "P.MatrixPower(n='a')")
refused("P.LpNorm('a')", "P.LpNorm(0, -1)", "P.LpNorm(0, 1.5)", "P.LpNorm(0, 1, 'a')")
refused("P.NuclearNorm(3)", "P.NuclearNorm((1,))", "P.NuclearNorm(keepdim='a')")
refused(
    "P.Lstsq(fast=False)", "P.Lstsq(l2_regularizer=1.5)", "P.Histogram(0)", "P.Histogram(min=1.5)"
)
refused(
    "P.Renorm(0, 0, 1.0)", "P.Renorm(1, 0, 1)", "P.Renorm(1.5, 0, 1.0)", "P.Renorm(1, 'a', 1.0)"
)
refused("P.FFTWithSize(1, False, False, 'x')", "P.MatrixInverse(adjoint='a')")

T = "x(2, 3, 4)"
refused(
    "ops.det(x(3, dtype='int32'))", "ops.eig(x(3, dtype='int32'))", "ops.svd(x(3, dtype='int32'))"
)
refused(
    "ops.qr(x(3, dtype='int32'))",
    "ops.cholesky(x(3, dtype='int32'))",
    "ops.inverse(x(3, dtype='int32'))",
)
refused("ops.matrix_power(x(3, dtype='bool_'), 2)", "ops.pdist(x(3, dtype='int32'))")
refused("ops.mm(x(3, dtype='int32'), x(3, 3))", f"ops.bmm({T}, x(3, 3, dtype='float16'))")
refused("ops.ger(x(3, 3, dtype='float16'), x(3))", "ops.cdist(x(3, dtype='int32'), x(3, 3))")
refused("ops.lu_solve(x(3, 2, dtype='complex64'), x(3, 3, dtype='complex64'), x(3, dtype='int32'))")
refused(
    "ops.lu_unpack(x(3, 3), x(3))", "ops.lu_unpack(x(3, 3, dtype='complex64'), x(3, dtype='int32'))"
)
refused(
    "ops.polar(x(2), x(3, dtype='float64'))",
    "ops.polygamma(x(2), x(3))",
    "ops.dist(x(3), x(3), -1)",
)
refused("ops.fft(x(0, 3))", "ops.fftshift(x(3), x(3))", "ops.fftshift(x(3), 'a')")
refused("ops.stft(x(8, dtype='int32'), 4)", "ops.stft(x(8, dtype='float16'), 4)")
for call in (
    "rand_like(x(3), -1)", "randn_like(x(3), -1)", "randint(0, 3, (2,), -1)", "shuffle(x(3), -1)",
    "standard_normal((2,), -1)", "standard_laplace((2,), -1)", "normal((2,), 0.0, 1.0, -1)",
    "multinomial(ops.softmax(x(2, 3), -1), 2, True, -1)", "randperm(4, 0, -1)",
    "choice_with_mask(x(3, dtype='bool_'), 2, -1)", "random_poisson(x(1, dtype='int32'), x(3), -1)",
):  # fmt: skip
    refused(f"ops.{call}")
refused(
    "ops.randperm(ms.Tensor([1, 2]))",
    "ops.randperm(ms.Tensor(2.0))",
    "ops.bernoulli(x(3, dtype='float16'))",
)
refused(
    "ops.laplace(ms.Tensor([2]), x(), x())",
    "ops.uniform([2], x(), x())",
    "ops.uniform(2, x(), x())",
)
refused("ops.multinomial_with_replacement(ops.softmax(x(2, 3), -1), x(), 2, 2, True)")
rows(
    "P.MatrixTriangularSolve()(ops.diag(ms.Tensor([1.0, 2.0, 0.0])), ops.ones((3, 1)))",
    tolerance=1e-3,
    gradient=False,
    because="MindSpore's gradients are those of the transposed matrix, and not finite",
)
refused(
    "P.MatrixSolveLs()(x(4, 3), x(3, 2), ms.Tensor(0.0, ms.float64))", "P.NuclearNorm()(x(2, 3, 4))"
)
refused(
    "P.MatrixTriangularSolve()(x(3, 3), x(3))", "P.Betainc()(x(3), x(2), x(3, dtype='float16'))"
)
refused(
    "P.STFT(4, 2, 4, False, True, True)(x(8), 3)", "P.HammingWindow()(x(1))", "P.HammingWindow()(5)"
)
refused(
    "P.UniformReal()([2])",
    "P.UniformReal()(2)",
    "P.UniformReal()(x(2))",
    "P.TruncatedNormal()((2, 3))",
)
refused("P.TruncatedNormal()(ms.Tensor([2]))", "P.Zeta()(x(3), 2.0)", "P.Zeta()(x(3), x())")
refused("ops.random_poisson(ms.Tensor([2]), x(3, dtype='bool_'))")
