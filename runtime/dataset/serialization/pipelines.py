"""Pipelines as JSON, and data sets made of it.

What MindSpore writes, it reads here, and the other way round. What MindSpore writes without all it
needs (functions of a user's, padding, data in memory) is written under its name, with a warning,
and refused when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ....formats.storage.atomic import Transaction
from ... import log
from ...engine.argument import check_type
from ...engine.failure import ShapeError
from .. import batching, config, mapping, ordering
from ..dataset import Dataset, zipped
from ..faults import DataError
from ..node import Node
from ..sources.schema import read_json
from . import operations, samplers, sources

LARGEST = 1 << 26
"""Bytes of a file of a pipeline: what weights of some million rows take."""
Json = dict[str, Any]


def serialize(dataset: Dataset, json_filepath: str = "") -> Json:
    """The pipeline as a dictionary, which is written into a file, too, if one is named."""
    check_type("serialize", "dataset", dataset, Dataset)
    check_type("serialize", "json_filepath", json_filepath, str)
    found = written(dataset.node.tree())
    if json_filepath:
        text = json.dumps(found, indent=2, sort_keys=True) + "\n"
        with Transaction(force=True) as transaction:
            transaction.open(json_filepath).write(text.encode())
    return found


def deserialize(input_dict: Json | None = None, json_filepath: str | None = None) -> Dataset | None:
    """The data set of a dictionary, or of a file, that `serialize` has made, here or in MindSpore.

    None if neither is given. Raises: RuntimeError (MS314) for what no data set can be made of.
    """
    if json_filepath:
        check_type("deserialize", "json_filepath", json_filepath, str)
        return read(read_json(json_filepath, LARGEST))
    return read(input_dict) if input_dict else None


def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Whether two pipelines are the same, as far as they can be written."""
    return serialize(pipeline1) == serialize(pipeline2)


def show(dataset: Dataset, indentation: int | None = 2) -> None:
    """Writes the pipeline into the log, at the level of information."""
    log.info(json.dumps(serialize(dataset), indent=indentation, sort_keys=True))


def written(node: Node) -> Json:
    """A node and those below it."""
    if node.source is not None:
        return source_written(node)
    own = WRITTEN.get(type(node))
    found = own(node) if own is not None else incomplete(node)
    return {**found, "children": [written(child) for child in node.children]}


def incomplete(node: Node) -> Json:
    """A node that cannot be made of what is written of it."""
    name = type(node).__name__.removesuffix("Node")
    log.warning(f"serialize: {name} cannot be made again of what is written of it")
    return {"op_type": name}


def source_written(node: Node) -> Json:
    source = node.source
    assert source is not None
    found: Json = {"op_type": source.kind, **source.arguments, "children": [], **QUEUE}
    found["num_parallel_workers"] = source.workers or config.get_num_parallel_workers()
    sampler = getattr(node, "sampler", None)
    if sampler is None:
        return found
    chosen = samplers.written(sampler)
    if chosen is None:
        name = type(sampler).__name__
        log.warning(f"serialize: {name} cannot be made again of what is written of it")
        chosen = {"sampler_name": name}
    return {**found, "sampler": chosen}


QUEUE = {"connector_queue_size": 16}
"""What MindSpore writes of all steps that have threads; here it is nothing."""


def map_written(node: mapping.MapNode) -> Json:
    made = [operations.written(function) for function in node.named]
    for function, found in zip(node.named, made, strict=True):
        if found is None:
            name = operations.named(function)
            log.warning(f"serialize: {name} cannot be made again of what is written of it")
    names = [operations.named(function) for function in node.named]
    return {
        "op_type": "Map",
        "operations": [
            found or {"tensor_op_name": name, "python_module": "__main__"}
            for found, name in zip(made, names, strict=True)
        ],
        "input_columns": node.names,
        "output_columns": node.new,
        "num_parallel_workers": node.workers,
        "callback": [],
        **QUEUE,
    }


