"""Bad weight files, one of each kind: what they hold, and what is said or read of them."""

from __future__ import annotations

import io
import os
import pickle
import struct

import numpy as np

from msconvert.formats.ckpt import write_ckpt
from msconvert.tests.formats.test_ckpt import DAMAGED as DAMAGED_CKPT
from msconvert.tests.formats.test_pth_hostile import (
    CALLS,
    EMPTY,
    GOOD,
    Attack,
    archive,
    deflated,
    legacy,
    state,
    tensor,
)

Bad = tuple[bytes, str]
"""The content of a file, and a part of what is said of it."""


def npy(
    descr: str = "'<f4'",
    order: str = "False",
    shape: str = "(2, 3)",
    data: bytes = bytes(24),
    version: bytes = b"\1\0",
    text: str | None = None,
) -> bytes:
    """A .npy by hand."""
    told = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    header = (told if text is None else text).encode("latin1")
    size = 10 if version[0] == 1 else 12
    header += b" " * (-(len(header) + size + 1) % 64) + b"\n"
    length = struct.pack("<H" if size == 10 else "<I", len(header))
    return b"\x93NUMPY" + version + length + header + data


def saved(array: np.ndarray) -> bytes:
    """A .npy as NumPy writes it."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


PWNED = Attack(os.system, "touch pwned")
CODE = "__import__('os').system('touch pwned')"

BAD_NPY: dict[str, Bad] = {
    "empty": (b"", "the file is empty"),
    "six bytes": (b"\x93NUMPY", "cut short within its header"),
    "cut in the header": (npy()[:60], "cut short within its header"),
    "cut in the data": (npy()[:-9], "does not have the size of its shape"),
    "cut before the data": (npy(data=b""), "does not have the size of its shape"),
    "more behind the data": (npy() + b"\0", "data follows the array"),
    "two arrays": (npy() + npy(), "data follows the array"),
    "text": (b"0.1 0.2 0.3\n", "not a .npy file"),
    "compressed": (b"\x1f\x8b\x08\0" + bytes(60), "not a .npy file"),
    "an archive": (b"PK\x03\x04" + bytes(60), "not a .npy file"),
    "a version of the future": (npy(version=b"\x09\0"), "unknown version"),
    "a header of 4 GB": (
        b"\x93NUMPY\2\0\xff\xff\xff\xff" + bytes(60),
        "its header is too long",
    ),
    "a header of zeros": (b"\x93NUMPY\1\0\x76\0" + bytes(118 + 24), "its header is damaged"),
    "a header that is code": (npy(text=f"{{'descr': {CODE}}}"), "its header is damaged"),
    "a shape that is code": (npy(shape=CODE), "its header is damaged"),
    "a header without end": (npy(text="(" * 9000), "its header is damaged"),
    "a key that is missing": (npy(text="{'descr': '<f4', 'shape': (2, 3)}"), "header is damaged"),
    "a key too many": (
        npy(text="{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}"),
        "its header is damaged",
    ),
    "an order that is a number": (npy(order="0"), "its header is damaged"),
    "a shape of 8 TB": (npy(shape="(2, 1000000000000)"), "does not have the size"),
    "a shape beyond 64 bits": (npy(shape="(2, 99999999999999999999)"), "shape is impossible"),
    "a shape of nothing, huge": (
        npy(shape="(0, 9000000000000000000)", data=b""),
        "its shape is impossible",
    ),
    "a negative size": (npy(shape="(-2, -3)"), "its shape is impossible"),
    "a size that is a fraction": (npy(shape="(2.0, 3)"), "its header is damaged"),
    "a size that is a truth": (npy(shape="(True, 6)"), "its header is damaged"),
    "a shape that is a number": (npy(shape="(6)"), "shape in its header is a number"),
    "forty axes": (npy(shape=f"({'1, ' * 40})", data=bytes(4)), "its shape is impossible"),
    "objects": (saved(np.array([PWNED])), "holds Python objects"),
    "records": (saved(np.zeros(2, "i4,f4")), "its elements are records"),
    "records with objects": (npy(descr="[('a', '|O')]"), "its elements are records"),
    "dates": (saved(np.zeros(2, "M8[ns]")), "neither numbers nor texts"),
    "an unknown element type": (npy(descr="'<f3'"), "neither numbers nor texts"),
    "an element type that is code": (npy(descr=CODE), "its header is damaged"),
    "texts of no characters": (npy(descr="'<U0'", shape="(9,)", data=b""), "neither numbers nor"),
    "texts of 4 GB": (npy(descr="'<U999999999'"), "neither numbers nor texts"),
    "one byte of no type": (npy(descr="'<V1'", data=bytes(6)), "has not written down"),
}

READ_NPY: dict[str, tuple[bytes, list]] = {
    "NaN and infinity": (saved(np.float32([np.nan, np.inf, -np.inf])), [np.nan, np.inf, -np.inf]),
    "the other byte order": (saved(np.arange(3, dtype=">i2")), [0, 1, 2]),
    "Fortran's order": (
        npy(order="True", data=np.arange(6, dtype="f4").tobytes()),
        [[0, 2, 4], [1, 3, 5]],
    ),
    "version 2.0": (npy(version=b"\2\0"), [[0] * 3] * 2),
    "version 3.0": (npy(version=b"\3\0"), [[0] * 3] * 2),
    "Python 2": (npy(shape="(2L, 3L)"), [[0] * 3] * 2),
    "keys in another order": (
        npy(text="{ 'shape':(6,), 'fortran_order':False,'descr':\"<f4\"}"),
        [0] * 6,
    ),
    "no elements": (npy(shape="(0, 3)", data=b""), []),
    "a scalar": (npy(shape="()", data=bytes(4)), 0),
}


def ckpt(**items: np.ndarray) -> bytes:
    stream = io.BytesIO()
    write_ckpt(stream, items.items())
    return stream.getvalue()


BAD_CKPT: dict[str, Bad] = {
    kind: (data, problem)
    for kind, (data, problem) in DAMAGED_CKPT.items()
    if kind != "complex"  # which is read where it is only compared
}
READ_CKPT = {
    "NaN": (ckpt(x=np.float32([np.nan, 1])), [np.nan, 1]),
    "a scalar": (ckpt(x=np.float32(3).reshape(())), 3),
}

BAD_PTH: dict[str, Bad] = {
    "empty": (b"", "the file is empty"),
    "cut short": (GOOD[:-30], "cut short"),
    "cut in the data": (GOOD[:60], "cut short"),
    "garbage": (bytes(range(7, 250)), "not a file that torch.save wrote"),
    "a web page": (b"<!DOCTYPE html><html>", "a web page"),
    "a pickle": (pickle.dumps({"x": PWNED}), "a Python pickle"),
    "a pickle of protocol 0": (pickle.dumps(PWNED, protocol=0), "not a file that torch.save wrote"),
    "malicious": (archive(pickle.dumps({"x": PWNED}, protocol=2)), "posix.system"),
    "malicious, of an older PyTorch": (legacy(state(CALLS["os.system"][0])), "os.system"),
    "a whole model": (archive(state(CALLS["a class of the program"][0])), "__main__.Net"),
    "wrong dims": (archive(state(tensor(shape=(5,)))), "reaches beyond its storage"),
    "dims of 4 TB": (
        archive(state(tensor(shape=(1 << 20, 1 << 20), strides=(0, 0)))),
        "far larger than the file",
    ),
    "a bomb": (deflated(state(tensor())), "compressed, which torch.save never does"),
    "TorchScript": (archive(b"N.", **{"constants.pkl": b"N."}), "TorchScript archive"),
    "no tensors": (archive(state(b"K\x01")), "holds no tensors"),
    "an empty dictionary": (archive(b"\x80\x02" + EMPTY + b"."), "holds no tensors"),
}
