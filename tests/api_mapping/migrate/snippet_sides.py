"""Executes snippets on one side; a script for each side's own Python.

    python snippet_sides.py torch|again|runtime|mindspore ROWS.json STATES.pickle RESULTS.pickle

A row is {"id", "code", "state", "compat"}: a whole file, and the module beside it. What it leaves
behind in its variables is kept. On the side of PyTorch the parameters of the layers that the code
builds go to STATES; the other sides load them, "again" among them: PyTorch by another seed, which
tells what is random.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import signal
import sys
import types
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from two_sides import (
    SECONDS,
    Mindspore,
    Torch,
    Training,
    in_forks,
    plain,
    read,
    rename,
    too_slow,
    write,
)

FILE = "<snippet>"
BESIDE = "_ms_compat.py"
NAMES = (
    {"weight": "gamma", "bias": "beta", "running_mean": "moving_mean"}
    | {"running_var": "moving_variance"},
    {"weight": "embedding_table"},
    {"weight": "embedding.embedding_table"},
    {"weight": "w"},
    {"linear1": "dense1", "linear2": "dense2"}
    | {f"norm{n}.weight": f"norm{n}.gamma" for n in ("", "1", "2", "3")}
    | {f"norm{n}.bias": f"norm{n}.beta" for n in ("", "1", "2", "3")},
)
"""What layers of MindSpore's call the parameters that PyTorch has."""
BIG = 200_000
"""Tensors with more elements are not kept."""


class First(Torch):
    """PyTorch as it is when it is imported, whatever the snippet before has set."""

    def begin(self) -> None:
        self.torch.set_default_dtype(self.torch.float32)
        self.torch.set_grad_enabled(True)
        self.torch.use_deterministic_algorithms(False)
        super().begin()


class Again(First):
    """PyTorch once more, by another seed, with the parameters that its layers had before.

    What is not initialized has other values, too.
    """

    def begin(self) -> None:
        super().begin()
        self.torch.use_deterministic_algorithms(True, warn_only=True)
        self.torch.manual_seed(1)
        np.random.seed(1)

    def meet(self, layer: Any, states: list[dict], renamed: dict[str, str]) -> None:
        known = (states or [{}]).pop(0)
        own = layer.state_dict()
        for name, value in known.items():
            own[name].copy_(self.torch.from_numpy(np.array(value)))


class Other(Mindspore):
    """MindSpore, or the runtime: layers take those parameters that they have as well."""

    def meet(self, layer: Any, states: list[dict], renamed: dict[str, str]) -> None:
        state = (states or [{}]).pop(0)
        known = {rename(n, names): v for names in (renamed, *NAMES) for n, v in state.items()}
        known |= state
        for name, parameter in layer.parameters_and_names():
            value = known.get(name)
            if value is not None and value.size == parameter.size:
                value = value.reshape(parameter.shape)
                parameter.set_data(self.ms.Tensor(value.astype(np.dtype(str(value.dtype)))))


SIDES = {"torch": First, "again": Again}


def side_of(name: str) -> Any:
    return SIDES[name]() if name in SIDES else Other(name)


def variables(side: Any, row: dict[str, Any], states: list) -> dict[str, Any]:
    """What the code leaves behind, by name; every layer filled when a name is given to it."""
    module = types.ModuleType("__main__")
    names = module.__dict__
    training = Training(side)
    names |= {name: getattr(training, name) for name in ("train", "moments", "slopes")}
    given = set(names)
    text = row["code"]
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    sys.modules["_ms_compat"] = compat_module(row["compat"])
    side.begin()
    for statement in ast.parse(text).body:
        exec(compile(ast.Module([statement], []), FILE, "exec"), names)
        for target in getattr(statement, "targets", []):
            if isinstance(target, ast.Name) and side.is_layer(names[target.id]):
                side.meet(names[target.id], states, row["state"])
    left = {name: value for name, value in names.items() if name not in given}
    return {name: kept(side, value) for name, value in left.items() if is_data(name, value)}


def compat_module(text: str) -> types.ModuleType:
    """The module beside the code, from its text: a new one for each snippet, it has a state."""
    module = types.ModuleType("_ms_compat")
    linecache.cache[BESIDE] = (len(text), None, text.splitlines(keepends=True), BESIDE)
    exec(compiled(text), module.__dict__)
    return module


@cache
def compiled(text: str) -> types.CodeType:
    return compile(text, BESIDE, "exec")


def is_data(name: str, value: Any) -> bool:
    """Whether a variable holds more than code."""
    is_code = isinstance(
        value, types.ModuleType | types.FunctionType | types.BuiltinFunctionType | type
    )
    return not name.startswith("_") and not is_code


def kept(side: Any, value: Any) -> Any:
    """A value as both sides write it; of layers and the like only that there is one."""
    if side.is_layer(value) or hasattr(value, "files"):  # the latter: arrays in a file
        return ("object",)
    if type(value).__name__ == "device":
        return ("str", str(value))  # MindSpore has names of devices
    if side.is_tensor(value) and np.prod(tuple(value.shape)) > BIG:
        return ("object",)
    return plain(side, value)


def outcome(side: Any, row: dict[str, Any], states: list) -> tuple[str, Any]:
    try:
        signal.alarm(SECONDS)
        with contextlib.redirect_stdout(io.StringIO()):
            return "value", variables(side, row, states)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        lines = str(error).strip().splitlines() or [""]
        return "error", f"{type(error).__name__}: {lines[0][:300]}"
    finally:
        signal.alarm(0)


def main(name: str, rows_file: str, states_file: str, results_file: str) -> None:
    rows = json.loads(Path(rows_file).read_text())
    side = side_of(name)
    states = {} if name == "torch" else dict(read(states_file))

    def work(rest: list[dict[str, Any]]) -> None:
        with open(results_file, "ab") as results, open(states_file, "ab") as kept:
            run_rows(side, rest, states, (results, kept))

    in_forks(rows, results_file, work)


def run_rows(side: Any, rows: list[dict], states: dict, files: tuple[Any, Any]) -> None:
    """Appends what the rows leave behind to the file of results, for PyTorch the parameters too."""
    results, file = files
    signal.signal(signal.SIGALRM, too_slow)
    for row in rows:
        own: list = list(states.get(row["id"], []))
        found = outcome(side, row, own)
        write(results, (row["id"], found))
        if type(side) is First:
            write(file, (row["id"], own))
        elif found[0] == "error" and "grad(" in row["code"] and isinstance(side, Other):
            return  # MindSpore goes on recording: the next process does the rest


if __name__ == "__main__":
    main(*sys.argv[1:])
