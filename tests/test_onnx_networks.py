"""benchmarks/onnx_networks: its list, its judgement on a small file, its page as it is made now."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from msconvert.benchmarks.onnx_networks import judging, page
from msconvert.benchmarks.onnx_networks.later import LATER
from msconvert.benchmarks.onnx_networks.listed import (
    CONDITIONS,
    CONTROL,
    FINE_TUNED,
    FORMS,
    GALLERY,
    LONGEST,
    NETWORKS,
    folder_of,
    networks_of,
)

Array = np.ndarray[Any, Any]


def test_the_page_is_made_of_the_results(golden: Callable[[Path, str], None]) -> None:
    golden(page.PAGE, page.page())


def test_results_are_of_networks_in_the_list() -> None:
    names = [network.name for network in NETWORKS]
    assert len({folder_of(network) for network in NETWORKS}) == len(names) >= 120
    runs = [page.exported(page.read(file)) for file in (page.FIRST, page.SECOND, page.LATEST)]
    assert all(set(results) <= set(names) for results in runs)
    assert not set(runs[0]) & set(runs[1]), "what was seen is not blind"
    assert len(runs[2]) == len(runs[0]) + len(runs[1]) >= 210
    assert {network.form for network in NETWORKS} == set(FORMS)
    assert set(FINE_TUNED) | set(CONDITIONS) <= set(names)


def test_files_with_loops_are_all_judged() -> None:
    results = page.read(page.CONTROL_RESULTS)
    assert set(results) == {network.name for network in CONTROL}
    assert not any(result.refused for result in results.values())


def test_the_later_list_is_judged_and_new() -> None:
    names = {network.name for network in networks_of(*LATER)}
    blind, latest = page.read(page.LATER_BLIND), page.read(page.LATER_RESULTS)
    assert set(blind) == set(latest) == names
    assert not names & {network.name for network in NETWORKS}
    assert len(page.exported(blind)) >= 40


def test_scripts_of_the_gallery_become_no_longer() -> None:
    known = {network.name for network in GALLERY}
    found = sorted(page.GALLERY_PAGES.glob("*.py"))
    assert {file.stem for file in found} <= known == set(LONGEST)
    assert len(found) >= 5
    for file in found:
        text = file.read_text(encoding="utf-8")
        ast.parse(text)
        assert len(text.splitlines()) <= LONGEST[file.stem], file.name


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `making.py` leaves it: a layer in a module, another one lost in the names."""
    folder = tmp_path_factory.mktemp("small")
    rng = np.random.default_rng(0)
    w, v = (rng.standard_normal((4, 4)).astype(np.float32) for _ in range(2))
    nodes = [
        helper.make_node("Gemm", ["x", "body.fc.weight"], ["h"], name="/body/fc/Gemm", transB=1),
        helper.make_node("Relu", ["h"], ["r"], name="/body/Relu"),
        helper.make_node("MatMul", ["r", "v"], ["y"], name="/MatMul"),
    ]
    values = [helper.make_tensor_value_info(n, 1, ["batch", 4]) for n in ("x", "y")]
    weights = [numpy_helper.from_array(w, "body.fc.weight"), numpy_helper.from_array(v, "v")]
    graph = helper.make_graph(nodes, "small", values[:1], values[1:], weights)
    imports = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), folder / "model.onnx")
    for choice, size in enumerate((2, 3)):
        np.savez(folder / f"inputs_{choice}.npz", x=rng.standard_normal((size, 4), np.float32))
    modules = {
        "body.fc": {"kind": "Linear", "called": True, "tensors": [judging.fingerprint(w)]},
        "head": {"kind": "Linear", "called": True, "tensors": [judging.fingerprint(v)]},
        "unused": {"kind": "Linear", "called": True, "tensors": ["-"]},
    }
    facts = {"modules": modules, "floats": 32, "parameters": 32}
    (folder / "facts.json").write_text(json.dumps(facts))
    return folder


def test_a_file_is_judged(small: Path) -> None:
    result = judging.judged(small)
    assert (result.command, result.runtime, result.nodes) == ("equal", "equal", 1.0)
    assert (result.found, result.modules, result.lost) == (1, 2, ("head",))
    assert (result.floats, result.own) == (1.0, 1.0)


@pytest.mark.parametrize("mode", ["pynative", "graph"])
@pytest.mark.parametrize("choice", judging.CHOICES)
def test_another_number_is_told(small: Path, choice: int, mode: str, tmp_path: Path) -> None:
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    for one in judging.CHOICES:
        for name in ("plain", "fast", "outputs_pynative", "outputs_graph"):
            off = 2e-3 if (name, one) == (f"outputs_{mode}", choice) else 0.0
            np.savez(tmp_path / f"{name}_{one}.npz", x + np.float32(off))
    told = judging.verdict(tmp_path, ("pynative", "graph"))
    assert told == f"output 0 in {mode} mode, size {choice}: 2.0e-03 of its maximum"
    assert judging.verdict(tmp_path, ()) == "equal"
