"""Learning rates."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

for step in (0, 3, 7, 12):
    for schedule in (
        "CosineDecayLR(0.01, 0.1, 10)", "ExponentialDecayLR(0.1, 0.9, 4, True)",
        "NaturalExpDecayLR(0.1, 0.9, 4, True)", "InverseDecayLR(0.1, 0.5, 4, True)",
        "PolynomialDecayLR(0.1, 0.01, 10, 0.5)", "WarmUpLR(0.1, 5)",
    ):  # fmt: skip
        rows(f"nn.{schedule}(ms.Tensor({step}, ms.int32))")
rows(
    "nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2)",
    "nn.exponential_decay_lr(0.1, 0.9, 6, 2, 1)",
    "nn.piecewise_constant_lr([2, 5], [0.1, 0.05])",
    "nn.warmup_lr(0.1, 6, 2, 2)",
)
