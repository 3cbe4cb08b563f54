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
from msconvert.tests.runtime.test_zoo import without_addresses
from msconvert.tests.sweep import chosen

NAMES = (Path(__file__).parent / "mindzoo_recipes.txt").read_text(encoding="utf-8").splitlines()
MODES = ("pynative", "graph")

TOLERANCE = 1e-5
"""Of outputs and losses, relative to the largest element."""

OF_CHANGES = 1e-4
"""Of what a step changed, relative to what it changed most: sums in float32, four steps of them."""

TEXTS = {"names"}
ALONE = {"output", "loss", "losses", "rates", "before", "after", "first", "last", "averaged"}
"""Values that are judged by their own largest element; weights by that of all."""

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


@pytest.fixture(scope="module")
def asked_alone(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tuple[Found, Found]]:
    """What MindSpore gives for one recipe in a process of its own: many wear it down."""

    def ask(name: str) -> tuple[Found, Found]:
        folder = tmp_path_factory.mktemp("alone")
        (folder / "recipes.json").write_text(json.dumps([name]))
        run_mindspore(folder, mindzoo_runner.__file__, "recipes.json", "theirs.pickle")
        return read(folder / "theirs.pickle")[name]

    return ask


def limits(values: dict[str, Any]) -> dict[str, float]:
    """How far each value may be off: of its own largest element, or of that of all."""
    sizes = {k: float(np.abs(v).max(initial=0)) for k, v in values.items() if k not in TEXTS}
    moved = max([size for k, size in sizes.items() if "change" in k], default=0.0)
    largest = max(sizes.values(), default=0.0)
    found = {}
    for name, size in sizes.items():
        if name.startswith("half"):
            found[name] = OF_HALF * max(moved, size)
        elif name.startswith("change"):
            found[name] = OF_CHANGES * moved
        else:
            found[name] = TOLERANCE * max(size if name in ALONE else largest, 1e-6)
    return found


def compare(theirs: dict[str, Any], ours: dict[str, Any]) -> None:
    for name in TEXTS & theirs.keys():
        assert without_addresses(ours[name]) == without_addresses(theirs[name])
    for name, most in limits(theirs).items():
        expected, got = theirs[name], ours[name]
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), name
        off = np.abs(got.astype(np.float64) - expected).max(initial=0)
        assert off <= most, f"{name}: {off}, at most {most}"


@pytest.mark.sweep(each=(), one_in=60)
@pytest.mark.parametrize("name", NAMES)
def test_as_mindspore(
    name: str,
    of_runtime: Results,
    of_mindspore: Results,
    asked_alone: Callable[[str], tuple[Found, Found]],
) -> None:
    found = of_mindspore[name]
    if name not in ONLY_HERE and any(isinstance(one, str) for one in found):
        found = asked_alone(name)
    for mode, theirs, ours in zip(MODES, found, of_runtime[name], strict=True):
        assert not isinstance(ours, str), f"{mode}: {ours}"
        if name in ONLY_HERE:
            assert isinstance(theirs, str), f"{mode}: MindSpore computes it"
        else:
            assert not isinstance(theirs, str), f"{mode}, MindSpore: {theirs}"
            assert ours.keys() == theirs.keys()
            compare(theirs, ours)


@pytest.mark.sweep(each=(), one_in=60)
@pytest.mark.parametrize("name", NAMES)
def test_both_modes_agree(name: str, of_runtime: Results) -> None:
    eager, graph = of_runtime[name]
    assert not isinstance(eager, str), eager
    assert not isinstance(graph, str), graph
    shared = eager.keys() & graph.keys()  # a slice renames parameters in one mode, as MindSpore's
    assert shared & {*ALONE, *TEXTS} or any("change" in value for value in shared)
    compare(*({k: v for k, v in one.items() if k in shared} for one in (eager, graph)))


def test_the_names_are_those_of_the_package(tmp_path: Path) -> None:
    """The list stands in a file, for to collect tests must not import 40 models."""
    folder = str(mindzoo_runner.ZOO)
    code = f"{ANSWERED}; import sys; sys.path.insert(0, {folder!r}); from mindzoo.recipes import *"
    told = (
        f"{code}; from mindzoo import list_models; print(*RECIPES, len(list_models()), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True)
    assert done.stdout.splitlines() == [*NAMES, "40"], done.stderr
