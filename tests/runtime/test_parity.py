"""Every row of `rows/*.py`: against the real MindSpore, and graph mode against PyNative.

    pytest tests/runtime/test_parity.py -k losses        one family
    pytest tests/runtime/test_parity.py -k ops.relu      one API

A run takes a share of the rows of a group, one of each kind at least, and --whole all of them.
What MindSpore gave for a row is kept in pytest's cache, by the row's text and the runner's.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import pickle
from collections.abc import Callable, Hashable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.errors import MsconvertError
from msconvert.runtime.alias import MODULES
from msconvert.tests.runtime import parity_runner
from msconvert.tests.runtime.parity_rows import Row, groups
from msconvert.tests.runtime.parity_runner import CRASHED, NO_GRADIENT
from msconvert.tests.sweep import Sweeps, chosen

NARROW = {"Float16": 2e-3, "BFloat16": 1e-2}
"""What the narrow types can tell apart."""

NO_GRADIENT_IN_MINDSPORE = 0.05
"""Of the rows with a gradient: how many MindSpore's CPU build may refuse to differentiate."""

ROWS_PER_PROCESS = 1500
"""Half a minute of MindSpore's on a free machine."""

GROUPS = groups()
ONE_IN = 4
"""Of the rows of a group, this share runs, and one of each kind; with --whole all of them."""

Results = dict[str, tuple[Any, Any]]


def find(name: str) -> Any:
    """The runtime's module that answers for one of MindSpore's."""
    if name not in MODULES:
        raise ImportError(name)
    return importlib.import_module(MODULES[name])


RUNTIME = parity_runner.Framework(find)


@pytest.fixture(scope="module")
def taken(sweeps: Sweeps) -> dict[str, list[Row]]:
    """The rows of each group that are run: what is said of a row in the docs always is."""
    return {
        group: sweeps.rows(f"parity {group}", rows, lambda row: row.code, kinds, ONE_IN)
        for group, rows in GROUPS.items()
    }


def kinds(row: Row) -> list[Hashable]:
    """What a group must have a row of."""
    return [(row.refused, has_gradient(row), row.graph), row.because and row.code]


