"""Writes pipelines as JSON with MindSpore or the runtime, and reads what the other one wrote.

    python serialization_runner.py PACKAGE ROWS WRITTEN [OTHERS READ]

ROWS is a JSON list of expressions, WRITTEN and OTHERS dictionaries of their pipelines, READ what
they are once they were read and written again, or the name of an error. In the folder that it runs
in are the files of `files`.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def files(folder: Path) -> None:
    """The data that the rows name."""
    (folder / "lines.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (folder / "table.csv").write_text("1,2.5,x\n3,4.5,y\n", encoding="utf-8")
    for number in range(6):
        place = folder / "images" / f"c{number % 2}"
        place.mkdir(parents=True, exist_ok=True)
        image = np.full((4, 5, 3), number * 9, np.uint8)
        header = b"P6 5 4 255\n"
        (place / f"{number}.ppm").write_bytes(header + image.tobytes())
    counts = np.array([2051, 6, 28, 28], ">u4").tobytes(), np.array([2049, 6], ">u4").tobytes()
    digits = folder / "digits"
    digits.mkdir(exist_ok=True)
    (digits / "train-images-idx3-ubyte").write_bytes(counts[0] + bytes(6 * 784))
    (digits / "train-labels-idx1-ubyte").write_bytes(counts[1] + bytes(range(6)))


def main(package: str, rows: str, written: str, *others: str) -> None:
    ms = importlib.import_module(package)
    ds = importlib.import_module(f"{package}.dataset")
    names = {"ds": ds, "ms": ms, "V": ds.vision, "T": ds.transforms, "np": np}
    names["I"] = lambda **given: ds.ImageFolderDataset("images", **given)
    ds.config.set_num_parallel_workers(2)
    found: dict[str, Any] = {}
    for code in json.loads(Path(rows).read_text(encoding="utf-8")):
        found[code] = ds.serialize(eval(code, names))
    Path(written).write_text(json.dumps(found), encoding="utf-8")
    if others:
        there = json.loads(Path(others[0]).read_text(encoding="utf-8"))
        again = {code: read(ds, pipeline) for code, pipeline in there.items()}
        Path(others[1]).write_text(json.dumps(again), encoding="utf-8")


def read(ds: Any, pipeline: dict[str, Any]) -> Any:
    try:
        return ds.serialize(ds.deserialize(pipeline))
    except (RuntimeError, ValueError, TypeError) as error:
        return type(error).__name__


if __name__ == "__main__":
    main(*sys.argv[1:])
