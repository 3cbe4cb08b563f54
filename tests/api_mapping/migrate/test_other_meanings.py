"""Methods that tensors of both frameworks have, with another meaning: converted, or told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import msconvert.runtime as ms
from msconvert.api_mapping.table.facts.other_meanings import MEANINGS

from .test_file import migrated

torch = pytest.importorskip("torch")

GIVEN = {"norm": "2", "equal": "x", "take": "index"}
"""Arguments that show the difference."""
X = np.sin(np.arange(12, dtype=np.float32)).reshape(3, 4)


def call(name: str) -> str:
    return f"x.{name}({GIVEN.get(name, '')})"


@pytest.mark.parametrize("name", MEANINGS)
def test_the_meaning_is_another_and_nothing_is_raised(name: str) -> None:
    index = np.array([-1, -3])
    theirs = eval(call(name), {"x": torch.tensor(X), "index": torch.tensor(index)})
    ours = eval(call(name), {"x": ms.Tensor(X), "index": ms.Tensor(index)})
    as_arrays = [
        [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]
        for found in (theirs, ours)
    ]
    shapes = [[part.shape for part in parts] for parts in as_arrays]
    assert shapes[0] != shapes[1] or not all(map(np.allclose, *as_arrays))


@pytest.mark.parametrize("name", MEANINGS)
@pytest.mark.parametrize(
    "source",
    [
        "from files import load\nx = load()\ny = torch.ones(2), {call}\n",
        "found = {{}}\nfill(found)\nfor x in found.values():\n    print(torch.ones(2), {call})\n",
        "def f(x, index):\n    return go(x), torch.ones(2) * {call}\n",
        "class A:\n    def f(self, x):\n        if {call}:\n            return torch.ones(2)\n",
        "print([{call} for x in load()], torch.ones(2))\n",
    ],
)
def test_it_is_told_where_nothing_is_known(source: str, name: str, tmp_path: Path) -> None:
    text = migrated(tmp_path, "import torch\n" + source.format(call=call(name))).text
    assert text.count("# MS238 line: if it is a tensor") == 1
    assert call(name) in text
    assert "ops.ones(2)" in text


@pytest.mark.parametrize("name", MEANINGS)
@pytest.mark.parametrize(
    "source",
    [
        "def f(x: torch.Tensor, index):\n    return {call}\n",
        "x = torch.ones(2, 2)\nindex = torch.zeros(1).long()\ny = {call}\n",
        "import numpy as np\nx = np.ones((2, 2))\ny = {call}, torch.ones(2)\n",
    ],
)
def test_it_is_not_told_of_what_is_known(source: str, name: str, tmp_path: Path) -> None:
    assert "MS238" not in migrated(tmp_path, "import torch\n" + source.format(call=call(name))).text
