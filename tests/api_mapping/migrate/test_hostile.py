"""Hostile sources: what is written parses, keeps its comments, and stays the second time."""

from __future__ import annotations

import ast
import io
import os
import tokenize
from collections import Counter
from pathlib import Path

import pytest

from msconvert.api_mapping.source.outcome import migrate_tree
from msconvert.api_mapping.table.target import Settings, Target
from msconvert.tests.api_mapping.migrate.test_tree import tree_of

SOURCES: dict[str, str | bytes] = {
    "semi.py": ("import torch; import os; x = torch.zeros(1); y = torch.cat([x], dim=0)\n"),
    "oneline.py": (
        "import torch\n"
        "if True: x = torch.neg(1); y = torch.fx.symbolic_trace(1)\n"
        "for i in range(3): torch.manual_seed(i)\n"
        "class A(torch.nn.Module): pass\n"
        "def f(x): return torch.cat([x], dim=0)\n"
    ),
    "cont.py": (
        "import torch\n"
        "x = torch.cat([1, 2], \\\n"
        "    dim=0) + \\\n"
        "    torch.neg(1)\n"
        'with open("a") as f, \\\n'
        "     torch.no_grad():\n"
        "    pass\n"
    ),
    "ff.py": (
        "import torch\n\x0c\nclass A:\n\tdef f(self):\n\t\treturn torch.cat([1],\tdim=0)\n\x0c\n"
    ),
    "tabs.py": (
        "import torch\n"
        "def f():\n"
        "\tx = torch.cat([1], dim=0)\n"
        "\ttorch.fx.symbolic_trace(x)\n"
        "\treturn x\n"
    ),
    "nonascii.py": (
        'import torch\nx = "\xe9"; y = torch.cat(["\xfc", "\u65e5\u672c"], dim=0)  # \xf1\n'
    ),
    "fstr.py": (
        "import torch\n"
        "x = f\"{torch.neg(1)} {torch.zeros(2)['a']!r:>{torch.tensor(3)}}\"\n"
        "y = f'{torch.cat([1], dim=0)} \"q\"'\n"
    ),
    "deco.py": (
        "import torch\n"
        "@torch.no_grad()  # c1\n"
        "@staticmethod\n"
        "def f(x): return torch.neg(x)\n"
        "@torch.jit.script\n"
        "def g(x): return x\n"
        "class A(torch.nn.Module):\n"
        "    @torch.jit.export  # c2\n"
        "    def forward(self, x): return x\n"
    ),
    "walrus.py": (
        "import torch\nif (n := torch.zeros(3).sum()) > 2: pass\nz = [y := torch.neg(1), y**2]\n"
    ),
    "match.py": (
        "import torch\n"
        "match torch.neg(1):\n"
        "    case torch.Tensor(): pass\n"
        '    case {"a": torch.float32}: pass\n'
        "    case [x, *ops]: torch.cat([x], dim=0)\n"
    ),
    "star.py": (
        "from torch import *\n"
        "from torch.nn import *\n"
        "x = cat([zeros(1)], dim=0)\n"
        "l = Linear(1, 2)\n"
    ),
    "cond.py": (
        "try:\n"
        "    import torch\n"
        "    from torch import nn\n"
        "except ImportError:\n"
        "    torch = None\n"
        "\n"
        "def f(x):\n"
        "    if torch is not None:\n"
        "        return torch.cat([x], dim=0)\n"
    ),
    "typecheck.py": (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n"
        "    import torch\n"
        'def f(x: "torch.Tensor") -> "torch.Tensor":\n'
        "    return x.size(0)\n"
    ),
    "infunc.py": (
        "def f(x):\n"
        "    import torch\n"
        "    return torch.neg(x)\n"
        "class C:\n"
        "    import torch.nn as nn\n"
        "    l = nn.Linear(1, 2)\n"
    ),
    "noeol.py": ("import torch\nx = torch.zeros(1)"),
    "bom.py": (b"\xef\xbb\xbfimport torch\nx = torch.neg(1)\n"),
    "latin.py": (b'# -*- coding: latin-1 -*-\nimport torch\nx = torch.neg("\xe9")  # \xe9\n'),
    "cr.py": ("import torch\rx = torch.neg(1)\r"),
    "mixed.py": ("import torch\r\nx = torch.neg(1)\ny = torch.cat([x],\r\n   dim=0)\n"),
    "doc.py": (
        "#!/usr/bin/env python\n"
        '"""Doc."""\n'
        "from __future__ import annotations\n"
        "\n"
        "def f(x):\n"
        "    import torch\n"
        "    return torch.neg(x)\n"
    ),
    "onlydoc.py": ('"""Doc."""; import torch; x = torch.neg(1)\n'),
    "deep.py": f"import torch\nx = {'torch.neg(' * 80}1{')' * 80}\n",
    "strs.py": ('import torch\nx = """\ntorch.cat(\n"""\ny = torch.neg("""\n# no comment\n""")\n'),
    "lamb.py": (
        "import torch\n"
        "f = lambda x, y=torch.neg(1): torch.cat([x]) if x else torch.fx.symbolic_trace(x)\n"
    ),
    "async.py": (
        "import torch\n"
        "async def f(x):\n"
        "    async with x as y: await torch.neg(y)\n"
        "    async for z in torch.zeros(1): yield torch.neg(z)\n"
    ),
    "elif.py": (
        "import torch\n"
        "if torch.is_tensor(1):\n"
        "    pass\n"
        "elif torch.fx.symbolic_trace(1):  # why\n"
        "    pass\n"
        "else: torch.neg(1)\n"
    ),
    "glob.py": ("import torch\ndef f():\n    global ops\n    ops = torch.zeros(1)\n    del ops\n"),
    "a\"b'c <x>.py": ("import torch\nx = torch.neg(1)\n"),
    "ключ.py": ("import torch\nx = torch.neg(1)\n"),
    "cls.py": (
        "import torch\n"
        "from torch import nn\n"
        "class A(nn.Module):\n"
        "    ops = 1\n"
        "    def forward(self, x, *, ms=None): return torch.cat([x], dim=0)\n"
        "    forward_two = forward\n"
        "A.forward(None, 1)\n"
    ),
    "imps.py": (
        "import torch, os, torch.nn as nn, \\\n"
        "    sys  # all\n"
        "from torch import (  # one\n"
        "    zeros,  # two\n"
        "    cat,\n"
        "    # three\n"
        ")\n"
        "x = cat([zeros(1)], dim=0); os, sys\n"
    ),
    "tail.py": ("import torch, os; x = torch.fx.symbolic_trace(1)\n"),
    "middle.py": ("x = 1; import torch; y = torch.zeros(1, dtype=torch.int8)\n"),
}
"""By the names of their files."""


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "in").mkdir()
    for name, text in SOURCES.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / "in" / name).write_bytes(data)
    outcome = migrate_tree([folder / "in"], folder / "out", Settings(Target.MINDSPORE))
    assert outcome.failed == []
    return folder / "out"


