"""Runs the scripts of node cases with the framework that they import, many in one process.

    python node_runner.py FOLDER RESULTS.pickle

FOLDER has for each case NAME.py and NAME.npz: arrays arr_0, arr_1, ... and `kinds`, their element
types. Needs nothing but NumPy and the framework.
"""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np


def outputs_of(path: Path) -> list[Any]:
    """What the script computes; bfloat16 as float32, since NumPy does not know it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    ms = module.ms
    with np.load(path.with_suffix(".npz")) as arrays:
        kinds = [str(kind) for kind in arrays["kinds"]]
        inputs = [ms.Tensor(arrays[f"arr_{i}"]) for i in range(len(kinds))]
    narrow = zip(inputs, kinds, strict=True)
    inputs = [x.astype(ms.bfloat16) if kind == "bfloat16" else x for x, kind in narrow]
    results = module.load()(*inputs)
    tensors = results if isinstance(results, (tuple, list)) else (results,)
    return [array_of(tensor, ms) for tensor in tensors]


def array_of(tensor: Any, ms: Any) -> Any:
    wide = tensor.astype(ms.float32) if tensor.dtype == ms.bfloat16 else tensor
    return np.array(wide.asnumpy())


def main(folder: Path, results: Path) -> None:
    import mindspore as ms

    ms.runtime.launch_blocking()
    ms.ops.transpose(ms.ops.zeros((2, 2)), (1, 0))
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.npz")):
        try:
            found[path.stem] = outputs_of(path.with_suffix(".py"))
        except (TypeError, ValueError, RuntimeError, IndexError, AttributeError, KeyError) as error:
            found[path.stem] = f"{type(error).__name__}: {error}"[:300]
    results.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
