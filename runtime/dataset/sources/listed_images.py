"""Images that a list names: manifests, and the faces of CelebA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....formats.storage.opening import json_in, text_of
from ...engine.argument import check_type
from ...engine.failure import ShapeError
from ..faults import DataError, refuse_given
from ..node import Row
from .annotated import AnnotatedImages
from .image_files import checked_endings, checked_folder, checked_usage
from .source import Sampling
from .text_files import lines_of

LARGEST = 1 << 30
"""Bytes of a list."""


class ManifestDataset(AnnotatedImages):
    """Images with their classes, an entry of JSON on each line of a file: image, label."""

    def __init__(
        self,
        dataset_file: str,
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Any = None,
        class_indexing: dict[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
    ) -> None:
        where = "ManifestDataset"
        refuse_given(where, cache=cache)
        path = Path(check_type(where, "dataset_file", dataset_file, str))
        if not path.is_file():
            raise ShapeError(where, "there is no such file", got=dataset_file)
        check_type(where, "usage", usage, str)
        entries = [entry for entry in entries_of(path) if entry[0] == usage.lower()]
        known = sorted({name for _, _, names in entries for name in names})
        indexing = {name: number for number, name in enumerate(known)}
        if class_indexing is not None:
            indexing = check_type(where, "class_indexing", class_indexing, dict)
        chosen = (
            (source, [indexing[n] for n in names if n in indexing]) for _, source, names in entries
        )
        self.entries = [(source, numbers) for source, numbers in chosen if numbers]
        if not self.entries:
            got = f"usage {usage}, classes {', '.join(indexing)}"
            raise DataError(where, "it has no images of such a kind", got=got)
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        self.settle(where, decode, sampling, num_parallel_workers)
        firsts = np.array([numbers[0] for _, numbers in self.entries], np.int32)
        columns = ["image", "label"]
        self.begin(columns, len(self.entries), self.fetch, sampling, lambda: firsts)
        self.node.indexing, self.node.class_number = indexing, len(indexing)

    def fetch(self, number: int) -> Row:
        source, numbers = self.entries[number]
        label = np.array(numbers if len(numbers) > 1 else numbers[0], np.int32)
        return self.image(Path(source)), label


def entries_of(path: Path) -> list[tuple[str, str, list[str]]]:
    """Of each image of a manifest: its part, its path, its classes. Raises: RuntimeError (MS314)"""
    found = []
    for number, line in enumerate(lines_of("ManifestDataset", path)):
        try:
            entry = json_in(line.encode())
            names = [str(one["name"]) for one in entry["annotation"] if one["name"]]
            found.append((str(entry.get("usage", "")).lower(), str(entry["source"]), names))
        except (ValueError, KeyError, TypeError) as error:
            got = f"{path}, line {number + 1}: {type(error).__name__} {error}"
            raise DataError("ManifestDataset", "a line is no entry", got=got) from error
    return found


PARTS = {"train": "0", "valid": "1", "test": "2"}


class CelebADataset(AnnotatedImages):
    """Faces, and which of some attributes each has: image, attr."""

    def __init__(
        self,
        dataset_dir: str,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        usage: str = "all",
        sampler: Any = None,
        decode: bool = False,
        extensions: Any = None,
        num_samples: int | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: Any = None,
        decrypt: Any = None,
    ) -> None:
        where = "CelebADataset"
        refuse_given(where, cache=cache, decrypt=decrypt)
        self.folder = checked_folder(where, dataset_dir)
        part = checked_usage(where, usage, ("all", *PARTS))
        endings = checked_endings(where, extensions)
        sampling = Sampling(
            num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        )
        self.settle(where, decode, sampling, num_parallel_workers)
        wanted = None if part == "all" else self.names_of(PARTS[part])
        self.rows = [
            (words[0], np.array([word == "1" for word in words[1:]], np.uint32))
            for words in self.table("list_attr_celeba.txt")[2:]
            if (wanted is None or words[0] in wanted)
            and (endings is None or Path(words[0]).suffix in endings)
        ]
        if not self.rows:
            raise DataError(where, "it has no images of such a kind", got=f"usage {part}")
        self.begin(["image", "attr"], len(self.rows), self.fetch, sampling)

    def names_of(self, number: str) -> set[str]:
        """The images of a part."""
        return {
            words[0] for words in self.table("list_eval_partition.txt") if words[1:] == [number]
        }

    def table(self, name: str) -> list[list[str]]:
        """The words of the lines of a file. Raises: RuntimeError (MS314)"""
        try:
            text = text_of(self.folder / name, LARGEST)
        except (OSError, ValueError) as error:
            got = f"{self.folder / name}: {error}"
            raise DataError("CelebADataset", "a list cannot be read", got=got) from error
        return [line.split() for line in text.splitlines() if line.strip()]

    def fetch(self, number: int) -> Row:
        name, attributes = self.rows[number]
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise DataError("CelebADataset", "an image lies outside of the folder", got=name)
        return self.image(self.folder / name), attributes
