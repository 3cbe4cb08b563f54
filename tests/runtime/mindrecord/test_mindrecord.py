"""MindRecord files: what either side writes, both read; damaged ones are refused."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime.dataset as ds
from msconvert.errors import MsconvertError
from msconvert.formats.records import messagepack
from msconvert.formats.records.fields import pack, unpack
from msconvert.formats.records.mindrecord import MindRecord
from msconvert.formats.records.tfrecord import masked
from msconvert.runtime import mindrecord
from msconvert.tests.runtime.mindrecord import record_program

PROGRAM = str(Path(record_program.__file__))


@pytest.fixture(scope="module")
def told(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """What each side reads of the files that each side has written."""
    found = {}
    for writer in ("mindspore", "msconvert.runtime"):
        folder = tmp_path_factory.mktemp("records")
        if writer == "mindspore":
            run_mindspore(folder, PROGRAM, writer, "write", str(folder))
        else:
            record_program.main(writer, "write", str(folder))
        run_mindspore(folder, PROGRAM, "mindspore", "read", str(folder))
        record_program.main("msconvert.runtime", "read", str(folder))
        for reader in ("mindspore", "msconvert.runtime"):
            found[f"{writer} {reader}"] = json.loads((folder / f"{reader}.json").read_text())
    return found


@pytest.mark.parametrize("part", [*record_program.FILES, "some", "fields", "categories", "page"])
@pytest.mark.parametrize("sides", ["mindspore", "msconvert.runtime"])
def test_both_read_the_same(part: str, sides: str, told: dict[str, dict[str, Any]]) -> None:
    expected = told["mindspore mindspore"][part]
    assert told[f"{sides} msconvert.runtime"][part] == expected
    assert told[f"{sides} mindspore"][part] == expected


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tmp_path_factory.mktemp("own")
    record_program.write(mindrecord, found)
    return found


def test_a_file_takes_no_more_room_than_its_rows(folder: Path) -> None:
    assert (folder / "all").stat().st_size > 40 << 20
    assert (folder / "all").stat().st_blocks * 512 < 1 << 20


def test_nothing_else_is_left(folder: Path) -> None:
    assert not list(folder.glob("*.partial*"))


def test_a_writer_that_is_dropped_leaves_nothing(tmp_path: Path) -> None:
    writer = mindrecord.FileWriter(str(tmp_path / "x"))
    writer.add_schema({"k": {"type": "int32"}})
    writer.write_raw_data([{"k": 1}])
    del writer
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [1, 3, 7, 50])
def test_rows_are_added(count: int, folder: Path, tmp_path: Path) -> None:
    shutil.copy(folder / "only_bytes", tmp_path / "only_bytes")
    writer = mindrecord.FileWriter.open_for_append(str(tmp_path / "only_bytes"))
    writer.write_raw_data([{"k": n, "blob": b"new"} for n in range(count)])
    writer.commit()
    rows = list(mindrecord.FileReader(str(tmp_path / "only_bytes")).get_next())
    assert [row["k"] for row in rows] == [0, 1, 2, *range(count)]


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"k": "1"},
        {"k": 1.5},
        {"k": 1, "a": [1, 2]},
        {"k": 1, "a": np.zeros(2, np.int64)},
        {"k": 1, "a": np.zeros(3, np.int32)},
        {"k": 1, "a": 5},
        {"k": 1 << 31, "a": np.zeros(2, np.int32)},
    ],
)
def test_rows_that_do_not_fit_are_left_out(row: dict[str, Any], tmp_path: Path) -> None:
    writer = mindrecord.FileWriter(str(tmp_path / "x"))
    writer.add_schema({"k": {"type": "int32"}, "a": {"type": "int32", "shape": [2]}})
    good = {"k": 1, "a": np.zeros(2, np.int32)}
    writer.write_raw_data([good, row, good])
    writer.commit()
    assert mindrecord.FileReader(str(tmp_path / "x")).len() == 2


@pytest.mark.parametrize(
    "schema",
    [
        *({}, 5, {"a b": {"type": "int32"}}, {"a": {}}, {"a": {"type": "int7"}}, {"a": "int32"}),
        *({"a": {"type": "bytes", "shape": [1]}}, {"a": {"type": "int32", "shape": 3}}),
    ],
)
def test_a_schema_that_is_none_is_refused(schema: Any, tmp_path: Path) -> None:
    with pytest.raises(mindrecord.MRMInvalidSchemaError):
        mindrecord.FileWriter(str(tmp_path / "x")).add_schema(schema)


KILLED = """
import os, sys
import msconvert.runtime.mindrecord as records

last, folder, words = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
left = [last]

