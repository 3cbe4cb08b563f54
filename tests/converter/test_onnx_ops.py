"""Every handler against ONNX's own node cases, on the bundled runtime and on the real MindSpore."""

from __future__ import annotations

import ast
import fnmatch
import pickle
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ruff import find_ruff_bin

import msconvert.runtime as ms
from msconvert.converter.onnx_ops.registry import load_handlers
from msconvert.converter.text.written import written_sources
from msconvert.tests.converter import node_runner, node_scripts
from msconvert.tests.converter.conversion import imported
from msconvert.tests.converter.node_refusals import CASES, OPERATORS
from msconvert.tests.converter.node_rows import own_cases
from msconvert.tests.converter.node_scripts import NodeCase

FEWEST_EQUAL = 1165
"""Of ONNX 1.23's 1,404 direct cases and our own rows."""


DRAWN = {"test_training_dropout", "test_training_dropout_default"}
"""What these must give is drawn at random; test_training_mode.py says what becomes of them."""

DRAWS = "test_random", "test_bernoulli"
"""Of these shapes and element types must be equal; test_random_numbers.py counts the numbers."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case: refused with a reason, or run and how it differs ("": equal)."""

    case: NodeCase
    refusal: str
    difference: str = ""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Every case converted and run on the bundled runtime, in both of its modes."""
    folder = tmp_path_factory.mktemp("cases")
    with node_scripts.quick():
        cases = [*node_scripts.node_cases(), *own_cases()]
        found = [outcome(case, folder) for case in cases]
    return {item.case.name.removeprefix("test_"): item for item in found}


def outcome(case: NodeCase, folder: Path) -> Outcome:
    script = node_scripts.converted(case, folder)
    if script.refusal:
        return Outcome(case, script.refusal)
    if case.name in DRAWN:
        return Outcome(case, "")
    inputs = [ms.Tensor(np.asarray(x)) for x in case.inputs]
    found = []
    with imported(script.path) as module:
        network = module.load()
        asks = re.search(r"\bint\(|\bif condition:|\bwhile ", script.path.read_text())
        for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE)[: 1 if asks else 2]:
            ms.set_context(mode=mode)
            results = network(*inputs)
            tensors = results if isinstance(results, tuple) else (results,)
            found.append(differences(case, [tensor.asnumpy() for tensor in tensors]))
    ms.set_context(mode=ms.PYNATIVE_MODE)
    return Outcome(case, "", " and ".join(filter(None, found)))


def differences(case: NodeCase, got: list[Any]) -> str:
    if len(got) != len(case.expected):
        return f"{len(got)} outputs for {len(case.expected)}"
    pairs = list(zip(case.expected, got, strict=True))
    if case.name.startswith(DRAWS):
        kinds = [(a.shape, a.dtype, b.shape, b.dtype) for a, b in pairs]
        return "; ".join(str(kind) for kind in kinds if kind[:2] != kind[2:])
    return "; ".join(filter(None, (node_scripts.difference(a, b, case.name) for a, b in pairs)))


def test_cases_are_equal_or_refused(outcomes: dict[str, Outcome]) -> None:
    wrong = {name: item.difference for name, item in outcomes.items() if item.difference}
    counts = Counter("refused" if item.refusal else "equal" for item in outcomes.values())
    sys.stdout.write(f"\nnode cases: {dict(counts)} of {len(outcomes)}\n")
    assert wrong == {}
    assert counts["equal"] >= FEWEST_EQUAL


def reason(name: str, case: NodeCase) -> str:
    """Why the tables say that a case is refused; empty if they do not."""
    patterns = [why for pattern, why in CASES.items() if fnmatch.fnmatchcase(name, pattern)]
    return OPERATORS.get(case.op, "") or "".join(patterns[:1])


def test_refusals_are_those_listed(outcomes: dict[str, Outcome]) -> None:
    refused = {name for name, item in outcomes.items() if item.refusal}
    listed = {name for name, item in outcomes.items() if reason(name, item.case)}
    new = [f"{name}: {outcomes[name].refusal}" for name in sorted(refused - listed)]
    assert not new, "newly refused: " + "; ".join(new)
    assert not listed - refused, "no longer refused: " + ", ".join(sorted(listed - refused))


def test_every_row_of_refusals_is_needed(outcomes: dict[str, Outcome]) -> None:
    ops = {item.case.op for item in outcomes.values()}
    assert sorted(OPERATORS.keys() - ops) == []
    assert [p for p in CASES if not fnmatch.filter(outcomes, p)] == []


NO_KERNEL = {
    "attention_*_bf16": "MatMul of bfloat16",
    "celu_bfloat16": "CeLU of bfloat16",
    "compress_bfloat16": "Gather of bfloat16",
    "einsum_batch_matmul_bfloat16": "MatMul of bfloat16",
    "einsum_sum_bfloat16": "sums of bfloat16",
    "onehot_with_bfloat16_values": "Select of bfloat16",
    "reversesequence_bfloat16": "ReverseSequence of bfloat16",
    "unique_bfloat16_*": "Sort of bfloat16",
    "max_uint16": "Maximum of uint16",
    "mod_uint[136]*": "FloorMod of unsigned integers",
    "maxpool_2d_pads": "padding of more than half the kernel",
    "tril_zero": "tril of an empty matrix",
}
"""Cases for whose element type or sizes MindSpore's CPU build has no kernel."""


