"""Recurrent layers take packed sequences in every file of a project that packs some."""

from __future__ import annotations

from pathlib import Path

import pytest

from msconvert.api_mapping.analysis import Project
from msconvert.api_mapping.source.file import migrate_file
from msconvert.api_mapping.table.target import Settings

from .test_file import migrated

LAYERS = "from torch import nn\nlayer = nn.{}(4, 5, batch_first=True)\n"
PACKING = (
    "from torch.nn.utils.rnn import pack_sequence\ndef run(layer, x):\n"
    "    return layer(pack_sequence(x))\n",
    "from torch.nn.utils import rnn\ndef run(layer, x, n):\n"
    "    return layer(rnn.pack_padded_sequence(x, n))\n",
    "import torch.nn.utils.rnn as R\ndef run(layer, x: R.PackedSequence):\n    return layer(x)\n",
)
PLAIN = (
    "import torch\ndef run(layer, x):\n    return layer(x)\n",
    "from torch.nn.utils.rnn import pad_sequence\ndef run(layer, x):\n"
    "    return layer(pad_sequence(x))\n",
    "def repack_sequences(x):\n    return x\n",
)


def of_project(folder: Path, layers: str, other: str) -> str:
    """The file with the layers, converted in a project with another file."""
    paths = folder / "layers.py", folder / "steps.py"
    for path, text in zip(paths, (layers, other), strict=True):
        path.write_text(text)
    found = migrate_file(Project(paths, [folder]), paths[0], "layers.py", Settings())
    assert not found.left
    return found.text


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("other", PACKING)
def test_a_layer_of_another_file_takes_them(tmp_path: Path, name: str, other: str) -> None:
    assert f"compat.{name}(4, 5, " in of_project(tmp_path, LAYERS.format(name), other)


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
@pytest.mark.parametrize("other", PLAIN)
def test_a_project_that_packs_nothing_has_plain_layers(
    tmp_path: Path, name: str, other: str
) -> None:
    assert f" nn.{name}(4, 5, " in of_project(tmp_path, LAYERS.format(name), other)


@pytest.mark.parametrize(
    ("loss", "is_inside"),
    [
        ("criterion(net(x)[0].data, y)", True),
        ("criterion(packed.data, y)", True),
        ("criterion(packed.data, packed.batch_sizes)", True),
        ("criterion(out, plain.data)", False),
        ("criterion(out, plain.detach())", False),
        ("criterion(out, 2 * plain.data)", False),
    ],
)
def test_gradients_flow_through_the_data_of_packed_sequences(
    tmp_path: Path, loss: str, is_inside: bool
) -> None:
    code = (
        "import torch\nfrom torch import nn\n"
        "from torch.nn.utils.rnn import pack_sequence, PackedSequence\n"
        "x, y = pack_sequence([torch.ones(3, 2)]), torch.ones(3, 4)\n"
        "net, other, criterion = nn.LSTM(2, 4), nn.Linear(2, 4), nn.MSELoss()\n"
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for _ in range(2):\n    packed, _ = net(x)\n    out = packed.data * 2\n"
        f"    plain = other(torch.ones(3, 2))\n    loss = {loss}\n"
        "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
    )
    text = migrated(tmp_path, code).text
    inner = text[text.index("def forward_fn") : text.index("grad_fn =")]
    assert "net(x)" in inner
    assert ("plain = " not in inner) or is_inside


@pytest.mark.parametrize(
    "code",
    [
        "getattr(nn, rnn_type)(4, 5)",
        "getattr(nn, args.rnn_type)(4, 5, 2, dropout=0.1)",
        "getattr(torch.nn, cell_type)(4, 5)",
        "getattr(nn, self.rnn_name)(4, 5)",
        "getattr(nn, 'RNN' if plain else rnn)(4, 5)",
    ],
)
def test_a_recurrent_layer_may_be_named_when_the_program_runs(tmp_path: Path, code: str) -> None:
    found = migrated(tmp_path, f"import torch\nfrom torch import nn\nlayer = {code}\n")
    assert not found.left
    assert "compat.recurrent_layer(" in found.text


@pytest.mark.parametrize("name", ["name", "act", "args.layer", "f'{kind}2d'", "norm_type"])
def test_other_names_are_still_not_known(tmp_path: Path, name: str) -> None:
    found = migrated(tmp_path, f"from torch import nn\nlayer = getattr(nn, {name})(4)\n")
    assert [use.api for use in found.left] == ["torch.nn.*"]
