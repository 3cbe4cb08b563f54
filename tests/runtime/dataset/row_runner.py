"""Runs rows of code with MindSpore or with the runtime, and writes what they give.

    python row_runner.py PACKAGE ROWS FOUND     PACKAGE: mindspore, or msconvert.runtime

ROWS is a JSON list of expressions; FOUND becomes a pickle of their outcomes in the same order: a
list of arrays, or the name of a class of errors. Both sides see the same inputs, made here.
"""

from __future__ import annotations

import importlib
import io
import json
import pickle
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

BUILT_IN = {"TypeError", "ValueError", "RuntimeError", "KeyError", "AttributeError", "IndexError"}


def images() -> dict[str, Any]:
    """Arrays and encoded images of several kinds."""
    from PIL import Image

    random = np.random.RandomState(0)
    noise = random.randint(0, 256, (37, 53, 3)).astype(np.uint8)
    rows, columns = np.mgrid[0:64, 0:96]
    waves = (np.sin(columns / 9) + np.cos(rows / 7)) * 60 + 128
    smooth = np.stack([waves, columns * 2.0, rows * 3.0 + columns], -1).clip(0, 255)
    found: dict[str, Any] = {
        "noise": noise,
        "smooth": smooth.astype(np.uint8),
        "tall": random.randint(0, 256, (120, 90, 3)).astype(np.uint8),
        "grey": noise[:, :, 0].copy(),
        "single": noise[:, :, :1].copy(),
        "four": random.randint(0, 256, (20, 30, 4)).astype(np.uint8),
        "floats": noise.astype(np.float32) / 255,
        "batch": random.randint(0, 256, (4, 10, 12, 3)).astype(np.uint8),
    }
    for name, kind, options in (
        ("jpeg", "JPEG", {"quality": 90}),
        ("fine_jpeg", "JPEG", {"quality": 95, "subsampling": 0}),
        ("png", "PNG", {}),
        ("bmp", "BMP", {}),
    ):
        file = io.BytesIO()
        Image.fromarray(found["smooth"]).save(file, kind, **options)
        found[name] = np.frombuffer(file.getvalue(), np.uint8)
    for name, mode in (("grey_jpeg", "L"), ("alpha_png", "RGBA"), ("palette_png", "P")):
        file = io.BytesIO()
        image = Image.fromarray(found["smooth"]).convert(mode)
        image.save(file, "JPEG" if name.endswith("jpeg") else "PNG")
        found[name] = np.frombuffer(file.getvalue(), np.uint8)
    found["pil"] = Image.fromarray(found["smooth"])
    found["pil_grey"] = Image.fromarray(found["grey"])
    return found


def as_arrays(value: Any) -> list[Any]:
    """What a row gives, as arrays: of tuples, lists, dictionaries, tensors, images of Pillow's."""
    if hasattr(value, "create_tuple_iterator"):
        return as_arrays([value.get_col_names(), *read(value)])
    if isinstance(value, dict):
        return [x for k in value for x in [np.asarray(str(k)), *as_arrays(value[k])]]
    if isinstance(value, tuple | list):
        return [x for one in value for x in as_arrays(one)] or [np.zeros(0)]
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    array = np.asarray(value)
    return [array if array.dtype != object else np.asarray(str(value))]


def read(data: Any, epochs: int = 1) -> list[Any]:
    """All rows of some epochs."""
    rows = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [list(rows) for _ in range(epochs)]


def seeded(seed: int, make: Callable[[], Any], epochs: int = 3) -> list[Any]:
    """The rows of a data set made under a seed."""
    ds = sys.modules[f"{sys.argv[1]}.dataset"]
    ds.config.set_seed(seed)
    found = read(make(), epochs)
    ds.config.set_seed(5489)
    return found


def average(call: Callable[[], np.ndarray], count: int) -> float:
    """The mean level of so many images, each drawn anew."""
    return float(np.mean([call().mean() for _ in range(count)]) / 255)


def slices(ds: Any, count: int = 7, shuffle: bool | None = False, **options: Any) -> Any:
    """A data set of two columns."""
    columns = np.arange(count), np.arange(count) * 1.5
    return ds.NumpySlicesDataset(columns, ["a", "b"], shuffle=shuffle, **options)


def named(ds: Any, names: str) -> Any:
    """A data set of columns with names of one letter."""
    columns = {name: np.arange(2) + 10 * n for n, name in enumerate(names)}
    return ds.NumpySlicesDataset(columns, shuffle=False)


def padded(ds: Any, *numbers: int) -> Any:
    """A data set that fills up another one."""
    return ds.PaddedDataset([{"a": np.array(n)} for n in numbers])


def chosen(data: Any, sampler: Any) -> Any:
    """A data set with another sampler."""
    data.use_sampler(sampler)
    return data


