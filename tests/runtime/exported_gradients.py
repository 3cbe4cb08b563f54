"""Scripts that the converter emits can be trained on: their gradients against PyTorch's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from msconvert.tests.converter.conversion import Conversion, imported
from msconvert.tests.models.catalog import ModelRow

TOLERANCE = 1e-3
"""Of the largest element of a gradient: float32 sums in another order."""


def weights_like(shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    """What each output is multiplied with before all are summed."""
    state = np.random.RandomState(5)
    return [np.asarray(state.rand(*shape) - 0.5, np.float32) for shape in shapes]


def of_pytorch(row: ModelRow, arrays: list[np.ndarray]) -> tuple[Any, Any, Any]:
    """The outputs' shapes, the inputs' gradients (None for integers), and parameters by name."""
    import torch

    module = row.module()
    inputs = [torch.from_numpy(a).requires_grad_(a.dtype.kind == "f") for a in arrays]
    result = module(*inputs)
    outputs = result if isinstance(result, tuple) else (result,)
    shapes = [tuple(y.shape) for y in outputs]
    floating = [
        (y * torch.from_numpy(w)).sum()
        for y, w in zip(outputs, weights_like(shapes), strict=True)
        if y.is_floating_point()
    ]
    sum(floating).backward()
    parameters = [(p.detach().numpy(), p.grad) for p in module.parameters()]
    return shapes, [x.grad for x in inputs], parameters


def of_runtime(script: Path, checkpoint: Path, arrays: Any, shapes: Any) -> tuple[Any, Any]:
    """The inputs' gradients, and (value, gradient) of each parameter; compiled."""
    with imported(script) as module:
        ms, network = module.ms, module.load(str(checkpoint))

        @ms.jit
        def loss(*inputs: Any) -> Any:
            result = network(*inputs)
            outputs = result if isinstance(result, tuple) else (result,)
            pairs = zip(outputs, weights_like(shapes), strict=True)
            return sum((y * ms.Tensor(w)).sum() for y, w in pairs if y.dtype is ms.float32)

        every = tuple(range(len(arrays)))
        parameters = network.trainable_params()
        gradient = ms.jit(ms.grad(loss, every, parameters))
        of_inputs, of_weights = gradient(*map(ms.Tensor, arrays))
        of_inputs = of_inputs if isinstance(of_inputs, tuple) else (of_inputs,)
        values = [p.asnumpy() for p in parameters]
    return of_inputs, list(zip(values, (g.asnumpy() for g in of_weights), strict=True))


def close(got: np.ndarray, expected: np.ndarray) -> bool:
    limit = TOLERANCE * max(np.abs(expected).max(initial=0), 1e-3)
    return got.shape == expected.shape and np.allclose(got, expected, rtol=0, atol=limit)


def gradient_here(theirs: np.ndarray, ours: list[Any]) -> np.ndarray | None:
    """The sum of the gradients of our parameters with these numbers, maybe transposed.

    What PyTorch shares between layers, the exporter may have written once for each; equal ones it
    may have merged.
    """
    found = [g if same(v, theirs) else g.T for v, g in ours if same(v, theirs) or same(v.T, theirs)]
    return sum(found[1:], found[0]) if found else None


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and np.array_equal(a, b)


def wrong_gradients(row: ModelRow, conversion: Conversion) -> list[str]:
    """Where one step's gradients are not PyTorch's: inputs, and the parameters found in both.

    The exporter folds and rearranges some parameters and leaves out zeros; the inputs' gradients
    see all of them.
    """
    arrays = [item.example(seed=4) for item in row.inputs]
    shapes, expected, theirs = of_pytorch(row, arrays)
    of_inputs, ours = of_runtime(conversion.script, conversion.checkpoint, arrays, shapes)
    of_each = zip(row.inputs, of_inputs, expected, strict=True)
    wrong = [
        item.name
        for item, got, want in of_each
        if want is not None and not close(got.asnumpy(), want.numpy())
    ]
    trained = [(v, g.numpy()) for v, g in theirs if g is not None and v.any()]
    sums = [(v, sum(want for value, want in trained if same(v, value))) for v, _ in trained]
    compared = [(gradient_here(value, ours), want) for value, want in sums]
    found = [(got, want) for got, want in compared if got is not None]
    wrong += [f"a parameter {want.shape}" for got, want in found if not close(got, want)]
    return wrong if found else ["no parameter is the original's"]
