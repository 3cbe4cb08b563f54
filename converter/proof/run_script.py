"""Runs an emitted script in this process, which is one of its own.

A folder holds `inputs_0.npz`, `inputs_1.npz`, ...: arrays
`arr_0`, `arr_1`, ... in the order in which the network takes them. For each mode and each of
these files `outputs_MODE_I.npz` is written likewise. The script says which framework runs it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

MODES = ("pynative", "graph")


def stored(array: Any) -> np.ndarray[Any, Any]:
    """The array as .npz can hold it without pickle: text and small floats by their names."""
    plain: np.ndarray[Any, Any] = np.asarray(array)
    return plain.astype(str) if plain.dtype == object else plain


class Unkept(SourceFileLoader):
    """Compiles what it loads each time: the folder of a script holds what the user asked for.

    What the script imports is kept compiled, as ever.
    """

    def set_data(self, *_: Any, **__: Any) -> None:
        """Writes nothing."""


def opened_script(path: Path) -> ModuleType:
    """The script as a module; its folder is on the path, as when Python runs it."""
    sys.path.insert(0, str(path.parent))
    loader = Unkept(path.stem, str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path, loader=loader)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _write(path: Path, results: Any) -> None:
    tensors = results if isinstance(results, tuple | list) else (results,)
    arrays = [tensor.asnumpy() for tensor in tensors]
    dtypes = np.array([array.dtype.name for array in arrays], dtype=str)
    np.savez(path, *[stored(array) for array in arrays], dtypes=dtypes)


def run_script(script: Path, folder: Path, threads: int, modes: Sequence[str] = MODES) -> None:
    """Writes what the network of `script` gives for each of the inputs in `folder`."""
    os.chdir(script.parent)
    warnings.simplefilter("default")  # as in a fresh Python: the caller may have made them errors
    module = opened_script(script)
    ms = module.ms
    sessions = sys.modules.get("msconvert.runtime.engine.session")
    if sessions is not None:  # it is the bundled runtime; each graph runs once
        sessions.SPARING.append(True)
    network = module.load()
    for mode in modes:
        graph_or_not = ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE
        ms.set_context(mode=graph_or_not, runtime_num_threads=threads)
        for path in sorted(folder.glob("inputs_*.npz")):
            with np.load(path) as arrays:
                names = [str(name) for name in arrays["dtypes"]]
                inputs = [arrays[f"arr_{i}"] for i in range(len(names))]
            tensors = [ms.Tensor(restored(x, name)) for x, name in zip(inputs, names, strict=True)]
            results = network(*tensors)
            _write(folder / path.name.replace("inputs", f"outputs_{mode}"), results)
            if network.__dict__.get("_graphs") is not None:  # of one size, which has weights too
                network.__dict__["_graphs"] = None


def restored(array: np.ndarray[Any, Any], dtype: str) -> np.ndarray[Any, Any]:
    """The array of element type `dtype`, which .npz holds as bytes if NumPy does not know it."""
    if array.dtype.kind != "V":
        return array
    import ml_dtypes

    return array.view(np.dtype(getattr(ml_dtypes, dtype)))
