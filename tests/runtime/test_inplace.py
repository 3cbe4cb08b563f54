"""`inplace=True` of mint writes to the argument, as in PyTorch: values, gradients, both modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.runtime import mint

FUNCTIONS: dict[str, dict[str, Any]] = {
    "relu": {},
    "relu6": {},
    "silu": {},
    "elu": {"alpha": 0.7},
    "hardtanh": {"min_val": -0.5, "max_val": 2.0},
    "threshold": {"threshold": 0.5, "value": 1.5},
}
LAYERS = {
    name: FUNCTIONS[name.lower()] for name in "ReLU ReLU6 SiLU ELU Hardtanh Threshold".split()
}
X = np.array([[-2.0, -0.25, 0.75], [1.0, 3.0, 8.0]], np.float32)
W = np.array([1.5, -1.0, 0.5], np.float32)


def expected(name: str) -> tuple[Any, ...]:
    """PyTorch's value of what is written to, and the gradients."""
    import torch

    x, w = (torch.tensor(array, requires_grad=True) for array in (X, W))
    held = x * w
    given = getattr(torch.nn.functional, name)(held, inplace=True, **FUNCTIONS[name])
    (held * 3 + given).sum().backward()
    return held.detach().numpy(), x.grad.numpy(), w.grad.numpy()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("graph", [False, True], ids=["pynative", "graph"])
def test_functions(name: str, graph: bool) -> None:
    call = getattr(mint.nn.functional, name)
    held, of_x, of_w = expected(name)
    assert not np.array_equal(held, X * W), "it must change something"

    def written(x: ms.Tensor, w: ms.Tensor) -> Any:
        own = x * w
        call(own, inplace=True, **FUNCTIONS[name])
        return own

    def total(x: ms.Tensor, w: ms.Tensor) -> Any:
        own = x * w
        given = call(own, inplace=True, **FUNCTIONS[name])
        return (own * 3 + given).sum()

    run = ms.jit if graph else lambda function: function
    np.testing.assert_allclose(run(written)(ms.Tensor(X), ms.Tensor(W)).asnumpy(), held, 1e-6)
    found = run(ms.grad(total, (0, 1)))(ms.Tensor(X), ms.Tensor(W))
    for own, other in zip(found, (of_x, of_w), strict=True):
        np.testing.assert_allclose(own.asnumpy(), other, 1e-5, 1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name: str) -> None:
    for inplace in (True, False):
        x = ms.Tensor(X * W)
        y = getattr(mint.nn, name)(inplace=inplace, **LAYERS[name])(x)
        np.testing.assert_allclose(y.asnumpy(), expected(name.lower())[0], 1e-6)
        np.testing.assert_allclose(x.asnumpy(), y.asnumpy() if inplace else X * W, 1e-6)


@pytest.mark.parametrize("inplace", [True, False])
def test_dropout_keeps_what_it_gives(inplace: bool) -> None:
    for call in (
        lambda x: mint.nn.functional.dropout(x, 0.5, inplace=inplace),
        lambda x: mint.nn.functional.dropout2d(x, 0.5, inplace=inplace),
        mint.nn.Dropout(0.5, inplace=inplace).set_train(),
    ):
        x = ms.Tensor(np.ones((1, 64, 4, 4), np.float32))
        y = call(x)
        assert 0 < float(y.mean()) < 2
        assert np.array_equal(x.asnumpy(), y.asnumpy()) is inplace
