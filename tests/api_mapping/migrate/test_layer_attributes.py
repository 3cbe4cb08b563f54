"""What layers have: each attribute of PyTorch's is the same here, or its line is marked."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from msconvert.api_mapping.source.compat_module import NAME, compat_module
from msconvert.api_mapping.source.marks import MARK
from msconvert.api_mapping.table.rows.layer_attributes import BUILT
from msconvert.api_mapping.table.target import Target

from .running import loaded, migrated

LAYERS = BUILT | {
    "AdaptiveAvgPool2d": "(2, 3)",
    "AvgPool1d": "2",
    "BCEWithLogitsLoss": "",
    "CosineSimilarity": "",
    "CrossEntropyLoss": "",
    "ELU": "0.7",
    "Flatten": "1",
    "Fold": "(4, 4), 2",
    "GLU": "",
    "Hardtanh": "-0.5, 0.5",
    "HuberLoss": "",
    "KLDivLoss": "",
    "LogSoftmax": "1",
    "MSELoss": "",
    "MultiheadAttention": "8, 2",
    "NLLLoss": "",
    "PairwiseDistance": "",
    "PixelShuffle": "2",
    "ReflectionPad2d": "(1, 2, 3, 4)",
    "Softmax": "dim=1",
    "TripletMarginLoss": "",
    "Unfold": "2",
    "Upsample": "scale_factor=2",
}
"""Layers with the arguments that build them."""
OPEN = re.compile(r"inplace|num_batches_tracked|_flat_weights|all_weights|proj_size|weight_|bias_")
"""Attributes that MindSpore's layers do not have and that nobody marks: they are set, not read."""
AS_BOOLS = frozenset("LSTM GRU RNN LSTMCell GRUCell RNNCell".split())
"""Layers whose `bias` is a flag: of a layer that may be one of them, it is not told."""
LINES = frozenset({"Conv1d", "ConvTranspose1d"})
"""Layers whose weight has an axis more in MindSpore: of a layer that may be one, it has it."""

KNOWN = """\
def f{number}():
    m = nn.{layer}({given})
    print("{layer}.{name}", {shown})
"""
EITHER = """\
def f{number}():
    for m in nn.ModuleList([nn.{layer}({given})]).modules():
        if isinstance(m, (nn.{layer}, nn.Bilinear)):
            print("{layer}.{name}", {shown})
"""
NEAR = r"-?\d+\.\d+(?:e-?\d+)?"


def attributes() -> Iterator[tuple[str, str, bool]]:
    """The layers with their attributes, and whether these are tensors."""
    from torch import Tensor, nn

    common = set(dir(nn.Module()))
    for layer, given in LAYERS.items():
        built: Any = eval(f"nn.{layer}({given})", {"nn": nn})
        held = {*built.__dict__, *built._parameters, *built._buffers}
        for name in sorted(n for n in held - common if n[0] != "_" and not OPEN.match(n)):
            value = getattr(built, name)
            if not isinstance(value, nn.Module) and not callable(value):
                yield layer, name, isinstance(value, Tensor)


@pytest.mark.parametrize("form", [KNOWN, EITHER], ids=["known", "either"])
def test_an_attribute_is_the_same_or_marked(tmp_path: Path, form: str) -> None:
    pytest.importorskip("torch")
    functions = [
        form.format(
            number=number,
            layer=layer,
            given=LAYERS[layer],
            name=name,
            shown=f"tuple(m.{name}.shape)" if is_tensor else f"m.{name}",
        )
        for number, (layer, name, is_tensor) in enumerate(attributes())
        if form is KNOWN or not is_told_apart(layer, name)
    ]
    found = migrated(tmp_path, "\n\n".join(["from torch import nn", *functions]))
    converted = tmp_path / "converted"
    converted.mkdir()
    (converted / "net.py").write_text(found.text, encoding="utf-8")
    (converted / NAME).write_text(compat_module(found.needed, Target.BUNDLED), encoding="utf-8")
    left, right = loaded(tmp_path / "net.py"), loaded(converted / "net.py")
    unmarked = [f for f in functions_of(found.text) if not MARK.search(f[1])]
    assert len(unmarked) > len(functions) / 3
    wrong = {n: (printed(left, n), printed(right, n)) for n, _ in unmarked}
    assert {n: pair for n, pair in wrong.items() if pair[0] != pair[1]} == {}


def is_told_apart(layer: str, name: str) -> bool:
    return (layer in AS_BOOLS and name == "bias") or (layer in LINES and name == "weight")


def functions_of(text: str) -> list[tuple[str, str]]:
    """The functions of a file by their names."""
    return re.findall(r"^def (f\d+)\(\):\n((?:    .*\n|\n)+)", text, re.MULTILINE)


def printed(module: Any, name: str) -> str:
    """What a function of a module prints, numbers to four digits; or how it fails."""
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            getattr(module, name)()
    except AttributeError as error:
        return str(error)
    return re.sub(NEAR, lambda number: f"{float(number[0]):.4g}", out.getvalue())
