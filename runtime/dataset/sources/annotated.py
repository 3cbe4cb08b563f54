"""Images with what is in them: the folders of Pascal VOC, the annotations of COCO."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ....formats.storage.opening import bytes_of, reason, text_of
from ...engine.argument import check_choice, check_type
from ...engine.failure import RefusedError, ShapeError
from .. import config
from ..faults import DataError, refuse_given
from ..node import Row
from ..vision.codec import decoded
from .image_files import LARGEST as IMAGE
from .image_files import checked_folder
from .schema import read_json
from .source import MappableDataset, Sampling

LARGEST = 1 << 24
"""Bytes of an annotation file of VOC's."""


METADATA = "_meta-filename"
"""The column of the names of images."""
Fetch = Callable[[int], Row]


class AnnotatedImages(MappableDataset):
    """Images in files, as bytes or decoded, and what is told of them."""

    is_decoded = False

    def settle(self, where: str, decode: Any, sampling: Sampling, workers: int | None) -> None:
        """Keeps whether images are decoded, which threads do."""
        self.is_decoded = check_type(where, "decode", decode, bool)
        if self.is_decoded and workers is None:
            sampling.workers = config.get_num_parallel_workers()

    def told(
        self, columns: list[str], fetch: Fetch, is_wanted: bool, name: Callable[[int], str]
    ) -> Fetch:
        """What gives rows, if wanted with the name of each image; its column stays unseen.

        MindSpore shows the column to `rename` only.
        """
        check_type(type(self).__name__, "extra_metadata", is_wanted, bool)
        if not is_wanted:
            return fetch
        columns.append(METADATA)
        return lambda number: (*fetch(number), np.array(Path(name(number)).stem))

    def image(self, path: Path) -> np.ndarray:
        try:
            data = bytes_of(path, IMAGE)
        except OSError as error:
            got = f"{path}: {reason(error)}"
            raise DataError(type(self).__name__, "an image cannot be read", got=got) from error
        if self.is_decoded:
            return np.asarray(decoded(str(path), data))
        return np.frombuffer(data, np.uint8)


class VOCDataset(AnnotatedImages):
    """Pascal VOC: for Segmentation image and target, for Detection image and its boxes."""

    def __init__(
        self,
        dataset_dir: str,
        task: str = "Segmentation",
        usage: str = "train",
        class_indexing: dict[str, int] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        extra_metadata: bool = False,
        decrypt: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache, decrypt=decrypt)
        where = "VOCDataset"
        self.folder = checked_folder(where, dataset_dir)
        check_choice(where, "task", check_type(where, "task", task, str), TASKS)
        check_type(where, "usage", usage, str)
        if class_indexing is not None:
            check_type(where, "class_indexing", class_indexing, dict)
            if task == "Segmentation":
                raise ShapeError(where, "class_indexing is there for Detection only")
        names = self.listed(self.folder / "ImageSets" / TASKS[task] / f"{usage}.txt")
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        self.settle(where, decode, sampling, num_parallel_workers)
        self.names, indexing = names, class_indexing or {}
        columns = ["image", "target"]
        if task == "Detection":
            columns = ["image", "bbox", "label", "difficult", "truncate"]
            self.boxes = [self.boxes_of(name) for name in names]
            every = sorted({entry[0] for boxes in self.boxes for entry in boxes})
            if indexing:
                self.leave_out(indexing)
            indexing = indexing or {name: number for number, name in enumerate(every)}
        rows = self.segmentation if task == "Segmentation" else self.detection
        fetch = self.told(columns, rows, extra_metadata, lambda number: self.names[number])
        self.begin(columns, len(self.names), fetch, sampling)
        self.node.indexing = indexing

    def leave_out(self, known: Mapping[str, int]) -> None:
        """Leaves out the images in which there is nothing of the classes that are wanted."""
        both = zip(self.names, self.boxes, strict=True)
        left = [(name, boxes) for name, boxes in both if any(box[0] in known for box in boxes)]
        self.names, self.boxes = [name for name, _ in left], [boxes for _, boxes in left]

    def listed(self, path: Path) -> list[str]:
        """The names of the images of a part."""
        if not path.is_file():
            raise ShapeError("VOCDataset", "there is no such part of it", got=str(path))
        try:
            lines = text_of(path, LARGEST).split("\n")
        except (OSError, ValueError) as error:
            raise DataError(
                "VOCDataset", "a list of images cannot be read", got=f"{path}: {error}"
            ) from error
        return [line.split()[0] for line in lines if line.strip()]

    def segmentation(self, number: int) -> Row:
        name = self.names[number]
        image = self.image(self.folder / "JPEGImages" / f"{name}.jpg")
        return image, self.image(self.folder / "SegmentationClass" / f"{name}.png")

    def detection(self, number: int) -> Row:
        image = self.image(self.folder / "JPEGImages" / f"{self.names[number]}.jpg")
        known = self.node.indexing
        boxes = [entry for entry in self.boxes[number] if entry[0] in known]
        return (
            image,
            np.array([entry[1] for entry in boxes], np.float32).reshape(-1, 4),
            *(
                np.array(values, np.uint32).reshape(-1, 1)
                for values in (
                    [known[entry[0]] for entry in boxes],
                    [entry[2] for entry in boxes],
                    [entry[3] for entry in boxes],
                )
            ),
        )

    def boxes_of(self, name: str) -> list[tuple[str, tuple[float, ...], int, int]]:
        """Of each object: its class, x, y, width and height, whether difficult, truncated."""
        path = self.folder / "Annotations" / f"{name}.xml"
        try:
            data = bytes_of(path, LARGEST)
            if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
                raise DataError("VOCDataset", "an annotation defines entities", got=str(path))
            return [of_object(found) for found in ElementTree.fromstring(data).iter("object")]
        except (OSError, ElementTree.ParseError, ValueError, TypeError) as error:
            raise DataError(
                "VOCDataset", "an annotation cannot be read", got=f"{path}: {error}"
            ) from error


