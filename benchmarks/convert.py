"""What a conversion costs, and how fast the emitted script is: `python benchmarks/convert.py`.

1. ResNet-50 of real size is converted without verification in a cold process: CPU seconds and
   peak memory against their targets.
2. Each light model of the onnx package is converted, and its script in graph mode timed against
   ONNX Runtime on the original file: both in one process, turn about, with equally many threads.

Figures go to stdout; nothing is kept.
"""

from __future__ import annotations

import argparse
import importlib.util
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

CPU_TARGET_S = 1.5
MEMORY_TARGET = 3.0
MEMORY_ALLOWANCE_MB = 250
LATENCY_TARGET = 1.05

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


class ResNet50:
    """ResNet-50 with random weights, named as torchvision names them, built node by node."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def model(self) -> onnx.ModelProto:
        """image (1, 3, 224, 224) -> logits (1, 1000)."""
        x = self.relu("relu", self.conv_bn("conv1", "bn1", "image", (3, 64, 7, 2)))
        window = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
        x = self.node("MaxPool", "maxpool", [x], **window)
        c_in = 64
        for stage, blocks in enumerate((3, 4, 6, 3)):
            width = 64 * 2**stage
            for i in range(blocks):
                stride = 2 if i == 0 and stage > 0 else 1
                x = self.bottleneck(f"layer{stage + 1}.{i}", x, (c_in, width, stride))
                c_in = 4 * width
        x = self.node("Flatten", "flatten", [self.node("GlobalAveragePool", "avgpool", [x])])
        weights = [self.weight("fc.weight", (1000, 2048)), self.weight("fc.bias", (1000,))]
        self.nodes.append(
            helper.make_node("Gemm", [x, *weights], ["logits"], name="/fc/Gemm", transB=1)
        )
        return self.finished()

    def finished(self) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "resnet50",
            [helper.make_tensor_value_info("image", TensorProto.FLOAT, (1, 3, 224, 224))],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, (1, 1000))],
            self.weights,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def bottleneck(self, name: str, x: str, sizes: tuple[int, int, int]) -> str:
        c_in, width, stride = sizes
        layers = ((c_in, width, 1, 1), (width, width, 3, stride), (width, 4 * width, 1, 1))
        y = x
        for i, layer in enumerate(layers, 1):
            y = self.conv_bn(f"{name}.conv{i}", f"{name}.bn{i}", y, layer)
            y = self.relu(f"{name}.relu.{i}", y) if i < 3 else y
        if c_in != 4 * width:
            down = f"{name}.downsample"
            x = self.conv_bn(f"{down}.0", f"{down}.1", x, (c_in, 4 * width, 1, stride))
        return self.relu(f"{name}.relu", self.node("Add", f"{name}.add", [y, x]))

    def conv_bn(self, conv: str, bn: str, x: str, layer: tuple[int, int, int, int]) -> str:
        c_in, c_out, kernel, stride = layer
        weight = self.weight(f"{conv}.weight", (c_out, c_in, kernel, kernel))
        geometry = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2}
        y = self.node("Conv", conv, [x, weight], **geometry, pads=[kernel // 2] * 4)
        parts = [self.weight(f"{bn}.{part}", (c_out,)) for part in ("weight", "bias")]
        parts += [self.weight(f"{bn}.{part}", (c_out,)) for part in ("running_mean", "running_var")]
        return self.node("BatchNormalization", bn, [y, *parts])

    def relu(self, name: str, x: str) -> str:
        return self.node("Relu", name, [x])

    def node(self, op: str, name: str, inputs: list[str], **attributes: Any) -> str:
        scope = "/" + name.replace(".", "/")
        output = f"{scope}/{op}_output_0"
        self.nodes.append(
            helper.make_node(op, inputs, [output], name=f"{scope}/{op}", **attributes)
        )
        return output

    def weight(self, name: str, shape: tuple[int, ...]) -> str:
        fan_in = max(1, int(np.prod(shape[1:])))
        array = self.rng.standard_normal(shape, np.float32) / np.float32(np.sqrt(fan_in))
        array = np.abs(array) + 0.5 if name.endswith("running_var") else array
        self.weights.append(numpy_helper.from_array(array.astype(np.float32), name))
        return name


@dataclass(frozen=True)
class Cost:
    """What one process took: seconds of CPU, megabytes of memory at its peak."""

    cpu_s: float
    peak_mb: float


COMMAND = """
import atexit, pathlib, re, sys

def tell_peak():
    status = pathlib.Path("/proc/self/status").read_text()
    sys.stderr.write("peak " + re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])

atexit.register(tell_peak)
from msconvert.commands.main import main
main()
"""
"""The command, telling its own peak: what the system says of a child includes its parent's."""


