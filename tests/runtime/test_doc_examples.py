"""MindSpore's documentation examples, run with the runtime: their printed output is the same.

    pytest tests/runtime/test_doc_examples.py --renew-golden     writes the names that pass

The examples are read from the installed MindSpore. Those named in `doc_examples.txt` pass;
the others need names that the runtime lacks, or more than their own text.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.tests.runtime import doc_runner
from msconvert.tests.runtime.parity_rows import listed

ALL = Path(__file__).with_name("mindspore_cpu_names.txt")
PASSING = Path(__file__).with_name("doc_examples.txt")


@pytest.fixture(scope="module")
def outcomes(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """What became of each example: "ok", or why not."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "names.json").write_text(json.dumps(sorted(listed(ALL))))
    run_mindspore(folder, doc_runner.__file__, "read", "names.json", "examples.json")
    command = [sys.executable, doc_runner.__file__, "run", "examples.json", "results.json"]
    subprocess.run(command, cwd=folder, check=True, timeout=300, capture_output=True)
    found: dict[str, str] = json.loads((folder / "results.json").read_text())
    return found


def as_list(names: list[str]) -> str:
    """Names by module, as the lists beside this file are written."""
    lines = []
    modules: dict[str, list[str]] = {}
    for name in sorted(names):
        module, _, label = name.rpartition(".")
        modules.setdefault(module, []).append(label)
    for module, labels in modules.items():
        wrapped = textwrap.wrap(" ".join(labels), 92, break_on_hyphens=False)
        lines += [module, *(f"    {line}" for line in wrapped)]
    return "\n".join(lines) + "\n"


def test_examples_that_passed_pass(
    outcomes: dict[str, str], request: pytest.FixtureRequest
) -> None:
    passing = [name for name, outcome in outcomes.items() if outcome == "ok"]
    if request.config.getoption("--renew-golden"):
        PASSING.write_text(as_list(passing), encoding="utf-8")
    failing = {name: outcomes[name] for name in listed(PASSING) if outcomes[name] != "ok"}
    assert failing == {}


def test_what_is_compared() -> None:
    """Numbers to three digits, layout not at all; random ones by their form."""
    assert doc_runner.agree("[[1. 2.]\n [3. 4.]]", "[[1.0001 2.]\n\n [3. 4.]]", False)
    assert not doc_runner.agree("[1. 2.]", "[1. 2.1]", False)
    assert not doc_runner.agree("[1. 2.]", "[1. 2. 3.]", True)
    assert doc_runner.agree("[1. 2.]", "[0.3 -2.5]", True)
    assert not doc_runner.agree("True", "False", True)