def comments(data: bytes) -> Counter[str]:
    tokens = tokenize.tokenize(io.BytesIO(data).readline)
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.parametrize("name", SOURCES)
def test_it_is_python_with_all_its_comments(converted: Path, name: str) -> None:
    text = SOURCES[name]
    before = text if isinstance(text, bytes) else text.encode()
    after = (converted / name).read_bytes()
    assert after != before
    ast.parse(after)
    assert comments(before) - comments(after) == Counter()
    assert after.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")


def test_a_second_time_changes_nothing(converted: Path) -> None:
    outcome = migrate_tree([converted], converted.with_name("again"), Settings(Target.MINDSPORE))
    assert [file.scan.path for file in outcome.changed] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cond.py", "    torch = True  # the code asks whether it is there\nexcept"),
        ("cls.py", "    forward_two = construct\n"),
        ("middle.py", "x = 1; import mindspore as ms; from mindspore import ops; y = ops.zeros("),
        ("tail.py", "import os; x = torch.fx.symbolic_trace(1)\n"),
        ("semi.py", "from mindspore import ops; import os; x = ops.zeros(1); y = ops.cat("),
        ("cr.py", "from mindspore import ops\rx = ops.neg(1)\r"),
        ("noeol.py", "from mindspore import ops\nx = ops.zeros(1)"),
        ("ff.py", "\x0c\nclass A:\n\tdef f(self):\n\t\treturn ops.cat([1], axis=0)\n\x0c\n"),
        ("cont.py", "ops.cat([1, 2], \\\n    axis=0) + \\\n    ops.neg(1)\n"),
        ("star.py", "from mindspore import nn, ops\nx = ops.cat([ops.zeros(1)], axis=0)\n"),
        ("strs.py", '"""\ntorch.cat(\n"""\n'),
    ],
)
def test_what_is_written(converted: Path, name: str, expected: str) -> None:
    with (converted / name).open(encoding="utf-8", newline="") as file:
        assert expected in file.read()