@pytest.fixture(scope="module")
def on_mindspore(
    outcomes: dict[str, Outcome],
    run_mindspore: Callable[..., str],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    """What the real MindSpore gives for every case that is not refused."""
    folder = tmp_path_factory.mktemp("mindspore")
    with node_scripts.quick():
        for item in outcomes.values():
            if not item.refusal:
                node_scripts.converted(item.case, folder, "mindspore")
                node_scripts.write_inputs(item.case, folder)
    run_mindspore(folder, node_runner.__file__, str(folder), "results.pickle")
    results = pickle.loads((folder / "results.pickle").read_bytes())
    return {name.removeprefix("test_"): result for name, result in results.items()}


TANH = 1.1e-4
"""What MindSpore's tanh on the CPU is off by; 1.0e-4 was measured."""


def is_tanh_alone(case: NodeCase, got: list[Any]) -> bool:
    """Whether a recurrent case differs by no more than MindSpore's tanh does."""
    pairs = zip(case.expected, got, strict=True)
    return case.op == "RNN" and all(np.allclose(a, b, rtol=0, atol=TANH) for a, b in pairs)


def test_mindspore_gives_the_same(
    outcomes: dict[str, Outcome], on_mindspore: dict[str, Any]
) -> None:
    failed = {name: result for name, result in on_mindspore.items() if isinstance(result, str)}
    known = {name for pattern in NO_KERNEL for name in fnmatch.filter(on_mindspore, pattern)}
    wrong = {
        name: text
        for name, result in on_mindspore.items()
        if name not in failed
        and f"test_{name}" not in DRAWN
        and (text := differences(outcomes[name].case, result))
        and not is_tanh_alone(outcomes[name].case, result)
    }
    equal = len(on_mindspore) - len(failed) - len(wrong)
    sys.stdout.write(f"\non MindSpore: {equal} of {len(on_mindspore)}\n")
    assert wrong == {}
    new = [f"{name}: {text[:200]}" for name, text in failed.items() if name not in known]
    assert not new, "\n".join(new)
    assert not known - failed.keys(), f"MindSpore has kernels now: {sorted(known - failed.keys())}"


MADE = ("Dense", "FakeQuantize", "GRU", "LSTM", "MaskedSoftmax", "NanToNum", "RNN", "Roll")
ELSEWHERE = {"ai.onnx.ml::ZipMap", *(f"msconvert::{op}" for op in MADE)}
"""What recomposition makes of several nodes, what gives dictionaries; their own tests run them."""


def test_every_handler_has_cases(outcomes: dict[str, Outcome]) -> None:
    equal = {item.case.op for item in outcomes.values() if not item.refusal}
    known = {f"{domain}::{op}" if domain else op for domain, op in load_handlers()}
    untested = known - equal - ELSEWHERE - {item.case.op for item in outcomes.values()}
    assert not untested, ", ".join(sorted(untested))


def test_functions_are_documented_and_called() -> None:
    """Every function that a script may get has a docstring, and a handler, sizes or a recipe that
    name it."""
    converter = Path(__file__).parents[2] / "converter"
    others = [converter / "code" / "host.py", converter / "modules" / "recipes.py"]
    files = [*(converter / "onnx_ops").glob("*.py"), *others]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    sources = written_sources()
    for name, source in sources.items():
        callers = text + "".join(s for other, s in sources.items() if other != name)
        assert name in callers, name
        (definition,) = ast.parse(source).body
        assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
        assert ast.get_docstring(definition), name


def test_functions_are_clean(tmp_path: Path) -> None:
    """Ruff finds nothing in a script that has them all."""
    script = tmp_path / "functions.py"
    head = "import mindspore as ms\nfrom mindspore import nn, ops\n\n\n"
    script.write_text(head + "\n\n\n".join(written_sources().values()) + "\n")
    command = [find_ruff_bin(), "check", "--isolated", "--no-cache", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
