"""Networks as public model zoos write them, with both frameworks: names, numbers, gradients."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.tests.runtime import zoo_runner

NAMES = [path.stem for path in zoo_runner.ZOO]
TOLERANCE = 2e-5
"""Relative to the largest element (gradients: of the net's): the order of float32 sums."""

ANSWERED = "from msconvert.runtime.alias import answer_mindspore; answer_mindspore(); import runpy"


@pytest.fixture(scope="module")
def of_runtime(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """In a process of its own, where `import mindspore` is answered by the runtime."""
    results = tmp_path_factory.mktemp("zoo") / "results.pickle"
    script = zoo_runner.__file__
    run = f"import sys; sys.argv = [{script!r}, {str(results)!r}]"
    code = f"{run}; {ANSWERED}; runpy.run_path({script!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pickle.loads(results.read_bytes())


@pytest.fixture(scope="module")
def of_mindspore(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("zoo")
    run_mindspore(folder, zoo_runner.__file__, "results.pickle")
    return pickle.loads(Path(folder / "results.pickle").read_bytes())


def assert_close(expected: np.ndarray, got: np.ndarray, name: str, scale: float) -> None:
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    limit = TOLERANCE * scale
    np.testing.assert_allclose(got, expected, rtol=0, atol=limit, err_msg=name)


def largest(array: np.ndarray) -> float:
    return float(np.abs(array).max(initial=1e-6))


def without_addresses(text: str) -> str:
    """Objects printed by class alone: `<mindspore.common.initializer.Normal object at 0x7f>`."""
    return re.sub(r"<[\w.]+\.(\w+) object at 0x\w+>", r"<\1>", text)


@pytest.mark.parametrize("name", NAMES)
def test_as_mindspore(name: str, of_runtime: dict[str, Any], of_mindspore: dict[str, Any]) -> None:
    theirs, ours = of_mindspore[name], of_runtime[name]
    assert ours["parameters"] == theirs["parameters"]
    for value in ("pynative", "loss", "graph"):
        assert_close(theirs[value], ours[value], value, largest(theirs[value]))
    assert ours["gradients"].keys() == theirs["gradients"].keys()
    scale = max(map(largest, theirs["gradients"].values()))  # some are zero but for rounding
    for parameter, gradient in theirs["gradients"].items():
        assert_close(gradient, ours["gradients"][parameter], parameter, scale)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "bert"])  # LSTM holds cells there
def test_prints_as_mindspore(
    name: str, of_runtime: dict[str, Any], of_mindspore: dict[str, Any]
) -> None:
    ours, theirs = of_runtime[name]["printed"], of_mindspore[name]["printed"]
    assert without_addresses(ours) == without_addresses(theirs)
