"""Runs the examples of the table: PyTorch on the left, MindSpore's API twice on the right.

python -m msconvert.tests.api_mapping.verification torch.nn.functional.
    prints what is not equal, of the rows whose names begin so; -v prints every example
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from msconvert.api_mapping.reference.examples import Example, examples
from msconvert.api_mapping.table.argument import Refusal
from msconvert.tests.api_mapping import two_sides
from msconvert.tests.api_mapping.inputs import INPUTS

RTOL, ATOL = {"float16": 4e-3, "bfloat16": 2e-2, "complex64": 1e-3}, 1e-5


NOT_RUN = "not run"
NOT_THERE = (
    "AttributeError: module 'msconvert.runtime.dataset' has no attribute",
    "NameError: name 'ds' is not defined",  # mindspore.dataset
    "MissingNameError: MS301 mindspore.profiler",
    "MissingNameError: MS301 mindspore.utils",
    "MissingNameError: MS301 mint.distributed",
)
"""What the bundled runtime says of modules that it lacks as a whole."""

WITHOUT_TORCHVISION = (
    "NameError: name 'torchvision' is not defined",
    "NameError: name 'einops' is not defined",
    "NameError: name 'transforms' is not defined",
    "ModuleNotFoundError: No module named 'PIL'",
)


@dataclass(frozen=True)
class Outcome:
    """What a side made of an example: "" if it is equal to PyTorch, or what is wrong."""

    example: Example
    runtime: str
    mindspore: str

    @property
    def is_wrong(self) -> bool:
        return not {self.runtime, self.mindspore} <= {"", NOT_RUN}


def verify(chosen: Sequence[Example], mindspore: Path | None) -> list[Outcome]:
    """Every example on all sides, PyTorch first; without `mindspore`, that side is "not run"."""
    with tempfile.TemporaryDirectory() as folder:
        return verify_in(Path(folder), chosen, mindspore)


def verify_in(folder: Path, chosen: Sequence[Example], mindspore: Path | None) -> list[Outcome]:
    np.savez(folder / "inputs.npz", **INPUTS)
    refused, rows = {}, []
    for example in chosen:
        try:
            rows.append((example, example.converted))
        except Refusal as refusal:
            refused[example.id] = f"refused: {refusal}"
    left = run_side(folder, "torch", [row(e, e.code) for e, _ in rows], Path(sys.executable))
    converted = [row(e, code) for e, code in rows]
    runtime = run_side(folder, "msconvert.runtime", converted, Path(sys.executable))
    real = run_side(folder, "mindspore", converted, mindspore) if mindspore else {}
    outcomes = []
    for example in chosen:
        sides = [
            refused.get(example.id) or difference(example, left, right) for right in (runtime, real)
        ]
        outcomes.append(Outcome(example, *sides))
    return outcomes


def row(example: Example, code: str) -> dict[str, Any]:
    return {
        "id": example.id,
        "code": code,
        "state": {} if example.mint else dict(example.rule.state),
    }


def run_side(folder: Path, side: str, rows: list[dict[str, Any]], python: Path) -> dict[str, Any]:
    """What each row gives; a row that ends its process is an error, the rest goes on."""
    name = side.rpartition(".")[2]
    rows_file, results = folder / f"{name}.json", folder / f"{name}.pickle"
    rows_file.write_text(json.dumps(rows))
    files = [rows_file, folder / "inputs.npz", folder / "states.pickle", results]
    command = [str(python), two_sides.__file__, side, *map(str, files)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    environment["TORCH_COMPILE_DISABLE"] = "1"  # torchvision compiles some, for half a minute
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return dict(two_sides.read(str(results)))


def difference(example: Example, left: dict[str, Any], right: dict[str, Any]) -> str:
    if example.id not in right:
        return NOT_RUN
    (said, value), (found, other) = left[example.id], right[example.id]
    if found == "error" and other.startswith(NOT_THERE):
        return NOT_RUN
    if example.rule.check == "alone":
        return other if found == "error" else ""
    if said == "error" and value in WITHOUT_TORCHVISION:
        return NOT_RUN
    if said == "error":
        return f"PyTorch refuses the example: {value}"
    if found == "error":
        return other
    if example.rule.check == "runs":
        return ""
    if value[1] != other[1]:
        return f"printed {other[1]!r}, PyTorch {value[1]!r}"
    if example.rule.name.startswith("torchvision.transforms."):
        value, other = as_arrays(value), as_arrays(other)
    return unequal(value[0], other[0], exactly=example.rule.check == "value")


def as_arrays(value: Any) -> Any:
    """Tensors as the arrays that MindSpore's transformations of images give in their place."""
    if isinstance(value, tuple | list) and value and isinstance(value[0], str):
        head = "array" if value[0] == "tensor" else value[0]
        return head, *(as_arrays(v) for v in value[1:])
    return type(value)(map(as_arrays, value)) if isinstance(value, tuple | list) else value


