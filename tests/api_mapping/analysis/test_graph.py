"""Names across files: what a project's own modules say of each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project, find_sources
from msconvert.api_mapping.analysis.definitions import Function
from msconvert.api_mapping.analysis.engine import Engine

from .analysed import analysed, told

LAYERS = """
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.fc = nn.Linear(k, k)
    def helper(self, x):
        return torch.relu(x)
    def forward(self, x):
        return self.fc(x)

def loader():
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(3)))

def untouched(x):
    return x
"""

ACROSS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "subclass of a subclass": (
        "from layers import Base\nclass A(Base):\n    pass\nclass B(A):\n"
        "    def forward(self, x):\n        y = super().forward(x)\n"
        "        return y.sum() + self.fc.weight.mean()\nB(3).parameters()",
        {"layers": LAYERS},
        [
            "6 call nn.Module.forward",
            "7 call Tensor.sum",
            "7 call Tensor.mean",
            "8 call nn.Module.parameters",
        ],
    ),
    "results of functions": (
        "import layers\nfor (x,) in layers.loader():\n    x.sum()\nlayers.untouched(3).sum()\n"
        "import torch",
        {"layers": LAYERS},
        ["3 call Tensor.sum", "4 call Tensor.sum ?"],
    ),
    "relative and re-exported": (
        "from .. import Net\nfrom ..sub import other as o\nNet(3).eval()\no.F.relu(3)",
        {
            "pkg____init__": "from .sub.net import Base as Net\nfrom . import sub",
            "pkg__sub____init__": "",
            "pkg__sub__net": LAYERS,
            "pkg__sub__other": "import torch.nn.functional as F",
            "pkg__use____init__": "",
        },
        ["3 call nn.Module.eval", "4 call nn.functional.relu"],
    ),
    "star of the project": (
        "from layers import *\nBase(3).eval()\nnn.Linear(3, 4)\nprint(1)",
        {"layers": LAYERS},
        ["2 call nn.Module.eval", "3 call nn.Linear"],
    ),
    "star of a star": (
        "from a import *\nLinear(3, 4)",
        {"a": "from b import *", "b": "from torch.nn import Linear"},
        ["2 call nn.Linear"],
    ),
    "circles": (
        "import a\na.A(3).eval()\na.B().eval()",
        {
            "a": "from b import B\nfrom torch import nn\nclass A(nn.Module): pass\n",
            "b": "import a\nfrom a import *\nclass B(a.A): pass",
        },
        ["2 call nn.Module.eval", "3 call nn.Module.eval"],
    ),
    "a circle of names": (
        "from a import x\nx.sum()\nimport torch",
        {"a": "from b import x", "b": "from a import x"},
        ["2 call Tensor.sum ?"],
    ),
    "a local module named torch": (
        "import torch\nfrom torch import nn\ntorch.zeros(3)\nnn.Linear(3, 4)",
        {"torch": "class nn:\n    pass"},
        [],
    ),
    "a package of modules without init": (
        "from models.net import Base\nBase(3).eval()",
        {"models__net": LAYERS},
        ["2 call nn.Module.eval"],
    ),
    "a data set's own class": (
        "from data import D\nfrom torch.utils.data import DataLoader\n"
        "for x, y, n in DataLoader(D()):\n    x.sum(), y.sum(), n[0].split()",
        {
            "data": "import torch\nclass D(torch.utils.data.Dataset):\n"
            "    def __getitem__(self, i):\n        return torch.ones(3), i * 2.0, str(i)"
        },
        ["3 call utils.data.DataLoader", "4 call Tensor.sum", "4 call Tensor.sum"],
    ),
    "called from another file": (
        "def train(net, data, k):\n    net.train()\n    for x in data:\n        x.sum()\n"
        "    k.sum()\ndef other(x):\n    return x.sum()\nother([3])\nimport torch",
        {
            "main": "import module\nimport torch\nfrom layers import Base\n"
            "def main():\n    data = [torch.ones(3)]\n    module.train(Base(3), data, 4)\n"
            "    module.other(torch.ones(3))\nmain()",
            "layers": LAYERS,
        },
        [
            "2 call nn.Module.train",
            "4 call Tensor.sum",
            "5 call Tensor.sum ?",
            "7 call Tensor.sum ?",
        ],
    ),
    "a module that is not there": ("from nothing import x\nx.zeros(3)\nimport torch", {}, []),
    "attributes that other files build": (
        "from layers import Base\nimport torch\nclass A(Base):\n    def extra(self):\n"
        "        self.nothing.sum()\n        return self.fc(3).sum()",
        {"layers": LAYERS},
        ["5 call Tensor.sum ?", "6 call Tensor.sum"],
    ),
}


@pytest.mark.parametrize("name", ACROSS)
def test_names_of_other_files(tmp_path: Path, name: str) -> None:
    source, others, expected = ACROSS[name]
    here = "pkg/use/module.py" if "pkg____init__" in others else "module.py"
    analysis = analysed(tmp_path, source, here, **others)
    found = [told(use) for use in analysis.uses if use.kind not in ("base", "import")]
    assert found == expected


def test_the_order_of_files_changes_nothing(tmp_path: Path) -> None:
    source, others, _ = ACROSS["subclass of a subclass"]
    analysed(tmp_path, source, **others)
    sources, _ = find_sources([tmp_path])

    def uses(order: list[Path]) -> dict[str, list[str]]:
        project = Project(sources, [tmp_path])
        return {path.name: [told(u) for u in project.analyse(path).uses] for path in order}

    assert uses(sources) == uses(sources[::-1])


def test_what_is_installed_beside_a_package_is_not_the_projects(tmp_path: Path) -> None:
    files = {
        "torch/__init__.py": "",
        "torchvision/__init__.py": "",
        "torchvision/ops.py": "def nms(*a): return a\n",
        "net/__init__.py": "",
        "net/part.py": "import torch\nfrom torchvision.ops import nms\nnms(torch.ones(3))\n",
        "torchvision/whole.py": "from torchvision.ops import nms\nnms(3)\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def uses(root: str, name: str) -> list[str]:
        sources, _ = find_sources([tmp_path / root])
        return [*map(told, Project(sources, [tmp_path / root]).analyse(tmp_path / name).uses)]

    assert uses("net", "net/part.py") == [
        "3 call torchvision.ops.nms",
        "3 call ones",
    ]
    assert uses("torchvision", "torchvision/whole.py") == []


DEEP = """
import torch
def first(x):
    return second(x)