@pytest.fixture(scope="module")
def of_mindspore(
    request: pytest.FixtureRequest,
    taken: dict[str, list[Row]],
    run_mindspore: Callable[..., str],
    kept_of_mindspore: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Results:
    """What the real MindSpore gives for the selected rows: value and gradients."""
    groups = chosen(request, "group")
    everything = [row for name in groups or taken for row in taken[name]]
    kept = Kept(kept_of_mindspore)
    table = [(row.code, has_gradient(row)) for row in everything if kept.key(row) not in kept.found]
    for start in range(0, len(table), ROWS_PER_PROCESS):
        folder = tmp_path_factory.mktemp("parity")
        chosen_rows = table[start : start + ROWS_PER_PROCESS]
        (folder / "rows.json").write_text(json.dumps(chosen_rows))
        run_mindspore(folder, parity_runner.__file__, "rows.json", "results.pickle")
        fresh = parity_runner.records(folder / "results.pickle")
        kept.add(everything, {code: (value, gradient) for code, value, gradient in fresh})
    return {row.code: kept.found[kept.key(row)] for row in everything}


Asked = Callable[[Row], tuple[Any, Any]]


@pytest.fixture(scope="module")
def asked_alone(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Asked:
    """What MindSpore gives for one row in a process of its own.

    Thousands of rows in one process wear it down: some fail there now and then, and pass alone.
    """

    @cache
    def ask(row: Row) -> tuple[Any, Any]:
        folder = tmp_path_factory.mktemp("alone")
        (folder / "rows.json").write_text(json.dumps([(row.code, has_gradient(row))]))
        run_mindspore(folder, parity_runner.__file__, "rows.json", "results.pickle")
        ((_, value, gradient),) = parity_runner.records(folder / "results.pickle")
        return value, gradient

    return ask


class Kept:
    """Results of MindSpore that hold while the row and the runner are the same."""

    def __init__(self, folder: Path) -> None:
        runner = hashlib.sha256(Path(parity_runner.__file__).read_bytes()).hexdigest()[:16]
        self.file = folder / f"{runner}.pickle"
        self.found: Results = pickle.loads(self.file.read_bytes()) if self.file.exists() else {}

    def key(self, row: Row) -> str:
        return f"{has_gradient(row)} {row.code}"

    def add(self, rows: list[Row], fresh: Results) -> None:
        self.found |= {self.key(row): fresh[row.code] for row in rows if row.code in fresh}
        beside = self.file.with_suffix(".new")
        beside.write_bytes(pickle.dumps(self.found))
        beside.replace(self.file)


def has_gradient(row: Row) -> bool:
    """Whether the gradient is compared: not the gradients of gradients, which are slow there."""
    return row.gradient and not row.refused and "grad(" not in row.code


@cache
def of_runtime(code: str) -> Any:
    return RUNTIME.value(code)


def difference(expected: Any, got: Any, tolerance: float) -> str:
    """How two results of `Framework.plain` differ; empty if they do not."""
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
    a, b = (np.asarray(x[2]) for x in (expected, got))
    if a.dtype.kind == "c":
        a, b = (np.stack([x.real, x.imag]) for x in (a, b))
    a, b = (np.asarray(x, np.float64) for x in (a, b))
    finite = np.isfinite(a)
    scale = np.abs(a[finite]).max(initial=1e-9)
    limit = max(NARROW.get(expected[0], 0), tolerance) * scale
    fits = np.array_equal(a[~finite], b[~finite], equal_nan=True) and np.allclose(
        a[finite], b[finite], rtol=0, atol=limit
    )
    return "" if fits else f"expected {a.ravel()[:8]}, got {b.ravel()[:8]}"


def check(rows: list[Row], found: Callable[[Row], str]) -> None:
    """Fails with the rows for which something is found, one below the other."""
    wrong = [(row.code, found(row)) for row in rows]
    told = "\n".join(f"{code}\n    {what}" for code, what in wrong if what)
    if told:
        pytest.fail(told, pytrace=False)


@pytest.mark.parametrize("group", GROUPS)
def test_as_mindspore(
    group: str, taken: dict[str, list[Row]], of_mindspore: Results, asked_alone: Asked
) -> None:
    def found(row: Row) -> str:
        first = compared(row, of_mindspore[row.code][0])
        return first and compared(row, asked_alone(row)[0])

    check(taken[group], found)


def compared(row: Row, theirs: Any) -> str:
    """How the runtime differs from MindSpore; from what is right where MindSpore is wrong."""
    ours = of_runtime(row.code)
    if row.expected is not None:
        right = wanted(row.expected)
        right = right if is_error(right) else RUNTIME.plain(right)
        if not difference(right, theirs, row.tolerance):
            return f"MindSpore does not differ: {theirs}"
        return difference(right, ours, row.tolerance)
    if row.only_here:
        return "" if is_error(theirs) and not is_error(ours) else f"only here: {theirs}, {ours}"
    if theirs == CRASHED and row.refused and is_error(ours):
        return ""  # MindSpore's process ended: there is no class to compare
    if is_error(ours) != row.refused or is_error(theirs) != row.refused:
        return f"expected {theirs}, got {ours}"
    return difference(theirs, ours, row.tolerance)


def wanted(expected: str) -> Any:
    """The value of a row's `expected`; NumPy's arrays stand for Tensors."""
    found = eval(expected, {**RUNTIME.names, "x": RUNTIME.values})
    if isinstance(found, type) and issubclass(found, Exception):
        return f"error {found.__name__}"
    if isinstance(found, tuple):
        return tuple(ms.Tensor(part) for part in found)
    return ms.Tensor(found) if isinstance(found, np.ndarray) else found


@pytest.mark.parametrize("group", GROUPS)
def test_gradients_as_mindspores(
    group: str, taken: dict[str, list[Row]], of_mindspore: Results, asked_alone: Asked
) -> None:
    def found(row: Row) -> str:
        first = compared_gradient(row, of_mindspore[row.code][1])
        return first and compared_gradient(row, asked_alone(row)[1])

    check([row for row in taken[group] if has_gradient(row)], found)


def compared_gradient(row: Row, theirs: Any) -> str:
    if is_error(theirs) or is_error(of_runtime(row.code)):
        return ""  # counted, or reported as a value already
    return difference(theirs, RUNTIME.gradient(row.code), 3 * row.tolerance)


def test_mindspore_differentiates_most_rows(
    taken: dict[str, list[Row]], of_mindspore: Results
) -> None:
    known = [row for rows in taken.values() for row in rows if row.code in of_mindspore]
    gradients = {row.code: of_mindspore[row.code][1] for row in known if has_gradient(row)}
    wanted = [code for code, found in gradients.items() if found != NO_GRADIENT]
    without = [code for code in wanted if is_error(gradients[code])]
    assert len(without) <= NO_GRADIENT_IN_MINDSPORE * len(wanted), "\n".join(without)


REFUSALS = (IndexError, TypeError, ValueError, AttributeError, RuntimeError, KeyError, Warning)


def as_graph(code: str) -> Any:
    """The row as one compiled graph whose inputs are its `x(...)`."""
    made: list[ms.Tensor] = []

    def record(*shape: int, **options: Any) -> ms.Tensor:
        made.append(RUNTIME.values(*shape, **options))
        return made[-1]

    RUNTIME.run(code, record)

    def function(*inputs: ms.Tensor) -> Any:
        left = iter(inputs)
        return RUNTIME.run(code, lambda *a, **k: next(left))

    return RUNTIME.plain(ms.jit(function)(*made))


NEEDS_VALUES = (".item(", ".tolist()", "[x(3", "bool(x", ".asnumpy()")
"""Rows that ask for a traced tensor's value: graph mode must refuse them, as with graph=False."""


@pytest.mark.parametrize("group", GROUPS)
def test_graph_mode_as_pynative(group: str, taken: dict[str, list[Row]]) -> None:
    check(taken[group], graph_difference)


@pytest.mark.parametrize("group", GROUPS)
def test_gradients_in_graph_mode(group: str, taken: dict[str, list[Row]]) -> None:
    """Of one row: what the rules give in both modes, `test_gradient_rules.py` tells."""
    every = [row for row in taken[group] if has_gradient(row) and row.graph]
    check(every[:1], graph_gradient_difference)


def graph_gradient_difference(row: Row) -> str:
    expected = RUNTIME.gradient(row.code)
    if expected == NO_GRADIENT or is_error(expected):
        return ""  # told by the comparison with MindSpore
    return difference(expected, RUNTIME.gradient(row.code, ms.jit), row.tolerance)


def graph_difference(row: Row) -> str:
    expected = of_runtime(row.code)
    try:
        got = as_graph(row.code)
    except (MsconvertError, *REFUSALS) as error:
        if is_error(expected):
            return ""
        asks = not row.graph or any(mark in row.code for mark in NEEDS_VALUES)
        return "" if asks and "MS30" in str(error) else f"graph mode: {error}"
    if not row.graph:
        return "graph mode does not refuse it"
    return difference(expected, got, row.tolerance)
