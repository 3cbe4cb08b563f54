"""What a path holds that was recorded: a dump, a trace, a folder of arrays that were saved."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ....errors import UsageError
from ....formats import read_weights
from ....formats.safetensors import read_safetensors
from ....formats.storage import opening
from ....formats.stored import Stored, StoredTensor
from ....formats.tables import STATISTICS
from ..records import SideName
from ..trace import MANIFEST
from .dumped import iterations_of, of_dump
from .seen import Recorded, Seen

NUMBERED = re.compile(r"(?:.*/)?(?:\d+_)?(?P<name>.+)")
GRADIENT = ("_backward", "_grad")
SIDES: tuple[SideName, ...] = ("torch", "onnx", "runtime", "mindspore")
MOST_CALLS = 1_000_000
EXPECTED = (
    "a folder that MINDSPORE_DUMP_CONFIG made, one of .npy by the names of layers, or a file of "
    "`msconvert compare A --trace FILE.safetensors`"
)


def is_recording(network: Any) -> bool:
    """Whether a side of a comparison is a folder, or a file that may be a trace."""
    if not isinstance(network, str | os.PathLike):
        return False
    path = Path(network)
    return path.suffix == ".safetensors" or path.is_dir()


def recorded(path: Path, weights: Collection[str] = ()) -> Recorded:
    """What is recorded there; `weights`: the names of the other side's parameters, made `flat`.

    Raises: UsageError (MS401) if nothing is; MS302 as readers do
    """
    if not path.exists():
        raise UsageError("MS401", str(path), "there is no such file or folder", expected=EXPECTED)
    if path.is_file():
        return of_trace(path)
    held = read_weights(path, comparing=True)
    if not any(file.endswith(".npy") for file in held.files):
        problem = "there is no array recorded in it"
        if any(os.path.basename(file) == STATISTICS for file in held.files):
            problem = "the dump has statistics alone, of which no layer can be run"
        raise UsageError("MS401", str(path), problem, expected=EXPECTED,
                         advice='dump with "saved_data": "tensor"')  # fmt: skip
    unread = tuple(f"{name}: {error.problem}" for name, error in held.unreadable.items())
    iterations = iterations_of(iter(held.items()))
    if iterations:
        return replace(of_dump(path, iterations, weights), unread=unread)
    seen = tuple(saved(iter(held.items())))
    if not seen:
        problem = "no array in it is what a layer gives"
        raise UsageError("MS401", str(path), problem, expected=EXPECTED)
    remark = "of the folder's arrays no more is known than their names: each is what a layer gives"
    return Recorded(str(path), "recording", seen, remarks=(remark,), unread=unread)


def saved(entries: Iterator[tuple[str, Stored]]) -> Iterator[Seen]:
    """Arrays by the names of layers, as TroubleShooter's `save` writes them: `0_conv1.npy`."""
    for path, entry in entries:
        found = NUMBERED.fullmatch(path)
        is_array = isinstance(entry, StoredTensor) and ":" not in path
        if found is not None and is_array and not found["name"].endswith(GRADIENT):
            assert isinstance(entry, StoredTensor)  # as was just asked
            yield Seen(found["name"], "", (), (entry.load(),))


def of_trace(path: Path) -> Recorded:
    """Raises: UsageError (MS401) if the file is no trace"""
    held = read_safetensors(path)
    try:
        manifest = opening.json_in(held.metadata[MANIFEST].encode())
        calls = manifest["calls"][:MOST_CALLS]
        seen = tuple(call_of(call, held) for call in calls)
        side: SideName = SIDES[SIDES.index(manifest["framework"])]
        is_training = manifest.get("mode") == "train"
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(
            "MS401", str(path), "this file is no trace of a network", got=str(error)[:200],
            expected=EXPECTED, advice="files of weights are --weights-a, --weights-b",
        ) from error  # fmt: skip
    given = next((layer.inputs for layer in seen if not layer.path), ())
    return Recorded(str(path), side, seen, {}, given, is_training)


def call_of(call: Any, held: Any) -> Seen:
    taken, given = (
        tuple(held[x["tensor"]].load() for x in call[role]) for role in ("inputs", "outputs")
    )
    return Seen(str(call["layer"]), str(call["kind"]), taken, given, int(call["call"]))
