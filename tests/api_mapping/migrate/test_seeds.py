"""Seeds of PyTorch in projects of several files: what they hold for, whichever file sets them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from msconvert.api_mapping.source.outcome import migrate_tree
from msconvert.api_mapping.table.target import Settings, Target

pytestmark = pytest.mark.usefixtures("warm")

HELPER = """\
import torch
from torch import nn


def make():
    torch.manual_seed(3)
    return nn.Linear(3, 2).weight.tolist()
"""
MAIN = """\
import random

import helper
import numpy as np
import torch
from torch import nn

random.seed(0)
np.random.seed(0)
torch.manual_seed(0)
print(helper.make() == helper.make())
print(random.random(), np.random.rand(2).tolist())
first = nn.Linear(3, 2).weight.tolist()
torch.manual_seed(0)
print(helper.make() == helper.make(), nn.Linear(3, 2).weight.tolist() == first)
print(np.random.permutation(5).tolist())
"""
OF_MINDSPORE = """\
import numpy as np
import {package} as ms
from {package} import nn
import _ms_compat as compat


def made():
    return nn.Dense(3, 2).weight.asnumpy().tolist()


def of_mindspore():
    ms.set_seed(3)
    return made(), made()


compat.manual_seed(0)
first, second = of_mindspore(), of_mindspore()
print(first == second, first[0] == first[1])
compat.manual_seed(5)
before = made()
compat.manual_seed(5)
print(before == made(), of_mindspore() == first)
"""


def converted(folder: Path, files: dict[str, str], target: Target) -> Path:
    root, output = folder / "project", folder / "output"
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    migrate_tree([root], output, Settings(target))
    return output


def printed(folder: Path, name: str) -> str:
    command = [sys.executable, name]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_file_that_draws_nothing_seeds_as_its_project(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    output = converted(tmp_path, {"main.py": MAIN, "helper.py": HELPER}, Target.BUNDLED)
    assert printed(output, "main.py") == printed(tmp_path / "project", "main.py")


def test_mindspore_seeds_as_the_project(tmp_path: Path, run_mindspore: Callable[..., str]) -> None:
    pytest.importorskip("torch")
    output = converted(tmp_path, {"main.py": MAIN, "helper.py": HELPER}, Target.MINDSPORE)
    assert run_mindspore(output, "main.py") == printed(tmp_path / "project", "main.py")


def test_a_project_that_draws_nothing_keeps_the_seed_of_mindspore(tmp_path: Path) -> None:
    quiet = "import helper\nimport numpy as np\n\nstate = np.random.RandomState(0)\nhelper.make()\n"
    output = converted(tmp_path, {"main.py": quiet, "helper.py": HELPER}, Target.MINDSPORE)
    assert "ms.set_seed(3)" in (output / "helper.py").read_text(encoding="utf-8")


def test_mindspores_own_seed_reaches_weights_again(
    tmp_path: Path, run_mindspore: Callable[..., str]
) -> None:
    """Code that is written after the conversion may call ms.set_seed."""
    for target, run in ((Target.BUNDLED, printed), (Target.MINDSPORE, run_mindspore)):
        folder = tmp_path / target.package
        folder.mkdir()
        output = converted(folder, {"main.py": MAIN, "helper.py": HELPER}, target)
        code = OF_MINDSPORE.format(package=target.package)
        (output / "own.py").write_text(code, encoding="utf-8")
        assert run(output, "own.py") == "True False\nTrue True\n"
