"""Emitted scripts on the real MindSpore: the same numbers, and weights that it loads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from msconvert.formats import read_weights
from msconvert.tests.converter.conversion import (
    converted,
    error,
    outputs_of_original,
)
from msconvert.tests.converter.hand_graphs import graph, node
from msconvert.tests.models.light import NAMES, picture, revived

TOLERANCE = 1e-4
RECURRENT = 1e-3
"""For recurrent layers: their tanh is another approximation there, and each step adds to it."""

DRIVER = """
import importlib.util, json, os, sys, traceback
import numpy as np
import mindspore as ms

MODES = {"pynative": ms.PYNATIVE_MODE, "graph": ms.GRAPH_MODE}
ms.set_context(device_target="CPU")
# MindSpore 2.10 refuses a .ckpt larger than the free memory, and counts none that caches hold
ms.train.serialization._get_available_memory = lambda: None
facts = {}
for folder in sys.argv[2:]:
    name = os.path.basename(folder)
    script = os.path.join(folder, "model.py")
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location("model", script)
        module = importlib.util.module_from_spec(spec)
        sys.modules["model"] = module  # graph mode imports the script by its name
        spec.loader.exec_module(module)
        checkpoint = os.path.join(folder, "model.ckpt")
        network = module.load(checkpoint)
        missing, unused = ms.load_param_into_net(network, ms.load_checkpoint(checkpoint))
        inputs = np.load(os.path.join(folder, "inputs.npz"))
        for mode in sys.argv[1].split(","):
            ms.set_context(mode=MODES[mode])
            result = network(*[ms.Tensor(inputs[key]) for key in sorted(inputs.files)])
            tensors = result if isinstance(result, tuple) else (result,)
            np.savez(os.path.join(folder, mode + ".npz"), *[t.asnumpy() for t in tensors])
        ms.save_checkpoint(network, os.path.join(folder, "theirs.ckpt"))
        facts[name] = [list(missing), list(unused), ""]
    except Exception:
        facts[name] = [[], [], traceback.format_exc()[-1500:]]
    sys.path.remove(folder)
    sys.modules.pop("onnx_ops", None)
print("FACTS" + json.dumps(facts))
"""


def prepared(model: Path, inputs: list[np.ndarray[Any, Any]], folder: Path) -> list[Any]:
    """Converts for MindSpore into `folder`; what ONNX Runtime makes of the inputs."""
    folder.mkdir()
    (folder / "model.onnx").symlink_to(model)
    converted(folder / "model.onnx", folder, "mindspore", verify=False)
    np.savez(folder / "inputs.npz", *inputs)
    return outputs_of_original(model, inputs)


def differences(
    run_mindspore: Callable[..., str],
    folder: Path,
    expected: dict[str, list[Any]],
    modes: tuple[str, ...] = ("pynative",),
    tolerance: float = TOLERANCE,
) -> dict[str, str]:
    """What is wrong with each model of `folder` on the real MindSpore; empty if nothing is."""
    folders = [str(folder / name) for name in expected]
    said = run_mindspore(folder, "-c", DRIVER, ",".join(modes), *folders)
    facts = json.loads(said.split("FACTS")[1])
    wrong = {}
    for name, outputs in expected.items():
        missing, unused, failure = facts[name]
        if missing or unused or failure:
            wrong[name] = failure or f"missing {missing}, unused {unused}"
            continue
        for mode in modes:
            with np.load(folder / name / f"{mode}.npz") as arrays:
                got = [arrays[f"arr_{i}"] for i in range(len(outputs))]
            worst = max(error(a, b) for a, b in zip(got, outputs, strict=True))
            if not worst <= tolerance:
                wrong[f"{name} in {mode} mode"] = f"error {worst:.1e}"
    return wrong


def test_light_models(run_mindspore: Callable[..., str], tmp_path: Path) -> None:
    models = {name: revived(name, tmp_path) for name in NAMES}
    expected = {n: prepared(m, [picture(seed=1)], tmp_path / n) for n, m in models.items()}
    assert differences(run_mindspore, tmp_path, expected) == {}


@pytest.mark.parametrize("exporter", ["torchscript", "dynamo"])
def test_exported_models(
    exporter: Any, run_mindspore: Callable[..., str], exported_folder: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch", reason="the models are written in PyTorch")
    from msconvert.tests.models.catalog import ROWS, export

    expected = {}
    for row in ROWS:
        path = export(row, exporter, exported_folder)
        inputs = [item.example(seed=5) for item in row.inputs]
        expected[row.name] = prepared(path, inputs, tmp_path / row.name)
    assert differences(run_mindspore, tmp_path, expected, ("pynative", "graph")) == {}
    first = ROWS[0].name
    ours, theirs = (
        read_weights(tmp_path / first / name).tensors() for name in ("model.ckpt", "theirs.ckpt")
    )
    assert ours.keys() == theirs.keys()
    for name, stored in ours.items():
        assert np.array_equal(stored.array(), theirs[name].array()), name


ACTIVATIONS = (
    *("Relu", "Sigmoid", "Tanh", "LeakyRelu", "Elu", "Celu", "Gelu", "HardSwish", "HardSigmoid"),
    *("Softplus", "Softsign", "Selu", "ThresholdedRelu", "Softmax", "LogSoftmax", "Erf", "Exp"),
)
"""Without Mish: MindSpore's own is NaN above 44 on the CPU."""


