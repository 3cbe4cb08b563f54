"""Tensors from nothing."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

rows(
    "ops.zeros((2, 3))",
    "ops.zeros(3, ms.int32)",
    "ops.ones((2, 3), ms.float16)",
    "ops.full((2, 3), 1.5, dtype=ms.float32)",
    "ops.full((2,), 3)",
    "ops.zeros_like(x(2, 3))",
    "ops.ones_like(x(2, 3), dtype=ms.int32)",
    "ops.full_like(x(2), 2.5)",
    "ops.arange(5)",
    "ops.arange(1, 7, 2)",
    "ops.arange(0, 1, 0.25)",
    "ops.arange(3, dtype=ms.float32)",
    "ops.linspace(0, 1, 5)",
    "ops.eye(3)",
    "ops.eye(2, 3, ms.int32)",
    "ops.one_hot(ms.Tensor([0, 2, 1]), 4, ms.Tensor(1.0), ms.Tensor(0.0))",
)
