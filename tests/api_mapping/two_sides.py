"""Runs the examples of the table on one side; a script for each side's own Python.

    python two_sides.py torch|runtime|mindspore ROWS.json INPUTS.npz STATES.pickle RESULTS.pickle

A row is {"id", "code", "state"}. On the side of PyTorch the parameters of the layers that the
code builds are kept in STATES; the other sides load them, by the names that the row maps. A row
that ends the process or takes too long is noted, and the next process goes on behind it.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import copy
import enum
import functools
import importlib
import inspect
import io
import itertools
import json
import linecache
import math
import os
import pickle
import random
import re
import signal
import socket
import string
import struct
import sys
import tempfile
import time
import types
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROW = "<row>"
"""The file that the code of a row stands in: MindSpore compiles functions from their source."""

SECONDS = 300
"""How long one row may take: only a row that hangs takes more than one second."""

COMPAT = sorted((Path(__file__).parents[2] / "templates" / "compat").glob("*.txt"))
"""The functions that targets call as `compat.NAME`, in MindSpore's API."""


class Torch:
    """PyTorch: whose layers' parameters are the ones that count."""

    library: Any

    def __init__(self) -> None:
        import torch

        self.torch = torch
        declare_operators(torch)
        self.names: dict[str, Any] = {"np": np, "torch": torch, "math": math}
        modules = {
            "nn": "torch.nn",
            "F": "torch.nn.functional",
            "init": "torch.nn.init",
            "optim": "torch.optim",
            "lr_scheduler": "torch.optim.lr_scheduler",
            "data": "torch.utils.data",
            "transforms": "torchvision.transforms",
            "v2": "torchvision.transforms.v2",
            "torchvision": "torchvision",
            "einops": "einops",
            "einops.layers.torch": "einops.layers.torch",
        }
        for name, module in modules.items():
            with contextlib.suppress(ImportError, RuntimeError):
                self.names[name] = importlib.import_module(module)
        self.names |= {"th": torch, "functional": self.names["F"], "layers": self.names["nn"]}

    def tensor(self, array: np.ndarray) -> Any:
        return self.torch.from_numpy(array.copy())

    def begin(self) -> None:
        self.torch.manual_seed(0)
        np.random.seed(0)

    def parameter(self, array: np.ndarray) -> Any:
        return self.torch.nn.Parameter(self.tensor(array))

    def gradients(self, loss: Any, params: list) -> list:
        for param in params:
            param.grad = None
        loss().backward()
        return [param.grad for param in params]

    def slopes(self, function: Any, tensors: Any) -> list:
        leaves = [tensor.requires_grad_() for tensor in tensors]
        function(*leaves).sum().backward()
        return [leaf.grad for leaf in leaves]

    def step(self, optimizer: Any, gradients: list) -> None:
        optimizer.step()

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, self.torch.Tensor)

    def is_layer(self, value: Any) -> bool:
        return isinstance(value, self.torch.nn.Module)

    def array(self, tensor: Any) -> tuple[str, np.ndarray]:
        dtype = str(tensor.dtype).removeprefix("torch.")
        tensor = tensor.detach().resolve_conj().resolve_neg()
        if dtype == "bfloat16":
            tensor = tensor.float()
        return dtype, np.array(tensor.to_dense().numpy() if tensor.is_sparse else tensor.numpy())

    def meet(self, layer: Any, states: list[dict], renamed: dict[str, str]) -> None:
        states.append({k: np.array(v.detach().numpy()) for k, v in layer.state_dict().items()})


def declare_operators(torch: Any) -> None:
    """Lets torchvision be imported where its compiled operators cannot be loaded.

    Its Python code names some of them at once: they are declared, `nms` in Python.
    """
    with contextlib.suppress(ImportError):
        try:
            importlib.import_module("torchvision")
        except RuntimeError:  # operator torchvision::nms does not exist
            for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
                del sys.modules[name]
            library = torch.library.Library("torchvision", "DEF")
            for name in ("nms", "qnms"):
                library.define(f"{name}(Tensor dets, Tensor scores, float threshold) -> Tensor")
            library.impl("nms", suppressed, "CPU")
            Torch.library = library  # the operators live as long as it
            boxes = importlib.import_module("torchvision.ops.boxes")
            boxes._assert_has_ops = lambda: None  # type: ignore[attr-defined]