def unequal(left: Any, right: Any, *, exactly: bool) -> str:
    """Where two values part, "" if nowhere."""
    if left[0] == "sequence" == right[0]:
        if len(left[1]) != len(right[1]):
            return f"{len(right[1])} values, PyTorch {len(left[1])}"
        found = [unequal(a, b, exactly=exactly) for a, b in zip(left[1], right[1], strict=True)]
        return "; ".join(f"[{n}] {text}" for n, text in enumerate(found) if text)
    if left[0] == "dict" == right[0] and left[1].keys() == right[1].keys():
        return "; ".join(
            text for k in left[1] if (text := unequal(left[1][k], right[1][k], exactly=exactly))
        )
    if left[0] == right[0] in ("tensor", "array"):
        return unequal_arrays(left[1:], right[1:], exactly=exactly)
    same = left == right or (left[0] == right[0] == "float" and np.isclose(left[1], right[1]))
    return "" if same else f"{right}, PyTorch {left}"[:300]


def unequal_arrays(left: Any, right: Any, *, exactly: bool) -> str:
    (dtype, a), (other, b) = left, right
    if dtype != other or a.shape != b.shape:
        return f"{other}{list(b.shape)}, PyTorch {dtype}{list(a.shape)}"
    if not exactly:
        return ""
    rtol = RTOL.get(dtype, 1e-4)
    if a.dtype.kind in "fc":
        same = np.allclose(a, b, rtol, max(ATOL, rtol / 10), equal_nan=True)
    else:
        same = np.array_equal(a, b)
    return "" if same else f"values {b.ravel()[:4]}, PyTorch {a.ravel()[:4]}"


def mindspore_python() -> Path | None:
    """Where tests/make_mindspore_env.sh has put the real MindSpore."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    prepared = cache / "msconvert" / "mindspore-2.10.0" / "bin" / "python"
    python = Path(os.environ.get("MSCONVERT_MINDSPORE_PYTHON") or prepared)
    return python if python.exists() else None


def main(arguments: Sequence[str]) -> None:
    prefixes = [a for a in arguments if not a.startswith("-")] or [""]
    chosen = [example for prefix in prefixes for example in examples(prefix)]
    outcomes = verify(chosen, mindspore_python())
    for outcome in outcomes:
        if "-v" in arguments or outcome.is_wrong:
            show(outcome)
    equal = [o for o in outcomes if not o.is_wrong]
    print(f"{len(equal)} of {len(outcomes)} examples equal on both")


def show(outcome: Outcome) -> None:
    try:
        converted = outcome.example.converted.replace("\n", "; ")
    except Refusal:
        converted = "-"
    print(f"{outcome.example.rule.name} [{outcome.example.rule.verdict}]")
    print(f"    {outcome.example.code}\n    {converted}")
    print(f"    runtime: {outcome.runtime or 'equal'}   mindspore: {outcome.mindspore or 'equal'}")


if __name__ == "__main__":
    main(sys.argv[1:])
