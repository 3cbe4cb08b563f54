"""Converted files find what MindSpore lacks in every way in which they may be run or imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.api_mapping.source.homes import is_acting
from msconvert.api_mapping.source.outcome import migrate_tree

pytestmark = pytest.mark.usefixtures("warm")

USE = "import torch\n\n\ndef {name}():\n    return torch.sort(torch.ones(3)).values.sum()\n"
PRINTS = "print({name}().item() > 1)\n"


def module(name: str = "make") -> str:
    return USE.format(name=name)


def script(name: str = "make", start: str = "") -> str:
    """A module that does something where it is run; `start`: the line before, with a guard."""
    indent = "    " if start else ""
    return f"{module(name)}\n\n{start}{indent}{PRINTS.format(name=name)}"


MAIN = "if __name__ == '__main__':\n"
AT_ROOT = "import sys\nsys.path.insert(0, '.')\n"
IN_SRC = "import sys\nsys.path.insert(0, 'src')\n"
TEST = "\n\ndef test_it():\n    assert make().item() > 1 and other().item() > 1\n"
INIT = "__init__.py"

CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "a package with __main__": (
        {
            f"p/{INIT}": "",
            "p/core.py": module(),
            "p/__main__.py": f"from .core import make\n{script('x')}",
        },
        ["-m p"],
    ),
    "a __main__ by its package's name": (
        {
            f"p/{INIT}": "",
            "p/core.py": module(),
            "p/__main__.py": f"from p.core import make\n{script('x')}",
        },
        ["-m p"],
    ),
    "a __main__ alone in its package": (
        {f"p/{INIT}": "", "p/__main__.py": script()},
        ["-m p", "p"],
    ),
    "a folder with __main__": (
        {"p/core.py": module(), "p/__main__.py": f"from core import make\n{script('x')}"},
        ["p"],
    ),
    "a script in a package": (
        {f"p/{INIT}": "", "p/a.py": script(start=MAIN)},
        ["p/a.py", "-m p.a"],
    ),
    "without a guard": ({f"p/{INIT}": "", "p/a.py": script()}, ["p/a.py", "-m p.a"]),
    "with a guard turned around": (
        {f"p/{INIT}": "", "p/a.py": script(start="if '__main__' == __name__:\n")},
        ["p/a.py"],
    ),
    "with a line for the shell": (
        {f"p/{INIT}": "", "p/a.py": f"#!/usr/bin/env python\n{script()}"},
        ["p/a.py"],
    ),
    "that calls its main": (
        {
            f"p/{INIT}": "",
            "p/a.py": f"{module()}\n\ndef main():\n    {PRINTS.format(name='make')}\n\nmain()\n",
        },
        ["p/a.py"],
    ),
    "that loops": (
        {
            f"p/{INIT}": "",
            "p/a.py": f"{module()}\n\nfor _ in range(1):\n    {PRINTS.format(name='make')}",
        },
        ["p/a.py"],
    ),
    "run and imported by its package's name": (
        {
            f"p/{INIT}": "",
            "p/a.py": script(start=MAIN),
            "run.py": f"from p.a import make\n{PRINTS.format(name='make')}",
        },
        ["p/a.py", "run.py", "-m p.a"],
    ),
    "run and imported relatively": (
        {
            f"p/{INIT}": "from .a import make\n",
            "p/a.py": script(start=MAIN),
            "run.py": "import p\nprint(p.make().item() > 1)\n",
        },
        ["p/a.py", "run.py", "-m p.a"],
    ),
    "in an inner package": (
        {f"p/{INIT}": "", f"p/q/{INIT}": "", "p/q/a.py": script(start=MAIN), "p/core.py": module()},
        ["p/q/a.py", "-m p.q.a"],
    ),
    "nested folders": ({"a/b/c.py": script(), "a/d.py": script()}, ["a/b/c.py", "a/d.py"]),
    "a neighbour by its bare name": (
        {
            f"p/{INIT}": "",
            "p/core.py": module(),
            "p/a.py": f"from core import make as m\n{script()}",
        },
        ["p/a.py"],
    ),
    "a folder of tests": (
        {
            f"p/{INIT}": "",
            "p/core.py": module(),
            "tests/test_a.py": f"{AT_ROOT}from p.core import make\n{module('other')}{TEST}",
        },
        ["-m pytest -q -p no:cacheprovider tests"],
    ),
    "a package of tests": (
        {
            f"p/{INIT}": "",
            "p/core.py": module(),
            f"tests/{INIT}": "",
            "tests/test_a.py": f"from p.core import make\n{module('other')}{TEST}",
        },
        ["-m pytest -q -p no:cacheprovider tests"],
    ),
    "tests in the package": (
        {
            f"p/{INIT}": "",
            "p/core.py": module(),
            f"p/tests/{INIT}": "",
            "p/tests/test_a.py": f"from ..core import make\n{module('other')}{TEST}",
        },
        ["-m pytest -q -p no:cacheprovider p"],
    ),
    "a src layout": (
        {
            f"src/p/{INIT}": "",
            "src/p/core.py": module(),
            "scripts/go.py": f"{IN_SRC}from p.core import make\n{script('x')}",
        },
        ["scripts/go.py"],
    ),
    "src as a plain folder": (
        {"src/model.py": module(), "src/train.py": f"from model import make\n{script('x')}"},
        ["src/train.py"],
    ),
    "src by its name": (
        {"src/model.py": module(), "train.py": f"from src.model import make\n{script('x')}"},
        ["train.py"],
    ),
    "the project is the package": (
        {INIT: "", "core.py": module(), "train.py": script(start=MAIN)},
        ["train.py"],
    ),
    "models and scripts beside them": (
        {
            f"models/{INIT}": "from .net import make\n",
            "models/net.py": module(),
            "train.py": f"from models import make\n{script('x')}",
            "test.py": script(),
        },
        ["train.py", "test.py"],
    ),
    "an import that shares the first line": (
        {
            f"p/{INIT}": "",
            "p/a.py": "from __future__ import annotations; " + script(),
        },
        ["p/a.py", "-m p.a"],
    ),
    "an import that shares its line": (
        {
            f"p/{INIT}": "",
            "p/a.py": script().replace(
                "import torch\n", "import os; import torch; import sys\n", 1
            ),
        },
        ["p/a.py", "-m p.a"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_way_to_run_it_works(case: str, tmp_path: Path) -> None:
    files, runs = CASES[case]
    for name, text in files.items():
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).write_text(text)
    output = tmp_path / "new"
    assert migrate_tree([tmp_path / "project"], output).ok
    assert list(output.rglob("_ms_compat.py"))
    for run in runs:
        done = subprocess.run(
            [sys.executable, *run.split()], cwd=output, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{run}: {done.stderr}{done.stdout}"
        assert done.stdout == "True\n" or "pytest" in run


@pytest.mark.parametrize(
    ("text", "does"),
    [
        ("def f():\n    g()\n", False),
        ('"""\nrun(this)\nfor example:\n"""\nx = 1\n', False),
        ("import sys\nsys.path.append('.')\n", False),
        ("import torch\ntorch.manual_seed(0)\n", False),
        ("import logging\nlogging.basicConfig()\n", False),
        ("x = f()\n", False),
        ("broken(\n", False),
        ("main()\n", True),
        ("with open('x') as f:\n    pass\n", True),
        ("while True:\n    break\n", True),
        ("if __name__=='__main__':\n    pass\n", True),
        ('if ("__main__" == __name__):\n    pass\n', True),
    ],
)
def test_what_a_file_is_run_for(text: str, does: bool) -> None:
    assert is_acting(text.encode()) is does