def faulty(ds: Any, mode: str, bad: list[int], workers: int | None = None) -> Any:
    """Five rows, some of which cannot be made, as they are under a mode."""

    def failing(x: np.ndarray) -> np.ndarray:
        if int(x) in bad:
            raise ValueError("it is bad")
        return x

    data = ds.NumpySlicesDataset([1, 2, 3, 4, 5], "a", shuffle=False)
    return Moded(ds, mode, data.map(failing, "a", num_parallel_workers=workers))


class Moded:
    """A data set that is read under a mode of errors."""

    def __init__(self, ds: Any, mode: str, data: Any) -> None:
        self.ds, self.mode, self.data = ds, mode, data

    def batch(self, size: int) -> Moded:
        return Moded(self.ds, self.mode, self.data.batch(size))

    def get_dataset_size(self) -> int:
        return int(self.data.get_dataset_size())

    def get_col_names(self) -> list[str]:
        return list(self.data.get_col_names())

    def create_tuple_iterator(self, num_epochs: int, output_numpy: bool) -> Any:
        modes = self.ds.config.ErrorSamplesMode
        self.ds.config.set_error_samples_mode(modes[self.mode])
        rows = self.data.create_tuple_iterator(num_epochs=num_epochs, output_numpy=output_numpy)
        try:
            found = iter([list(rows) for _ in range(num_epochs)])
        finally:
            self.ds.config.set_error_samples_mode(modes.RETURN)
        return Epochs(found)


class Epochs:
    """A loop over it is one epoch."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def __iter__(self) -> Any:
        return iter(next(self.found))


def saved_files(data: Any, count: int = 1, kind: str = "mindrecord", twice: bool = False) -> Any:
    """The files that a data set is written into."""
    folder = Path(tempfile.mkdtemp())
    for _ in range(1 + twice):
        data.save(str(folder / "rows.mindrecord"), count, kind)
    return list(folder.iterdir())


def saved(ds: Any, data: Any, *options: Any, **more: Any) -> Any:
    """A data set that was written into a file, and is read again."""
    files = saved_files(data, *options, **more)
    (path,) = [path for path in files if path.suffix != ".db"]
    return ds.MindDataset(str(path), shuffle=False)


class Counted:
    """Rows by number, of growing length."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> tuple[Any, ...]:
        return np.full(number + 1, number), np.float32(number)


def files(folder: Path) -> dict[str, str]:
    """The paths of small data sets in files, which are written here."""
    random = np.random.RandomState(3)
    made = {name: folder / name for name in ("mnist", "cifar10", "cifar100", "tree", "damaged")}
    made["mnist_train"] = folder / "mnist_train"
    for path in made.values():
        path.mkdir()
    for start, count in (("train", 7), ("t10k", 4)):
        head = np.array([2051, count, 28, 28], ">u4").tobytes()
        pixels = random.bytes(count * 784)
        (made["mnist"] / f"{start}-images-idx3-ubyte").write_bytes(head + pixels)
        labels = bytes(n % 3 for n in range(count))
        head = np.array([2049, count], ">u4").tobytes()
        (made["mnist"] / f"{start}-labels-idx1-ubyte").write_bytes(head + labels)
    for path in made["mnist"].glob("train-*"):
        (made["mnist_train"] / path.name).write_bytes(path.read_bytes())
    for name, length in (("cifar10/test_batch", 3073), ("cifar100/test", 3074)):
        (folder / f"{name}.bin").write_bytes(random.bytes(length * 100) * 100)
    for name, count in (("dog", 2), ("cat", 3), ("ant", 1)):
        (made["tree"] / name).mkdir(parents=True)
        for n in range(count):
            kind = ("jpeg", "png", "jpeg")[n]
            ending = ("jpg", "png", "JPEG")[n]
            data = images()[kind].tobytes()
            (made["tree"] / name / f"{n}.{ending}").write_bytes(data)
    (made["tree"] / "dog" / "notes.txt").write_text("none")
    for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte"):
        (made["damaged"] / name).write_bytes(b"\0" * 10)
    for name in ("data_batch_1.bin", "test_batch.bin", "train.bin", "test.bin"):
        (made["damaged"] / name).write_bytes(b"\0" * 10)
    texts = {
        "text": "first line\n\nsecond\nthird \nlast",
        "other_text": "one\r\ntwo\r\n",
        "table": "name,count,size\nant,1,2.5\nbee,2,-3\n",
        "bare": "1,2.5\n3,4\n5,6\n",
        "vectors": "2 2\nok 0.5 -1\nno 1 2\nok 9 9\nNo 4 5e-1\n",
        "grams": "2gram-#BEGIN#o 1 1\n2gram-ok 2 3\n3gram-ok#END# 4 4\n",
        "semicolons": '1;a\n2;"b;c"\n',
    }
    for name, content in texts.items():
        (folder / f"{name}.txt").write_bytes(content.encode())
        made[name] = folder / f"{name}.txt"
    annotated(folder, made)
    made["tfrecord"], made["cut"] = folder / "rows.tfrecord", folder / "cut.tfrecord"
    made["tfrecord"].write_bytes(b"".join(map(tfrecord, range(5))))
    made["cut"].write_bytes(made["tfrecord"].read_bytes()[:100])
    return {name: str(path) for name, path in made.items()}


