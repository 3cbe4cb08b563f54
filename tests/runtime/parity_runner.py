"""Evaluates rows of the parity table with one framework; run as a script by MindSpore's Python.

    python parity_runner.py ROWS.json RESULTS.pickle

Needs nothing but NumPy and the framework, so that both sides run this very code. A row that
ends the process, or takes minutes, is noted, and the next process goes on behind it.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import json
import linecache
import os
import pickle
import signal
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

NAMESPACES = {
    "ms": "mindspore",
    "nn": "mindspore.nn",
    "ops": "mindspore.ops",
    "mint": "mindspore.mint",
    "mnp": "mindspore.numpy",
    "sl": "mindspore.scipy.linalg",
    "sfft": "mindspore.scipy.fft",
    "P": "mindspore.ops.operations",
    "F": "mindspore.ops.functional",
    "C": "mindspore.ops.composite",
    "G": "mindspore.ops.operations._grad_ops",
}
"""What a row's names mean; one that is not there fails the rows that use it."""

SECONDS = 300
"""How long one row may take in MindSpore: only one that hangs takes more than seconds."""

CRASHED = "error Crash: the process ended"

NO_GRADIENT = "no gradient"
"""Instead of gradients: nothing floating goes in, or nothing comes out."""


class Framework:
    """One of the two; `find` imports its modules by their names in MindSpore."""

    def __init__(self, find: Callable[[str], Any]) -> None:
        self.names: dict[str, Any] = {"np": np}
        for name, module in NAMESPACES.items():
            with contextlib.suppress(ImportError):
                self.names[name] = find(module)
        self.ms = self.names["ms"]

    def values(self, *shape: int, dtype: str = "float32", seed: int = 0, low: float = -2.0) -> Any:
        """Reproducible numbers: floats in [low, low + 4), integers in 1..5, both bools."""
        state = np.random.RandomState(seed + sum(shape))
        if "int" in dtype:
            array = state.randint(1, 6, shape)
        elif dtype == "bool_":
            array = state.randint(0, 2, shape).astype(bool)
        elif "complex" in dtype:
            array = state.rand(*shape) * 4 + low + 1j * state.rand(*shape)
        else:
            array = np.asarray(state.rand(*shape) * 4 + low, np.float32)
        return self.ms.Tensor(np.asarray(array)).astype(getattr(self.ms, dtype))

    def filled(self, cell: Any) -> Any:
        """`cell` with reproducible parameters, variances positive."""
        for k, (name, p) in enumerate(sorted(cell.parameters_and_names())):
            state = np.random.RandomState(k)
            array = state.rand(*p.shape).astype(np.float32) - (0.0 if "var" in name else 0.5)
            p.set_data(self.ms.Tensor(array.astype(np.float32)))
        return cell

    def run(self, code: str, x: Callable[..., Any]) -> Any:
        """The row's result, with Tensors from `x`.

        MindSpore looks for the names of a function that it compiles in the function's module.
        """
        module = sys.modules["parity_row"] = ModuleType("parity_row")
        names = module.__dict__
        names.update(self.names, x=x, filled=self.filled)
        compiled, is_expression = compile_row(code)
        if is_expression:
            return eval(compiled, names)
        exec(compiled, names)
        return names["result"]

    def value(self, code: str) -> Any:
        """What `code` gives, or the name of the error class that MindSpore's users would catch."""
        return self.guarded(lambda: self.plain(self.run(code, self.values)))

    def gradient(self, code: str, compiled: Callable[[Any], Any] = lambda fn: fn) -> Any:
        """The gradients of a weighted sum of the floating results, one per floating `x(...)`."""
        return self.guarded(lambda: self.gradients(code, compiled))

    def gradients(self, code: str, compiled: Callable[[Any], Any]) -> Any:
        made: list[Any] = []

        def floating(*shape: int, dtype: str = "float32", **options: Any) -> Any:
            tensor = self.values(*shape, dtype=dtype, **options)
            if "float" in dtype:
                made.append(tensor)
            return tensor

        if not made_of_floats(self.run(code, floating)) or not made:
            return NO_GRADIENT

        def total(*inputs: Any) -> Any:
            left = iter(inputs)

            def given(*shape: int, dtype: str = "float32", **options: Any) -> Any:
                if "float" in dtype:
                    return next(left)
                return self.values(*shape, dtype=dtype, **options)

            parts = made_of_floats(self.run(code, given))
            weighted = [self.ms.ops.sum(y.astype(self.ms.float32) * self.weights(y)) for y in parts]
            return sum(weighted[1:], weighted[0])

        return self.plain(compiled(self.ms.grad(total, tuple(range(len(made)))))(*made))

    def weights(self, y: Any) -> Any:
        """What `y` is multiplied with: its elements count differently."""
        count = int(np.prod(y.shape))
        return self.ms.Tensor(np.cos(np.arange(count, dtype=np.float32)).reshape(y.shape))

    def guarded(self, evaluate: Callable[[], Any]) -> Any:
        try:
            return evaluate()
        except Exception as error:  # noqa: BLE001 - its result is what a row raises, whatever it is
            return f"error {error_class(error)}: {error}"[:300]

    def plain(self, result: Any) -> Any:
        """Tensors and numbers as (element type, shape, array); the rest as it prints."""
        if isinstance(result, dict):
            return [[str(key), self.plain(part)] for key, part in result.items()]
        if isinstance(result, (tuple, list)):
            return [self.plain(part) for part in result]
        if hasattr(result, "asnumpy"):
            label = str(result.dtype)
            wide = result.astype(self.ms.float32) if label == "BFloat16" else result
            return label, tuple(result.shape), np.asarray(wide.asnumpy())
        if isinstance(result, (np.ndarray, np.generic)) and result.dtype.kind in "biufc":
            return f"NumPy's {result.dtype}", result.shape, np.asarray(result)
        if isinstance(result, float):
            return "Python's float", (), np.asarray(result)
        return repr(result)