def test_activations_of_large_numbers(run_mindspore: Callable[..., str], tmp_path: Path) -> None:
    """Far from zero, where kernels overflow: each half by itself, as their results differ."""
    high = np.array([[-1.5, 0.5, 3.0, 9.0, 20.0, 45.0, 60.0, 80.0]], np.float32)
    types = {"x": (np.float32, high.shape)}, {"y": (np.float32, high.shape)}
    expected = {}
    for name in ACTIVATIONS:
        made = graph([node("Mul", "x w", "a"), node(name, "a", "y")], *types, {"w": high * 0 + 2})
        made.opset_import[0].version = 20
        for side, sign in (("high", 0.5), ("low", -0.5)):
            path = tmp_path / f"{name}_{side}.onnx"
            onnx.save(made, path)
            expected[path.stem] = prepared(path, [sign * high], tmp_path / path.stem)
    assert differences(run_mindspore, tmp_path, expected, ("pynative", "graph")) == {}


MASKED = {"chosen": "Where", "added": "Add", "under halves": "Where"}


def masked(how: str) -> onnx.ModelProto:
    """A softmax of scores of which any may be -inf, 0 in rows of nothing else."""
    kind = np.float16 if how == "under halves" else np.float32
    shape = (2, 3, 4)
    mask = node("Where", "m none w" if MASKED[how] == "Where" else "m none zero", "b")
    scores = [mask] if MASKED[how] == "Where" else [mask, node("Add", "b w", "s")]
    nodes = [
        node("Mul", "x scale", "w"),
        *scores,
        node("Softmax", "s" if len(scores) > 1 else "b", "p", axis=-1),
        node("IsNaN", "p", "n"),
        node("Where", "n zero p", "y"),
    ]
    inputs = {"m": (np.bool_, shape), "x": (kind, shape)}
    scale = np.array([0.5, 1, 2, -1], kind)
    weights = {"none": np.array(-np.inf, kind), "zero": np.array(0, kind), "scale": scale}
    made = graph(nodes, inputs, {"y": (kind, shape)}, weights)
    made.opset_import[0].version = 20
    return made


def test_rows_that_are_masked_whole(run_mindspore: Callable[..., str], tmp_path: Path) -> None:
    """MindSpore's own softmax would give 0 in the rows behind them, too."""
    numbers, expected = np.random.default_rng(0), {}
    hidden = np.zeros((2, 3, 4), bool)
    hidden[0, 0] = hidden[1, 1] = hidden[1, 2, 1] = True
    for how in MASKED:
        path = tmp_path / f"{how.replace(' ', '_')}.onnx"
        onnx.save(masked(how), path)
        kind = np.float16 if how == "under halves" else np.float32
        inputs = [hidden, numbers.standard_normal((2, 3, 4)).astype(kind)]
        expected[path.stem] = prepared(path, inputs, tmp_path / path.stem)
        assert "masked_softmax(" in (tmp_path / path.stem / "model.py").read_text()
        assert np.all(expected[path.stem][0][hidden.all(-1)] == 0)
    modes = ("pynative", "graph")
    assert differences(run_mindspore, tmp_path, expected, modes, 1e-3) == {}