def suppressed(boxes: Any, scores: Any, threshold: float) -> Any:
    """torchvision's nms: the boxes that no better one overlaps by more, the best first."""
    overlap = sys.modules["torchvision"].ops.box_iou(boxes, boxes)
    kept: list[int] = []
    for box in scores.argsort(descending=True).tolist():
        if all(overlap[box, other] <= threshold for other in kept):
            kept.append(box)
    return scores.new_tensor(kept).long()


class Mindspore:
    """MindSpore's API: the real one, or the bundled runtime under another name."""

    def __init__(self, package: str) -> None:
        self.ms = importlib.import_module(package)
        self.numbers = itertools.count()
        if package == "mindspore":
            self.ms.set_context(mode=self.ms.PYNATIVE_MODE)
            self.ms.runtime.launch_blocking()
        self.names: dict[str, Any] = {"np": np, "ms": self.ms, "math": math}
        for name in ("nn", "ops", "mint"):
            self.names[name] = importlib.import_module(f"{package}.{name}")
        with contextlib.suppress(ImportError):
            self.names["ds"] = importlib.import_module(f"{package}.dataset")
        self.names["compat"] = compat = types.ModuleType("compat")
        libraries = (
            contextlib,
            copy,
            functools,
            inspect,
            itertools,
            json,
            os,
            random,
            socket,
            string,
            struct,
            tempfile,
            time,
            sys,
            zlib,
        )
        compat.__dict__["NamedTuple"] = NamedTuple
        compat.__dict__.update(self.names, **{each.__name__: each for each in (*libraries, zlib)})
        for file in COMPAT:
            text = file.read_text(encoding="utf-8").replace("from mindspore.", f"from {package}.")
            flags = __future__.annotations.compiler_flag
            exec(compile(text, str(file), "exec", flags), compat.__dict__)

    def tensor(self, array: np.ndarray) -> Any:
        return self.ms.Tensor(array.copy())

    def begin(self) -> None:
        self.ms.set_seed(0)
        np.random.seed(0)

    def parameter(self, array: np.ndarray) -> Any:
        return self.ms.Parameter(self.tensor(array), name=f"p{next(self.numbers)}")

    def gradients(self, loss: Any, params: list) -> Any:
        return self.ms.grad(loss, None, weights=self.ms.ParameterTuple(params))()

    def slopes(self, function: Any, tensors: Any) -> Any:
        total = lambda *values: function(*values).sum()  # noqa: E731
        found = self.ms.grad(total, tuple(range(len(tensors))))(*tensors)
        return found if isinstance(found, tuple) else [found]

    def step(self, optimizer: Any, gradients: Any) -> None:
        optimizer(gradients)

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, self.ms.Tensor)

    def is_layer(self, value: Any) -> bool:
        optimizer = self.ms.experimental.optim.Optimizer  # a Cell, with a state of its own
        return isinstance(value, self.names["nn"].Cell) and not isinstance(value, optimizer)

    def array(self, tensor: Any) -> tuple[str, np.ndarray]:
        dtype = str(tensor.dtype).lower().removesuffix("_")
        if dtype == "bfloat16":
            tensor = tensor.astype(self.ms.float32)
        return dtype, np.array(tensor.asnumpy())

    def meet(self, layer: Any, states: list[dict], renamed: dict[str, str]) -> None:
        """Loads the parameters of PyTorch's layer; in training mode, as a Module is when new."""
        layer.set_train()
        known = {rename(name, renamed): value for name, value in (states or [{}]).pop(0).items()}
        for name, parameter in layer.parameters_and_names():
            if name not in known and not parameter.requires_grad:
                continue  # a weight of ones where PyTorch has none, statistics that are not kept
            value = known[name].reshape(parameter.shape)
            parameter.set_data(self.ms.Tensor(value.astype(np.dtype(str(value.dtype)))))


