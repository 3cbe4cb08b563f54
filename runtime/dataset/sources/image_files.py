"""Images with their classes, in the files of MNIST and CIFAR, or in a folder for each class."""

from __future__ import annotations

import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....formats.storage.opening import bytes_of, opened, reason
from ...engine.argument import check_choice, check_type
from ...engine.failure import ShapeError
from .. import config
from ..faults import DataError, refuse_given
from ..node import Row
from ..vision.codec import pixels
from .source import MappableDataset, Sampling

Usage = str | None
LARGEST = 1 << 30
"""Bytes of a file that holds one image."""


def checked_folder(where: str, given: Any) -> Path:
    """Raises: TypeError or ValueError (MS304) for what is no folder that can be read."""
    folder = Path(check_type(where, "dataset_dir", given, str))
    if not folder.is_dir():
        raise ShapeError(where, "there is no such folder", got=str(given))
    if not os.access(folder, os.R_OK):
        raise ShapeError(where, "the folder cannot be read", got=str(given))
    return folder


def checked_usage(where: str, usage: Any, known: Sequence[str]) -> str:
    """The part of a data set; all of it if None."""
    if usage is None:
        return "all"
    check_choice(where, "usage", check_type(where, "usage", usage, str), known)
    return str(usage)


def mapped_file(where: str, path: Path) -> np.ndarray:
    """The bytes of a file, read when they are needed. Raises: RuntimeError (MS314)"""
    try:
        descriptor, size = opened(path)
    except OSError as error:
        got = f"{path}: {reason(error)}"
        raise DataError(where, "a file of it cannot be opened", got=got) from error
    try:
        if size == 0:
            raise DataError(where, "a file of it is empty", got=str(path))
        return np.frombuffer(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ), np.uint8)
    finally:
        os.close(descriptor)


class FileImages(MappableDataset):
    """Images of one size that lie one behind another in files."""

    images: list[np.ndarray]
    labels: list[np.ndarray]

    def begin_with(
        self, columns: Sequence[str], sampling: Sampling, images: Any, labels: Any
    ) -> None:
        """Reads from now on what files hold. Shapes: each of images (n, h, w, c), labels (n, k)"""
        self.images, self.labels = list(images), list(labels)
        self.ends = np.cumsum([len(part) for part in self.images])
        count = int(self.ends[-1]) if self.images else 0
        self.begin(columns, count, self.fetch, sampling, self.first_labels)

    def fetch(self, number: int) -> Row:
        file = int(np.searchsorted(self.ends, number, side="right"))
        place = number - (int(self.ends[file - 1]) if file else 0)
        image = np.array(self.images[file][place])
        return (image, *(np.uint32(n) for n in np.atleast_1d(self.labels[file][place])))

    def first_labels(self) -> np.ndarray:
        """The class of every row."""
        return np.concatenate([part[:, 0] for part in self.labels])


class MnistDataset(FileImages):
    """Handwritten digits, in MNIST's own four files: image (28, 28, 1), label."""

    prefix, test = "", "t10k"

    def __init__(
        self,
        dataset_dir: str,
        usage: Usage = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache)
        where = type(self).__name__
        folder = checked_folder(where, dataset_dir)
        part = checked_usage(where, usage, ("train", "test", "all"))
        train, test = f"{self.prefix}train", f"{self.prefix}{self.test}"
        starts = {"train": [train], "test": [test], "all": [test, train]}[part]
        there = [s for s in starts if any(folder.glob(f"{s}-*-ubyte"))]
        starts = there or starts
        images = [idx(where, folder / f"{s}-images-idx3-ubyte", 2051, 3) for s in starts]
        labels = [idx(where, folder / f"{s}-labels-idx1-ubyte", 2049, 1) for s in starts]
        for x, y in zip(images, labels, strict=True):
            if len(x) != len(y):
                got = f"{len(x)} images, {len(y)} labels"
                raise DataError(where, "its files differ in length", got=got)
        sampling = Sampling(num_samples, None, shuffle, sampler, num_shards, shard_id)
        self.begin_with(
            ["image", "label"],
            sampling,
            [x[..., None] for x in images],
            [y[:, None] for y in labels],
        )
        self.made_of({"dataset_dir": dataset_dir, "usage": part}, num_parallel_workers)


class FashionMnistDataset(MnistDataset):
    """Pieces of clothing, in files as MNIST's: image (28, 28, 1), label."""


class KMnistDataset(MnistDataset):
    """Cursive Japanese characters, in files as MNIST's: image (28, 28, 1), label."""