def cost_of_conversion(model: Path, output: Path) -> Cost:
    """The whole command in a process of its own. Raises: CalledProcessError if it fails"""
    command = [sys.executable, "-c", COMMAND]
    command += ["--model_file", str(model), "--output", str(output), "--no-verify"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu_s, int(done.stderr.rsplit("peak ", 1)[1]) / 1024)


def measure_conversion(folder: Path, repetitions: int) -> Iterator[str]:
    path = folder / "resnet50.onnx"
    onnx.save(ResNet50().model(), path)
    size_mb = path.stat().st_size / 2**20
    costs = [cost_of_conversion(path, folder / f"out_{i}") for i in range(repetitions)]
    cpu_s = statistics.median(cost.cpu_s for cost in costs)
    peak_mb = max(cost.peak_mb for cost in costs)
    allowed_mb = MEMORY_TARGET * size_mb + MEMORY_ALLOWANCE_MB
    yield f"ResNet-50, {size_mb:.0f} MB, cold process, no verification, {repetitions} times"
    yield row("  CPU seconds, median", f"{cpu_s:.2f}", f"{CPU_TARGET_S:.2f}", cpu_s / CPU_TARGET_S)
    yield row("  peak MB, worst", f"{peak_mb:.0f}", f"{allowed_mb:.0f}", peak_mb / allowed_mb)
    yield f"  peak memory is {peak_mb / size_mb:.1f} times the model file"


def row(what: str, got: str, target: str, ratio: float) -> str:
    verdict = "met" if ratio <= 1 else "MISSED"
    return f"{what:<32} {got:>9}   target {target:>7}   ratio {ratio:5.2f}   {verdict}"


def measure_latency(folder: Path, names: list[str], rounds: int) -> Iterator[str]:
    yield f"Graph mode against ONNX Runtime on the original, turn about, medians of {rounds} runs"
    yield f"  {'model':<22} {'original ms':>12} {'script ms':>10} {'ratio':>7}"
    ratios = []
    for path in sorted(LIGHT.glob("*.onnx")):
        name = path.stem.removeprefix("light_")
        if names and name not in names:
            continue
        original_ms, script_ms, ratio = latency(path, folder / name, rounds)
        ratios.append(ratio)
        yield f"  {name:<22} {original_ms:12.2f} {script_ms:10.2f} {ratio:7.3f}"
    overall = statistics.median(ratios)
    yield row(
        "  median over the models",
        f"{overall:.3f}",
        f"{LATENCY_TARGET:.2f}",
        overall / LATENCY_TARGET,
    )


def latency(path: Path, folder: Path, rounds: int) -> tuple[float, float, float]:
    """Median milliseconds of original and script, and the ratio of the two."""
    cost_of_conversion(path, folder)
    original, image = original_call(path)
    script = script_call(next(folder.glob("*.py")), image)
    expected, got = original(), script()
    assert np.allclose(got, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())
    pairs = []
    for i in range(rounds + 3):
        calls = (original, script) if i % 2 else (script, original)
        took = {call: timed(call) for call in calls}
        pairs.append((took[original], took[script]))
    original_s, script_s = (statistics.median(column) for column in zip(*pairs[3:], strict=True))
    return original_s * 1e3, script_s * 1e3, script_s / original_s


def timed(call: Callable[[], Any]) -> float:
    """Seconds of one call, begun when the other session's threads have stopped spinning."""
    time.sleep(0.02)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def original_call(path: Path) -> tuple[Callable[[], Any], np.ndarray[Any, Any]]:
    """A run of the original, and the input that it is run with."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (declared,) = [i for i in session.get_inputs() if i.name]
    image = np.random.default_rng(0).standard_normal(declared.shape, np.float32)
    return lambda: session.run(None, {declared.name: image})[0], image


def script_call(path: Path, image: np.ndarray[Any, Any]) -> Callable[[], Any]:
    """A run of the emitted script in graph mode, compiled already."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(path.parent))
    ms = module.ms
    ms.set_context(mode=ms.GRAPH_MODE)
    network = module.load(str(next(path.parent.glob("*.ckpt"))))
    tensor = ms.Tensor(image)
    network(tensor)
    return lambda: network(tensor).asnumpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3, help="conversions of ResNet-50")
    parser.add_argument("--rounds", type=int, default=30, help="pairs of timed runs per model")
    parser.add_argument("models", nargs="*", help="light models to time, all if none is named")
    arguments = parser.parse_args()
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as folder:
        for line in measure_conversion(Path(folder), arguments.repetitions):
            sys.stdout.write(line + "\n")
        for line in measure_latency(Path(folder), arguments.models, arguments.rounds):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
