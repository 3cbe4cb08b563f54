"""Uses of what nothing is known of: marked where a tensor's or a module's code would be other."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import Migrated, migrate_file
from msconvert.api_mapping.table.target import Settings, Target

from .running import both

HEAD = "import torch\nfrom elsewhere import thing\nt = thing()\n"

EITHER = {
    "sizes": ("b, n = t.size()", "b, n = t.shape if isinstance(t, ms.Tensor) else t.size()"),
    "copy": ("y = t.clone()", "y = t.copy() if isinstance(t, ms.Tensor) else t.clone()"),
    "repetition": (
        "y = t.repeat(2, 1)",
        "y = t.tile((2, 1)) if isinstance(t, ms.Tensor) else t.repeat(2, 1)",
    ),
    "of a part": (
        "y = t.part.clone()",
        "y = t.part.copy() if isinstance(t.part, ms.Tensor) else t.part.clone()",
    ),
    "of an element": (
        "y = t[0].clone()",
        "y = t[0].copy() if isinstance(t[0], ms.Tensor) else t[0].clone()",
    ),
    "computed axis": (
        "y = t.mean(dim=axes)",
        "y = t.mean(axes) if isinstance(t, ms.Tensor) else t.mean(dim=axes)",
    ),
    "mode": ("t.eval()", "t.set_train(False) if isinstance(t, nn.Cell) else t.eval()"),
    "walk": (
        "for m in t.modules(): print(m)",
        "for m in compat.modules(t) if isinstance(t, nn.Cell) else t.modules(): print(m)",
    ),
    "in a condition": (
        "if t.clone() is not None: pass",
        "if (t.copy() if isinstance(t, ms.Tensor) else t.clone()) is not None: pass",
    ),
    "of a call": (
        "y = thing(1).eval()",
        "y = compat.then(thing(1), lambda it: it.set_train(False) if isinstance(it, nn.Cell)"
        " else it.eval())",
    ),
}
MARKED = {
    "what has no counterpart": ("y = t.is_cuda", ""),
    "in a lambda": ("y = thing(1).repeat((n := 2), n)", "thing(1).tile("),
    "a name that is taken": ("y = thing(1).repeat(it, 1)", "thing(1).tile((it, 1))"),
}
UNMARKED = {
    "same code": "y = t.sum()",
    "same arguments": "y = t.view(2, 3).item()",
    "of another kind, maybe": "t.step()",
    "a field that others have": "y = t.shape",
    "hidden": "y = t.is_cuda  # msconvert: ignore[MS206]",
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


@pytest.mark.parametrize("case", EITHER)
def test_what_would_be_other_code_is_written_for_both(tmp_path: Path, case: str) -> None:
    code, written = EITHER[case]
    text = migrated(tmp_path, code).text
    assert text.endswith(f"{written}\n")
    assert "line:" not in text
    again = f"{code}\n{written}"  # in a file of which something is PyTorch's still
    assert migrated(tmp_path, again).text.count(written) == 2


RUN = """\
import numpy as np
import torch
from torch import nn

class Deck:
    def size(self): return "deck", 1
    def clone(self): return Deck()
    def eval(self): return "done"
    def repeat(self, *n): return n
    def state_dict(self): return {"a": 1}

def shown(things):
    found = []
    for kind, t in things:
        if kind != "module":
            a, b = t.size()
            found += [a, b, type(t.clone()) is type(t), t.repeat(2, 1) is None]
        if kind != "tensor":
            found += [sorted(t.state_dict()), t.eval() is t, getattr(t, "training", None)]
    return found

things = [("tensor", torch.ones(2, 3)), ("deck", Deck()), ("module", nn.Linear(2, 2))]
opt = torch.optim.SGD(things[2][1].parameters(), lr=0.5)
other = [("module", nn.Sequential(nn.Linear(2, 2))), ("tensor", torch.zeros(1, 4))]
result = shown(eval("things")) + shown(eval("other"))
result += [isinstance(eval("opt").state_dict(), dict), len(eval("things")[0][1].clone().size())]
"""


def test_each_of_them_gives_what_it_gives(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    left, right = both(tmp_path, RUN)
    assert right.result == left.result


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
