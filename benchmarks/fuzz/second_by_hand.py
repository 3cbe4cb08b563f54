"""A second lot of hostile inputs by hand, written down before the first of them was run.

    python -m msconvert.benchmarks.fuzz.second_by_hand [WORD ...]

Graphs that lie about themselves, checkpoints whose parts lie about each other, sources and settings
of odd shapes, and folders that are no folders. A row makes its files and says the arguments.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, TensorProto, helper

from .by_hand import GOOD, TORCH, WEIGHTS, cells, described, graph, main, node, safetensors, tensor
from .cases import Make

BIDI = "\u202e\u200b\u2066"
CONVERT = "--model_file m.onnx --output output"
SOURCE = "source n.py --output output"
WIDE = "torch".translate({ord(c): ord(c) + 0xFEE0 for c in "torch"})
"""The name in full-width letters, which Python takes for the same."""
FLOATS = np.ones(4, np.float32).tobytes()


def onnx(proto: ModelProto | bytes, more: str = "") -> tuple[Callable[[Path], None], str]:
    data = proto if isinstance(proto, bytes) else proto.SerializeToString()
    return files({"m.onnx": data}, f"{CONVERT} {more}".strip())


def files(given: dict[str, bytes], arguments: str) -> tuple[Callable[[Path], None], str]:
    def make(folder: Path) -> None:
        for name, data in given.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)

    return make, arguments


def around(change: Callable[[Path], Any], arguments: str) -> tuple[Callable[[Path], None], str]:
    """A plain model, weights and source in a folder that `change` makes odd."""

    def make(folder: Path) -> None:
        (folder / "m.onnx").write_bytes(described(lambda m: None).SerializeToString())
        (folder / "w.safetensors").write_bytes(GOOD)
        (folder / "n.py").write_bytes(TORCH + b"x = torch.ones(2).cuda()\n")
        (folder / "output").mkdir()
        change(folder)

    return make, arguments


def functions(*bodies: tuple[str, list[Any]], domain: str = "my") -> ModelProto:
    """A model that calls the first of these local functions."""
    proto = graph([node(bodies[0][0], ["x"], ["y"], domain=domain)])
    if domain:
        proto.opset_import.add(domain=domain, version=1)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(domain or "my", 1)]
    for name, nodes in bodies:
        proto.functions.append(helper.make_function(domain, name, ["a"], ["b"], nodes, opsets))
    return proto


def call(name: str) -> list[Any]:
    return [node(name, ["a"], ["b"], domain="my")]


def inside_if(name: str) -> list[Any]:
    branch = helper.make_graph(call(name), "g", [], [helper.make_tensor_value_info("b", 1, None)])
    return [node("If", ["a"], ["b"], then_branch=branch, else_branch=branch)]


def referring() -> ModelProto:
    """A function whose node takes its attribute from one that nobody gives."""
    step = node("LeakyRelu", ["a"], ["b"])
    step.attribute.add(name="alpha", type=AttributeProto.FLOAT, ref_attr_name=BIDI)
    return functions(("F", [step]))


def sparse(dims: list[int], indices: list[int], shape: list[int], kind: int = 1) -> ModelProto:
    def change(proto: ModelProto) -> None:
        proto.graph.node[0].input[0] = "s"
        values = tensor("s", kind, [len(indices)], b"\0" * 4 * len(indices))
        raw = np.array(indices, np.int64).tobytes()
        where = tensor("", 7, shape, raw)
        proto.graph.sparse_initializer.add(values=values, indices=where, dims=dims)

    return described(change)


def external(**said: str) -> tuple[Callable[[Path], None], str]:
    return files({"m.onnx": external_model(**said), "w.bin": FLOATS}, CONVERT)


def external_model(**said: str) -> bytes:
    def change(proto: ModelProto) -> None:
        proto.graph.node[0].input[0] = "w"
        one = proto.graph.initializer.add(name="w", data_type=1, dims=[4])
        one.data_location = TensorProto.EXTERNAL
        for key, value in said.items():
            one.external_data.add(key=key, value=value)

    return described(change).SerializeToString()


def added() -> bytes:
    """A model whose weight, which is added, lies in a file called as the checkpoint will be."""
    proto = graph([node("Add", ["x", "w"], ["y"])], inputs=(("x", [2, 4]),))
    weight = proto.graph.initializer.add(name="w", data_type=1, dims=[4])
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="m.ckpt")
    return proto.SerializeToString()


def one(op: str, *more: tuple[str, int, list[int], list[float]], **attributes: Any) -> ModelProto:
    """A node of x and constants; its name is as hostile as it can be."""
    weights = [helper.make_tensor(n, kind, dims, values) for n, kind, dims, values in more]
    made = node(
        op, ["x", *(w.name for w in weights)], ["y"], name=f"/{BIDI}/__class__", **attributes
    )
    return graph([made], weights=weights)


def torch_zip(members: list[tuple[str, bytes]]) -> bytes:
    out = BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w") as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def tensor_pickle(size: int, offset: int, shape: tuple[int, ...], stride: tuple[int, ...]) -> bytes:
    """{"w": a tensor} as protocol 2, written by hand: what it says fits nothing."""

    def number(value: int) -> bytes:
        return b"\x8a\x0a" + value.to_bytes(10, "little", signed=True)

    def several(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(map(number, values)) + b"t"

    storage = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpu"
    storage += number(size) + b"tQ"
    rebuilt = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset)
    rebuilt += several(shape) + several(stride) + b"\x89ccollections\nOrderedDict\n)RtR"
    return b"\x80\x02}X\x01\0\0\0w" + rebuilt + b"s."


def pth(size: int, offset: int, shape: tuple[int, ...], stride: tuple[int, ...]) -> bytes:
    data = tensor_pickle(size, offset, shape, stride)
    return torch_zip([("a/data.pkl", data), ("a/version", b"3\n"), ("a/data/0", FLOATS)])


def deep(count: int) -> bytes:
    return b"[" * count + b"]" * count


FROM_PTH = "weights w.pth -o output/o.ckpt --names same"
EMPTY = pickle.dumps({}, 2)

ROWS: dict[str, tuple[Callable[[Path], None], str]] = {
    # graphs
    "functions that call each other": onnx(functions(("F", call("G")), ("G", call("F")))),
    "a function in a branch of itself": onnx(functions(("F", inside_if("F")))),
    "a function that is an operator": onnx(functions(("Relu", call("Relu")), domain="")),
    "a function of escapes": onnx(functions((f"F{BIDI}\x1b", call("Relu")), domain=f"my{BIDI}")),
    "an attribute of nobody": onnx(referring()),
    "sparse: an index too far": onnx(sparse([2, 3], [6], [1])),
    "sparse: an index below nothing": onnx(sparse([2, 3], [-1], [1])),
    "sparse: pairs out of range": onnx(sparse([2, 3], [1, 3], [1, 2])),
    "sparse: far too large": onnx(sparse([2**40, 2**40], [0], [1])),
    "sparse: no dims": onnx(sparse([], [0], [1])),
    "sparse: text": onnx(sparse([2], [0], [1], kind=8)),
    "external: offset and length overflow": external(
        location="w.bin", offset=str(2**63 - 1), length=str(2**63 - 1)
    ),
    "external: a length of nothing": external(location="w.bin", length="0"),
    "external: a length too short": external(location="w.bin", offset="8", length="8"),
    "external: an odd offset": external(location="w.bin", offset="1", length="15"),
    "external: a negative offset": external(location="w.bin", offset="-4"),
    "external: the model itself": external(location="m.onnx"),
    "external: the folder": external(location="."),
    "external: a device": external(location="/dev/zero"),
    "external: a NUL and escapes": external(location=f"w{BIDI}\0.bin"),
    "external: 10,000 folders": external(location="a/../" * 10000 + "w.bin"),
    "a text of 8 MB": onnx(one("Einsum", equation="i" * (8 << 20))),
    "a mode of 8 MB of escapes": onnx(one("Pad", mode="\x1b" * (8 << 20))),
    "names that look alike": onnx(
        graph(
            [node("Add", ["x", f"x{BIDI}"], ["y"]), node("Relu", ["y"], [f"y{BIDI}"])],
            inputs=(("x", [2, 3]), (f"x{BIDI}", [2, 3])),
            outputs=(("y", None), (f"y{BIDI}", None)),
        )
    ),
    "names that Python takes for one": onnx(
        graph(
            [node("Gemm", ["x", "\ufb01.weight"], ["a"]), node("Gemm", ["a", "fi.weight"], ["y"])],
            weights=[
                tensor(n, 1, [3, 3], b"\0\0\x80?" * 9) for n in ("\ufb01.weight", "fi.weight")
            ],
        )
    ),
    "names of Python's own": onnx(
        graph(
            [
                node("Gemm", ["x", "__class__.weight"], ["a"]),
                node("Gemm", ["a", "None.bias"], ["y"]),
            ],
            weights=[
                tensor(n, 1, [3, 3], b"\0\0\0\0" * 9) for n in ("__class__.weight", "None.bias")
            ],
        )
    ),
    "a size that is code": onnx(
        graph(
            [node("Shape", ["x"], ["s"]), node("Expand", ["x", "s"], ["y"])],
            inputs=(("x", ["__import__('os').system('id')", f"n{BIDI}"]),),
        )
    ),
    "an output that is an input": onnx(graph([node("Relu", ["x"], ["x"])], outputs=(("x", None),))),
    "an output twice": onnx(graph([node("Split", ["x"], ["y", "y"])])),
    "Slice of all ends": onnx(
        one(
            "Slice",
            ("a", 7, [1], [-(2**63)]),
            ("b", 7, [1], [2**63 - 1]),
            ("c", 7, [1], [-(2**63)]),
        )
    ),
    "Gather on axis -2**63": onnx(one("Gather", ("i", 7, [1], [0]), axis=-(2**63))),
    "Tile of nothing 2**62 times": onnx(one("Tile", ("r", 7, [2], [0, 2**62]))),
    "Resize by NaN": onnx(
        one("Resize", ("r", 1, [0], []), ("s", 1, [2], [float("nan"), float("inf")]))
    ),
    "MaxPool of 2**40": onnx(
        graph([node("MaxPool", ["x"], ["y"], kernel_shape=[2**40, 1])], (("x", [1, 1, 4, 4]),))
    ),
    "LSTM of 2**40": onnx(
        graph(
            [node("LSTM", ["x", "w", "w"], ["y"], hidden_size=2**40, activations=[BIDI] * 9999)],
            (("x", [5, 1, 3]),),
            weights=[tensor("w", 1, [1, 4, 3], b"\0" * 48)],
        )
    ),
    "a tree that is its own branch": onnx(
        graph(
            [
                node(
                    "TreeEnsembleRegressor",
                    ["x"],
                    ["y"],
                    domain="ai.onnx.ml",
                    nodes_treeids=[0, 0],
                    nodes_nodeids=[0, 1],
                    nodes_featureids=[0, 0],
                    nodes_values=[0.0, 0.0],
                    nodes_modes=["BRANCH_LEQ", "BRANCH_LEQ"],
                    nodes_truenodeids=[0, 1],
                    nodes_falsenodeids=[0, 0],
                    target_ids=[0],
                    target_nodeids=[1],
                    target_treeids=[0],
                    target_weights=[1.0],
                )
            ]
        )
    ),
    "int4 of an odd count": onnx(
        graph([node("Cast", ["w"], ["y"], to=1)], weights=[tensor("w", 22, [3], b"\x12")])
    ),
    "complex weights": onnx(
        graph([node("Add", ["w", "w"], ["y"])], weights=[tensor("w", 14, [1], b"\0" * 8)])
    ),
    "a varint of eleven bytes": onnx(b"\x08" + b"\xff" * 11),
    # checkpoints
    "pth: a member twice": files(
        {
            "w.pth": torch_zip(
                [
                    ("a/data.pkl", EMPTY),
                    ("a/data.pkl", b"\x80\x02cos\nsystem\n."),
                    ("a/version", b"3\n"),
                ]
            )
        },
        FROM_PTH,
    ),
    "pth: two archives": files(
        {
            "w.pth": torch_zip(
                [("a/data.pkl", EMPTY), ("b/data.pkl", EMPTY), ("../c/data.pkl", EMPTY)]
            )
        },
        FROM_PTH,
    ),
    "pth: strides of 2**62": files({"w.pth": pth(4, 0, (2, 2), (2**62, 1))}, FROM_PTH),
    "pth: strides below nothing": files({"w.pth": pth(4, 3, (2, 2), (-1, -1))}, FROM_PTH),
    "pth: an offset beyond": files({"w.pth": pth(4, 2**62, (2,), (1,))}, FROM_PTH),
    "pth: a storage larger than its file": files(
        {"w.pth": pth(2**40, 0, (2**40,), (1,))}, FROM_PTH
    ),
    "pth: one number 2**40 times": files({"w.pth": pth(4, 0, (2**40,), (0,))}, FROM_PTH),
    "pth: a size below nothing": files({"w.pth": pth(4, 0, (-2,), (1,))}, FROM_PTH),
    "safetensors: two on one place": files(
        {
            "w.safetensors": safetensors(
                {n: {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]} for n in "ab"}, FLOATS
            )
        },
        WEIGHTS,
    ),
    "safetensors: a header of 2**63": files({"w.safetensors": b"\xff" * 7 + b"\x7f{}"}, WEIGHTS),
    "index: a shard that is the index": files(
        {
            "w.safetensors.index.json": json.dumps(
                {"weight_map": {"a": "w.safetensors.index.json"}}
            ).encode()
        },
        "diff w.safetensors.index.json w.safetensors.index.json",
    ),
    "index: a shard above": files(
        {
            "w.safetensors.index.json": json.dumps(
                {"weight_map": {"a": "../../../etc/passwd"}}
            ).encode()
        },
        "diff w.safetensors.index.json w.safetensors.index.json",
    ),
    # sources and settings
    "a notebook whose cells are a table": files({"n.ipynb": cells(cells={"a": 1})}, "scan n.ipynb"),
    "a notebook 50,000 deep": files({"n.ipynb": deep(50000)}, "scan n.ipynb"),
    "a notebook of UTF-16": files(
        {"n.ipynb": cells("import torch").decode().encode("utf-16")}, "scan n.ipynb"
    ),
    "a notebook of numbers": files(
        {"n.ipynb": b'{"cells": [1e400, -0, NaN], "nbformat": "4"}'}, "scan n.ipynb"
    ),
    "toml: tables in tables": files(
        {
            "n.py": TORCH,
            "pyproject.toml": b"[tool.msconvert]\na = " + b"{a=" * 5000 + b"1" + b"}" * 5000,
        },
        "scan .",
    ),
    "toml: globs without end": files(
        {
            "n.py": TORCH,
            "pyproject.toml": b"[tool.msconvert]\nexclude = ['" + b"**/*[" * 20000 + b"']",
        },
        "scan .",
    ),
    "toml: a number of 5 MB": files(
        {"n.py": TORCH, "pyproject.toml": b"[tool.msconvert]\na = " + b"9" * (5 << 20)}, "scan ."
    ),
    "brackets 20,000 deep": files({"n.py": TORCH + b"x = " + b"(" * 20000 + b")" * 20000}, SOURCE),
    "a name of 1 MB": files({"n.py": TORCH + b"a" * (1 << 20) + b" = torch.ones(1)\n"}, SOURCE),
    "torch in wide letters": files(
        {"n.py": f"import {WIDE}\nx = {WIDE}.relu(1)\n".encode()}, SOURCE
    ),
    "coding: utf-7": files({"n.py": b"# coding: utf-7\nimport torch\nx = '+AGE-'\n"}, SOURCE),
    "a NUL in the source": files({"n.py": TORCH + b"x = 1\0\n"}, SOURCE),
    "lambdas in lambdas": files(
        {"n.py": TORCH + b"x = " + b"lambda: " * 5000 + b"torch.ones(1)\n"}, SOURCE
    ),
    # folders
    "output: a link to a folder": around(
        lambda f: (Path(f, "output/real").mkdir(), Path(f, "output/out").symlink_to("real")),
        "--model_file m.onnx --output output/out",
    ),
    "output: a link to itself": around(
        lambda f: Path(f, "output/out").symlink_to("out"), "--model_file m.onnx --output output/out"
    ),
    "output: a file": around(
        lambda f: Path(f, "output/out").write_bytes(b""), "--model_file m.onnx --output output/out"
    ),
    "output: a pipe": around(
        lambda f: os.mkfifo(Path(f, "output/m.py")), "--model_file m.onnx --output output --force"
    ),
    "output: the script is a link to the model": around(
        lambda f: Path(f, "output/m.py").symlink_to("../m.onnx"),
        "--model_file m.onnx --output output --force",
    ),
    "output: a link to nothing": around(
        lambda f: Path(f, "output/m.py").symlink_to("../none"),
        "--model_file m.onnx --output output",
    ),
    "output: below /proc": around(lambda f: None, "--model_file m.onnx --output /proc/msconvert"),
    "output: a name of 300 letters": around(
        lambda f: None, f"--model_file m.onnx --output output/{'a' * 300}"
    ),
    "output: one file twice": around(
        lambda f: None, "--model_file m.onnx --output output --html output/m.py"
    ),
    "output: the page on the model": around(
        lambda f: None, "--model_file m.onnx --output output --html m.onnx --force"
    ),
    "weights: onto themselves": around(
        lambda f: None, "weights w.safetensors -o w.safetensors --names same --force"
    ),
    "weights: onto themselves by a link": around(
        lambda f: Path(f, "output/w.safetensors").symlink_to("../w.safetensors"),
        "weights w.safetensors -o output/w.safetensors --names same --force",
    ),
    "scan: a pipe, a loop, a folder": around(
        lambda f: (
            os.mkfifo(Path(f, "output/p.py")),
            Path(f, "output/loop").symlink_to("."),
            Path(f, "output/d.py").mkdir(),
            Path(f, "output/a\nb.py").write_bytes(TORCH),
        ),
        "scan .",
    ),
    "source: into itself": around(lambda f: None, "source . --output ."),
    "source: a report onto the source": around(lambda f: None, "source n.py --report n.py --force"),
    "source: a report onto the source by a link": around(
        lambda f: Path(f, "output/r.md").symlink_to("../n.py"),
        "source n.py --report output/r.md --force",
    ),
    "scan: a page onto the source": around(lambda f: None, "scan n.py --html n.py --force"),
    "convert: inputs under the output's name": around(
        lambda f: np.save(Path(f, "output/i.npy"), np.ones((2, 3), np.float32)),
        "--model_file m.onnx --output output --inputs output/i.npy --html output/i.npy --force",
    ),
    "convert: external data under the output's name": files(
        {"output/m.onnx": added(), "output/m.ckpt": FLOATS},
        "--model_file output/m.onnx --output output --force",
    ),
    "source: a link to the source": around(
        lambda f: Path(f, "output/n.py").symlink_to("../n.py"),
        "source n.py --output output --force",
    ),
}


def _case(row: tuple[Callable[[Path], None], str]) -> Make:
    def make(folder: Path, _random: Random) -> list[str]:
        row[0](folder)
        return row[1].split()

    return make


CASES = {f"by hand: {name}": _case(row) for name, row in ROWS.items()}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], CASES))
