"""What a conversion writes, and how the files are called."""

from __future__ import annotations

import keyword
import re
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path

LONGEST = 80

LIBRARIES = frozenset(
    ("msconvert", "mindspore", "numpy", "onnx", "onnxruntime", "ml_dtypes", "torch", "google")
)
"""What scripts, or what they import, import: a script of such a name would stand in for it."""


@dataclass(frozen=True)
class Outputs:
    """The paths of everything that a conversion writes."""

    script: Path
    weights: Path
    weight_map: Path
    report_text: Path
    report_json: Path

    @classmethod
    def of(cls, model_file: Path, output: Path, report: Path, weights_format: str) -> Outputs:
        name = script_name(model_file.stem)
        return cls(
            output / f"{name}.py",
            output / f"{name}.{weights_format}",
            output / f"weight_map_of_{name}.json",
            report / f"report_of_{name}.txt",
            report / f"report_of_{name}.json",
        )

    def written(self, weights: bool) -> tuple[str, ...]:
        """The paths as text; without a weight file if there are no weights."""
        paths = [self.script, self.weights, self.weight_map, self.report_text, self.report_json]
        return tuple(str(p) for p in paths if weights or p != self.weights)


def script_name(stem: str) -> str:
    """A name that Python can import, from a model file's name without its ending.

    "resnet-50" -> "resnet_50", "über" -> "uber", "50" -> "net_50", "class" -> "class_model",
    "numpy" -> "numpy_model": a script numpy.py would hide NumPy from the Python that runs it.
    """
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    name = re.sub(r"\W+", "_", plain)[:LONGEST].strip("_") or "model"
    if name[0].isdigit():
        name = f"net_{name}"
    taken = keyword.iskeyword(name) or name in LIBRARIES or name in sys.stdlib_module_names
    return f"{name}_model" if taken else name
