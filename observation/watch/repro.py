"""A finding to be looked at by itself: the arrays that went in, and five lines that show it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from ...formats.storage.atomic import whole_or_none
from ...runtime.engine.observation import Arrays, Called
from .finding import Finding

SCRIPT = '''"""{title}"""
import numpy as np, msconvert.runtime as ms
from msconvert.runtime.engine.primitive import REGISTRY
values = np.load({file!r})
given = [ms.Tensor(values[name]) if name else None for name in {names!r}]
print("in:", *[v for v in given if v is not None], "out:", REGISTRY[{op!r}](*given, **{attrs!r}))
'''


def write_repro(folder: Path, found: Finding, call: Called | None, inputs: Arrays) -> str:
    """Writes the .npz, and the script if there is a call; gives the path of what to run.

    Raises: OSError, and leaves no file that is not whole
    """
    folder.mkdir(parents=True, exist_ok=True)
    layer = re.sub(r"[^\w.-]+", "_", found.layer)[:60]
    stem = f"{found.condition}_step{found.step}_{layer}"
    arrays = {f"layer_input{k}": x for k, x in enumerate(inputs) if x is not None}
    operands = call.inputs if call is not None else ()
    names = ["" if x is None else f"operand{k}" for k, x in enumerate(operands)]
    arrays |= {name: x for name, x in zip(names, operands, strict=True) if x is not None}
    file = folder / f"{stem}.npz"
    stored: Any = {name: storable(x) for name, x in arrays.items()}
    whole_or_none(file, lambda: np.savez(file, **stored))
    if call is None:
        return str(file)
    title = f"{found.condition} in {found.layer}, step {found.step}: {found.problem}"
    script = folder / f"{stem}.py"
    text = SCRIPT.format(
        title=title, file=str(file), names=names, op=call.op, attrs=dict(call.attrs)
    )
    whole_or_none(script, lambda: script.write_text(text, encoding="utf-8"))
    return str(script)


def storable(array: np.ndarray) -> np.ndarray:
    """bfloat16 is no element type of NumPy's files."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array