def batch_written(node: batching.BatchNode) -> Json:
    if node.function is not None or not isinstance(node.wanted, int):
        return incomplete(node)
    return {
        "op_type": "Batch",
        "batch_size": node.wanted,
        "drop_remainder": node.drop_remainder,
        "input_columns": [],
        "output_columns": [],
        "num_parallel_workers": config.get_num_parallel_workers(),
        **QUEUE,
    }


def concat_written(node: ordering.ConcatNode) -> Json:
    if node.choice is not None:
        return incomplete(node)
    sizes = [child.size() or 0 for child in node.children]
    return {
        "op_type": "Concat",
        "children_flag_and_nums": [[0, size] for size in sizes],
        "children_sizes": sizes,
        "children_start_end_index": [[-1, -1] for _ in sizes],
        "sampler": {"sampler_name": "SequentialSampler", "num_samples": 0, "start_index": 0},
    }


def counted(name: str) -> Callable[[Any], Json]:
    """A step that is a number; -1 for all, or for ever."""
    return lambda node: {"op_type": name, "count": -1 if node.count is None else node.count}


WRITTEN: dict[type[Node], Callable[[Any], Json]] = {
    mapping.MapNode: map_written,
    batching.BatchNode: batch_written,
    ordering.ConcatNode: concat_written,
    ordering.RepeatNode: counted("Repeat"),
    ordering.TakeNode: counted("Take"),
    ordering.SkipNode: counted("Skip"),
    ordering.ShuffleNode: lambda node: {
        "op_type": "Shuffle",
        "buffer_size": node.buffer_size,
        "reset_each_epoch": node.reshuffle,
    },
    ordering.RenameNode: lambda node: {
        "op_type": "Rename",
        "input_columns": node.old,
        "output_columns": node.new,
    },
    ordering.ProjectNode: lambda node: {"op_type": "Project", "columns": node.columns},
    ordering.ZipNode: lambda node: {
        "op_type": "Zip",
        "num_parallel_workers": config.get_num_parallel_workers(),
        **QUEUE,
    },
}


def read(found: Any) -> Dataset:
    """The data set of a node's JSON. Raises: RuntimeError (MS314)"""
    where = "deserialize"
    name = str(found.get("op_type")) if isinstance(found, dict) else "no object"
    if name not in READ and name not in sources.MADE:
        known = ", ".join(sorted({*READ, *sources.MADE}))
        problem = "a step cannot be made of what is written of it"
        raise DataError(where, problem, got=name[:80], expected=known)
    try:
        if name in sources.MADE:
            return sources.read(where, found)
        return READ[name](found, *map(read, found["children"]))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise operations.badly_written(where, name, error) from error


def map_read(found: Json, below: Dataset) -> Dataset:
    made = [operations.read("deserialize", one) for one in found["operations"]]
    names, workers = found["input_columns"] or None, found["num_parallel_workers"]
    return below.map(made, names, found["output_columns"] or None, workers)


def batch_read(found: Json, below: Dataset) -> Dataset:
    if found.get("per_batch_map") or found["input_columns"]:
        raise ShapeError("batch", "its function is not written")
    return below.batch(found["batch_size"], found["drop_remainder"])


def shuffle_read(found: Json, below: Dataset) -> Dataset:
    made = below.shuffle(found["buffer_size"])
    vars(made.node)["reshuffle"] = bool(found["reset_each_epoch"])
    return made


READ: dict[str, Callable[..., Dataset]] = {
    "Map": map_read,
    "Batch": batch_read,
    "Concat": lambda found, first, *others: first.concat(list(others)),
    "Repeat": lambda found, below: below.repeat(found["count"]),
    "Take": lambda found, below: below.take(found["count"]),
    "Skip": lambda found, below: below.skip(found["count"]),
    "Shuffle": shuffle_read,
    "Rename": lambda found, below: below.rename(found["input_columns"], found["output_columns"]),
    "Project": lambda found, below: below.project(found["columns"]),
    "Zip": lambda found, *below: zipped(below),
}
