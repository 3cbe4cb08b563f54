"""Files that bind the names of templates themselves: the converted code uses others."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.table.target import Settings, Target


def migrated(folder: Path, code: str) -> str:
    path = folder / "net.py"
    path.write_text(code)
    return migrate_file(Project([path], [folder]), path, "net.py", Settings(Target.MINDSPORE)).text


BINDINGS = {
    "variable": "def f(x):\n    {name} = 1\n    return {name}\n",
    "argument": "def f({name}): return {name}\n",
    "import": "import other.{name} as {name}\n",
    "from": "from other import {name}\n",
    "function": "def {name}(): pass\n",
    "class": "class {name}: pass\n",
    "for": "for {name} in []: pass\n",
    "with": "with open('x') as {name}: pass\n",
    "except": "try: pass\nexcept OSError as {name}: pass\n",
    "walrus": "if ({name} := 1): pass\n",
    "comprehension": "y = [{name} for {name} in []]\n",
    "lambda": "y = lambda {name}: 1\n",
    "match": "match 1:\n    case {name}: pass\n",
    "match star": "match 1:\n    case [*{name}]: pass\n",
    "match mapping": "match 1:\n    case {{**{name}}}: pass\n",
    "in a class": "class C:\n    {name} = 1\n",
}
USE = "import torch\ny = torch.cat([torch.zeros(1, dtype=torch.int8)])\n"


@pytest.mark.parametrize("binding", BINDINGS)
def test_each_way_of_binding_a_name(tmp_path: Path, binding: str) -> None:
    own = BINDINGS[binding].format(name="ops")
    text = migrated(tmp_path, USE + own)
    assert text == (
        "import mindspore as ms\n"
        "from mindspore import ops as ms_ops\n"
        f"y = ms_ops.cat([ms_ops.zeros(1, dtype=ms.int8)])\n{own}"
    )
    assert migrated(tmp_path, text) == text


@pytest.mark.parametrize(
    ("name", "code", "converted"),
    [
        ("ms", "x = torch.int8", "import mindspore\nx = mindspore.int8"),
        (
            "nn",
            "x = torch.nn.ReLU()",
            "from mindspore import nn as ms_nn\nx = ms_nn.ReLU()",
        ),
        (
            "compat",
            "x = torch.sort(y)",
            "import _ms_compat as ms_compat\nx = ms_compat.sort(y)",
        ),
        (
            "compat",
            "def f(p): return torch.nn.Conv2d(1, 1, 2, padding=p)",
            "from mindspore import nn\nimport _ms_compat as ms_compat\n"
            'def f(p): return nn.Conv2d(1, 1, 2, pad_mode="pad", padding=ms_compat.sides(p), '
            "has_bias=True)",
        ),
        (
            "ms",
            "x = torch.optim.SGD([], 1)",
            "from mindspore.experimental import optim\nx = optim.SGD([], lr=1.0)",
        ),
    ],
)
def test_each_name(tmp_path: Path, name: str, code: str, converted: str) -> None:
    text = migrated(tmp_path, f"import torch\n{code}\n{name} = 1\n")
    assert text == f"{converted}\n{name} = 1\n"


def test_a_name_that_is_taken_twice(tmp_path: Path) -> None:
    text = migrated(tmp_path, "import torch\nops = ms_ops = torch.cat([])\n")
    assert text == "from mindspore import ops as ms_ops_\nops = ms_ops = ms_ops_.cat([])\n"


@pytest.mark.parametrize(
    "own",
    [
        "import numpy as np\n",
        "from mindspore import ops\n",
        "import mindspore as ms\n",
        "import msconvert.runtime as ms\n",
        "from . import _ms_compat as compat\n",
        "x.ops = 1\n",
        "f(ops=1)\n",
    ],
)
def test_what_is_no_other_use_of_the_name(tmp_path: Path, own: str) -> None:
    text = migrated(tmp_path, f"{own}{USE}")
    assert "ops.cat([ops.zeros(1, dtype=ms.int8)])\n" in text
    assert text.count("ms_") == own.count("ms_")


def test_annotations_written_as_text(tmp_path: Path) -> None:
    code = "import torch\ndef f(ms, x: 'torch.Tensor'): pass\n"
    text = migrated(tmp_path, code)
    assert text == "import mindspore\ndef f(ms, x: 'mindspore.Tensor'): pass\n"