class EMnistDataset(MnistDataset):
    """Handwritten letters and digits, in files as MNIST's: image (28, 28, 1), label."""

    test = "test"

    def __init__(
        self,
        dataset_dir: str,
        name: str,
        usage: Usage = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        check_choice("EMnistDataset", "name", check_type("EMnistDataset", "name", name, str), KINDS)
        self.prefix = f"emnist-{name}-"
        options = (num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        super().__init__(dataset_dir, usage, *options)


KINDS = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")


def idx(where: str, path: Path, magic: int, axes: int) -> np.ndarray:
    """The array in a file of MNIST's: its number, big-endian lengths of axes, then bytes."""
    data = mapped_file(where, path)
    head = 4 * (axes + 1)
    found = np.frombuffer(data[:head].tobytes().ljust(head, b"\0"), ">u4").astype(np.int64)
    shape = tuple(int(n) for n in found[1:])
    if found[0] != magic or head + int(np.prod([float(n) for n in shape])) != len(data):
        got = f"{path.name}: number {found[0]}, shape {shape}, {len(data)} bytes"
        expected = f"number {magic}, and as many bytes as the shape has"
        raise DataError(where, "a file of it is damaged", got=got, expected=expected)
    return data[head:].reshape(shape)


class Cifar10Dataset(FileImages):
    """Small photographs, in CIFAR-10's binary files: image (32, 32, 3), label."""

    files: tuple[str, ...] = (
        "data_batch_1",
        "data_batch_2",
        "data_batch_3",
        "data_batch_4",
        "data_batch_5",
    )
    test_file = "test_batch"
    columns: tuple[str, ...] = ("image", "label")

    def __init__(
        self,
        dataset_dir: str,
        usage: Usage = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache)
        where = type(self).__name__
        folder = checked_folder(where, dataset_dir)
        part = checked_usage(where, usage, ("train", "test", "all"))
        train = [f"{name}.bin" for name in self.files if (folder / f"{name}.bin").is_file()]
        test = [f"{self.test_file}.bin"]
        both = [*train, *(name for name in test if (folder / name).is_file())]
        chosen = {"train": train, "test": test, "all": both}[part]
        if not chosen:
            raise DataError(
                where,
                "its files are not there",
                got=str(folder),
                expected=", ".join(f"{name}.bin" for name in self.files),
            )
        parts = [self.records(where, folder / name) for name in chosen]
        heads = len(self.columns) - 1
        images = [r[:, heads:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1) for r in parts]
        sampling = Sampling(num_samples, None, shuffle, sampler, num_shards, shard_id)
        self.begin_with(self.columns, sampling, images, [r[:, :heads] for r in parts])
        self.made_of({"dataset_dir": dataset_dir, "usage": part}, num_parallel_workers)

    def records(self, where: str, path: Path) -> np.ndarray:
        data = mapped_file(where, path)
        length = len(self.columns) - 1 + 3072
        if len(data) % length:
            got, expected = f"{path.name}: {len(data)} bytes", f"a multiple of {length}"
            advice = "the binary version of CIFAR has such files"
            raise DataError(
                where, "a file of it is damaged", got=got, expected=expected, advice=advice
            )
        return data.reshape(-1, length)


class Cifar100Dataset(Cifar10Dataset):
    """Small photographs, in CIFAR-100's binary files: image, coarse_label, fine_label."""

    files = ("train",)
    test_file = "test"
    columns = ("image", "coarse_label", "fine_label")


class ImageFolderDataset(MappableDataset):
    """Images in folders, each of which is a class: image, as bytes or decoded, and label."""

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        extensions: Any = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        decrypt: Any = None,
    ) -> None:
        refuse_given(type(self).__name__, cache=cache, decrypt=decrypt)
        where = "ImageFolderDataset"
        self.folder = checked_folder(where, dataset_dir)
        self.endings = checked_endings(where, extensions)
        self.decode = check_type(where, "decode", decode, bool)
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        if self.decode and num_parallel_workers is None:
            sampling.workers = config.get_num_parallel_workers()
        indexing = self.checked_indexing(class_indexing)
        found = [(path, n) for name, n in sorted(indexing.items()) for path in self.images(name)]
        if not found:
            expected = "a folder for each class, images in it"
            raise DataError(where, "there are no images in it", got=dataset_dir, expected=expected)
        self.paths = [path for path, _ in found]
        self.numbers = np.array([n for _, n in found], np.int32)
        self.begin(["image", "label"], len(found), self.fetch, sampling, lambda: self.numbers)
        self.node.indexing, self.node.class_number = indexing, len(indexing)
        arguments = {"dataset_dir": dataset_dir, "decode": self.decode, "recursive": False}
        arguments |= {"extensions": extensions or [], "class_indexing": class_indexing or {}}
        self.made_of(arguments, num_parallel_workers)

    def checked_indexing(self, given: Any) -> dict[str, int]:
        """The number of each class. Raises: TypeError or RuntimeError"""
        known = sorted(path.name for path in self.folder.iterdir() if path.is_dir())
        if given is None:
            return {name: number for number, name in enumerate(known)}
        check_type("ImageFolderDataset", "class_indexing", given, dict)
        for name, number in given.items():
            check_type("ImageFolderDataset", "class_indexing", name, str)
            check_type("ImageFolderDataset", "class_indexing", number, int)
            if name not in known:
                expected = ", ".join(known[:20])
                raise DataError(
                    "ImageFolderDataset", "a class has no folder", got=name, expected=expected
                )
        return dict(given)

    def images(self, name: str) -> list[Path]:
        """The images of a class."""
        every = [self.folder / name / n for n in sorted(os.listdir(self.folder / name))]
        for path in every:
            if path.is_dir():
                advice = "move its images up, or read this folder alone"
                problem = "a class has folders in it"
                raise DataError("ImageFolderDataset", problem, got=str(path), advice=advice)
        return [path for path in every if self.endings is None or path.suffix in self.endings]

    def fetch(self, number: int) -> Row:
        path = self.paths[number]
        try:
            data = np.frombuffer(bytes_of(path, LARGEST), np.uint8)
        except OSError as error:
            got = f"{path}: {reason(error)}"
            raise DataError("ImageFolderDataset", "an image cannot be read", got=got) from error
        if not self.decode:
            return data, self.numbers[number]
        return pixels(str(path), data.tobytes()), self.numbers[number]


def checked_endings(where: str, extensions: Any) -> tuple[str, ...] | None:
    """The endings of files that are read; None for all."""
    if extensions is None:
        return None
    check_type(where, "extensions", extensions, list)
    for ending in extensions:
        check_type(where, "extensions", ending, str)
    return tuple(extensions)
