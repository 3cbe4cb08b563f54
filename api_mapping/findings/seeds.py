"""Limits that only the whole project shows: seeds of distributed code, the mode of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..table.facts.seeds import SEEDS
from .model import FileScan, Remark, ScannedUse

DISTRIBUTED = frozenset(
    {"torch.distributed.init_process_group", "torch.nn.parallel.DistributedDataParallel"}
)


def with_project_remarks(files: tuple[FileScan, ...]) -> tuple[FileScan, ...]:
    """The files, and the remarks that follow from all of them together."""
    apis = {use.api for file in files for use in file.uses if use.kind == "call"}
    if apis & SEEDS or not apis & DISTRIBUTED:
        return files
    return tuple(map(without_seed, files))


def without_seed(file: FileScan) -> FileScan:
    found = [use for use in file.uses if use.kind == "call" and use.api in DISTRIBUTED]
    return replace(file, remarks=(*file.remarks, *missing_seed(found[:1])))


def missing_seed(uses: Sequence[ScannedUse]) -> Sequence[Remark]:
    return [
        Remark(
            use.place,
            "MS228",
            "the project sets no seed: each process would begin with other weights",
            "call ms.set_seed before the network is made",
            use.api,
        )
        for use in uses
    ]
