"""Pipelines as JSON: what MindSpore writes, what it reads, and what cannot be read."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msconvert.runtime.dataset as ds
from msconvert.runtime.dataset import transforms, vision
from msconvert.tests.runtime.dataset import serialization_runner

BOTH = """
    I(shuffle=False)
    I(sampler=ds.RandomSampler())
    I(sampler=ds.RandomSampler(True, 7))
    I(sampler=ds.SequentialSampler(3, 2))
    I(sampler=[1, 5, 0])
    I(sampler=ds.PKSampler(2))
    I(sampler=ds.SubsetRandomSampler([3, 4]))
    I(sampler=ds.WeightedRandomSampler([0.1, 0.3] * 3, 3))
    I(sampler=ds.DistributedSampler(2, 0, False, 3, 1))
    I(num_shards=2, shard_id=1)
    I(num_samples=3, decode=True, extensions=[".ppm"], num_parallel_workers=1)
    I(shuffle=False).split([2, 4])[1]
    I(shuffle=False).skip(2).take(2).repeat(3)
    I(shuffle=False).shuffle(5).project(["label"])
    I(shuffle=False).rename(["label"], ["l"]).batch(2, True)
    I(shuffle=False).concat(I(shuffle=False))
    I(shuffle=False).zip(I().rename(["image", "label"], ["a", "b"]))
    I(shuffle=False).map(V.Decode(), ["image"], ["picture"])
    I(shuffle=False).map([V.Decode(), V.Resize((3, 4), V.Inter.CUBIC), V.Resize(7)], "image")
    I(shuffle=False).map([V.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.5], False)], "image")
    I(shuffle=False).map([V.HWC2CHW(), V.HorizontalFlip(), V.VerticalFlip()], "image")
    I(shuffle=False).map(V.RandomCrop(3, (1, 2, 3, 4), True, 7, V.Border.REFLECT), "image")
    I(shuffle=False).map([V.RandomHorizontalFlip(0.3), V.RandomVerticalFlip(0.1)], "image")
    I(shuffle=False).map(V.RandomCropDecodeResize((3, 4), (0.2, 0.9), (0.8, 1.2)), "image")
    I(shuffle=False).map(V.RandomResizedCrop(3, interpolation=V.Inter.AREA), "image")
    I(shuffle=False).map(V.RandomColorAdjust(0.4, (0.5, 1.2), 0.3, 0.1), "image")
    I(shuffle=False).map(V.RandomRotation((5, 10), V.Inter.BILINEAR, True, (1, 1), 3), "image")
    I(shuffle=False).map([V.Rotate(10.0), V.Crop((1, 2), 2), V.CenterCrop(2)], "image")
    I(shuffle=False).map([V.Pad(2, 3, V.Border.EDGE), V.GaussianBlur(3, 1.5)], "image")
    I(shuffle=False).map([V.AutoContrast(1.0, 3), V.Equalize(), V.Invert(), V.CutOut(3)], "image")
    I(shuffle=False).map([V.Rescale(0.5, 1.0), V.ToTensor(), V.ToType(np.float32)], "image")
    I(shuffle=False).map([T.TypeCast(ms.int32), T.OneHot(10, 0.1)], "label")
    ds.MnistDataset("digits", "train", shuffle=True)
    ds.CSVDataset("table.csv", column_names=["a", "b", "c"], shuffle=False)
    ds.TextFileDataset("lines.txt", num_samples=3, shuffle=ds.Shuffle.FILES)
    ds.TextFileDataset("lines.txt", num_shards=2, shard_id=1)
"""
HERE_ONLY = """
    I(shuffle=False).map([V.AdjustBrightness(0.5), V.AdjustHue(0.1), V.Posterize(3)], "image")
    I(shuffle=False).map([V.RandomEqualize(0.3), V.RandomInvert(), V.Solarize((3, 9))], "image")
    ds.FashionMnistDataset("digits", "train", num_samples=2)
    ds.KMnistDataset("digits", "train")
