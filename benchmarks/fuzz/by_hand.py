"""Sixty-four hostile inputs written by hand, over all commands, and a program that runs them.

They were written down before the first of them was run; what came of each is printed, a line a row.
"""

from __future__ import annotations

import io
import json
import pickle
import struct
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from random import Random

import numpy as np
from onnx import ModelProto, TensorProto, helper

from msconvert.formats.records.events import part
from msconvert.formats.records.tfrecord import masked

from . import harness
from .cases import KINDS, Make

Row = tuple[Mapping[str, bytes], str]
"""The files by name, and the arguments."""

node = helper.make_node
ESC = "\x1b]0;own\x07\u202e\u2028"
NET = b"import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n"


def graph(nodes, inputs=(("x", [2, 3]),), outputs=(("y", None),), weights=(), **more) -> ModelProto:
    values = [helper.make_tensor_value_info(n, 1, s) for n, s in inputs]
    ends = [helper.make_tensor_value_info(n, 1, s) for n, s in outputs]
    made = helper.make_graph(nodes, "g", values, ends, list(weights), **more)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def onnx_row(proto: ModelProto | bytes, more: str = "") -> Row:
    data = proto if isinstance(proto, bytes) else proto.SerializeToString()
    return {"m.onnx": data}, f"--model_file m.onnx {more}".strip()


def described(change) -> ModelProto:
    proto = graph([node("Relu", ["x"], ["y"])])
    change(proto)
    return proto


def tensor(name: str, kind: int, dims: list[int], raw: bytes) -> TensorProto:
    return TensorProto(name=name, data_type=kind, dims=dims, raw_data=raw)


def nested(depth: int) -> ModelProto:
    """If in If in If: branches that read what lies far outside."""
    inner = helper.make_graph(
        [node("Relu", ["x"], ["b0"])], "b", [], [helper.make_tensor_value_info("b0", 1, None)]
    )
    other = inner
    for i in range(depth):
        step = node("If", ["c"], [f"b{i + 1}"], then_branch=inner, else_branch=other)
        out = helper.make_tensor_value_info(f"b{i + 1}", 1, None)
        inner = helper.make_graph([step], "b", [], [out])
    top = node("If", ["c"], ["y"], then_branch=inner, else_branch=other)
    return graph([top], weights=[helper.make_tensor("c", TensorProto.BOOL, [], [True])])


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode("latin1")
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def safetensors(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def record(data: bytes, length: int | None = None) -> bytes:
    """A record of TFRecord with true checksums."""

    size = struct.pack("<Q", len(data) if length is None else length)
    return b"".join(piece + struct.pack("<I", masked(piece)) for piece in (size, data))


def scalar(tag: str, value: bytes, step: bytes = b"\x10\x01") -> bytes:
    one = part(1, part(1, tag) + b"\x15" + value)
    return record(part(1, 1.0) + step + part(5, one))


def example(name: str, values: bytes) -> bytes:
    return record(part(1, part(1, part(1, name) + part(2, values))))


def cells(*given: object, **more: object) -> bytes:
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": c} for c in given]
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made} | more
    ).encode()


