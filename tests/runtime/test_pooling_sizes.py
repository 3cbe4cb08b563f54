"""Pooling with borders and `ceil_mode`: sizes and gradients of both modes are PyTorch's."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import ops


@pytest.mark.parametrize("mode", ["pynative", "graph"])
@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("size", [4, 5, 7, 8, 9])
def test_sizes_and_gradients_are_pytorchs(size: int, kind: str, mode: str) -> None:
    torch = pytest.importorskip("torch")
    data = np.random.default_rng(0).standard_normal((1, 2, size, size)).astype(np.float32)
    theirs = getattr(torch.nn.functional, f"{kind}_pool2d")
    for kernel, step, pad, ceil in product((1, 2, 3, 4), (1, 2, 3), (0, 1, 2), (False, True)):
        if 2 * pad > kernel or kernel > size + 2 * pad:
            continue

        def squares(x: ms.Tensor) -> ms.Tensor:
            if kind == "max":
                y = ops.max_pool2d(x, kernel, step, pad, ceil_mode=ceil)  # noqa: B023
            else:
                y = ops.avg_pool2d(x, kernel, step, pad, ceil)  # noqa: B023
            return (y * y).sum() + y.shape[2]

        x = torch.tensor(data, requires_grad=True)
        y = theirs(x, kernel, step, pad, ceil_mode=ceil)
        (y * y).sum().backward()
        function = ms.jit(squares) if mode == "graph" else squares
        value, grad = ms.value_and_grad(function)(ms.Tensor(data))
        case = f"{kernel}, {step}, {pad}, {ceil}"
        wanted = (y * y).sum().item() + y.shape[2]
        assert np.allclose(value.asnumpy(), wanted, rtol=1e-4), case
        assert grad.shape == data.shape, case
        assert np.allclose(grad.asnumpy(), x.grad.numpy(), atol=1e-4), case
