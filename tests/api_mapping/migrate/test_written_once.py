"""Numbers that stand twice in the new code: only those of functions that are known to be pure."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.tests.api_mapping.migrate.running import migrated

HEAD = "import math\nimport numpy as np\nimport torch\nx = torch.ones(3)\nn = 4\n"

PURE = {
    "math": "x.uniform_(-math.sqrt(n), math.sqrt(n))",
    "from math": "from math import sqrt\nx.uniform_(-1 / sqrt(n), 1)",
    "under another name": "from math import log as ln\nx.uniform_(-ln(n), ln(n))",
    "NumPy": "x.uniform_(-np.sqrt(n), np.sqrt(n))",
    "Python": "x.uniform_(-max(abs(n), 1), float(n))",
}

OWN = {
    "a function": "def sqrt(n):\n    print(n)\n    return n\nx.uniform_(-sqrt(n), 1)",
    "of another file": "from numbers_of_ours import exp\nx.uniform_(-exp(n), 1)",
    "a method": "class A:\n    def log(self, n): return n\na = A()\nx.uniform_(-a.log(n), 1)",
    "a parameter": "def f(max, x):\n    x.uniform_(-max(n, 1), 1)",
    "a name like math": "class math:\n    sqrt = print\nx.uniform_(-math.sqrt(n), 1)",
    "a lambda": "abs = lambda n: draws.pop()\nx.uniform_(-abs(n), 1)",
}


@pytest.mark.parametrize("code", PURE.values(), ids=PURE)
def test_pure_numbers_may_stand_twice(tmp_path: Path, code: str) -> None:
    assert not migrated(tmp_path, f"{HEAD}{code}\n").left


@pytest.mark.parametrize("code", OWN.values(), ids=OWN)
def test_functions_of_the_project_stand_once(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"{HEAD}{code}\n")
    told = " ".join(line.strip(" #") for line in found.text.splitlines())
    assert "twice" in told
    assert "x.uniform_(-" in found.text