@dataclass(frozen=True)
class Training:
    """`train`, `moments` and `slopes` of the examples: gradients and chance on one side."""

    side: Any

    def train(
        self, make: Any, schedule: Any = None, step: Any = None, follow: Any = None, steps: int = 6
    ) -> Any:
        """The learning rates and momenta on the way and the parameters in the end.

        make      params -> optimizer; there are two parameters
        schedule  optimizer -> scheduler
        step      (optimizer, grads): what a step does, if not the usual
        follow    scheduler: what follows a step, if not the usual
        """
        numbers = np.random.RandomState(1)
        arrays = (numbers.randn(3, 4), numbers.randn(4))
        params = [self.side.parameter(array.astype(np.float32)) for array in arrays]
        optimizer = make(params)
        scheduler = schedule(optimizer) if schedule else None
        rates = []
        for _ in range(steps):
            gradients = self.side.gradients(lambda: loss(params), params)
            (step or self.side.step)(optimizer, gradients)
            if scheduler is not None:
                (follow or type(scheduler).step)(scheduler)
            rates += [settings(group) for group in optimizer.param_groups]
        return rates, params

    def slopes(self, function: Any, *tensors: Any) -> list:
        """The gradients of the sum of a function."""
        return list(self.side.slopes(function, tensors))

    def moments(self, tensor: Any) -> list[float]:
        """The mean and the standard deviation, to one digit: random numbers differ."""
        array = self.side.array(tensor)[1]
        return [round(float(value), 1) + 0.0 for value in (array.mean(), array.std())]


def loss(params: list) -> Any:
    """Something with a curvature and a slope, different for each parameter."""
    return sum((place + 1) * (p * p).sum() + 0.3 * p.sum() for place, p in enumerate(params))


def settings(group: dict) -> list[float]:
    """What a schedule changes in a group of parameters."""
    momentum = group.get("momentum", 0), *group.get("betas", ())
    return [round(float(value), 5) for value in (group["lr"], *momentum)]


def rename(name: str, renamed: dict[str, str]) -> str:
    """`a.weight` as `a.gamma`, where `weight` is renamed to `gamma`."""
    for old, new in renamed.items():
        name = re.sub(rf"(^|\.){re.escape(old)}(?=\.|$)", rf"\g<1>{new}", name)
    return name


def evaluate(side: Any, code: str, inputs: Any, states: list, renamed: dict[str, str]) -> Any:
    """The value of the last expression, the layers on the way filled with PyTorch's parameters."""
    training = Training(side)
    names = (
        {"__name__": "__main__"}
        | side.names
        | {name: getattr(training, name) for name in ("train", "moments", "slopes")}
    )
    names |= {name: given(side, name, inputs[name]) for name in mentioned(code) & set(inputs)}
    linecache.cache[ROW] = (len(code), None, code.splitlines(keepends=True), ROW)
    side.begin()
    value = None
    for statement in ast.parse(code).body:
        value = run(side, statement, names)
        for target in getattr(statement, "targets", []):
            if isinstance(target, ast.Name) and side.is_layer(names[target.id]):
                side.meet(names[target.id], states, renamed)
        call = getattr(statement, "value", None)
        if isinstance(statement, ast.Expr) and is_layer_call(call):
            value = called(side, call, names, states, renamed)
    return value


def given(side: Any, name: str, array: np.ndarray) -> Any:
    """An input as the examples name it: a tensor; `pixels` an array and `picture` an image.

    `weight` and `kernel` are parameters.
    """
    if name in ("weight", "kernel"):
        return side.parameter(array)
    if name == "picture":
        from PIL import Image

        return Image.fromarray(array)
    return array.copy() if name == "pixels" else side.tensor(array)


