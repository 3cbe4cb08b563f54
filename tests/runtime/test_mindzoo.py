"""A zoo-style package of 40 models with its own optimisers, losses, schedules and steps.

    pytest --whole tests/runtime/test_mindzoo.py          all recipes of zoo/mindzoo/recipes.py
    pytest tests/runtime/test_mindzoo.py -k "convit"      one of them

Each recipe runs on the real MindSpore and on the runtime, in PyNative mode and in graph mode: what
a model gives, the loss of a step, and how far the step moved each weight.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.tests.runtime import mindzoo_runner
from msconvert.tests.runtime.mindzoo_runner import Found
from msconvert.tests.sweep import chosen

NAMES = (Path(__file__).parent / "mindzoo_recipes.txt").read_text(encoding="utf-8").splitlines()
MODES = ("pynative", "graph")

TOLERANCE = 1e-5
"""Of outputs and losses, relative to the largest element."""

OF_CHANGES = 1e-4
"""Of what a step changed, relative to what it changed most: sums in float32, four steps of them."""

OF_HALF = 5e-3
"""Of what was computed in float16."""

ONLY_HERE = {"scale manager": "MindSpore's CPU build has no kernel that tells an overflow"}

ANSWERED = "from msconvert.runtime.alias import answer_mindspore; answer_mindspore(); import runpy"

Results = dict[str, tuple[Found, Found]]


def read(file: Path) -> Results:
    return {name: (eager, graph) for name, eager, graph in mindzoo_runner.records(file)}


@pytest.fixture(scope="module")
def recipes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The names of those that are run, as a file."""
    file = tmp_path_factory.mktemp("mindzoo") / "recipes.json"
    file.write_text(json.dumps(chosen(request, "name")))
    return file


@pytest.fixture(scope="module")
def of_runtime(recipes: Path) -> Results:
    """In a process of its own, where `import mindspore` is answered by the runtime."""
    script, results = mindzoo_runner.__file__, recipes.with_name("ours.pickle")
    run = f"import sys; sys.argv = [{script!r}, {str(recipes)!r}, {str(results)!r}]"
    code = f"{run}; {ANSWERED}; runpy.run_path({script!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return read(results)


@pytest.fixture(scope="module")
def of_mindspore(recipes: Path, run_mindspore: Callable[..., str]) -> Results:
    run_mindspore(recipes.parent, mindzoo_runner.__file__, recipes.name, "theirs.pickle")
    return read(recipes.with_name("theirs.pickle"))


def limit(name: str, scale: float, largest: float) -> float:
    """How far the value `name` may be off, whose largest element is `largest`."""
    if name.startswith("half"):
        return OF_HALF * max(scale, largest)
    return OF_CHANGES * scale if name.startswith("change") else TOLERANCE * max(largest, 1e-6)


def compare(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    assert ours.keys() == theirs.keys()
    changes = [np.abs(v).max(initial=0) for k, v in theirs.items() if "change" in k]
    scale = max(changes, default=0.0)
    for name, expected in theirs.items():
        if isinstance(expected, str):
            assert ours[name] == expected, name
            continue
        got = ours[name]
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), name
        off = np.abs(got.astype(np.float64) - expected).max(initial=0)
        assert off <= limit(name, scale, np.abs(expected).max(initial=0)), f"{name}: {off}"


@pytest.mark.sweep(each=(), one_in=40)
@pytest.mark.parametrize("name", NAMES)
def test_as_mindspore(name: str, of_runtime: Results, of_mindspore: Results) -> None:
    for mode, theirs, ours in zip(MODES, of_mindspore[name], of_runtime[name], strict=True):
        assert not isinstance(ours, str), f"{mode}: {ours}"
        if name in ONLY_HERE:
            assert isinstance(theirs, str), f"{mode}: MindSpore computes it"
        else:
            assert not isinstance(theirs, str), f"{mode}, MindSpore: {theirs}"
            compare(theirs, ours)


@pytest.mark.sweep(each=(), one_in=40)
@pytest.mark.parametrize("name", NAMES)
def test_both_modes_agree(name: str, of_runtime: Results) -> None:
    eager, graph = of_runtime[name]
    assert not isinstance(eager, str), eager
    assert not isinstance(graph, str), graph
    compare(eager, graph)


def test_the_names_are_those_of_the_package(tmp_path: Path) -> None:
    """The list stands in a file, for to collect tests must not import 40 models."""
    folder = str(mindzoo_runner.ZOO)
    code = f"{ANSWERED}; import sys; sys.path.insert(0, {folder!r}); from mindzoo.recipes import *"
    told = (
        f"{code}; from mindzoo import list_models; print(*RECIPES, len(list_models()), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True)
    assert done.stdout.splitlines() == [*NAMES, "40"], done.stderr
