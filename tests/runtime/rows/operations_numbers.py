"""What the constructors of linear algebra, special and random classes refuse."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import refused

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
