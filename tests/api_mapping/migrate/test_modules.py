"""PyTorch's modules as values, types that are no types, and names that are imported for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.source.outcome import migrate_tree
from msconvert.api_mapping.table.target import Settings, Target

IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"


def migrated(folder: Path, code: str) -> str:
    path = folder / "net.py"
    path.write_text(code)
    found = migrate_file(Project([path], [folder]), path, "net.py", Settings(Target.MINDSPORE))
    assert not found.left
    return found.text


@pytest.mark.parametrize(
    ("code", "converted"),
    [
        ("known = 'silu' in dir(F)", "known = 'silu' in dir(ops)"),
        ("known = dir(torch.nn.functional)", "known = dir(ops)"),
        ("library = F", "library = ops"),
        ("def f(layers=nn): pass", "def f(layers=nn): pass"),
        ("def f(x: F = 'NCHW'): pass", "def f(x: ops = 'NCHW'): pass"),
        ("def f() -> dict[str, torch.tensor]: pass", "def f() -> dict[str, ms.Tensor]: pass"),
        ("x = hasattr(torch, 'compiler')", "x = True"),
        ("x = hasattr(torch, 'mps')", "x = False"),
        ("x = hasattr(torch, 'no_such_name')", "x = False"),
        ("class A:\n    fused: torch.jit.Final[bool]", "class A:\n    fused: bool"),
        ("class A:\n    n: torch.jit.Final = 3", "class A:\n    n: object = 3"),
    ],
)
def test_what_is_no_call(tmp_path: Path, code: str, converted: str) -> None:
    assert converted in migrated(tmp_path, f"{IMPORTS}{code}\n")


def test_lists_of_scripted_code(tmp_path: Path) -> None:
    code = "import torch\nfrom torch.jit.annotations import List\nx: List[torch.Tensor] = []\n"
    assert migrated(tmp_path, code) == "import mindspore as ms\nx: list[ms.Tensor] = []\n"


def test_a_package_hands_on_no_name_that_it_has_no_more(tmp_path: Path) -> None:
    files = {
        "p/checks.py": "from torch import _assert\n\n\ndef other(): return 1\n",
        "p/__init__.py": "from .checks import _assert, other\nfrom .net import run\n",
        "p/net.py": "from .checks import _assert\n\n\ndef run(x): _assert(x, 'two')\n",
    }
    root = tmp_path / "project"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    migrate_tree([root], tmp_path / "output", Settings(Target.MINDSPORE))
    written = (tmp_path / "output/p/__init__.py").read_text()
    assert written == "from .checks import other\nfrom .net import run\n"


def test_a_neighbour_named_as_a_standard_module_makes_no_script(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "p").mkdir(parents=True)
    (root / "p/__init__.py").write_text("")
    (root / "p/typing.py").write_text("Size = int\n")
    code = "from typing import List\nimport torch\n\n\ndef f(x: torch.Tensor): return x.sort(0)\n"
    (root / "p/net.py").write_text(code)
    migrate_tree([root], tmp_path / "output", Settings(Target.MINDSPORE))
    assert "from . import _ms_compat as compat" in (tmp_path / "output/p/net.py").read_text()


@pytest.mark.parametrize("base", ["DataParallel", "parallel.DistributedDataParallel"])
def test_what_is_no_class_in_mindspore_is_no_base(base: str, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(f"from torch import nn\n\n\nclass Own(nn.{base}):\n    pass\n")
    found = migrate_file(Project([path]), path, "net.py", Settings())
    assert f"class Own(nn.{base}):" in found.text
    assert "no class to derive from" in found.text
    assert [use.api for use in found.left] == [f"torch.nn.{base}"]


@pytest.mark.parametrize("layer", ["Dropout(p", "Dropout2d(p", "Threshold(p, 1.0", "ELU(p"])
def test_a_layer_that_writes_in_place_does_not_when_it_is_made(layer: str, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        f"from torch import nn\n\n\ndef made(p):\n    return nn.{layer}, inplace=True)\n"
    )
    new = migrate_file(Project([path]), path, "net.py", Settings()).text
    assert ":=" not in new
    assert "copy_" not in new


@pytest.mark.parametrize("caught", ["ImportError", "ModuleNotFoundError", "(OSError, ImportError)"])
@pytest.mark.parametrize("use", ["print(Found is None)", "made = Found() if Found else None"])
def test_a_fallback_of_an_import_runs(caught: str, use: str, tmp_path: Path) -> None:
    lines = f"""
try:
    from torch.utils import ThroughputBenchmark as Found
except {caught}:
    Found = None
import torch
{use}
x = torch.ones(2)
"""
    path = tmp_path / "net.py"
    path.write_text(lines)
    new = migrate_file(Project([path]), path, "net.py", Settings()).text
    assert "import ThroughputBenchmark" not in new.partition("try:")[2].partition("except")[0]
    head = new.partition("import torch")[0].partition("# MS")[0]
    scope: dict[str, object] = {}
    exec(head[head.index("try:") : head.index("Found = None") + len("Found = None")], scope)
    assert scope["Found"] is None


@pytest.mark.parametrize(
    ("place", "is_left"),
    [
        ("self.conv.weight", True),  # MindSpore's value is computed from another parameter
        ("self.up.weight", True),
        ("self.norm.weight", False),
        ("torch.backends.cudnn.benchmark", True),
        ("torch.backends.cudnn.deterministic", True),
    ],
)
def test_what_has_no_place_is_not_deleted_in_silence(
    place: str, is_left: bool, tmp_path: Path
) -> None:
    lines = f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)
        self.up = nn.ConvTranspose1d(2, 2, 1)
        self.norm = nn.BatchNorm1d(2)

    def drop(self):
        del {place}
"""
    path = tmp_path / "net.py"
    path.write_text(IMPORTS + lines)
    found = migrate_file(Project([path]), path, "net.py", Settings(Target.MINDSPORE))
    assert (f"del {place}" in found.text) == is_left
    assert ("# MS2" in found.text) == bool(found.left) == is_left
