"""Plants a fault, compares, and says what was named."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from msconvert.formats import write_weights
from msconvert.troubleshooter.compare import NetworkComparer, NetworkComparison, NetworkSettings

from .fault import Edit, Fault, Mode, Reference, Target, Weights
from .networks import Converted, Workshop

COMPAT = "_ms_compat.py"


@dataclass(frozen=True)
class Outcome:
    """What was said of a fault: the layer, the cause's name, the words; how far off it is there."""

    fault: Fault
    layer: str | None
    cause: str
    told: str
    off_by: float

    @property
    def is_layer_right(self) -> bool:
        return self.layer == self.fault.layer

    @property
    def is_cause_right(self) -> bool:
        accepted = [text.partition(":") for text in self.fault.causes]
        is_said = any(
            name in (self.cause, "") and words in self.told for name, _, words in accepted
        )
        return self.is_layer_right and is_said


class Planter:
    """Compares what it has spoiled; `mindspore` is the Python with the real one."""

    def __init__(
        self, workshop: Workshop, comparer: NetworkComparer, mindspore: Path | None
    ) -> None:
        self.workshop = workshop
        self.comparer = comparer
        self.mindspore = mindspore

    def compared(self, fault: Fault) -> NetworkComparison:
        network = self.workshop.converted(fault.network, fault.reference)
        with tempfile.TemporaryDirectory(prefix="planted-") as folder:
            script, checkpoint = spoiled(network, fault, Path(folder))
            return self.comparer.compare(
                network.a, script, self.settings(network, checkpoint, fault.target, fault.mode)
            )

    def unfaulted(
        self, name: str, reference: Reference, target: Target, mode: Mode = "eval"
    ) -> NetworkComparison:
        network = self.workshop.converted(name, reference)
        return self.comparer.compare(
            network.a, network.script, self.settings(network, None, target, mode)
        )

    def settings(
        self, network: Converted, checkpoint: Path | None, target: Target, mode: Mode
    ) -> NetworkSettings:
        settings = NetworkSettings(
            call=network.call,
            inputs=network.inputs,
            weights_a=network.weights,
            weights_b=checkpoint if network.weights is not None else None,
            mode=mode,
        )
        if target == "mindspore":
            return replace(settings, target="mindspore", python_b=str(self.mindspore))
        return settings

    def outcome(self, fault: Fault) -> Outcome:
        return outcome_of(fault, self.compared(fault))


def spoiled(network: Converted, fault: Fault, folder: Path) -> tuple[Path, Path | None]:
    """The script, and the checkpoint if it is not the script's own affair, with the fault."""
    script = folder / network.script.name
    text, tensors = network.text, network.tensors
    if isinstance(fault.planted, Edit):
        text = fault.planted.of(text)
    else:
        tensors = fault.planted.of(tensors)
    script.write_text(text, encoding="utf-8")
    compat = network.script.with_name(COMPAT)
    if compat.exists():
        (folder / COMPAT).write_bytes(compat.read_bytes())
    is_own = network.weights is not None and isinstance(fault.planted, Edit)
    if is_own:
        return script, None
    checkpoint = folder / network.checkpoint.name
    write_weights(checkpoint, contiguous(tensors).items(), "ckpt")
    return script, checkpoint


def contiguous(tensors: Weights) -> Weights:
    return {name: np.array(array, order="C") for name, array in tensors.items()}


def outcome_of(fault: Fault, found: NetworkComparison) -> Outcome:
    """What a user reads first: of several causes the first."""
    first = found.first_difference
    if first is None:
        told = "nothing differs" if found.ok else "no layer differs"
        return Outcome(fault, None, "", told, 0.0)
    worst = first.worst
    off_by = worst.relative if worst is not None and not worst.problem else math.inf
    likeliest = next(iter(first.hypotheses), None)
    if likeliest is None:
        cause = first.verdict if first.verdict != "differs" else ""
        return Outcome(fault, first.path, cause, first.note or "no known cause", off_by)
    told = "; ".join(text for text in (first.note, likeliest.text) if text)
    return Outcome(fault, first.path, likeliest.cause, told, off_by)
