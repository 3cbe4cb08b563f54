"""Evaluates rows of `parity_rows.py` with one framework; run as a script by MindSpore's Python.

    python parity_runner.py ROWS.json RESULTS.pickle

Needs nothing but NumPy and the framework, so that both sides run this very code.
"""

from __future__ import annotations

import json
import pickle
import sys
from typing import Any

import numpy as np


def values(ms: Any, *shape: int, dtype: str = "float32", seed: int = 0, low: float = -2.0) -> Any:
    """A Tensor of reproducible numbers: floats in [low, low + 4), integers in 1..5, both bools."""
    state = np.random.RandomState(seed + sum(shape))
    kind = getattr(ms, dtype)
    if "int" in dtype:
        array = state.randint(1, 6, shape)
    elif dtype == "bool_":
        array = state.randint(0, 2, shape).astype(bool)
    else:
        array = np.asarray(state.rand(*shape) * 4 + low, np.float32)
    return ms.Tensor(np.asarray(array)).astype(kind)


def filled(ms: Any, cell: Any) -> Any:
    """`cell` with reproducible parameters, variances positive."""
    for k, (name, p) in enumerate(sorted(cell.parameters_and_names())):
        state = np.random.RandomState(k)
        array = state.rand(*p.shape).astype(np.float32) - (0.0 if "var" in name else 0.5)
        p.set_data(ms.Tensor(array.astype(np.float32)))
    return cell


def plain(result: Any) -> Any:
    """Tensors as (element type, shape, float64 or integer array); the rest as it is."""
    if isinstance(result, (tuple, list)):
        return [plain(part) for part in result]
    if hasattr(result, "asnumpy"):
        label = str(result.dtype)
        array = result.astype(FLOAT32).asnumpy() if label == "BFloat16" else result.asnumpy()
        return label, tuple(result.shape), np.asarray(array)
    return repr(result)


FLOAT32: Any = None


def evaluate(ms: Any, code: str) -> Any:
    """What `code` gives, or the name of the error class that MindSpore's users would catch."""
    global FLOAT32
    FLOAT32 = ms.float32
    names = {
        "ms": ms,
        "nn": ms.nn,
        "ops": ms.ops,
        "np": np,
        "x": lambda *shape, **options: values(ms, *shape, **options),
        "filled": lambda cell: filled(ms, cell),
    }
    try:
        return plain(eval(code, names))
    except (TypeError, ValueError, IndexError, KeyError, RuntimeError, AttributeError) as error:
        return f"error {error_class(error)}: {error}"[:300]


def error_class(error: Exception) -> str:
    kinds = (TypeError, ValueError, IndexError, KeyError, AttributeError, RuntimeError)
    return next(kind.__name__ for kind in kinds if isinstance(error, kind))


def main(rows: str, results: str) -> None:
    import mindspore as ms

    ms.runtime.launch_blocking()
    ms.ops.transpose(ms.ops.zeros((2, 2)), (1, 0))
    with open(rows) as stream:
        table = json.load(stream)
    found = {name: evaluate(ms, code) for name, code in table.items()}
    with open(results, "wb") as stream:
        pickle.dump(found, stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