@cache
def compile_row(code: str) -> tuple[Any, bool]:
    """The code object, and whether it is an expression; its source can be inspected."""
    name = f"<row {abs(hash(code))}>"
    linecache.cache[name] = (len(code), None, [line + "\n" for line in code.split("\n")], name)
    tree = ast.parse(code)
    is_expression = len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
    return compile(code, name, "eval" if is_expression else "exec"), is_expression


def made_of_floats(result: Any) -> list[Any]:
    """The floating Tensors of a result, from its lists and dictionaries too."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)):
        return [y for part in result for y in made_of_floats(part)]
    is_floating = hasattr(result, "asnumpy") and "Float" in str(getattr(result, "dtype", ""))
    return [result] if is_floating else []


def error_class(error: Exception) -> str:
    kinds = (TypeError, ValueError, IndexError, KeyError, AttributeError, RuntimeError)
    return next((kind.__name__ for kind in kinds if isinstance(error, kind)), type(error).__name__)


def records(results: Path) -> list[tuple[str, Any, Any]]:
    """What is in the file of results so far."""
    found = []
    with open(results, "rb") as stream:
        while True:
            try:
                found.append(pickle.load(stream))
            except EOFError:
                return found


def work(table: list[tuple[str, bool]], results: Path) -> None:
    """Appends to `results`: each row's code, value and gradient."""
    import mindspore as ms

    ms.runtime.launch_blocking()
    ms.ops.transpose(ms.ops.zeros((2, 2)), (1, 0))
    framework = Framework(importlib.import_module)
    with open(results, "ab") as stream:
        for code, has_gradient in table:
            signal.alarm(SECONDS)
            value = framework.value(code)
            gradient = framework.gradient(code) if has_gradient else NO_GRADIENT
            pickle.dump((code, value, gradient), stream)
            stream.flush()
            signal.alarm(0)
            if "set_context" in code:
                ms.set_context(mode=ms.PYNATIVE_MODE)


def work_and_leave(table: list[tuple[str, bool]], results: Path) -> None:
    """Does not return: what the parent has to do at its end is not for this process."""
    try:
        work(table, results)
    finally:
        os._exit(0)


def main(rows: str, results: str) -> None:
    """Imports MindSpore once: each process that does rows is a fork of this one."""
    import mindspore  # noqa: F401

    table = json.loads(Path(rows).read_text(encoding="utf-8"))
    file = Path(results)
    file.touch()
    while len(done := records(file)) < len(table):
        if (child := os.fork()) == 0:
            work_and_leave(table[len(done) :], file)
        os.waitpid(child, 0)
        done = records(file)
        if len(done) < len(table):
            with open(file, "ab") as stream:
                pickle.dump((table[len(done)][0], CRASHED, CRASHED), stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