def counted(rename):
    def renamed(*paths, **options):
        if left[0] == 0:
            os._exit(9)
        left[0] -= 1
        rename(*paths, **options)
    return renamed

for word in words:
    writer = records.FileWriter(f"{folder}/{word.split('=')[0]}", 2, True)
    writer.add_schema({"word": {"type": "string"}})
    writer.write_raw_data([{"word": word}] * 6)
    if word == words[-1]:
        os.rename, os.replace = counted(os.rename), counted(os.replace)
    writer.commit()
"""


RENAMES = 9
"""Of two files and their indexes, each with the name under which it waits; of the journal."""


@pytest.mark.parametrize("last", [0, *range(4, RENAMES + 1)])
def test_files_of_a_set_are_replaced_all_or_none_even_when_killed(
    last: int, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", KILLED, str(last), str(tmp_path), "x=old", "x=new"]
    killed = subprocess.run(command, check=False, timeout=900).returncode
    assert killed == (9 if last < RENAMES else 0)
    next_one = [sys.executable, "-c", KILLED, "999", str(tmp_path), "y=next"]
    subprocess.run(next_one, check=True, timeout=900)
    rows = list(mindrecord.FileReader([str(tmp_path / f"x{n}") for n in (0, 1)]).get_next())
    assert rows in ([{"word": "x=old"}] * 6, [{"word": "x=new"}] * 6)
    if last == RENAMES:
        assert rows[0]["word"] == "x=new"
    hidden = [path.name for path in tmp_path.iterdir() if path.name.startswith(".msconvert")]
    assert hidden == []


def test_errors_have_the_classes_of_mindspores(tmp_path: Path) -> None:
    def writer() -> mindrecord.FileWriter:
        return mindrecord.FileWriter(str(tmp_path / "x"))

    with pytest.raises(mindrecord.MRMGetMetaError, match="add_schema first"):
        writer().add_index(["a"])
    for call in (lambda: writer().write_raw_data([{"a": 1}]), lambda: writer().commit()):
        with pytest.raises(RuntimeError, match="there is no schema"):
            call()
    with pytest.raises(RuntimeError, match="cannot be opened"):
        mindrecord.FileReader(str(tmp_path / "nothing"))
    described = writer()
    described.add_schema({"a": {"type": "int32"}})
    with pytest.raises(RuntimeError, match="no field to search for"):
        described.add_index(["b"])
    with pytest.raises(mindrecord.MRMAddSchemaError):
        described.add_schema({"a": {"type": "int32"}})


@pytest.mark.parametrize("name", ["", None, 5, "a/", "a:b", "a*", " a", "a|b"])
def test_a_name_that_is_none_is_refused(name: Any) -> None:
    with pytest.raises(mindrecord.ParamValueError):
        mindrecord.FileWriter(name)


@pytest.mark.parametrize("cut", [0, 1, 7, 8, 100, 16384, 16385, 32767, 32768, 33000, -1, -5000])
def test_what_is_cut_off_is_refused(cut: int, folder: Path, tmp_path: Path) -> None:
    data = (folder / "large").read_bytes()
    (tmp_path / "x").write_bytes(data[:cut])
    with pytest.raises(MsconvertError) as refused:
        MindRecord(str(tmp_path / "x"))
    assert refused.value.code == "MS302"


@pytest.mark.parametrize(
    "change",
    [
        {"header_size": 1 << 60},
        {"header_size": 16},
        {"page_size": 0},
        {"page_size": "large"},
        {"page": [{"page_id": -1}]},
        {"page": 5},
        {
            "page": [
                {"page_id": 1 << 60, "page_type_id": 0, "page_size": 8, "page_type": "RAW_DATA"}
            ]
        },
        {"schema": []},
        {"schema": [{"schema": {"k": {"type": "object"}}, "blob_fields": []}]},
        {"schema": [{"schema": {"k": {"type": "int32"}}, "blob_fields": ["z"]}]},
    ],
)
def test_a_header_that_lies_is_refused(
    change: dict[str, Any], folder: Path, tmp_path: Path
) -> None:
    data = bytearray((folder / "large").read_bytes())
    length = struct.unpack("<Q", data[:8])[0]
    text = json.dumps(json.loads(data[8 : 8 + length]) | change).encode()
    data[: 8 + len(text)] = struct.pack("<Q", len(text)) + text
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(MsconvertError) as refused:
        MindRecord(str(tmp_path / "x"))
    assert refused.value.code == "MS302"


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_end_in_rows_or_ms302(seed: int, folder: Path, tmp_path: Path) -> None:
    source = np.random.RandomState(seed)
    data = bytearray((folder / "large").read_bytes())
    places = source.randint(0, 1500 if seed % 2 else len(data), 20)
    for place in places:
        data[place] = source.randint(256)
    (tmp_path / "x").write_bytes(data)
    told = "MS302"
    try:
        file = MindRecord(str(tmp_path / "x"))
        for number in range(len(file)):
            file.row(number)
    except MsconvertError as error:
        told = error.code
    assert told == "MS302"


@pytest.mark.parametrize("files", ["nothing", ["large", "nothing"], "/", 5])
def test_files_that_are_not_there(files: Any, folder: Path) -> None:
    where = [str(folder / f) for f in files] if isinstance(files, list) else files
    where = str(folder / where) if isinstance(where, str) else where
    with pytest.raises((ValueError, RuntimeError, TypeError), match="MS3"):
        ds.MindDataset(where)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 1000])
@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_packed_numbers_come_back(count: int, kind: str) -> None:
    limits = np.iinfo(kind)
    shifts = np.random.RandomState(count).randint(0, limits.bits, count)
    wide = np.random.RandomState(count).randint(limits.min, limits.max, count, np.int64)
    numbers = (wide >> shifts).astype(kind)
    assert np.array_equal(unpack("x", pack(numbers), kind), numbers)


@pytest.mark.parametrize(
    "values",
    [{}, {"a": None}, {"a": True, "b": False}, {"a": 1e308, "b": 0.5, "c": -0.1}]
    + [{"a": n} for n in (0, 127, 128, 255, 256, 65535, 65536, 2**32, 2**64 - 1)]
    + [{"a": -n} for n in (1, 32, 33, 128, 129, 32769, 2**31 + 1, 2**63)]
    + [{"a": "ü" * n} for n in (0, 15, 16, 200, 40000)]
    + [{f"k{n}": n for n in range(40)}],
)
def test_message_pack_comes_back(values: dict[str, Any]) -> None:
    assert messagepack.unpacked(messagepack.packed(values)) == values


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\x81", b"\x81\xa1a", b"\x81\xa1a\xcb\0", b"\x81\x01\x01", b"\x80\x80"),
        *(b"\x81\xa1a\xdb\xff\xff\xff\xff", b"\x81\xa1\xff\x01", b"\x81\xa1a\xc1", b"\xde"),
    ],
)
def test_what_is_no_message_pack_is_refused(data: bytes) -> None:
    with pytest.raises(messagepack.PackError):
        messagepack.unpacked(data)


def test_a_row_larger_than_a_page_is_refused(tmp_path: Path) -> None:
    writer = mindrecord.FileWriter(str(tmp_path / "x"))
    writer.set_page_size(1 << 15)
    writer.add_schema({"blob": {"type": "bytes"}, "k": {"type": "int32"}})
    with pytest.raises(MsconvertError, match="MS305"):
        writer.write_raw_data([{"blob": bytes(1 << 15), "k": 1}])


def test_conversions(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b,c\n1,x,2.5\n2,y,3\n")
    mindrecord.CsvToMR(str(table), str(tmp_path / "t")).transform()
    rows = list(mindrecord.FileReader(str(tmp_path / "t")).get_next())
    assert rows == [{"a": 1, "b": "x", "c": 2.5}, {"a": 2, "b": "y", "c": 3.0}]
    os.mkdir(tmp_path / "red")
    (tmp_path / "red" / "1.jpg").write_bytes(b"jpeg")
    (tmp_path / "map").write_text("red 3\n")
    target = str(tmp_path / "images")
    mindrecord.ImageNetToMR(str(tmp_path / "map"), str(tmp_path), target).transform()
    rows = list(mindrecord.FileReader(target).get_next())
    assert rows == [{"file_name": "1.jpg", "label": 3, "image": b"jpeg"}]


@dataclass
class Feature:
    """What `tf.io.FixedLenFeature` holds."""

    shape: list[int]
    dtype: Any
    default_value: Any = None


FEATURES = {"name": Feature([], "string"), "x/raw": Feature([], "string")}
FEATURES |= {"n": Feature([], "int64"), "v": Feature([3], "float32"), "w": Feature([2], "int64")}


def packed_example(**lists: Any) -> bytes:
    """An Example, written by hand: lists of bytes (1), floats (2) and ints (3)."""

    def field(number: int, content: bytes) -> bytes:
        return bytes([number << 3 | 2, len(content)]) + content

    entries = b""
    for key, values in lists.items():
        if isinstance(values[0], bytes):
            found = field(1, b"".join(field(1, value) for value in values))
        elif isinstance(values[0], float):
            found = field(2, field(1, np.asarray(values, "<f4").tobytes()))
        else:
            found = field(3, field(1, bytes(values)))
        entries += field(1, field(1, key.replace("__", "/").encode()) + field(2, found))
    return field(1, entries)


def tfrecords(path: Path, *examples: bytes) -> str:
    with path.open("wb") as file:
        for data in examples:
            head = struct.pack("<Q", len(data))
            file.write(
                head + struct.pack("<I", masked(head)) + data + struct.pack("<I", masked(data))
            )
    return str(path)


def test_a_tfrecord_file_becomes_mindrecord(tmp_path: Path) -> None:
    wanted = [
        {"name": f"row {n}", "x_raw": bytes([255, n]), "n": n, "v": [n, 0.5, 2], "w": [n, 7]}
        for n in range(3)
    ]
    rows = [
        packed_example(
            name=[row["name"].encode()],
            x__raw=[row["x_raw"]],
            n=[n],
            v=[float(n), 0.5, 2.0],
            w=[n, 7],
        )
        for n, row in enumerate(wanted)
    ]
    source, target = tfrecords(tmp_path / "rows.tfrecord", *rows), str(tmp_path / "rows")
    mindrecord.TFRecordToMR(source, target, FEATURES, ["x/raw"]).transform()
    found = list(mindrecord.FileReader(target).get_next())
    assert [{k: np.asarray(v).tolist() for k, v in row.items()} for row in found] == [
        {k: np.asarray(v).tolist() for k, v in row.items()} for row in wanted
    ]
    read = ds.TFRecordDataset(source, shuffle=False).create_dict_iterator(output_numpy=True)
    assert [row["v"].tolist() for row in read] == [row["v"].tolist() for row in found]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"n": [1, 2]}, "another length"),
        ({"n": [b"x"]}, "another type"),
        ({"name": [1]}, "another type"),
        ({"name": [b"\xff"]}, "not UTF-8"),
        ({"v": [1.0]}, "another length"),
    ],
)
def test_a_record_that_does_not_fit_is_told(changed: Any, told: str, tmp_path: Path) -> None:
    row = {"name": [b"a"], "x__raw": [b"b"], "n": [1], "v": [1.0, 2.0, 3.0], "w": [1, 2]} | changed
    source = tfrecords(tmp_path / "rows.tfrecord", packed_example(**row))
    with pytest.raises(RuntimeError, match=f"MS314 TFRecordToMR: .*{told}"):
        mindrecord.TFRecordToMR(source, str(tmp_path / "rows"), FEATURES, ["x/raw"]).transform()
    assert not (tmp_path / "rows").exists()


@pytest.mark.parametrize(
    ("features", "chosen"),
    [
        ({"a": Feature([2, 2], "int64")}, None),
        ({"a": Feature([2], "string")}, None),
        ({"a": Feature([], "complex64")}, None),
        ({"a": 5}, None),
        ({"a": Feature([], "int64")}, ["a"]),
        ({"a": Feature([], "int64")}, ["b"]),
    ],
)
def test_features_that_are_no_fields_are_refused(features: Any, chosen: Any) -> None:
    with pytest.raises(ValueError, match="MS304 TFRecordToMR"):
        mindrecord.TFRecordToMR("source", "target", features, chosen)


LABELS = [2, 0, 1, 0, 0, 2, 1, 2, 2, 0, 1, 5, 0, 2, 10]


@pytest.fixture
def labelled(tmp_path: Path) -> str:
    path = str(tmp_path / "labelled.mindrecord")
    writer = mindrecord.FileWriter(path)
    writer.add_schema({"label": {"type": "int32"}, "n": {"type": "int32"}, "x": {"type": "bytes"}})
    rows = [{"label": label, "n": n, "x": b"x"} for n, label in enumerate(LABELS)]
    writer.write_raw_data(rows)
    writer.commit()
    return path


@pytest.mark.parametrize("shuffle", [False, True])
def test_so_many_rows_of_each_class(shuffle: bool, labelled: str) -> None:
    """Classes in the order of their text, as MindSpore has them; its rows are always the first."""
    data = ds.MindDataset(labelled, sampler=ds.PKSampler(3, shuffle=shuffle))
    assert data.get_dataset_size() == 3 * len(set(LABELS))
    orders = set()
    for _ in range(4):
        rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
        assert all(LABELS[int(row["n"])] == row["label"] for row in rows)
        found = [int(row["label"]) for row in rows]
        assert found == [label for label in found[::3] for _ in range(3)]
        orders.add(tuple(found[::3]))
    assert orders == {(0, 1, 10, 2, 5)} or shuffle
    assert {len(set(order)) for order in orders} == {5}


@pytest.mark.parametrize("column", ["x", "none"])
def test_a_class_without_an_index_is_refused(column: str, labelled: str) -> None:
    data = ds.MindDataset(labelled, ["n"], sampler=ds.PKSampler(2, class_column=column))
    with pytest.raises(RuntimeError, match=rf"no field with an index[^$]*{column}[^$]*label"):
        list(data)
