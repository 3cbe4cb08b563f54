"""Runs rows of `rows/` with the framework that `import mindspore` gives; both sides run this file.

    python runner.py ROWS.json FOUND.json graph

Needs nothing but NumPy and the framework. Each row runs in a folder of its own; what is kept is
what it sets as `result`, what it prints, which files it leaves, and the class of its error.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops, train
from mindspore import dataset as ds

LOSS = "SoftmaxCrossEntropyWithLogits"
KINDS = (TypeError, ValueError, IndexError, KeyError, AttributeError, RuntimeError, OSError)


def values(*shape: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed + sum(shape)).rand(*shape).astype(np.float32)


def batches(count: int = 12, batch: int = 4, **options: Any) -> Any:
    """A data set of inputs (batch, 5) and classes 0..2, in one order."""
    labels = np.arange(count, dtype=np.int32) % 3
    x = values(count, 5) + labels.reshape(-1, 1).astype(np.float32) / 4
    made = ds.NumpySlicesDataset((x, labels), ["x", "label"], shuffle=False)
    return made.batch(batch, **options)


class Net(nn.Cell):
    """Two layers, with reproducible weights."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(5, 6)
        self.norm = nn.LayerNorm((6,))
        self.last = nn.Dense(6, 3)
        for k, p in enumerate(self.get_parameters()):
            if "norm" not in p.name:
                p.set_data(Tensor(values(*p.shape, seed=k) - 0.5))

    def construct(self, x: Any) -> Any:
        return self.last(ops.relu(self.norm(self.first(x))))


class Small(nn.Cell):
    """A convolution with its normalization, and a layer, with reproducible weights."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.bn = nn.BatchNorm2d(2)
        self.dense = nn.Dense(2, 3)
        for k, p in enumerate(self.trainable_params()):
            if "bn" not in p.name:
                p.set_data(Tensor(values(*p.shape, seed=k) - 0.5))

    def construct(self, x: Any) -> Any:
        return self.dense(ops.relu(self.bn(self.conv(x))).mean((2, 3)))


class Summed(nn.Cell):
    """A network that computes its loss itself, of two columns."""

    def __init__(self, net: Any) -> None:
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, x: Any, label: Any) -> Any:
        return ops.reduce_mean(ops.square(self.net(x))) + ops.reduce_mean(label.astype(x.dtype))


def loss() -> Any:
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def momentum(net: Any, rate: Any = 0.1, scale: float = 1.0) -> Any:
    return nn.Momentum(net.trainable_params(), rate, 0.9, loss_scale=scale)


def model(metrics: Any = None, rate: Any = 0.1, **options: Any) -> Any:
    net = Net()
    return train.Model(net, loss(), momentum(net, rate), metrics=metrics, **options)


def weights(net: Any) -> Any:
    """What is in the parameters, in their order."""
    return [[p.name, float(np.abs(p.asnumpy()).sum())] for p in net.get_parameters()]


class Losses(train.Callback):
    """Keeps the losses of all steps."""

    def __init__(self) -> None:
        self.seen: list[float] = []

    def on_train_step_end(self, run_context: Any) -> None:
        found = run_context.original_args().net_outputs
        found = found[0] if isinstance(found, (tuple, list)) else found
        self.seen.append(float(found.asnumpy().mean()))


class Order(train.Callback):
    """Keeps the names of the hooks in the order of their calls."""

    HOOKS = tuple(
        f"on_{mode}_{hook}"
        for mode in ("train", "eval")
        for hook in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
    )

    def __init__(self, tag: str = "", seen: Any = None) -> None:
        self.tag, self.seen = tag, [] if seen is None else seen

    def __getattribute__(self, name: str) -> Any:
        if name in Order.HOOKS:
            return lambda run_context: self.keep(name, run_context)
        return super().__getattribute__(name)

    def __enter__(self) -> Any:
        self.seen.append(f"{self.tag}enter")
        return self

    def __exit__(self, *err: Any) -> None:
        self.seen.append(f"{self.tag}exit")

    def keep(self, name: str, run_context: Any) -> None:
        self.seen.append(self.tag + name)


class Told(Order):
    """Keeps what each hook is told: the keys, and the numbers and texts among the values."""

    def keep(self, name: str, run_context: Any) -> None:
        told = run_context.original_args()
        self.seen.append([name, {key: self.short(key, told[key]) for key in sorted(told)}])

    def short(self, key: str, value: Any) -> Any:
        if key == "list_callback":
            return [type(one).__name__ for one in value if not type(one).__name__.startswith("_")]
        if key in ("train_dataset", "valid_dataset"):
            return "a data set"
        plain_value = plain(value)
        return plain_value if not isinstance(value, nn.Cell) else type(value).__name__


def plain(found: Any) -> Any:
    """`found` as JSON has it."""
    if isinstance(found, dict):
        return {str(key): plain(value) for key, value in found.items()}
    if isinstance(found, (tuple, list)):
        return [plain(value) for value in found]
    if hasattr(found, "asnumpy"):
        return [str(found.dtype), list(found.shape), found.asnumpy().tolist()]
    if isinstance(found, np.ndarray):
        return found.tolist()
    if isinstance(found, np.generic):
        return found.item()
    known = found is None or isinstance(found, (bool, int, float, str))
    return found if known else type(found).__name__


def kind_of(error: BaseException) -> str:
    found = next((kind for kind in KINDS if isinstance(error, kind)), type(error))
    return found.__name__


def outcome(code: str, number: int) -> dict[str, Any]:
    """What a row gives, in a folder of its own."""
    name = f"<row {number}>"
    linecache.cache[name] = (len(code), None, [line + "\n" for line in code.split("\n")], name)
    names = {**globals(), "result": None}
    printed, error = io.StringIO(), None
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, name, "exec"), names)
        except (Exception, KeyboardInterrupt, SystemExit) as raised:  # noqa: BLE001 - kept
            error = [kind_of(raised), str(raised)[:600]]
        finally:
            os.chdir(before)
        left = sorted(p.relative_to(folder).as_posix() for p in Path(folder).rglob("*.*"))
    own = ("-graph.meta", "analyze_fail.ir", ".py")
    files = [file for file in left if not file.endswith(own)]
    text = printed.getvalue().splitlines()
    return {"result": plain(names["result"]), "printed": text, "files": files, "error": error}


def main(table: str, found: str, mode: str) -> None:
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    codes = json.loads(Path(table).read_text(encoding="utf-8"))
    outcomes = {code: outcome(code, number) for number, code in enumerate(codes)}
    Path(found).write_text(json.dumps(outcomes), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
