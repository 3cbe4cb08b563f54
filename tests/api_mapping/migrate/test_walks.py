"""Loops over all modules, and comparisons that need no parentheses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from msconvert.tests.api_mapping.migrate.running import migrated

HEAD = "import torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(3, 3))\n"

LINES = {
    "for m in net.modules(): print(m)": "for _, m in net.cells_and_names(): print(m)",
    "y = [m for m in net.modules() if m]": "y = [m for _, m in net.cells_and_names() if m]",
    "y = list(net.modules())": "y = list(compat.modules(net))",
    "for i, m in enumerate(net.modules()): print(m)": (
        "for i, m in enumerate(compat.modules(net)): print(m)"
    ),
    "for _, m in zip([1], net.modules()): print(_)": (
        "for _, m in zip([1], compat.modules(net)): print(_)"
    ),
    "for m in net.children(): print(m)": "for m in net.cells(): print(m)",
    'y = "cuda" if torch.cuda.is_available() else "cpu"': (
        'y = "cuda" if ms.get_current_device().device_target != "CPU" else "cpu"'
    ),
    "y = not torch.cuda.is_available()": (
        'y = not (ms.get_current_device().device_target != "CPU")'
    ),
}


@pytest.mark.parametrize("before", LINES)
def test_a_loop_is_written_as_a_person_would(tmp_path: Path, before: str) -> None:
    text = migrated(tmp_path, f"{HEAD}{before}\n").text
    assert text.splitlines()[-1] == LINES[before]


UNKNOWN = (
    "def f(x):\n    for m in x.modules():\n        print(isinstance(m, nn.Conv2d))",
    "def f(x): return [m for m in x.modules() if isinstance(m, nn.Conv2d)]",
    "def f(*x):\n    for m in x[0].modules(): print(isinstance(m, nn.Linear))",
    "def f(a):\n    for m in a.b.c.modules(): m.weight.data.zero_()",
    "def f(g):\n    for m in g().modules():\n        for n in m.modules(): print(n)",
    "class A:\n    def f(self):\n        for m in self.modules(): print(isinstance(m, nn.Linear))",
)


@pytest.mark.parametrize("code", UNKNOWN)
def test_modules_of_what_is_not_known_are_of_cells_and_others(tmp_path: Path, code: str) -> None:
    text = migrated(tmp_path, f"import torch\nfrom torch import nn\n{code}\n").text
    assert re.search(
        r"compat\.modules\(.+\) if isinstance\(.+, nn\.Cell\) else .+\.modules\(\)", text
    )
    assert "cells_and_names" not in text


def test_a_name_that_the_file_reads_is_left_alone(tmp_path: Path) -> None:
    code = f"{HEAD}from gettext import gettext as _\nfor m in net.modules(): print(_('a'), m)\n"
    text = migrated(tmp_path, code).text
    assert text.splitlines()[-1].startswith("for m in compat.modules(net)")
