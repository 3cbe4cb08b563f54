"""Text attributes of a model never become code: unknown ones are refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from msconvert.converter.code.expr import Code, ops
from msconvert.converter.convert import Options, convert
from msconvert.errors import MsconvertError
from msconvert.tests.converter.small_models import model

PAYLOAD = "update if __import__('os').system('touch pwned') else ops.tensor_scatter_update"

INDEX = {"i": np.zeros((1, 1), np.int64), "u": np.ones((1, 3), np.float32)}
NODES = {
    "ScatterND": (["x", "i", "u"], {"reduction": PAYLOAD}),
    "ScatterElements": (["x", "i", "v"], {"reduction": PAYLOAD}),
    "Pad": (["x", "pads"], {"mode": PAYLOAD}),
    "BitShift": (["n", "n"], {"direction": PAYLOAD}),
    "MaxPool": (["image"], {"auto_pad": PAYLOAD, "kernel_shape": [2, 2]}),
    "DepthToSpace": (["image"], {"mode": PAYLOAD, "blocksize": 2}),
    "Resize": (["image", "", "scales"], {"mode": PAYLOAD}),
    "Gelu": (["x"], {"approximate": PAYLOAD}),
    "Einsum": (["x"], {"equation": PAYLOAD}),
}


@pytest.mark.parametrize("op", NODES)
def test_a_payload_is_refused_or_harmless(
    op: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inputs, attributes = NODES[op]
    constants = {
        **INDEX,
        "v": np.ones((1, 1), np.float32),
        "pads": np.array([0, 1, 0, 1]),
        "n": np.ones(3, np.uint8),
        "scales": np.array([1, 1, 2, 2], np.float32),
    }
    used = {name: array for name, array in constants.items() if name in inputs}
    shapes = {"x": (2, 3), "image": (1, 4, 4, 4)}
    given = {name: shapes[name] for name in inputs if name in shapes} or {"x": (2, 3)}
    node = helper.make_node(op, inputs, ["y"], **attributes)
    onnx.save(model([node], given, ["y"], used, opset=20), "hostile.onnx")
    try:
        report = convert(Options(Path("hostile.onnx"), output=tmp_path / "out"))
    except MsconvertError:
        pass  # refused while it is read
    else:
        assert not report.ok, "an attribute that ONNX does not know was taken"
    script = tmp_path / "out" / "hostile.py"
    assert not script.exists() or "__import__" not in script.read_text().split("class ")[-1]
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("text", ["a b", "a(b)", "a;b", "a\nb", "", "a.b[c]", "é", "a[0] if b"])
def test_code_takes_plain_names_only(text: str) -> None:
    with pytest.raises(ValueError, match="no plain name"):
        Code(text)


def test_functions_are_called_by_plain_names() -> None:
    with pytest.raises(ValueError, match="no plain name"):
        getattr(ops, "relu if x else y")
