"""Runs the forms of control flow in `flow/` with one framework; as a script.

    python flow_runner.py RESULTS.pickle [NAME ...]      all forms, or those

Needs nothing but NumPy and `mindspore`, so that both sides run this very code. What a form gives is
kept by mode: PyNative, `jit` in PyNative mode, and a Cell in graph mode.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "flow"
sys.path.insert(0, str(FOLDER))  # as users do: MindSpore compiles only what it can import
TABLES = sorted(path.stem for path in FOLDER.glob("*.py"))
MODES = ("pynative", "jit", "graph")
CRASHED = "error: the process ended"


def tensor_of(value: Any, ms: Any) -> Any:
    """Numbers are Tensors too: all that the forms decide on is known only when they run."""
    array = np.array(value)
    return ms.Tensor(array.astype(np.float32 if array.dtype.kind == "f" else np.int32))


def plain(result: Any) -> Any:
    """Tensors and numbers as (element type, array); MindSpore gives either for a number."""
    if isinstance(result, dict):
        return {key: plain(part) for key, part in result.items()}
    if isinstance(result, (tuple, list)):
        return [plain(part) for part in result]
    if hasattr(result, "asnumpy"):
        return str(result.dtype), np.array(result.asnumpy())
    return type(result).__name__, np.array(result)


def wrapped(function: Any, nn: Any) -> Any:
    """A Cell that calls the function; a class of Cells as it is."""

    class Wrapped(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.function = function

        def construct(self, *inputs: Any) -> Any:
            return self.function(*inputs)

    return Wrapped()


def compiled_call(form: Any, table: str, mode: str, ms: Any) -> Callable[..., Any]:
    """What is called in this mode: the form, or the value and the gradients of it."""
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    net = form() if isinstance(form, type) else None
    if net is None and mode == "graph":
        net = wrapped(form, ms.nn)
    called = form if net is None else net
    if table == "gradients":
        weights = None if net is None else net.trainable_params() or None
        called = ms.value_and_grad(called, 0, weights)
    return ms.jit(called) if mode == "jit" else called


def results_of(form: Any, calls: Any, table: str, mode: str) -> Any:
    """What the calls give, and what was printed by them; or the error."""
    import mindspore as ms

    printed = io.StringIO()
    try:
        function = compiled_call(form, table, mode, ms)
        with contextlib.redirect_stdout(printed):
            found = [plain(function(*[tensor_of(x, ms) for x in given])) for given in calls]
    except Exception as error:  # noqa: BLE001 - a form's result is what it raises, whatever it is
        return f"error {type(error).__name__}: {error}"[:600]
    return found


def run_all(results: Path, table: str, names: list[str]) -> None:
    """Each form in a process of its own: some end MindSpore's."""
    forms = importlib.import_module(table).CALLS
    for form, calls in forms.items():
        if names and f"{table}.{form.__name__}" not in names:
            continue
        for mode in MODES:
            if (child := os.fork()) == 0:
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    found = results_of(form, calls, table, mode)
                notes = [str(one.message)[:300] for one in told]
                with open(results, "ab") as stream:
                    pickle.dump((f"{table}.{form.__name__}", mode, found, notes), stream)
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            if status:
                with open(results, "ab") as stream:
                    pickle.dump((f"{table}.{form.__name__}", mode, CRASHED, []), stream)


if __name__ == "__main__":
    for name in TABLES:
        run_all(Path(sys.argv[1]), name, sys.argv[2:])
