"""Arguments that stand around a call's code, arguments behind `*` and `**`, named results."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.table.target import Settings

from .test_file import migrated

BEGIN = "import torch\nx = torch.ones(2, 3)\ny = torch.ones(2, 3)\nz = torch.zeros(2, 3)\n"

WRITTEN = {
    "torch.add(x, y, out=z)": "z = ops.add(x, y).astype(z.dtype)",
    "r = torch.add(x, y, out=z)": "r = (z := ops.add(x, y).astype(z.dtype))",
    "z = torch.add(x, y, out=z)": "z = ops.add(x, y).astype(z.dtype)",
    "torch.max(x, 1, out=(y, z))": "y, z = ops.max(x, 1)",
    "r = torch.add(x, y, out=None)": "r = ops.add(x, y)",
    "r = torch.ones(2, requires_grad=True)": "r = ms.Parameter(ops.ones(2))",
    "r = torch.ones(2, requires_grad=False)": "r = ops.ones(2)",
    "r = torch.ones(2, requires_grad=r)": "r = ms.Parameter(ops.ones(2), requires_grad=r)",
    "a = (x, 1)\nr = torch.sum(*a)": "a = (x, 1)\nr = ops.sum(x, 1)",
    'k = {"dim": 1}\nr = torch.sum(x, **k)': 'k = {"dim": 1}\nr = ops.sum(x, 1)',
    "k = dict(dim=1)\nr = torch.sum(x, **k)": "k = dict(dim=1)\nr = ops.sum(x, 1)",
    "r = torch.max(x, 1).values": "r = ops.max(x, 1)[0]",
    "p = x.sort()\nr = p.indices": "p = compat.sort(x)\nr = p[1]",
    "r = x.__and__(y)": "r = x.__and__(y)",
    "r = x.__rand__(y)": "r = ops.bitwise_and(x, y)",
}
REFUSED = (
    "torch.add(x, y, out=unknown)",
    "torch.add(x, y, out=x[torch.tensor([0])])",
    "r = torch.max(x, 1, out=(y, z))",
    "a = [x]\na.append(1)\nr = torch.sum(*a)",
    "for a in [(x, 1), (y, 1)]:\n    r = torch.sum(*a)",
    "class Net(torch.nn.Module):\n    def __init__(self):\n"
    "        self.w = torch.ones(2, requires_grad=True)",
)


@pytest.mark.parametrize("code", WRITTEN)
def test_they_are_written_around_the_call(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"{BEGIN}{code}\n")
    assert not found.left
    assert found.text.partition("z = ops.zeros((2, 3))\n")[2] == f"{WRITTEN[code]}\n"


@pytest.mark.parametrize("code", REFUSED)
def test_what_is_not_known_is_refused(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"{BEGIN}{code}\n")
    assert found.left
    assert "# MS20" in found.text


def test_the_form_of_a_call_does_not_follow_from_the_calls_before_it(tmp_path: Path) -> None:
    """The code of a call is kept for others of its text, which does not say what a list is."""
    path = tmp_path / "net.py"
    one, other = "[3, 3]", "3"
    for first, last in ((one, other), (other, one)):
        path.write_text(
            "import torch.nn.functional as F\n"
            f"def f(x):\n    k = {first}\n    return F.max_pool2d(x, k)\n"
            f"def g(x):\n    k = {last}\n    return F.max_pool2d(x, k)\n"
        )
        text = migrate_file(Project([path]), path, "net.py", Settings()).text
        assert text.count("tuple(k)") == 1
        assert ("tuple(k)" in text.partition("def g")[0]) == (first == one)


def test_what_a_caller_has_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("import torch\ndef f(o):\n    return torch.mul(o, 3, out=o)\n")
    text = migrate_file(Project([path]), path, "net.py", Settings()).text
    assert "return o.copy_(ops.mul(o, 3).astype(o.dtype))" in text


@pytest.mark.parametrize("names", ["code, places", "value, out", "name, idx", "compat, ms"])
def test_variables_have_any_names(names: str, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\nimport torch.nn.functional as F\n"
        f"x, act = torch.ones(2, 2), F.softmax\n{names} = torch.ones(2), torch.ones(2)\n"
        f"torch.max(x, 1, out=({names}))\n"
    )
    text = migrate_file(Project([path]), path, "net.py", Settings()).text
    assert text.endswith(f"\n{names} = ops.max(x, 1)\n")
    own = "ms_compat" if "compat" in names else "compat"
    assert f"x, act = ops.ones((2, 2)), {own}.functional_softmax\n" in text
