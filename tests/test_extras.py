"""What is installed for whom: the extras of pyproject.toml, and commands without the rest."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
import yaml

from msconvert.surroundings import READING, unmet

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

NOT_THERE = ("scipy", "onnxruntime", "onnx", "numpy", "safetensors", "ml_dtypes")
MORE_NOT_THERE = ("torch", "torchvision", "mindspore", "pillow", "google")

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"{name} is not installed here", name=name)

sys.meta_path.insert(0, Blocked())
from msconvert.commands.main import main
sys.exit(main(sys.argv[2:]))
"""


def without(names: tuple[str, ...], *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command in a Python that has none of these packages."""
    command = [sys.executable, "-c", BLOCKED, ",".join(names), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def name_of(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.zeros(3)\nx = x[x > 0]\n")
    cells = [{"cell_type": "code", "source": "import torch\ny = torch.cat([1], dim=0)"}]
    (tmp_path / "b.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    return tmp_path


READERS = {
    "scan": "scan .",
    "scan with all outputs": "scan . --html a.html --sarif a.sarif --csv a.csv --json a.json",
    "scan with a baseline": "scan . --baseline known.json --write-baseline",
    "the hook": f"scan {' '.join(HOOK['args'])} a.py b.ipynb",
    "api": "api nn.Linear",
    "source": "source a.py b.ipynb --output new --report report.html",
    "explain": "explain MS222",
    "help": "--help",
}


@pytest.mark.parametrize("name", READERS)
def test_what_reads_source_needs_the_extra_scan_alone(name: str, project: Path) -> None:
    done = without((*NOT_THERE, *MORE_NOT_THERE), *READERS[name].split(), cwd=project)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(READING))
def test_each_of_the_extra_is_needed(name: str, project: Path) -> None:
    flags = ("--html", "a.html") if name == "jinja2" else ()
    assert without((name,), "scan", ".", *flags, cwd=project).returncode != 0


@pytest.mark.parametrize("name", NOT_THERE[1:4])
def test_what_is_missing_is_told_by_its_name(name: str, project: Path) -> None:
    done = without((name,), "demo", cwd=project)
    assert done.returncode == 1
    assert done.stderr.startswith(f"MS903 {name}: it is not installed")
    assert f"pip install {name}" in done.stderr


def test_another_module_that_is_missing_is_a_defect() -> None:
    assert unmet(ModuleNotFoundError("x", name="not_ours")) is None
    assert unmet(ImportError("x", name="numpy")) is None
    assert unmet(ModuleNotFoundError("x")) is None
    assert unmet(ModuleNotFoundError("x", name="PIL.Image")).advice.startswith("pip install pillow")


def test_converting_needs_no_scipy(project: Path) -> None:
    done = without(("scipy", "torch", "mindspore"), "demo", cwd=project)
    assert done.returncode == 0, done.stderr


def test_the_extra_is_what_doctor_says() -> None:
    assert {name_of(text) for text in EXTRAS["scan"]} == READING | {"ruff"}
    assert set(EXTRAS["scan"]) <= set(PROJECT["dependencies"])


def needed_by(names: set[str]) -> set[str]:
    """These packages and what they need, on any Python of Linux."""
    found: set[str] = set()
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        if name == "pyyaml-ft":  # for newer Pythons than this one may be
            continue
        every = [text for text in requires(name) or () if "extra ==" not in text]
        waiting |= {name_of(text) for text in every} - found
    return found - {"colorama", "typing-extensions"}


def test_the_hook_installs_the_extra_and_what_it_needs() -> None:
    flag, *listed = HOOK["additional_dependencies"]
    assert flag == "--no-deps"
    assert set(EXTRAS["scan"]) <= set(listed)
    assert {name_of(text) for text in listed} == needed_by({name_of(t) for t in EXTRAS["scan"]})
    assert {name_of(text) for text in listed} & set(NOT_THERE) == set()


def test_mindspore_comes_with_its_numpy() -> None:
    assert "numpy<2" in EXTRAS["mindspore"]
    assert [name_of(text) for text in EXTRAS["mindspore"]] == ["mindspore", "numpy"]


def test_what_lays_out_the_code_is_bounded() -> None:
    (ruff,) = [text for text in PROJECT["dependencies"] if name_of(text) == "ruff"]
    assert re.fullmatch(r"ruff>=[\d.]+,<[\d.]+", ruff)
