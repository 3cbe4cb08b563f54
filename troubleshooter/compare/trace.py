"""One network's run as one file: every call of a layer, and each distinct tensor once.

The file is .safetensors, so that `msconvert diff` compares two of them, of different machines. A
tensor has the name of the place where it was seen first: `layer1.0.conv` for what that gives,
`layer1.0.conv (input)` for what it takes; numbers follow where there are several, `#2` for the
second call. The metadata's `msconvert_trace` is JSON: all calls, with their tensors by these names
and what is known of each.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ...errors import UsageError
from ...formats.safetensors import write_safetensors
from ..sides.child.messages import Call, Inputs, Keeping, Recording
from ..sides.halves import Half
from ..sides.places import roots_of
from .comparison import Mode
from .layers import EVERYTHING
from .networks import call_of, inputs_of
from .recorded import Run
from .records import Array
from .session import Session
from .settings import NetworkSettings
from .subject import source, subject_of, worker_of
from .weights import load

MANIFEST = "msconvert_trace"
VERSION = 1


@dataclass(frozen=True)
class Trace:
    """What was written: of how many calls, how many distinct tensors of all, and their bytes."""

    calls: int
    distinct: int
    tensors: int
    bytes: int


def record_network(network: Path | str, settings: NetworkSettings, stream: BinaryIO) -> Trace:
    """Runs a network alone, in evaluation unless the mode is "train", and writes its trace.

    Raises: MS401, MS403, MS405; MS305 for complex tensors
    """
    mode: Mode = "train" if settings.mode == "train" else "eval"
    subject = subject_of(str(network), settings.target, "torch")
    root, _ = roots_of(subject.file, subject.file)
    with ExitStack() as stack:
        worker = stack.enter_context(worker_of(subject, settings.python_a))
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="msconvert-compare-"))
        half = Half(worker, source(subject, root), settings.timeout_s)
        session = Session((half, half), (subject, subject))
        session.begin()
        inputs = prepared(session, settings)
        arguments = inputs, settings.seed, mode, Keeping(f"{folder}/{mode}", EVERYTHING), ()
        recording: Recording = session.ask(0, "record", *arguments)
        session.checked(0, "record", recording.failure)
        run = Run(subject.side, recording, {})
        return written(run, stream, {"network": subject.name, "mode": mode, "seed": settings.seed})


def prepared(session: Session, settings: NetworkSettings) -> Inputs:
    """Makes the network, with its weights; what it is called with."""
    stirs = settings.weights_a is None
    held = session.ask(0, "construct", call_of(session, 0, settings.call), settings.seed, stirs)
    if settings.weights_a is not None:
        load(session, 0, settings.weights_a, held, is_whole=True)
    session.ask(0, "draw", ())
    return inputs_of(session, settings)


def written(run: Run, stream: BinaryIO, facts: dict[str, object]) -> Trace:
    names: dict[str, str] = {}
    arrays: dict[str, Array] = {}
    for name, call, role, position in places(run):
        value = getattr(call, role)[position]
        if value.digest not in names and value.stored is not None:
            names[value.digest] = name
            arrays[name] = run.views.array(value.stored)
    if not arrays:
        raise UsageError("MS401", str(facts["network"]), "no layer takes or gives a tensor")
    manifest = {
        "version": VERSION,
        "framework": run.side,
        **facts,
        "calls": [described(run, call, names) for call in run.calls],
    }
    write_safetensors(stream, arrays.items(), metadata={MANIFEST: json.dumps(manifest)})
    count = len(list(places(run)))
    return Trace(len(run.calls), len(arrays), count, sum(x.nbytes for x in arrays.values()))


def places(run: Run) -> Iterator[tuple[str, Call, str, int]]:
    """Every tensor by a name of its own: first what is given, by layers without others in them."""
    calls = sorted(run.calls, key=lambda call: call.number in run.children)
    for role in ("outputs", "inputs"):
        for call in calls:
            values = getattr(call, role)
            for position in range(len(values)):
                name = call.path or "(the network)"
                name += f" #{call.index + 1}" if call.index else ""
                name += " (input)" if role == "inputs" else ""
                yield name + (f" [{position}]" if len(values) > 1 else ""), call, role, position


def described(run: Run, call: Call, names: dict[str, str]) -> dict[str, object]:
    """A call as the manifest tells it."""

    def tensors(role: str) -> list[dict[str, object]]:
        return [
            {
                "tensor": names[value.digest],
                "type": value.dtype,
                "shape": list(value.shape),
                "hash": value.digest,
                **figures(run, value.row),
            }
            for value in getattr(call, role)
        ]

    return {
        "layer": call.path,
        "call": call.index,
        "kind": run.kind(call.path),
        "within": call.parent,
        "inputs": tensors("inputs"),
        "outputs": tensors("outputs"),
    }


def figures(run: Run, row: int) -> dict[str, object]:
    """The sketch's numbers."""
    numbers = run.recording.sketches[row]
    names = ("nan", "infinite", "zero", "minimum", "maximum", "mean", "norm")
    counts = [int(x) for x in numbers[1:4]]
    found: dict[str, object] = dict(zip(names, [*counts, *map(float, numbers[4:8])], strict=True))
    return {**found, "quantiles": [float(x) for x in numbers[8:13]]}