GOOD = safetensors(
    {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, np.ones(2, np.float32).tobytes()
)
TORCH = b"import torch\n"
DIFF, SAME = "diff a.safetensors b.safetensors", {"a.safetensors": GOOD, "b.safetensors": GOOD}
WEIGHTS = "weights w.safetensors -o output/o.ckpt --names same"
RUN = "events.out.tfevents.1.h"

ROWS: dict[str, Row] = {
    # convert
    "if 20 deep": onnx_row(nested(20)),
    "opset -1": onnx_row(described(lambda m: setattr(m.opset_import[0], "version", -(2**62)))),
    "output listed twice": onnx_row(described(lambda m: m.graph.output.append(m.graph.output[0]))),
    "an input that is an output": onnx_row(graph([], outputs=[("x", [2, 3])])),
    "a producer with escapes": onnx_row(
        described(lambda m: setattr(m, "producer_name", ESC)), "--json"
    ),
    "metadata of one key twice": onnx_row(
        described(lambda m: [m.metadata_props.add(key=ESC, value=ESC) for _ in range(2)])
    ),
    "strings as weights": onnx_row(
        graph(
            [node("Identity", ["s"], ["y"])],
            weights=[helper.make_tensor("s", TensorProto.STRING, [1], [ESC.encode()])],
        )
    ),
    "dims below nothing": onnx_row(
        graph([node("Add", ["x", "w"], ["y"])], weights=[tensor("w", 1, [-1, 3], b"\0" * 12)])
    ),
    "raw data of an odd length": onnx_row(
        graph([node("Add", ["x", "w"], ["y"])], weights=[tensor("w", 1, [3], b"\0" * 13)])
    ),
    "an element type of 99": onnx_row(
        graph([node("Add", ["x", "w"], ["y"])], weights=[tensor("w", 99, [3], b"\0" * 12)])
    ),
    "Cast to no type": onnx_row(graph([node("Cast", ["x"], ["y"], to=-7)])),
    "Loop without end": onnx_row(
        graph(
            [
                node(
                    "Loop",
                    ["n", "c", "x"],
                    ["y"],
                    body=helper.make_graph(
                        [node("Identity", ["k"], ["k2"]), node("Relu", ["a"], ["b"])],
                        "b",
                        [
                            helper.make_tensor_value_info("i", 7, []),
                            helper.make_tensor_value_info("k", 9, []),
                            helper.make_tensor_value_info("a", 1, [2, 3]),
                        ],
                        [
                            helper.make_tensor_value_info("k2", 9, []),
                            helper.make_tensor_value_info("b", 1, [2, 3]),
                        ],
                    ),
                )
            ],
            weights=[
                helper.make_tensor("n", 7, [], [2**62]),
                helper.make_tensor("c", 9, [], [True]),
            ],
        )
    ),
    "Range of all numbers": onnx_row(
        graph(
            [node("Range", ["a", "b", "d"], ["r"]), node("Add", ["r", "x"], ["y"])],
            weights=[
                helper.make_tensor(k, 1, [], [v])
                for k, v in zip("abd", (0.0, 1e12, 1e-3), strict=True)
            ],
        )
    ),
    "pads of 2**62": onnx_row(
        graph(
            [node("Pad", ["x", "p"], ["y"])],
            weights=[helper.make_tensor("p", 7, [4], [2**62, 0, 0, 2**62])],
        )
    ),
    "ratio NaN": onnx_row(graph([node("LeakyRelu", ["x"], ["y"], alpha=float("nan"))])),
    "Gemm with an infinite alpha": onnx_row(
        graph(
            [node("Gemm", ["x", "w"], ["y"], alpha=float("inf"))],
            weights=[tensor("w", 1, [3, 3], b"\0" * 36)],
        )
    ),
    "shape argument of letters": onnx_row(described(lambda m: None), f"--shape {'9' * 5000},3"),
    "no node of that name": onnx_row(described(lambda m: None), f"--input_nodes {ESC[1:]}x"),
    "a text file": ({"m.onnx": b"ir_version: 8\ngraph { }\n"}, "--model_file m.onnx"),
    "sparse weights": onnx_row(
        described(
            lambda m: m.graph.sparse_initializer.add(
                values=tensor("s", 1, [1], b"\0" * 4),
                indices=tensor("", 7, [1], b"\xff" * 8),
                dims=[9],
            )
        )
    ),
    "inputs of objects": (
        {
            **onnx_row(described(lambda m: None))[0],
            "i.npz": zipped(
                {
                    "x.npy": npy(
                        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}\n",
                        pickle.dumps([1]),
                    )
                }
            ),
        },
        "--model_file m.onnx --inputs i.npz",
    ),
    # weights and diff
    "safetensors: a key twice": (
        {
            "w.safetensors": safetensors(
                b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
                b'"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
                b"\0" * 4,
            )
        },
        WEIGHTS,
    ),
    "safetensors: metadata of lists": (
        {"w.safetensors": safetensors({"__metadata__": {"a": [1]}})},
        WEIGHTS,
    ),
    "safetensors: true as an offset": (
        {
            "w.safetensors": safetensors(
                {"w": {"dtype": "I8", "shape": [True], "data_offsets": [False, True]}}, b"\0"
            )
        },
        WEIGHTS,
    ),
    "safetensors: floats as sizes": (
        {
            "w.safetensors": safetensors(
                {"w": {"dtype": "I8", "shape": [1e300], "data_offsets": [0, 1]}}, b"\0"
            )
        },
        WEIGHTS,
    ),
    "safetensors: a lone surrogate": (
        {
            "w.safetensors": safetensors(
                b'{"\\ud800":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}}', b"\0"
            )
        },
        WEIGHTS,
    ),
    "safetensors: a name of a path": (
        {
            "w.safetensors": safetensors(
                {"../../w\0": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}}, b"\0"
            )
        },
        "weights w.safetensors -o output/o.npz --names same",
    ),
    "npy: a header of code": (
        {"a.npy": npy("{'descr': __import__('os').system('id'), 'shape': ()}\n"), "b.npy": b""},
        "diff a.npy b.npy",
    ),
    "npy: brackets 9,000 deep": (
        {"a.npy": npy("(" * 9000 + "\n"), "b.npy": b""},
        "diff a.npy b.npy",
    ),
    "npy: a structured type": (
        {
            "a.npy": npy(
                "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}\n", b"\0" * 4
            ),
            "b.npy": b"\x93NUMPY",
        },
        "diff a.npy b.npy",
    ),
    "npy: shape of -1": (
        {
            "a.npy": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}\n", b"\0" * 4),
            "b.npy": b"",
        },
        "diff a.npy b.npy",
    ),
    "npz: names with dots and escapes": (
        {
            "a.npz": zipped(
                {
                    f"../{ESC}.npy": npy(
                        "{'descr': '<f4', 'fortran_order': False, 'shape': ()}\n", b"\0" * 4
                    )
                }
            ),
            "b.npz": zipped({}),
        },
        "diff a.npz b.npz",
    ),
    "pth: a protocol of 200": (
        {"w.pth": zipped({"a/data.pkl": b"\x80\xc8}.", "a/version": b"3"})},
        "weights w.pth -o output/o.ckpt --names same",
    ),
    "pth: a memo of 2**31": (
        {"w.pth": zipped({"a/data.pkl": b"\x80\x02}r\xff\xff\xff\x7f.", "a/version": b"3"})},
        "weights w.pth -o output/o.ckpt --names same",
    ),
    "pth: a dict in itself": (
        {"w.pth": zipped({"a/data.pkl": b"\x80\x02}q\0X\x01\0\0\0ah\0s.", "a/version": b"3"})},
        "weights w.pth -o output/o.ckpt --names same",
    ),
    "ckpt: a field of 2**60 bytes": (
        {"w.ckpt": b"\x0a" + b"\x80" * 8 + b"\x10"},
        "weights w.ckpt -o output/o.pth --names same",
    ),
    "ckpt: text": ({"w.ckpt": ESC.encode() * 99}, "weights w.ckpt -o output/o.pth --names same"),
    "map of numbers": ({**SAME, "m.json": b"[1e999, NaN, -0]"}, f"{DIFF} --map m.json"),
    "map of a number of 9,999 digits": ({**SAME, "m.json": b"1" * 9999}, f"{DIFF} --map m.json"),
    "results that are none": ({**SAME, "r.json": b'{"rows": {"a": null}}'}, "diff --from r.json"),
    "tolerances of NaN": (SAME, f"{DIFF} --tolerance *=nan,nan"),
    # scan and source
    "a cookie of rot13": ({"n.py": b"# coding: rot13\nvzcbeg gbepu\n"}, "scan n.py"),
    "UTF-16": ({"n.py": "import torch\n".encode("utf-16")}, "source n.py --output output"),
    "a number of 9,999 digits": (
        {"n.py": TORCH + b"x = torch.ones(" + b"9" * 9999 + b")\n"},
        "source n.py --output output",
    ),
    "nested f-strings": (
        {"n.py": TORCH + b"x = f'{torch.ones(2)!r:{torch.zeros(1)}}'\n"},
        "source n.py --output output",
    ),
    "a chain of 3,000 calls": (
        {"n.py": TORCH + b"x = torch.ones(1)" + b".relu()" * 3000 + b"\n"},
        "source n.py --output output",
    ),
    "CR and form feed as lines": (
        {"n.py": b"import torch\r\x0cx = torch.ones(2).cuda()\r"},
        "source n.py --output output",
    ),
    "a notebook of cells of null": ({"n.ipynb": cells(None, [None], {"a": 1})}, "scan n.ipynb"),
    "a notebook of escapes": (
        {"n.ipynb": cells(f"import torch\ngetattr(torch, '{ESC}')", nbformat=4.5)},
        "scan n.ipynb",
    ),
    "a baseline of a cycle of types": (
        {"n.py": TORCH, "b.json": b'{"findings": {"findings": 3}}'},
        "scan n.py --baseline b.json",
    ),
    "toml: a date as globs": (
        {"n.py": TORCH, "pyproject.toml": b"[tool.msconvert]\nexclude = 1979-05-27\n"},
        "scan .",
    ),
    "toml: tables 3,000 deep": (
        {"n.py": TORCH, "pyproject.toml": b"[" + b".".join([b"a"] * 3000) + b"]\n"},
        "scan .",
    ),
    # data, runs, and the commands that run a file
    "tfrecord: a length of 2**63": ({"d.tfrecord": record(b"", 2**63)}, "data d.tfrecord"),
    "tfrecord: a name of escapes": (
        {"d.tfrecord": example(ESC, part(1, part(1, ESC)))},
        "data d.tfrecord",
    ),
    "mindrecord: text": ({"d.mindrecord": ESC.encode() * 999}, "data d.mindrecord"),
    "events: a tag of escapes": ({RUN: scalar(ESC, struct.pack("<f", float("nan")))}, "runs ."),
    "events: a step below nothing": (
        {RUN: scalar("loss", b"\0" * 4, b"\x10" + b"\xff" * 9 + b"\x01")},
        "runs . --json output/r.json",
    ),
    "a CSV of results with escapes": (
        {"events.csv": ESC.encode(), "results.yaml": b"a: &a [*a, *a]\n" * 99},
        "runs .",
    ),
    "a script that prints escapes in its error": (
        {"s.py": f"raise ValueError({ESC!r})\n".encode()},
        "watch s.py --output output",
    ),
    "explain a code of escapes": ({}, "explain MS\x1b[2J"),
    "a project of one wrong file": (
        {
            "project/n.py": b"import torch\ndef f(:\n",
            "project/c.yaml": b"a: !!python/object/apply:os.system [id]\n",
            "project/requirements.txt": b"torch\x1b[2J\n",
        },
        "migrate project --no-verify --output output",
    ),
    "compare with a file that ends the process": (
        {"a.py": b"import os\nos._exit(0)\n", "b.py": NET},
        "compare a.py b.py --shape 1",
    ),
    "verify with a file that is data": (
        {"a.py": b"\0\x01", "b.py": NET},
        "verify a.py b.py --shape 1",
    ),
    "profile of a script that is no UTF-8": (
        {"s.py": b"# \xff\xfe\nx = 1\n"},
        "profile s.py --output output",
    ),
}


def _make(row: Row) -> Make:
    def make(folder: Path, _random: Random) -> list[str]:
        files, arguments = row
        for name, data in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(data)
        return arguments.split()

    return make


CASES = {f"by hand: {name}": _make(row) for name, row in ROWS.items()}


def main(names: list[str], cases: Mapping[str, Make] = CASES) -> int:
    """Runs the rows whose names have one of these words in them, all without one."""
    KINDS.update(cases)
    harness.prepare()
    wrong = 0
    for name in cases:
        if names and not any(word in name for word in names):
            continue
        case = harness.run(name, 0, 0)
        codes = sorted(
            {w[:5] for w in case.said.split() if w.startswith("MS") and w[2:5].isdigit()}
        )
        coded = case.status == 0 or codes or case.status == 2
        fault = case.wrong or ("" if coded else "no code")
        wrong += bool(fault)
        cost = f"{case.cpu_s:.1f}s {case.peak_bytes >> 20}MB"
        print(f"{name[9:]}: {case.status} {codes} {cost} {fault}", flush=True)
        if fault or names:
            print(repr(case.said[-600:]))
    print(f"{wrong} of {len(cases)} are wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
