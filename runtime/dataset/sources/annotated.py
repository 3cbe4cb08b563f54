"""Images with what is in them: the folders of Pascal VOC, the annotations of COCO."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
from ..vision.codec import pixels
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
            return pixels(str(path), data)
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
    """COCO: images, and what a task asks of their annotations."""

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
        check_choice(where, "task", check_type(where, "task", task, str), COCO_TASKS)
        self.task = COCO_TASKS[task]
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        self.settle(where, decode, sampling, num_parallel_workers)
        classes = self.read(where, read_json(annotation_file))
        columns = ["image", *self.task.columns]
        fetch = self.told(
            columns, self.fetch, extra_metadata, lambda number: self.images[number][0]
        )
        self.begin(columns, len(self.images), fetch, sampling)
        self.node.indexing = classes

    def get_class_indexing(self) -> dict[str, Any]:
        """The categories and their numbers. Raises: RuntimeError (MS304) without any, as there"""
        if self.task.categories is None:
            advice = "CocoDataset(..., task='Detection')"
            problem = "only Detection and Panoptic have categories"
            raise RefusedError("CocoDataset", problem, advice=advice)
        return super().get_class_indexing()

    def read(self, where: str, content: Any) -> dict[str, list[int]]:
        """Keeps the images that have annotations; gives the categories.

        Raises: RuntimeError (MS314) if the content of the file is of another kind
        """
        try:
            self.images = self.task.images(content)
            return self.task.classes(content, self.images)
        except (KeyError, TypeError, ValueError) as error:
            got = f"{type(error).__name__}: {error}"
            raise DataError(where, "the annotations are of another kind", got=got) from error

    def fetch(self, number: int) -> Row:
        name, entries = self.images[number]
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise DataError("CocoDataset", "an image lies outside of the folder", got=name)
        return (self.image(self.folder / name), *self.task.row(entries))


@dataclass(frozen=True)
class CocoTask:
    """What a task reads.

    columns: those behind the image. entry: what is kept of an annotation, or of each of its
    parts. row: the columns of all entries of an image. categories: what a category is, if the
    task has any.
    """

    columns: tuple[str, ...]
    entry: Callable[[Any], Any]
    row: Callable[[list[Any]], Row]
    categories: Callable[[Any], list[int]] | None = None
    parts: Callable[[Any], list[Any]] = lambda entry: [entry]

    def images(self, content: Any) -> list[tuple[str, list[Any]]]:
        """The names of the images that have annotations, with what is kept of those."""
        names = {entry["id"]: str(entry["file_name"]) for entry in content["images"]}
        told: dict[Any, list[Any]] = {}
        for entry in content["annotations"]:
            found = told.setdefault(entry["image_id"], [])
            found += [self.entry(one) for one in self.parts(entry)]
        return [(names[key], told[key]) for key in names if told.get(key)]

    def classes(self, content: Any, images: list[tuple[str, list[Any]]]) -> dict[str, list[int]]:
        """The categories by name. Raises: KeyError for an annotation that has none of them"""
        if self.categories is None:
            return {}
        found = {str(entry["name"]): self.categories(entry) for entry in content["categories"]}
        known = {numbers[0] for numbers in found.values()}
        for number in (entry[CATEGORY] for _, entries in images for entry in entries):
            if number not in known:
                raise KeyError(f"category_id {number}")
        return found


CATEGORY = 4
"""Where the category stands behind the four numbers of a box."""


def boxed(entry: Any) -> tuple[Any, ...]:
    """The box of an annotation, its category, whether it is of a crowd."""
    crowd = int(entry.get("iscrowd", 0))
    return (*map(float, entry["bbox"]), int(entry["category_id"]), crowd)


def sized(entry: Any) -> tuple[Any, ...]:
    return (*boxed(entry), int(entry["area"]))


def of_boxes(entries: list[Any]) -> Row:
    found = np.array(entries)
    numbers = (found[:, [column]].astype(np.uint32) for column in range(CATEGORY, found.shape[1]))
    return (found[:, :4].astype(np.float32), *numbers)


def outlined(entry: Any) -> tuple[list[list[float]], int]:
    """The outlines of an annotation, of a crowd the lengths of its runs; whether it is of one."""
    crowd, outlines = int(entry["iscrowd"]), entry["segmentation"]
    parts = [outlines["counts"]] if crowd else outlines
    return [[float(number) for number in part] for part in parts], crowd


def pointed(entry: Any) -> tuple[list[list[float]], int]:
    """The points of an annotation, each x, y and whether it is seen; how many are."""
    return [[float(number) for number in entry["keypoints"]]], int(entry["num_keypoints"])


def of_lines(entries: list[Any]) -> Row:
    """Lines of numbers, filled up with -1. Shapes: (lines, longest), (annotations, 1)"""
    rows = [row for lines, _ in entries for row in lines]
    found = np.full((len(rows), max(map(len, rows), default=0)), -1, np.float32)
    for place, row in enumerate(rows):
        found[place, : len(row)] = row
    return found, np.array([[number] for _, number in entries], np.uint32)


COCO_TASKS = {
    "Detection": CocoTask(
        ("bbox", "category_id", "iscrowd"), boxed, of_boxes, lambda entry: [int(entry["id"])]
    ),
    "Stuff": CocoTask(("segmentation", "iscrowd"), outlined, of_lines),
    "Panoptic": CocoTask(
        ("bbox", "category_id", "iscrowd", "area"),
        sized,
        of_boxes,
        lambda entry: [int(entry["id"]), int(entry["isthing"])],
        lambda entry: entry["segments_info"],
    ),
    "Keypoint": CocoTask(("keypoints", "num_keypoints"), pointed, of_lines),
    "Captioning": CocoTask(
        ("captions",), lambda entry: str(entry["caption"]), lambda found: (np.array([found]).T,)
    ),
}
"""The tasks by their names."""