XML = """<annotation><object><name>{}</name><difficult>{}</difficult><truncated>1</truncated>
<bndbox><xmin>{}</xmin><ymin>4</ymin><xmax>30</xmax><ymax>40</ymax></bndbox></object>
<object><name>cat</name><difficult>0</difficult><truncated>0</truncated>
<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>5</ymax></bndbox></object></annotation>"""


def annotated(folder: Path, made: dict[str, Path]) -> None:
    """Writes images with annotations as VOC and COCO have them."""
    made["voc"], made["coco"] = folder / "voc", folder / "coco.json"
    for name in ("ImageSets/Main", "ImageSets/Segmentation", "JPEGImages", "Annotations"):
        (made["voc"] / name).mkdir(parents=True)
    (made["voc"] / "SegmentationClass").mkdir()
    for part in ("Main", "Segmentation"):
        (made["voc"] / "ImageSets" / part / "train.txt").write_text("one\ntwo\n")
    for number, name in enumerate(("one", "two")):
        (made["voc"] / "JPEGImages" / f"{name}.jpg").write_bytes(images()["jpeg"].tobytes())
        (made["voc"] / "SegmentationClass" / f"{name}.png").write_bytes(images()["png"].tobytes())
        text = XML.format(("dog", "bird")[number], number, number + 3)
        (made["voc"] / "Annotations" / f"{name}.xml").write_text(text)
    entry = {"image_id": 7, "category_id": 3, "iscrowd": 0, "area": 2.0, "id": 1}
    boxes = [{**entry, "bbox": [1, 2, 3, 4]}, {**entry, "bbox": [5, 6, 7.5, 8], "iscrowd": 1}]
    boxes += [{**entry, "image_id": 2, "bbox": [9, 9, 9, 9], "category_id": 1}]
    names = [{"id": 7, "file_name": "one.jpg"}, {"id": 2, "file_name": "two.jpg"}]
    kinds = [{"id": 3, "name": "dog"}, {"id": 1, "name": "cat"}]
    content = {"images": names, "annotations": boxes, "categories": kinds}
    made["coco"].write_text(json.dumps(content))


def message(number: int, data: bytes) -> bytes:
    """A field of Protobuf's that holds bytes."""
    return bytes([number << 3 | 2, len(data)]) + data


def tfrecord(number: int) -> bytes:
    """A record that holds an Example of three lists."""
    lists = {
        "ids": message(3, message(1, bytes(range(number, number + 3)))),
        "size": message(2, message(1, np.array([number / 4, 1.5], "<f4").tobytes())),
        "word": message(1, message(1, f"word {number}".encode())),
    }
    entries = (message(1, message(1, k.encode()) + message(2, v)) for k, v in lists.items())
    body = message(1, b"".join(entries))
    head = len(body).to_bytes(8, "little")
    return head + checksum(head) + body + checksum(body)


def checksum(data: bytes) -> bytes:
    """The masked CRC-32C of some bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")


def outcome(code: str, names: dict[str, Any]) -> Any:
    try:
        return as_arrays(eval(code, names))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the outcome
        return next(c.__name__ for c in type(error).__mro__ if c.__name__ in BUILT_IN)


def main(package: str, rows: str, found: str) -> None:
    ds = importlib.import_module(f"{package}.dataset")
    vision = importlib.import_module(f"{package}.dataset.vision")
    folder = Path(tempfile.mkdtemp())
    names = {
        **{name: getattr(vision, name) for name in ("Inter", "Border", "ConvertMode")},
        "np": np,
        "ms": importlib.import_module(package),
        "ds": ds,
        "V": vision,
        "letters": ds.NumpySlicesDataset(list("abcbcc"), "x"),
        "X": importlib.import_module(f"{package}.dataset.text"),
        "T": importlib.import_module(f"{package}.dataset.transforms"),
        "NHWC": vision.ImageBatchFormat.NHWC,
        "labels": np.eye(4, dtype=np.float32),
        "average": average,
        "read": read,
        "seeded": seeded,
        "S": partial(slices, ds),
        "Counted": Counted,
        "D": partial(named, ds),
        "chosen": chosen,
        "padded": partial(padded, ds),
        "faulty": partial(faulty, ds),
        "saved": partial(saved, ds),
        "saved_files": saved_files,
        "folder": folder,
        "name": str(folder / "file"),
        **images(),
        **files(folder),
    }
    codes = json.loads(Path(rows).read_text(encoding="utf-8"))
    outcomes = [outcome(code, dict(names)) for code in codes]
    Path(found).write_bytes(pickle.dumps(outcomes, protocol=4))


if __name__ == "__main__":
    main(*sys.argv[1:])