def mentioned(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def is_layer_call(node: ast.AST | None) -> bool:
    """`nn.Linear(4, 3)(x)`: a layer, built and called at once."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Call)


def called(side: Any, node: ast.Call, names: dict, states: list, renamed: dict[str, str]) -> Any:
    names["the_layer"] = run(side, ast.Expr(node.func), names)
    if side.is_layer(names["the_layer"]):
        side.meet(names["the_layer"], states, renamed)
    node.func = ast.copy_location(ast.Name("the_layer", ast.Load()), node.func)
    return run(side, ast.Expr(node), names)


def run(side: Any, statement: ast.stmt, names: dict[str, Any]) -> Any:
    """Executes one statement; the value, if it is an expression."""
    if isinstance(statement, ast.Expr):
        if is_layer_call(statement.value):
            return None  # `called` does it, with the parameters in between
        return eval(compile(ast.Expression(statement.value), ROW, "eval"), names)
    exec(compile(ast.Module([statement], []), ROW, "exec"), names)
    return None


def plain(side: Any, value: Any) -> Any:
    """A value that both sides write alike: tensors as (element type, array)."""
    if side.is_tensor(value):
        return ("tensor", *side.array(value))
    if isinstance(value, np.ndarray) or hasattr(value, "getbands"):  # the latter: an image
        return ("array", str(np.asarray(value).dtype), np.asarray(value))
    if isinstance(value, dict):
        return ("dict", {str(k): plain(side, v) for k, v in value.items()})
    if isinstance(value, tuple | list) or hasattr(value, "__next__"):
        return ("sequence", [plain(side, v) for v in value])
    if isinstance(value, enum.Enum):
        return ("object",)
    if value is None or isinstance(value, bool | int | float | complex | str):
        return (type(value).__name__, value)
    if re.fullmatch(r"(torch\.)?\w+", str(value)):  # an element type
        return ("type", str(value).lower().removeprefix("torch.").removesuffix("_"))
    return ("object",)


def outcome(side: Any, row: dict[str, Any], inputs: Any, states: list) -> tuple[str, Any]:
    try:
        signal.alarm(SECONDS)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            value = evaluate(side, row["code"], inputs, states, row["state"])
            return "value", (plain(side, value), printed.getvalue())
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "error", f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0][:300]}"
    finally:
        signal.alarm(0)


def too_slow(*_: Any) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def main(name: str, rows_file: str, inputs_file: str, states_file: str, results_file: str) -> None:
    rows = json.loads(Path(rows_file).read_text())
    inputs = dict(np.load(inputs_file))
    side = Torch() if name == "torch" else Mindspore(name)
    states = {} if name == "torch" else dict(read(states_file))

    def work(rest: list[dict[str, Any]]) -> None:
        with open(results_file, "ab") as results, open(states_file, "ab") as kept:
            run_rows(side, rest, inputs, states, (results, kept))

    in_forks(rows, results_file, work)


def in_forks(rows: list[dict[str, Any]], results: str, work: Callable[[list], None]) -> None:
    """All rows done, `work(rest)` in forks: to import the side again costs more than many rows."""
    while len(done := read(results)) < len(rows):
        if (child := os.fork()) == 0:
            with leaving():
                work(rows[len(done) :])
        status = os.waitpid(child, 0)[1]
        known = read(results)
        is_ended = status != 0 or len(known) == len(done)
        if is_ended and len(known) < len(rows):
            with open(results, "ab") as file:
                write(file, (rows[len(known)]["id"], ("error", "the process ended")))


@contextlib.contextmanager
def leaving() -> Iterator[None]:
    """Ends the process behind its block, 0 if nothing was raised; nothing of the parent's runs."""
    status = 1
    try:
        yield
        status = 0
    finally:
        os._exit(status)


def run_rows(
    side: Any, rows: list[dict], inputs: Any, states: dict, files: tuple[Any, Any]
) -> None:
    """Appends what the rows give to the file of results, for PyTorch also the parameters."""
    results, kept = files
    signal.signal(signal.SIGALRM, too_slow)
    for row in rows:
        own: list = list(states.get(row["id"], []))
        found = outcome(side, row, inputs, own)
        write(results, (row["id"], found))
        if isinstance(side, Torch):
            write(kept, (row["id"], own))
        elif found[0] == "error" and "slopes(" in row["code"]:
            return  # MindSpore goes on recording: the next process does the rest


def write(file: Any, value: Any) -> None:
    try:
        data = pickle.dumps(value)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        data = pickle.dumps((value[0], ("error", f"not to be kept: {error}")))
    file.write(data)
    file.flush()


def read(path: str) -> list[Any]:
    """All that was written to a file, one value after another."""
    values = []
    if Path(path).exists():
        with Path(path).open("rb") as file:
            while True:
                try:
                    values.append(pickle.load(file))
                except EOFError:
                    break
    return values


if __name__ == "__main__":
    main(*sys.argv[1:])
