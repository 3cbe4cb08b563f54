"""Every row of `parity_rows.py`: against the real MindSpore, and graph mode against PyNative."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.tests.runtime import parity_runner
from msconvert.tests.runtime.parity_rows import ROWS, Row

NARROW = {"Float16": 2e-3, "BFloat16": 1e-2}
"""What the narrow types can tell apart."""

REFUSED_BY_MINDSPORE_ALONE = 70
"""Rows for which MindSpore's CPU build has no kernel, and the runtime has: at most so many."""

CODES = sorted({row.code for row in ROWS})


@pytest.fixture(scope="module")
def of_mindspore(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """What the real MindSpore gives for every row."""
    folder = tmp_path_factory.mktemp("parity")
    table = folder / "rows.json"
    table.write_text(json.dumps({code: code for code in CODES}))
    run_mindspore(folder, parity_runner.__file__, str(table), "results.pickle")
    return pickle.loads((folder / "results.pickle").read_bytes())


def difference(expected: Any, got: Any, tolerance: float) -> str:
    """How two results of `parity_runner.plain` differ; empty if they do not."""
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = zip(expected, got, strict=True)
        return "; ".join(filter(None, (difference(a, b, tolerance) for a, b in pairs)))
    if isinstance(expected, tuple) and isinstance(got, tuple):
        return difference_of_arrays(expected, got, tolerance)
    if is_error(expected) and is_error(got):
        expected, got = expected.split(":")[0], got.split(":")[0]
    return "" if expected == got else f"expected {expected}, got {got}"


def is_error(result: Any) -> bool:
    return isinstance(result, str) and result.startswith("error ")


def difference_of_arrays(expected: Any, got: Any, tolerance: float) -> str:
    if expected[:2] != got[:2]:
        return f"expected {expected[:2]}, got {got[:2]}"
    a, b = (np.asarray(x[2], np.float64) for x in (expected, got))
    finite = np.isfinite(a)
    scale = np.abs(a[finite]).max(initial=1e-9)
    limit = NARROW.get(expected[0], tolerance) * scale
    fits = np.array_equal(a[~finite], b[~finite], equal_nan=True) and np.allclose(
        a[finite], b[finite], rtol=0, atol=limit
    )
    return "" if fits else f"expected {a.ravel()[:8]}, got {b.ravel()[:8]}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_as_mindspore(row: Row, of_mindspore: dict[str, Any]) -> None:
    expected, got = of_mindspore[row.code], parity_runner.evaluate(ms, row.code)
    assert is_error(got) == row.refused, got
    if is_error(expected) and not row.refused:
        return  # counted by test_mindspore_runs_most_rows
    assert difference(expected, got, row.tolerance) == ""


def test_mindspore_runs_most_rows(of_mindspore: dict[str, Any]) -> None:
    alone = [
        code
        for code in CODES
        if is_error(of_mindspore[code]) and not is_error(parity_runner.evaluate(ms, code))
    ]
    assert len(alone) <= REFUSED_BY_MINDSPORE_ALONE


REFUSALS = (IndexError, TypeError, ValueError, AttributeError)


def as_graph(code: str) -> Any:
    """The row as one compiled graph whose inputs are its `x(...)`."""
    made: list[ms.Tensor] = []

    def record(*shape: int, **options: Any) -> ms.Tensor:
        made.append(parity_runner.values(ms, *shape, **options))
        return made[-1]

    names = {"ms": ms, "nn": ms.nn, "ops": ms.ops, "np": np}
    filled: Callable[[Any], Any] = lambda cell: parity_runner.filled(ms, cell)  # noqa: E731
    eval(code, names | {"x": record, "filled": filled})

    def function(*inputs: ms.Tensor) -> Any:
        left = iter(inputs)
        return eval(code, names | {"x": lambda *a, **k: next(left), "filled": filled})

    return parity_runner.plain(ms.jit(function)(*made))


NEEDS_VALUES = (".item(", ".tolist()", "[x(3", "bool(x")
"""Rows that ask for a traced tensor's value: graph mode must refuse them."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_graph_mode_as_pynative(row: Row) -> None:
    expected = parity_runner.evaluate(ms, row.code)
    if is_error(expected):
        with pytest.raises((MsconvertError, *REFUSALS)):
            as_graph(row.code)
    elif any(mark in row.code for mark in NEEDS_VALUES):
        with pytest.raises(MsconvertError, match="MS306"):
            as_graph(row.code)
    else:
        assert difference(expected, as_graph(row.code), row.tolerance) == ""
