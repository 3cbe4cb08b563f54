"""Arguments that stand around a call's code, arguments behind `*` and `**`, named results."""

from __future__ import annotations

from pathlib import Path

import pytest

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
