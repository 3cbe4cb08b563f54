"""Methods that PyTorch's layers call by themselves: marked where nobody calls them any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.source.outcome import Outcome
from msconvert.api_mapping.source.tree import convert_paths
from msconvert.api_mapping.table.target import Settings, Target

LOST = {
    "a convolution": "class M(nn.Conv1d):\n    def _conv_forward(self, x, w, b):\n"
    "        return F.conv1d(x, 2 * w, b)\n",
    "first weights": "class M(nn.Embedding):\n    def reset_parameters(self):\n"
    "        nn.init.zeros_(self.weight)\n",
    "of a class between": "class A(nn.Linear):\n    pass\n\n\nclass M(A):\n"
    "    def reset_parameters(self):\n        nn.init.ones_(self.weight)\n",
    "a state": "class M(nn.Module):\n    def set_extra_state(self, state):\n"
    "        self.seen = state\n",
    "of another file": "from base import Base\n\n\nclass M(Base):\n"
    "    def reset_parameters(self):\n        nn.init.ones_(self.weight)\n",
}
CALLED = {
    "by its constructor": "class M(nn.Linear):\n    def __init__(self):\n"
    "        super().__init__(2, 2)\n        self.reset_parameters()\n\n"
    "    def reset_parameters(self):\n        nn.init.ones_(self.weight)\n",
    "of no layer": "class M(nn.Module):\n    def reset_parameters(self):\n        self.n = 0\n",
    "of no module": "class M(list):\n    def get_extra_state(self):\n        return 0\n",
    "from outside": "class M(nn.ModuleList):\n    def reset_parameters(self):\n"
    "        self.n = 0\n\n\nM().reset_parameters()\n",
    "a function": "def reset_parameters(layer):\n    nn.init.ones_(layer.weight)\n",
}


def converted(folder: Path, code: str) -> Outcome:
    (folder / "base.py").write_text("from torch import nn\n\n\nclass Base(nn.Linear):\n    pass\n")
    (folder / "net.py").write_text(
        f"import torch.nn.functional as F\nfrom torch import nn\n\n\n{code}"
    )
    return Outcome(convert_paths([folder], Settings(Target.BUNDLED)))


@pytest.mark.parametrize("name", LOST)
def test_what_nobody_calls_is_marked(name: str, tmp_path: Path) -> None:
    outcome = converted(tmp_path, LOST[name])
    assert (outcome.marks, outcome.tree.ok) == (1, False)
    (file,) = (file for file in outcome.tree.files if file.path.name == "net.py")
    assert b"# MS241 line: " in (file.data or b"")


@pytest.mark.parametrize("name", CALLED)
def test_others_are_not(name: str, tmp_path: Path) -> None:
    assert converted(tmp_path, CALLED[name]).marks == 0
