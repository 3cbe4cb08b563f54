"""Weight files changed by their structure: headers, members, pickles; or by their bytes."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from msconvert.formats import write_weights

from .byte_changes import CANARY, NUMBERS, TEXTS, changed

TENSORS = {
    "layer.0.weight": np.arange(12, dtype=np.float32).reshape(3, 4),
    "layer.0.bias": np.ones(3, np.float16),
    "steps": np.array(7, np.int64),
    "mask": np.zeros((2, 0), bool),
}
ENDINGS = {"pth": ".pth", "ckpt": ".ckpt", "safetensors": ".safetensors", "npz": ".npz"}


@cache
def seed(kind: str) -> bytes:
    if kind == "npz":
        stream = io.BytesIO()
        np.savez_compressed(stream, **TENSORS)
        return stream.getvalue()
    with TemporaryDirectory() as folder:
        path = Path(folder, f"seed{ENDINGS[kind]}")
        tensors = {name: x for name, x in TENSORS.items() if x.size or kind != "ckpt"}
        write_weights(path, tensors.items(), kind)
        return path.read_bytes()


def weight_file(kind: str, random: Random) -> bytes:
    data = seed(kind)
    if random.random() < 0.7:
        data = STRUCTURE[kind](data, random)
    return changed(data, random) if random.random() < 0.5 else data


def _json_value(random: Random, depth: int = 0) -> Any:
    way = random.randrange(7 if depth < 3 else 5)
    if way == 0:
        return random.choice(NUMBERS)
    if way == 1:
        return random.choice(TEXTS)
    if way == 2:
        return random.choice((None, True, 1.5, float("inf")))
    if way == 3:
        return random.choice(("F32", "BF16", "F8_E4M3", "I64", "BOOL", "F31"))
    if way == 4:
        return [random.choice(NUMBERS) for _ in range(random.choice((0, 1, 2, 65)))]
    if way == 5:
        return [_json_value(random, depth + 1) for _ in range(3)]
    return {random.choice(TEXTS): _json_value(random, depth + 1) for _ in range(3)}


def changed_json(value: Any, random: Random) -> Any:
    """Something of a JSON value replaced, renamed, added or left out."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = random.choice(sorted(value))
        way = random.randrange(4)
        if way == 0:
            return {k: v for k, v in value.items() if k != key}
        if way == 1:
            return {**value, random.choice(TEXTS): value[key]}
        return {**value, key: changed_json(value[key], random)}
    if isinstance(value, list) and value and random.random() < 0.8:
        at = random.randrange(len(value))
        return [*value[:at], changed_json(value[at], random), *value[at + 1 :]]
    return _json_value(random)


def _safetensors(data: bytes, random: Random) -> bytes:
    (size,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    for _ in range(random.choice((1, 2, 4))):
        header = changed_json(header, random)
    text = json.dumps(header).encode()
    if random.random() < 0.1:
        text = random.choice((b"[" * 100_000, b'{"a":' * 50_000, b" " * 10**6 + text))
    length = random.choice((len(text), len(text), len(text), random.choice(NUMBERS) & 2**64 - 1))
    return struct.pack("<Q", length) + text + body


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _zipped(members: dict[str, bytes], random: Random) -> bytes:
    way = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", way) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _changed_members(data: bytes, random: Random, inner: Callable[[bytes], bytes]) -> bytes:
    members = _members(data)
    name = random.choice(sorted(members))
    way = random.randrange(6)
    if way == 0:
        members.pop(name)
    elif way == 1:
        members[random.choice(TEXTS).replace("\x00", "") or "odd"] = members[name]
    elif way == 2:
        members[name] = changed(members[name], random)
    elif way == 3:
        members[name] = bytes(random.choice((0, 10**6, 3 * 10**7)))
    else:
        key = next((n for n in members if n.endswith("data.pkl")), name)
        members[key] = inner(members[key])
    return _zipped(members, random)


class _Runs:
    """A pickle that would make a file `executed`."""

    def __reduce__(self) -> Any:
        return (eval, (f"open({CANARY!r}, 'w').close()",))


def _pickled(data: bytes, random: Random) -> bytes:
    way = random.randrange(6)
    if way == 0:
        return pickle.dumps(_Runs(), protocol=random.choice((0, 2, 4)))
    if way == 1:
        return pickle.dumps(_json_value(random), protocol=2)
    if way == 2:
        return b"\x80\x02" + b"(" * random.choice((10, 10**5)) + b"t." + data[2:]
    if way == 3:
        names = (b"cos\nsystem\n", b"ctorch\nload\n", b"cbuiltins\ngetattr\n", b"ctorch.jit\nX\n")
        return data[:-1] + random.choice(names) + b"(X\x05\x00\x00\x00touchtR."
    if way == 4:
        return data[:-1] + b"q\xff2" * random.choice((1, 1000)) + b"."
    return changed(data, random)


def _pth(data: bytes, random: Random) -> bytes:
    if random.random() < 0.1:
        return _pickled(b"\x80\x02}.", random)
    return _changed_members(data, random, lambda inner: _pickled(inner, random))


def _npy(data: bytes, random: Random) -> bytes:
    """An .npy member with another header: order, element type, shape."""
    size = int.from_bytes(data[8:10], "little")
    kinds = ("<f4", "|O", "<U9", ">i8", "<f4,<i4", "|V3", "<c16", "x", [("a", "<f4")])
    shape: Any = random.choice(((3, 4), (2**40,), (0,), (-1,), (1,) * 65, 3, "x"))
    order = random.choice((True, False))
    header = str({"descr": random.choice(kinds), "fortran_order": order, "shape": shape})
    if random.random() < 0.1:
        header = random.choice(
            ("(" * 9000, "{" * 300, f"__import__('os').system('touch {CANARY}')")
        )
    text = header.encode().ljust(117) + b"\n"
    return data[:6] + b"\x01\x00" + len(text).to_bytes(2, "little") + text + data[10 + size :]


def _npz(data: bytes, random: Random) -> bytes:
    members = _members(data)
    name = random.choice(sorted(members))
    if random.random() < 0.6:
        return _zipped({**members, name: _npy(members[name], random)}, random)
    return _changed_members(data, random, lambda inner: inner)


STRUCTURE: dict[str, Callable[[bytes, Random], bytes]] = {
    "pth": _pth,
    "ckpt": changed,
    "safetensors": _safetensors,
    "npz": _npz,
}
