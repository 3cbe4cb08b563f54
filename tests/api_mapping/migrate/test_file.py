"""One file converted: what is written, and what stays byte for byte."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import Migrated, migrate_file
from msconvert.api_mapping.table.target import Settings, Target


def migrated(folder: Path, code: str, target: Target = Target.MINDSPORE) -> Migrated:
    path = folder / "net.py"
    path.write_bytes(code.encode())
    return migrate_file(Project([path], [folder]), path, "net.py", Settings(target))


CASES = {
    "a class and its imports": (
        """\
        import torch
        import torch.nn as nn  # layers

        class Net(nn.Module):
            def forward(self, x):
                return torch.cat([x, x], dim=1)
        """,
        """\
        from mindspore import nn, ops
        # layers

        class Net(nn.Cell):
            def construct(self, x):
                return ops.cat([x, x], axis=1)
        """,
    ),
    "comments and lines inside of a call": (
        """\
        from torch import nn
        body = nn.Sequential(
            nn.Linear(1, 2, bias=True),  # first
            # between
            nn.ReLU(
                inplace=True  # no need
            ),
        )
        """,
        """\
        from mindspore import nn
        # no need
        body = nn.SequentialCell(
            nn.Dense(1, 2, has_bias=True),  # first
            # between
            nn.ReLU(),
        )
        """,
    ),
    "settings that MindSpore does not have": (
        """\
        import torch
        torch.backends.cudnn.benchmark = True  # faster
        def f(net: torch.nn.Module):
            net.cuda()
            net.cuda()  # twice
        def g(net: torch.nn.Module):
            net.cuda()
        """,
        """\
        from mindspore import nn
        # faster
        def f(net: nn.Cell):
            pass
            # twice
        def g(net: nn.Cell):
            pass
        """,
    ),
    "annotations as text": (
        """\
        import torch
        from torch import Tensor
        def f(a: "dict[str, torch.Tensor]", b: "Tensor | None", c: "Tensors") -> "Tensor":
            return a
        """,
        """\
        import mindspore as ms
        def f(a: "dict[str, ms.Tensor]", b: "ms.Tensor | None", c: "Tensors") -> "ms.Tensor":
            return a
        """,
    ),
    "a statement that becomes too long for its line": (
        """\
        import torch
        def initialise(module_of_the_network: torch.nn.Linear):
            torch.nn.init.normal_(module_of_the_network.weight, mean=0.0, std=0.02)  # small
        """,
        """\
        from mindspore import nn
        from mindspore.common.initializer import Normal, initializer
        def initialise(module_of_the_network: nn.Dense):
            module_of_the_network.weight.set_data(
                initializer(
                    Normal(sigma=0.02, mean=0.0),
                    module_of_the_network.weight.shape,
                    module_of_the_network.weight.dtype,
                )
            )  # small
        """,
    ),
    "a dictionary behind two stars": (
        """\
        import torch
        def f(n, device=None, dtype=None):
            dd = {"device": device, "dtype": dtype}
            return torch.zeros(n, **dd)
        """,
        """\
        from mindspore import ops
        def f(n, device=None, dtype=None):
            dd = {"device": device, "dtype": dtype}
            return ops.zeros(n, dtype=dtype)
        """,
    ),
    "imports in blocks": (
        """\
        try:
            import torch  # the library
        except ImportError:
            torch = None
        def f(x):
            import torch.nn.functional as F
            return F.relu(torch.jit.script(x, 1, 2, 3, 4, 5))
        """,
        """\
        try:
            # import torch  (lines that are marked below use it)
            pass  # the library
        except ImportError:
            torch = None
        def f(x):
            # import torch.nn.functional as F  (lines that are marked below use it)
            # MS208 line: torch.jit.script: 6 positional arguments, where there are 5
            return F.relu(torch.jit.script(x, 1, 2, 3, 4, 5))
        """,
    ),
    "what has no counterpart stays under a comment": (
        """\
        import torch
        def f(net, x):
            y = torch.relu(x)
            return torch.fx.symbolic_trace(net)
        """,
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_written_as_a_person_would(tmp_path: Path, name: str) -> None:
    before, after = CASES[name]
    found = migrated(tmp_path, dedent(before))
    ast.parse(found.text)
    if after is not None:
        assert found.text == dedent(after)
    else:
        assert "# MS201 line: torch.fx.symbolic_trace" in found.text
        assert "    return torch.fx.symbolic_trace(net)\n" in found.text


@pytest.mark.parametrize("name", CASES)
def test_a_second_time_changes_nothing(tmp_path: Path, name: str) -> None:
    once = migrated(tmp_path, dedent(CASES[name][0])).text
    assert migrated(tmp_path, once).text == once


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\r\nx = np.zeros(3)\r\n",
        "",
        "x = [1,\n  2]\n",
        "\ufeffclass forward: pass\n",
    ],
)
def test_a_file_without_torch_stays_byte_for_byte(tmp_path: Path, code: str) -> None:
    assert migrated(tmp_path, code).text == code.lstrip("\ufeff")


def test_line_ends_stay(tmp_path: Path) -> None:
    code = "import torch\r\nx = torch.zeros(\r\n    2,  # rows\r\n)\r\ny = 1\r\n"
    text = migrated(tmp_path, code).text
    assert text.count("\r\n") == text.count("\n") > 3


def test_comments_that_lose_their_place_stand_above_the_statement(tmp_path: Path) -> None:
    long = "# " + "much to say " * 9
    code = f"""\