TASKS = {"Segmentation": "Segmentation", "Detection": "Main"}


def of_object(found: ElementTree.Element) -> tuple[str, tuple[float, ...], int, int]:
    corners = [float(found.findtext(f"bndbox/{side}", "")) for side in SIDES]
    left, top, right, bottom = corners
    box = (left, top, right - left, bottom - top)
    flags = (int(found.findtext(flag, "0")) for flag in ("difficult", "truncated"))
    return (found.findtext("name", ""), box, *flags)  # type: ignore[return-value]


SIDES = ("xmin", "ymin", "xmax", "ymax")


class CocoDataset(AnnotatedImages):
    """COCO: for Detection image and its boxes, for Stuff image and outlines."""

    def __init__(
        self,
        dataset_dir: str,
        annotation_file: str,
        task: str = "Detection",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        extra_metadata: bool = False,
        decrypt: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache, decrypt=decrypt)
        where = "CocoDataset"
        self.folder = checked_folder(where, dataset_dir)
        check_type(where, "annotation_file", annotation_file, str)
        if not Path(annotation_file).is_file():
            raise ShapeError(where, "there is no such file", got=annotation_file)
        known = ("Detection", "Stuff", "Panoptic", "Keypoint", "Captioning")
        check_choice(where, "task", check_type(where, "task", task, str), known)
        if task not in READ:
            problem = f"the runtime reads {' and '.join(READ)}, not {task}"
            raise DataError(where, problem, advice="a GeneratorDataset over the JSON file")
        content = read_json(annotation_file)
        self.task = task
        self.begin_of(
            where,
            content,
            decode,
            num_parallel_workers,
            Sampling(num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id),
            extra_metadata,
        )

    def get_class_indexing(self) -> dict[str, Any]:
        """The categories and their numbers. Raises: RuntimeError (MS304) for Stuff, as there"""
        if self.task != "Detection":
            advice = "CocoDataset(..., task='Detection')"
            raise RefusedError("CocoDataset", "only Detection has categories", advice=advice)
        return super().get_class_indexing()

    def begin_of(
        self,
        where: str,
        content: Any,
        decode: Any,
        workers: int | None,
        sampling: Sampling,
        is_told: bool,
    ) -> None:
        """Takes images, boxes and categories from the content of a file."""
        self.settle(where, decode, sampling, workers)
        try:
            names = {entry["id"]: str(entry["file_name"]) for entry in content["images"]}
            entries: dict[Any, list[Any]] = {}
            for entry in content["annotations"]:
                found = entries.setdefault(entry["image_id"], [])
                found.append(outlined(entry) if self.task == "Stuff" else boxed(entry))
            classes = {str(e["name"]): [int(e["id"])] for e in content["categories"]}
            self.images = [(names[key], entries[key]) for key in names if key in entries]
        except (KeyError, TypeError, ValueError) as error:
            got = f"{type(error).__name__}: {error}"
            raise DataError(where, "the annotations are of another kind", got=got) from error
        columns = ["image", *READ[self.task]]
        fetch = self.told(columns, self.fetch, is_told, lambda number: self.images[number][0])
        self.begin(columns, len(self.images), fetch, sampling)
        self.node.indexing = classes

    def fetch(self, number: int) -> Row:
        name, entries = self.images[number]
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise DataError("CocoDataset", "an image lies outside of the folder", got=name)
        image = self.image(self.folder / name)
        return (image, *(of_outlines if self.task == "Stuff" else of_boxes)(entries))


READ = {
    "Detection": ("bbox", "category_id", "iscrowd"),
    "Stuff": ("segmentation", "iscrowd"),
}
"""The tasks that are read, with their columns behind the image."""


def boxed(entry: Any) -> tuple[Any, ...]:
    """The box of an annotation, its category, whether it is of a crowd."""
    crowd = int(entry.get("iscrowd", 0))
    return (*map(float, entry["bbox"]), int(entry["category_id"]), crowd)


def of_boxes(entries: list[Any]) -> Row:
    found = np.array(entries)
    numbers = (found[:, [column]].astype(np.uint32) for column in (4, 5))
    return (found[:, :4].astype(np.float32), *numbers)


def outlined(entry: Any) -> tuple[list[list[float]], int]:
    """The outlines of an annotation, of a crowd the lengths of its runs; whether it is of one."""
    crowd, outlines = int(entry["iscrowd"]), entry["segmentation"]
    parts = [outlines["counts"]] if crowd else outlines
    return [[float(number) for number in part] for part in parts], crowd


def of_outlines(entries: list[Any]) -> Row:
    """Outlines as rows, filled up with -1. Shapes: (outlines, longest), (annotations, 1)"""
    rows = [row for outlines, _ in entries for row in outlines]
    found = np.full((len(rows), max(map(len, rows), default=0)), -1, np.float32)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found, np.array([[crowd] for _, crowd in entries], np.uint32)
