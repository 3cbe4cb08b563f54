"""`x[...]`."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

for item in (
    "0", "-1", "(0, 1)", "(slice(None), -1)", "slice(1, 3)", "slice(None, None, 2)", "...",
    "None", "(None, 0, None)", "(..., None)", "(..., 1)", "(slice(None), [0, 2])",
    "([0, 1], [1, 2])", "(0, slice(None), [1, 2])", "(slice(None), ms.Tensor([[0, 1], [1, 2]]))",
    "(ms.Tensor([0, 1]), slice(None), ms.Tensor([1, 3]))",
):  # fmt: skip
    rows(f"x(2, 3, 4)[{item}]")
rows("x(3, 4)[x(3, 4) > 0]", "x(3, 4)[x(3, dtype='bool_')]")
