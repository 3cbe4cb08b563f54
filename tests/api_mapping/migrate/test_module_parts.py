"""Parts of containers of modules, whose slices rename the parameters in them in MindSpore."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from msconvert.tests.api_mapping.migrate.running import migrated

from .script_sides import convert

SCRIPT = Path(__file__).parent / "projects" / "module_parts.py"
OWN_NAMES = """
import module_parts
for kind in module_parts.NETS:
    net = kind()
    before = [p.name for p in net.get_parameters()]
    assert before == [name for name, _ in net.parameters_and_names()]
    net(module_parts.SAMPLE)
    net(module_parts.SAMPLE)
    after = [p.name for p in net.get_parameters()]
    assert after == before, (kind, after)
"""


def printed(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=["bundled", "mindspore"])
def side(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A Python that has the target, and the converted script's folder."""
    target = request.param
    python = sys.executable
    if target == "mindspore":
        python = str(request.getfixturevalue("mindspore_python"))
    return python, convert(SCRIPT, target, tmp_path / "converted")


def test_the_parameters_keep_their_names(side: tuple[str, Path], tmp_path: Path) -> None:
    pytest.importorskip("torch")
    python, folder = side
    wanted = json.loads(printed([sys.executable, str(SCRIPT)], tmp_path))
    found = json.loads(printed([python, SCRIPT.name], folder).splitlines()[-1])
    assert found == wanted
    printed([python, "-c", OWN_NAMES], folder)


HEAD = "import torch\nfrom torch import nn\n"
NET = f"{HEAD}seq = nn.Sequential(nn.ReLU(), nn.ReLU())\nlayers = nn.ModuleList([nn.ReLU()])\n"

LINES = {
    "for m in layers[1:]: m(x)": "for m in list(layers)[1:]: m(x)",
    "n = len(layers[:2])": "n = len(list(layers)[:2])",
    "y = seq[:2](x)": "y = compat.part(seq, slice(None, 2))(x)",
    "y = seq[::2]": "y = compat.part(seq, slice(None, None, 2))",
    "y = [*layers[1:]]": "y = [*list(layers)[1:]]",
    "def f(z):\n    for m in z[1:]: m(x)": "    for m in list(z)[1:]: m(x)",
    # what has nothing to do with modules stays
    "def f(z):\n    for m in z[1:]: print(m)": "    for m in z[1:]: print(m)",
    "y = list(layers)[1:]": "y = list(layers)[1:]",
    "y = layers[0]": "y = layers[0]",
    "def f(z): return z[1:]": "def f(z): return z[1:]",
    "y = torch.ones(3)[1:]": "y = ops.ones(3)[1:]",
}


@pytest.mark.parametrize("before", LINES)
def test_a_part_is_written_for_its_use(tmp_path: Path, before: str) -> None:
    text = migrated(tmp_path, f"{NET}x = torch.ones(1)\n{before}\n").text
    assert text.splitlines()[-1] == LINES[before]
    assert migrated(tmp_path, text).text == text
