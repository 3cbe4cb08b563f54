"""Uses of what nothing is known of: marked where a tensor's or a module's code would be other."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import Migrated, migrate_file
from msconvert.api_mapping.table.target import Settings, Target

HEAD = "import torch\nfrom elsewhere import thing\nt = thing()\n"

MARKED = {
    "sizes": ("b, n = t.size()", "t.shape"),
    "copy": ("y = t.clone()", "t.copy()"),
    "repetition": ("y = t.repeat(2, 1)", "t.tile((2, 1))"),
    "of a part": ("y = t.part.clone()", "t.part.copy()"),
    "of an element": ("y = t[0].clone()", "t[0].copy()"),
    "computed axis": ("y = t.mean(dim=axes)", "t.mean(axes)"),
    "mode": ("t.eval()", "t.set_train(False)"),
    "walk": ("for m in t.modules(): print(m)", "compat.modules(t)"),
    "in a condition": ("if t.clone() is not None: pass", "t.copy()"),
    "what has no counterpart": ("y = t.is_cuda", ""),
}
UNMARKED = {
    "same code": "y = t.sum()",
    "same arguments": "y = t.view(2, 3).item()",
    "of another kind, maybe": "t.step()",
    "a field that others have": "y = t.shape",
    "hidden": "y = t.clone()  # msconvert: ignore[MS206]",
}
SHOWN = {
    "axis": ("y = t.softmax(dim=-1)", "t.softmax(-1)"),
    "axis of a part": ("y = t.part.squeeze(dim=1)", "t.part.squeeze(1)"),
    "order": ("y, i = t.sort(0, descending=True)\nz = i.clone()", "i.copy()"),
    "rates": ("y = t.get_last_lr()", "float(rate)"),
}
"""What no other library writes so: `t` is a tensor, or a scheduler."""


def migrated(folder: Path, code: str) -> Migrated:
    path = folder / "net.py"
    path.write_text(HEAD + code + "\n")
    return migrate_file(Project([path], [folder]), path, "net.py", Settings(Target.MINDSPORE))


@pytest.mark.parametrize("case", MARKED)
def test_what_would_be_other_code_is_marked(tmp_path: Path, case: str) -> None:
    code, instead = MARKED[case]
    text = " ".join(migrated(tmp_path, code).text.replace("#", " ").split())
    assert "MS206 line: maybe torch." in text
    assert instead in text
    assert code.split(": ")[0] in text  # as it was


@pytest.mark.parametrize("case", UNMARKED)
def test_what_serves_whatever_it_is_of_is_not(tmp_path: Path, case: str) -> None:
    found = migrated(tmp_path, UNMARKED[case])
    assert "line:" not in found.text
    assert UNMARKED[case] in found.text


@pytest.mark.parametrize("case", SHOWN)
def test_some_uses_show_what_it_is(tmp_path: Path, case: str) -> None:
    code, written = SHOWN[case]
    text = migrated(tmp_path, code).text
    assert "MS206" not in text
    assert written in text


def test_a_wrapper_on_a_condition_holds_the_module(tmp_path: Path) -> None:
    code = (
        "from torch import nn\nfrom torch.nn.parallel import DistributedDataParallel as DDP\n"
        "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"
        "net = Net()\nif torch.distributed.is_initialized():\n    net = DDP(net)\n"
        "state = net.module.state_dict()\n"
    )
    text = migrated(tmp_path, code).text
    assert "MS206" not in text
    assert "compat.state_dict(net)" in text