"""
"""What MindSpore writes, and does not read."""


def rows(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def pipelines(
    run_mindspore: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """By whom: pipelines as they were written, and once the other one has read them."""
    folder = tmp_path_factory.mktemp("serialization")
    serialization_runner.files(folder)
    (folder / "rows.json").write_text(json.dumps(rows(BOTH + HERE_ONLY)))
    runner = serialization_runner.__file__
    here = [sys.executable, runner, "msconvert.runtime", "rows.json", "here.json"]
    subprocess.run(here, cwd=folder, check=True, timeout=900)
    others = "here.json", "read_there.json"
    run_mindspore(folder, runner, "mindspore", "rows.json", "there.json", *others)
    subprocess.run([*here, "there.json", "read_here.json"], cwd=folder, check=True, timeout=900)
    names = "here", "there", "read_here", "read_there"
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in names}


@pytest.mark.parametrize("row", rows(BOTH + HERE_ONLY))
def test_a_pipeline_is_written_as_mindspore_writes_it(
    row: str, pipelines: dict[str, dict[str, Any]]
) -> None:
    assert pipelines["here"][row] == pipelines["there"][row]


@pytest.mark.parametrize("row", rows(BOTH + HERE_ONLY))
def test_what_mindspore_has_written_is_read(row: str, pipelines: dict[str, dict[str, Any]]) -> None:
    assert pipelines["read_here"][row] == pipelines["there"][row]


@pytest.mark.parametrize("row", rows(BOTH))
def test_mindspore_reads_what_is_written_here(
    row: str, pipelines: dict[str, dict[str, Any]]
) -> None:
    assert pipelines["read_there"][row] == pipelines["here"][row]


@pytest.mark.parametrize("row", rows(HERE_ONLY))
def test_mindspore_still_does_not_read_these(
    row: str, pipelines: dict[str, dict[str, Any]]
) -> None:
    assert pipelines["read_there"][row] == "RuntimeError"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    serialization_runner.files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def chain() -> ds.Dataset:
    data = ds.ImageFolderDataset("images", shuffle=True)
    data = data.map([vision.Decode(), vision.RandomCrop(3), vision.HWC2CHW()], "image")
    return data.map(transforms.TypeCast("float32"), "label").batch(2).repeat(2)


def values(data: Any) -> list[Any]:
    return [x for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True) for x in row]


@pytest.mark.parametrize("by_file", [True, False])
def test_what_was_written_gives_the_same_rows(by_file: bool, folder: Path) -> None:
    ds.config.set_seed(5)
    wanted = values(chain())
    found = ds.serialize(chain(), "pipeline.json" if by_file else "")
    again = ds.deserialize(
        **{"json_filepath": "pipeline.json"} if by_file else {"input_dict": found}
    )
    for one, other in zip(values(again), wanted, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    assert ds.compare(chain(), again)
    assert not ds.compare(chain(), chain().skip(1))
    assert ds.deserialize() is None


def test_defaults_of_a_table_are_kept(folder: Path) -> None:
    data = ds.CSVDataset("table.csv", ",", [1, 2.0, ""], ["a", "b", "c"], shuffle=False)
    assert values(ds.deserialize(ds.serialize(data)))[:3] == [1, 2.5, "x"]


def test_a_pipeline_is_shown_in_the_log(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "mindspore"):
        ds.show(chain(), indentation=4)
    assert '    "op_type": "Repeat"' in caplog.text


@pytest.mark.parametrize(
    "data",
    [
        lambda: ds.NumpySlicesDataset([1, 2]),
        lambda: ds.GeneratorDataset([(1,), (2,)], ["a"]).batch(2),
        lambda: ds.ImageFolderDataset("images").map(lambda x: x, "image"),
        lambda: ds.ImageFolderDataset("images").map(vision.Decode(to_pil=True), "image"),
        lambda: ds.ImageFolderDataset("images").filter(lambda x, y: y > 0),
        lambda: ds.ImageFolderDataset("images").batch(2, per_batch_map=lambda *x: x[:2]),
        lambda: ds.ImageFolderDataset("images").padded_batch(2, pad_info={"image": ([99], 0)}),
        lambda: ds.ImageFolderDataset("images", sampler=ds.IterSampler([0, 1])),
    ],
)
def test_what_cannot_be_written_whole_is_told_and_not_read(
    data: Callable[[], ds.Dataset], folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = ds.serialize(data())
    assert "cannot be made again" in caplog.text
    with pytest.raises(RuntimeError, match="MS314 deserialize"):
        ds.deserialize(found)


IMAGES = {"op_type": "ImageFolderDataset", "dataset_dir": "images", "num_parallel_workers": 1}
SAMPLER = {"sampler_name": "SequentialSampler", "num_samples": 0, "start_index": 0}


@pytest.mark.parametrize(
    "given",
    [
        {"op_type": "NoSuchStep"},
        {"children": []},
        {"op_type": "Batch"},
        {"op_type": "Batch", "children": [], "batch_size": 2, "input_columns": []},
        {"op_type": "Repeat", "count": 2, "children": [None]},
        {"op_type": "Repeat", "count": "2", "children": [[1]]},
        {"op_type": ["Map"]},
        IMAGES,
        IMAGES | {"sampler": {"sampler_name": "posix.system"}},
        IMAGES | {"sampler": SAMPLER | {"start_index": "0"}},
        IMAGES | {"sampler": SAMPLER | {"num_samples": -4}},
        IMAGES | {"sampler": SAMPLER, "extensions": 5, "class_indexing": {}, "decode": False},
    ],
)
def test_what_is_no_pipeline_is_refused(given: dict[str, Any], folder: Path) -> None:
    with pytest.raises(RuntimeError, match="MS314 deserialize"):
        ds.deserialize(given)


def test_what_is_nested_too_deep_is_refused() -> None:
    sampler, step = SAMPLER, IMAGES | {"sampler": SAMPLER}
    for _ in range(5000):
        sampler = SAMPLER | {"child_sampler": [sampler]}
        step = {"op_type": "Take", "count": 1, "children": [step]}
    for found in (step, IMAGES | {"sampler": sampler}):
        with pytest.raises(RuntimeError, match=r"(?s)MS314 deserialize: .*RecursionError"):
            ds.deserialize(found)


def test_more_workers_than_any_machine_has_are_refused(folder: Path) -> None:
    found = ds.serialize(ds.ImageFolderDataset("images"))
    with pytest.raises(RuntimeError, match="num_parallel_workers is out of range 1000000"):
        ds.deserialize(found | {"num_parallel_workers": 10**6})


def test_a_sampler_that_there_is_not_is_told_beside_those_that_there_are() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)got: +os\.system.*expected: .*PKSampler"):
        ds.deserialize(IMAGES | {"sampler": {"sampler_name": "os.system"}})


@pytest.mark.parametrize(
    "operation",
    [
        {"tensor_op_name": "Resize", "tensor_op_params": {"size": [0], "interpolation": 0}},
        {"tensor_op_name": "Resize", "tensor_op_params": {"size": [3], "interpolation": 77}},
        {"tensor_op_name": "Resize", "tensor_op_params": 5},
        {"tensor_op_name": "Resize"},
        {"tensor_op_name": "Invert", "python_module": "os"},
        {"tensor_op_name": ["Resize"]},
        "Resize",
        None,
    ],
)
def test_what_is_no_operation_is_refused(operation: Any, folder: Path) -> None:
    found = ds.serialize(ds.ImageFolderDataset("images").map(vision.Invert(), "image"))
    with pytest.raises(RuntimeError, match="MS314 deserialize"):
        ds.deserialize(found | {"operations": [operation]})


@pytest.mark.parametrize("text", ["", "{", '{"op_type": 1e999}', '{"a":' * 9000, "[1]", "null"])
def test_files_that_are_no_pipelines_are_refused(text: str, folder: Path) -> None:
    Path("bad.json").write_text(text)
    with pytest.raises(RuntimeError, match=r"MS3(04|14)"):
        ds.deserialize(json_filepath="bad.json")
