"""Weight files of real MindSpore and ours: each reads the other's, and the bytes are the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from msconvert.errors import MsconvertError
from msconvert.formats import read_weights, write_weights
from msconvert.formats.stored import StoredTensor

ARRAYS = {
    **{f"p.{d}": np.arange(6).reshape(2, 3).astype(d) for d in "?bBhHiIlLefd"},
    "layer1.0.weight" * 20: np.arange(300, dtype="f4").reshape(1, 3, 100, 1),
    "scalar": np.array(1.5, "f4"),
    "half": np.arange(6).reshape(3, 2).astype(ml_dtypes.bfloat16),
}
APPENDED = {"epoch": np.array(3), "lr": np.array(0.1, "f4"), "on": np.array(True)}
TEXTS = {"note": "grüße 🎈", "nothing": ""}

SAVE = """
import sys, numpy as np, mindspore as ms
arrays = np.load(sys.argv[1])
items = [{"name": n, "data": ms.Tensor(arrays[n])} for n in arrays.files if n != "half"]
half = ms.Tensor(np.arange(6).reshape(3, 2), ms.float32).astype(ms.bfloat16)
items.append({"name": "half", "data": half})
more = {"epoch": 3, "lr": 0.1, "on": True, "note": "grüße 🎈", "nothing": ""}
ms.save_checkpoint(items, "theirs.ckpt", append_dict=more)
ms.save_checkpoint(items, "crc.ckpt", crc_check=True)
ms.save_checkpoint(items[:-1], "crc.safetensors", crc_check=True, format="safetensors")
ms.save_checkpoint(items, "encrypted.ckpt", enc_key=b"0" * 16)
ms.save_checkpoint(items, "theirs.safetensors", format="safetensors")
"""

LOAD = """
import sys, json, mindspore as ms
found = ms.load_checkpoint(sys.argv[1], format=sys.argv[2])
facts = {}
for name, value in found.items():
    if isinstance(value, str):
        facts[name] = value
    else:
        wide = value.astype(ms.float32) if value.dtype == ms.bfloat16 else value
        facts[name] = [str(value.dtype), list(value.shape), wide.asnumpy().tolist()]
print("FACTS" + json.dumps(facts))
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory, run_mindspore: Callable[..., str]) -> Path:
    """A folder with what MindSpore writes."""
    folder = tmp_path_factory.mktemp("theirs")
    np.savez(folder / "arrays.npz", **{n: a for n, a in ARRAYS.items() if n != "half"})
    run_mindspore(folder, "-c", SAVE, "arrays.npz")
    return folder


def test_our_ckpt_is_theirs_to_the_byte(tmp_path: Path, theirs: Path) -> None:
    items = [*ARRAYS.items(), *APPENDED.items(), *TEXTS.items()]
    write_weights(tmp_path / "ours.ckpt", items, "ckpt")
    assert (tmp_path / "ours.ckpt").read_bytes() == (theirs / "theirs.ckpt").read_bytes()


def test_our_safetensors_are_theirs_to_the_byte(tmp_path: Path, theirs: Path) -> None:
    path = tmp_path / "ours.safetensors"
    write_weights(path, ARRAYS.items(), "safetensors")
    assert path.read_bytes() == (theirs / "theirs.safetensors").read_bytes()


@pytest.mark.parametrize(
    "name", ["theirs.ckpt", "crc.ckpt", "theirs.safetensors", "crc.safetensors"]
)
def test_we_read_theirs(theirs: Path, name: str) -> None:
    found = read_weights(theirs / name)
    expected = dict(ARRAYS)
    if name == "theirs.ckpt":
        expected |= APPENDED
        assert {n: found[n] for n in TEXTS} == TEXTS
    if name == "crc.safetensors":
        del expected["half"]
    assert found.tensors().keys() == expected.keys()
    for key, array in expected.items():
        stored = found[key]
        assert isinstance(stored, StoredTensor)
        loaded = stored.array()
        assert (loaded.dtype, loaded.shape) == (array.dtype, array.shape)
        assert loaded.tobytes() == array.tobytes()


def test_their_encrypted_checkpoint_is_recognised(theirs: Path) -> None:
    with pytest.raises(MsconvertError, match=r"encrypted \(AES-GCM\)(.|\n)*dec_key"):
        read_weights(theirs / "encrypted.ckpt")


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_they_read_ours(tmp_path: Path, run_mindspore: Callable[..., str], format: str) -> None:
    layouts = {
        "transposed": np.arange(6, dtype="f4").reshape(2, 3).T,
        "spread": np.broadcast_to(np.float16(2), (2, 2)),
        "half": ARRAYS["half"],
        "scalar": ARRAYS["scalar"],
        "flags": np.array([True, False]),
    }
    texts = {"note": "grüße"} if format == "ckpt" else {}
    write_weights(tmp_path / f"ours.{format}", (layouts | texts).items(), format)
    output = run_mindspore(tmp_path, "-c", LOAD, f"ours.{format}", format)
    facts = json.loads(output[output.index("FACTS") + 5 :])
    assert facts == texts | {
        "transposed": ["Float32", [3, 2], [[0, 3], [1, 4], [2, 5]]],
        "spread": ["Float16", [2, 2], [[2, 2], [2, 2]]],
        "half": ["BFloat16", [3, 2], [[0, 1], [2, 3], [4, 5]]],
        "scalar": ["Float32", [], 1.5],
        "flags": ["Bool", [2], [True, False]],
    }
