"""Sources as JSON: their classes by MindSpore's names of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dataset import Dataset
from ..samplers import Shuffle
from ..sources import image_files, text_files
from . import samplers

ORDERS = {0: Shuffle.FALSE, 1: Shuffle.FILES, 2: Shuffle.GLOBAL}
"""MindSpore's numbers of how files are shuffled."""
Json = dict[str, Any]


def image_folder(found: Json, options: Json) -> Dataset:
    return image_files.ImageFolderDataset(
        found["dataset_dir"],
        extensions=found["extensions"] or None,
        class_indexing=found["class_indexing"] or None,
        decode=found["decode"],
        **options,
    )


def packed(made: Callable[..., Dataset]) -> Callable[[Json, Json], Dataset]:
    """Images in files as MNIST's and CIFAR's."""
    return lambda found, options: made(found["dataset_dir"], found["usage"], **options)


def lines(found: Json, options: Json) -> Dataset:
    return text_files.TextFileDataset(found["dataset_files"], **options)


def table(found: Json, options: Json) -> Dataset:
    names = {"column_names": found["column_names"] or None, "field_delim": found["field_delim"]}
    defaults = found.get("column_defaults")  # MindSpore does not write them
    return text_files.CSVDataset(
        found["dataset_files"], column_defaults=defaults, **names, **options
    )


MADE: dict[str, Callable[[Json, Json], Dataset]] = {
    "ImageFolderDataset": image_folder,
    "TextFileDataset": lines,
    "CSVDataset": table,
    **{
        made.__name__: packed(made)
        for made in (
            image_files.MnistDataset,
            image_files.FashionMnistDataset,
            image_files.KMnistDataset,
            image_files.Cifar10Dataset,
            image_files.Cifar100Dataset,
        )
    },
}


def read(where: str, found: Json) -> Dataset:
    """A source of its JSON. Raises: KeyError, TypeError, ValueError or RuntimeError"""
    options: Json = {"num_parallel_workers": found["num_parallel_workers"]}
    if "sampler" in found:
        options["sampler"] = samplers.read(where, found["sampler"])
        return MADE[found["op_type"]](found, options)
    options["shuffle"] = ORDERS[found["shuffle"]]
    options["num_samples"] = found["num_samples"] or None
    if found["num_shards"] > 1:
        options |= {"num_shards": found["num_shards"], "shard_id": found["shard_id"]}
    return MADE[found["op_type"]](found, options)
