"""How Tensors print."""

from __future__ import annotations

from msconvert.tests.runtime.parity_rows import rows

NUMBERS = "np.array([[1.5, -200], [3, float('nan')]])"

for dtype in ("float32", "float64", "float16", "bfloat16", "int64", "int8", "bool_", "complex64"):
    for shape in ("60", "1001", "2, 7", "7, 2", "2, 2, 3", "2, 8, 7"):
        rows(f"repr(ms.Tensor(np.arange(2000)[:np.prod(({shape},))].reshape({shape}) % 97)"
             f".astype(ms.{dtype}))")  # fmt: skip
    rows(f"repr(ms.Tensor({NUMBERS}).astype(ms.float32).nan_to_num().astype(ms.{dtype}))")
    rows(f"repr(ms.Tensor(2).astype(ms.{dtype}))", f"repr(ms.Tensor([]).astype(ms.{dtype}))")
rows(
    f"repr(ms.Tensor({NUMBERS}))",
    "repr(ms.Tensor(-0.1234567891))",
    "repr(ms.Tensor(1e20))",
    "repr(ms.Tensor([1e-20, float('inf')]))",
    "repr(ms.Tensor(np.zeros((0, 3))))",
    "repr(ms.Tensor(np.array([1e10 + 2j, -3.123456789 - 1e-9j])))",
    "str((ms.Tensor([1.0]), ms.Tensor(2)))",
    "str(ms.Tensor([[1.0, 2.5]]))",
    "str(ms.Tensor(1.5))",
)
