"""Files of inputs: what they may hold, and what is said of those that hold something else."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from msconvert.commands.main import main
from msconvert.errors import UsageError
from msconvert.formats import write_weights
from msconvert.troubleshooter.sides.inputs import from_file, given_inputs

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TAKEN = {
    "float32": X,
    "a scalar": np.float32(3),
    "nothing": np.zeros((0, 4), np.int64),
    "big-endian": X.astype(">f4"),
    "by columns": np.asfortranarray(X),
    "complex": X + 1j,
    "bool": X > 2,
    "float16": X.astype(np.float16),
}


@pytest.mark.parametrize("name", TAKEN)
def test_an_npy_is_the_one_argument(name: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", TAKEN[name])
    (found,) = from_file(tmp_path / "x.npy").args
    assert found.dtype == str(np.asarray(TAKEN[name]).dtype.newbyteorder("="))
    assert np.array_equal(found.array, TAKEN[name])
    assert given_inputs(str(tmp_path / "x.npy")).args[0].dtype == found.dtype


def test_several_go_by_place_or_by_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "places.npz", X, X + 1)
    np.savez_compressed(tmp_path / "names.npz", x=X, mask=X + 1)
    (tmp_path / "folder").mkdir()
    np.save(tmp_path / "folder" / "x.npy", X)
    np.save(tmp_path / "folder" / "mask.npy", X + 1)
    write_weights(tmp_path / "x.safetensors", [("x", X), ("mask", X + 1)], "safetensors")
    places = from_file(tmp_path / "places.npz")
    assert [x.array[0, 0] for x in places.args] == [0, 1]
    for name in ("names.npz", "folder", "x.safetensors"):
        named = from_file(tmp_path / name)
        assert {k: x.array[0, 0] for k, x in named.kwargs.items()} == {"x": 0, "mask": 1}


def bytes_of(save: Any, *arrays: Any) -> bytes:
    stream = io.BytesIO()
    save(stream, *arrays)
    return stream.getvalue()


def archive() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("a.txt", "no array")
    return stream.getvalue()


OBJECT = np.array([{}], "O")
REFUSED = {
    "objects.npy": bytes_of(np.save, OBJECT),
    "objects.npz": bytes_of(np.savez, OBJECT),
    "text.npy": bytes_of(np.save, np.array(["a"])),
    "text.npz": bytes_of(np.savez, np.array(["a"])),
    "dates.npy": bytes_of(np.save, np.array(["2020-01-01"], "datetime64[D]")),
    "records.npy": bytes_of(np.save, np.zeros(2, [("a", "i4")])),
    "empty.npy": b"",
    "empty.npz": b"",
    "no_arrays.npz": archive(),
    "an_npy.npz": bytes_of(np.save, X),
    "an_npz.npy": bytes_of(np.savez, X),
    "short.npy": bytes_of(np.save, X)[:-1],
    "short.npz": bytes_of(np.savez, X)[:-1],
    "code.py": b"print(1)",
}


@pytest.mark.parametrize("name", [*REFUSED, "missing.npy", "folder", "folder.npz"])
def test_what_holds_no_arguments_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in REFUSED:
        (tmp_path / name).write_bytes(REFUSED[name])
    elif name.startswith("folder"):
        (tmp_path / name).mkdir()
    with pytest.raises(UsageError, match="MS401") as raised:
        from_file(tmp_path / name)
    assert ".npz: arrays by position" in raised.value.expected
    (tmp_path / "net.py").write_text("import torch\n\n\nclass Net(torch.nn.Identity):\n    pass\n")
    for command in ("compare",) if name in ("text.npy", "an_npz.npy") else ():
        net = str(tmp_path / "net.py")
        assert main([command, net, net, "--inputs", str(tmp_path / name)]) == 2
        assert "MS401" in capsys.readouterr().err