import torch
def f(x: torch.Tensor, y: torch.Tensor):
    (
        x.add_(y)
        # twice
        {long.strip()}
        .mul_(y)
        # twice
        .clamp_(0, 1)
    )
    return x
"""
    text = migrated(tmp_path, code).text
    above = f"    # twice\n    {long.strip()}\n    # twice\n"
    assert f"{above}    x.copy_(x.add(y).mul(y).clamp(0, 1))\n" in text


def test_the_comment_of_a_decorator_that_goes_stays(tmp_path: Path) -> None:
    code = "import torch\nclass C:\n    @torch.jit.unused  # why\n    def f(self): pass\n"
    assert migrated(tmp_path, code).text == "class C:\n    # why\n    def f(self): pass\n"


@pytest.mark.parametrize(
    "decorator",
    [
        "torch.compile",
        "torch.compile()",
        "torch.compile(mode='max-autotune', dynamic=True)",
        "torch.compiler.disable(recursive=False)",
        "torch.jit.ignore(drop=True)",
    ],
)
def test_decorators_that_change_nothing_go(decorator: str, tmp_path: Path) -> None:
    code = f"import torch\n@{decorator}\ndef f(x):\n    return x\n"
    assert migrated(tmp_path, code).text == "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("line", "is_dropped"),
    [
        ("torch.backends.cudnn.benchmark = True", True),
        ("torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = True", True),
        ("torch.backends.cudnn.deterministic, b = True, 2", False),
        ("(torch.backends.cudnn.enabled, b), c = (True, 2), 3", False),
        ("torch.backends.cudnn.benchmark = b = True", False),
        ("b = torch.backends.cudnn.benchmark = True", False),
        ("torch.backends.cudnn.benchmark: bool = True", False),
        ("torch.backends.cudnn.benchmark |= True", False),
    ],
)
def test_a_setting_without_a_place_is_left_out_or_marked(
    line: str, is_dropped: bool, tmp_path: Path
) -> None:
    found = migrated(tmp_path, f"import torch\n{line}\n")
    assert (line in found.text) != is_dropped
    assert ("# MS208 line: torch.backends.cudnn" in found.text) != is_dropped
    assert [use.edit for use in found.left] == [""] * (not is_dropped)
    assert {use.refusal.partition(" cannot")[2][:7] for use in found.left} <= {" be set"}


def test_many_statements_on_one_line_stay_there(tmp_path: Path) -> None:
    """Their columns are no indentation: blocks so deep would take gigabytes."""
    code = "import torch\n" + "; ".join(["torch.zeros(3)"] * 1500) + "\n"
    text = migrated(tmp_path, code).text
    assert text == "from mindspore import ops\n" + "; ".join(["ops.zeros(3)"] * 1500) + "\n"
