"""Forms of control flow that were written down before they ran, in every mode of both frameworks.

What real MindSpore cannot compile, or computes otherwise than in PyNative mode, is listed.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.tests.runtime import flow_runner
from msconvert.tests.sweep import chosen

TOLERANCE = 2e-5
ANSWERED = "from msconvert.runtime.alias import answer_mindspore; answer_mindspore(); import runpy"

NAMES = [
    *(f"simple.{name}" for name in (
        *("if_else", "if_without_else", "elif_chain", "ternary", "while_doubling", "for_range"),
        *("for_rows", "for_list", "for_break", "for_continue", "early_return", "and_or_not"),
        *("comparison_chain", "membership", "numbers"),
    )),
    *(f"nested.{name}" for name in (
        *("collatz", "while_in_while", "for_in_if_in_for", "inner_break", "while_continue"),
        *("return_in_loop", "return_in_nested_loops", "while_true", "for_else", "list_in_loop"),
        *("dictionary_in_branch", "helper_in_loop", "Gates", "greatest_divisor", "asserted"),
    )),
    *(f"gradients.{name}" for name in (
        *("branch", "nested_ternary", "unknown_turns", "rows", "broken_off", "skipping"),
        *("returning", "Recurrent", "newton", "collected"),
    )),
    *(f"decoding.{name}" for name in (
        *("greedy", "beam_search", "top_k_sampling", "ctc_greedy", "suppression", "training"),
    )),
]  # fmt: skip

NOT_IN_MINDSPORE = {
    "simple.membership": ("jit", "graph"),  # a Tensor is never in a tuple there
    "nested.for_else": ("jit", "graph"),
    "nested.dictionary_in_branch": ("jit",),
    "nested.asserted": ("jit", "graph"),
    "gradients.collected": ("jit", "graph"),
    "decoding.beam_search": ("jit", "graph"),
    "decoding.top_k_sampling": ("jit", "graph"),
}
"""Where MindSpore's compiler refuses, or gives other numbers than its PyNative mode."""

INTERPRETED = {"nested.for_else"}
"""What is not compiled here: it runs in PyNative mode, and says so."""

Results = dict[tuple[str, str], tuple[Any, list[str]]]


def loaded(path: Path) -> Results:
    found: Results = {}
    with open(path, "rb") as stream:
        while stream.peek(1):
            name, mode, result, notes = pickle.load(stream)
            found[name, mode] = result, notes
    return found


@pytest.fixture(scope="module")
def of_runtime(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """In a process of its own, where `import mindspore` is answered by the runtime."""
    results = tmp_path_factory.mktemp("flow") / "results.pickle"
    script = flow_runner.__file__
    run = f"import sys; sys.argv = [{script!r}, {str(results)!r}]"
    code = f"{run}; {ANSWERED}; runpy.run_path({script!r}, run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return loaded(results)


@pytest.fixture(scope="module")
def of_mindspore(
    request: pytest.FixtureRequest,
    run_mindspore: Callable[..., str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Results:
    folder = tmp_path_factory.mktemp("flow")
    names = chosen(request, "name", "test_as_mindspore")
    run_mindspore(folder, flow_runner.__file__, "results.pickle", *names)
    return loaded(folder / "results.pickle")


def leaves(result: Any) -> list[tuple[str, np.ndarray]]:
    if isinstance(result, list):
        return [leaf for part in result for leaf in leaves(part)]
    return [result]


def difference(expected: Any, got: Any) -> str:
    """What differs first; empty if nothing does."""
    if isinstance(got, str) or isinstance(expected, str):
        return f"{expected}; {got}"
    pairs = [*zip(leaves(expected), leaves(got), strict=True)]
    for (kind, array), (own_kind, own) in pairs:
        if (kind, array.shape) != (own_kind, own.shape):
            return f"{kind}{array.shape}; {own_kind}{own.shape}"
        if not np.allclose(own, array, rtol=TOLERANCE, atol=TOLERANCE):
            return f"{array}; {own}"
    return ""


@pytest.mark.parametrize("mode", flow_runner.MODES)
@pytest.mark.parametrize("name", NAMES)
def test_as_pynative(name: str, mode: str, of_runtime: Results) -> None:
    result, notes = of_runtime[name, mode]
    assert difference(of_runtime[name, "pynative"][0], result) == ""
    assert bool(notes) == (name in INTERPRETED and mode != "pynative"), notes


@pytest.mark.sweep(each=(), one_in=3)
@pytest.mark.parametrize("name", NAMES)
def test_as_mindspore(name: str, of_runtime: Results, of_mindspore: Results) -> None:
    refused = NOT_IN_MINDSPORE.get(name, ())
    for mode in flow_runner.MODES:
        theirs, own = of_mindspore[name, mode][0], of_runtime[name, mode][0]
        assert bool(difference(theirs, own)) == (mode in refused), mode
        assert difference(of_mindspore[name, "pynative"][0], own) == "", mode


def test_every_form_is_there(of_runtime: Results) -> None:
    assert {name for name, _ in of_runtime} == {*NAMES}
    assert len(NAMES) == 46
