"""A comparer that has raised an error is used again, and answers at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="one side is PyTorch")

from msconvert.errors import MsconvertError
from msconvert.troubleshooter.compare import NetworkComparer, NetworkSettings
from msconvert.troubleshooter.sides import workers

IN_TORCH = "import torch\n\ndef build():\n    return torch.nn.Linear(3, 2)\n\n"
INPUTS = "def inputs():\n    return (torch.randn(4, 3),)\n"
IN_MINDSPORE = "from mindspore import nn\n\ndef build():\n    return nn.Dense(3, 2)\n"
TWO = "class A(nn.{0}):\n    pass\n\nclass B(nn.{0}):\n    pass\n"
BAD = {
    "raises.py": "raise ValueError('at import')\n",
    "two.py": "from torch import nn\n\n" + TWO.format("Module"),
    "two_b.py": "from mindspore import nn\n\n" + TWO.format("Cell"),
    "no_inputs.py": IN_TORCH,
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With networks in it, and a Python without packages; what waits for nothing waits 10 s."""
    for name, text in {"a.py": IN_TORCH + INPUTS, "b.py": IN_MINDSPORE, **BAD}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    bare = tmp_path / "bare"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n', encoding="utf-8")
    bare.chmod(0o755)
    monkeypatch.setattr(workers, "STARTING_S", 9.0)
    monkeypatch.setattr(workers, "GRACE_S", 1.0)
    return tmp_path


@pytest.fixture
def comparer() -> Iterator[NetworkComparer]:
    with NetworkComparer() as found:
        yield found


def refused(comparer: NetworkComparer, a: Any, b: Any, **settings: Any) -> str:
    inputs = None if isinstance(a, Path) else [[1.0, 2.0, 3.0]]
    with pytest.raises(MsconvertError) as error:
        comparer.compare(
            a, b, NetworkSettings(mode="eval", target="bundled", **settings), inputs=inputs
        )
    assert "Timeout" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("a", "b", "pythons"),
    [
        ("a.py", "b.py", {"python_a": "bare"}),
        ("a.py", "b.py", {"python_b": "bare"}),
        ("a.py", "b.py", {"python_a": "bare", "python_b": "bare"}),
        ("a.py", "b.py", {"python_a": "/bin/false"}),
        ("a.py", "b.py", {"python_b": "/bin/false"}),
        ("a.py", "b.py", {"python_b": "nowhere"}),
        ("raises.py", "b.py", {}),
        ("raises.py", "raises.py", {}),
        ("two.py", "b.py", {}),
        ("a.py", "two_b.py", {}),
        ("no_inputs.py", "b.py", {}),
        ("nowhere.py", "b.py", {}),
    ],
)
def test_files(
    a: str, b: str, pythons: dict[str, str], comparer: NetworkComparer, folder: Path
) -> None:
    given = {name: str(folder / text) for name, text in pythons.items()}
    told = refused(comparer, folder / a, folder / b, **given)
    assert refused(comparer, folder / a, folder / b, **given) == told
    good = NetworkSettings(mode="eval", target="bundled")
    assert comparer.compare(folder / "a.py", folder / "b.py", good).ok
    assert refused(comparer, folder / a, folder / b, **given) == told


def test_a_network_at_hand(comparer: NetworkComparer, folder: Path) -> None:
    import torch

    network = torch.nn.Linear(3, 2)
    settings = NetworkSettings(mode="eval", target="bundled", copy_weights=True)
    told = refused(comparer, network, folder / "b.py", python_b=str(folder / "bare"))
    assert refused(comparer, network, folder / "b.py", python_b=str(folder / "bare")) == told
    inputs = torch.ones(1, 3)
    assert comparer.compare(network, folder / "b.py", settings, inputs=inputs).ok