def test_the_encoding_stays(converted: Path) -> None:
    assert 'ops.neg("\u00e9")  # \u00e9'.encode("latin-1") in (converted / "latin.py").read_bytes()


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder with links, pipes and what nobody wants a copy of."""
    root = tmp_path / "in"
    for name in ("sub", ".git", "__pycache__", ".github", "build", "env"):
        (root / name).mkdir(parents=True)
    for name in ("net.py", "sub/net.py", "build/net.py"):
        (root / name).write_text("import torch\nx = torch.neg(1)\n")
    for name in (".git/config", "__pycache__/x", ".github/w.yml", "env/pyvenv.cfg"):
        (root / name).write_text("x")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "data.bin").write_text("data")
    (root / "link.py").symlink_to("net.py")
    (root / "full.py").symlink_to(root / "net.py")
    (root / "gone.py").symlink_to("nowhere")
    (root / "loop").symlink_to(".")
    (root / "data").symlink_to("../elsewhere")
    os.mkfifo(root / "pipe")
    return root


def test_links_and_pipes(odd: Path, tmp_path: Path) -> None:
    outcome = migrate_tree([odd], tmp_path / "out")
    output = tmp_path / "out"
    links = {path.name: os.readlink(path) for path in output.iterdir() if path.is_symlink()}
    there = os.path.realpath(tmp_path / "elsewhere")
    assert links == {
        "link.py": "net.py",
        "full.py": "net.py",
        "gone.py": "nowhere",
        "loop": ".",
        "data": there,
    }
    assert [Path(refused.path).name for refused in outcome.refused] == ["pipe"]
    assert {name.partition("/")[0] for name in tree_of(output)} >= {"net.py", "sub", ".github"}
    assert not {".git", "__pycache__", "env"} & set(os.listdir(output))
    assert b"ops.neg" in (output / "sub" / "net.py").read_bytes()
    assert b"torch.neg" in (output / "build" / "net.py").read_bytes()


def test_a_link_that_leads_out_is_not_written_through(odd: Path, tmp_path: Path) -> None:
    from msconvert.api_mapping.source.output import write_in_place
    from msconvert.api_mapping.source.tree import convert_paths

    outside = tmp_path / "elsewhere" / "mine.py"
    outside.write_text("import torch\nx = torch.neg(1)\n")
    (odd / "out.py").symlink_to(outside)
    refused = write_in_place(convert_paths([odd], Settings()))
    assert [Path(r.path).name for r in refused if "link" in r.problem] == ["mine.py"]
    assert "torch.neg" in outside.read_text()


def test_a_long_sum_is_too_deep_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "sum.py").write_text("import torch\nx = " + "+".join(["torch.ones(1)"] * 1500))
    (tmp_path / os.fsdecode(b"na\xffme.py")).write_text(
        "import torch\n\n\ndef f(x):\n    return torch.neg(x)\n"
    )
    outcome = migrate_tree([tmp_path], tmp_path.with_name("out"), Settings(Target.MINDSPORE))
    remarks = [remark for file in outcome.failed for remark in file.scan.remarks]
    assert [(r.code, r.message.split(":")[0]) for r in remarks] == [("MS209", "nesting")]
    assert [len(file.left) for file in outcome.changed] == [0]
