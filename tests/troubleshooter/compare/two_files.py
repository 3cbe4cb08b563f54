"""Two networks as files of the same name, and one beside the ONNX file of another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from msconvert.formats import write_weights
from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings


def compared(
    comparer: NetworkComparer,
    folder: Path,
    original: str,
    converted: str,
    settings: NetworkSettings,
) -> NetworkComparison:
    """What is said of the two texts, each written as net.py into a folder of its own."""
    for side, text in (("a", original), ("b", converted)):
        (folder / side).mkdir(exist_ok=True)
        (folder / side / "net.py").write_text(text)
    return comparer.compare(folder / "a" / "net.py", folder / "b" / "net.py", settings)


def exported(
    folder: Path, text: str, shape: tuple[int, ...], name_of: Callable[[str], str] = str
) -> Path:
    """The network of a text as an ONNX file, a checkpoint with the port's names beside it."""
    torch = pytest.importorskip("torch")
    scope: dict[str, Any] = {}
    exec(text, scope)  # of this project's own tests
    torch.manual_seed(0)
    network, file = scope["Net"]().eval(), folder / "net.onnx"
    torch.onnx.export(network, (torch.randn(*shape),), file, input_names=["x"], dynamo=False)
    weights = [(name_of(name), x.numpy()) for name, x in network.state_dict().items()]
    write_weights(file.with_suffix(".ckpt"), weights, format="ckpt")
    return file


def beside_file(
    comparer: NetworkComparer, model: Path, folder: Path, text: str
) -> NetworkComparison:
    """What is said of a port beside such a file."""
    script = folder / "net.py"
    script.write_text(text + "\ndef build():\n    return Net()\n")
    return comparer.compare(model, script, NetworkSettings(weights_b=model.with_suffix(".ckpt")))
