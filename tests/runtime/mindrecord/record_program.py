"""Writes MindRecord files, or tells what is in them, with MindSpore or with the runtime.

python record_program.py PACKAGE write|read FOLDER
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

FILES = ("all", "two0", "small", "packed", "large", "only_bytes")


def write(records: Any, folder: Path) -> None:
    def written(name: str, schema: dict[str, Any], parts: Any, **options: Any) -> None:
        index = options.pop("index", None)
        writer = records.FileWriter(str(folder / name), options.pop("shards", 1), True)
        for setting, value in options.items():
            getattr(writer, setting)(value)
        writer.add_schema(schema, "described")
        if index:
            writer.add_index(index)
        for rows in parts:
            writer.write_raw_data(rows)
        writer.commit()

    kinds = {"name": "string", "label": "int32", "x": "float32", "b": "int64", "d": "float64"}
    schema: dict[str, Any] = {name: {"type": kind} for name, kind in kinds.items()}
    schema |= {"image": {"type": "bytes"}, "ids": {"type": "int64", "shape": [-1]}}
    schema |= {"f": {"type": "float32", "shape": [2, 2]}}
    schema |= {"g": {"type": "float64", "shape": [3]}}
    numbers = np.arange(9) * 7919 - 20000
    rows = [
        {
            "name": f"n{n}" + "ü" * n * 20,
            "label": n - 3,
            "x": n * 0.1,
            "b": (-1) ** n << 5 * n,
            "d": n / 3,
            "image": bytes(range(n + 1)) + b"\0" * n,
            "ids": numbers[: n + 1] * 10 ** (n % 5),
            "f": np.full((2, 2), n / 7, np.float32),
            "g": np.arange(3) / 3,
        }
        for n in range(9)
    ]
    written("all", schema, [rows[:4], rows[4:]], index=["label", "name"])
    two = {"label": {"type": "int32"}, "image": {"type": "bytes"}}
    written("two", two, [[{"label": n, "image": bytes([n] * 5)} for n in range(7)]], shards=2)
    written("small", {"label": {"type": "int64"}}, [[{"label": n << n} for n in range(57)]])
    packed = {"ids": {"type": "int32", "shape": [4]}, "k": {"type": "int64"}}
    ends = [127, 128, -128, -129, 32767, 32768, -32768, -32769, 2**31 - 1, -(2**31), 0, 1]
    ids = [{"k": n, "ids": np.roll(np.array(ends, np.int32), n)[:4]} for n in range(12)]
    written("packed", packed, [ids])
    large = {"k": {"type": "int64"}, "blob": {"type": "bytes"}}
    blobs = [{"k": n, "blob": bytes([n]) * 9000} for n in range(40)]
    written("large", large, [blobs], set_page_size=1 << 15, set_header_size=1 << 15)
    written("only_bytes", {"blob": {"type": "bytes"}, "k": {"type": "int32"}}, [blobs[:3]])


def told(value: Any) -> Any:
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if hasattr(value, "tolist"):
        return [str(value.dtype), list(value.shape), str(value.tolist())]
    return value


def read(records: Any, ds: Any, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in FILES:
        reader = records.FileReader(str(folder / name))
        rows = [{k: told(v) for k, v in sorted(row.items())} for row in reader.get_next()]
        schema = {k: reader.schema()[k] for k in sorted(reader.schema())}
        found[name] = [reader.len(), schema, rows]
        reader.close()
        data = ds.MindDataset(str(folder / name), shuffle=False)
        every = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        found[name] += [data.get_col_names(), len(data), [[told(v) for v in r] for r in every]]
    some = records.FileReader(str(folder / "all"), columns=["label", "image"])
    found["some"] = [{k: told(v) for k, v in sorted(row.items())} for row in some.get_next()]
    page = records.MindPage(str(folder / "all"))
    found["fields"] = page.candidate_fields
    page.category_field = "label"
    found["categories"] = json.loads(page.read_category_info())
    found["page"] = [
        [{k: told(v) for k, v in sorted(row.items())} for row in rows]
        for rows in (page.read_at_page_by_id(1, 0, 5), page.read_at_page_by_name("2", 0, 1))
    ]
    return found


def main(package: str, what: str, folder: str) -> None:
    records = importlib.import_module(f"{package}.mindrecord")
    if what == "write":
        write(records, Path(folder))
        return
    found = read(records, importlib.import_module(f"{package}.dataset"), Path(folder))
    Path(folder, f"{package}.json").write_text(json.dumps(found, sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