def second(x):
    return third(x)
def third(x):
    return torch.relu(x)
class Held:
    def __init__(self):
        self.x = first(3)
"""


def test_what_one_file_asks_too_deeply_another_is_told(tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_text(DEEP)
    (tmp_path / "far.py").write_text("import deep\ndeep.first(1).sum()\ndeep.Held().x.sum()\n")
    near = tmp_path / "near.py"
    near.write_text("import deep, torch\ndeep.second(1).sum()\n")
    sources, _ = find_sources([tmp_path])
    project = Project(sources, [tmp_path])
    project.analyse(tmp_path / "far.py")
    assert [*map(told, project.analyse(near).uses)] == ["2 call Tensor.sum"]


def test_modules_and_their_forward_are_told(tmp_path: Path) -> None:
    source = (
        "from layers import Base\nclass A(Base):\n    def forward(self, x): pass\nclass B: pass"
    )
    analysis = analysed(tmp_path, source, layers=LAYERS)
    (found,) = analysis.modules
    assert (found.node.name, found.base) == ("A", "torch.nn.Module")
    assert found.forward is not None
    assert found.forward in found.node.body


def test_kinds_of_expressions_are_told(tmp_path: Path) -> None:
    source = "import torch\nx = torch.ones(3)\ny = x.size(0)\nz = x.shape\nu = input\n"
    analysis = analysed(tmp_path, source)
    values = [statement.value for statement in analysis.tree.body[1:]]
    assert [analysis.kind_of(value).tag for value in values] == [
        "tensor",
        "int",
        "shape",
        "foreign",
    ]


CALLS_ITSELF = """
import torch
def first(n):
    return first(n - 1) if n else torch.zeros(3)
"""
IS_DEEP = """
import torch
def first(n):
    return second(n)
def second(n):
    return third(n)
def third(n):
    return torch.zeros(n)
"""


@pytest.mark.parametrize("library", [CALLS_ITSELF, IS_DEEP])
def test_what_a_function_gives_is_found_out_once_for_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    (tmp_path / "library.py").write_text(library)
    for name in "ab":
        (tmp_path / f"{name}.py").write_text("import library\nlibrary.first(3).sum()\n")
    ran: list[str] = []
    run = Engine.run

    def noted(engine: Engine, function: Function) -> None:
        ran.append(function.name)
        run(engine, function)

    monkeypatch.setattr(Engine, "run", noted)
    project = Project([*tmp_path.glob("*.py")], [tmp_path])
    first = project.analyse(tmp_path / "a.py")
    times = len(ran)
    second = project.analyse(tmp_path / "b.py")
    assert (len(ran), times > 0) == (times, True)
    assert list(map(told, first.uses)) == list(map(told, second.uses))


@pytest.mark.parametrize("order", ["abc", "acb", "cab"])
def test_what_was_too_deep_for_one_file_is_found_out_for_the_next(
    tmp_path: Path, order: str
) -> None:
    (tmp_path / "library.py").write_text(IS_DEEP)
    for name, asked in zip("abc", ("first", "second", "third"), strict=True):
        (tmp_path / f"{name}.py").write_text(f"import library\nlibrary.{asked}(3).sum()\n")
    project = Project([*tmp_path.glob("*.py")], [tmp_path])
    told_of = {
        name: list(map(told, project.analyse(tmp_path / f"{name}.py").uses)) for name in order
    }
    assert (told_of["b"], told_of["c"]) == (["2 call Tensor.sum"], ["2 call Tensor.sum"])


@pytest.mark.parametrize(
    "roots",
    [
        ["package"],
        ["package/backends"],
        ["package/a.py", "package/backends/torch.py"],
        ["main.py", "package/backends/torch.py"],
        ["main.py", "scripts/torch.py"],
        ["main.py", "scripts"],
    ],
)
def test_a_module_named_torch_hides_pytorch_only_where_imports_start_from(
    roots: list[str], tmp_path: Path
) -> None:
    files = ("package/a.py", "package/backends/torch.py", "main.py", "scripts/torch.py")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("import torch\ntorch.ones(3)\n")
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "package" / "backends" / "__init__.py").touch()
    (tmp_path / "scripts" / "beside.py").write_text("import torch\ntorch.ones(3)\n")
    named = [tmp_path / root for root in roots]
    sources, _ = find_sources(named)
    project = Project(sources, named)
    found = {path.name: len(project.analyse(path).uses) for path in sources}
    wanted = {path.name: int(path.name not in ("__init__.py", "beside.py")) for path in sources}
    assert found == wanted


def test_a_package_named_torchvision_that_is_scanned_imports_from_itself(tmp_path: Path) -> None:
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text("from torchvision import ops\nops.nms(1)\n")
    (package / "ops.py").write_text("def nms(boxes):\n    return boxes\n")
    project = Project(find_sources([tmp_path])[0], [tmp_path])
    assert not project.analyse(package / "__init__.py").uses
